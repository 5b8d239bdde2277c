//! Every frame a target: what is shown at a frame is that frame, and between two their mean.

use super::{Bin, GlbOptions, Layout, Placed};
use crate::clip::{self, Clip, WriteError};
use serde_json::json;

pub(super) fn place(
    clip: &mut dyn Clip,
    body: usize,
    layout: &Layout,
    options: &GlbOptions,
    bin: &mut Bin,
) -> Result<Placed, WriteError> {
    let target_count = clip.info().frame_count - 1;
    bin.reserve(layout.target_bytes(target_count + 1, options.normals), "export fewer frames or coarser skins")?;
    let mut first = Vec::new();
    clip::skin(clip, body, 0, &mut first)?;
    let first_normals = clip::normals(clip, body, 0, &first)?;
    let (attributes, parts) = layout.place(&first, &first_normals, bin)?;
    let (mut targets, mut target_names, mut points) = (Vec::new(), Vec::new(), Vec::new());
    for frame in 1..=target_count {
        clip::skin(clip, body, frame, &mut points)?;
        let normals = if options.normals {
            Some(difference(&clip::normals(clip, body, frame, &points)?, &first_normals))
        } else {
            None
        };
        targets.push(layout.place_target(&difference(&points, &first), normals.as_deref(), bin)?);
        target_names.push(format!("frame {}", clip.info().number(frame)));
    }
    let weights = if target_count == 0 { None } else { Some(bin.scalars(&one_at_a_time(target_count), false)?) };
    Ok(Placed {
        attributes,
        parts,
        targets,
        target_names,
        weights,
        rigid: None,
        first_weights: vec![0.0; target_count],
        first_pose: None,
        extras: json!({ "exact": true, "targets": target_count }),
        note: None,
    })
}

fn difference(a: &[[f32; 3]], b: &[[f32; 3]]) -> Vec<[f32; 3]> {
    a.iter().zip(b).map(|(a, b)| [a[0] - b[0], a[1] - b[1], a[2] - b[2]]).collect()
}

/// Weights at each frame: none at the first, then one target after the other.
fn one_at_a_time(target_count: usize) -> Vec<f32> {
    let mut weights = vec![0.0; (target_count + 1) * target_count];
    for frame in 1..=target_count {
        weights[frame * target_count + frame - 1] = 1.0;
    }
    weights
}
