//! How far parts of a body's surface stay from an obstacle that does not move: what tells soonest that they cannot touch it.
//!
//! Distances grow no faster than places change, so that a ball around sixteen vertices and their ways, once measured against an obstacle, answers for
//! all of them and for most faces between them. Balls are the same for all obstacles.

use super::Obstacle;
use crate::{BodyState, Cells, Flesh, Row};
use sinew_math::DVec3;

/// Surface points that are looked at together first.
pub(super) const CHUNK: usize = 16;

/// Where a point is, and where it is expected at the interval's end.
#[derive(Debug, Clone, Copy)]
pub(super) struct Way {
    pub(super) from: DVec3,
    pub(super) to: DVec3,
}

/// A body's points over an interval.
pub(super) struct Ways {
    pub(super) surface: Vec<Way>,
    /// Points within the body that obstacles hold too.
    pub(super) inner: Vec<Way>,
    /// How far from the body's origin its surface is, and how far any point of it goes, at most.
    far_m: f64,
    gone_m: f64,
}

impl Ways {
    pub(super) fn new(flesh: &Flesh, inner: &[Row], state: &BodyState, h_secs: f64) -> Self {
        let (mut far, mut fast) = (0.0f64, 0.0f64);
        let larger = |one: f64, other: f64| if other > one { other } else { one };
        let measured = |&row: &Row| {
            let (from, v) = place(flesh, row, state);
            far = larger(far, from.distance_squared(state.origin));
            fast = larger(fast, v.length_squared());
            Way { from, to: from + v * h_secs }
        };
        let surface = flesh.surface_rows.iter().map(measured).collect();
        let way = |&row: &Row| {
            let (from, v) = place(flesh, row, state);
            Way { from, to: from + v * h_secs }
        };
        let inner = inner.iter().map(way).collect();
        Self { surface, inner, far_m: far.sqrt(), gone_m: fast.sqrt() * h_secs }
    }

    /// How far from its origin the body may be anywhere within the interval.
    pub(super) fn reach_m(&self) -> f64 {
        self.far_m + self.gone_m
    }
}

/// Where a point of some flesh is, and its velocity. What is one degree of freedom is found once, to the bits of the sum that others are.
#[inline(always)]
fn place(flesh: &Flesh, row: Row, state: &BodyState) -> (DVec3, DVec3) {
    match flesh.anchors.single(row) {
        Some(dof) => (DVec3::ZERO + state.x[dof], DVec3::ZERO + state.v[dof]),
        None => (flesh.anchors.at(row, &state.x), flesh.anchors.at(row, &state.v)),
    }
}

/// Balls around parts of a body over an interval.
pub(super) struct SweptBalls {
    /// Around the vertices of each chunk, from where they are to where they are expected: middle and radius.
    chunks: Vec<(DVec3, f64)>,
    /// The same for inner points.
    inner: Vec<(DVec3, f64)>,
    /// Of each face: no place of it gets farther than this from where its first corner is expected. Empty for sheets.
    face_reach_m: Vec<f64>,
}

impl SweptBalls {
    pub(super) fn new(flesh: &Flesh, ways: &Ways) -> Self {
        // Corners come from no farther than the farthest goes; rounding is far less than a thousandth of that or of the face.
        let gone_m = 1.001 * ways.gone_m;
        let reach_m = |triangle: &[u32; 3]| {
            let [a, b, c] = triangle.map(|v| ways.surface[v as usize].to);
            1.001 * a.distance_squared(b).max(a.distance_squared(c)).sqrt() + gone_m
        };
        let is_sheet = matches!(flesh.cells, Cells::Shell(_));
        let balls = |ways: &[Way]| ways.chunks(CHUNK).map(ball).collect();
        Self {
            chunks: balls(&ways.surface),
            inner: balls(&ways.inner),
            face_reach_m: if is_sheet { Vec::new() } else { flesh.surface_triangles.iter().map(reach_m).collect() },
        }
    }

    /// What `obstacle`, which does not move, leaves free around them. Beyond what any face needs to be clear of it by `margin_m`, a ball around it is asked only.
    pub(super) fn clearance(&self, obstacle: &Obstacle, margin_m: f64) -> Clearance<'_> {
        let enough_m = self.face_reach_m.iter().copied().fold(0.0, f64::max) + margin_m;
        let clear_m = |&(middle, radius_m): &(DVec3, f64)| {
            let around_m = obstacle.ball_distance(middle) - radius_m;
            if around_m > enough_m { around_m } else { obstacle.gap_m(middle) - radius_m }
        };
        Clearance {
            face_reach_m: &self.face_reach_m,
            clear_m: self.chunks.iter().map(clear_m).collect(),
            inner_clear_m: self.inner.iter().map(clear_m).collect(),
            enough_m,
        }
    }
}

/// About the middle of the box around them: about a vertex it would be up to twice as large.
fn ball(way: &[Way]) -> (DVec3, f64) {
    let places = || way.iter().flat_map(|way| [way.from, way.to]);
    let (low, high) =
        places().fold((DVec3::INFINITY, DVec3::NEG_INFINITY), |(low, high), place| (low.min(place), high.max(place)));
    let middle = 0.5 * (low + high);
    let larger = |square: f64, place: DVec3| square.max(place.distance_squared(middle));
    (middle, places().fold(0.0, larger).sqrt())
}

/// How far an obstacle is from parts of a surface, at least.
pub(super) struct Clearance<'a> {
    face_reach_m: &'a [f64],
    clear_m: Vec<f64>,
    inner_clear_m: Vec<f64>,
    /// With more than that no face comes near.
    enough_m: f64,
}

impl Clearance<'_> {
    /// Whether nothing of the body comes near.
    pub(super) fn is_all_far(&self) -> bool {
        self.clear_m.iter().chain(&self.inner_clear_m).all(|clear_m| *clear_m > self.enough_m)
    }

    /// Whether no vertex of a chunk comes within `margin_m`.
    pub(super) fn is_chunk_far(&self, chunk: usize, margin_m: f64) -> bool {
        self.clear_m[chunk] > margin_m
    }

    /// The same for a chunk of inner points.
    pub(super) fn is_inner_far(&self, chunk: usize, margin_m: f64) -> bool {
        self.inner_clear_m[chunk] > margin_m
    }

    /// No place of a face gets farther than this from where its first corner is expected.
    pub(super) fn face_reach_m(&self, face: usize) -> f64 {
        self.face_reach_m[face]
    }

    /// Whether all of a face stays clear, whose first corner is this vertex of the surface.
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
        let (mut touched, mut skipped, mut far) = (0, 0, 0);
        let ways = Ways::new(&flesh, &inner, &state, h_secs);
        let balls = SweptBalls::new(&flesh, &ways);
        for shape in [Shape::Capsule { half_length_m: 0.2, radius_m: 0.05 }, Shape::Sphere { radius_m: 0.1 }] {
            for i in 0..600 {
                let at = dvec3(f64::from(i % 20) * 0.04 - 0.4, f64::from(i / 20) * -0.02, 0.03);
                let turn = DQuat::from_rotation_z(0.1 * f64::from(i));
                let (shape, velocity, spin) = (shape.clone(), DVec3::ZERO, DVec3::ZERO);
                let obstacle = Obstacle { shape, at, turn, velocity, spin, friction };
                let (mut all, mut some) = (Vec::new(), Vec::new());
                let clearance = balls.clearance(&obstacle, 0.02 * size_m);
                near.find_one((0, &obstacle), &ways, None, &|_| DVec3::ZERO, &mut all);
                near.find_one((0, &obstacle), &ways, Some(&clearance), &|_| DVec3::ZERO, &mut some);
                assert_eq!(all, some, "{obstacle:?}");
                assert!(all.is_empty() || !clearance.is_all_far(), "{obstacle:?}");
                far += usize::from(clearance.is_all_far());
                touched += all.len();
                let faces = flesh.surface_triangles.iter().enumerate();
                skipped += faces.filter(|(face, corners)| clearance.is_face_far(*face, corners[0], 0.02)).count();
            }
        }
        assert!(touched > 1000 && skipped > 1000, "{touched} contacts, {skipped} faces left out");
        assert!(far > 10, "{far} obstacles far from all of it");
    }
}
