//! A made-up clip whose every point is known by a formula: a ball that tumbles and swells, and a sheet that waves.

#![allow(dead_code, reason = "not every test uses all of it")]

use sinew_io::clip::{ClipCamera, ClipPose, ClipProp, SourceError};
use sinew_io::{Clip, ClipBody, ClipFlesh, ClipInfo, Looks};
use std::path::Path;

pub(crate) struct Wobble {
    info: ClipInfo,
    ball: Vec<[f64; 3]>,
    sheet: Vec<[f64; 3]>,
}

const RINGS: usize = 12;
const SEGMENTS: usize = 16;
const SHEET: usize = 11;

impl Wobble {
    pub(crate) fn new(frame_count: usize) -> Self {
        let (ball, ball_triangles) = ball();
        let (sheet, sheet_triangles, corner_uvs) = sheet();
        let tets = ball_triangles.iter().map(|[a, b, c]| [ball.len() as u32, *a, *c, *b]).collect();
        let ball_body = ClipBody {
            name: "ball-1".into(),
            vertex_count: ball.len(),
            triangles: ball_triangles,
            corner_uvs: Vec::new(),
            colour: Some([0.9, 0.4, 0.2]),
            looks: Looks::default(),
            has_normals: false,
            flesh: Some(ClipFlesh { point_count: ball.len() + 1, tets }),
        };
        let sheet_body = ClipBody {
            name: "sheet".into(),
            vertex_count: sheet.len(),
            triangles: sheet_triangles,
            corner_uvs,
            colour: None,
            looks: Looks::default(),
            has_normals: false,
            flesh: None,
        };
        let info = ClipInfo {
            fps: (24000, 1001),
            first_frame: 1,
            frame_count,
            bodies: vec![ball_body, sheet_body],
            ..ClipInfo::default()
        };
        Self { info, ball, sheet }
    }

    /// With a box that is turned and lifted, and a camera that goes by.
    pub(crate) fn with_surroundings(mut self) -> Self {
        let frames = self.info.frame_count;
        let pose = |frame: usize| {
            let (s, c) = (0.05 * frame as f32).sin_cos();
            ClipPose { at: [0.0, 0.1 * frame as f32, 0.0], turn: [0.0, s, 0.0, c] }
        };
        let positions = vec![[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
        self.info.props = vec![ClipProp {
            name: "box".into(),
            positions,
            triangles: vec![[0, 1, 2]],
            colour: [0.5; 3],
            poses: (0..frames).map(pose).collect(),
        }];
        self.info.camera = Some(ClipCamera { poses: vec![pose(0); frames], fov_y_deg: vec![40.0; frames] });
        self
    }

    /// One body alone.
    pub(crate) fn only(mut self, body: usize) -> Self {
        self.info.bodies = vec![self.info.bodies.remove(body)];
        if body == 1 {
            self.ball = self.sheet.clone();
        }
        self
    }

    pub(crate) fn points(&self, body: usize, frame: usize) -> Vec<[f32; 3]> {
        let is_ball = self.info.bodies[body].name == "ball-1";
        let rest = if is_ball { &self.ball } else { &self.sheet };
        rest.iter().map(|x| moved(*x, frame as f64 / 24.0, is_ball).map(|number| number as f32)).collect()
    }

    /// The largest extent of the first frame.
    pub(crate) fn size(&self, body: usize) -> f64 {
        let points = self.points(body, 0);
        let extent = |axis: usize| {
            let numbers = points.iter().map(|x| f64::from(x[axis]));
            numbers.clone().fold(f64::MIN, f64::max) - numbers.fold(f64::MAX, f64::min)
        };
        extent(0).max(extent(1)).max(extent(2))
    }
}

impl Clip for Wobble {
    fn info(&self) -> &ClipInfo {
        &self.info
    }

    fn skin(&mut self, body: usize, frame: usize, out: &mut Vec<[f32; 3]>) -> Result<(), SourceError> {
        out.extend(self.points(body, frame));
        Ok(())
    }

    fn flesh(&mut self, body: usize, frame: usize, out: &mut Vec<[f32; 3]>) -> Result<(), SourceError> {
        let mut points = self.points(body, frame);
        let sum = points.iter().fold([0.0; 3], |sum: [f32; 3], x| [0, 1, 2].map(|axis| sum[axis] + x[axis]));
        points.push(sum.map(|number| number / points.len() as f32));
        out.extend(points);
        Ok(())
    }
}

/// Swelling, bending, and for the ball a tumble and a flight.
fn moved([x, y, z]: [f64; 3], t: f64, tumbles: bool) -> [f64; 3] {
    let swell = 1.0 + 0.2 * (3.0 * t).sin() * (2.0 * x + t).cos();
    let bend = 0.15 * (4.0 * x - 5.0 * t).sin() + 0.05 * (9.0 * z + 7.0 * t).cos();
    let [x, y, z] = [x * swell, y + bend, z * swell];
    if !tumbles {
        return [x, y, z];
    }
    let (s, c) = (1.7 * t).sin_cos();
    [c * x - s * y + 0.8 * t, s * x + c * y + 1.0 - 0.3 * t * t, z]
}

fn ball() -> (Vec<[f64; 3]>, Vec<[u32; 3]>) {
    let mut points = vec![[0.0, 0.5, 0.0]];
    for ring in 1..RINGS {
        let (s, c) = (std::f64::consts::PI * ring as f64 / RINGS as f64).sin_cos();
        for segment in 0..SEGMENTS {
            let (u, v) = (std::f64::consts::TAU * segment as f64 / SEGMENTS as f64).sin_cos();
            points.push([0.5 * s * v, 0.5 * c, -0.5 * s * u]);
        }
    }
    points.push([0.0, -0.5, 0.0]);
    let at = |ring: usize, segment: usize| (1 + (ring - 1) * SEGMENTS + segment % SEGMENTS) as u32;
    let last = points.len() as u32 - 1;
    let mut triangles = Vec::new();
    for segment in 0..SEGMENTS {
        triangles.push([0, at(1, segment), at(1, segment + 1)]);
        triangles.push([last, at(RINGS - 1, segment + 1), at(RINGS - 1, segment)]);
        for ring in 1..RINGS - 1 {
            let (a, b) = (at(ring, segment), at(ring, segment + 1));
            let (c, d) = (at(ring + 1, segment), at(ring + 1, segment + 1));
            triangles.extend([[a, c, d], [a, d, b]]);
        }
    }
    (points, triangles)
}

type Uvs = Vec<[[f32; 2]; 3]>;

/// With a seam in its texture down the middle.
fn sheet() -> (Vec<[f64; 3]>, Vec<[u32; 3]>, Uvs) {
    let points = (0..SHEET * SHEET).map(|i| [(i % SHEET) as f64 / 10.0, 0.0, (i / SHEET) as f64 / 10.0]).collect();
    let (mut triangles, mut uvs) = (Vec::new(), Vec::new());
    for z in 0..SHEET - 1 {
        for x in 0..SHEET - 1 {
            let at = |dx: usize, dz: usize| ((z + dz) * SHEET + x + dx) as u32;
            let side = if x < SHEET / 2 { 0.0 } else { 2.0 };
            let uv = |dx: usize, dz: usize| [(x + dx) as f32 / 10.0 + side, (z + dz) as f32 / 10.0];
            triangles.extend([[at(0, 0), at(0, 1), at(1, 1)], [at(0, 0), at(1, 1), at(1, 0)]]);
            uvs.extend([[uv(0, 0), uv(0, 1), uv(1, 1)], [uv(0, 0), uv(1, 1), uv(1, 0)]]);
        }
    }
    (points, triangles, uvs)
}

/// The largest distance between points of the same number.
pub(crate) fn largest_gap(a: &[[f32; 3]], b: &[[f32; 3]]) -> f64 {
    assert_eq!(a.len(), b.len());
    let gap = |(a, b): (&[f32; 3], &[f32; 3])| {
        (0..3).map(|axis| (f64::from(a[axis]) - f64::from(b[axis])).powi(2)).sum::<f64>().sqrt()
    };
    a.iter().zip(b).map(gap).fold(0.0, f64::max)
}

pub(crate) fn write(clip: &mut Wobble, path: &Path) -> sinew_io::Written {
    sinew_io::write_clip(clip, path, &sinew_io::WriteOptions::default()).unwrap()
}
