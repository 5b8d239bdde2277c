//! How far parts of a body's surface stay from an obstacle that does not move: what tells soonest that they cannot touch it.
//!
//! Distances grow no faster than places change, so that a ball around sixteen vertices and their ways, once measured against an obstacle, answers for
//! all of them and for most faces between them. Balls are the same for all obstacles.

use super::Obstacle;
use super::faces::MovingFace;
use crate::{BodyState, Cells, Flesh};
use sinew_math::DVec3;

/// Surface points that are looked at together first.
pub(super) const CHUNK: usize = 16;

/// Balls around parts of a surface over an interval.
pub(super) struct SweptBalls {
    /// Around the vertices of each chunk, from where they are to where they are expected: middle and radius.
    chunks: Vec<(DVec3, f64)>,
    /// Of each face: how far any place of it gets from where its first corner is expected. Empty for sheets.
    face_reach_m: Vec<f64>,
}

impl SweptBalls {
    pub(super) fn new(flesh: &Flesh, state: &BodyState, h_secs: f64) -> Self {
        let place = |&row| {
            let now = flesh.anchors.at(row, &state.x);
            (now, now + flesh.anchors.at(row, &state.v) * h_secs)
        };
        let ways: Vec<(DVec3, DVec3)> = flesh.surface_rows.iter().map(place).collect();
        let reach_m = |triangle: &[u32; 3]| {
            let [a, b, c] = triangle.map(|v| ways[v as usize]);
            MovingFace { from: [a.0, b.0, c.0], to: [a.1, b.1, c.1] }.reach_m()
        };
        let is_sheet = matches!(flesh.cells, Cells::Shell(_));
        Self {
            chunks: ways.chunks(CHUNK).map(ball).collect(),
            face_reach_m: if is_sheet { Vec::new() } else { flesh.surface_triangles.iter().map(reach_m).collect() },
        }
    }

    /// What `obstacle`, which does not move, leaves free around them. Beyond what any face needs to be clear of it by `margin_m`, a ball around it is asked only.
    pub(super) fn clearance(&self, obstacle: &Obstacle, margin_m: f64) -> Clearance<'_> {
        let enough_m = self.face_reach_m.iter().copied().fold(0.0, f64::max) + margin_m;
        let clear_m = |&(middle, radius_m): &(DVec3, f64)| {
            let around_m = obstacle.ball_distance(middle) - radius_m;
            if around_m > enough_m { around_m } else { obstacle.distance(middle).0 - radius_m }
        };
        Clearance { face_reach_m: &self.face_reach_m, clear_m: self.chunks.iter().map(clear_m).collect() }
    }
}

fn ball(way: &[(DVec3, DVec3)]) -> (DVec3, f64) {
    let middle = way[0].0;
    let reach = |reach: f64, (from, to): &(DVec3, DVec3)| {
        reach.max(from.distance_squared(middle)).max(to.distance_squared(middle))
    };
    (middle, way.iter().fold(0.0, reach).sqrt())
}

/// How far an obstacle is from parts of a surface, at least.
pub(super) struct Clearance<'a> {
    face_reach_m: &'a [f64],
    clear_m: Vec<f64>,
}

impl Clearance<'_> {
    /// Whether no vertex of a chunk comes within `margin_m`.
    pub(super) fn is_chunk_far(&self, chunk: usize, margin_m: f64) -> bool {
        self.clear_m[chunk] > margin_m
    }

    /// The same for all of a face, whose first corner is this vertex of the surface.
    pub(super) fn is_face_far(&self, face: usize, first: u32, margin_m: f64) -> bool {
        self.clear_m[first as usize / CHUNK] > self.face_reach_m[face] + margin_m
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contact::{NearObstacles, Shape};
    use crate::{Friction, Memory};
    use sinew_geom::structured::bar;
    use sinew_math::{DQuat, dvec3};

    /// A bar that falls and turns beside rods and balls at many distances touches the same with and without it.
    #[test]
    fn nothing_that_touches_is_left_out() {
        let flesh = Flesh::from_tets(bar(dvec3(0.6, 0.1, 0.1), [12, 2, 2]), 1000.0).unwrap();
        let mut state = BodyState::at_rest(&flesh, Memory::Fem { rotation: Vec::new() });
        for (x, v) in state.x.iter().zip(&mut state.v) {
            *v = dvec3(0.0, -3.0, 0.0) + dvec3(0.0, 2.0, 5.0).cross(*x);
        }
        let (size_m, h_secs, friction) = (flesh.size_m(), 0.01, Friction::default());
        let inner = flesh.inner_points();
        let near = NearObstacles {
            flesh: &flesh,
            size_m,
            keep_m: 0.0,
            inner: &inner,
            friction,
            state: &state,
            h_secs,
            gravity_m_s2: 9.81,
        };
        let (mut touched, mut skipped) = (0, 0);
        let balls = SweptBalls::new(&flesh, &state, h_secs);
        for shape in [Shape::Capsule { half_length_m: 0.2, radius_m: 0.05 }, Shape::Sphere { radius_m: 0.1 }] {
            for i in 0..200 {
                let at = dvec3(f64::from(i % 20) * 0.04 - 0.4, f64::from(i / 20) * -0.02, 0.03);
                let turn = DQuat::from_rotation_z(0.1 * f64::from(i));
                let (shape, velocity, spin) = (shape.clone(), DVec3::ZERO, DVec3::ZERO);
                let obstacle = Obstacle { shape, at, turn, velocity, spin, friction };
                let (mut all, mut some) = (Vec::new(), Vec::new());
                let clearance = balls.clearance(&obstacle, 0.02 * size_m);
                near.find_one(0, &obstacle, None, &|_| DVec3::ZERO, &mut all);
                near.find_one(0, &obstacle, Some(&clearance), &|_| DVec3::ZERO, &mut some);
                assert_eq!(all, some, "{obstacle:?}");
                touched += all.len();
                let faces = flesh.surface_triangles.iter().enumerate();
                skipped += faces.filter(|(face, corners)| clearance.is_face_far(*face, corners[0], 0.02)).count();
            }
        }
        assert!(touched > 1000 && skipped > 1000, "{touched} contacts, {skipped} faces left out");
    }
}
