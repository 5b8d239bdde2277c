//! A take as a clip, for the formats of other programs.

use crate::export_npz::ExportError;
use crate::playback::Playback;
use sinew_geom::order;
use sinew_io::clip::{Clip, ClipBody, ClipFlesh, ClipInfo, SourceError};
use sinew_io::{WriteOptions, Written, write_clip};
use sinew_math::DVec3;
use sinew_solve::Cells;
use std::path::Path;

/// Writes every recorded frame as the extension of `path` says. `progress` is called for each body and frame that the
/// format asks for, which may be more than once.
pub fn export_clip(
    playback: &mut Playback,
    path: &Path,
    options: &WriteOptions,
    progress: impl FnMut(),
) -> Result<Written, ExportError> {
    let mut clip = PlayedClip::new(playback, progress)?;
    Ok(write_clip(&mut clip, path, options)?)
}

struct PlayedClip<'a, P> {
    playback: &'a mut Playback,
    info: ClipInfo,
    /// Flesh points of each body in the order of its file.
    from_file: Vec<Vec<u32>>,
    shown: Option<usize>,
    progress: P,
}

impl<'a, P: FnMut()> PlayedClip<'a, P> {
    fn new(playback: &'a mut Playback, progress: P) -> Result<Self, ExportError> {
        let frames = playback.frames()?;
        let stage = &playback.built.stage;
        let body = |body: &crate::StageBody| {
            let tets = |tets: &Vec<[u32; 4]>| {
                let in_file_order = |tet: &[u32; 4]| tet.map(|point| body.flesh.file_order[point as usize]);
                ClipFlesh { point_count: body.flesh.point_count(), tets: tets.iter().map(in_file_order).collect() }
            };
            ClipBody {
                name: body.name.clone(),
                vertex_count: body.skin.mesh.positions.len(),
                triangles: body.skin.mesh.triangles.clone(),
                corner_uvs: body.skin.corner_uvs.clone(),
                colour: body.skin.colour,
                flesh: match &body.flesh.cells {
                    Cells::Tets(cells) => Some(tets(cells)),
                    Cells::Shell(_) => None,
                },
            }
        };
        let info = ClipInfo {
            fps: stage.clock().fps,
            first_frame: *frames.start(),
            frame_count: frames.count(),
            bodies: stage.bodies().iter().map(body).collect(),
        };
        let from_file = stage.bodies().iter().map(|body| order::inverse(&body.flesh.file_order)).collect();
        Ok(Self { playback, info, from_file, shown: None, progress })
    }

    fn show(&mut self, frame: usize) -> Result<(), SourceError> {
        if self.shown != Some(frame) {
            self.shown = None;
            self.playback.show(self.info.number(frame) as i32)?;
            self.shown = Some(frame);
        }
        (self.progress)();
        Ok(())
    }
}

impl<P: FnMut()> Clip for PlayedClip<'_, P> {
    fn info(&self) -> &ClipInfo {
        &self.info
    }

    fn skin(&mut self, body: usize, frame: usize, out: &mut Vec<[f32; 3]>) -> Result<(), SourceError> {
        self.show(frame)?;
        out.extend(self.playback.skin(body).iter().map(narrow));
        Ok(())
    }

    fn flesh(&mut self, body: usize, frame: usize, out: &mut Vec<[f32; 3]>) -> Result<(), SourceError> {
        self.show(frame)?;
        let points = self.playback.flesh(body);
        out.extend(self.from_file[body].iter().map(|&point| narrow(&points[point as usize])));
        Ok(())
    }
}

fn narrow(x: &DVec3) -> [f32; 3] {
    x.to_array().map(|number| number as f32)
}
