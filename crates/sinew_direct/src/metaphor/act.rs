//! What a metaphor does: stretch, twist and bend as the paper has them (CM-21 to CM-26), and what makes up any other.

use super::orientation::{Growth, Orientation};
use super::region::Region;
use sinew_math::DVec3;
use sinew_math::libm::{cos, sin};

/// One region with the way that its points are pushed.
#[derive(Debug, Clone, PartialEq)]
pub struct Part {
    pub region: Region,
    pub orientation: Orientation,
}

/// The two cylinders of a stretch or twist: how near to the plane between them and how far from it they reach, and how wide they are.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Cylinders {
    pub near_m: f64,
    pub far_m: f64,
    pub radius_m: f64,
}

impl Cylinders {
    fn left(&self) -> Region {
        Region::Cylinder { from_m: -self.far_m, to_m: -self.near_m, radius_m: self.radius_m }
    }

    fn right(&self) -> Region {
        Region::Cylinder { from_m: self.near_m, to_m: self.far_m, radius_m: self.radius_m }
    }
}

/// The three spheres of a bend.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Joint {
    /// Between left and right, seen from the pivot; 180 is straight.
    pub angle_deg: f64,
    pub arm_m: f64,
    pub pivot_radius_m: f64,
    pub end_radius_m: f64,
}

/// Left and right are pulled apart along x; pressed together where the curve is negative.
pub fn stretch(cylinders: Cylinders) -> Vec<Part> {
    pulled_apart(cylinders, 1.0)
}

/// The other way round.
pub fn compress(cylinders: Cylinders) -> Vec<Part> {
    pulled_apart(cylinders, -1.0)
}

fn pulled_apart(cylinders: Cylinders, sign: f64) -> Vec<Part> {
    let part = |region, sign: f64| Part { region, orientation: Orientation::Uniform(DVec3::X * sign) };
    vec![part(cylinders.left(), -sign), part(cylinders.right(), sign)]
}

/// Left and right are turned against each other about x.
pub fn twist(cylinders: Cylinders, is_rigid: bool) -> Vec<Part> {
    let grows = if is_rigid { Growth::ByRadius } else { Growth::Even };
    let part = |region, sign: f64| Part { region, orientation: Orientation::Around { sign, grows } };
    vec![part(cylinders.left(), -1.0), part(cylinders.right(), 1.0)]
}

/// Left and right are pushed towards y across their arms, the pivot the other way with as much as both.
pub fn bend(joint: Joint) -> Vec<Part> {
    let half = 0.5 * joint.angle_deg.to_radians();
    let (wide, up) = (sin(half), cos(half));
    let end = |side: f64| Part {
        region: Region::Sphere { centre: DVec3::new(side * wide, up, 0.0) * joint.arm_m, radius_m: joint.end_radius_m },
        orientation: Orientation::Uniform(DVec3::new(-side * up, wide, 0.0)),
    };
    let pivot = Part {
        region: Region::Sphere { centre: DVec3::ZERO, radius_m: joint.pivot_radius_m },
        orientation: Orientation::Uniform(DVec3::Y * (-2.0 * wide)),
    };
    vec![end(-1.0), end(1.0), pivot]
}
