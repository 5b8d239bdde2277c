//! One linear tetrahedron: strain measured from the asked rest shape, corotated energy, its derivatives.
//!
//! With ε = S − I and F = R S: `Ψ = μ ε:ε + λ/2 (tr ε)²`, `P = 2μ (F − R) + λ tr(S − I) R` (fixed corotation: the
//! energy form of Müller and Gross, "Interactive Virtual Materials", GI 2004, that DA-4 asks for). Its Hessian has
//! eigenvalue 2μ everywhere but along R (2μ + 3λ) and along the three twists `R [q]×/√2`, q the eigenvectors of S, where it is
//! `2μ − (2μ − λ tr ε)·2/(sᵢ + sⱼ)`: clamped at 0 this is the projected Hessian (Smith, de Goes, Kim, "Analytic
//! Eigensystems for Isotropic Distortion Energies", TOG 2019).
//!
//! Contraction: `W = V_o det T Ψ(F_o T'⁻¹)`, F_o measured from the rest positions o(t), T' = R_o T R_oᵀ turned with the flesh.

use crate::material::with_poisson_shifted;
use crate::{Cues, Flesh};
use sinew_math::rotation::{nearest_rotation, nearest_rotation_from, outer};
use sinew_math::{DMat3, DQuat, DVec3, Sym3};

/// Rotation updates per evaluation: warm-started ones settle in two or three.
const ROTATION_UPDATES: usize = 60;

/// What an element is measured against during one interval.
#[derive(Debug, Clone, Copy)]
pub(super) struct RestElement {
    /// Gradients b of the shape functions in the contracted rest shape: F = Σ x_a b_aᵀ.
    pub gradient: [DVec3; 4],
    pub volume_m3: f64,
    pub lambda_pa: f64,
    pub mu_pa: f64,
}

impl RestElement {
    /// The element's rest shape under `cues`; `None` where the asked rest shape is inverted or flat.
    pub(super) fn asked(flesh: &Flesh, corners: [u32; 4], cues: &Cues, lame: (f64, f64)) -> Option<Self> {
        let corners = corners.map(|v| v as usize);
        let edges = |x: [DVec3; 4]| DMat3::from_cols(x[1] - x[0], x[2] - x[0], x[3] - x[0]);
        let rest_edges = edges(corners.map(|v| cues.rest(flesh, v)));
        let volume_o = rest_edges.determinant() / 6.0;
        if volume_o.is_nan() || volume_o <= 0.0 {
            return None;
        }
        let mut from_now = rest_edges.inverse();
        let mut volume_m3 = volume_o;
        if !cues.log_stretch.is_empty() {
            let mut log = corners.iter().fold(Sym3::ZERO, |sum, &v| sum + cues.log_stretch[v]) * 0.25;
            if !cues.rest_offset.is_empty() {
                let own_edges = edges(corners.map(|v| flesh.rest[v]));
                log = log.turned(DMat3::from_quat(nearest_rotation(rest_edges * own_edges.inverse())));
            }
            from_now *= (log * -1.0).exp().to_mat();
            volume_m3 *= sinew_math::libm::exp(log.trace());
        }
        let rows = from_now.transpose();
        let gradient = [-(rows.x_axis + rows.y_axis + rows.z_axis), rows.x_axis, rows.y_axis, rows.z_axis];
        let scale =
            if cues.stiffness.is_empty() { 1.0 } else { corners.iter().map(|&v| cues.stiffness[v]).sum::<f64>() / 4.0 };
        let lame = if cues.poisson.is_empty() {
            lame
        } else {
            with_poisson_shifted(lame, corners.iter().map(|&v| cues.poisson[v]).sum::<f64>() / 4.0)
        };
        Some(Self { gradient, volume_m3, lambda_pa: lame.0 * scale, mu_pa: lame.1 * scale })
    }

    fn deformation(&self, x: [DVec3; 4]) -> DMat3 {
        // From edges, not from positions: far from the origin the difference has all its digits.
        (1..4).fold(DMat3::ZERO, |f, a| f + outer(x[a] - x[0], self.gradient[a]))
    }

    /// The rotation of the deformation at `x`, from nothing.
    pub(super) fn best_turn(&self, x: [DVec3; 4]) -> DQuat {
        nearest_rotation(self.deformation(x))
    }

    /// Splits the deformation at `x` into rotation and stretch.
    pub(super) fn strained(&self, x: [DVec3; 4], warm: DQuat) -> Strained {
        let f = self.deformation(x);
        let turn = nearest_rotation_from(f, warm, ROTATION_UPDATES);
        let r = DMat3::from_quat(turn);
        Strained { f, r, turn, stretch: Sym3::from_mat(r.transpose() * f) }
    }
}

/// A deformed element: F = R S.
#[derive(Debug, Clone, Copy)]
pub(super) struct Strained {
    f: DMat3,
    r: DMat3,
    pub turn: DQuat,
    stretch: Sym3,
}

impl Strained {
    pub(super) fn energy(&self, rest: &RestElement) -> f64 {
        let off = self.f - self.r;
        let square: f64 = off.to_cols_array().iter().map(|c| c * c).sum();
        let trace = self.stretch.trace() - 3.0;
        rest.volume_m3 * (rest.mu_pa * square + 0.5 * rest.lambda_pa * trace * trace)
    }

    /// Gradient of the energy at a corner (minus the elastic force).
    pub(super) fn gradient_at(&self, rest: &RestElement, corner: usize) -> DVec3 {
        let trace = self.stretch.trace() - 3.0;
        let b = rest.gradient[corner] * rest.volume_m3;
        (self.f - self.r) * b * (2.0 * rest.mu_pa) + self.r * b * (rest.lambda_pa * trace)
    }

    /// The projected Hessian in a form whose 3×3 blocks are cheap.
    pub(super) fn stiffness(&self, rest: &RestElement) -> ElementStiffness {
        let softening = 2.0 * rest.mu_pa - rest.lambda_pa * (self.stretch.trace() - 3.0);
        let twist = self.exact_twist(rest, softening).unwrap_or_else(|| self.clamped_twist(rest, softening));
        self.turned(rest, twist)
    }

    /// Σ of the twists' eigenvalues less 2μ, where none is negative: 1/(sᵢ + sⱼ) belong to the inverse of tr(S) I − S, which
    /// needs no eigenvectors.
    fn exact_twist(&self, rest: &RestElement, softening: f64) -> Option<DMat3> {
        let sums = DMat3::from_diagonal(DVec3::splat(self.stretch.trace())) - self.stretch.to_mat();
        // All sᵢ + sⱼ are at least softening/μ where this matrix has no negative eigenvalue (Sylvester's minors).
        let least = (softening / rest.mu_pa).max(1e-9);
        let spare = sums - DMat3::from_diagonal(DVec3::splat(least));
        let (first, last) = (spare.x_axis.x, spare.determinant());
        let second = spare.x_axis.x * spare.y_axis.y - spare.x_axis.y * spare.y_axis.x;
        (first > 0.0 && second > 0.0 && last > 0.0).then(|| sums.inverse() * -softening)
    }

    fn clamped_twist(&self, rest: &RestElement, softening: f64) -> DMat3 {
        let (s, q) = self.stretch.eigen();
        let sums = [s.y + s.z, s.z + s.x, s.x + s.y];
        // Where two stretches cancel the rotation is not unique and the twist has no stiffness of its own.
        let twist = |k: usize| {
            let eigenvalue = if sums[k] > 1e-9 { 2.0 * rest.mu_pa - softening * 2.0 / sums[k] } else { 0.0 };
            (eigenvalue.max(0.0) - 2.0 * rest.mu_pa) * 0.5
        };
        [0, 1, 2].iter().fold(DMat3::ZERO, |sum, &k| sum + outer(q.col(k) * twist(k), q.col(k)))
    }

    /// Stiffness without the twist term: linear elasticity in the turned frame, for Rayleigh damping.
    pub(super) fn turned_linear(&self, rest: &RestElement) -> ElementStiffness {
        self.turned(rest, DMat3::from_diagonal(DVec3::splat(-rest.mu_pa)))
    }

    fn turned(&self, rest: &RestElement, twist: DMat3) -> ElementStiffness {
        let v = rest.volume_m3;
        ElementStiffness {
            spread: 2.0 * rest.mu_pa * v,
            along: rest.lambda_pa * v,
            turned: rest.gradient.map(|b| self.r * b),
            twist: self.r * (twist * v) * self.r.transpose(),
        }
    }
}

/// `K_ab = spread (b_a·b_b) I + along b_a b_bᵀ + [b_a]× twist [b_b]×ᵀ`, b the gradients turned with the element.
#[derive(Debug, Clone, Copy)]
pub(super) struct ElementStiffness {
    spread: f64,
    along: f64,
    turned: [DVec3; 4],
    twist: DMat3,
}

/// The 3×3 blocks of an element's symmetric matrix: those with a ≤ b, row after row.
pub(super) type Blocks = [DMat3; 10];

/// Where block (a, b) is in [`Blocks`], and whether it is stored as its transpose.
pub(super) const fn block_at(a: usize, b: usize) -> (usize, bool) {
    const FIRST: [usize; 4] = [0, 4, 7, 9];
    if a <= b { (FIRST[a] + b - a, false) } else { (FIRST[b] + a - b, true) }
}

impl ElementStiffness {
    /// All blocks. Those of the first corner follow from the others: moving all corners alike takes no force.
    pub(super) fn blocks(&self) -> Blocks {
        let mut blocks = [DMat3::ZERO; 10];
        let [_, x, y, z] = self.turned.map(|b| {
            // twist [b]×ᵀ, by columns: [b]×ᵀ e = e × b.
            DMat3::from_cols(
                self.twist * DVec3::new(0.0, -b.z, b.y),
                self.twist * DVec3::new(b.z, 0.0, -b.x),
                self.twist * DVec3::new(-b.y, b.x, 0.0),
            )
        });
        for a in 1..4 {
            for (b, twisted) in [(1, x), (2, y), (3, z)].into_iter().skip(a - 1) {
                let (mine, other) = (self.turned[a], self.turned[b]);
                let even = DMat3::from_diagonal(DVec3::splat(self.spread * mine.dot(other)));
                let crossed = DMat3::from_cols(
                    mine.cross(twisted.x_axis),
                    mine.cross(twisted.y_axis),
                    mine.cross(twisted.z_axis),
                );
                blocks[block_at(a, b).0] = even + outer(mine * self.along, other) + crossed;
            }
        }
        let full = |a: usize, b: usize| {
            let (at, transposed) = block_at(a, b);
            if transposed { blocks[at].transpose() } else { blocks[at] }
        };
        let first = [1, 2, 3].map(|b| -(full(1, b) + full(2, b) + full(3, b)));
        blocks[0] = -(first[0] + first[1] + first[2]).transpose();
        blocks[1..4].copy_from_slice(&first);
        blocks
    }

    /// K u without its blocks.
    pub(super) fn times(&self, u: [DVec3; 4]) -> [DVec3; 4] {
        let edges = [1, 2, 3].map(|a| u[a] - u[0]);
        let (mut spread, mut along, mut twist) = (DMat3::ZERO, 0.0, DVec3::ZERO);
        for (edge, b) in edges.into_iter().zip(&self.turned[1..]) {
            spread += outer(edge, *b);
            along += edge.dot(*b);
            twist += edge.cross(*b);
        }
        let twist = self.twist * twist;
        let [x, y, z] = [1, 2, 3].map(|a| {
            let b = self.turned[a];
            spread * b * self.spread + b * (along * self.along) + b.cross(twist)
        });
        [-(x + y + z), x, y, z]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sinew_math::dvec3;

    fn element() -> RestElement {
        let x = [DVec3::ZERO, dvec3(1.0, 0.1, 0.0), dvec3(0.0, 1.2, 0.2), dvec3(0.1, 0.0, 0.9)];
        let edges = DMat3::from_cols(x[1] - x[0], x[2] - x[0], x[3] - x[0]);
        let rows = edges.inverse().transpose();
        RestElement {
            gradient: [-(rows.x_axis + rows.y_axis + rows.z_axis), rows.x_axis, rows.y_axis, rows.z_axis],
            volume_m3: edges.determinant() / 6.0,
            lambda_pa: 3.0,
            mu_pa: 2.0,
        }
    }

    fn stretched() -> [DVec3; 4] {
        [dvec3(0.1, 0.0, 0.0), dvec3(1.4, 0.3, 0.1), dvec3(-0.3, 1.5, 0.2), dvec3(0.2, 0.1, 1.3)]
    }

    fn gradient(rest: &RestElement, x: [DVec3; 4]) -> [DVec3; 4] {
        let strained = rest.strained(x, DQuat::IDENTITY);
        [0, 1, 2, 3].map(|corner| strained.gradient_at(rest, corner))
    }

    fn nudged(x: [DVec3; 4], corner: usize, axis: usize, by: f64) -> [DVec3; 4] {
        let mut x = x;
        x[corner][axis] += by;
        x
    }

    #[test]
    fn gradient_matches_differences_at_second_order() {
        let rest = element();
        let energy = |x| rest.strained(x, DQuat::IDENTITY).energy(&rest);
        let exact = gradient(&rest, stretched());
        let error = |d: f64| {
            let mut worst = 0.0f64;
            for (corner, exact) in exact.iter().enumerate() {
                for axis in 0..3 {
                    let difference = (energy(nudged(stretched(), corner, axis, d))
                        - energy(nudged(stretched(), corner, axis, -d)))
                        / (2.0 * d);
                    worst = worst.max((difference - exact[axis]).abs());
                }
            }
            worst
        };
        let (coarse, fine) = (error(1e-2), error(1e-3));
        assert!(fine < 1e-5 && coarse / fine > 50.0, "{coarse} {fine}");
    }

    #[test]
    fn stiffness_in_tension_is_the_exact_hessian() {
        let rest = element();
        let strained = rest.strained(stretched(), DQuat::IDENTITY);
        let k = strained.stiffness(&rest).blocks();
        let d = 1e-5;
        for b in 0..4 {
            for axis in 0..3 {
                let plus = gradient(&rest, nudged(stretched(), b, axis, d));
                let minus = gradient(&rest, nudged(stretched(), b, axis, -d));
                for a in 0..4 {
                    let (at, transposed) = block_at(a, b);
                    let block = if transposed { k[at].transpose() } else { k[at] };
                    let column = block.col(axis);
                    assert!(((plus[a] - minus[a]) / (2.0 * d)).distance(column) < 1e-6, "block {a}{b}");
                }
            }
        }
    }

    /// Squeezed, two twists would be negative: what is left of them is nothing, and the rest is as it was.
    #[test]
    fn clamping_takes_away_what_is_negative_and_nothing_else() {
        let rest = element();
        for squeeze in [1.0, 0.9, 0.6, 0.3] {
            let x = stretched().map(|x| x * dvec3(squeeze, squeeze, 1.0));
            let strained = rest.strained(x, DQuat::IDENTITY);
            let softening = 2.0 * rest.mu_pa - rest.lambda_pa * (strained.stretch.trace() - 3.0);
            let clamped = strained.clamped_twist(&rest, softening);
            let (low, _) = Sym3::from_mat(clamped).eigen();
            assert!(low.min_element() >= -rest.mu_pa - 1e-12, "{low} at {squeeze}");
            match strained.exact_twist(&rest, softening) {
                None => assert!((low.min_element() + rest.mu_pa).abs() < 1e-12, "{low} at {squeeze}"),
                Some(exact) => assert!((exact - clamped).abs_diff_eq(DMat3::ZERO, 1e-9), "{squeeze}"),
            }
        }
    }

    #[test]
    fn blocks_and_product_are_the_same_matrix() {
        let rest = element();
        let u = [dvec3(0.3, -0.1, 0.2), dvec3(-0.5, 0.4, 0.1), dvec3(0.2, 0.2, -0.7), dvec3(0.1, 0.9, 0.3)];
        let strained = rest.strained(stretched(), DQuat::IDENTITY);
        for stiffness in [strained.stiffness(&rest), strained.turned_linear(&rest)] {
            let (blocks, product) = (stiffness.blocks(), stiffness.times(u));
            for (a, product) in product.iter().enumerate() {
                let sum = (0..4).fold(DVec3::ZERO, |sum, b| {
                    let (at, transposed) = block_at(a, b);
                    sum + if transposed { blocks[at].transpose() } else { blocks[at] } * u[b]
                });
                assert!(sum.distance(*product) < 1e-12, "corner {a}: {sum} {product}");
            }
        }
    }

    #[test]
    fn forces_have_no_net_force_or_torque() {
        let rest = element();
        let x = stretched();
        let g = gradient(&rest, x);
        assert!(g.iter().sum::<DVec3>().length() < 1e-12);
        assert!((0..4).map(|a| x[a].cross(g[a])).sum::<DVec3>().length() < 1e-12);
    }
}
