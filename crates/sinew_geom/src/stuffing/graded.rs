//! Larger tets deep inside, where nothing is cut: the cells there are joined to an octree.
//!
//! [LS07] §3 grades its lattice by an octree with leaves of one size along the surface. Here leaves grow out of the cells:
//! eight cells become one where they and all cells around them are inside, then eight of these where all around are as
//! large, and so on, so that leaves that touch (by a face, an edge or a corner) differ by one level at most. The points of
//! an octree are points of the lattice: corners, and for centres of larger leaves the corners in their middle.
//!
//! Between two leaves of a level stand the lattice's tets, four to a face, each around an edge of it; where smaller leaves
//! meet that edge, its tet is cut in two there. Between a leaf and a larger one the smaller one's face is cut along the
//! diagonal that ends in the middle of the larger face, and both centres have a tet over each half. All these tets have
//! angles between 45° and 135°, and none of them meets the surface, so that the bounds hold as they do without.

use super::lattice::Lattice;
use super::stencil::Label;

/// Layers of fine cells, inside like it, that stay around a larger leaf: a tet with a point that is not inside stands
/// between two cells that touch the point, or between the point's own cell and one beside it.
const MARGIN: usize = 1;
/// Leaves are at most this many levels above the cells: 64 cells along an edge.
const LEVELS: u8 = 6;

/// The octree: of each cell, how many levels up the leaf is that it belongs to.
pub(super) struct Leaves {
    size: [usize; 3],
    level: Vec<u8>,
}

impl Leaves {
    pub(super) fn of(lattice: &Lattice, labels: &[Label]) -> Self {
        let mut leaves = Self { size: lattice.size, level: vec![0; lattice.size.iter().product()] };
        let deep = deep_cells(lattice, labels);
        for level in 1..=LEVELS {
            let side = 1usize << level;
            let blocks = leaves.size.map(|n| n / side);
            let joined: Vec<[usize; 3]> = places([0; 3], blocks)
                .map(|block| block.map(|n| n * side))
                .filter(|first| leaves.may_join(*first, level, &deep))
                .collect();
            if joined.is_empty() {
                break;
            }
            for first in joined {
                for cell in places(first, first.map(|n| n + side)) {
                    let number = leaves.number(cell);
                    leaves.level[number] = level;
                }
            }
        }
        leaves
    }

    /// Whether a block and all cells around it are one level lower, and lie deep.
    fn may_join(&self, first: [usize; 3], level: u8, deep: &[bool]) -> bool {
        let side = 1usize << level;
        if (0..3).any(|axis| first[axis] == 0 || first[axis] + side >= self.size[axis]) {
            return false;
        }
        let around = places(first.map(|n| n - 1), first.map(|n| n + side + 1));
        around.map(|cell| self.number(cell)).all(|cell| self.level[cell] == level - 1)
            && places(first, first.map(|n| n + side)).all(|cell| deep[self.number(cell)])
    }

    fn number(&self, [i, j, k]: [usize; 3]) -> usize {
        (k * self.size[1] + j) * self.size[0] + i
    }

    /// Whether a cell is a leaf of its own.
    pub(super) fn is_fine(&self, cell: [usize; 3]) -> bool {
        self.level[self.number(cell)] == 0
    }

    /// Tets at all faces that belong to a larger leaf, by ids of lattice points.
    pub(super) fn tets(&self, lattice: &Lattice) -> Vec<[u32; 4]> {
        let mut out = Vec::new();
        for cell in places([1; 3], self.size.map(|n| n - 1)) {
            let leaf = self.leaf(cell);
            // A leaf speaks for all its cells.
            if leaf.first == cell {
                self.add_faces(leaf, lattice, &mut out);
            }
        }
        out
    }

    fn leaf(&self, cell: [usize; 3]) -> Leaf {
        let level = self.level[self.number(cell)];
        Leaf { first: cell.map(|n| n >> level << level), level }
    }

    fn add_faces(&self, leaf: Leaf, lattice: &Lattice, out: &mut Vec<[u32; 4]>) {
        for axis in 0..3 {
            for is_upper in [false, true] {
                let mut beyond = leaf.first;
                beyond[axis] = if is_upper { beyond[axis] + leaf.side() } else { beyond[axis] - 1 };
                let other = self.leaf(beyond);
                if other.level == leaf.level && is_upper && leaf.level > 0 {
                    self.add_between_equals(leaf, other, axis, lattice, out);
                } else if other.level > leaf.level {
                    add_under_larger(leaf, other, axis, is_upper, lattice, out);
                }
            }
        }
    }

    /// Four tets around the edges of the face between two leaves, or eight where these edges are cut.
    fn add_between_equals(&self, leaf: Leaf, next: Leaf, axis: usize, lattice: &Lattice, out: &mut Vec<[u32; 4]>) {
        let centres = [leaf.centre(lattice), next.centre(lattice)];
        let around = leaf.face(axis, true);
        for n in 0..4 {
            let (from, to) = (around[n], around[(n + 1) % 4]);
            let [a, b] = [from, to].map(|corner| lattice.corner_id(corner) as u32);
            if self.is_cut(from, to, leaf.level) {
                let middle = lattice.corner_id(std::array::from_fn(|axis| (from[axis] + to[axis]) / 2)) as u32;
                out.extend([[centres[0], centres[1], a, middle], [centres[0], centres[1], middle, b]]);
            } else {
                out.push([centres[0], centres[1], a, b]);
            }
        }
    }

    /// Whether smaller leaves than of `level` meet the edge between two corners.
    fn is_cut(&self, from: [usize; 3], to: [usize; 3], level: u8) -> bool {
        let low: [usize; 3] = std::array::from_fn(|axis| from[axis].min(to[axis]));
        (0..4usize).any(|quadrant| {
            let mut bit = 0;
            let cell: [usize; 3] = std::array::from_fn(|axis| {
                if from[axis] != to[axis] {
                    return low[axis];
                }
                bit += 1;
                low[axis] - (quadrant >> (bit - 1) & 1)
            });
            self.level[self.number(cell)] < level
        })
    }
}

/// Over each half of the smaller leaf's face one tet to its own centre and one to the larger leaf's.
fn add_under_larger(leaf: Leaf, larger: Leaf, axis: usize, is_upper: bool, lattice: &Lattice, out: &mut Vec<[u32; 4]>) {
    let around = leaf.face(axis, is_upper);
    // The larger face's middle is a corner of this one.
    let middle = larger.first.map(|n| n + larger.side() / 2);
    let is_middle = |corner: &[usize; 3]| (0..3).all(|other| other == axis || corner[other] == middle[other]);
    let Some(start) = around.iter().position(is_middle) else { return };
    let [m, b, c, d] = std::array::from_fn(|n| lattice.corner_id(around[(start + n) % 4]) as u32);
    let (own, theirs) = (leaf.centre(lattice), larger.centre(lattice));
    // `around` turns counter-clockwise seen against the axis, so that the upper side of it is the other centre's.
    let (below, above) = if is_upper { (own, theirs) } else { (theirs, own) };
    for [p, q, r] in [[m, b, c], [m, c, d]] {
        out.extend([[below, p, q, r], [above, p, r, q]]);
    }
}

#[derive(Debug, Clone, Copy, PartialEq)]
struct Leaf {
    first: [usize; 3],
    level: u8,
}

impl Leaf {
    fn side(self) -> usize {
        1 << self.level
    }

    fn centre(self, lattice: &Lattice) -> u32 {
        let id = match self.level {
            0 => lattice.corner_id(self.first) + 1,
            _ => lattice.corner_id(self.first.map(|n| n + self.side() / 2)),
        };
        id as u32
    }

    /// Corners of a face, counter-clockwise seen from the upper end of its axis.
    fn face(self, axis: usize, is_upper: bool) -> [[usize; 3]; 4] {
        [[0, 0], [1, 0], [1, 1], [0, 1]].map(|[u, v]| {
            let mut corner = self.first;
            corner[axis] += usize::from(is_upper) * self.side();
            corner[(axis + 1) % 3] += u * self.side();
            corner[(axis + 2) % 3] += v * self.side();
            corner
        })
    }
}

/// Cells all of whose points, and all points of the cells within the margin, are inside.
fn deep_cells(lattice: &Lattice, labels: &[Label]) -> Vec<bool> {
    let size = lattice.size;
    let number = |[i, j, k]: [usize; 3]| (k * size[1] + j) * size[0] + i;
    let mut deep: Vec<bool> = labels.chunks_exact(2).map(|cell| cell == [Label::Inside; 2]).collect();
    // Erode along one axis after the other; a cell's upper corners belong to the cells above it.
    for axis in 0..3 {
        let before = deep.clone();
        for cell in places([0; 3], size) {
            let near = cell[axis].saturating_sub(MARGIN)..=cell[axis] + MARGIN + 1;
            deep[number(cell)] = cell[axis] >= MARGIN
                && near.into_iter().all(|n| {
                    let mut at = cell;
                    at[axis] = n;
                    n < size[axis] && before[number(at)]
                });
        }
    }
    deep
}

/// All places from `low` to below `high`, x fastest.
fn places(low: [usize; 3], high: [usize; 3]) -> impl Iterator<Item = [usize; 3]> {
    (low[2]..high[2]).flat_map(move |k| (low[1]..high[1]).flat_map(move |j| (low[0]..high[0]).map(move |i| [i, j, k])))
}

#[cfg(test)]
mod tests {
    use crate::adjacency::boundary_triangles;
    use crate::distance::Shape;
    use crate::stuffing::{Fineness, Inside, Stuffed, stuff_inside};
    use sinew_math::{DVec3, dvec3};
    use std::collections::BTreeSet;

    fn surface(stuffed: &Stuffed) -> BTreeSet<Vec<[u64; 3]>> {
        let key = |corners: [u32; 3]| {
            let mut places = corners.map(|v| stuffed.mesh.positions[v as usize].to_array().map(f64::to_bits)).to_vec();
            places.sort_unstable();
            places
        };
        boundary_triangles(&stuffed.mesh.tets).into_iter().map(key).collect()
    }

    #[test]
    fn a_graded_body_has_the_same_surface_and_fewer_larger_tets() {
        let shape = Shape::sphere(1.0).union(Shape::cuboid(dvec3(1.4, 0.6, 0.5)), 0.1);
        let [even, graded] =
            [Inside::Even, Inside::Graded].map(|inside| stuff_inside(&shape, Fineness::CellM(0.05), inside).unwrap());
        assert!(surface(&even) == surface(&graded), "the surface is the same to the bit");
        let difference = even.mesh.volume() / graded.mesh.volume() - 1.0;
        assert!(difference.abs() < 1e-10, "no gap and no overlap: {difference}");
        let (many, few) = (even.mesh.tets.len(), graded.mesh.tets.len());
        assert!(3 * few < 2 * many, "{few} of {many}");
        let longest = |stuffed: &Stuffed| stuffed.mesh.quality().edge_max_m;
        let (long, short) = (longest(&graded), longest(&even));
        assert!(long > 2.0 * short, "several levels: {long} {short}");
    }

    #[test]
    fn tets_inside_have_no_bad_angles() {
        let graded = stuff_inside(&Shape::sphere(1.0), Fineness::CellM(0.04), Inside::Graded).unwrap().mesh;
        let is_deep = |tet: &[u32; 4]| tet.iter().all(|v| graded.positions[*v as usize].length() < 0.8);
        let inner: Vec<[u32; 4]> = graded.tets.iter().copied().filter(is_deep).collect();
        let (low, high) = crate::TetMesh { positions: graded.positions.clone(), tets: inner }.dihedral_range_deg();
        assert!(low > 44.9 && high < 135.1, "{low} to {high}");
        let centre = graded.positions.iter().filter(|x| x.distance(DVec3::ZERO) < 0.3).count();
        assert!(centre > 0);
    }
}
