//! Triangles on the picture: projected, cut at the near plane, sorted into tiles.

use crate::camera::View;
use crate::frame::Frame;
use crate::lines::Ink;
use sinew_math::DVec3;

/// A triangle on the picture.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Primitive {
    /// x and y in pixels, and the reciprocal of the distance ahead.
    pub(crate) corners: [DVec3; 3],
    pub(crate) source: Source,
}

/// What a primitive shows.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Source {
    Triangle { mesh: u32, triangle: u32 },
    Ink(Ink),
}

/// All triangles that may be seen; those cut by the near plane become one or two.
pub(crate) fn triangles(frame: &Frame, view: &View) -> Vec<Primitive> {
    let mut primitives = Vec::with_capacity(frame.meshes.iter().map(|mesh| mesh.triangles.len()).sum());
    for (index, mesh) in frame.meshes.iter().enumerate() {
        let in_eye: Vec<DVec3> = mesh.positions.iter().map(|x| view.to_eye(*x)).collect();
        for (t, corners) in mesh.triangles.iter().enumerate() {
            let source = Source::Triangle { mesh: index as u32, triangle: t as u32 };
            push_clipped(&mut primitives, view, corners.map(|v| in_eye[v as usize]), source);
        }
    }
    primitives
}

fn push_clipped(primitives: &mut Vec<Primitive>, view: &View, in_eye: [DVec3; 3], source: Source) {
    let near = view.near_m();
    let mut push = |corners: [DVec3; 3]| {
        let corners = corners.map(|corner| view.project(corner));
        if touches_picture(view, &corners) {
            primitives.push(Primitive { corners, source });
        }
    };
    if in_eye.iter().all(|corner| corner.z >= near) {
        push(in_eye);
        return;
    }
    let mut kept = [DVec3::ZERO; 4];
    let mut count = 0;
    for i in 0..3 {
        let (from, to) = (in_eye[i], in_eye[(i + 1) % 3]);
        if from.z >= near {
            kept[count] = from;
            count += 1;
        }
        if (from.z >= near) != (to.z >= near) {
            kept[count] = from + (to - from) * ((near - from.z) / (to.z - from.z));
            kept[count].z = near;
            count += 1;
        }
    }
    if count >= 3 {
        push([kept[0], kept[1], kept[2]]);
    }
    if count == 4 {
        push([kept[0], kept[2], kept[3]]);
    }
}

pub(crate) fn touches_picture(view: &View, corners: &[DVec3; 3]) -> bool {
    let [low, high] = extent(corners);
    high.x >= 0.0 && high.y >= 0.0 && low.x <= view.width && low.y <= view.height
}

fn extent(corners: &[DVec3; 3]) -> [DVec3; 2] {
    let [a, b, c] = corners;
    [a.min(*b).min(*c), a.max(*b).max(*c)]
}

/// Which primitives touch which tile, in the order of the primitives.
pub(crate) struct Bins {
    pub(crate) columns: u32,
    pub(crate) rows: u32,
    starts: Vec<usize>,
    items: Vec<u32>,
}

impl Bins {
    pub(crate) fn new(primitives: &[Primitive], size: [u32; 2], tile_px: u32) -> Self {
        let [columns, rows] = size.map(|side| side.div_ceil(tile_px));
        let mut bins = Self { columns, rows, starts: vec![0; (columns * rows) as usize + 1], items: Vec::new() };
        for primitive in primitives {
            bins.touched(primitive, tile_px).for_each_tile(columns, |tile| bins.starts[tile + 1] += 1);
        }
        for i in 1..bins.starts.len() {
            bins.starts[i] += bins.starts[i - 1];
        }
        let mut next = bins.starts.clone();
        bins.items = vec![0; bins.starts[bins.starts.len() - 1]];
        for (index, primitive) in primitives.iter().enumerate() {
            let touched = bins.touched(primitive, tile_px);
            touched.for_each_tile(columns, |tile| {
                bins.items[next[tile]] = index as u32;
                next[tile] += 1;
            });
        }
        bins
    }

    pub(crate) fn tile(&self, column: u32, row: u32) -> &[u32] {
        let tile = (row * self.columns + column) as usize;
        &self.items[self.starts[tile]..self.starts[tile + 1]]
    }

    fn touched(&self, primitive: &Primitive, tile_px: u32) -> Touched {
        let [low, high] = extent(&primitive.corners);
        // Casting saturates, so far-off corners land on the border tiles.
        let tile = |px: f64, count: u32| ((px.max(0.0) / f64::from(tile_px)) as u32).min(count - 1);
        Touched {
            columns: [tile(low.x, self.columns), tile(high.x, self.columns)],
            rows: [tile(low.y, self.rows), tile(high.y, self.rows)],
        }
    }
}

/// First and last column and row.
struct Touched {
    columns: [u32; 2],
    rows: [u32; 2],
}

impl Touched {
    fn for_each_tile(&self, columns: u32, mut visit: impl FnMut(usize)) {
        for row in self.rows[0]..=self.rows[1] {
            for column in self.columns[0]..=self.columns[1] {
                visit((row * columns + column) as usize);
            }
        }
    }
}
