//! The order of vertices in flesh, chosen once: neighbours in space should be neighbours in memory.

use sinew_math::DVec3;

/// Vertex indices along a Morton curve through the bounding cube: `order[new] = old`. Ties keep the old order.
pub fn morton(positions: &[DVec3]) -> Vec<u32> {
    const BITS: u32 = 20;
    let low = positions.iter().fold(DVec3::INFINITY, |low, x| low.min(*x));
    let high = positions.iter().fold(DVec3::NEG_INFINITY, |high, x| high.max(*x));
    let cells = f64::from((1u32 << BITS) - 1) / (high - low).max_element().max(f64::MIN_POSITIVE);
    let code = |x: DVec3| {
        let cell = ((x - low) * cells).to_array().map(|c| c as u64);
        (0..BITS).fold(0u64, |code, bit| {
            (0..3).fold(code, |code, axis| code | ((cell[axis] >> bit) & 1) << (3 * bit + axis as u32))
        })
    };
    let mut order: Vec<(u64, u32)> = positions.iter().enumerate().map(|(i, x)| (code(*x), i as u32)).collect();
    order.sort_unstable();
    order.into_iter().map(|(_, i)| i).collect()
}

/// The inverse permutation: where each old index went.
pub fn inverse(order: &[u32]) -> Vec<u32> {
    let mut to = vec![0; order.len()];
    for (new, &old) in order.iter().enumerate() {
        to[old as usize] = new as u32;
    }
    to
}

#[cfg(test)]
mod tests {
    use super::*;
    use sinew_math::dvec3;

    #[test]
    fn morton_is_a_permutation_that_keeps_octants_together() {
        let grid: Vec<DVec3> =
            (0..64u32).map(|i| dvec3(f64::from(i % 4), f64::from(i / 4 % 4), f64::from(i / 16))).collect();
        let order = morton(&grid);
        let mut seen = order.clone();
        seen.sort_unstable();
        assert_eq!(seen, (0..64).collect::<Vec<u32>>());
        let first_octant = order[..8].iter().all(|&i| grid[i as usize].max_element() < 2.0);
        assert!(first_octant, "the first eight vertices fill one octant");
        assert_eq!(inverse(&order)[order[17] as usize], 17);
    }
}
