//! Moving least squares of first order: values and gradients of the shape functions at a point.
//!
//! [AWO09] (see [`super`]) Eq. 2–6: Φ_i(x) = p(x)ᵀ M(x)⁻¹ w_i(x) p(x_i), p = (1, x, y, z), M = Σ w_i p(x_i)
//! p(x_i)ᵀ, w_i = max(0, (1 − d²/r²)³) with the distance d from x to x_i through the material.
//!
//! | here       | meaning                                                              |
//! |------------|----------------------------------------------------------------------|
//! | `arm_m`    | x_i − x                                                              |
//! | `slope`    | ∇d, the gradient of the distance with respect to x                   |
//! | `mass`     | m = Σ w_i                                                            |
//! | `spot`     | s = (x − x̄)/r, x seen from the weighted mean x̄ of its nodes           |
//! | `lever`    | q_i = (x_i − x̄)/r                                                    |
//! | `inverse`  | K = C⁻¹, C = Σ w_i q_i q_iᵀ                                           |
//! | `share`    | b_i = p(x)ᵀ M⁻¹ p(x_i) = 1/m + sᵀ K q_i                               |
//!
//! Departures: the space of linear functions does not depend on origin and scale, so coordinates are taken
//! about the weighted mean and divided by r. M is then diag(m, C): well scaled, and only a 3×3 matrix is
//! inverted. The gradient (Eq. 4–6) becomes ∇Φ_i = ∇w_i b_i + w_i (K q_i / r − Σ_j ∇w_j b_j / m − (Σ_j ∇w_j
//! b_j q_jᵀ) K q_i). Linear consistency holds to rounding for any d and any ∇d.

use sinew_math::rotation::outer;
use sinew_math::{DMat3, DVec3, Sym3};

/// Least thickness of the nodes around a point, as a share of their width: with less, rounding spoils the
/// functions.
const LEAST_ASPECT: f64 = 1e-5;

/// Shape functions at points, one row a point. Compressed.
#[derive(Debug, Clone, PartialEq)]
pub struct ShapeFunctions {
    start: Vec<u32>,
    nodes: Vec<u32>,
    values: Vec<f64>,
    gradients: Vec<DVec3>,
}

/// The nodes that move one point, in ascending order, with Φ_i and ∇Φ_i there.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ShapeRow<'a> {
    pub nodes: &'a [u32],
    pub values: &'a [f64],
    pub gradients: &'a [DVec3],
}

/// A node as seen from a point.
#[derive(Debug, Clone, Copy)]
pub(super) struct Near {
    pub node: u32,
    pub arm_m: DVec3,
    pub distance_m: f64,
    pub slope: DVec3,
}

/// One row on its own.
#[derive(Debug, Clone, Default)]
pub(super) struct OwnedRow {
    pub nodes: Vec<u32>,
    pub values: Vec<f64>,
    pub gradients: Vec<DVec3>,
}

/// What the nodes around a point span.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Spread {
    /// Nodes with a weight above 0.
    pub nodes: usize,
    /// Their weighted standard deviation in the direction in which it is smallest, and largest.
    pub thickness_m: f64,
    pub width_m: f64,
    /// Σ |∇Φ_i|.
    pub slope_sum_per_m: f64,
}

impl Default for ShapeFunctions {
    fn default() -> Self {
        Self { start: vec![0], nodes: Vec::new(), values: Vec::new(), gradients: Vec::new() }
    }
}

impl ShapeFunctions {
    pub fn len(&self) -> usize {
        self.start.len() - 1
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub fn row(&self, point: usize) -> ShapeRow<'_> {
        let range = self.start[point] as usize..self.start[point + 1] as usize;
        ShapeRow {
            nodes: &self.nodes[range.clone()],
            values: &self.values[range.clone()],
            gradients: &self.gradients[range],
        }
    }

    pub fn rows(&self) -> impl ExactSizeIterator<Item = ShapeRow<'_>> {
        (0..self.len()).map(|point| self.row(point))
    }

    /// Where the points go that rest at `rest`: f(x) = x + Σ Φ_i u_i.
    pub fn displaced(&self, rest: &[DVec3], displacement: &[DVec3]) -> Vec<DVec3> {
        rest.iter().zip(self.rows()).map(|(x, row)| *x + row.sum(displacement)).collect()
    }

    /// ∇f = I + Σ u_i ∇Φ_iᵀ at one point.
    pub fn gradient(&self, point: usize, displacement: &[DVec3]) -> DMat3 {
        self.row(point).gradient(displacement)
    }

    pub(super) fn push(&mut self, row: &OwnedRow) {
        self.nodes.extend_from_slice(&row.nodes);
        self.values.extend_from_slice(&row.values);
        self.gradients.extend_from_slice(&row.gradients);
        self.start.push(self.nodes.len() as u32);
    }
}

impl ShapeRow<'_> {
    /// Σ Φ_i u_i.
    pub fn sum(&self, displacement: &[DVec3]) -> DVec3 {
        let terms = self.nodes.iter().zip(self.values);
        terms.fold(DVec3::ZERO, |sum, (node, value)| sum + displacement[*node as usize] * *value)
    }

    /// ∇f = I + Σ u_i ∇Φ_iᵀ.
    pub fn gradient(&self, displacement: &[DVec3]) -> DMat3 {
        self.nodes.iter().zip(self.gradients).fold(DMat3::IDENTITY, |sum, (node, slope)| {
            let u = displacement[*node as usize];
            sum + DMat3::from_cols(u * slope.x, u * slope.y, u * slope.z)
        })
    }
}

/// The functions of the nodes `near` a point. Without a row where they are fewer than four or lie in a plane.
pub(super) fn evaluate(near: &[Near], radius_m: f64) -> (Spread, Option<OwnedRow>) {
    let weighted: Vec<(&Near, f64, DVec3)> = near
        .iter()
        .filter(|near| near.distance_m < radius_m)
        .map(|near| {
            let (weight, slope) = weight(near, radius_m);
            (near, weight, slope)
        })
        .collect();
    let mass: f64 = weighted.iter().map(|(_, weight, _)| weight).sum();
    let mean_m = weighted.iter().map(|(near, weight, _)| near.arm_m * *weight).sum::<DVec3>() / mass;
    let levers: Vec<DVec3> = weighted.iter().map(|(near, ..)| (near.arm_m - mean_m) / radius_m).collect();
    let moment =
        weighted.iter().zip(&levers).fold(DMat3::ZERO, |sum, ((_, weight, _), q)| sum + outer(*q, *q * *weight));
    let mut spread = Spread { nodes: weighted.len(), thickness_m: 0.0, width_m: 0.0, slope_sum_per_m: f64::INFINITY };
    if weighted.len() < 4 {
        return (spread, None);
    }
    let variances = Sym3::from_mat(moment * (1.0 / mass)).eigen().0.max(DVec3::ZERO);
    spread.thickness_m = radius_m * variances.min_element().sqrt();
    spread.width_m = radius_m * variances.max_element().sqrt();
    if spread.thickness_m.is_nan() || spread.thickness_m <= LEAST_ASPECT * spread.width_m {
        return (spread, None);
    }

    let inverse = moment.inverse();
    let spot = inverse * (-mean_m / radius_m);
    let shares: Vec<f64> = levers.iter().map(|q| 1.0 / mass + spot.dot(*q)).collect();
    let mut slope_sum = DVec3::ZERO;
    let mut slope_levers = DMat3::ZERO;
    for (((_, _, slope), share), q) in weighted.iter().zip(&shares).zip(&levers) {
        slope_sum += *slope * *share;
        slope_levers += outer(*slope * *share, *q);
    }
    let mut row = OwnedRow::default();
    for (((near, weight, slope), share), q) in weighted.iter().zip(&shares).zip(&levers) {
        let turned = inverse * *q;
        row.nodes.push(near.node);
        row.values.push(weight * share);
        row.gradients.push(*slope * *share + *weight * (turned / radius_m - slope_sum / mass - slope_levers * turned));
    }
    spread.slope_sum_per_m = row.gradients.iter().map(|slope| slope.length()).sum();
    (spread, Some(row))
}

/// w = (1 − d²/r²)³ and ∇w = −(6 d/r²)(1 − d²/r²)² ∇d.
fn weight(near: &Near, radius_m: f64) -> (f64, DVec3) {
    let share = near.distance_m / radius_m;
    let rest = 1.0 - share * share;
    (rest * rest * rest, near.slope * (-6.0 * share / radius_m * rest * rest))
}

#[cfg(test)]
mod tests {
    use super::*;
    use sinew_math::dvec3;

    fn near(nodes: &[DVec3], x: DVec3) -> Vec<Near> {
        let near = |(node, place): (usize, &DVec3)| {
            let arm_m = *place - x;
            Near { node: node as u32, arm_m, distance_m: arm_m.length(), slope: -arm_m.normalize_or_zero() }
        };
        nodes.iter().enumerate().map(near).collect()
    }

    /// Known answer 1, for any distance and any gradient of it: these have nothing to do with one another.
    #[test]
    fn functions_reproduce_linear_fields_whatever_the_distance() {
        let nodes: Vec<DVec3> = (0..12u32)
            .map(|n| dvec3(f64::from(n * 7 % 12), f64::from(n * 5 % 11), f64::from(n * n % 13)) * 0.1 + 3.0)
            .collect();
        let x = dvec3(3.4, 3.7, 3.5);
        let mut around = near(&nodes, x);
        for (n, near) in around.iter_mut().enumerate() {
            near.distance_m *= 1.0 + 0.3 * (n as f64).sin().abs();
            near.slope = dvec3((n as f64).cos(), 0.3 * n as f64, -0.7);
        }
        let (_, row) = evaluate(&around, 1.2);
        let row = row.unwrap();
        let sums = |weights: &[f64]| {
            let places = row.nodes.iter().zip(weights).map(|(n, w)| nodes[*n as usize] * *w).sum::<DVec3>();
            (weights.iter().sum::<f64>(), places)
        };
        let (one, place) = sums(&row.values);
        assert!((one - 1.0).abs() < 1e-12 && place.distance(x) < 1e-11);
        for axis in 0..3 {
            let slopes: Vec<f64> = row.gradients.iter().map(|g| g[axis]).collect();
            let (zero, unit) = sums(&slopes);
            assert!(zero.abs() < 1e-11 && unit.distance(DVec3::AXES[axis]) < 1e-10, "{zero} {unit}");
        }
    }

    #[test]
    fn nodes_in_a_plane_or_fewer_than_four_have_no_functions() {
        let flat: Vec<DVec3> = (0..8u32).map(|n| dvec3(f64::from(n % 3), f64::from(n / 3), 0.0)).collect();
        assert!(evaluate(&near(&flat, DVec3::ONE), 5.0).1.is_none());
        let three = [DVec3::ZERO, DVec3::X, DVec3::Y];
        assert!(evaluate(&near(&three, DVec3::ONE), 5.0).1.is_none());
        assert!(evaluate(&[], 5.0).1.is_none());
    }
}
