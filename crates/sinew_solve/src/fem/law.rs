//! How stress follows from deformation: three isotropic laws with Lamé's λ and μ at small strain.
//!
//! With F = R S, s the eigenvalues of S (signed: the last one may be negative), J = det F:
//! - corotated: `Ψ = μ |F − R|² + λ/2 tr²(S − I)` (the energy form of Müller and Gross, "Interactive Virtual Materials", GI 2004,
//!   DA-4);
//! - St.Venant–Kirchhoff: `Ψ = μ E:E + λ/2 tr²E`, `E = (FᵀF − I)/2`;
//! - stable neo-Hookean: `Ψ = μ'/2 (I − 3) − μ'/2 ln((I + 1)/4) + λ'/2 (J − α)²`, `I = |F|²`, `μ' = 4/3 μ`, `λ' = λ + 5/6 μ`,
//!   `α = 1 + 3/4 μ'/λ'`, less its value at rest (Smith, de Goes, Kim, "Stable Neo-Hookean Flesh Simulation", TOG 2018, eq. 14 with the
//!   authors' corrected α; the moduli are Lamé's at small strain). Without the logarithm a body that is squeezed into a point stays
//!   there: the energy has a minimum at F = 0.
//!
//! Second derivatives in the frame of the principal stretches (Smith, de Goes, Kim, "Analytic Eigensystems for Isotropic
//! Distortion Energies", TOG 2019): a 3×3 matrix of stretches against stretches, and for each pair a twist `(σᵢ + σⱼ)/(sᵢ + sⱼ)` and
//! a flip `(σᵢ − σⱼ)/(sᵢ − sⱼ)`, written without the quotients.

use crate::StretchLaw;
use sinew_math::libm::log1p;
use sinew_math::rotation::outer;
use sinew_math::{DMat3, DVec3, Sym3};

/// A law with its moduli at one place.
#[derive(Debug, Clone, Copy)]
pub(super) struct Law {
    pub(super) kind: StretchLaw,
    pub(super) lambda_pa: f64,
    pub(super) mu_pa: f64,
}

/// Second derivatives of an energy in the frame of the principal stretches, made positive.
#[derive(Debug, Clone, Copy)]
pub(super) struct Curvature {
    /// Stretch against stretch.
    pub(super) stretch: Sym3,
    /// For the pairs yz, zx, xy: of F_ij with itself, and with F_ji.
    pub(super) same: [f64; 3],
    pub(super) swapped: [f64; 3],
}

impl Law {
    /// A law that asks for nothing.
    pub(super) const NONE: Self = Self { kind: StretchLaw::Corotated, lambda_pa: 0.0, mu_pa: 0.0 };

    /// λ', μ' and α of the stable neo-Hookean energy.
    fn neo_hookean(&self) -> (f64, f64, f64) {
        let lambda = self.lambda_pa + self.mu_pa * (5.0 / 6.0);
        (lambda, self.mu_pa * (4.0 / 3.0), if lambda > 0.0 { 1.0 + self.mu_pa / lambda } else { 1.0 })
    }

    /// Energy per volume of rest shape, J/m³.
    pub(super) fn energy(&self, f: DMat3, r: DMat3) -> f64 {
        match self.kind {
            StretchLaw::Corotated => {
                let trace = turned_trace(f, r) - 3.0;
                self.mu_pa * norm_squared(f - r) + 0.5 * self.lambda_pa * trace * trace
            }
            StretchLaw::StVenantKirchhoff => {
                let e = green(f);
                let square = norm_squared(e.to_mat());
                self.mu_pa * square + 0.5 * self.lambda_pa * e.trace() * e.trace()
            }
            StretchLaw::NeoHookean => {
                let (lambda, mu, alpha) = self.neo_hookean();
                let (j, grown) = (f.determinant(), norm_squared(f) - 3.0);
                0.5 * mu * (grown - log1p(0.25 * grown)) + 0.5 * lambda * (j - 1.0) * (j + 1.0 - 2.0 * alpha)
            }
        }
    }

    /// P = ∂Ψ/∂F.
    pub(super) fn stress(&self, f: DMat3, r: DMat3) -> DMat3 {
        match self.kind {
            StretchLaw::Corotated => {
                let trace = turned_trace(f, r) - 3.0;
                (f - r) * (2.0 * self.mu_pa) + r * (self.lambda_pa * trace)
            }
            StretchLaw::StVenantKirchhoff => {
                let e = green(f);
                f * (e * (2.0 * self.mu_pa) + Sym3::IDENTITY * (self.lambda_pa * e.trace())).to_mat()
            }
            StretchLaw::NeoHookean => {
                let (lambda, mu, alpha) = self.neo_hookean();
                f * (mu * (1.0 - 1.0 / (norm_squared(f) + 1.0))) + cofactor(f) * (lambda * (f.determinant() - alpha))
            }
        }
    }

    /// Second derivatives at principal stretches `s`, with what is negative taken out.
    pub(super) fn curvature(&self, s: DVec3) -> Curvature {
        let (lambda, mu) = (self.lambda_pa, self.mu_pa);
        let others = |k: usize| (s[(k + 1) % 3], s[(k + 2) % 3]);
        let (stretch, twist, flip): (Sym3, [f64; 3], [f64; 3]) = match self.kind {
            StretchLaw::Corotated => {
                let softening = 2.0 * mu - lambda * (s.x + s.y + s.z - 3.0);
                // Where two stretches cancel the rotation is not unique and the twist has no stiffness of its own.
                let twist = |k: usize| {
                    let sum = others(k).0 + others(k).1;
                    if sum > 1e-9 { 2.0 * mu - softening * 2.0 / sum } else { 0.0 }
                };
                let stretch = Sym3::IDENTITY * (2.0 * mu) + Sym3::from_mat(outer(DVec3::ONE, DVec3::ONE)) * lambda;
                (stretch, [0, 1, 2].map(twist), [2.0 * mu; 3])
            }
            StretchLaw::StVenantKirchhoff => {
                let spread = lambda * (0.5 * (s.length_squared() - 3.0)) - mu;
                let own = |k: usize| spread + mu * s[k] * s[k] + (2.0 * mu) * s[k] * s[k];
                let pair = |k: usize, sign: f64| {
                    let (a, b) = others(k);
                    mu * (a * a + sign * a * b + b * b) + spread
                };
                let stretch = diagonal([0, 1, 2].map(own)) + Sym3::from_mat(outer(s, s)) * lambda;
                (stretch, [0, 1, 2].map(|k| pair(k, -1.0)), [0, 1, 2].map(|k| pair(k, 1.0)))
            }
            StretchLaw::NeoHookean => {
                let (lambda, mu, alpha) = self.neo_hookean();
                let over = 1.0 / (s.length_squared() + 1.0);
                let (spread, along) = (mu * (1.0 - over), 2.0 * mu * over * over);
                let penalty = lambda * (s.x * s.y * s.z - alpha);
                let area = DVec3::new(s.y * s.z, s.z * s.x, s.x * s.y);
                let mut stretch = Sym3::from_mat(outer(area, area)) * lambda
                    + Sym3::from_mat(outer(s, s)) * along
                    + Sym3::IDENTITY * spread;
                stretch.yz += penalty * s.x;
                stretch.zx += penalty * s.y;
                stretch.xy += penalty * s.z;
                (stretch, [0, 1, 2].map(|k| spread + penalty * s[k]), [0, 1, 2].map(|k| spread - penalty * s[k]))
            }
        };
        let [twist, flip] = [twist, flip].map(|of| of.map(|value| value.max(0.0)));
        Curvature {
            stretch: positive_part(stretch),
            same: [0, 1, 2].map(|k| 0.5 * (flip[k] + twist[k])),
            swapped: [0, 1, 2].map(|k| 0.5 * (flip[k] - twist[k])),
        }
    }
}

fn norm_squared(m: DMat3) -> f64 {
    m.x_axis.length_squared() + m.y_axis.length_squared() + m.z_axis.length_squared()
}

/// tr(Rᵀ F).
fn turned_trace(f: DMat3, r: DMat3) -> f64 {
    f.x_axis.dot(r.x_axis) + f.y_axis.dot(r.y_axis) + f.z_axis.dot(r.z_axis)
}

/// Green's strain (FᵀF − I)/2.
fn green(f: DMat3) -> Sym3 {
    (Sym3::from_mat(f.transpose() * f) + Sym3::IDENTITY * -1.0) * 0.5
}

/// ∂ det F/∂F.
fn cofactor(f: DMat3) -> DMat3 {
    DMat3::from_cols(f.y_axis.cross(f.z_axis), f.z_axis.cross(f.x_axis), f.x_axis.cross(f.y_axis))
}

fn diagonal(d: [f64; 3]) -> Sym3 {
    Sym3 { xx: d[0], yy: d[1], zz: d[2], ..Sym3::ZERO }
}

/// The matrix without its negative eigenvalues.
fn positive_part(m: Sym3) -> Sym3 {
    let minor = m.xx * m.yy - m.xy * m.xy;
    if m.xx > 0.0 && minor > 0.0 && m.to_mat().determinant() > 0.0 {
        return m; // Sylvester: nothing is negative
    }
    let (values, axes) = m.eigen();
    [0, 1, 2].into_iter().fold(Sym3::ZERO, |sum, k| sum + Sym3::along(axes.col(k), values[k].max(0.0)))
}
