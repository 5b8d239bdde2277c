//! Cut points, and lattice points moved onto the surface where it comes too close to them.
//!
//! The warping of [LS07]. A point moves to its nearest offending cut point; that frees all its edges of cut points.

use super::lattice::{LONG, Lattice, NEIGHBOURS, direction};
use super::snap_share;
use super::stencil::Label;
use crate::distance::Distance;
use sinew_math::DVec3;

/// Labels of all lattice points, and where the ones on the surface went.
pub(super) struct Warped<'a, D: Distance + ?Sized> {
    shape: &'a D,
    pub lattice: Lattice,
    pub steps: [[isize; NEIGHBOURS]; 2],
    /// Signed distance in cells.
    values: Vec<f32>,
    pub labels: Vec<Label>,
    /// The points on the surface, in rising order.
    moves: Vec<Move>,
}

#[derive(Debug, Clone, Copy)]
struct Move {
    point: u32,
    neighbour: u8,
    /// Share of the edge.
    by: f32,
}

impl<'a, D: Distance + ?Sized> Warped<'a, D> {
    pub(super) fn new(shape: &'a D, lattice: Lattice, values: Vec<f32>) -> Self {
        let labels = values.iter().map(|v| if *v <= 0.0 { Label::Inside } else { Label::Outside }).collect();
        let steps = lattice.steps();
        let mut warped = Self { shape, lattice, steps, values, labels, moves: Vec::new() };
        warped.move_points();
        warped
    }

    pub(super) fn neighbour(&self, point: usize, neighbour: usize) -> usize {
        (point as isize + self.steps[point % 2][neighbour]) as usize
    }

    fn move_points(&mut self) {
        // A point that is farther than this from the surface has no cut point within reach.
        let reach = 1.01 * super::SNAP_SHORT as f32;
        for [i, j, k] in self.inner_cells().collect::<Vec<_>>() {
            let corner = self.lattice.corner_id([i, j, k]);
            for point in [corner, corner + 1] {
                if self.values[point].abs() > reach && !self.jumps_at(point) {
                    continue;
                }
                if let Some(found) = self.nearest_offence(point) {
                    self.labels[point] = Label::On;
                    self.moves.push(found);
                }
            }
        }
        self.moves.sort_unstable_by_key(|m| m.point);
    }

    /// Cells that have a point near a change of sign may be anywhere inside the margin.
    fn inner_cells(&self) -> impl Iterator<Item = [usize; 3]> + use<D> {
        let [nx, ny, nz] = self.lattice.size;
        (1..nz - 1).flat_map(move |k| (1..ny - 1).flat_map(move |j| (1..nx - 1).map(move |i| [i, j, k])))
    }

    /// Whether the sign changes next to a point although its value says that the surface is far: a hole in a surface.
    fn jumps_at(&self, point: usize) -> bool {
        self.values[point].abs() < 4.0
            && (0..NEIGHBOURS).any(|n| {
                let other = self.neighbour(point, n);
                (self.values[other] <= 0.0) != (self.values[point] <= 0.0)
            })
    }

    fn nearest_offence(&self, point: usize) -> Option<Move> {
        let own = self.labels[point];
        let mut best: Option<(f64, Move)> = None;
        for neighbour in 0..NEIGHBOURS {
            let other = self.labels[self.neighbour(point, neighbour)];
            if other == Label::On || other == own {
                continue;
            }
            let by = self.cut_share(point, neighbour);
            let length = if neighbour < LONG { 1.0 } else { 0.75f64.sqrt() };
            if by < snap_share(neighbour) && best.is_none_or(|(nearest, _)| by * length < nearest) {
                let found = Move { point: point as u32, neighbour: neighbour as u8, by: by as f32 };
                best = Some((by * length, found));
            }
        }
        best.map(|(_, found)| found)
    }

    /// Where the surface cuts an edge between an inside and an outside point, as a share of the edge from `point`.
    fn cut_share(&self, point: usize, neighbour: usize) -> f64 {
        let other = self.neighbour(point, neighbour);
        let (here, there) = (f64::from(self.values[point]), f64::from(self.values[other]));
        let length = if neighbour < LONG { 1.0 } else { 0.75f64.sqrt() };
        if (here - there).abs() > 1.5 * length {
            return self.search_jump(point, other);
        }
        let share = here / (here - there);
        if share.is_finite() { share } else { 0.5 }
    }

    /// Where the sign jumps between two points: across a hole the distance to the surface says nothing.
    fn search_jump(&self, point: usize, other: usize) -> f64 {
        const HALVINGS: u32 = 8;
        // From the lower point, so that both ends of an edge find the same place.
        let (first, last) = (point.min(other), point.max(other));
        let (from, to) = (self.lattice.place(first), self.lattice.place(last));
        let begins_inside = self.values[first] <= 0.0;
        let (mut low, mut high) = (0.0, 1.0);
        for _ in 0..HALVINGS {
            let middle = 0.5 * (low + high);
            if (self.shape.at(from.lerp(to, middle)) <= 0.0) == begins_inside { low = middle } else { high = middle }
        }
        let share = 0.5 * (low + high);
        if point == first { share } else { 1.0 - share }
    }

    /// The cut point on the edge from an inside point: never closer to either end than the angles allow.
    pub(super) fn cut_point(&self, inside: usize, neighbour: usize) -> DVec3 {
        let snap = snap_share(neighbour);
        let share = self.cut_share(inside, neighbour).clamp(snap, 1.0 - snap);
        self.lattice.place(inside) + self.lattice.cell_m * share * direction(neighbour)
    }

    /// Where a lattice point is now.
    pub(super) fn place(&self, point: usize) -> DVec3 {
        let home = self.lattice.place(point);
        if self.labels[point] != Label::On {
            return home;
        }
        match self.moves.binary_search_by_key(&(point as u32), |m| m.point) {
            Ok(n) => {
                let Move { neighbour, by, .. } = self.moves[n];
                home + self.lattice.cell_m * f64::from(by) * direction(usize::from(neighbour))
            }
            Err(_) => home,
        }
    }

    /// How far a point was moved, of what it may: the nearer to 1, the less the surface changes by sending it back.
    pub(super) fn moved_share(&self, point: usize) -> f64 {
        let found = self.moves.binary_search_by_key(&(point as u32), |m| m.point);
        found.map_or(0.0, |n| f64::from(self.moves[n].by) / snap_share(usize::from(self.moves[n].neighbour)))
    }

    /// Sends a point on the surface back to its place, on the side where it was.
    pub(super) fn send_back(&mut self, point: usize) {
        self.labels[point] = if self.values[point] <= 0.0 { Label::Inside } else { Label::Outside };
    }

    /// Whether a place lies deep on one side: its nearest lattice point and all neighbours have the same sign.
    pub(super) fn is_deep(&self, place: DVec3) -> Option<Label> {
        let at = (place - self.lattice.origin) / self.lattice.cell_m;
        let (corner, centre) = (at.round(), (at - DVec3::splat(0.5)).round());
        let nearest_is_corner = at.distance(corner) < at.distance(centre + DVec3::splat(0.5));
        let cell = if nearest_is_corner { corner } else { centre };
        let cell_index = cell.to_array().map(|c| c as usize);
        if cell.min_element() < 1.0 || !self.lattice.is_inner(cell_index) {
            return Some(Label::Outside);
        }
        let point = self.lattice.corner_id(cell_index) + usize::from(!nearest_is_corner);
        let side = |point: usize| self.values[point] <= 0.0;
        let same = (0..NEIGHBOURS).all(|n| side(self.neighbour(point, n)) == side(point));
        same.then(|| if side(point) { Label::Inside } else { Label::Outside })
    }
}
