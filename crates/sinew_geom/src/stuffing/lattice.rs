//! The body-centred cubic lattice: two interleaved cubic lattices, cut into congruent tetrahedra.
//!
//! Points are *corners* of cubic cells (even ids) and their *centres* (odd ids). A point has six long edges (to points of
//! its own kind, one cell away) and eight short ones (to the other kind, √3/2 cells away). A tet has two centres of cells
//! that share a face and two corners that share an edge of that face, so its two long edges are opposite one another.

use sinew_math::{DVec3, dvec3};

/// Long edges come first: +x, −x, +y, −y, +z, −z. Short ones follow, numbered by bits: 1 is +x, 2 is +y, 4 is +z.
pub(super) const LONG: usize = 6;
pub(super) const NEIGHBOURS: usize = 14;

/// Layers of cells around the body that stay outside, so that every point of interest has all its neighbours.
const MARGIN: usize = 2;

/// Most points a lattice may have: about 1.5 GB of working memory.
pub(super) const POINTS_MAX: usize = 100_000_000;

#[derive(Debug, Clone)]
pub(super) struct Lattice {
    pub origin: DVec3,
    pub cell_m: f64,
    /// Cells along x, y, z.
    pub size: [usize; 3],
}

impl Lattice {
    /// Covers the box from `low` to `high`, its middle `phase` cells off the lattice's own; `None` where that takes too
    /// many points.
    pub(super) fn around(low: DVec3, high: DVec3, cell_m: f64, phase: DVec3) -> Option<Self> {
        let cells = ((high - low) / cell_m).ceil();
        let size = (cells + DVec3::splat(2.0 * MARGIN as f64 + 1.0)).to_array();
        // Without a phase, a symmetric body meets a symmetric lattice.
        let middle = 0.5 * (DVec3::from_array(size) - DVec3::splat(0.5)) + phase;
        let origin = 0.5 * (low + high) - cell_m * middle;
        let fits = size.iter().product::<f64>() * 2.0 <= POINTS_MAX as f64;
        fits.then(|| Self { origin, cell_m, size: size.map(|n| n as usize) })
    }

    pub(super) fn point_count(&self) -> usize {
        2 * self.size.iter().product::<usize>()
    }

    /// The corner of a cell; its centre is the next id.
    pub(super) fn corner_id(&self, [i, j, k]: [usize; 3]) -> usize {
        2 * ((k * self.size[1] + j) * self.size[0] + i)
    }

    /// Whether a cell's points have all their neighbours in the lattice and may be inside the body.
    pub(super) fn is_inner(&self, cell: [usize; 3]) -> bool {
        (0..3).all(|axis| cell[axis] >= 1 && cell[axis] + 2 < self.size[axis])
    }

    pub(super) fn place(&self, id: usize) -> DVec3 {
        let (cell, shift) = (id / 2, 0.5 * (id % 2) as f64);
        let (i, j, k) = (cell % self.size[0], cell / self.size[0] % self.size[1], cell / (self.size[0] * self.size[1]));
        self.origin + self.cell_m * (dvec3(i as f64, j as f64, k as f64) + DVec3::splat(shift))
    }

    /// What to add to a point's id to get its neighbours: for corners, for centres.
    pub(super) fn steps(&self) -> [[isize; NEIGHBOURS]; 2] {
        let stride = [2, 2 * self.size[0] as isize, 2 * (self.size[0] * self.size[1]) as isize];
        [0, 1].map(|kind| {
            std::array::from_fn(|n| {
                if n < LONG {
                    return if n.is_multiple_of(2) { stride[n / 2] } else { -stride[n / 2] };
                }
                let bit = |axis: usize| ((n - LONG) >> axis & 1) as isize;
                // The centre of the lower neighbour cell, or the upper corner of this cell.
                let cells = |axis: usize| if kind == 0 { bit(axis) - 1 } else { bit(axis) };
                let other = if kind == 0 { 1 } else { -1 };
                (0..3).map(|axis| cells(axis) * stride[axis]).sum::<isize>() + other
            })
        })
    }
}

/// From a point to its neighbour, in cells.
pub(super) fn direction(neighbour: usize) -> DVec3 {
    if neighbour < LONG {
        let sign = if neighbour.is_multiple_of(2) { 1.0 } else { -1.0 };
        return sign * DVec3::AXES[neighbour / 2];
    }
    let half = |axis: usize| if (neighbour - LONG) >> axis & 1 == 1 { 0.5 } else { -0.5 };
    dvec3(half(0), half(1), half(2))
}

/// A kind of lattice tet: each corner's place relative to the corner of the cell that owns it, in half cells.
pub(super) type TetKind = [[i32; 3]; 4];

/// The twelve tets that belong to a cell: around the edges of its upper faces along x, y and z. Each is positively
/// oriented; its first two points are centres, the last two corners.
pub(super) fn tet_kinds() -> [TetKind; 12] {
    std::array::from_fn(|kind| {
        let (axis, side) = (kind / 4, kind % 4);
        const AROUND: [[i32; 2]; 4] = [[0, 0], [2, 0], [2, 2], [0, 2]];
        let corner = |side: usize| {
            let mut at = [0; 3];
            at[axis] = 2;
            at[(axis + 1) % 3] = AROUND[side % 4][0];
            at[(axis + 2) % 3] = AROUND[side % 4][1];
            at
        };
        let mut next_centre = [1; 3];
        next_centre[axis] = 3;
        [[1; 3], next_centre, corner(side), corner(side + 1)]
    })
}

/// Which neighbour of the point at `from` stands at `to`, both in half cells.
pub(super) fn neighbour_between(from: [i32; 3], to: [i32; 3]) -> usize {
    let step: [i32; 3] = std::array::from_fn(|axis| to[axis] - from[axis]);
    match step.iter().position(|s| s.abs() == 2) {
        Some(axis) => 2 * axis + usize::from(step[axis] < 0),
        None => LONG + (0..3).map(|axis| usize::from(step[axis] > 0) << axis).sum::<usize>(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_lead_where_directions_point() {
        let lattice = Lattice::around(DVec3::ZERO, dvec3(1.0, 0.7, 0.4), 0.1, DVec3::ZERO).unwrap();
        let steps = lattice.steps();
        for id in [lattice.corner_id([3, 4, 2]), lattice.corner_id([3, 4, 2]) + 1] {
            for (n, step) in steps[id % 2].into_iter().enumerate() {
                let there = lattice.place((id as isize + step) as usize);
                assert!(there.distance(lattice.place(id) + 0.1 * direction(n)) < 1e-12, "{id} {n}");
            }
        }
    }

    #[test]
    fn the_tets_of_a_cell_have_its_volume_and_two_long_edges() {
        let mut volume = 0.0;
        for kind in tet_kinds() {
            let [a, b, c, d] = kind.map(|at| DVec3::from_array(at.map(f64::from)) * 0.5);
            let six = (b - a).dot((c - a).cross(d - a));
            assert!(six > 0.0);
            volume += six / 6.0;
            assert_eq!((a.distance(b), c.distance(d)), (1.0, 1.0));
            assert!(neighbour_between(kind[0], kind[1]) < LONG && neighbour_between(kind[0], kind[2]) >= LONG);
        }
        assert!((volume - 1.0).abs() < 1e-12);
    }
}
