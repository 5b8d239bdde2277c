//! Which vertex sits in which lane.
//!
//! Vertices are coloured so that no two of one colour share a tetrahedron (greedy, in the order of the flesh), sorted by
//! colour and by how many tetrahedra they have, and taken sixteen at a time: a group. The tetrahedra of a group's vertices lie
//! in blocks of sixteen, one per vertex, padded to the vertex with the most. All bodies of a batch share groups, so that a
//! hundred small ones fill the lanes.

use super::kernel::Incidences;
use crate::simd::BLOCK;
use crate::simd::gather::Numbers;
use std::ops::Range;

/// Sixteen vertices of one colour, and the blocks of their tetrahedra.
#[derive(Debug, Clone, Copy)]
pub(super) struct Group {
    pub(super) first: u32,
    pub(super) count: u32,
}

impl Group {
    pub(super) fn blocks(&self) -> Range<usize> {
        self.first as usize..(self.first + self.count) as usize
    }
}

/// Where one corner of a tetrahedron is kept: block · 16 + lane.
pub(super) type Place = u32;

#[derive(Debug, Clone, Default)]
pub(super) struct Layout {
    pub(super) groups: Vec<Group>,
    /// Groups of each colour.
    pub(super) colours: Vec<Range<usize>>,
    /// For every point of every body, one body after the other: group · 16 + lane.
    pub(super) slot_of: Vec<u32>,
    /// For every tetrahedron, where it is kept for each of its corners.
    pub(super) places: Vec<[Place; 4]>,
}

/// The other corners of a tetrahedron as its corner `a` sees them.
pub(super) const OTHERS: [[usize; 3]; 4] = [[1, 2, 3], [2, 3, 0], [3, 0, 1], [0, 1, 2]];

impl Layout {
    /// For bodies given by their number of points and tetrahedra. Blocks are filled with the numbers of corners.
    pub(super) fn new(bodies: &[(usize, &[[u32; 4]])]) -> (Self, Vec<Incidences>) {
        let mut order = Vec::new();
        let mut tets = Vec::new();
        let mut first_point = 0;
        for &(points, corners) in bodies {
            let incidence = incident_counts(points, corners);
            for (point, colour) in colour(points, corners).into_iter().enumerate() {
                order.push((colour, u32::MAX - incidence[point], first_point + point as u32));
            }
            tets.extend(corners.iter().map(|tet| tet.map(|v| v + first_point)));
            first_point += points as u32;
        }
        order.sort_unstable();
        let mut layout = Self { slot_of: vec![0; order.len()], ..Self::default() };
        let mut blocks = 0;
        for same in order.chunk_by(|a, b| a.0 == b.0) {
            let from = layout.groups.len();
            for sixteen in same.chunks(BLOCK) {
                let most = u32::MAX - sixteen[0].1;
                for (lane, &(_, _, point)) in sixteen.iter().enumerate() {
                    layout.slot_of[point as usize] = (layout.groups.len() * BLOCK + lane) as u32;
                }
                layout.groups.push(Group { first: blocks, count: most });
                blocks += most;
            }
            layout.colours.push(from..layout.groups.len());
        }
        let incidences = layout.place(&tets, blocks as usize);
        (layout, incidences)
    }

    /// Slots of points, those that stand empty among them.
    pub(super) fn slots(&self) -> usize {
        self.groups.len() * BLOCK
    }

    fn place(&mut self, tets: &[[u32; 4]], blocks: usize) -> Vec<Incidences> {
        let mut incidences = vec![Incidences::EMPTY; blocks];
        for (number, group) in self.groups.iter().enumerate() {
            // Lanes without a tetrahedron look at their own vertex.
            let own = Numbers(std::array::from_fn(|lane| (number * BLOCK + lane) as u32));
            incidences[group.blocks()].iter_mut().for_each(|block| block.corners = [own; 3]);
        }
        let mut filled = vec![0u32; self.slots()];
        for tet in tets {
            let slots = tet.map(|v| self.slot_of[v as usize]);
            let place = |a: usize| {
                let slot = slots[a] as usize;
                let block = self.groups[slot / BLOCK].first + filled[slot];
                filled[slot] += 1;
                let lane = slot % BLOCK;
                for (corner, &other) in OTHERS[a].iter().enumerate() {
                    incidences[block as usize].corners[corner].0[lane] = slots[other];
                }
                block * BLOCK as u32 + lane as u32
            };
            self.places.push([0, 1, 2, 3].map(place));
        }
        incidences
    }
}

fn incident_counts(points: usize, tets: &[[u32; 4]]) -> Vec<u32> {
    let mut counts = vec![0; points];
    tets.iter().flatten().for_each(|&v| counts[v as usize] += 1);
    counts
}

/// The lowest colour that no neighbour has yet, point after point.
fn colour(points: usize, tets: &[[u32; 4]]) -> Vec<u32> {
    const NONE: u32 = u32::MAX;
    let rings = sinew_geom::adjacency::one_rings(points, tets);
    let mut colours = vec![NONE; points];
    let mut taken: Vec<u32> = Vec::new();
    for (point, ring) in rings.iter().enumerate() {
        taken.clear();
        taken.extend(ring.iter().map(|&other| colours[other as usize]).filter(|&colour| colour != NONE));
        taken.sort_unstable();
        taken.dedup();
        // The first gap in the sorted list.
        colours[point] =
            taken.iter().enumerate().find(|(i, colour)| *i as u32 != **colour).map_or(taken.len(), |(i, _)| i) as u32;
    }
    colours
}

#[cfg(test)]
mod tests {
    use super::*;
    use sinew_geom::structured::bar;
    use sinew_math::dvec3;

    #[test]
    fn no_two_vertices_of_a_colour_share_a_tetrahedron_and_every_corner_is_kept() {
        let mesh = bar(dvec3(1.0, 0.4, 0.3), [7, 3, 2]);
        let (n, tets) = (mesh.positions.len(), &mesh.tets[..]);
        let (layout, incidences) = Layout::new(&[(n, tets), (n, tets)]);
        let colour = |point: usize| {
            let group = layout.slot_of[point] as usize / BLOCK;
            layout.colours.iter().position(|groups| groups.contains(&group)).unwrap()
        };
        assert!(layout.colours.len() <= 12, "{} colours", layout.colours.len());
        for (number, places) in layout.places.iter().enumerate() {
            let shift = if number < tets.len() { 0 } else { n as u32 };
            let tet = tets[number % tets.len()].map(|v| (v + shift) as usize);
            for a in 0..4 {
                assert!((0..4).all(|b| a == b || colour(tet[a]) != colour(tet[b])), "tet {number}");
                let (block, lane) = (places[a] as usize / BLOCK, places[a] as usize % BLOCK);
                let group = layout.slot_of[tet[a]] as usize / BLOCK;
                assert!(layout.groups[group].blocks().contains(&block));
                for (corner, &other) in OTHERS[a].iter().enumerate() {
                    assert_eq!(incidences[block].corners[corner].0[lane], layout.slot_of[tet[other]]);
                }
            }
        }
        let mut slots = layout.slot_of.clone();
        slots.sort_unstable();
        slots.dedup();
        assert_eq!(slots.len(), 2 * n, "every point has a lane of its own");
    }
}
