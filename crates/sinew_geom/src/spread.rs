//! A few of many points, evenly apart.

use sinew_math::DVec3;
use std::collections::HashMap;

/// Numbers of points that lie at least `apart_m` from one another, so many that no other could be added; the first ones
/// first. The same points give the same answer.
pub fn spread(points: &[DVec3], apart_m: f64) -> Vec<u32> {
    if !(apart_m.is_finite() && apart_m > 0.0) {
        return (0..points.len() as u32).collect();
    }
    let cell = |x: DVec3| (x / apart_m).floor().to_array().map(|n| n as i64);
    let mut taken: HashMap<[i64; 3], Vec<u32>> = HashMap::new();
    let mut chosen = Vec::new();
    for (number, x) in points.iter().enumerate() {
        let [i, j, k] = cell(*x);
        let near = |n: &u32| points[*n as usize].distance_squared(*x) < apart_m * apart_m;
        let cells = (0..27).map(|n| [i + n % 3 - 1, j + n / 3 % 3 - 1, k + n / 9 - 1]);
        if !cells.filter_map(|cell| taken.get(&cell)).flatten().any(near) {
            taken.entry([i, j, k]).or_default().push(number as u32);
            chosen.push(number as u32);
        }
    }
    chosen
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::structured::bar;
    use sinew_math::dvec3;

    #[test]
    fn chosen_points_are_apart_and_every_other_is_near_one() {
        let points = bar(dvec3(1.0, 0.4, 0.3), [30, 12, 9]).positions;
        let chosen = spread(&points, 0.11);
        let near = |x: &DVec3| chosen.iter().filter(|n| points[**n as usize].distance(*x) < 0.11).count();
        assert!(chosen.len() > 30 && chosen.len() < points.len() / 4);
        assert!(chosen.iter().all(|n| near(&points[*n as usize]) == 1), "only itself");
        assert!(points.iter().all(|x| near(x) >= 1));
    }
}
