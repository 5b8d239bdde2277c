//! Anderson acceleration of a fixed-point iteration (Anderson, "Iterative Procedures for Nonlinear Integral Equations", J. ACM 1965; type II,
//! Walker and Ni, SIAM J. Numer. Anal. 2011): earlier steps and what they changed tell how the body answers.

use sinew_math::DVec3;
use sinew_math::dense::solve_symmetric;

/// Steps that are learnt from.
const MEMORY: usize = 6;
/// Keeps steps that are nearly the same from being weighed against each other, share of the largest.
const RIDGE: f64 = 1e-8;

/// What earlier performances say of the answer to a change.
#[derive(Debug, Default)]
pub(super) struct Anderson {
    rest: Vec<Vec<DVec3>>,
    missing: Vec<Vec<DVec3>>,
}

impl Anderson {
    /// The next change of a rest shape that leaves `missing`. `share` of what is missing is added where nothing is known.
    pub(super) fn step(&mut self, rest: &[DVec3], missing: &[DVec3], share: f64, mass_kg: &[f64]) -> Vec<DVec3> {
        self.rest.push(rest.to_vec());
        self.missing.push(missing.to_vec());
        if self.rest.len() > MEMORY + 1 {
            self.rest.remove(0);
            self.missing.remove(0);
        }
        let newest = self.rest.len() - 1;
        let difference = |of: &[Vec<DVec3>], n: usize| -> Vec<DVec3> {
            of[n + 1].iter().zip(&of[n]).map(|(a, b)| *a - *b).collect()
        };
        let changes: Vec<Vec<DVec3>> = (0..newest).map(|n| difference(&self.missing, n)).collect();
        let steps: Vec<Vec<DVec3>> = (0..newest).map(|n| difference(&self.rest, n)).collect();
        let gamma = weights(&changes, missing, mass_kg);
        let mut step: Vec<DVec3> = missing.iter().map(|by| *by * share).collect();
        for ((gamma, change), moved) in gamma.iter().zip(&changes).zip(&steps).filter(|((g, _), _)| g.is_finite()) {
            for ((step, change), moved) in step.iter_mut().zip(change).zip(moved) {
                *step -= (*moved + *change * share) * *gamma;
            }
        }
        step
    }
}

/// The combination of changes that comes closest to what is missing.
fn weights(changes: &[Vec<DVec3>], missing: &[DVec3], mass_kg: &[f64]) -> Vec<f64> {
    let dot = |a: &[DVec3], b: &[DVec3]| -> f64 { a.iter().zip(b).zip(mass_kg).map(|((a, b), m)| m * a.dot(*b)).sum() };
    let mut gamma: Vec<f64> = changes.iter().map(|change| dot(change, missing)).collect();
    let count = changes.len();
    if count > 0 {
        let mut matrix: Vec<f64> = Vec::with_capacity(count * count);
        for a in changes {
            matrix.extend(changes.iter().map(|b| dot(a, b)));
        }
        let trace: f64 = (0..count).map(|i| matrix[i * count + i]).sum();
        (0..count).for_each(|i| matrix[i * count + i] += RIDGE * trace + f64::MIN_POSITIVE);
        solve_symmetric(&matrix, count, &mut gamma);
    }
    gamma
}

#[cfg(test)]
mod tests {
    use super::*;
    use sinew_math::dvec3;

    /// A body that goes a quarter, a half and all of the way along three axes: after a few steps it is where it is asked to be.
    #[test]
    fn a_body_that_lags_differently_along_each_axis_is_led_to_its_goal() {
        let gain = dvec3(0.25, 0.5, 1.0);
        let goal = dvec3(3.0, -2.0, 1.0);
        let mut rest = vec![DVec3::ZERO];
        let mut anderson = Anderson::default();
        for _ in 0..6 {
            let missing = vec![goal - rest[0] * gain];
            let step = anderson.step(&rest, &missing, 1.0, &[2.0]);
            rest[0] += step[0];
        }
        assert!((rest[0] * gain).distance(goal) < 1e-4, "{}", rest[0] * gain);
    }
}
