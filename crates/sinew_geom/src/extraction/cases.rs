//! How the surface passes through a cubic cell, for each of the 256 ways its corners may lie inside or outside.
//!
//! Corners are numbered by bits: 1 is +x, 2 is +y, 4 is +z. Edge `4a + u + 2v` runs along axis `a`, at `u` along the next
//! axis and `v` along the one after.

pub(super) const NONE: u8 = u8::MAX;

/// The corner where an edge begins; it ends one bit of its axis further.
pub(super) const fn edge_start(edge: usize) -> usize {
    let (axis, u, v) = (edge / 4, edge & 1, edge >> 1 & 1);
    (u << ((axis + 1) % 3)) | (v << ((axis + 2) % 3))
}

pub(super) const fn edge_end(edge: usize) -> usize {
    edge_start(edge) | 1 << (edge / 4)
}

/// The edge between two corners that differ in one bit.
fn edge_between(a: usize, b: usize) -> usize {
    let axis = (a ^ b).trailing_zeros() as usize;
    let at = |other: usize| a >> ((axis + other) % 3) & 1;
    4 * axis + at(1) + 2 * at(2)
}

/// Sheets of surface in a cell: which one cuts each edge, and how many there are.
#[derive(Debug, Clone, Copy)]
pub(super) struct Case {
    pub sheet_of_edge: [u8; 12],
    pub sheet_count: u8,
}

/// A face's corners in order around it: at axis `a`, side `s`.
pub(super) fn face_corners(axis: usize, side: usize) -> [usize; 4] {
    let (b, c) = ((axis + 1) % 3, (axis + 2) % 3);
    [(0, 0), (1, 0), (1, 1), (0, 1)].map(|(u, v): (usize, usize)| (side << axis) | (u << b) | (v << c))
}

/// Whether the surface cuts all four edges of a face.
pub(super) fn is_ambiguous(case: u8, corners: [usize; 4]) -> bool {
    let inside = corners.map(|corner| case >> corner & 1 == 1);
    inside[0] == inside[2] && inside[1] == inside[3] && inside[0] != inside[1]
}

/// The four edges of a face, each after its corner.
pub(super) fn face_edges(corners: [usize; 4]) -> [usize; 4] {
    std::array::from_fn(|n| edge_between(corners[n], corners[(n + 1) % 4]))
}

pub(super) fn all() -> Vec<Case> {
    (0..=255).map(case).collect()
}

/// Joins cut edges across every face; what hangs together is one sheet. On an ambiguous face each inside corner is cut off
/// by itself, which both cells at the face agree on.
fn case(inside: u8) -> Case {
    let is_inside = |corner: usize| inside >> corner & 1 == 1;
    let is_cut = |edge: usize| is_inside(edge_start(edge)) != is_inside(edge_end(edge));
    let mut leader: [usize; 12] = std::array::from_fn(|edge| edge);
    let mut join = |a: usize, b: usize| {
        let (to, from) = (leader[a], leader[b]);
        leader.iter_mut().filter(|l| **l == from).for_each(|l| *l = to);
    };
    for (axis, side) in (0..6).map(|face| (face / 2, face % 2)) {
        let corners = face_corners(axis, side);
        let edges = face_edges(corners);
        if is_ambiguous(inside, corners) {
            let first = usize::from(!is_inside(corners[0]));
            for corner in [first, first + 2] {
                join(edges[corner], edges[(corner + 3) % 4]);
            }
        } else if let [Some(a), Some(b)] = two_of(edges.into_iter().filter(|edge| is_cut(*edge))) {
            join(a, b);
        }
    }
    let mut sheets: Vec<usize> = (0..12).filter(|edge| is_cut(*edge)).map(|edge| leader[edge]).collect();
    sheets.sort_unstable();
    sheets.dedup();
    let sheet = |edge: usize| sheets.iter().position(|s| *s == leader[edge]).map_or(NONE, |n| n as u8);
    Case {
        sheet_of_edge: std::array::from_fn(|edge| if is_cut(edge) { sheet(edge) } else { NONE }),
        sheet_count: sheets.len() as u8,
    }
}

fn two_of(mut items: impl Iterator<Item = usize>) -> [Option<usize>; 2] {
    [items.next(), items.next()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_cut_edge_has_a_sheet_and_each_sheet_cuts_at_least_three() {
        for (inside, case) in all().iter().enumerate() {
            let cut = |edge: usize| (inside >> edge_start(edge) ^ inside >> edge_end(edge)) & 1 == 1;
            for edge in 0..12 {
                assert_eq!(case.sheet_of_edge[edge] != NONE, cut(edge));
                assert_eq!(edge_between(edge_start(edge), edge_end(edge)), edge);
            }
            for sheet in 0..case.sheet_count {
                assert!(case.sheet_of_edge.iter().filter(|s| **s == sheet).count() >= 3, "{inside:08b}");
            }
        }
    }

    #[test]
    fn corners_across_the_cell_are_cut_off_apart() {
        assert_eq!(case(0b1000_0001).sheet_count, 2);
        assert_eq!(case(0b0110_1001).sheet_count, 4);
        assert_eq!(case(0b0000_1111).sheet_count, 1);
    }
}
