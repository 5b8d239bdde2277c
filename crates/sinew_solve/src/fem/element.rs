//! One linear tetrahedron: strain measured from the asked rest shape, corotated energy, its derivatives.
//!
//! With ε = S − I and F = R S: `Ψ = μ ε:ε + λ/2 (tr ε)²`, `P = 2μ (F − R) + λ tr(S − I) R` (fixed corotation: the
//! energy form of Müller and Gross, "Interactive Virtual Materials", GI 2004, that DA-4 asks for). Its Hessian has
//! eigenvalue 2μ everywhere but along R (2μ + 3λ) and along the three twists `R [q]×/√2`, q the eigenvectors of S, where it is
//! `2μ − (2μ − λ tr ε)·2/(sᵢ + sⱼ)`: clamped at 0 this is the projected Hessian (Smith, de Goes, Kim, "Analytic
//! Eigensystems for Isotropic Distortion Energies", TOG 2019).
//!
//! Contraction: `W = V_o det T Ψ(F_o T'⁻¹)`, F_o measured from the rest positions o(t), T' = R_o T R_oᵀ turned with the flesh.

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
        let (s, q) = self.stretch.eigen();
        let trace = self.stretch.trace() - 3.0;
        let softening = 2.0 * rest.mu_pa - rest.lambda_pa * trace;
        let sums = [s.y + s.z, s.z + s.x, s.x + s.y];
        let axes = [q.x_axis, q.y_axis, q.z_axis];
        // Where two stretches cancel the rotation is not unique and the twist has no stiffness of its own.
        let twist = |k: usize| {
            let eigenvalue = if sums[k] > 1e-9 { 2.0 * rest.mu_pa - softening * 2.0 / sums[k] } else { 0.0 };
            eigenvalue.max(0.0) - 2.0 * rest.mu_pa
        };
        let v = rest.volume_m3;
        ElementStiffness {
            spread: 2.0 * rest.mu_pa * v,
            along: rest.lambda_pa * v,
            along_row: rest.gradient.map(|b| self.r * b),
            twist: [0, 1, 2].map(|k| twist(k) * 0.5 * v),
            twist_row: [0, 1, 2].map(|k| rest.gradient.map(|b| self.r * axes[k].cross(b))),
        }
    }

    /// Stiffness without the twist term: linear elasticity in the turned frame, for Rayleigh damping.
    pub(super) fn turned_linear(&self, rest: &RestElement) -> ElementStiffness {
        ElementStiffness {
            spread: 2.0 * rest.mu_pa * rest.volume_m3,
            along: rest.lambda_pa * rest.volume_m3,
            along_row: rest.gradient.map(|b| self.r * b),
            twist: [0, 1, 2].map(|_| -rest.mu_pa * rest.volume_m3),
            twist_row: [DVec3::X, DVec3::Y, DVec3::Z].map(|axis| rest.gradient.map(|b| self.r * axis.cross(b))),
        }
    }
}

/// `K_ab = spread (b_a·b_b) I + along (R b_a)(R b_b)ᵀ + Σ_k twist_k (t_k b_a)(t_k b_b)ᵀ`.
#[derive(Debug, Clone, Copy)]
pub(super) struct ElementStiffness {
    spread: f64,
    along: f64,
    along_row: [DVec3; 4],
    twist: [f64; 3],
    twist_row: [[DVec3; 4]; 3],
}

impl ElementStiffness {
    pub(super) fn block(&self, rest: &RestElement, a: usize, b: usize) -> DMat3 {
        let mut block = DMat3::from_diagonal(DVec3::splat(self.spread * rest.gradient[a].dot(rest.gradient[b])));
        block += outer(self.along_row[a] * self.along, self.along_row[b]);
        for k in 0..3 {
            block += outer(self.twist_row[k][a] * self.twist[k], self.twist_row[k][b]);
        }
        block
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
        let k = rest.strained(stretched(), DQuat::IDENTITY).stiffness(&rest);
        let d = 1e-5;
        for b in 0..4 {
            for axis in 0..3 {
                let plus = gradient(&rest, nudged(stretched(), b, axis, d));
                let minus = gradient(&rest, nudged(stretched(), b, axis, -d));
                for a in 0..4 {
                    let column = k.block(&rest, a, b).col(axis);
                    assert!(((plus[a] - minus[a]) / (2.0 * d)).distance(column) < 1e-6, "block {a}{b}");
                }
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
