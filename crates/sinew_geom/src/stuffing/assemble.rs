//! Pieces of all lattice tets, and the triangles between body and outside.

use super::graded::Leaves;
use super::lattice::{Lattice, NEIGHBOURS, tet_kinds};
use super::stencil::{Label, Stencils, Vertex};
use super::warp::Warped;
use crate::TetMesh;
use crate::distance::Distance;
use rayon::prelude::*;
use sinew_math::DVec3;

/// Set in the code of a cut point; the rest is its number. Without it a code is a lattice point.
const CUT: u32 = 1 << 31;

/// Tets whose corners are codes of lattice points and cut points.
pub(super) struct Pieces {
    pub tets: Vec<[u32; 4]>,
    /// Triangles of the boundary, counter-clockwise seen from outside.
    pub boundary: Vec<[u32; 3]>,
    cuts: Vec<DVec3>,
}

/// Cut points by the inside points that own them.
struct CutNumbers {
    first: Vec<u32>,
    mask: Vec<u16>,
}

impl Pieces {
    /// What lies at the cells; where leaves are larger than cells, [`Pieces::with_leaves`] adds theirs.
    pub(super) fn of<D: Distance + ?Sized>(
        warped: &Warped<'_, D>,
        stencils: &Stencils,
        leaves: Option<&Leaves>,
    ) -> Self {
        let (numbers, cuts) = number_cuts(warped);
        let offsets = corner_offsets(&warped.lattice);
        let slabs: Vec<Slab> = (0..warped.lattice.size[2] - 1)
            .into_par_iter()
            .map(|layer| Slab::of(layer, warped, stencils, leaves, &numbers, &offsets))
            .collect();
        let mut tets = Vec::with_capacity(slabs.iter().map(|slab| slab.tets.len()).sum());
        let mut faces = Vec::with_capacity(slabs.iter().map(|slab| slab.faces.len()).sum());
        for slab in slabs {
            tets.extend(slab.tets);
            faces.extend(slab.faces);
        }
        Self { tets, boundary: without_pairs(&faces), cuts }
    }

    pub(super) fn with_leaves(mut self, leaves: Option<&Leaves>, lattice: &Lattice) -> Self {
        self.tets.extend(leaves.into_iter().flat_map(|leaves| leaves.tets(lattice)));
        self
    }

    pub(super) fn place<D: Distance + ?Sized>(&self, code: u32, warped: &Warped<'_, D>) -> DVec3 {
        if code & CUT == 0 { warped.place(code as usize) } else { self.cuts[(code ^ CUT) as usize] }
    }

    /// The lattice point that a code names, where it names one.
    pub(super) fn lattice_point(code: u32) -> Option<usize> {
        (code & CUT == 0).then_some(code as usize)
    }

    /// The mesh with vertices numbered along the lattice.
    pub(super) fn into_mesh<D: Distance + ?Sized>(self, warped: &Warped<'_, D>) -> TetMesh {
        const UNUSED: u32 = u32::MAX;
        let mut number = vec![UNUSED; warped.labels.len()];
        for &code in self.tets.iter().flatten().filter(|code| **code & CUT == 0) {
            number[code as usize] = 0;
        }
        let mut positions = Vec::new();
        for (point, number) in number.iter_mut().enumerate().filter(|(_, number)| **number != UNUSED) {
            *number = positions.len() as u32;
            positions.push(warped.place(point));
        }
        let first_cut = positions.len() as u32;
        positions.extend_from_slice(&self.cuts);
        let renumber = |code: u32| if code & CUT == 0 { number[code as usize] } else { first_cut + (code ^ CUT) };
        TetMesh { positions, tets: self.tets.into_iter().map(|tet| tet.map(renumber)).collect() }
    }
}

fn number_cuts<D: Distance + ?Sized>(warped: &Warped<'_, D>) -> (CutNumbers, Vec<DVec3>) {
    let labels = &warped.labels;
    let mut numbers = CutNumbers { first: vec![0; labels.len()], mask: vec![0; labels.len()] };
    let mut cuts = Vec::new();
    for point in 0..labels.len() {
        if labels[point] != Label::Inside {
            continue;
        }
        numbers.first[point] = cuts.len() as u32;
        for neighbour in 0..NEIGHBOURS {
            if labels[warped.neighbour(point, neighbour)] == Label::Outside {
                numbers.mask[point] |= 1 << neighbour;
                cuts.push(warped.cut_point(point, neighbour));
            }
        }
    }
    (numbers, cuts)
}

impl CutNumbers {
    fn code(&self, inside: usize, neighbour: u8) -> u32 {
        let before = self.mask[inside] & ((1 << neighbour) - 1);
        CUT | (self.first[inside] + before.count_ones())
    }
}

/// For each kind of tet, what to add to the id of its cell's corner to get its own corners.
fn corner_offsets(lattice: &Lattice) -> [[usize; 4]; 12] {
    tet_kinds().map(|kind| kind.map(|at| lattice.corner_id(at.map(|c| (c / 2) as usize)) + (at[0] % 2) as usize))
}

/// The tets of one layer of cells, and those of their faces that lie wholly on the surface.
struct Slab {
    tets: Vec<[u32; 4]>,
    faces: Vec<[u32; 3]>,
}

impl Slab {
    fn of<D: Distance + ?Sized>(
        layer: usize,
        warped: &Warped<'_, D>,
        stencils: &Stencils,
        leaves: Option<&Leaves>,
        numbers: &CutNumbers,
        offsets: &[[usize; 4]; 12],
    ) -> Self {
        let (lattice, labels) = (&warped.lattice, &warped.labels);
        let mut slab = Self { tets: Vec::new(), faces: Vec::new() };
        for j in 0..lattice.size[1] - 1 {
            for i in 0..lattice.size[0] - 1 {
                let cell = lattice.corner_id([i, j, layer]);
                let is_fine = fine_faces(leaves, [i, j, layer]);
                for (kind, offset) in offsets.iter().enumerate() {
                    if !is_fine[kind / 4] {
                        continue;
                    }
                    let corners = offset.map(|o| cell + o);
                    let of = corners.map(|corner| labels[corner]);
                    if of.iter().all(|label| *label != Label::Inside) {
                        continue;
                    }
                    if of == [Label::Inside; 4] {
                        slab.tets.push(corners.map(|c| c as u32));
                        continue;
                    }
                    for piece in stencils.of(kind, of) {
                        let code = piece.map(|vertex| match vertex {
                            Vertex::Corner(n) => corners[usize::from(n)] as u32,
                            Vertex::Cut { inside, neighbour, .. } => {
                                numbers.code(corners[usize::from(inside)], neighbour)
                            }
                        });
                        let is_on = piece.map(|vertex| match vertex {
                            Vertex::Corner(n) => of[usize::from(n)] == Label::On,
                            Vertex::Cut { .. } => true,
                        });
                        slab.push(code, is_on);
                    }
                }
            }
        }
        slab
    }

    fn push(&mut self, tet: [u32; 4], is_on: [bool; 4]) {
        self.tets.push(tet);
        for [a, b, c] in [[1, 2, 3], [0, 3, 2], [0, 1, 3], [0, 2, 1]] {
            if is_on[a] && is_on[b] && is_on[c] {
                self.faces.push([tet[a], tet[b], tet[c]]);
            }
        }
    }
}

/// Along each axis, whether both cells at a cell's upper face are leaves of their own, so that the lattice's tets stand there.
fn fine_faces(leaves: Option<&Leaves>, cell: [usize; 3]) -> [bool; 3] {
    let Some(leaves) = leaves else { return [true; 3] };
    std::array::from_fn(|axis| {
        let mut next = cell;
        next[axis] += 1;
        leaves.is_fine(cell) && leaves.is_fine(next)
    })
}

/// Faces that occur once: the others have a tet on both sides.
fn without_pairs(faces: &[[u32; 3]]) -> Vec<[u32; 3]> {
    let mut keys: Vec<([u32; 3], u32)> = faces
        .iter()
        .enumerate()
        .map(|(n, face)| {
            let mut key = *face;
            key.sort_unstable();
            (key, n as u32)
        })
        .collect();
    keys.sort_unstable();
    let mut single: Vec<u32> = Vec::with_capacity(keys.len());
    for group in keys.chunk_by(|a, b| a.0 == b.0) {
        if let [(_, face)] = group {
            single.push(*face);
        }
    }
    single.sort_unstable();
    single.into_iter().map(|n| faces[n as usize]).collect()
}
