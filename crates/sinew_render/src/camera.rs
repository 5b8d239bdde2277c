//! Where the picture is taken from, and how world points land on pixels.

use crate::RenderError;
use sinew_math::libm::tan;
use sinew_math::{DVec3, dvec3};

/// A pinhole camera.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Camera {
    pub eye: DVec3,
    pub look_at: DVec3,
    pub up: DVec3,
    /// From the lower to the upper edge of the picture.
    pub fov_y_deg: f64,
}

impl Default for Camera {
    fn default() -> Self {
        Self { eye: dvec3(1.6, 1.4, 3.2), look_at: dvec3(0.0, 0.5, 0.0), up: DVec3::Y, fov_y_deg: 35.0 }
    }
}

/// The direction from the subject to a framing camera: from the front, a little to the right and above.
const FRAMING_DIRECTION: DVec3 = DVec3::new(0.42, 0.38, 1.0);
/// Share of the picture that the subject may fill, so that its shadow has room.
const FRAMING_FILL: f64 = 0.88;

impl Camera {
    /// Sees all of the box from `bounds.0` to `bounds.1` in a picture `aspect` times as wide as high.
    pub fn framing(bounds: (DVec3, DVec3), aspect: f64) -> Self {
        let (low, high) = bounds;
        let centre = 0.5 * (low + high);
        let fallback = Self::default();
        if !(centre.is_finite() && aspect.is_finite() && aspect > 0.0) {
            return fallback;
        }
        let half = (0.5 * (high - low)).max(DVec3::splat(1e-9 * centre.abs().max_element().max(1e-3)));
        let back = FRAMING_DIRECTION.normalize();
        let right = DVec3::Y.cross(back).normalize();
        let up = back.cross(right);
        let tan_y = FRAMING_FILL * tan(0.5 * fallback.fov_y_deg.to_radians());
        let tan_x = aspect * tan_y;
        // Each corner must lie inside the four planes of the view: |x| <= (distance − z) tan.
        let distance = (0..8)
            .map(|corner| {
                let sign = |bit: i32| if corner & bit == 0 { -1.0 } else { 1.0 };
                let offset = half * dvec3(sign(1), sign(2), sign(4));
                let reach = (offset.dot(right).abs() / tan_x).max(offset.dot(up).abs() / tan_y);
                reach + offset.dot(back)
            })
            .fold(0.0, f64::max);
        Self { eye: centre + back * distance, look_at: centre, up: DVec3::Y, ..fallback }
    }

    pub(crate) fn view(&self, size: [u32; 2]) -> Result<View, RenderError> {
        if !(self.eye.is_finite() && self.look_at.is_finite()) {
            return Err(RenderError::Camera("its place is not a finite number"));
        }
        if !(self.fov_y_deg > 0.0 && self.fov_y_deg < 179.0) {
            return Err(RenderError::Camera("its field of view must be above 0 and below 179 degrees"));
        }
        let distance_m = self.eye.distance(self.look_at);
        let Some(back) = (self.eye - self.look_at).try_normalize() else {
            return Err(RenderError::Camera("eye and look_at are the same point"));
        };
        // Looking along `up`, any sideways direction will do.
        let right = self.up.cross(back).try_normalize().filter(|r| r.is_finite());
        let right = right.unwrap_or_else(|| back.any_orthonormal_vector());
        let [width, height] = size.map(f64::from);
        let focal_px = 0.5 * height / tan(0.5 * self.fov_y_deg.to_radians());
        Ok(View { eye: self.eye, right, up: back.cross(right), back, focal_px, width, height, distance_m })
    }
}

/// A camera looking at a picture of a certain size.
#[derive(Debug, Clone, Copy)]
pub(crate) struct View {
    pub(crate) eye: DVec3,
    pub(crate) right: DVec3,
    pub(crate) up: DVec3,
    pub(crate) back: DVec3,
    /// Pixels per unit of slope.
    pub(crate) focal_px: f64,
    pub(crate) width: f64,
    pub(crate) height: f64,
    /// From the eye to what it looks at: the scale of the scene.
    pub(crate) distance_m: f64,
}

/// Nearer than this share of the distance to the subject nothing is shown.
const NEAR_SHARE: f64 = 1e-3;

impl View {
    /// Right, up, and forward distance from the eye.
    pub(crate) fn to_eye(self, world: DVec3) -> DVec3 {
        let offset = world - self.eye;
        dvec3(offset.dot(self.right), offset.dot(self.up), -offset.dot(self.back))
    }

    pub(crate) fn near_m(self) -> f64 {
        NEAR_SHARE * self.distance_m
    }

    /// Pixel coordinates (y down) and the reciprocal of the distance ahead, which is linear across the picture.
    pub(crate) fn project(self, in_eye: DVec3) -> DVec3 {
        let q = 1.0 / in_eye.z;
        dvec3(0.5 * self.width + self.focal_px * in_eye.x * q, 0.5 * self.height - self.focal_px * in_eye.y * q, q)
    }

    /// World direction through a point of the picture, one unit ahead long.
    pub(crate) fn ray(self, x_px: f64, y_px: f64) -> DVec3 {
        let across = (x_px - 0.5 * self.width) / self.focal_px;
        let down = (y_px - 0.5 * self.height) / self.focal_px;
        self.right * across - self.up * down - self.back
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rays_go_where_points_land() {
        let view = Camera::default().view([640, 360]).unwrap();
        let world = dvec3(0.3, 0.9, -0.4);
        let screen = view.project(view.to_eye(world));
        let back = view.eye + view.ray(screen.x, screen.y) / screen.z;
        assert!(back.distance(world) < 1e-12);
    }

    #[test]
    fn framing_shows_every_corner_and_wastes_little() {
        let sizes = [
            dvec3(1.0, 1.0, 1.0),
            dvec3(10.0, 0.1, 0.2),
            dvec3(0.0, 3.0, 0.0),
            dvec3(1e-6, 2e-6, 1e-6),
            DVec3::splat(1e6),
        ];
        for (size, aspect) in sizes.into_iter().flat_map(|size| [(size, 16.0 / 9.0), (size, 0.5)]) {
            let centre = dvec3(3.0, -2.0, 1.0) * size.max_element();
            let camera = Camera::framing((centre - 0.5 * size, centre + 0.5 * size), aspect);
            let view = camera.view([(360.0 * aspect) as u32, 360]).unwrap();
            let mut reach: f64 = 0.0;
            for corner in 0..8 {
                let sign = |bit: i32| if corner & bit == 0 { -0.5 } else { 0.5 };
                let screen = view.project(view.to_eye(centre + size * dvec3(sign(1), sign(2), sign(4))));
                let off = [(screen.x / view.width - 0.5).abs(), (screen.y / view.height - 0.5).abs()];
                reach = reach.max(2.0 * off[0].max(off[1]));
            }
            assert!((0.85..0.9).contains(&reach), "size {size} aspect {aspect}: fills {reach}");
        }
    }

    #[test]
    fn impossible_cameras_are_refused_and_straight_down_works() {
        let camera = Camera::default();
        assert!(Camera { eye: camera.look_at, ..camera }.view([8, 8]).is_err());
        assert!(Camera { fov_y_deg: 0.0, ..camera }.view([8, 8]).is_err());
        let down = Camera { eye: DVec3::Y, look_at: DVec3::ZERO, ..camera }.view([8, 8]).unwrap();
        assert!((down.project(down.to_eye(DVec3::ZERO)).x - 4.0).abs() < 1e-12);
    }
}
