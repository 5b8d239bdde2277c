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
    fn point(&self, numbers: [f32; NUMBERS]) -> ([f32; 3], [f32; 3]) {
        let lists = numbers.map(|number| [number]);
        let [position, normal] = self.points(lists.each_ref());
        (position.map(|[part]| part), normal.map(|[part]| part))
    }

    /// Spelt out by coordinates: one loop over points with all of this in it is not made wide.
    #[inline(always)]
    fn points<const N: usize>(&self, [a, b, c, i, j, k, x, y, z]: [&[f32; N]; NUMBERS]) -> [[[f32; N]; 3]; 2] {
        let Self { origin: o, places: [r, s, t], stretch: m, others: [u, v, w] } = self;
        // F̄, by columns.
        let mut f = [[[0.0; N]; 3]; 3];
        for column in 0..3 {
            for axis in 0..3 {
                let [m, u, v, w] = [m[column][axis], u[column][axis], v[column][axis], w[column][axis]];
                for n in 0..N {
                    f[column][axis][n] = m + (u * a[n] + v * b[n] + w * c[n]);
                }
            }
        }
        let [f, g, h] = f;
        let mut made = [[[0.0; N]; 3]; 2];
        for axis in 0..3 {
            let [o, r, s, t] = [o[axis], r[axis], s[axis], t[axis]];
            for n in 0..N {
                let carried = f[axis][n] * i[n] + g[axis][n] * j[n] + h[axis][n] * k[n];
                made[0][axis][n] = o + ((r * a[n] + s * b[n] + t * c[n]) + carried);
            }
        }
        // cof(F̄) n₀
        for (axis, normal) in made[1].iter_mut().enumerate() {
            let (next, last) = ((axis + 1) % 3, (axis + 2) % 3);
            for n in 0..N {
                let p = g[next][n] * h[last][n] - g[last][n] * h[next][n];
                let q = h[next][n] * f[last][n] - h[last][n] * f[next][n];
                let e = f[next][n] * g[last][n] - f[last][n] * g[next][n];
                normal[n] = p * x[n] + q * y[n] + e * z[n];
            }
        }
        made
    }
}
