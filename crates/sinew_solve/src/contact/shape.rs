//! Signed distances of obstacles in their own frame, positive outside.

use super::MeshShape;
use super::tuning::CONTACT;
use sinew_math::{DVec3, dvec3};
use std::sync::Arc;

#[derive(Debug, Clone, PartialEq)]
pub enum Shape {
    /// The half space below y = 0.
    Plane,
    Sphere {
        radius_m: f64,
    },
    /// Half extents.
    Box {
        half_m: DVec3,
    },
    /// A segment along y of this half length, thickened.
    Capsule {
        half_length_m: f64,
        radius_m: f64,
    },
    /// What a mesh encloses.
    Mesh(Arc<MeshShape>),
}

impl Shape {
    /// Signed distance of `p` and its gradient (a unit vector, out of the shape).
    pub fn distance(&self, p: DVec3) -> (f64, DVec3) {
        match *self {
            Self::Plane => (p.y, DVec3::Y),
            Self::Sphere { radius_m } => from_point(p, radius_m),
            Self::Box { half_m } => box_distance(p, half_m),
            Self::Capsule { half_length_m, radius_m } => {
                from_point(p - dvec3(0.0, p.y.clamp(-half_length_m, half_length_m), 0.0), radius_m)
            }
            Self::Mesh(ref mesh) => mesh.distance(p),
        }
    }

    /// The distance alone, to the same bits.
    pub(super) fn gap_m(&self, p: DVec3) -> f64 {
        match *self {
            Self::Plane => p.y,
            Self::Sphere { radius_m } => p.length() - radius_m,
            Self::Capsule { half_length_m, radius_m } => {
                (p - dvec3(0.0, p.y.clamp(-half_length_m, half_length_m), 0.0)).length() - radius_m
            }
            Self::Box { .. } | Self::Mesh(_) => self.distance(p).0,
        }
    }
}

impl Shape {
    /// No point of it is farther from its middle than this; planes have no end.
    pub(super) fn reach_m(&self) -> f64 {
        match *self {
            Self::Plane => f64::INFINITY,
            Self::Sphere { radius_m } => radius_m,
            Self::Box { half_m } => half_m.length(),
            Self::Capsule { half_length_m, radius_m } => half_length_m + radius_m,
            Self::Mesh(ref mesh) => mesh.reach_m(),
        }
    }
}

impl Shape {
    /// Half of what it measures where it is thinnest; planes have no end.
    pub(super) fn half_thickness_m(&self) -> f64 {
        match *self {
            Self::Plane => f64::INFINITY,
            Self::Sphere { radius_m } | Self::Capsule { radius_m, .. } => radius_m,
            Self::Box { half_m } => half_m.min_element(),
            Self::Mesh(ref mesh) => mesh.half_thickness_m(),
        }
    }

    /// How deep `p` is behind the nearest side that faces a surface with the outward normal `own`, and that side's normal; of what is round, behind the side across
    /// from the surface. None where the nearest side of all is one of them.
    pub(super) fn way_out(&self, p: DVec3, own: DVec3) -> Option<(f64, DVec3)> {
        let (_, nearest) = self.distance(p);
        if nearest.dot(own) < CONTACT.obstacles.back_cosine {
            return None;
        }
        let round = |radius_m: f64, half_length_m: f64| {
            let normal = -own;
            Some((normal.dot(p) - radius_m - half_length_m * normal.y.abs(), normal))
        };
        match *self {
            Self::Plane => None,
            Self::Sphere { radius_m } => round(radius_m, 0.0),
            Self::Capsule { half_length_m, radius_m } => round(radius_m, half_length_m),
            Self::Box { half_m } => {
                let sides = [DVec3::X, DVec3::Y, DVec3::Z].into_iter().flat_map(|axis| [axis, -axis]);
                let depth = |side: DVec3| side.dot(p) - half_m.dot(side.abs());
                let facing =
                    sides.filter(|side| side.dot(own) < CONTACT.obstacles.back_cosine).map(|side| (depth(side), side));
                facing.max_by(|one, two| one.0.total_cmp(&two.0))
            }
            Self::Mesh(ref mesh) => mesh.behind(p, |side| side.dot(own) < CONTACT.obstacles.back_cosine),
        }
    }
}

fn from_point(p: DVec3, radius_m: f64) -> (f64, DVec3) {
    (p.length() - radius_m, p.try_normalize().unwrap_or(DVec3::Y))
}

fn box_distance(p: DVec3, half_m: DVec3) -> (f64, DVec3) {
    let beyond = p.abs() - half_m;
    let side = dvec3(1f64.copysign(p.x), 1f64.copysign(p.y), 1f64.copysign(p.z));
    let outside = beyond.max(DVec3::ZERO);
    if let Some(direction) = outside.try_normalize() {
        return (outside.length(), direction * side);
    }
    let depth = beyond.max_element();
    let axis = if beyond.x == depth {
        DVec3::X
    } else if beyond.y == depth {
        DVec3::Y
    } else {
        DVec3::Z
    };
    (depth, axis * side)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gradient_is_the_derivative_of_distance_and_unit() {
        let shapes = [
            Shape::Plane,
            Shape::Sphere { radius_m: 0.7 },
            Shape::Box { half_m: dvec3(0.5, 0.3, 0.8) },
            Shape::Capsule { half_length_m: 0.4, radius_m: 0.2 },
        ];
        let points = [dvec3(0.9, 0.7, -1.1), dvec3(0.2, -0.8, 0.1), dvec3(0.11, 0.17, -0.3), dvec3(-0.6, 0.1, 0.2)];
        for shape in shapes {
            for p in points {
                let (_, gradient) = shape.distance(p);
                let d = 1e-6;
                let along = |axis: DVec3| (shape.distance(p + axis * d).0 - shape.distance(p - axis * d).0) / (2.0 * d);
                let difference = dvec3(along(DVec3::X), along(DVec3::Y), along(DVec3::Z));
                assert!(gradient.distance(difference) < 1e-6, "{shape:?} at {p}: {gradient} {difference}");
            }
        }
    }

    #[test]
    fn nothing_is_beyond_its_reach() {
        let shapes = [
            Shape::Sphere { radius_m: 0.7 },
            Shape::Box { half_m: dvec3(0.5, 0.3, 0.8) },
            Shape::Capsule { half_length_m: 0.4, radius_m: 0.2 },
        ];
        for shape in shapes {
            let mut touched = false;
            for i in 0..400 {
                let (a, b) = (f64::from(i) * 0.37, f64::from(i % 20) / 10.0 - 0.95);
                let out = dvec3(a.cos() * (1.0 - b * b).sqrt(), b, a.sin() * (1.0 - b * b).sqrt());
                assert!(shape.distance(out * (shape.reach_m() + 1e-9)).0 > 0.0, "{shape:?} along {out}");
                touched |= shape.distance(out * shape.reach_m()).0 < 0.2;
            }
            assert!(touched, "{shape:?} ends far within its reach");
        }
    }
}
