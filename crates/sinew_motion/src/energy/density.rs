//! Energy densities as functions of the deformation gradient `F = ∇f`, with exact first and second
//! derivatives.
//!
//! | density | source |
//! |---------|--------|
//! | strain `‖FᵀF − I‖²` | Adams et al. 2009, Eq. 11 |
//! | volume `(J − 1)²` | Adams et al. 2009, Eq. 13; it lets flesh turn inside out under strong compression |
//! | log volume `(ln J)²` | grows without bound as J falls; below [`LEAST_J`] it goes on as its parabola, so that it stays finite |
//! | stable neo-Hookean | Smith, de Goes, Kim 2018, with the logarithmic term, shifted to zero at rest |
//!
//! Matrices are columns one after another: entry `(r, c)` of `F` has number `r + 3c`.
//! A Gauss–Newton Hessian drops the terms that can be negative and is positive semidefinite.

use sinew_math::libm::log;
use sinew_math::{DMat3, DVec3};

/// Below this share of its volume the logarithm is continued by its parabola.
pub const LEAST_J: f64 = 0.05;

/// How flesh resists deformation. Weights are per unit of the body's volume.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
pub enum Elastic {
    /// The paper's: `strain ‖FᵀF − I‖² + volume (J − 1)²`.
    StrainAndVolume { strain: f64, volume: f64 },
    /// `strain ‖FᵀF − I‖² + volume (ln J)²`: does not turn inside out.
    StrainAndLogVolume { strain: f64, volume: f64 },
    /// `μ/2 (|F|² − 3) + λ/2 (J − α)² − μ/2 ln(|F|² + 1)`.
    StableNeoHookean { shear: f64, bulk: f64 },
}

impl Default for Elastic {
    fn default() -> Self {
        Self::StrainAndLogVolume { strain: 1.0, volume: 4.0 }
    }
}

/// Which second derivatives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Curvature {
    /// Positive semidefinite.
    GaussNewton,
    Exact,
}

/// Value and gradient of a density.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Density {
    pub value: f64,
    pub gradient: DMat3,
}

/// 9 × 9 second derivatives, symmetric.
pub type Hessian = [[f64; 9]; 9];

impl Elastic {
    /// Values of the strain term and of the volume term.
    pub fn values(&self, f: DMat3) -> [f64; 2] {
        let j = f.determinant();
        match *self {
            Self::StrainAndVolume { strain, volume } => [strain * strain_of(f).0, volume * (j - 1.0) * (j - 1.0)],
            Self::StrainAndLogVolume { strain, volume } => [strain * strain_of(f).0, volume * log_volume(j)[0]],
            Self::StableNeoHookean { shear, bulk } => {
                let alpha = rest_alpha(shear, bulk);
                let square = square(f);
                let at_rest = 0.5 * bulk * (1.0 - alpha) * (1.0 - alpha) - 0.5 * shear * log(4.0);
                let volume = 0.5 * bulk * (j - alpha) * (j - alpha);
                [0.5 * shear * (square - 3.0) - 0.5 * shear * log(square + 1.0) + volume - at_rest, 0.0]
            }
        }
    }

    pub fn density(&self, f: DMat3) -> Density {
        let (j, cof) = (f.determinant(), cofactor(f));
        let [strain_value, volume_value] = self.values(f);
        let gradient = match *self {
            Self::StrainAndVolume { strain, volume } => strain_of(f).1 * strain + cof * (2.0 * volume * (j - 1.0)),
            Self::StrainAndLogVolume { strain, volume } => strain_of(f).1 * strain + cof * (volume * log_volume(j)[1]),
            Self::StableNeoHookean { shear, bulk } => {
                let square = square(f);
                f * (shear * (1.0 - 1.0 / (square + 1.0))) + cof * (bulk * (j - rest_alpha(shear, bulk)))
            }
        };
        Density { value: strain_value + volume_value, gradient }
    }

    pub fn hessian(&self, f: DMat3, curvature: Curvature) -> Hessian {
        let mut h = [[0.0; 9]; 9];
        let (j, cof) = (f.determinant(), cofactor(f));
        match *self {
            Self::StrainAndVolume { strain, volume } => {
                add_strain(&mut h, f, strain, curvature);
                add_square(&mut h, cof, 2.0 * volume);
                if curvature == Curvature::Exact {
                    add_cofactor_rate(&mut h, f, 2.0 * volume * (j - 1.0));
                }
            }
            Self::StrainAndLogVolume { strain, volume } => {
                add_strain(&mut h, f, strain, curvature);
                let [_, first, second] = log_volume(j);
                match curvature {
                    // Gauss–Newton of the square of ln J.
                    Curvature::GaussNewton => add_square(&mut h, cof, 2.0 * volume / (j.max(LEAST_J) * j.max(LEAST_J))),
                    Curvature::Exact => {
                        add_square(&mut h, cof, volume * second);
                        add_cofactor_rate(&mut h, f, volume * first);
                    }
                }
            }
            Self::StableNeoHookean { shear, bulk } => {
                let square = square(f);
                for (n, row) in h.iter_mut().enumerate() {
                    row[n] += shear * (1.0 - 1.0 / (square + 1.0));
                }
                add_square(&mut h, f, 2.0 * shear / ((square + 1.0) * (square + 1.0)));
                add_square(&mut h, cof, bulk);
                if curvature == Curvature::Exact {
                    add_cofactor_rate(&mut h, f, bulk * (j - rest_alpha(shear, bulk)));
                }
            }
        }
        h
    }
}

/// α that makes the rest shape free of stress.
fn rest_alpha(shear: f64, bulk: f64) -> f64 {
    1.0 + 0.75 * shear / bulk
}

/// `|F|²`.
fn square(f: DMat3) -> f64 {
    f.x_axis.length_squared() + f.y_axis.length_squared() + f.z_axis.length_squared()
}

/// ∂J/∂F.
pub fn cofactor(f: DMat3) -> DMat3 {
    DMat3::from_cols(f.y_axis.cross(f.z_axis), f.z_axis.cross(f.x_axis), f.x_axis.cross(f.y_axis))
}

/// `‖FᵀF − I‖²` and its gradient `4 F (FᵀF − I)`.
fn strain_of(f: DMat3) -> (f64, DMat3) {
    let c = f.transpose() * f - DMat3::IDENTITY;
    (square(c), f * c * 4.0)
}

/// `(ln J)²` and its two derivatives.
fn log_volume(j: f64) -> [f64; 3] {
    let at = |j: f64| {
        let l = log(j);
        [l * l, 2.0 * l / j, 2.0 * (1.0 - l) / (j * j)]
    };
    if j >= LEAST_J {
        return at(j);
    }
    let [value, first, second] = at(LEAST_J);
    let d = j - LEAST_J;
    [value + first * d + 0.5 * second * d * d, first + second * d, second]
}

fn add_strain(h: &mut Hessian, f: DMat3, weight: f64, curvature: Curvature) {
    let (left, c) = (f * f.transpose(), f.transpose() * f - DMat3::IDENTITY);
    let e = f.to_cols_array_2d();
    let (left, c) = (left.to_cols_array_2d(), c.to_cols_array_2d());
    for col in 0..3 {
        for row in 0..3 {
            for d in 0..3 {
                for s in 0..3 {
                    let mut value = e[d][row] * e[col][s];
                    if col == d {
                        value += left[s][row];
                    }
                    if row == s && curvature == Curvature::Exact {
                        value += c[d][col];
                    }
                    h[row + 3 * col][s + 3 * d] += 4.0 * weight * value;
                }
            }
        }
    }
}

/// `weight · m mᵀ`.
fn add_square(h: &mut Hessian, m: DMat3, weight: f64) {
    let m = m.to_cols_array();
    for (a, row) in h.iter_mut().enumerate() {
        for (b, entry) in row.iter_mut().enumerate() {
            *entry += weight * m[a] * m[b];
        }
    }
}

/// `weight · ∂²J/∂F²`.
fn add_cofactor_rate(h: &mut Hessian, f: DMat3, weight: f64) {
    for c in 0..3 {
        let (next, after) = ((c + 1) % 3, (c + 2) % 3);
        // cof_c = f_next × f_after.
        add_cross(h, c, next, f.col(after), -weight);
        add_cross(h, c, after, f.col(next), weight);
    }
}

/// Block (c, d) += weight · [v]×.
fn add_cross(h: &mut Hessian, c: usize, d: usize, v: DVec3, weight: f64) {
    let w = v * weight;
    for (row, column, value) in [(0, 1, -w.z), (0, 2, w.y), (1, 0, w.z), (1, 2, -w.x), (2, 0, -w.y), (2, 1, w.x)] {
        h[row + 3 * c][column + 3 * d] += value;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sinew_math::DQuat;

    const MODELS: [Elastic; 3] = [
        Elastic::StrainAndVolume { strain: 1.3, volume: 4.0 },
        Elastic::StrainAndLogVolume { strain: 0.7, volume: 4.0 },
        Elastic::StableNeoHookean { shear: 1.0, bulk: 5.0 },
    ];

    fn bent() -> DMat3 {
        DMat3::from_cols_array(&[1.1, 0.2, -0.1, -0.3, 0.8, 0.15, 0.05, 0.3, 1.25])
    }

    fn with(f: DMat3, n: usize, d: f64) -> DMat3 {
        let mut e = f.to_cols_array();
        e[n] += d;
        DMat3::from_cols_array(&e)
    }

    fn shapes() -> [DMat3; 3] {
        let flat = DMat3::from_diagonal(DVec3::new(1.0, 0.3, 0.1)) * bent();
        [bent(), flat, DMat3::from_diagonal(DVec3::new(1.0, -1.0, 1.0)) * bent()]
    }

    /// Largest error of gradient and Hessian against central differences of step `d`.
    fn errors(model: &Elastic, f: DMat3, d: f64) -> [f64; 2] {
        let (gradient, hessian) = (model.density(f).gradient.to_cols_array(), model.hessian(f, Curvature::Exact));
        let mut worst = [0.0f64; 2];
        for n in 0..9 {
            let (up, down) = (model.density(with(f, n, d)), model.density(with(f, n, -d)));
            worst[0] = worst[0].max(((up.value - down.value) / (2.0 * d) - gradient[n]).abs());
            let rate = ((up.gradient - down.gradient) * (0.5 / d)).to_cols_array();
            for m in 0..9 {
                worst[1] = worst[1].max((rate[m] - hessian[m][n]).abs());
            }
        }
        worst
    }

    #[test]
    fn derivatives_match_central_differences_at_order_two() {
        for model in MODELS {
            for f in shapes() {
                let (coarse, fine) = (errors(&model, f, 2e-3), errors(&model, f, 1e-3));
                for n in 0..2 {
                    let scale = 1e-6 * (1.0 + model.density(f).value);
                    assert!(fine[n] < 0.3 * coarse[n] + scale, "{model:?} {f}: {coarse:?} {fine:?}");
                }
            }
        }
    }

    #[test]
    fn rotations_cost_nothing_and_do_not_change_the_energy() {
        let turn = DMat3::from_quat(DQuat::from_axis_angle(DVec3::new(1.0, -2.0, 0.5).normalize(), 2.2));
        for model in MODELS {
            let rest = model.density(turn);
            assert!(rest.value.abs() < 1e-12 && square(rest.gradient) < 1e-24, "{model:?}: {rest:?}");
            let (one, other) = (model.density(bent()), model.density(turn * bent()));
            assert!((one.value - other.value).abs() < 1e-12 * one.value.abs().max(1.0));
            assert!(square(turn * one.gradient - other.gradient) < 1e-20);
        }
    }

    #[test]
    fn gauss_newton_is_positive_semidefinite_and_exact_at_rest() {
        for model in MODELS {
            for f in shapes() {
                let h = model.hessian(f, Curvature::GaussNewton);
                let columns: Vec<f64> = h.iter().flatten().copied().collect();
                let vectors = sinew_math::dense::symmetric_eigenvectors(&columns, 9).unwrap();
                for v in vectors {
                    let value: f64 = (0..81).map(|n| v[n / 9] * h[n / 9][n % 9] * v[n % 9]).sum();
                    assert!(value > -1e-9, "{model:?} {f}: {value}");
                }
            }
            if !matches!(model, Elastic::StableNeoHookean { .. }) {
                assert_eq!(
                    model.hessian(DMat3::IDENTITY, Curvature::GaussNewton),
                    model.hessian(DMat3::IDENTITY, Curvature::Exact)
                );
            }
        }
    }
}
