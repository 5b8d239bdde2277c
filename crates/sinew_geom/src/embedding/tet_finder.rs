//! Which tet a point lies in, or lies nearest to.

use crate::adjacency::boundary_faces;
use crate::distance::bvh::nearest_on_triangle;
use crate::distance::{Hit, TriangleTree};
use crate::{Id, PerTet, TetId, TetMesh};
use sinew_math::{DMat3, DVec3};
use std::borrow::Cow;

/// A tet and a point's barycentric weights in it.
pub(crate) type Bound = (TetId, [f64; 4]);

/// The place of the flesh that a point of a skin hangs on.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Binding {
    Tet(Bound),
    /// On a boundary triangle, by shares of its corners.
    Over([u32; 3], [f64; 3]),
    /// There is no flesh.
    Nothing,
}

/// Weights down to this count as inside: a point on a shared face belongs to both of its tets.
const EDGE_WEIGHT: f64 = -1e-9;

/// Tets sorted into the cells of a grid, and a tree over their boundary.
#[derive(Debug, Clone)]
pub(crate) struct TetFinder<'a> {
    pub flesh: Cow<'a, TetMesh>,
    pub inverse_edges: PerTet<DMat3>,
    low: DVec3,
    cells_per_m: f64,
    size: [usize; 3],
    /// Tets of each cell, one cell after the other.
    first: Vec<u32>,
    in_cell: Vec<TetId>,
    /// Boundary triangles, counter-clockwise seen from outside.
    pub boundary: Vec<[u32; 3]>,
    pub boundary_tree: TriangleTree,
}

impl<'a> TetFinder<'a> {
    pub(crate) fn new(flesh: &'a TetMesh) -> Self {
        Self::of(Cow::Borrowed(flesh))
    }

    /// One that is kept together with its mesh.
    pub(crate) fn owning(flesh: TetMesh) -> TetFinder<'static> {
        TetFinder::of(Cow::Owned(flesh))
    }

    fn of(flesh: Cow<'a, TetMesh>) -> Self {
        let bounds = |points: &mut dyn Iterator<Item = DVec3>| {
            points.fold((DVec3::INFINITY, DVec3::NEG_INFINITY), |(low, high), x| (low.min(x), high.max(x)))
        };
        let (low, high) = bounds(&mut flesh.positions.iter().copied());
        let extent = (high - low).max(DVec3::splat(f64::MIN_POSITIVE));
        // About as many cells as tets.
        let cells_per_m = (flesh.tets.len().max(1) as f64 / extent.element_product().max(f64::MIN_POSITIVE)).cbrt();
        const CELLS_PER_AXIS: f64 = 512.0;
        let cells_per_m = cells_per_m.min(CELLS_PER_AXIS / extent.max_element());
        let size = (extent * cells_per_m).floor().to_array().map(|n| n as usize + 1);
        let inverse_edges = flesh.tet_ids().map(|tet| flesh.edge_matrix(tet).inverse()).collect();
        let mut finder = Self {
            flesh,
            inverse_edges,
            low,
            cells_per_m,
            size,
            first: Vec::new(),
            in_cell: Vec::new(),
            boundary: Vec::new(),
            boundary_tree: TriangleTree::new(&[], &[]),
        };
        let flesh = &finder.flesh;
        let mut entries: Vec<(u32, TetId)> = Vec::with_capacity(4 * flesh.tets.len());
        for (n, tet) in flesh.tets.iter().enumerate() {
            let (low, high) = bounds(&mut tet.iter().map(|v| flesh.positions[*v as usize]));
            let (from, to) = (finder.cell_of(low), finder.cell_of(high));
            for k in from[2]..=to[2] {
                for j in from[1]..=to[1] {
                    entries.extend((from[0]..=to[0]).map(|i| (finder.cell_number([i, j, k]), TetId::new(n))));
                }
            }
        }
        entries.sort_unstable();
        let cell_count = size.iter().product::<usize>() as u32;
        finder.first = (0..=cell_count).map(|cell| entries.partition_point(|e| e.0 < cell) as u32).collect();
        finder.in_cell = entries.into_iter().map(|(_, tet)| tet).collect();
        finder.boundary = boundary_faces(&finder.flesh.tets).into_iter().map(|(face, _)| face).collect();
        finder.boundary_tree = TriangleTree::new(&finder.flesh.positions, &finder.boundary);
        finder
    }

    fn cell_of(&self, point: DVec3) -> [usize; 3] {
        let at = ((point - self.low) * self.cells_per_m).to_array();
        std::array::from_fn(|axis| (at[axis].max(0.0) as usize).min(self.size[axis] - 1))
    }

    fn cell_number(&self, [i, j, k]: [usize; 3]) -> u32 {
        ((k * self.size[1] + j) * self.size[0] + i) as u32
    }

    /// The tet that a point lies in.
    pub(crate) fn containing(&self, point: DVec3) -> Option<Bound> {
        let cell = self.cell_number(self.cell_of(point)) as usize;
        let tets = &self.in_cell[self.first[cell] as usize..self.first[cell + 1] as usize];
        self.best_of(tets, point).filter(|(_, weights)| least(weights) >= EDGE_WEIGHT)
    }

    /// The tet that a point lies in, or the nearest place of the boundary.
    pub(crate) fn nearest(&self, point: DVec3) -> Binding {
        let over = || self.boundary_tree.nearest(point).map(|hit: Hit| self.over(hit.triangle, point));
        self.containing(point).map(Binding::Tet).or_else(over).unwrap_or(Binding::Nothing)
    }

    /// Binds a point outside the flesh to the nearest place of a boundary triangle: neighbours on a skin then hang on
    /// neighbouring places, which they do not where each takes the tet that fits it best.
    pub(crate) fn over(&self, triangle: u32, point: DVec3) -> Binding {
        let corners = self.boundary[triangle as usize];
        let places = corners.map(|v| self.flesh.positions[v as usize]);
        Binding::Over(corners, shares_in(places, nearest_on_triangle(places, point)))
    }

    fn best_of(&self, tets: &[TetId], point: DVec3) -> Option<Bound> {
        let bound = tets.iter().map(|tet| (*tet, self.weights(*tet, point)));
        bound.max_by(|a, b| least(&a.1).total_cmp(&least(&b.1)).then(b.0.cmp(&a.0)))
    }

    fn weights(&self, tet: TetId, point: DVec3) -> [f64; 4] {
        let origin = self.flesh.positions[self.flesh.tets[tet.index()][0] as usize];
        let local = self.inverse_edges[tet] * (point - origin);
        [1.0 - local.x - local.y - local.z, local.x, local.y, local.z]
    }
}

/// Barycentric shares of a place on a triangle.
fn shares_in([a, b, c]: [DVec3; 3], place: DVec3) -> [f64; 3] {
    let normal = (b - a).cross(c - a);
    let squared = normal.length_squared();
    if squared == 0.0 {
        return [1.0, 0.0, 0.0];
    }
    let second = (place - a).cross(c - a).dot(normal) / squared;
    let third = (b - a).cross(place - a).dot(normal) / squared;
    [1.0 - second - third, second, third]
}

fn least(weights: &[f64; 4]) -> f64 {
    weights.iter().copied().fold(f64::INFINITY, f64::min)
}
