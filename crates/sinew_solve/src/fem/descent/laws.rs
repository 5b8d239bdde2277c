//! What a vertex feels of one tetrahedron, one per lane.
//!
//! With G = F − I, b = −n the rest gradient of the vertex, and all divided by V μ:
//! - stable neo-Hookean (Smith, de Goes, Kim, "Stable Neo-Hookean Flesh Simulation", TOG 2018, eq. 14 with Lamé's moduli as in `law.rs`; ρ = λ'/μ):
//!   `P = G − C + d F + ρ j cof F`, d = (I − 3)/(3 (I + 1)), I − 3 = 2 tr G + |G|², cof F = I + C, C = tr G I − Gᵀ + cof G, j = det F − 1 = tr G + tr cof G + det G;
//!   matrix `(1 + d) |b|² I + 8/3 (I + 1)⁻² (Fb)(Fb)ᵀ + ρ p pᵀ`, p = cof(F) b: exact, and never negative, since det F is linear in one vertex.
//! - corotated: `P = 2 (F − R) + ρ tr(S − I) R`; matrix `2|b|² I + ρ (Rb)(Rb)ᵀ`, and what stretching adds about R, bounded from above.
//! - St.Venant–Kirchhoff: `P = F S`, `S = 2E + ρ tr(E) I`; matrix `|b·S b| I + |b|² F Fᵀ + (1 + ρ) (Fb)(Fb)ᵀ`: the absolute value keeps steps from a flattened
//!   tetrahedron short, where the negative curvature would throw the vertex far out (Chen, Liu, Yang, Yuksel drop it; compare Chen, Levin, Kaufman, Smith, Zhang:
//!   "Stabler Neo-Hookean Simulation: Absolute Eigenvalue Filtering for Projected Newton", SIGGRAPH 2024).

use super::kernel::Vertices;
use crate::shape_matching::rotation::{Turn, minus_identity, nearer, nearest};
use crate::simd::matrix::{Mat, cofactor, dot, times, trace};
use crate::simd::{Lanes, six, three};

/// Gradient and matrix of the objective in one vertex.
pub(super) struct Local<L> {
    pub(super) gradient: [L; 3],
    /// xx, yy, zz, xy, yz, zx.
    pub(super) matrix: [L; 6],
}

/// A rotation to begin from.
#[derive(Clone, Copy)]
pub(super) struct Warm<L> {
    pub(super) turn: Turn<L>,
    /// Whether a sweep of the same step has found it: one step then keeps up with what sweeps move.
    pub(super) is_near: bool,
}

pub(super) trait Law {
    /// Whether rotations are kept.
    const TURNS: bool;
    /// |b|² counts this often in what is always the same of the matrix.
    const SPREAD: f64;

    /// λ/μ as the law counts it.
    fn ratio(lame_ratio: f64) -> f64 {
        lame_ratio
    }

    /// Adds a tetrahedron of stiffness `weight`; gives its rotation back, found from `turn`.
    fn add<L: Lanes>(local: &mut Local<L>, g: &Mat<L>, n: [L; 3], weight: L, ratio: L, turn: Warm<L>) -> Turn<L>;
}

/// What is added to a vertex's matrix, as a share of its trace: steps are shorter by this times its condition, which matters only
/// where a tetrahedron is stretched or squeezed beyond all use.
const LEAST_STIFFNESS: f32 = 2.0e-6;

pub(super) struct NeoHookean;
pub(super) struct Corotated;
pub(super) struct StVenantKirchhoff;

#[inline(always)]
pub(super) fn turned_times<L: Lanes>(m: &Mat<L>, v: [L; 3]) -> [L; 3] {
    three!(J => m[0][J] * v[0] + m[1][J] * v[1] + m[2][J] * v[2])
}

impl Law for NeoHookean {
    const TURNS: bool = false;
    const SPREAD: f64 = 1.0;

    fn ratio(lame_ratio: f64) -> f64 {
        lame_ratio + 5.0 / 6.0
    }

    #[inline(always)]
    fn add<L: Lanes>(local: &mut Local<L>, g: &Mat<L>, n: [L; 3], weight: L, ratio: L, turn: Warm<L>) -> Turn<L> {
        let cof = cofactor(g);
        let (trace, det) = (trace(g), dot(g[0], cof[0]));
        let grown = trace + (cof[0][0] + cof[1][1] + cof[2][2] + det);
        let (crossed, turned) = (times(&cof, n), turned_times(g, n));
        let c = three!(I => trace * n[I] - turned[I] + crossed[I]);
        let (gn, p) = (times(g, n), three!(I => n[I] + c[I]));
        let square = three!(I => g[I][0] * g[I][0] + g[I][1] * g[I][1] + g[I][2] * g[I][2]);
        let longer = trace + trace + (square[0] + square[1] + square[2]);
        let over = L::splat(1.0) / (longer + L::splat(4.0));
        let stiffer = longer * over * L::splat(1.0 / 3.0);
        let (pressed, along) = (ratio * grown, three!(I => n[I] + gn[I]));
        local.pull(three!(I => gn[I] - c[I] + stiffer * along[I] + pressed * p[I]), weight);
        local.stiffen(dot(n, n) * stiffer * weight);
        local.stiffen_along(along, over * over * weight * L::splat(8.0 / 3.0));
        local.stiffen_along(p, weight * ratio);
        turn.turn
    }
}

impl Law for Corotated {
    const TURNS: bool = true;
    const SPREAD: f64 = 2.0;

    #[inline(always)]
    fn add<L: Lanes>(local: &mut Local<L>, g: &Mat<L>, n: [L; 3], weight: L, ratio: L, turn: Warm<L>) -> Turn<L> {
        let (one, two) = (L::splat(1.0), L::splat(2.0));
        let f =
            [[g[0][0] + one, g[0][1], g[0][2]], [g[1][0], g[1][1] + one, g[1][2]], [g[2][0], g[2][1], g[2][2] + one]];
        let twist = [g[2][1] - g[1][2], g[0][2] - g[2][0], g[1][0] - g[0][1]];
        let turn = if turn.is_near { nearer(&f, twist, turn.turn) } else { nearest(&f, twist, turn.turn) };
        let e = minus_identity(turn);
        // tr(RᵀF) − 3 from small numbers alone.
        let mixed = three!(I => e[I][0] * g[I][0] + e[I][1] * g[I][1] + e[I][2] * g[I][2]);
        let (grown, turned) = (g[0][0] + g[1][1] + g[2][2], e[0][0] + e[1][1] + e[2][2]);
        let trace = grown + turned + (mixed[0] + mixed[1] + mixed[2]);
        let (gn, en) = (times(g, n), times(&e, n));
        let along = three!(I => n[I] + en[I]);
        let pressed = ratio * trace;
        local.pull(three!(I => (gn[I] - en[I]) * two + along[I] * pressed), weight);
        local.stiffen_along(along, weight * ratio);
        // Twists stiffen by (λ tr ε − 2μ)/(sᵢ + sⱼ) in a stretched tetrahedron.
        let stiffer = pressed - two;
        let stiffer = L::select(L::splat(0.0).below(stiffer), stiffer, L::splat(0.0));
        local.stiffen(dot(n, n) * stiffer * weight);
        turn
    }
}

impl Law for StVenantKirchhoff {
    const TURNS: bool = false;
    const SPREAD: f64 = 0.0;

    #[inline(always)]
    fn add<L: Lanes>(local: &mut Local<L>, g: &Mat<L>, n: [L; 3], weight: L, ratio: L, turn: Warm<L>) -> Turn<L> {
        // 2E = G + Gᵀ + GᵀG.
        let twice = three!(I => three!(J => {
            g[I][J] + g[J][I] + (g[0][I] * g[0][J] + g[1][I] * g[1][J] + g[2][I] * g[2][J])
        }));
        let penalty = ratio * L::splat(0.5) * (twice[0][0] + twice[1][1] + twice[2][2]);
        let en = times(&twice, n);
        let s = three!(I => en[I] + penalty * n[I]);
        let (gs, gn) = (times(g, s), times(g, n));
        local.pull(three!(I => s[I] + gs[I]), weight);
        let one = L::splat(1.0);
        local.stiffen_along(three!(I => n[I] + gn[I]), weight * (one + ratio));
        local.stiffen(dot(n, s).abs() * weight);
        let f =
            [[g[0][0] + one, g[0][1], g[0][2]], [g[1][0], g[1][1] + one, g[1][2]], [g[2][0], g[2][1], g[2][2] + one]];
        let size = dot(n, n) * weight;
        let square = |i: usize, j: usize| dot(f[i], f[j]) * size;
        let [xx, yy, zz] = [square(0, 0), square(1, 1), square(2, 2)];
        let more = [xx, yy, zz, square(0, 1), square(1, 2), square(2, 0)];
        local.matrix = six!(K => local.matrix[K] + more[K]);
        turn.turn
    }
}

impl<L: Lanes> Local<L> {
    #[inline(always)]
    pub(super) fn nothing() -> Self {
        let zero = L::splat(0.0);
        Self { gradient: [zero; 3], matrix: [zero; 6] }
    }

    /// All but tetrahedra.
    #[inline(always)]
    pub(super) fn outside(vertices: &Vertices, own: [L; 3], at: usize) -> Self {
        let a = six!(K => L::load(&vertices.matrix[K], at));
        let d = three!(I => own[I] - L::load(&vertices.target[I], at));
        let push = three!(I => L::load(&vertices.push[I], at) - L::load(&vertices.pull[I], at));
        let gradient = [
            push[0] + (a[0] * d[0] + a[3] * d[1] + a[5] * d[2]),
            push[1] + (a[3] * d[0] + a[1] * d[1] + a[4] * d[2]),
            push[2] + (a[5] * d[0] + a[4] * d[1] + a[2] * d[2]),
        ];
        let mut local = Self { gradient, matrix: six!(K => a[K] + L::load(&vertices.grip[K], at)) };
        local.stiffen(L::load(&vertices.spread, at));
        local
    }

    /// Adds −`weight` P n.
    #[inline(always)]
    fn pull(&mut self, pn: [L; 3], weight: L) {
        self.gradient = three!(I => self.gradient[I] - weight * pn[I]);
    }

    #[inline(always)]
    pub(super) fn stiffen(&mut self, by: L) {
        self.matrix[0] = self.matrix[0] + by;
        self.matrix[1] = self.matrix[1] + by;
        self.matrix[2] = self.matrix[2] + by;
    }

    #[inline(always)]
    pub(super) fn stiffen_along(&mut self, p: [L; 3], by: L) {
        let q = three!(I => p[I] * by);
        let more = [q[0] * p[0], q[1] * p[1], q[2] * p[2], q[0] * p[1], q[1] * p[2], q[2] * p[0]];
        self.matrix = six!(K => self.matrix[K] + more[K]);
    }

    /// The step that leads to the minimum, by LDLᵀ; none where it is not a number, or for what is not free.
    #[inline(always)]
    pub(super) fn step(&self, free: L) -> [L; 3] {
        let ([xx, yy, zz, xy, yz, zx], g) = (self.matrix, self.gradient);
        let one = L::splat(1.0);
        // What f32 cannot tell from nothing beside the stiffest direction is no direction to run off in.
        let least = (xx + yy + zz) * L::splat(LEAST_STIFFNESS);
        let (xx, yy, zz) = (xx + least, yy + least, zz + least);
        let d0 = one / xx;
        let (l10, l20) = (xy * d0, zx * d0);
        let d1 = one / (yy - l10 * xy);
        let mixed = yz - l20 * xy;
        let l21 = mixed * d1;
        let d2 = one / (zz - l20 * zx - l21 * mixed);
        let y1 = g[1] - l10 * g[0];
        let y2 = g[2] - l20 * g[0] - l21 * y1;
        let z = y2 * d2;
        let y = y1 * d1 - l21 * z;
        let x = g[0] * d0 - l10 * y - l20 * z;
        let far = L::splat(f32::MAX);
        let finite = L::both(x.abs().below(far), L::both(y.abs().below(far), z.abs().below(far)));
        let may = L::both(finite, L::splat(0.0).below(free));
        let zero = L::splat(0.0);
        [L::select(may, x, zero), L::select(may, y, zero), L::select(may, z, zero)]
    }
}
