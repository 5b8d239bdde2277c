//! What the writers of animations are given: bodies that keep their triangles, and their points frame by frame.
//!
//! Positions are world metres, Y up, right-handed. A writer asks for one body in one frame at a time and holds no more
//! than its format needs, so that a clip can be larger than memory.

use crate::Looks;
use std::collections::BTreeSet;
use std::io;
use std::path::PathBuf;

/// Why a clip could not give a frame.
pub type SourceError = Box<dyn std::error::Error + Send + Sync>;

/// An animation that can be asked for any frame, as often as a writer likes.
pub trait Clip {
    fn info(&self) -> &ClipInfo;

    /// Puts the skin of a body into `out` (emptied by the caller). Frames are counted from 0 here.
    fn skin(&mut self, body: usize, frame: usize, out: &mut Vec<[f32; 3]>) -> Result<(), SourceError>;

    /// Normals of the skin's vertices, of length 1; asked only of bodies that [have some](ClipBody::has_normals).
    fn normals(&mut self, body: usize, frame: usize, out: &mut Vec<[f32; 3]>) -> Result<(), SourceError> {
        let _ = (body, frame, out);
        Ok(())
    }

    /// The points that [`ClipBody::flesh`] is made of; asked only of bodies that have some.
    fn flesh(&mut self, body: usize, frame: usize, out: &mut Vec<[f32; 3]>) -> Result<(), SourceError> {
        let _ = (body, frame, out);
        Ok(())
    }
}

/// What does not change from frame to frame.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ClipInfo {
    /// Frames per second as a fraction: `(24000, 1001)` is exact.
    pub fps: (u32, u32),
    /// The number that frame 0 of the clip has on the timeline.
    pub first_frame: i32,
    pub frame_count: usize,
    pub bodies: Vec<ClipBody>,
    /// What pictures are taken with, for formats that hold one.
    pub camera: Option<ClipCamera>,
    /// What bodies stand on and run against, for formats that hold several things.
    pub props: Vec<ClipProp>,
}

/// A place and a turn (a unit quaternion, x y z w).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ClipPose {
    pub at: [f32; 3],
    pub turn: [f32; 4],
}

/// Looks along −Z with Y up in its own frame.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ClipCamera {
    /// One for each frame.
    pub poses: Vec<ClipPose>,
    /// The vertical field of view in each frame.
    pub fov_y_deg: Vec<f32>,
}

/// Something rigid: an obstacle.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ClipProp {
    /// `[A-Za-z0-9_-]+`, and no body's or other prop's.
    pub name: String,
    /// In its own frame.
    pub positions: Vec<[f32; 3]>,
    pub triangles: Vec<[u32; 3]>,
    /// Red, green and blue from 0 to 1 as a screen shows them.
    pub colour: [f32; 3],
    /// One for each frame.
    pub poses: Vec<ClipPose>,
}

#[derive(Debug, Clone, PartialEq, Default)]
pub struct ClipBody {
    /// `[A-Za-z0-9_-]+`, and no other body's.
    pub name: String,
    pub vertex_count: usize,
    /// Counter-clockwise seen from outside.
    pub triangles: Vec<[u32; 3]>,
    /// Texture coordinates of each triangle's corners, v up; empty where there are none.
    pub corner_uvs: Vec<[[f32; 2]; 3]>,
    /// Red, green and blue from 0 to 1 as a screen shows them.
    pub colour: Option<[f32; 3]>,
    /// Materials that the skin came with; without, the colour is all there is.
    pub looks: Looks,
    /// Whether the clip gives normals; without, they are the smooth ones of the triangles.
    pub has_normals: bool,
    /// Tetrahedra inside, for formats of volumes.
    pub flesh: Option<ClipFlesh>,
}

#[derive(Debug, Clone, PartialEq, Default)]
pub struct ClipFlesh {
    pub point_count: usize,
    pub tets: Vec<[u32; 4]>,
}

#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    #[error("cannot write {}", path.display())]
    Write { path: PathBuf, source: io::Error },
    #[error("cannot get body {body:?} in frame {frame}")]
    Source { body: String, frame: i64, source: SourceError },
    #[error("body {body:?}, frame {frame}: vertex {vertex} is not a finite number")]
    NotFinite { body: String, frame: i64, vertex: usize },
    #[error("body {body:?}, frame {frame}: {given} points were given, it has {expected}")]
    Count { body: String, frame: i64, given: usize, expected: usize },
    #[error("this animation cannot be written: {what}")]
    Clip { what: String },
    #[error("{} would have {bytes} bytes, and programs read at most {limit} of this format: {reduce}", path.display())]
    TooLarge { path: PathBuf, bytes: u64, limit: u64, reduce: String },
    #[error("{} has no extension that is written here; it should be one of {known}", path.display())]
    UnknownExtension { path: PathBuf, known: &'static str },
}

impl ClipInfo {
    pub fn fps(&self) -> f64 {
        f64::from(self.fps.0) / f64::from(self.fps.1)
    }

    /// Seconds since the clip's first frame; from whole numbers, so that no error adds up.
    pub fn secs(&self, frame: usize) -> f64 {
        frame as f64 * f64::from(self.fps.1) / f64::from(self.fps.0)
    }

    /// The number of a frame on the timeline.
    pub fn number(&self, frame: usize) -> i64 {
        i64::from(self.first_frame) + frame as i64
    }

    /// Everything a writer relies on.
    pub fn check(&self) -> Result<(), WriteError> {
        let wrong = |what: String| Err(WriteError::Clip { what });
        if self.frame_count == 0 || self.bodies.is_empty() {
            return wrong("it has no frames, or no bodies".to_owned());
        }
        if self.fps.0 == 0 || self.fps.1 == 0 {
            return wrong(format!("{}/{} frames per second is no rate", self.fps.0, self.fps.1));
        }
        let mut names = BTreeSet::new();
        for body in &self.bodies {
            let plain = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
            if body.name.is_empty() || !body.name.chars().all(plain) || !names.insert(&body.name) {
                return wrong(format!("{:?} is no name for a body: [A-Za-z0-9_-]+, each once", body.name));
            }
            body.check()?;
        }
        Ok(())
    }
}

impl ClipBody {
    fn check(&self) -> Result<(), WriteError> {
        let wrong = |what: String| Err(WriteError::Clip { what: format!("body {:?}: {what}", self.name) });
        let count = self.vertex_count;
        if self.triangles.is_empty() || count > i32::MAX as usize || self.triangles.len() > i32::MAX as usize / 3 {
            return wrong(format!("{} triangles of {count} vertices", self.triangles.len()));
        }
        if let Some(wild) = self.triangles.iter().flatten().find(|vertex| **vertex as usize >= count) {
            return wrong(format!("a triangle names vertex {wild} of {count}"));
        }
        if !self.corner_uvs.is_empty() && self.corner_uvs.len() != self.triangles.len() {
            return wrong(format!("texture coordinates of {} triangles", self.corner_uvs.len()));
        }
        if self.corner_uvs.as_flattened().as_flattened().iter().any(|number| !number.is_finite()) {
            return wrong("texture coordinates that are not finite".to_owned());
        }
        if let Some(fault) = self.looks.fault(self.triangles.len()) {
            return wrong(fault);
        }
        let Some(flesh) = &self.flesh else { return Ok(()) };
        match flesh.tets.iter().flatten().find(|point| **point as usize >= flesh.point_count) {
            Some(wild) => wrong(format!("a tet names point {wild} of {}", flesh.point_count)),
            None => Ok(()),
        }
    }
}

/// The skin of a body in a frame, checked.
pub(crate) fn skin(clip: &mut dyn Clip, body: usize, frame: usize, out: &mut Vec<[f32; 3]>) -> Result<(), WriteError> {
    out.clear();
    let given = clip.skin(body, frame, out);
    let expected = clip.info().bodies[body].vertex_count;
    check_points(clip.info(), body, frame, out, given, expected)
}

/// The normals of a body in a frame: the clip's own, checked, or the smooth ones of `points`.
pub(crate) fn normals(
    clip: &mut dyn Clip,
    body: usize,
    frame: usize,
    points: &[[f32; 3]],
) -> Result<Vec<[f32; 3]>, WriteError> {
    let of = &clip.info().bodies[body];
    if !of.has_normals {
        return Ok(smooth_normals(points, &of.triangles));
    }
    let mut normals = Vec::new();
    let given = clip.normals(body, frame, &mut normals);
    check_points(clip.info(), body, frame, &normals, given, points.len())?;
    Ok(normals)
}

/// The flesh of a body in a frame, checked.
pub(crate) fn flesh(clip: &mut dyn Clip, body: usize, frame: usize, out: &mut Vec<[f32; 3]>) -> Result<(), WriteError> {
    out.clear();
    let given = clip.flesh(body, frame, out);
    let expected = clip.info().bodies[body].flesh.as_ref().map_or(0, |flesh| flesh.point_count);
    check_points(clip.info(), body, frame, out, given, expected)
}

fn check_points(
    info: &ClipInfo,
    body: usize,
    frame: usize,
    points: &[[f32; 3]],
    given: Result<(), SourceError>,
    expected: usize,
) -> Result<(), WriteError> {
    let (body, frame) = (info.bodies[body].name.clone(), info.number(frame));
    if let Err(source) = given {
        return Err(WriteError::Source { body, frame, source });
    }
    if points.len() != expected {
        return Err(WriteError::Count { body, frame, given: points.len(), expected });
    }
    match points.iter().position(|point| !point.iter().all(|number| number.is_finite())) {
        Some(vertex) => Err(WriteError::NotFinite { body, frame, vertex }),
        None => Ok(()),
    }
}

/// Smooth normals: area-weighted means of the triangles around each vertex (up where there are none).
pub(crate) fn smooth_normals(points: &[[f32; 3]], triangles: &[[u32; 3]]) -> Vec<[f32; 3]> {
    use sinew_math::DVec3;
    let at = |vertex: u32| DVec3::from_array(points[vertex as usize].map(f64::from));
    let mut sums = vec![DVec3::ZERO; points.len()];
    for corners in triangles {
        let [a, b, c] = corners.map(at);
        let area = (b - a).cross(c - a);
        corners.iter().for_each(|vertex| sums[*vertex as usize] += area);
    }
    sums.iter().map(|sum| sum.try_normalize().unwrap_or(DVec3::Y).to_array().map(|number| number as f32)).collect()
}

/// Smallest and largest coordinates.
pub(crate) fn bounds(points: &[[f32; 3]]) -> [[f32; 3]; 2] {
    let start = [[f32::INFINITY; 3], [f32::NEG_INFINITY; 3]];
    points.iter().fold(start, |[low, high], point| {
        let fold = |with: fn(f32, f32) -> f32, so_far: [f32; 3]| [0, 1, 2].map(|axis| with(so_far[axis], point[axis]));
        [fold(f32::min, low), fold(f32::max, high)]
    })
}
