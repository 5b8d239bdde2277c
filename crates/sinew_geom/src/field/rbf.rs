//! Radial basis functions: the smoothest field of space through given values.
//!
//! Turk, O'Brien. "Shape Transformation Using Variational Implicit Functions". SIGGRAPH 1999, with the kernel φ(r) = r³:
//! f(x) = Σ wᵢ φ(|x − xᵢ|) + a + b·x, with Σ wᵢ = 0 and Σ wᵢ xᵢ = 0.
//!
//! Departures: points closer than a millionth of the cloud's size are one point with the mean value. Where points lie in a plane, on a line or in
//! one spot, b keeps to that plane, line or spot, so that there is always exactly one answer (the polynomial part is not
//! dropped altogether). Coordinates are scaled to the size of the cloud, which keeps the system's numbers in range.
//!
//! Limits: knows nothing of what lies between two points; see [`super::SmoothField`]. Time grows with the cube of the
//! number of points.

use sinew_math::dense::solve_symmetric;
use sinew_math::{DMat3, DVec3, PrincipalFrame};

/// Spreads below this share of the largest leave a direction without a slope.
const FLAT: f64 = 1e-6;
/// Points closer than this share of the cloud's size are one.
const SAME: f64 = 1e-6;

/// `N` fields through values at the same points.
#[derive(Debug, Clone, PartialEq)]
pub struct Rbf<const N: usize> {
    centre: DVec3,
    per_m: f64,
    /// Scaled points.
    points: Vec<DVec3>,
    weights: Vec<[f64; N]>,
    constant: [f64; N],
    slope: [DVec3; N],
}

impl<const N: usize> Rbf<N> {
    /// Through `values[k]` at `points[k]`, or near them: `softness` 0 passes through every value, larger ones smooth. None without points, or
    /// with numbers that are not finite.
    pub fn through(points: &[DVec3], values: &[[f64; N]], softness: f64) -> Option<Self> {
        let frame = PrincipalFrame::of(points, &vec![1.0; points.len()])?;
        let reach = points.iter().map(|x| x.distance(frame.centre)).fold(0.0, f64::max);
        let per_m = if reach > 0.0 { 1.0 / reach } else { 1.0 };
        let scaled = points.iter().map(|x| (*x - frame.centre) * per_m);
        let (points, values) = merged(scaled.zip(values.iter().copied()).collect());
        let axes: Vec<DVec3> =
            (0..3).filter(|&i| frame.spread[i] > FLAT * frame.spread[0]).map(|i| axis(&frame.axes, i)).collect();
        let (count, size) = (points.len(), points.len() + 1 + axes.len());
        let mut matrix = vec![0.0; size * size];
        for (j, x) in points.iter().enumerate() {
            let column = &mut matrix[j * size..(j + 1) * size];
            for (i, y) in points.iter().enumerate().skip(j + 1) {
                column[i] = cubed(x.distance_squared(*y));
            }
            column[j] = softness;
            column[count] = 1.0;
            for (k, axis) in axes.iter().enumerate() {
                column[count + 1 + k] = x.dot(*axis);
            }
        }
        let mut columns = vec![0.0; N * size];
        for (n, column) in columns.chunks_mut(size).enumerate() {
            column.iter_mut().zip(&values).for_each(|(c, value)| *c = value[n]);
        }
        solve_symmetric(&matrix, size, &mut columns);
        if !columns.iter().all(|c| c.is_finite()) {
            return None;
        }
        let solved = |n: usize, i: usize| columns[n * size + i];
        Some(Self {
            centre: frame.centre,
            per_m,
            weights: (0..count).map(|i| std::array::from_fn(|n| solved(n, i))).collect(),
            constant: std::array::from_fn(|n| solved(n, count)),
            slope: std::array::from_fn(|n| {
                axes.iter().enumerate().map(|(k, axis)| *axis * solved(n, count + 1 + k)).sum::<DVec3>()
            }),
            points,
        })
    }

    pub fn value(&self, at: DVec3) -> [f64; N] {
        let x = (at - self.centre) * self.per_m;
        let mut sum: [f64; N] = std::array::from_fn(|n| self.constant[n] + self.slope[n].dot(x));
        for (point, weight) in self.points.iter().zip(&self.weights) {
            let kernel = cubed(x.distance_squared(*point));
            for n in 0..N {
                sum[n] += weight[n] * kernel;
            }
        }
        sum
    }

    /// Slopes of the fields, per metre.
    pub fn gradient(&self, at: DVec3) -> [DVec3; N] {
        let x = (at - self.centre) * self.per_m;
        let mut sum = self.slope;
        for (point, weight) in self.points.iter().zip(&self.weights) {
            let arm = x - *point;
            let along = arm * (3.0 * arm.length());
            for n in 0..N {
                sum[n] += along * weight[n];
            }
        }
        sum.map(|slope| slope * self.per_m)
    }
}

/// r³ from r².
fn cubed(squared: f64) -> f64 {
    squared * squared.sqrt()
}

fn axis(axes: &DMat3, i: usize) -> DVec3 {
    axes.col(i)
}

/// Points without doubles, each with the mean of the values given there.
fn merged<const N: usize>(mut given: Vec<(DVec3, [f64; N])>) -> (Vec<DVec3>, Vec<[f64; N]>) {
    let cell = |x: DVec3| (x / SAME).round().to_array().map(|c| c as i64);
    given.sort_by_key(|(x, _)| cell(*x));
    let mean = |same: &[(DVec3, [f64; N])]| {
        let share = 1.0 / same.len() as f64;
        (same[0].0, std::array::from_fn(|n| same.iter().map(|(_, value)| value[n]).sum::<f64>() * share))
    };
    given.chunk_by(|a, b| cell(a.0) == cell(b.0)).map(mean).unzip()
}

#[cfg(test)]
mod tests {
    use super::*;
    use sinew_math::dvec3;

    fn scattered(count: u32) -> Vec<DVec3> {
        let at = |n: u32, k: u32| {
            f64::from((n + 1).wrapping_mul([7919, 6311, 4817, 3571, 2221, 1301][k as usize]) % 2003) / 2003.0
        };
        (0..count).map(|n| dvec3(at(n, 0), 0.6 * at(n, 1) - 1.0, 2.0 * at(n, 2))).collect()
    }

    /// Known answer: r³ with a linear part reproduces its data and any linear field.
    #[test]
    fn data_and_linear_fields_are_reproduced() {
        let points = scattered(60);
        let linear = |x: DVec3| [0.3 + x.dot(dvec3(2.0, -1.0, 0.5)), 7.0 * x.z];
        let rbf = Rbf::through(&points, &points.iter().map(|x| linear(*x)).collect::<Vec<_>>(), 0.0).unwrap();
        for x in [dvec3(4.0, 1.0, -2.0), dvec3(0.1, 0.2, 0.3), points[7]] {
            assert!(rbf.value(x).iter().zip(linear(x)).all(|(a, b)| (a - b).abs() < 1e-9), "{x}");
            assert!(rbf.gradient(x)[0].distance(dvec3(2.0, -1.0, 0.5)) < 1e-9);
        }
        let values: Vec<[f64; 1]> = (0..60).map(|i| [f64::from(i % 7)]).collect();
        let rbf = Rbf::through(&points, &values, 0.0).unwrap();
        for (x, value) in points.iter().zip(&values) {
            assert!((rbf.value(*x)[0] - value[0]).abs() < 1e-8);
        }
    }

    #[test]
    fn the_gradient_is_the_derivative() {
        let points = scattered(40);
        let values: Vec<[f64; 1]> = points.iter().map(|x| [(3.0 * x.x).sin() * x.z]).collect();
        let rbf = Rbf::through(&points, &values, 0.0).unwrap();
        let (x, d) = (dvec3(0.3, -0.7, 0.9), 1e-5);
        for axis in [DVec3::X, DVec3::Y, DVec3::Z] {
            let slope = (rbf.value(x + axis * d)[0] - rbf.value(x - axis * d)[0]) / (2.0 * d);
            assert!((slope - rbf.gradient(x)[0].dot(axis)).abs() < 1e-7);
        }
    }

    #[test]
    fn flat_lined_up_doubled_and_single_points_have_an_answer() {
        let plane: Vec<DVec3> = scattered(20).iter().map(|x| dvec3(x.x, x.y, 0.0)).collect();
        let line: Vec<DVec3> = (0..5).map(|i| DVec3::X * f64::from(i)).collect();
        for points in [plane, line, vec![DVec3::ONE; 3], vec![DVec3::ONE]] {
            let values: Vec<[f64; 1]> = points.iter().map(|x| [1.0 + 2.0 * x.x]).collect();
            let rbf = Rbf::through(&points, &values, 0.0).unwrap();
            for (x, value) in points.iter().zip(&values) {
                assert!((rbf.value(*x)[0] - value[0]).abs() < 1e-8, "{points:?}");
            }
            assert!(rbf.value(dvec3(0.3, 5.0, -2.0))[0].is_finite());
        }
        assert!(Rbf::<1>::through(&[], &[], 0.0).is_none());
        assert!(Rbf::through(&[DVec3::NAN], &[[1.0]], 0.0).is_none());
    }

    #[test]
    fn contradicting_values_at_one_point_give_their_mean() {
        let points = [DVec3::ZERO, DVec3::X, DVec3::X, DVec3::Y, DVec3::Z];
        let rbf = Rbf::through(&points, &[[0.0], [1.0], [3.0], [0.0], [0.0]], 0.0).unwrap();
        assert!((rbf.value(DVec3::X)[0] - 2.0).abs() < 1e-9);
    }
}
