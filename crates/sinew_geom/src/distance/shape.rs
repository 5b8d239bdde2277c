//! Shapes composed from primitives, as a tree of signed distances.
//!
//! Primitives give exact distances; unions, subtractions and intersections give bounds that never exceed the true
//! distance outside; smooth blends follow Quilez' quadratic polynomial, whose slope stays below 1 where those of both
//! parts do. So every [`Shape`] is 1-Lipschitz and `|value|` is a safe clearance: [`Shape::Stretch`], [`Shape::Ruffle`] and
//! [`Shape::Ripple`] divide by how far they pull points apart to keep that, which makes their values underestimates.

use super::Distance;
use super::primitives::{ellipsoid, plate, sweep};
use sinew_math::libm::{atan2, cos, sin};
use sinew_math::{DQuat, DVec2, DVec3, dvec2, dvec3};
use std::f64::consts::TAU;

/// A body as an expression. Lengths in metres.
#[derive(Debug, Clone, PartialEq)]
pub enum Shape {
    Sphere {
        radius: f64,
    },
    /// Corners are rounded by `round`, within the box.
    Cuboid {
        half: DVec3,
        round: f64,
    },
    /// Along y.
    Cylinder {
        radius: f64,
        half_height: f64,
        round: f64,
    },
    /// Around y.
    Torus {
        radius: f64,
        tube: f64,
    },
    Ellipsoid {
        radii: DVec3,
    },
    /// A polygon in the xy plane, given thickness along z and rounded by half of it all around.
    Plate {
        outline: Vec<DVec2>,
        thickness: f64,
    },
    /// A ball that moves along a polyline and changes its radius from point to point.
    Sweep {
        path: Vec<(DVec3, f64)>,
    },
    /// A sweep in the plane of (distance from the y axis, y), turned about the y axis.
    Revolve {
        path: Vec<(DVec2, f64)>,
    },
    Union {
        a: Box<Self>,
        b: Box<Self>,
        blend: f64,
    },
    Subtract {
        from: Box<Self>,
        cut: Box<Self>,
        blend: f64,
    },
    Intersect {
        a: Box<Self>,
        b: Box<Self>,
        blend: f64,
    },
    /// The layer within half a thickness of a shape's surface.
    Shell {
        of: Box<Self>,
        thickness: f64,
    },
    /// Grown by a distance; shrunk where it is negative.
    Grow {
        of: Box<Self>,
        by: f64,
    },
    Move {
        of: Box<Self>,
        by: DVec3,
    },
    Turn {
        of: Box<Self>,
        by: DQuat,
    },
    Scale {
        of: Box<Self>,
        by: f64,
    },
    /// Scaled by a factor of its own along each axis.
    Stretch {
        of: Box<Self>,
        by: DVec3,
    },
    /// What lies at positive x, and its mirror image.
    Mirror {
        of: Box<Self>,
    },
    /// Mirrored copies about the y axis: the sector around +x, `count` times.
    Around {
        of: Box<Self>,
        count: u32,
    },
    /// Waves about the y axis: points are lifted by up to `depth` and lowered as much, `count` times around; not at all
    /// within the first radius, in full beyond the second.
    Ruffle {
        of: Box<Self>,
        count: u32,
        depth: f64,
        radii: [f64; 2],
    },
    /// Grooves across a direction: the surface sinks by up to `depth` and swells as much, once in every `wave` metres.
    Ripple {
        of: Box<Self>,
        direction: DVec3,
        wave: f64,
        depth: f64,
    },
}

impl Shape {
    pub fn sphere(radius: f64) -> Self {
        Self::Sphere { radius }
    }

    pub fn cuboid(half: DVec3) -> Self {
        Self::Cuboid { half, round: 0.0 }
    }

    pub fn cylinder(radius: f64, half_height: f64) -> Self {
        Self::Cylinder { radius, half_height, round: 0.0 }
    }

    pub fn torus(radius: f64, tube: f64) -> Self {
        Self::Torus { radius, tube }
    }

    pub fn ellipsoid(radii: DVec3) -> Self {
        Self::Ellipsoid { radii }
    }

    pub fn plate(outline: impl Into<Vec<DVec2>>, thickness: f64) -> Self {
        Self::Plate { outline: outline.into(), thickness }
    }

    pub fn revolve(path: impl Into<Vec<(DVec2, f64)>>) -> Self {
        Self::Revolve { path: path.into() }
    }

    pub fn capsule(a: DVec3, b: DVec3, radius: f64) -> Self {
        Self::Sweep { path: vec![(a, radius), (b, radius)] }
    }

    /// Two balls and the cone that touches both.
    pub fn round_cone(a: DVec3, radius_a: f64, b: DVec3, radius_b: f64) -> Self {
        Self::Sweep { path: vec![(a, radius_a), (b, radius_b)] }
    }

    pub fn sweep(path: impl Into<Vec<(DVec3, f64)>>) -> Self {
        Self::Sweep { path: path.into() }
    }

    /// Joined, with the seam filled over about `blend`.
    pub fn union(self, other: Self, blend: f64) -> Self {
        Self::Union { a: self.into(), b: other.into(), blend }
    }

    pub fn subtract(self, cut: Self, blend: f64) -> Self {
        Self::Subtract { from: self.into(), cut: cut.into(), blend }
    }

    pub fn intersect(self, other: Self, blend: f64) -> Self {
        Self::Intersect { a: self.into(), b: other.into(), blend }
    }

    pub fn shell(self, thickness: f64) -> Self {
        Self::Shell { of: self.into(), thickness }
    }

    pub fn grow(self, by: f64) -> Self {
        Self::Grow { of: self.into(), by }
    }

    pub fn moved(self, by: DVec3) -> Self {
        Self::Move { of: self.into(), by }
    }

    pub fn turned(self, by: DQuat) -> Self {
        Self::Turn { of: self.into(), by }
    }

    pub fn scaled(self, by: f64) -> Self {
        Self::Scale { of: self.into(), by }
    }

    pub fn stretched(self, by: DVec3) -> Self {
        Self::Stretch { of: self.into(), by }
    }

    pub fn mirrored(self) -> Self {
        Self::Mirror { of: self.into() }
    }

    pub fn around(self, count: u32) -> Self {
        Self::Around { of: self.into(), count }
    }

    pub fn ruffled(self, count: u32, depth: f64, radii: [f64; 2]) -> Self {
        Self::Ruffle { of: self.into(), count, depth, radii }
    }

    pub fn rippled(self, direction: DVec3, wave: f64, depth: f64) -> Self {
        Self::Ripple { of: self.into(), direction, wave, depth }
    }
}

impl Distance for Shape {
    fn at(&self, p: DVec3) -> f64 {
        match self {
            Self::Sphere { radius } => p.length() - radius,
            Self::Cuboid { half, round } => {
                let q = p.abs() - (*half - DVec3::splat(*round));
                q.max(DVec3::ZERO).length() + q.max_element().min(0.0) - round
            }
            Self::Cylinder { radius, half_height, round } => {
                let q = dvec2(dvec2(p.x, p.z).length() - radius + round, p.y.abs() - half_height + round);
                q.max(DVec2::ZERO).length() + q.max_element().min(0.0) - round
            }
            Self::Torus { radius, tube } => dvec2(dvec2(p.x, p.z).length() - radius, p.y).length() - tube,
            Self::Ellipsoid { radii } => ellipsoid(*radii, p),
            Self::Plate { outline, thickness } => plate(outline, *thickness, p),
            Self::Sweep { path } => sweep(path, p),
            Self::Revolve { path } => sweep(path, dvec2(dvec2(p.x, p.z).length(), p.y)),
            Self::Union { a, b, blend } => smooth_min(a.at(p), b.at(p), *blend),
            Self::Subtract { from, cut, blend } => -smooth_min(-from.at(p), cut.at(p), *blend),
            Self::Intersect { a, b, blend } => -smooth_min(-a.at(p), -b.at(p), *blend),
            Self::Shell { of, thickness } => of.at(p).abs() - 0.5 * thickness,
            Self::Grow { of, by } => of.at(p) - by,
            Self::Move { of, by } => of.at(p - *by),
            Self::Turn { of, by } => of.at(by.conjugate() * p),
            Self::Scale { of, by } => of.at(p / *by) * by,
            Self::Stretch { of, by } => of.at(p / *by) * by.min_element(),
            Self::Mirror { of } => of.at(dvec3(p.x.abs(), p.y, p.z)),
            Self::Around { of, count } => of.at(in_first_sector(*count, p)),
            Self::Ruffle { of, count, depth, radii } => ruffle(of, *count, *depth, *radii, p),
            Self::Ripple { of, direction, wave, depth } => rippled(of.at(p), *direction, *wave, *depth, p),
        }
    }

    fn near(&self, centre: DVec3, radius: f64) -> Option<Box<dyn Distance + Send>> {
        Some(Box::new(self.within(centre, radius)))
    }

    fn bounds(&self) -> (DVec3, DVec3) {
        let around = |half: DVec3| (-half, half);
        let grown = |(low, high): (DVec3, DVec3), by: f64| (low - DVec3::splat(by), high + DVec3::splat(by));
        match self {
            Self::Sphere { radius } => around(DVec3::splat(*radius)),
            Self::Cuboid { half, .. } => around(*half),
            Self::Cylinder { radius, half_height, .. } => around(dvec3(*radius, *half_height, *radius)),
            Self::Torus { radius, tube } => around(dvec3(radius + tube, *tube, radius + tube)),
            Self::Ellipsoid { radii } => around(*radii),
            Self::Plate { outline, thickness } => {
                let flat = outline.iter().map(|x| x.extend(0.0));
                let (low, high) =
                    flat.fold((DVec3::INFINITY, DVec3::NEG_INFINITY), |(low, high), x| (low.min(x), high.max(x)));
                grown((low, high), 0.5 * thickness)
            }
            Self::Revolve { path } => {
                let reach = path.iter().fold(0.0f64, |reach, (x, radius)| reach.max(x.x.abs() + radius));
                let low = path.iter().fold(f64::INFINITY, |low, (x, radius)| low.min(x.y - radius));
                let high = path.iter().fold(f64::NEG_INFINITY, |high, (x, radius)| high.max(x.y + radius));
                (dvec3(-reach, low, -reach), dvec3(reach, high, reach))
            }
            Self::Sweep { path } => path.iter().fold((DVec3::INFINITY, DVec3::NEG_INFINITY), |(low, high), (x, r)| {
                (low.min(*x - DVec3::splat(*r)), high.max(*x + DVec3::splat(*r)))
            }),
            Self::Union { a, b, blend } => {
                let ((a_low, a_high), (b_low, b_high)) = (a.bounds(), b.bounds());
                grown((a_low.min(b_low), a_high.max(b_high)), 0.25 * blend)
            }
            Self::Subtract { from, .. } => from.bounds(),
            Self::Intersect { a, b, .. } => {
                let ((a_low, a_high), (b_low, b_high)) = (a.bounds(), b.bounds());
                let low = a_low.max(b_low);
                (low, a_high.min(b_high).max(low))
            }
            Self::Shell { of, thickness } => grown(of.bounds(), 0.5 * thickness),
            Self::Grow { of, by } => grown(of.bounds(), by.max(0.0)),
            Self::Move { of, by } => {
                let (low, high) = of.bounds();
                (low + *by, high + *by)
            }
            Self::Turn { of, by } => {
                let (low, high) = of.bounds();
                let corner = |n: u32| {
                    let pick = |bit: u32, low: f64, high: f64| if n >> bit & 1 == 1 { high } else { low };
                    *by * dvec3(pick(0, low.x, high.x), pick(1, low.y, high.y), pick(2, low.z, high.z))
                };
                let corners = (0..8).map(corner);
                corners.fold((DVec3::INFINITY, DVec3::NEG_INFINITY), |(low, high), x| (low.min(x), high.max(x)))
            }
            Self::Scale { of, by } => {
                let (low, high) = of.bounds();
                (low * *by, high * *by)
            }
            Self::Stretch { of, by } => {
                let (low, high) = of.bounds();
                (low * *by, high * *by)
            }
            Self::Mirror { of } => {
                let (low, high) = of.bounds();
                (dvec3(-high.x.max(0.0), low.y, low.z), dvec3(high.x.max(0.0), high.y, high.z))
            }
            Self::Around { of, .. } => {
                let (low, high) = of.bounds();
                let reach = low.abs().max(high.abs());
                let reach = dvec2(reach.x, reach.z).length();
                (dvec3(-reach, low.y, -reach), dvec3(reach, high.y, reach))
            }
            Self::Ripple { of, depth, .. } => grown(of.bounds(), depth.abs()),
            Self::Ruffle { of, depth, .. } => {
                let (low, high) = of.bounds();
                (low - depth.abs() * DVec3::Y, high + depth.abs() * DVec3::Y)
            }
        }
    }
}

/// The smaller of two values, rounded off where they differ by less than `blend`.
fn smooth_min(a: f64, b: f64, blend: f64) -> f64 {
    if blend <= 0.0 {
        return a.min(b);
    }
    let near = (blend - (a - b).abs()).max(0.0) / blend;
    a.min(b) - 0.25 * blend * near * near
}

/// The point in the sector around +x that stands for `p`: turned by whole sectors, then mirrored.
pub(super) fn in_first_sector(count: u32, p: DVec3) -> DVec3 {
    let sector = TAU / f64::from(count.max(1));
    let angle = atan2(p.z, p.x);
    let within = (angle - sector * (angle / sector).round()).abs();
    let reach = dvec2(p.x, p.z).length();
    dvec3(reach * cos(within), p.y, reach * sin(within))
}

/// Moves the point down by what the surface is lifted there. The lift climbs by up to `count·depth/radius` around and
/// `2·depth/(r1 − r0)` outwards, and a shear by s pulls points apart by at most 1 + s.
fn ruffle(of: &Shape, count: u32, depth: f64, [r0, r1]: [f64; 2], p: DVec3) -> f64 {
    of.at(flattened(count, depth, [r0, r1], p)) / ruffle_pull(count, depth, [r0, r1])
}

/// Where a point of a ruffled shape lies in the shape itself.
pub(super) fn flattened(count: u32, depth: f64, [r0, r1]: [f64; 2], p: DVec3) -> DVec3 {
    let reach = dvec2(p.x, p.z).length();
    let share = ((reach - r0) / (r1 - r0)).clamp(0.0, 1.0);
    // Smooth at both ends; its slope is at most 2.
    let eased = if share < 0.5 { 2.0 * share * share } else { 1.0 - 2.0 * (1.0 - share) * (1.0 - share) };
    let waves = f64::from(count);
    let lift = depth * eased * cos(waves * atan2(p.z, p.x));
    p - lift * DVec3::Y
}

/// How far a ruffle pulls points apart, at most.
pub(super) fn ruffle_pull(count: u32, depth: f64, [r0, r1]: [f64; 2]) -> f64 {
    1.0 + depth.abs() * dvec2(f64::from(count) / r0, 2.0 / (r1 - r0)).length()
}

/// The value of a rippled shape from that of the shape; a wave of depth d and length w climbs by up to 2πd/w.
pub(super) fn rippled(value: f64, direction: DVec3, wave: f64, depth: f64, p: DVec3) -> f64 {
    let turns = TAU / wave;
    (value + depth * cos(turns * p.dot(direction))) / (1.0 + depth.abs() * turns * direction.length())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shapes() -> Vec<Shape> {
        let arm = Shape::sweep([(DVec3::ZERO, 0.3), (dvec3(0.8, 0.2, 0.0), 0.15), (dvec3(1.0, 0.9, 0.3), 0.2)]);
        vec![
            Shape::Cuboid { half: dvec3(0.5, 0.3, 0.4), round: 0.1 },
            Shape::Cylinder { radius: 0.4, half_height: 0.6, round: 0.05 },
            Shape::torus(0.6, 0.2).turned(DQuat::from_rotation_x(0.7)),
            arm.clone(),
            arm.clone().union(Shape::sphere(0.5).moved(dvec3(-0.3, 0.1, 0.0)), 0.2),
            Shape::sphere(0.8).subtract(arm.clone(), 0.1),
            Shape::sphere(0.7).intersect(Shape::cuboid(dvec3(0.5, 0.6, 0.9)), 0.1).scaled(0.5),
            Shape::sphere(0.6).shell(0.1).stretched(dvec3(1.0, 0.5, 1.5)),
            Shape::ellipsoid(dvec3(0.9, 0.3, 0.5)),
            Shape::ellipsoid(dvec3(0.2, 1.0, 0.2)),
            wing(),
            Shape::revolve([(dvec2(0.0, 0.5), 0.2), (dvec2(0.5, 0.3), 0.15), (dvec2(0.8, -0.3), 0.05)]).ruffled(
                5,
                0.1,
                [0.4, 0.8],
            ),
            arm.clone().moved(dvec3(0.1, 0.0, 0.2)).mirrored(),
            arm.clone().around(5),
            arm.rippled(DVec3::X, 0.1, 0.01),
        ]
    }

    fn wing() -> Shape {
        Shape::plate([dvec2(0.0, 0.0), dvec2(1.2, 0.6), dvec2(0.9, 0.1), dvec2(1.0, -0.5), dvec2(0.3, -0.2)], 0.1)
    }

    #[test]
    fn values_never_change_faster_than_points_move() {
        for shape in shapes() {
            for n in 0..2000u32 {
                let at = |k: u32| f64::from((n * 7919 + k * 104_729) % 2003) / 2003.0 * 4.0 - 2.0;
                let (p, q) = (dvec3(at(0), at(1), at(2)), dvec3(at(3), at(4), at(5)));
                let q = p.lerp(q, 0.1);
                assert!((shape.at(p) - shape.at(q)).abs() <= p.distance(q) * (1.0 + 1e-9), "{shape:?} {p} {q}");
            }
        }
    }

    #[test]
    fn bodies_lie_within_their_bounds() {
        for shape in shapes() {
            let (low, high) = shape.bounds();
            for n in 0..5000u32 {
                let at = |k: u32| f64::from((n * 7919 + k * 104_729) % 2003) / 2003.0 * 4.0 - 2.0;
                let p = dvec3(at(0), at(1), at(2));
                let inside_box = p.cmpge(low).all() && p.cmple(high).all();
                assert!(inside_box || shape.at(p) > 0.0, "{shape:?} {p}");
            }
        }
    }

    /// Primitives are exact: stepping by the value along the slope ends on the surface, from both sides.
    #[test]
    fn primitives_measure_the_distance_itself() {
        let revolved = Shape::revolve([(dvec2(0.3, 0.5), 0.2), (dvec2(0.8, -0.3), 0.05)]);
        for shape in [Shape::ellipsoid(dvec3(0.9, 0.3, 0.5)), Shape::ellipsoid(dvec3(0.2, 1.0, 0.2)), wing(), revolved]
        {
            for n in 0..500u32 {
                let at = |k: u32| f64::from((n * 7919 + k * 104_729) % 2003) / 2003.0 * 4.0 - 2.0;
                let p = dvec3(at(0), at(1), at(2));
                let slope = DVec3::AXES.map(|axis| (shape.at(p + 1e-6 * axis) - shape.at(p - 1e-6 * axis)) / 2e-6);
                let slope = DVec3::from_array(slope);
                // Not where several places of the surface are equally near.
                if (slope.length() - 1.0).abs() < 1e-5 {
                    let foot = p - shape.at(p) * slope;
                    assert!(shape.at(foot).abs() < 1e-5, "{shape:?} {p}: {}", shape.at(foot));
                }
            }
        }
    }

    #[test]
    fn mirrors_and_copies_are_where_they_should_be() {
        let ball = Shape::sphere(0.2).moved(dvec3(0.7, 0.1, 0.05));
        let pair = ball.clone().mirrored();
        assert!(pair.at(dvec3(-0.7, 0.1, 0.05)) + 0.2 < 1e-12 && pair.at(DVec3::ZERO) > 0.4);
        let ring = Shape::sphere(0.2).moved(dvec3(0.7, 0.1, 0.0)).around(7);
        for n in 0..7 {
            let angle = f64::from(n) * TAU / 7.0;
            assert!((ring.at(dvec3(0.7 * cos(angle), 0.1, 0.7 * sin(angle))) + 0.2).abs() < 1e-9, "{n}");
        }
    }

    #[test]
    fn a_cone_touches_both_of_its_balls() {
        let cone = Shape::round_cone(DVec3::ZERO, 0.5, dvec3(2.0, 0.0, 0.0), 0.2);
        assert!((cone.at(dvec3(-1.0, 0.0, 0.0)) - 0.5).abs() < 1e-12);
        assert!((cone.at(dvec3(3.0, 0.0, 0.0)) - 0.8).abs() < 1e-12);
        // The tangent line leans by asin(0.15): at the first ball's touching point the distance is zero.
        let touch = 0.5 * dvec3(0.15, (1.0f64 - 0.0225).sqrt(), 0.0);
        assert!(cone.at(touch).abs() < 1e-12);
    }
}
