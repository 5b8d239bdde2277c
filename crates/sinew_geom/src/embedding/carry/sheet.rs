//! Points on a sheet's triangles, or on the corners of anything else whose map is not smoothed.

use super::{Framed, NO_CORNER, PointFrame, Runs, cross, minus, unit};
use sinew_math::DVec3;

/// Weights of the second, third and fourth corner, and E₀ᵀ n₀.
pub(super) const NUMBERS: usize = 6;

#[derive(Debug, Clone, PartialEq)]
pub(super) struct Sheet(Runs<NUMBERS>);

/// A triangle as it is now, or the edges from a first corner to three others.
#[derive(Debug, Clone, Copy)]
struct Frame {
    origin: [f32; 3],
    edges: [[f32; 3]; 3],
    cofactors: [[f32; 3]; 3],
}

impl Sheet {
    pub(super) fn new(flesh: &[DVec3], points: impl Iterator<Item = (usize, Framed)>, normals: &[DVec3]) -> Self {
        Self(Runs::new(points.map(|(vertex, Framed { corners, weights: [a, b, c] })| {
            let normal = edges_at(corners, flesh).map(|edge| edge.dot(normals[vertex]));
            let [x, y, z] = unit(DVec3::from_array(normal));
            (corners, [a, b, c, x, y, z])
        })))
    }

    /// `near` are the flesh's places about any of its own; `origin` is the first corner's where it is wanted.
    pub(super) fn carry(
        &self,
        near: &[[f32; 3]],
        origin: impl Fn([u32; 4]) -> [f32; 3] + Sync,
        out: (&mut [[f32; 3]], &mut [[f32; 3]]),
    ) {
        self.0.carry(|corners| Frame::at(corners, near, origin(corners)), out);
    }
}

fn edges_at([a, b, c, d]: [u32; 4], flesh: &[DVec3]) -> [DVec3; 3] {
    let origin = flesh[a as usize];
    let [first, second] = [b, c].map(|corner| flesh[corner as usize] - origin);
    let third = match d {
        NO_CORNER => first.cross(second).normalize_or_zero(),
        corner => flesh[corner as usize] - origin,
    };
    [first, second, third]
}

impl Frame {
    #[inline]
    fn at([a, b, c, d]: [u32; 4], near: &[[f32; 3]], origin: [f32; 3]) -> Self {
        let first = near[a as usize];
        let (e, f) = (minus(near[b as usize], first), minus(near[c as usize], first));
        let area = cross(e, f);
        let g = match d {
            NO_CORNER => {
                let squared = area[0] * area[0] + area[1] * area[1] + area[2] * area[2];
                area.map(|part| part / squared.max(f32::MIN_POSITIVE).sqrt())
            }
            corner => minus(near[corner as usize], first),
        };
        Self { origin, edges: [e, f, g], cofactors: [cross(f, g), cross(g, e), area] }
    }
}

impl PointFrame<NUMBERS> for Frame {
    #[inline(always)]
    fn point(&self, [a, b, c, x, y, z]: [f32; NUMBERS]) -> ([f32; 3], [f32; 3]) {
        let Self { origin: o, edges: [e, f, g], cofactors: [p, q, r] } = self;
        let position = [
            o[0] + (e[0] * a + f[0] * b + g[0] * c),
            o[1] + (e[1] * a + f[1] * b + g[1] * c),
            o[2] + (e[2] * a + f[2] * b + g[2] * c),
        ];
        let n = [p[0] * x + q[0] * y + r[0] * z, p[1] * x + q[1] * y + r[1] * z, p[2] * x + q[2] * y + r[2] * z];
        (position, n)
    }
}
