//! Shapes composed from primitives, as a tree of signed distances.
//!
//! Primitives give exact distances; unions, subtractions and intersections give bounds that never exceed the true
//! distance outside; smooth blends follow Quilez' quadratic polynomial, whose slope stays below 1 where those of both
//! parts do. So every [`Shape`] is 1-Lipschitz and `|value|` is a safe clearance: [`Shape::Stretch`] divides by its
//! largest factor to keep that, which makes its values underestimates.

use super::Distance;
use sinew_math::{DQuat, DVec2, DVec3, dvec2, dvec3};

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
    /// A ball that moves along a polyline and changes its radius from point to point.
    Sweep {
        path: Vec<(DVec3, f64)>,
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
            Self::Sweep { path } => sweep(path, p),
            Self::Union { a, b, blend } => smooth_min(a.at(p), b.at(p), *blend),
            Self::Subtract { from, cut, blend } => -smooth_min(-from.at(p), cut.at(p), *blend),
            Self::Intersect { a, b, blend } => -smooth_min(-a.at(p), -b.at(p), *blend),
            Self::Shell { of, thickness } => of.at(p).abs() - 0.5 * thickness,
            Self::Grow { of, by } => of.at(p) - by,
            Self::Move { of, by } => of.at(p - *by),
            Self::Turn { of, by } => of.at(by.conjugate() * p),
            Self::Scale { of, by } => of.at(p / *by) * by,
            Self::Stretch { of, by } => of.at(p / *by) * by.min_element(),
        }
    }

    fn bounds(&self) -> (DVec3, DVec3) {
        let around = |half: DVec3| (-half, half);
        let grown = |(low, high): (DVec3, DVec3), by: f64| (low - DVec3::splat(by), high + DVec3::splat(by));
        match self {
            Self::Sphere { radius } => around(DVec3::splat(*radius)),
            Self::Cuboid { half, .. } => around(*half),
            Self::Cylinder { radius, half_height, .. } => around(dvec3(*radius, *half_height, *radius)),
            Self::Torus { radius, tube } => around(dvec3(radius + tube, *tube, radius + tube)),
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

fn sweep(path: &[(DVec3, f64)], p: DVec3) -> f64 {
    match path {
        [] => f64::INFINITY,
        [(centre, radius)] => p.distance(*centre) - radius,
        _ => path.windows(2).map(|pair| round_cone(pair[0], pair[1], p)).fold(f64::INFINITY, f64::min),
    }
}

/// Exact distance to two balls and the cone that touches both, in the plane of the axis and the point.
fn round_cone((a, radius_a): (DVec3, f64), (b, radius_b): (DVec3, f64), p: DVec3) -> f64 {
    let axis = b - a;
    let length = axis.length();
    let shrink = radius_a - radius_b;
    if length <= shrink.abs() {
        // One ball holds the other.
        return if shrink > 0.0 { p.distance(a) - radius_a } else { p.distance(b) - radius_b };
    }
    let along = (p - a).dot(axis) / length;
    let out = (p - a - axis * (along / length)).length();
    // The cone's side, seen from the axis: it leans by `sine` towards the smaller ball.
    let sine = shrink / length;
    let cosine = (1.0 - sine * sine).sqrt();
    let foot = along * cosine - out * sine;
    if foot <= 0.0 {
        dvec2(along, out).length() - radius_a
    } else if foot >= length * cosine {
        dvec2(along - length, out).length() - radius_b
    } else {
        out * cosine + along * sine - radius_a
    }
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
        ]
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
