//! What fills one lattice tet, by the labels of its corners.
//!
//! The stencils and the Parity Rule of [LS07]. Two neighbours must cut the quadrilateral between them alike. It has two
//! inside corners p, q and the cut points towards one outside corner m. Where one of the cut edges is long, the diagonal
//! ends at the cut point of that edge. Where both are short, it starts from whichever of p and q has an even number of
//! coordinates greater than m's: both sides see the same three points, and the two quadrilaterals of a tet that is cut
//! across turn opposite ways, which keeps the prism between them cuttable.

use super::lattice::{LONG, TetKind, neighbour_between, tet_kinds};

/// Where a lattice point is, once points too close to the surface have been moved onto it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum Label {
    Outside = 0,
    On = 1,
    Inside = 2,
}

/// A vertex of a piece: a corner of the lattice tet, or the cut point on an edge, owned by its inside end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Vertex {
    Corner(u8),
    Cut { inside: u8, neighbour: u8, outside: u8 },
}

pub(super) type Piece = [Vertex; 4];

/// Pieces of every kind of lattice tet for every labelling, worked out once.
pub(super) struct Stencils {
    pieces: Vec<Vec<Piece>>,
}

impl Stencils {
    pub(super) fn new() -> Self {
        let pieces = tet_kinds().iter().flat_map(|kind| (0..81).map(|code| pieces(kind, labels_of(code)))).collect();
        Self { pieces }
    }

    pub(super) fn of(&self, kind: usize, labels: [Label; 4]) -> &[Piece] {
        let code = labels.iter().fold(0, |code, label| 3 * code + *label as usize);
        &self.pieces[81 * kind + code]
    }
}

pub(super) fn labels_of(code: usize) -> [Label; 4] {
    [27, 9, 3, 1].map(|place| [Label::Outside, Label::On, Label::Inside][code / place % 3])
}

fn pieces(kind: &TetKind, labels: [Label; 4]) -> Vec<Piece> {
    let (corners, turned) = inside_first(labels);
    let count = |label: Label| labels.iter().filter(|l| **l == label).count();
    let cut = |inside: u8, outside: u8| {
        let neighbour = neighbour_between(kind[usize::from(inside)], kind[usize::from(outside)]) as u8;
        Vertex::Cut { inside, neighbour, outside }
    };
    let corner = Vertex::Corner;
    let found = match (count(Label::Inside), count(Label::On), count(Label::Outside)) {
        (0, _, _) => Vec::new(),
        (_, _, 0) => vec![corners.map(corner)],
        (1, on, _) => {
            let [p, ..] = corners;
            let place = |n: usize| if n <= on { corner(corners[n]) } else { cut(p, corners[n]) };
            vec![[corner(p), place(1), place(2), place(3)]]
        }
        (2, 1, 1) => {
            let [p, q, on, m] = corners;
            let (p, q, swapped) = if starts_diagonal(kind, p, q, m) { (p, q, false) } else { (q, p, true) };
            let pyramid =
                [[corner(p), corner(q), corner(on), cut(q, m)], [corner(p), cut(q, m), corner(on), cut(p, m)]];
            pyramid.map(|piece| turn(piece, swapped)).to_vec()
        }
        (2, 0, 2) => {
            let [p, q, m, n] = corners;
            // The diagonal on the side of m starts from p, the one on the side of n from q.
            let (p, q, swapped) = if starts_diagonal(kind, p, q, m) { (p, q, false) } else { (q, p, true) };
            debug_assert!(starts_diagonal(kind, q, p, n));
            let wedge = [
                [corner(p), corner(q), cut(q, m), cut(p, n)],
                [corner(p), cut(p, m), cut(p, n), cut(q, m)],
                [corner(q), cut(q, n), cut(q, m), cut(p, n)],
            ];
            wedge.map(|piece| turn(piece, swapped)).to_vec()
        }
        _ => {
            let [p, q, r, m] = corners;
            let (p, q, r, odd) = in_diagonal_order(kind, [p, q, r], m);
            let prism = [
                [corner(p), corner(q), corner(r), cut(r, m)],
                [corner(p), corner(q), cut(r, m), cut(q, m)],
                [corner(p), cut(q, m), cut(r, m), cut(p, m)],
            ];
            prism.map(|piece| turn(piece, odd)).to_vec()
        }
    };
    found.into_iter().map(|piece| turn(piece, turned)).collect()
}

/// The corners, inside ones first and outside ones last, and whether that turns the tet over.
fn inside_first(labels: [Label; 4]) -> ([u8; 4], bool) {
    let (mut corners, mut turned) = ([0, 1, 2, 3], false);
    for _ in 0..3 {
        for n in 0..3 {
            if (labels[usize::from(corners[n])] as u8) < labels[usize::from(corners[n + 1])] as u8 {
                corners.swap(n, n + 1);
                turned = !turned;
            }
        }
    }
    (corners, turned)
}

/// Three inside corners, each starting the diagonals to the ones after it, and whether their order is an odd one.
fn in_diagonal_order(kind: &TetKind, mut corners: [u8; 3], m: u8) -> (u8, u8, u8, bool) {
    let mut odd = false;
    for n in [0, 1, 0] {
        if !starts_diagonal(kind, corners[n], corners[n + 1], m) {
            corners.swap(n, n + 1);
            odd = !odd;
        }
    }
    (corners[0], corners[1], corners[2], odd)
}

fn turn(piece: Piece, turned: bool) -> Piece {
    let [a, b, c, d] = piece;
    if turned { [a, b, d, c] } else { piece }
}

/// Whether the quadrilateral of inside corners `p`, `q` and their cut points towards `m` is cut from `p` to the cut point
/// of `q`.
fn starts_diagonal(kind: &TetKind, p: u8, q: u8, m: u8) -> bool {
    let at = |corner: u8| kind[usize::from(corner)];
    let is_long = |corner: u8| neighbour_between(at(corner), at(m)) < LONG;
    match (is_long(p), is_long(q)) {
        (true, _) => false,
        (_, true) => true,
        _ => (0..3).filter(|axis| at(p)[*axis] > at(m)[*axis]).count() % 2 == 0,
    }
}

#[cfg(test)]
mod tests {
    use super::super::snap_share;
    use super::super::{ANGLE_MAX_DEG, ANGLE_MIN_DEG};
    use super::*;
    use crate::TetMesh;
    use sinew_math::DVec3;

    /// Smallest and largest angle of pieces without corners on the surface, over a grid of all their cut points.
    fn worst_of(kind: &TetKind, pieces: &[Piece]) -> (f64, f64) {
        let corner = |n: u8| DVec3::from_array(kind[usize::from(n)].map(f64::from)) * 0.5;
        let places = |vertex: &Vertex| match *vertex {
            Vertex::Corner(n) => vec![corner(n)],
            Vertex::Cut { inside, outside, neighbour } => {
                let snap = snap_share(usize::from(neighbour));
                let share = |n: u32| snap + (1.0 - 2.0 * snap) * f64::from(n) / 6.0;
                (0..=6).map(|n| corner(inside).lerp(corner(outside), share(n))).collect()
            }
        };
        let mut worst: (f64, f64) = (180.0, 0.0);
        for piece in pieces {
            let [a, b, c, d] = piece.each_ref().map(places);
            for (a, b) in a.iter().flat_map(|a| b.iter().map(move |b| (a, b))) {
                for (c, d) in c.iter().flat_map(|c| d.iter().map(move |d| (c, d))) {
                    let tet = TetMesh { positions: vec![*a, *b, *c, *d], tets: vec![[0, 1, 2, 3]] };
                    assert!(tet.volume() > 0.0, "{piece:?}");
                    let (low, high) = tet.dihedral_range_deg();
                    worst = (worst.0.min(low), worst.1.max(high));
                }
            }
        }
        worst
    }

    /// What makes the repair of bad angles end well: once no corner is on the surface, all angles keep the bounds.
    #[test]
    fn cut_points_alone_never_break_the_promised_angles() {
        let stencils = Stencils::new();
        for kind in 0..12 {
            for labels in (0..81).map(labels_of).filter(|labels| !labels.contains(&Label::On)) {
                let (low, high) = worst_of(&tet_kinds()[kind], stencils.of(kind, labels));
                assert!(low > ANGLE_MIN_DEG && high < ANGLE_MAX_DEG, "{kind} {labels:?}: {low} to {high}");
            }
        }
    }

    #[test]
    fn neighbours_cut_the_face_between_them_alike() {
        // Every face of three inside or outside corners, seen from both tets that share it.
        let stencils = Stencils::new();
        let mut seen: std::collections::HashMap<Vec<[i32; 3]>, Vec<Vec<[i32; 3]>>> = std::collections::HashMap::new();
        for (number, kind) in tet_kinds().iter().enumerate() {
            for labels in (0..81).map(labels_of).filter(|labels| !labels.contains(&Label::On)) {
                for left_out in 0..4usize {
                    let face: Vec<usize> = (0..4).filter(|n| *n != left_out).collect();
                    // Faces are named relative to their lowest corner, so that every kind meets its neighbours.
                    let low: [i32; 3] = std::array::from_fn(|axis| face.iter().map(|n| kind[*n][axis]).min().unwrap());
                    let at = |n: usize| std::array::from_fn(|axis| 100 * (kind[n][axis] - low[axis]));
                    let of = |vertex: &Vertex| match *vertex {
                        Vertex::Corner(n) if usize::from(n) != left_out => Some(at(usize::from(n))),
                        Vertex::Cut { inside, outside, .. } if ![inside, outside].contains(&(left_out as u8)) => {
                            let (p, m): ([i32; 3], [i32; 3]) = (at(inside.into()), at(outside.into()));
                            Some(std::array::from_fn(|axis| (2 * p[axis] + m[axis]) / 3))
                        }
                        _ => None,
                    };
                    let mut name: Vec<[i32; 3]> = face.iter().map(|n| at(*n)).collect();
                    name.sort_unstable();
                    let parity: [i32; 3] = std::array::from_fn(|axis| low[axis].rem_euclid(2));
                    name.push(parity);
                    name.extend(
                        face.iter()
                            .filter(|n| labels[**n] == Label::Inside)
                            .map(|n| at(*n))
                            .collect::<std::collections::BTreeSet<_>>(),
                    );
                    let mut edges: Vec<Vec<[i32; 3]>> = Vec::new();
                    for piece in stencils.of(number, labels) {
                        let corners: Vec<[i32; 3]> = piece.iter().filter_map(of).collect();
                        if corners.len() == 3 {
                            let mut triangle = corners;
                            triangle.sort_unstable();
                            edges.push(triangle);
                        }
                    }
                    edges.sort();
                    let flat: Vec<[i32; 3]> = edges.into_iter().flatten().collect();
                    let entry = seen.entry(name).or_default();
                    entry.push(flat);
                    entry.dedup();
                }
            }
        }
        assert!(seen.len() > 100);
        for (face, cuts) in seen {
            assert_eq!(cuts.len(), 1, "{face:?}: {cuts:?}");
        }
    }
}
