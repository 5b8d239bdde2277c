//! Points on tets and over their boundary, by the smooth map.

use super::super::{SmoothMap, Stretches};
use super::{Framed, NO_CORNER, PointFrame, Runs, minus, single, unit};
use rayon::prelude::*;
use sinew_math::DVec3;

/// Weights of the second, third and fourth corner, q and n₀.
pub(super) const NUMBERS: usize = 9;

type Columns = [[f32; 3]; 3];

#[derive(Debug, Clone, PartialEq)]
pub(super) struct Tets {
    runs: Runs<NUMBERS>,
    stretches: Stretches,
    /// X_k, about the first of them.
    rest: Vec<[f32; 3]>,
}

/// What four corners make of a point: their places and stretches, those of all but the first against it.
#[derive(Debug, Clone, Copy)]
struct Frame {
    origin: [f32; 3],
    places: [[f32; 3]; 3],
    stretch: Columns,
    others: [Columns; 3],
}

impl Tets {
    pub(super) fn new(map: &SmoothMap, points: impl Iterator<Item = (usize, Framed)>, normals: &[DVec3]) -> Self {
        let middle = map.rest.first().copied().unwrap_or_default();
        let number = |(vertex, Framed { corners, weights: [a, b, c] }): (usize, Framed)| {
            // The lever is X − ½ p, and q = X − ½ p − ½ X₀.
            let q = map.levers[vertex] - 0.5 * map.rest[corners[0] as usize];
            let ([i, j, k], [x, y, z]) = (single(q), unit(normals[vertex]));
            (corners, [a, b, c, i, j, k, x, y, z])
        };
        Self {
            runs: Runs::new(points.map(number)),
            stretches: map.stretches.clone(),
            rest: map.rest.iter().map(|x| single(*x - middle)).collect(),
        }
    }

    /// As on sheets; `stretches` is room for them.
    pub(super) fn carry(
        &self,
        near: &[[f32; 3]],
        stretches: &mut Vec<Columns>,
        origin: impl Fn([u32; 4]) -> [f32; 3] + Sync,
        out: (&mut [[f32; 3]], &mut [[f32; 3]]),
    ) {
        let stretch = |vertex: usize| self.stretches.at_single(vertex, near);
        (0..near.len()).into_par_iter().with_min_len(512).map(stretch).collect_into_vec(stretches);
        self.runs.carry(|corners| self.frame(corners, near, stretches, origin(corners)), out);
    }

    #[inline]
    fn frame(&self, corners: [u32; 4], near: &[[f32; 3]], stretches: &[Columns], origin: [f32; 3]) -> Frame {
        let first = corners[0] as usize;
        let stretch = stretches[first];
        let (mut places, mut others) = ([[0.0; 3]; 3], [[[0.0; 3]; 3]; 3]);
        for n in 0..3 {
            let corner = corners[n + 1];
            if corner == NO_CORNER {
                continue;
            }
            let (corner, half) =
                (corner as usize, minus(self.rest[corner as usize], self.rest[first]).map(|r| 0.5 * r));
            let own = stretches[corner];
            let way = minus(near[corner], near[first]);
            for i in 0..3 {
                places[n][i] = way[i] - (own[0][i] * half[0] + own[1][i] * half[1] + own[2][i] * half[2]);
                for column in 0..3 {
                    others[n][column][i] = own[column][i] - stretch[column][i];
                }
            }
        }
        Frame { origin, places, stretch, others }
    }
}

impl PointFrame<NUMBERS> for Frame {
    #[inline(always)]
    fn point(&self, [a, b, c, i, j, k, x, y, z]: [f32; NUMBERS]) -> ([f32; 3], [f32; 3]) {
        let Self { origin: o, places: [r, s, t], stretch: m, others: [u, v, w] } = self;
        // F̄, by columns.
        let f = [
            m[0][0] + (u[0][0] * a + v[0][0] * b + w[0][0] * c),
            m[0][1] + (u[0][1] * a + v[0][1] * b + w[0][1] * c),
            m[0][2] + (u[0][2] * a + v[0][2] * b + w[0][2] * c),
        ];
        let g = [
            m[1][0] + (u[1][0] * a + v[1][0] * b + w[1][0] * c),
            m[1][1] + (u[1][1] * a + v[1][1] * b + w[1][1] * c),
            m[1][2] + (u[1][2] * a + v[1][2] * b + w[1][2] * c),
        ];
        let h = [
            m[2][0] + (u[2][0] * a + v[2][0] * b + w[2][0] * c),
            m[2][1] + (u[2][1] * a + v[2][1] * b + w[2][1] * c),
            m[2][2] + (u[2][2] * a + v[2][2] * b + w[2][2] * c),
        ];
        let position = [
            o[0] + ((r[0] * a + s[0] * b + t[0] * c) + (f[0] * i + g[0] * j + h[0] * k)),
            o[1] + ((r[1] * a + s[1] * b + t[1] * c) + (f[1] * i + g[1] * j + h[1] * k)),
            o[2] + ((r[2] * a + s[2] * b + t[2] * c) + (f[2] * i + g[2] * j + h[2] * k)),
        ];
        // cof(F̄) n₀
        let p = [g[1] * h[2] - g[2] * h[1], g[2] * h[0] - g[0] * h[2], g[0] * h[1] - g[1] * h[0]];
        let q = [h[1] * f[2] - h[2] * f[1], h[2] * f[0] - h[0] * f[2], h[0] * f[1] - h[1] * f[0]];
        let e = [f[1] * g[2] - f[2] * g[1], f[2] * g[0] - f[0] * g[2], f[0] * g[1] - f[1] * g[0]];
        (position, [p[0] * x + q[0] * y + e[0] * z, p[1] * x + q[1] * y + e[1] * z, p[2] * x + q[2] * y + e[2] * z])
    }
}
