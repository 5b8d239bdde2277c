//! NPZ: how anyone checks sinew from Python. Vertices are in the order of the file they came from.

use crate::playback::{Playback, PlaybackError};
use sinew_geom::{adjacency, order};
use sinew_io::npz::{NpzError, NpzWriter};
use sinew_solve::{Cells, Flesh};
use std::ops::ControlFlow;
use std::path::Path;

#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    #[error(transparent)]
    Playback(#[from] PlaybackError),
    #[error(transparent)]
    Npz(#[from] NpzError),
    #[error(transparent)]
    Clip(#[from] sinew_io::WriteError),
    #[error("it was stopped")]
    Stopped,
}

/// Writes every recorded frame: per body `skin`, `faces`, `flesh`, `velocity`, `flesh_rest`, `mass`, `tets` or `edges`; and
/// `times`, `frames`. `progress` is called after each body, and may end it.
pub fn export_npz(
    playback: &mut Playback,
    path: &Path,
    mut progress: impl FnMut() -> ControlFlow<()>,
) -> Result<(), ExportError> {
    let frames: Vec<i32> = playback.frames()?.collect();
    let clock = playback.built.stage.clock();
    let mut npz = NpzWriter::create(path)?;
    let times: Vec<f64> = frames.iter().map(|&frame| clock.secs_at(frame)).collect();
    npz.f8("times", &[frames.len()], &times)?;
    npz.i4("frames", &[frames.len()], &frames)?;
    for body in 0..playback.built.stage.bodies().len() {
        write_motion(playback, &mut npz, &frames, body)?;
        let staged = &playback.built.stage.bodies()[body];
        write_mesh(&mut npz, &staged.name, &staged.flesh)?;
        let faces: Vec<u32> = staged.skin.mesh.triangles.iter().flatten().copied().collect();
        npz.u4(&format!("{}/faces", staged.name), &[faces.len() / 3, 3], &faces)?;
        if progress().is_break() {
            return Err(ExportError::Stopped);
        }
    }
    npz.finish()?;
    Ok(())
}

/// What moves. One body's frames are held at a time.
fn write_motion(playback: &mut Playback, npz: &mut NpzWriter, frames: &[i32], body: usize) -> Result<(), ExportError> {
    let (mut skin, mut flesh, mut velocity) = (Vec::new(), Vec::new(), Vec::new());
    let staged = &playback.built.stage.bodies()[body];
    let (name, points, skin_count) =
        (staged.name.clone(), staged.flesh.point_count(), staged.skin.mesh.positions.len());
    let from_file = order::inverse(&staged.flesh.file_order);
    for &frame in frames {
        let view = &playback.show(frame)?.bodies[body];
        for &point in &from_file {
            let offset = view.offsets[point as usize].map(f64::from);
            flesh.extend([0, 1, 2].map(|axis: usize| view.origin[axis] + offset[axis]));
            let v = view.velocities.get(point as usize).copied();
            velocity.extend(v.unwrap_or([f32::NAN; 3]).map(f64::from));
        }
        skin.extend(playback.skin(body).iter().flat_map(|x| x.to_array().map(|c| c as f32)));
    }
    npz.f4(&format!("{name}/skin"), &[frames.len(), skin_count, 3], &skin)?;
    npz.f8(&format!("{name}/flesh"), &[frames.len(), points, 3], &flesh)?;
    npz.f8(&format!("{name}/velocity"), &[frames.len(), points, 3], &velocity)?;
    Ok(())
}

/// What does not.
pub(crate) fn write_mesh(npz: &mut NpzWriter, name: &str, flesh: &Flesh) -> Result<(), ExportError> {
    let points = flesh.point_count();
    let from_file = order::inverse(&flesh.file_order);
    let rest: Vec<f64> = from_file.iter().flat_map(|&i| flesh.rest[i as usize].to_array()).collect();
    let mass: Vec<f64> = from_file.iter().map(|&i| flesh.mass_kg[i as usize]).collect();
    npz.f8(&format!("{name}/flesh_rest"), &[points, 3], &rest)?;
    npz.f8(&format!("{name}/mass"), &[points], &mass)?;
    match &flesh.cells {
        Cells::Tets(tets) => {
            let corners: Vec<u32> = tets.iter().flatten().map(|&v| flesh.file_order[v as usize]).collect();
            npz.u4(&format!("{name}/tets"), &[tets.len(), 4], &corners)?;
        }
        Cells::Shell(triangles) => {
            let edges = adjacency::edges(points, triangles);
            let ends: Vec<u32> = edges.iter().flatten().map(|&v| flesh.file_order[v as usize]).collect();
            npz.u4(&format!("{name}/edges"), &[edges.len(), 2], &ends)?;
        }
    }
    Ok(())
}
