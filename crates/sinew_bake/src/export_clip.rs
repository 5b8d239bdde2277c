//! A take as a clip, for the formats of other programs.

mod surroundings;

use crate::export_npz::ExportError;
use crate::playback::Playback;
use sinew_geom::embedding::{CarriedSkin, SkinCarrier};
use sinew_geom::order;
use sinew_io::clip::{Clip, ClipBody, ClipFlesh, ClipInfo, SourceError};
use sinew_io::disk::Outputs;
use sinew_io::{WriteOptions, Written, clip_files, write_clip};
use sinew_math::DVec3;
use sinew_solve::Cells;
use sinew_stage::Skin;
use std::ops::ControlFlow;
use std::path::Path;

/// Writes every recorded frame as the extension of `path` says. `progress` is called for each body and frame that the
/// format asks for, which may be more than once, and may end it.
pub fn export_clip(
    playback: &mut Playback,
    path: &Path,
    options: &WriteOptions,
    progress: impl FnMut() -> ControlFlow<()>,
) -> Result<Written, ExportError> {
    let mut clip = PlayedClip::new(playback, progress)?;
    let written = write_clip(&mut clip, path, options);
    if clip.is_stopped { Err(ExportError::Stopped) } else { Ok(written?) }
}

/// The files that [`export_clip`] writes.
pub fn clip_outputs(playback: &Playback, path: &Path) -> Result<Outputs, ExportError> {
    let frames = playback.frames()?;
    let body = |body: &crate::StageBody| ClipBody {
        name: body.name.clone(),
        looks: body.skin.looks.as_ref().map(|looks| looks.looks.clone()).unwrap_or_default(),
        ..ClipBody::default()
    };
    let bodies = playback.built.stage.bodies().iter().map(body).collect();
    let first_frame = *frames.start();
    Ok(clip_files(&ClipInfo { first_frame, frame_count: frames.count(), bodies, ..ClipInfo::default() }, path))
}

struct PlayedClip<'a, P> {
    playback: &'a mut Playback,
    info: ClipInfo,
    /// Flesh points of each body in the order of its file.
    from_file: Vec<Vec<u32>>,
    shown: Option<usize>,
    carriers: Vec<SkinCarrier>,
    carried: CarriedSkin,
    /// Whose skin `carried` holds, and in which frame.
    carried_is: Option<(usize, usize)>,
    progress: P,
    is_stopped: bool,
}

impl<'a, P: FnMut() -> ControlFlow<()>> PlayedClip<'a, P> {
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
                colour: body.colour,
                looks: body.skin.looks.as_ref().map(|looks| looks.looks.clone()).unwrap_or_default(),
                has_normals: own_normals(&body.skin).is_some(),
                flesh: match &body.flesh.cells {
                    Cells::Tets(cells) => Some(tets(cells)),
                    Cells::Shell(_) => None,
                },
            }
        };
        let info = ClipInfo {
            fps: stage.clock().fps,
            first_frame: *frames.start(),
            frame_count: frames.clone().count(),
            bodies: stage.bodies().iter().map(body).collect(),
            camera: Some(surroundings::camera(playback, frames.clone())),
            props: surroundings::props(playback, frames),
        };
        let from_file = stage.bodies().iter().map(|body| order::inverse(&body.flesh.file_order)).collect();
        let carrier = |body: &crate::StageBody| {
            body.skin.embedding.carrier(&body.flesh.rest, &body.skin.mesh, own_normals(&body.skin))
        };
        let carriers = stage.bodies().iter().map(carrier).collect();
        let carried = CarriedSkin::default();
        Ok(Self {
            playback,
            info,
            from_file,
            shown: None,
            carriers,
            carried,
            carried_is: None,
            progress,
            is_stopped: false,
        })
    }

    fn show(&mut self, frame: usize) -> Result<(), SourceError> {
        if self.shown != Some(frame) {
            self.shown = None;
            self.carried_is = None;
            self.playback.show(self.info.number(frame) as i32)?;
            self.shown = Some(frame);
        }
        self.is_stopped = self.is_stopped || (self.progress)().is_break();
        if self.is_stopped { Err(ExportError::Stopped.into()) } else { Ok(()) }
    }

    fn carry(&mut self, body: usize, frame: usize) -> Result<(), SourceError> {
        self.show(frame)?;
        if self.carried_is != Some((body, frame)) {
            self.carriers[body].carry(&self.playback.flesh(body), DVec3::ZERO, &mut self.carried);
            self.carried_is = Some((body, frame));
        }
        Ok(())
    }
}

/// Normals that the skin's file gave.
fn own_normals(skin: &Skin) -> Option<&[DVec3]> {
    let normals = &skin.looks.as_ref()?.normals;
    (normals.len() == skin.mesh.positions.len()).then_some(normals)
}

impl<P: FnMut() -> ControlFlow<()>> Clip for PlayedClip<'_, P> {
    fn info(&self) -> &ClipInfo {
        &self.info
    }

    fn skin(&mut self, body: usize, frame: usize, out: &mut Vec<[f32; 3]>) -> Result<(), SourceError> {
        self.carry(body, frame)?;
        self.carriers[body].in_file_order(&self.carried.positions, out);
        Ok(())
    }

    fn normals(&mut self, body: usize, frame: usize, out: &mut Vec<[f32; 3]>) -> Result<(), SourceError> {
        self.carry(body, frame)?;
        self.carriers[body].in_file_order(&self.carried.normals, out);
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
