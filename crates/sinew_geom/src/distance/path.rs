//! Smooth paths for sweeps.

use sinew_math::DVec3;

/// Points along a smooth curve through `knots` (place and radius), `spans` to each piece between two of them: cardinal
/// cubics, so that the curve leaves each knot towards the line between its neighbours.
pub fn smooth_path(knots: &[(DVec3, f64)], spans: usize) -> Vec<(DVec3, f64)> {
    let Some(last) = knots.last() else { return Vec::new() };
    let knot = |n: isize| knots[n.clamp(0, knots.len() as isize - 1) as usize];
    let mut path = Vec::with_capacity((knots.len() - 1) * spans + 1);
    for n in 0..knots.len() as isize - 1 {
        let [a, b, c, d] = [knot(n - 1), knot(n), knot(n + 1), knot(n + 2)];
        for step in 0..spans {
            let t = step as f64 / spans as f64;
            let [wa, wb, wc, wd] = weights(t);
            let radius = wa * a.1 + wb * b.1 + wc * c.1 + wd * d.1;
            path.push((wa * a.0 + wb * b.0 + wc * c.0 + wd * d.0, radius.max(0.2 * b.1.min(c.1))));
        }
    }
    path.push(*last);
    path
}

/// Weights of four knots between the second and the third (Catmull, Rom, "A class of local interpolating splines", 1974).
fn weights(t: f64) -> [f64; 4] {
    let (t2, t3) = (t * t, t * t * t);
    [0.5 * (-t + 2.0 * t2 - t3), 0.5 * (2.0 - 5.0 * t2 + 3.0 * t3), 0.5 * (t + 4.0 * t2 - 3.0 * t3), 0.5 * (t3 - t2)]
}

#[cfg(test)]
mod tests {
    use super::*;
    use sinew_math::dvec3;

    #[test]
    fn a_path_passes_its_knots_and_keeps_straight_lines_straight() {
        let knots = [(DVec3::ZERO, 0.1), (dvec3(1.0, 0.5, 0.0), 0.3), (dvec3(2.0, 1.0, 0.0), 0.2)];
        let path = smooth_path(&knots, 8);
        assert_eq!(path.len(), 17);
        for (n, knot) in knots.iter().enumerate() {
            assert!(path[8 * n].0.distance(knot.0) < 1e-12 && (path[8 * n].1 - knot.1).abs() < 1e-12);
        }
        assert!(path.iter().all(|(x, radius)| (x.y - 0.5 * x.x).abs() < 1e-12 && *radius > 0.0));
    }
}
