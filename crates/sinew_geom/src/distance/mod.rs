//! Signed distances: how far a point is from a body's surface, negative inside.
//!
//! [`Shape`] composes primitives; [`SurfaceDistance`] measures to a triangle mesh, however dirty.

pub(crate) mod bvh;
pub(crate) mod orient;
mod path;
mod primitives;
mod prune;
mod ray;
mod shape;
mod surface;
mod winding;

pub use bvh::{Hit, TriangleTree, nearest_on_triangle};
pub use path::smooth_path;
pub use ray::RayHit;
pub use shape::Shape;
pub use surface::SurfaceDistance;

use sinew_math::DVec3;

/// A place on the surface and the direction out of the body there.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SurfaceSample {
    pub place: DVec3,
    pub outward: DVec3,
}

/// A body as its signed distance.
///
/// Values need not be exact distances away from the surface, but [`Distance::probe`] must not claim more room than there
/// is: meshing skips what it declares free of surface.
pub trait Distance: Sync {
    /// Distance to the surface, negative inside.
    fn at(&self, point: DVec3) -> f64;

    /// A box that holds the body.
    fn bounds(&self) -> (DVec3, DVec3);

    /// The value at a point, and the radius of a ball around it in which no sign changes.
    fn probe(&self, point: DVec3) -> (f64, f64) {
        let value = self.at(point);
        (value, value.abs())
    }

    /// Values at points that lie close together, in the order of a walk among them.
    fn at_each(&self, points: &[DVec3], values: &mut [f64]) {
        for (point, value) in points.iter().zip(values) {
            *value = self.at(*point);
        }
    }

    /// The same values within a ball, perhaps from less work.
    fn near(&self, _centre: DVec3, _radius: f64) -> Option<Box<dyn Distance + Send>> {
        None
    }

    /// Points known to lie on the surface, each with the number of the piece it belongs to. Meshing says which of them it
    /// could not follow.
    fn landmarks(&self) -> Vec<(DVec3, u32)> {
        Vec::new()
    }

    /// Places all over the surface, each at most `apart_m` from the next, for those who look for thin parts. None where the body does
    /// not know its surface but by its distance.
    fn surface_samples(&self, _apart_m: f64) -> Vec<SurfaceSample> {
        Vec::new()
    }
}
