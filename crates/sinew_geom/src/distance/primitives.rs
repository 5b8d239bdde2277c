//! Exact distances to the primitives that take more than a line.

use sinew_math::{DVec2, DVec3, dvec2};
use std::ops::{Add, Mul, Sub};

/// What a sweep's path may live in: space, or the half-plane that a revolution turns.
pub(super) trait Place: Copy + Sub<Output = Self> + Add<Output = Self> + Mul<f64, Output = Self> {
    fn inner(self, other: Self) -> f64;
}

impl Place for DVec3 {
    fn inner(self, other: Self) -> f64 {
        self.dot(other)
    }
}

impl Place for DVec2 {
    fn inner(self, other: Self) -> f64 {
        self.dot(other)
    }
}

fn length<P: Place>(p: P) -> f64 {
    p.inner(p).sqrt()
}

/// A ball that moves along a polyline and changes its radius from point to point.
pub(super) fn sweep<P: Place>(path: &[(P, f64)], p: P) -> f64 {
    match path {
        [] => f64::INFINITY,
        [(centre, radius)] => length(p - *centre) - radius,
        _ => {
            // A cone lies within a ball about its middle: most are too far away to be asked.
            let clearance = |pair: &[(P, f64)]| {
                let ((a, radius_a), (b, radius_b)) = (pair[0], pair[1]);
                let from_middle = (p - a) + (p - b);
                let reach = length(b - a) + 2.0 * radius_a.max(radius_b);
                (from_middle.inner(from_middle), reach)
            };
            let squared = |pair: &&[(P, f64)]| clearance(pair).0;
            let nearest = path.windows(2).min_by(|s, t| squared(s).total_cmp(&squared(t)));
            let first = nearest.map_or(f64::INFINITY, |pair| round_cone(pair[0], pair[1], p));
            path.windows(2).fold(first, |best, pair| {
                let (squared, reach) = clearance(pair);
                let far = 2.0 * best + reach;
                if far <= 0.0 || squared >= far * far { best } else { best.min(round_cone(pair[0], pair[1], p)) }
            })
        }
    }
}

/// Exact distance to two balls and the cone that touches both, in the plane of the axis and the point.
fn round_cone<P: Place>((a, radius_a): (P, f64), (b, radius_b): (P, f64), p: P) -> f64 {
    let axis = b - a;
    let axis_length = length(axis);
    let shrink = radius_a - radius_b;
    if axis_length <= shrink.abs() {
        // One ball holds the other.
        return if shrink > 0.0 { length(p - a) - radius_a } else { length(p - b) - radius_b };
    }
    let along = (p - a).inner(axis) / axis_length;
    let out = length(p - a - axis * (along / axis_length));
    // The cone's side, seen from the axis: it leans by `sine` towards the smaller ball.
    let sine = shrink / axis_length;
    let cosine = (1.0 - sine * sine).sqrt();
    let foot = along * cosine - out * sine;
    if foot <= 0.0 {
        dvec2(along, out).length() - radius_a
    } else if foot >= axis_length * cosine {
        dvec2(along - axis_length, out).length() - radius_b
    } else {
        out * cosine + along * sine - radius_a
    }
}

/// Exact distance to an ellipsoid: its nearest point is `q_i = r_i² p_i/(t + r_i²)` for the `t` that puts q on it. With
/// `h(t)² = Σ (q_i/r_i)²`, Newton's method on `1/h(t) = 1` climbs to it from the left in a few steps, as it does for the
/// secular equation of trust regions (Moré, Sorensen, "Computing a trust region step", 1983).
pub(super) fn ellipsoid(radii: DVec3, p: DVec3) -> f64 {
    const STEPS: usize = 20;
    let smallest = radii.min_element();
    // In units of the smallest radius; where a coordinate is zero, the equation may have its root in the pole.
    let (radii, p) = (radii / smallest, (p.abs() / smallest).max(DVec3::splat(1e-9)));
    let squares = radii * radii;
    // Left of the root: there the part of the smallest radius alone makes h at least 1.
    let mut t = DVec3::select(radii.cmple(DVec3::ONE), p, DVec3::ZERO).max_element() - 1.0;
    for _ in 0..STEPS {
        let unit = radii * p / (squares + DVec3::splat(t));
        let h_squared = unit.length_squared();
        let h = h_squared.sqrt();
        let slope = (unit * unit / (squares + DVec3::splat(t))).element_sum();
        let step = (h - 1.0) * h_squared / slope;
        t += step;
        if step.abs() <= 1e-14 * (1.0 + t.abs()) {
            break;
        }
    }
    let nearest = squares * p / (squares + DVec3::splat(t));
    let distance = smallest * p.distance(nearest);
    if (p / radii).length_squared() < 1.0 { -distance } else { distance }
}

/// Exact distance to a polygon in the xy plane, grown by half a thickness.
pub(super) fn plate(outline: &[DVec2], thickness: f64, p: DVec3) -> f64 {
    let flat = polygon(outline, p.truncate()).max(0.0);
    dvec2(flat, p.z).length() - 0.5 * thickness
}

/// Exact distance to a polygon that does not cross itself: nearest edge, sign by crossings.
fn polygon(outline: &[DVec2], p: DVec2) -> f64 {
    let (mut nearest, mut is_inside) = (f64::INFINITY, false);
    for (n, b) in outline.iter().enumerate() {
        let a = outline[if n == 0 { outline.len() - 1 } else { n - 1 }];
        let edge = *b - a;
        let share = ((p - a).dot(edge) / edge.length_squared().max(f64::MIN_POSITIVE)).clamp(0.0, 1.0);
        nearest = nearest.min((p - a - edge * share).length_squared());
        if (a.y > p.y) != (b.y > p.y) && p.x < a.x + edge.x * (p.y - a.y) / edge.y {
            is_inside = !is_inside;
        }
    }
    if is_inside { -nearest.sqrt() } else { nearest.sqrt() }
}
