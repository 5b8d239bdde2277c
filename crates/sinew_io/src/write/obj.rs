//! OBJ: a file a frame, bodies as objects, numbers that come back bit for bit.

use super::files::frame_suffix;
use super::{Out, Written, beside};
use crate::clip::{self, Clip, WriteError};
use std::ops::Range;
use std::path::Path;

pub(super) fn write_sequence(clip: &mut dyn Clip, path: &Path) -> Result<Written, WriteError> {
    let mut written = Written::default();
    let bodies = clip.info().bodies.len();
    for frame in 0..clip.info().frame_count {
        let mut out = Out::create(&beside(path, &frame_suffix(clip.info().number(frame)), "obj"))?;
        write_frame(clip, 0..bodies, frame, &mut out)?;
        written.files.push(out.commit()?);
    }
    Ok(written)
}

/// Some bodies as they are in one frame.
pub(super) fn write_frame(
    clip: &mut dyn Clip,
    bodies: Range<usize>,
    frame: usize,
    out: &mut Out,
) -> Result<(), WriteError> {
    out.text(format_args!("# sinew: frame {}, metres, Y up\n", clip.info().number(frame)))?;
    let (mut points, mut vertices, mut uvs) = (Vec::new(), 0u64, 0u64);
    for body in bodies {
        clip::skin(clip, body, frame, &mut points)?;
        let body = &clip.info().bodies[body];
        out.text(format_args!("o {}\n", body.name))?;
        for [x, y, z] in &points {
            out.text(format_args!("v {x:?} {y:?} {z:?}\n"))?;
        }
        for [u, v] in body.corner_uvs.as_flattened() {
            out.text(format_args!("vt {u:?} {v:?}\n"))?;
        }
        for (triangle, corners) in body.triangles.iter().enumerate() {
            let [a, b, c] = corners.map(|vertex| u64::from(vertex) + vertices + 1);
            if body.corner_uvs.is_empty() {
                out.text(format_args!("f {a} {b} {c}\n"))?;
            } else {
                let t = uvs + 3 * triangle as u64 + 1;
                out.text(format_args!("f {a}/{t} {b}/{} {c}/{}\n", t + 1, t + 2))?;
            }
        }
        vertices += points.len() as u64;
        uvs += 3 * body.corner_uvs.len() as u64;
    }
    Ok(())
}
