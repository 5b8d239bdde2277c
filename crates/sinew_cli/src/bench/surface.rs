//! The surface that meshers, formats and pictures are measured on: a ball with bumps.

use sinew::geom::{TriangleMesh, primitive};
use sinew::math::libm::{cos, sin};

/// About `around²` triangles.
pub(crate) fn bumpy_ball(around: usize) -> TriangleMesh {
    let mut mesh = primitive::capsule(1.0, 0.0, around);
    for x in &mut mesh.positions {
        let bumps = sin(5.0 * x.x) * sin(4.0 * x.y + 1.0) * cos(6.0 * x.z);
        *x *= 1.0 + 0.15 * bumps;
    }
    mesh
}
