//! MDD (big endian, times in seconds) and PC2 (little endian, frames): points only, so that the triangles go into an OBJ
//! beside them. One body a file: several bodies make `NAME-BODY.mdd` and `NAME-BODY.obj` each.

use super::{Out, Written, beside, obj};
use crate::clip::{self, Clip, WriteError};
use std::path::Path;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Mdd,
    Pc2,
}

pub(super) fn write(clip: &mut dyn Clip, path: &Path, kind: Kind) -> Result<Written, WriteError> {
    let mut written = Written::default();
    for body in 0..clip.info().bodies.len() {
        let added = match clip.info().bodies.len() {
            1 => String::new(),
            _ => format!("-{}", clip.info().bodies[body].name),
        };
        let extension = path.extension().unwrap_or_default().to_string_lossy();
        let mut out = Out::create(&beside(path, &added, &extension))?;
        write_body(clip, body, &mut out, kind)?;
        let mut rest = Out::create(&beside(path, &added, "obj"))?;
        obj::write_frame(clip, body..body + 1, 0, &mut rest)?;
        // The cache last: whoever sees it finds its mesh.
        written.files.extend([rest.commit()?, out.commit()?]);
    }
    Ok(written)
}

fn write_body(clip: &mut dyn Clip, body: usize, out: &mut Out, kind: Kind) -> Result<(), WriteError> {
    let info = clip.info();
    let (frame_count, vertex_count) = (info.frame_count, info.bodies[body].vertex_count);
    if i32::try_from(frame_count).is_err() {
        return Err(WriteError::Clip { what: format!("{frame_count} frames are more than the format counts") });
    }
    match kind {
        Kind::Mdd => {
            let times: Vec<f32> = (0..frame_count).map(|frame| info.secs(frame) as f32).collect();
            out.words([frame_count as i32, vertex_count as i32], i32::to_be_bytes)?;
            out.words(times, f32::to_be_bytes)?;
        }
        Kind::Pc2 => {
            let first_frame = info.first_frame as f32;
            out.bytes(b"POINTCACHE2\0")?;
            out.words([1, vertex_count as i32], i32::to_le_bytes)?;
            out.words([first_frame, 1.0], f32::to_le_bytes)?;
            out.words([frame_count as i32], i32::to_le_bytes)?;
        }
    }
    let to_bytes = if kind == Kind::Mdd { f32::to_be_bytes } else { f32::to_le_bytes };
    let mut points = Vec::new();
    for frame in 0..frame_count {
        clip::skin(clip, body, frame, &mut points)?;
        out.words(points.as_flattened().iter().copied(), to_bytes)?;
    }
    Ok(())
}
