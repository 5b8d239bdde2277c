//! Distance between two triangles in space.

use sinew_geom::distance::nearest_on_triangle;
use sinew_math::DVec3;

/// The distance; 0 where they cross. It is reached between a corner and a face, or between two edges.
pub(super) fn triangle_gap(a: &[DVec3; 3], b: &[DVec3; 3]) -> f64 {
    let edges = |t: &[DVec3; 3]| [[t[0], t[1]], [t[1], t[2]], [t[2], t[0]]];
    let (of_a, of_b) = (edges(a), edges(b));
    if of_a.iter().any(|edge| pierces(edge, b)) || of_b.iter().any(|edge| pierces(edge, a)) {
        return 0.0;
    }
    let corner = |from: &[DVec3; 3], to: &[DVec3; 3]| {
        from.iter().map(|corner| corner.distance(nearest_on_triangle(*to, *corner))).fold(f64::INFINITY, f64::min)
    };
    let mut gap_m = corner(a, b).min(corner(b, a));
    for first in &of_a {
        for second in &of_b {
            gap_m = gap_m.min(edge_gap(first, second));
        }
    }
    gap_m
}

/// Whether an edge passes through the inside of a triangle: its ends are on two sides, and its line turns the
/// same way about all three edges.
fn pierces([p, q]: &[DVec3; 2], [a, b, c]: &[DVec3; 3]) -> bool {
    let normal = (*b - *a).cross(*c - *a);
    if normal.dot(*p - *a) * normal.dot(*q - *a) >= 0.0 {
        return false;
    }
    let line = *q - *p;
    let about = |from: &DVec3, to: &DVec3| line.dot((*from - *p).cross(*to - *p));
    let turns = [about(a, b), about(b, c), about(c, a)];
    turns.iter().all(|turn| *turn >= 0.0) || turns.iter().all(|turn| *turn <= 0.0)
}

/// Distance between two segments (Ericson, "Real-Time Collision Detection", 2005, §5.1.9).
fn edge_gap([p, p_end]: &[DVec3; 2], [q, q_end]: &[DVec3; 2]) -> f64 {
    let (along_p, along_q, between) = (*p_end - *p, *q_end - *q, *p - *q);
    let (a, e, f) = (along_p.length_squared(), along_q.length_squared(), along_q.dot(between));
    let (b, c) = (along_p.dot(along_q), along_p.dot(between));
    let determinant = a * e - b * b;
    let share = |numerator: f64, denominator: f64| {
        if denominator > 0.0 { (numerator / denominator).clamp(0.0, 1.0) } else { 0.0 }
    };
    let mut s = share(b * f - c * e, determinant);
    let free = if e > 0.0 { (b * s + f) / e } else { -1.0 };
    let t = free.clamp(0.0, 1.0);
    if t != free {
        s = share(b * t - c, a);
    }
    (*p + along_p * s).distance(*q + along_q * t)
}

#[cfg(test)]
mod tests {
    use super::*;
    use sinew_math::dvec3;

    /// Points all over a triangle.
    fn points([a, b, c]: &[DVec3; 3], parts: u32) -> Vec<DVec3> {
        let at = |i: u32, j: u32| {
            let (u, v) = (f64::from(i) / f64::from(parts), f64::from(j) / f64::from(parts));
            *a + (*b - *a) * u + (*c - *a) * v
        };
        (0..=parts).flat_map(|i| (0..=parts - i).map(move |j| (i, j))).map(|(i, j)| at(i, j)).collect()
    }

    #[test]
    fn the_distance_of_triangles_is_that_of_their_nearest_points() {
        // Wellons' integer hash.
        let number = |n: u32| {
            let n = (n ^ n >> 16).wrapping_mul(0x7feb_352d);
            let n = (n ^ n >> 15).wrapping_mul(0x846c_a68b);
            f64::from((n ^ n >> 16) >> 12) / f64::from(1 << 20)
        };
        let corner = |n: u32| dvec3(number(3 * n), number(3 * n + 1), number(3 * n + 2));
        let (mut crossing, mut apart) = (0, 0);
        for n in 0..40u32 {
            let triangle = |k: u32| [corner(6 * n + k), corner(6 * n + k + 1), corner(6 * n + k + 2)];
            let (a, b) = (triangle(1), triangle(4).map(|x| x + dvec3(0.3, 0.0, 0.0)));
            let gap_m = triangle_gap(&a, &b);
            assert!((gap_m - triangle_gap(&b, &a)).abs() < 1e-12);
            const PARTS: u32 = 24;
            let sampled = points(&a, PARTS)
                .iter()
                .flat_map(|p| points(&b, PARTS).into_iter().map(move |q| p.distance(q)))
                .fold(f64::INFINITY, f64::min);
            assert!(gap_m <= sampled + 1e-12 && gap_m > sampled - 0.08, "{gap_m} {sampled}");
            (crossing, apart) = (crossing + u32::from(gap_m == 0.0), apart + u32::from(gap_m > 0.08));
        }
        assert!(crossing > 3 && apart > 10, "{crossing} {apart}");
    }

    #[test]
    fn triangles_cross_where_an_edge_passes_through_a_face() {
        let floor = [dvec3(-1.0, -1.0, 0.0), dvec3(1.0, -1.0, 0.0), dvec3(0.0, 1.0, 0.0)];
        let fin = |low: f64, beside: f64| [dvec3(beside, 0.0, low), dvec3(beside, 0.3, 1.0), dvec3(beside, 0.0, 1.0)];
        assert_eq!(triangle_gap(&floor, &fin(-0.01, 0.1)), 0.0);
        assert!((triangle_gap(&floor, &fin(0.01, 0.1)) - 0.01).abs() < 1e-15);
        // Beside the face, the nearest place of its edge, which leans by 1 in 2.
        assert!((triangle_gap(&floor, &fin(0.0, 0.8)) - 0.3 * 0.8f64.sqrt()).abs() < 1e-12);
    }

    #[test]
    fn parallel_and_degenerate_edges_have_a_distance() {
        let edge = [DVec3::ZERO, DVec3::X];
        assert_eq!(edge_gap(&edge, &[dvec3(0.5, 1.0, 0.0), dvec3(2.0, 1.0, 0.0)]), 1.0);
        assert_eq!(edge_gap(&edge, &[dvec3(3.0, 0.0, 0.0), dvec3(2.0, 0.0, 0.0)]), 1.0);
        assert_eq!(edge_gap(&edge, &[dvec3(0.5, 2.0, 0.0); 2]), 2.0);
    }
}
