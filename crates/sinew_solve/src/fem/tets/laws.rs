//! The laws of `law.rs`, eight tetrahedra at once and divided by μ: ρ = λ/μ is what is left of the moduli.

use super::principal::{eigen, product, product_turned, turned_product};
use crate::simd::double::Doubles;
use crate::simd::matrix::{Mat, cofactor, dot, trace};
use crate::simd::three;

/// Second derivatives in the frame of the principal stretches, made positive (see `law.rs`).
pub(super) struct Curvature<D> {
    /// Stretch against stretch.
    pub(super) stretch: Mat<D>,
    /// For the pairs yz, zx, xy: of F_ij with itself, and with F_ji.
    pub(super) same: [D; 3],
    pub(super) swapped: [D; 3],
}

pub(super) trait Law {
    /// Whether energy and stress need the rotation.
    const TURNS: bool;

    /// Energy per volume.
    fn energy<D: Doubles>(f: &Mat<D>, r: &Mat<D>, ratio: D) -> D;
    /// P = ∂Ψ/∂F.
    fn stress<D: Doubles>(f: &Mat<D>, r: &Mat<D>, ratio: D) -> Mat<D>;
    /// Second derivatives at principal stretches `s`; none where the law has a shorter way.
    fn curvature<D: Doubles>(s: [D; 3], ratio: D) -> Option<Curvature<D>>;
}

pub(super) struct Corotated;
pub(super) struct StVenantKirchhoff;
pub(super) struct NeoHookean;

#[inline(always)]
fn square<D: Doubles>(m: &Mat<D>) -> D {
    dot(m[0], m[0]) + dot(m[1], m[1]) + dot(m[2], m[2])
}

impl Law for Corotated {
    const TURNS: bool = true;

    #[inline(always)]
    fn energy<D: Doubles>(f: &Mat<D>, r: &Mat<D>, ratio: D) -> D {
        let off = three!(I => three!(J => f[I][J] - r[I][J]));
        let grown = grown(f, r);
        square(&off) + D::splat(0.5) * ratio * grown * grown
    }

    #[inline(always)]
    fn stress<D: Doubles>(f: &Mat<D>, r: &Mat<D>, ratio: D) -> Mat<D> {
        let (two, pressed) = (D::splat(2.0), ratio * grown(f, r));
        three!(I => three!(J => (f[I][J] - r[I][J]) * two + r[I][J] * pressed))
    }

    #[inline(always)]
    fn curvature<D: Doubles>(_: [D; 3], _: D) -> Option<Curvature<D>> {
        None
    }
}

/// tr(RᵀF) − 3.
#[inline(always)]
fn grown<D: Doubles>(f: &Mat<D>, r: &Mat<D>) -> D {
    dot(f[0], r[0]) + dot(f[1], r[1]) + dot(f[2], r[2]) - D::splat(3.0)
}

impl Law for StVenantKirchhoff {
    const TURNS: bool = false;

    #[inline(always)]
    fn energy<D: Doubles>(f: &Mat<D>, _: &Mat<D>, ratio: D) -> D {
        let e = green(f);
        let grown = trace(&e);
        square(&e) + D::splat(0.5) * ratio * grown * grown
    }

    #[inline(always)]
    fn stress<D: Doubles>(f: &Mat<D>, _: &Mat<D>, ratio: D) -> Mat<D> {
        let e = green(f);
        let (two, pressed) = (D::splat(2.0), ratio * trace(&e));
        let mut s = three!(I => three!(J => e[I][J] * two));
        s[0][0] = s[0][0] + pressed;
        s[1][1] = s[1][1] + pressed;
        s[2][2] = s[2][2] + pressed;
        product(f, &s)
    }

    #[inline(always)]
    fn curvature<D: Doubles>(s: [D; 3], ratio: D) -> Option<Curvature<D>> {
        let (one, three) = (D::splat(1.0), D::splat(3.0));
        let spread = ratio * (D::splat(0.5) * (dot(s, s) - three)) - one;
        let mut stretch = three!(I => three!(J => ratio * s[I] * s[J]));
        stretch[0][0] = stretch[0][0] + (spread + three * s[0] * s[0]);
        stretch[1][1] = stretch[1][1] + (spread + three * s[1] * s[1]);
        stretch[2][2] = stretch[2][2] + (spread + three * s[2] * s[2]);
        let (others, more) = ([s[1], s[2], s[0]], [s[2], s[0], s[1]]);
        let even = three!(K => others[K] * others[K] + more[K] * more[K] + spread);
        let mixed = three!(K => others[K] * more[K]);
        Some(Curvature::new(stretch, three!(K => even[K] - mixed[K]), three!(K => even[K] + mixed[K])))
    }
}

/// Green's strain (FᵀF − I)/2.
#[inline(always)]
fn green<D: Doubles>(f: &Mat<D>) -> Mat<D> {
    let (half, one) = (D::splat(0.5), D::splat(1.0));
    let mut c = turned_product(f, f);
    c[0][0] = c[0][0] - one;
    c[1][1] = c[1][1] - one;
    c[2][2] = c[2][2] - one;
    three!(I => three!(J => c[I][J] * half))
}

impl NeoHookean {
    /// λ'/μ, μ'/μ and α.
    #[inline(always)]
    fn moduli<D: Doubles>(ratio: D) -> (D, D, D) {
        let one = D::splat(1.0);
        let stiff = ratio + D::splat(5.0 / 6.0);
        (stiff, D::splat(4.0 / 3.0), one + one / stiff)
    }
}

impl Law for NeoHookean {
    const TURNS: bool = false;

    #[inline(always)]
    fn energy<D: Doubles>(f: &Mat<D>, _: &Mat<D>, ratio: D) -> D {
        let (stiff, mu, alpha) = Self::moduli(ratio);
        let (half, one) = (D::splat(0.5), D::splat(1.0));
        let (j, grown) = (dot(f[0], cofactor(f)[0]), square(f) - D::splat(3.0));
        let pressed = half * stiff * (j - one) * (j + one - alpha - alpha);
        half * mu * (grown - (grown * D::splat(0.25)).log1p()) + pressed
    }

    #[inline(always)]
    fn stress<D: Doubles>(f: &Mat<D>, _: &Mat<D>, ratio: D) -> Mat<D> {
        let (stiff, mu, alpha) = Self::moduli(ratio);
        let (cof, one) = (cofactor(f), D::splat(1.0));
        let penalty = stiff * (dot(f[0], cof[0]) - alpha);
        let spread = mu * (one - one / (square(f) + one));
        three!(I => three!(J => f[I][J] * spread + penalty * cof[I][J]))
    }

    #[inline(always)]
    fn curvature<D: Doubles>(s: [D; 3], ratio: D) -> Option<Curvature<D>> {
        let (stiff, mu, alpha) = Self::moduli(ratio);
        let one = D::splat(1.0);
        let over = one / (dot(s, s) + one);
        let (spread, along) = (mu * (one - over), D::splat(2.0) * mu * over * over);
        let penalty = stiff * (s[0] * s[1] * s[2] - alpha);
        let area = [s[1] * s[2], s[2] * s[0], s[0] * s[1]];
        let mut stretch = three!(I => three!(J => stiff * area[I] * area[J] + along * s[I] * s[J]));
        stretch[0][0] = stretch[0][0] + spread;
        stretch[1][1] = stretch[1][1] + spread;
        stretch[2][2] = stretch[2][2] + spread;
        let p = three!(I => penalty * s[I]);
        let (yz, zx, xy) = (stretch[1][2] + p[0], stretch[2][0] + p[1], stretch[0][1] + p[2]);
        (stretch[1][2], stretch[2][1]) = (yz, yz);
        (stretch[2][0], stretch[0][2]) = (zx, zx);
        (stretch[0][1], stretch[1][0]) = (xy, xy);
        Some(Curvature::new(stretch, three!(I => spread + p[I]), three!(I => spread - p[I])))
    }
}

impl<D: Doubles> Curvature<D> {
    /// From twists and flips, with what is negative taken out.
    #[inline(always)]
    fn new(stretch: Mat<D>, twist: [D; 3], flip: [D; 3]) -> Self {
        let half = D::splat(0.5);
        let twist = three!(K => positive(twist[K]));
        let flip = three!(K => positive(flip[K]));
        Self {
            stretch: positive_part(&stretch),
            same: three!(K => half * (flip[K] + twist[K])),
            swapped: three!(K => half * (flip[K] - twist[K])),
        }
    }

    /// The block of gradients a and b, in the principal frame.
    #[inline(always)]
    pub(super) fn block(&self, a: [D; 3], b: [D; 3]) -> Mat<D> {
        let (s, same, [x, y, z]) = (&self.stretch, self.same, self.swapped);
        let ab = three!(I => a[I] * b[I]);
        [
            [
                s[0][0] * ab[0] + same[2] * ab[1] + same[1] * ab[2],
                s[0][1] * a[0] * b[1] + z * a[1] * b[0],
                s[0][2] * a[0] * b[2] + y * a[2] * b[0],
            ],
            [
                s[0][1] * a[1] * b[0] + z * a[0] * b[1],
                s[1][1] * ab[1] + same[2] * ab[0] + same[0] * ab[2],
                s[1][2] * a[1] * b[2] + x * a[2] * b[1],
            ],
            [
                s[0][2] * a[2] * b[0] + y * a[0] * b[2],
                s[1][2] * a[2] * b[1] + x * a[1] * b[2],
                s[2][2] * ab[2] + same[1] * ab[0] + same[0] * ab[1],
            ],
        ]
    }
}

#[inline(always)]
fn positive<D: Doubles>(value: D) -> D {
    D::select(D::splat(0.0).below(value), value, D::splat(0.0))
}

/// Where a symmetric matrix has only positive eigenvalues (Sylvester's minors).
#[inline(always)]
pub(super) fn is_positive<D: Doubles>(m: &Mat<D>) -> D::Mask {
    let zero = D::splat(0.0);
    let minor = m[0][0] * m[1][1] - m[0][1] * m[0][1];
    let det = dot(m[0], cofactor(m)[0]);
    D::both(zero.below(m[0][0]), D::both(zero.below(minor), zero.below(det)))
}

/// Symmetric matrices without their negative eigenvalues.
#[inline(always)]
fn positive_part<D: Doubles>(m: &Mat<D>) -> Mat<D> {
    let whole = is_positive(m);
    if !D::any(D::not(whole)) {
        return *m;
    }
    let (values, axes) = eigen(m);
    let part = rebuilt(three!(K => positive(values[K])), &axes);
    three!(I => three!(J => D::select(whole, m[I][J], part[I][J])))
}

/// Q diag(values) Qᵀ.
#[inline(always)]
fn rebuilt<D: Doubles>(values: [D; 3], axes: &Mat<D>) -> Mat<D> {
    let scaled = three!(I => three!(K => axes[I][K] * values[K]));
    product_turned(&scaled, axes)
}

/// Half of how the corotated twists differ from 2, as a matrix in the frame of the stretch S: 1/(sᵢ + sⱼ) belong to the inverse of
/// tr(S) I − S, which needs no eigenvectors; only where a twist is negative are they looked for.
#[inline(always)]
pub(super) fn corotated_twist<D: Doubles>(stretch: &Mat<D>, ratio: D) -> Mat<D> {
    let (zero, one, two) = (D::splat(0.0), D::splat(1.0), D::splat(2.0));
    let trace = trace(stretch);
    let softening = two - ratio * (trace - D::splat(3.0));
    let mut sums = three!(I => three!(J => -stretch[I][J]));
    let least = D::splat(1e-9);
    let least = D::select(least.below(softening), softening, least);
    let mut spare = sums;
    (sums[0][0], spare[0][0]) = (sums[0][0] + trace, sums[0][0] + (trace - least));
    (sums[1][1], spare[1][1]) = (sums[1][1] + trace, sums[1][1] + (trace - least));
    (sums[2][2], spare[2][2]) = (sums[2][2] + trace, sums[2][2] + (trace - least));
    let exact = is_positive(&spare);
    let cof = cofactor(&sums);
    let scale = -softening / D::select(exact, dot(sums[0], cof[0]), one);
    let twist = three!(I => three!(J => cof[I][J] * scale));
    if !D::any(D::not(exact)) {
        return twist;
    }
    let (s, axes) = eigen(stretch);
    let sums = [s[1] + s[2], s[2] + s[0], s[0] + s[1]];
    let clamped = three!(K => {
        // Where two stretches cancel the rotation is not unique and the twist has no stiffness of its own.
        let is_sum = D::splat(1e-9).below(sums[K]);
        let twist = two - softening * two / D::select(is_sum, sums[K], one);
        let twist = D::select(D::both(is_sum, zero.below(twist)), twist, zero);
        (twist - two) * D::splat(0.5)
    });
    let clamped = rebuilt(clamped, &axes);
    three!(I => three!(J => D::select(exact, twist[I][J], clamped[I][J])))
}
