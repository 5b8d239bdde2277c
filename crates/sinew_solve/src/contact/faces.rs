//! Corners, edges and round sides of obstacles against faces of bodies, which the bodies' vertices do not see: a body that falls on the rim of a plate
//! or on a spike between its vertices would be run through.
//!
//! For each face of a body, the part of the obstacle above or below it (within the prism over the face) is held against the face's plane. The
//! place that lies deepest behind it must come out again through that face, along its normal. Only what was before the face when the interval began counts, so that no
//! side is guessed; contact in every step keeps it so. The face is held by its three corners, each of which may move no
//! farther than its place above the obstacle: more than is needed, and no solver has to know.

use super::clearance::{Clearance, Ways};
use super::tuning::CONTACT;
use super::{NearObstacles, Obstacle, Shape};
use crate::Cells;
use sinew_math::{DVec3, dvec3};

/// A face over an interval: its corners when it begins and where they are expected, seen from the obstacle's frame at its end.
#[derive(Debug, Clone, Copy)]
pub(super) struct MovingFace {
    pub(super) from: [DVec3; 3],
    pub(super) to: [DVec3; 3],
}

/// A face that an obstacle meets between its corners.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct FaceHit {
    /// Out of the obstacle.
    pub(super) normal: DVec3,
    pub(super) gap_m: f64,
    pub(super) weights: [f64; 3],
}

impl Obstacle {
    /// Where the obstacle meets a face between its corners, within `margin_m`; `was_inside_m` is how deep behind the face it may have been when the interval began.
    pub(super) fn meets_face(&self, face: &MovingFace, margin_m: f64, was_inside_m: f64) -> Option<FaceHit> {
        let back = self.turn.inverse();
        let local = |corners: [DVec3; 3]| Prism::new(corners.map(|x| back * (x - self.at)));
        let (will, radius_m) = (local(face.to)?, self.shape.radius_m());
        // Most faces are out before anything is asked of where they were.
        if let Some(axis) = self.shape.axis() {
            let over = will.clip(axis)?;
            if over.iter().all(|q| will.height(*q) - radius_m > margin_m) {
                return None;
            }
        }
        let was = local(face.from)?;
        // What was farther off than the face moves has not come through it: a face that turns over within a step has what was before it behind it, however far.
        let travel_m = was.corners.iter().zip(&will.corners).map(|(from, to)| from.distance(*to)).fold(0.0, f64::max);
        let middle = was.corners.iter().sum::<DVec3>() / 3.0;
        let round_m = was.corners.iter().map(|x| x.distance(middle)).fold(0.0, f64::max);
        let reach_m = travel_m + round_m + radius_m + margin_m;
        let came_through = |q: DVec3| was.height(q) - radius_m >= -was_inside_m && q.distance(middle) <= reach_m;
        // What came through the face is where the face came along.
        let corners = || was.corners.iter().chain(&will.corners);
        let low = corners().fold(DVec3::INFINITY, |low, x| low.min(*x)) - margin_m;
        let high = corners().fold(DVec3::NEG_INFINITY, |high, x| high.max(*x)) + margin_m;
        let q = self.shape.deepest_behind(&will, [low, high], came_through)?;
        let gap_m = will.height(q) - radius_m;
        if gap_m > margin_m {
            return None;
        }
        let weights = will.weights(q);
        Some(FaceHit { normal: self.turn * -will.normal, gap_m, weights })
    }
}

/// The space above and below a face.
struct Prism {
    corners: [DVec3; 3],
    normal: DVec3,
    /// Into the prism, from each of its sides.
    sides: [DVec3; 3],
}

impl Prism {
    fn new(corners: [DVec3; 3]) -> Option<Self> {
        let [a, b, c] = corners;
        let normal = (b - a).cross(c - a).try_normalize()?;
        let sides = [(b - a), (c - b), (a - c)].map(|edge| normal.cross(edge));
        Some(Self { corners, normal, sides })
    }

    /// Over the face, below 0 behind it.
    fn height(&self, q: DVec3) -> f64 {
        self.normal.dot(q - self.corners[0])
    }

    /// Barycentric.
    fn weights(&self, q: DVec3) -> [f64; 3] {
        let area = |side: usize| self.sides[side].dot(q - self.corners[side]).max(0.0);
        let of = [area(1), area(2), area(0)];
        let sum: f64 = of.iter().sum();
        if sum > 0.0 { of.map(|w| w / sum) } else { [1.0 / 3.0; 3] }
    }

    /// The part of a segment within the prism.
    fn clip(&self, [p, q]: [DVec3; 2]) -> Option<[DVec3; 2]> {
        let (mut first, mut last) = (0.0f64, 1.0f64);
        for (side, corner) in self.sides.iter().zip(self.corners) {
            let (at, along) = (side.dot(p - corner), side.dot(q - p));
            if along == 0.0 {
                if at < 0.0 {
                    return None;
                }
            } else if along > 0.0 {
                first = first.max(-at / along);
            } else {
                last = last.min(-at / along);
            }
        }
        (first <= last).then(|| [p + (q - p) * first, p + (q - p) * last])
    }
}

impl Shape {
    /// What is around its edges or its axis.
    fn radius_m(&self) -> f64 {
        match *self {
            Self::Plane | Self::Box { .. } | Self::Mesh(_) => 0.0,
            Self::Sphere { radius_m } | Self::Capsule { radius_m, .. } => radius_m,
        }
    }

    /// What is round is so around this, and has no edges.
    fn axis(&self) -> Option<[DVec3; 2]> {
        match *self {
            Self::Plane | Self::Box { .. } | Self::Mesh(_) => None,
            Self::Sphere { .. } => Some([DVec3::ZERO; 2]),
            Self::Capsule { half_length_m, .. } => {
                Some([dvec3(0.0, -half_length_m, 0.0), dvec3(0.0, half_length_m, 0.0)])
            }
        }
    }

    /// The place on its edges or its axis, within a prism, that lies deepest behind the face; of those that `count`. Edges of
    /// meshes are looked for from `low` to `high` only.
    fn deepest_behind(&self, prism: &Prism, [low, high]: [DVec3; 2], count: impl Fn(DVec3) -> bool) -> Option<DVec3> {
        let mut deepest: Option<DVec3> = None;
        let look = |segment: [DVec3; 2]| {
            for q in prism.clip(segment).into_iter().flatten().filter(|q| count(*q)) {
                if deepest.is_none_or(|best| prism.height(q) < prism.height(best)) {
                    deepest = Some(q);
                }
            }
        };
        match *self {
            Self::Plane => {}
            Self::Sphere { .. } | Self::Capsule { .. } => self.axis().into_iter().for_each(look),
            Self::Box { half_m } => box_edges(half_m).for_each(look),
            Self::Mesh(ref mesh) => mesh.edges_in(low, high, look),
        }
        deepest
    }
}

/// The twelve edges of a box.
fn box_edges(half_m: DVec3) -> impl Iterator<Item = [DVec3; 2]> {
    let signs = [[-1.0, -1.0], [-1.0, 1.0], [1.0, -1.0], [1.0, 1.0]];
    (0..3).flat_map(move |axis| {
        signs.into_iter().map(move |[s, t]| {
            let ends = [-1.0, 1.0].map(|r| match axis {
                0 => dvec3(r, s, t),
                1 => dvec3(s, r, t),
                _ => dvec3(s, t, r),
            });
            ends.map(|end| end * half_m)
        })
    })
}

impl NearObstacles<'_> {
    /// Faces of the body that an obstacle meets between their corners; contacts of those corners.
    pub(super) fn find_faces(
        &self,
        obstacle: &Obstacle,
        ways: &Ways,
        clearance: Option<&Clearance<'_>>,
        margin_m: f64,
        mut held: impl FnMut(usize, DVec3, &FaceHit),
    ) {
        let Self { flesh, h_secs, size_m, .. } = *self;
        if matches!(flesh.cells, Cells::Shell(_)) || matches!(obstacle.shape, Shape::Plane) {
            return;
        }
        let still = obstacle.is_still();
        let place = |v: u32| {
            let way = ways.surface[v as usize];
            let from = if still { way.from } else { way.from + obstacle.velocity_at(way.from) * h_secs };
            (from, way.to)
        };
        let radius_m = obstacle.shape.radius_m();
        let most_m = if radius_m > 0.0 { CONTACT.faces.inside_at_start_round * radius_m } else { f64::INFINITY };
        let was_inside_m = (CONTACT.faces.inside_at_start * size_m).min(most_m);
        // Faces share corners: gaps are found once, where they are wanted.
        let mut gaps_m = vec![f64::NAN; ways.surface.len()];
        for (number, triangle) in flesh.surface_triangles.iter().enumerate() {
            if clearance.is_some_and(|clearance| clearance.is_face_far(number, triangle[0], margin_m)) {
                continue;
            }
            let face = || {
                let [a, b, c] = triangle.map(place);
                MovingFace { from: [a.0, b.0, c.0], to: [a.1, b.1, c.1] }
            };
            let reach_m = clearance.map_or_else(|| face().reach_m(), |clearance| clearance.face_reach_m(number));
            let corner = ways.surface[triangle[0] as usize].to;
            if obstacle.is_outside_ball(corner, reach_m + margin_m) {
                continue;
            }
            let gap_m = &mut gaps_m[triangle[0] as usize];
            if gap_m.is_nan() {
                *gap_m = obstacle.gap_m(corner);
            }
            if *gap_m > reach_m + margin_m {
                continue;
            }
            let face = face();
            let Some(hit) = obstacle.meets_face(&face, margin_m, was_inside_m) else { continue };
            let of_corners = face.to.iter().map(|x| obstacle.gap_m(*x)).fold(f64::INFINITY, f64::min);
            if hit.gap_m > of_corners - CONTACT.faces.min_rise * size_m {
                continue;
            }
            for (corner, &v) in
                triangle.iter().enumerate().filter(|(corner, _)| hit.weights[*corner] > CONTACT.faces.min_weight)
            {
                held(v as usize, face.to[corner], &hit);
            }
        }
    }
}

impl MovingFace {
    /// No point of it is farther from the first corner's end than this on its way.
    pub(super) fn reach_m(&self) -> f64 {
        self.from.iter().chain(&self.to).map(|x| x.distance_squared(self.to[0])).fold(0.0, f64::max).sqrt()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Friction;
    use sinew_math::DQuat;

    fn obstacle(shape: Shape) -> Obstacle {
        let (at, zero) = (DVec3::ZERO, DVec3::ZERO);
        Obstacle { shape, at, turn: DQuat::IDENTITY, velocity: zero, spin: zero, friction: Friction::default() }
    }

    /// A face that looks down and falls from 0.5 to −0.3.
    fn falling() -> MovingFace {
        let at = |y: f64| [dvec3(-1.0, y, -1.0), dvec3(1.0, y, -1.0), dvec3(0.0, y, 1.0)];
        MovingFace { from: at(0.5), to: at(-0.3) }
    }

    #[test]
    fn the_rim_of_a_plate_holds_a_face_up() {
        let plate = obstacle(Shape::Box { half_m: dvec3(0.005, 0.2, 5.0) });
        let hit = plate.meets_face(&falling(), 0.0, 0.01).unwrap();
        assert!(hit.normal.distance(DVec3::Y) < 1e-12 && (hit.gap_m + 0.5).abs() < 1e-12, "{hit:?}");
    }

    #[test]
    fn balls_and_rods_hold_it_too() {
        for shape in [Shape::Sphere { radius_m: 0.2 }, Shape::Capsule { half_length_m: 0.1, radius_m: 0.1 }] {
            let hit = obstacle(shape.clone()).meets_face(&falling(), 0.0, 0.01).unwrap();
            assert!(hit.normal.distance(DVec3::Y) < 1e-12 && (hit.gap_m + 0.5).abs() < 1e-12, "{shape:?} {hit:?}");
        }
    }

    #[test]
    fn what_was_behind_a_face_did_not_come_through_it() {
        let plate = obstacle(Shape::Box { half_m: dvec3(0.005, 0.2, 5.0) });
        let MovingFace { from, to } = falling();
        let rising = MovingFace { from: to, to: from };
        assert_eq!(plate.meets_face(&rising, 0.0, 0.01), None);
    }
}
