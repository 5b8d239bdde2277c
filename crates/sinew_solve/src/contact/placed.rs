//! Where a body is expected at the end of the interval, in the form that searching likes.

use super::boxes::{Bounds, LANES, PointLanes};
use super::surface::ContactSurface;
use crate::BodyState;
use crate::simd::gather::Point;
use crate::simd::{Path, compiled};
use sinew_math::{DVec3, Vec3A};

/// One body over one interval: scratch that is written anew in every step.
#[derive(Debug)]
pub(super) struct Placed {
    /// x + h v in f32 about the middle of the stage.
    pub(super) points: Vec<Vec3A>,
    /// The same as lanes read them.
    for_lanes: Vec<Point>,
    pub(super) vertices: Vec<PointLanes>,
    pub(super) vertex_boxes: Vec<Bounds>,
    /// Around chunks of a solid body's edges, with the margin and the way they may have come through another's.
    pub(super) edge_boxes: Vec<Bounds>,
    /// Around everything, without margin.
    pub(super) bounds: Bounds,
    /// How far ahead of touching its faces are of interest.
    pub(super) margin_m: f32,
    /// How far its points move among the others, at most.
    pub(super) way_m: f32,
}

/// The whole stage over one interval.
#[derive(Debug, Clone, Copy)]
pub(super) struct Prediction {
    pub(super) h_secs: f64,
    /// The middle of all bodies, and their mean velocity.
    pub(super) middle: DVec3,
    pub(super) drift: DVec3,
}

impl Prediction {
    pub(super) fn new(states: &[BodyState], h_secs: f64) -> Self {
        let count = states.len().max(1) as f64;
        let mean = |v: &[DVec3]| v.iter().sum::<DVec3>() / v.len().max(1) as f64;
        Self {
            h_secs,
            middle: states.iter().map(|state| state.origin).sum::<DVec3>() / count,
            drift: states.iter().map(|state| mean(&state.v)).sum::<DVec3>() / count,
        }
    }
}

compiled! {
    /// Where points are expected; and the square of the largest speed against the drift.
    predict = predict_in(
        at: &Prediction, x: &[DVec3], v: &[DVec3], points: &mut [Vec3A], for_lanes: &mut [Point], fastest: &mut f64)
}

#[inline(always)]
fn predict_in(
    at: &Prediction,
    x: &[DVec3],
    v: &[DVec3],
    points: &mut [Vec3A],
    for_lanes: &mut [Point],
    fastest: &mut f64,
) {
    let (Prediction { h_secs, middle, drift }, mut most) = (*at, 0.0);
    for (((point, for_lanes), x), v) in points.iter_mut().zip(for_lanes).zip(x).zip(v) {
        let p = *x + *v * h_secs - middle;
        let [x, y, z] = p.to_array().map(|at| at as f32);
        (*point, *for_lanes) = (Vec3A::new(x, y, z), Point([x, y, z, 0.0]));
        let square = (*v - drift).length_squared();
        most = if square > most { square } else { most };
    }
    *fastest = most;
}

impl Placed {
    pub(super) fn new(surface: &ContactSurface) -> Self {
        let vertex_chunks = surface.vertices.len().div_ceil(LANES);
        Self {
            points: vec![Vec3A::ZERO; surface.rest.len()],
            for_lanes: vec![Point::ZERO; surface.rest.len()],
            vertices: vec![PointLanes::NOWHERE; vertex_chunks],
            vertex_boxes: vec![Bounds::NOTHING; vertex_chunks],
            edge_boxes: Vec::new(),
            bounds: Bounds::NOTHING,
            margin_m: 0.0,
            way_m: 0.0,
        }
    }

    /// Its points as lanes read them: all that the surface names.
    #[inline(always)]
    pub(super) fn for_lanes(&self, surface: &ContactSurface) -> &[Point] {
        assert!(self.for_lanes.len() == surface.rest.len(), "another body's surface");
        &self.for_lanes
    }

    /// Half of the distance at which two such bodies are of interest to each other, where one is a sheet.
    pub(super) fn half_reach_m(&self, surface: &ContactSurface) -> f32 {
        0.5 * (self.margin_m + surface.thickness_m as f32)
    }

    /// Predicts every point and finds the boxes around chunks of vertices. The faster a body moves among the others, the
    /// farther contact may push it aside, and the earlier it must be found.
    pub(super) fn place(&mut self, path: Path, surface: &ContactSurface, state: &BodyState, at: &Prediction) {
        let mut fastest = 0.0f64;
        predict(path, at, &state.x, &state.v, &mut self.points, &mut self.for_lanes, &mut fastest);
        let way_m = fastest.sqrt() * at.h_secs;
        self.margin_m = surface.margin_m(way_m) as f32;
        self.way_m = way_m as f32;
        self.bounds = Bounds::NOTHING;
        let chunks = surface.vertices.chunks(LANES).zip(&mut self.vertices).zip(&mut self.vertex_boxes);
        for ((chunk, lanes), bounds) in chunks {
            *bounds = Bounds::NOTHING;
            for (lane, &vertex) in chunk.iter().enumerate() {
                let p = self.points[vertex as usize];
                bounds.add(p);
                for axis in 0..3 {
                    lanes.at[axis].0[lane] = p[axis];
                }
            }
            self.bounds.join(bounds);
        }
        if !surface.is_sheet {
            self.place_edges(surface);
        }
    }

    fn place_edges(&mut self, surface: &ContactSurface) {
        let Self { points, edge_boxes, .. } = self;
        let grown_m = self.margin_m + self.way_m;
        edge_boxes.clear();
        edge_boxes.extend(surface.edges.chunks(LANES).map(|chunk| {
            let mut whole = Bounds::NOTHING;
            for edge in chunk {
                edge.ends.iter().for_each(|&v| whole.add(points[v as usize]));
            }
            whole.grown(grown_m)
        }));
    }
}
