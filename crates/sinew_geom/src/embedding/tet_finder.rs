//! Which tet a point lies in, or lies nearest to.

use crate::adjacency::{boundary_faces, tets_at_vertices};
use crate::distance::bvh::nearest_on_triangle;
use crate::distance::{Hit, TriangleTree};
use crate::{Id, PerTet, PerVertex, TetId, TetMesh, VertexId};
use sinew_math::{DMat3, DVec3};
use std::borrow::Cow;

/// A tet and a point's barycentric weights in it.
pub(crate) type Bound = (TetId, [f64; 4]);

/// What a point of a skin is a weighted sum of.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Binding {
    Tet(Bound),
    Over(Over),
    /// There is no flesh.
    Nothing,
}

/// A point far over a boundary triangle: its foot on the triangle, and the arm from there, which the flesh around carries.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Over {
    pub triangle: u32,
    /// Of the triangle's corners, at the foot.
    pub shares: [f64; 3],
    pub arm: DVec3,
}

/// A weight below this extrapolates so far that one thin tet's motion would be seen magnified.
const FAR_WEIGHT: f64 = -0.25;

/// Weights down to this count as inside: a point on a shared face belongs to both of its tets.
const EDGE_WEIGHT: f64 = -1e-9;

/// Tets sorted into the cells of a grid, and a tree over their boundary.
#[derive(Debug, Clone)]
pub(crate) struct TetFinder<'a> {
    pub flesh: Cow<'a, TetMesh>,
    inverse_edges: PerTet<DMat3>,
    low: DVec3,
    cells_per_m: f64,
    size: [usize; 3],
    /// Tets of each cell, one cell after the other.
    first: Vec<u32>,
    in_cell: Vec<TetId>,
    /// Boundary triangles, counter-clockwise seen from outside.
    pub boundary: Vec<[u32; 3]>,
    pub boundary_tree: TriangleTree,
    /// Tets at each vertex.
    at_vertex: PerVertex<Vec<TetId>>,
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
        let at_vertex = tets_at_vertices(flesh.positions.len(), &flesh.tets);
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
            at_vertex,
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

    /// The tet that a point lies in, or one at the nearest place of the boundary.
    pub(super) fn nearest(&self, point: DVec3) -> Binding {
        let over = || self.boundary_tree.nearest(point).map(|hit: Hit| self.over(hit.triangle, point));
        self.containing(point).map(Binding::Tet).or_else(over).unwrap_or(Binding::Nothing)
    }

    /// Binds a point outside the flesh to a boundary triangle: to one tet there where that is close, else to the place
    /// on the triangle and the mean stretch of the flesh around it.
    pub(super) fn over(&self, triangle: u32, point: DVec3) -> Binding {
        let near = self.beneath(triangle, point);
        if least(&near.1) >= FAR_WEIGHT {
            return Binding::Tet(near);
        }
        let places = self.boundary[triangle as usize].map(|v| self.flesh.positions[v as usize]);
        let foot = nearest_on_triangle(places, point);
        Binding::Over(Over { triangle, shares: shares_in(places, foot), arm: point - foot })
    }

    /// Vertices around a triangle, ring by ring: enough that their mean stretch is calm.
    pub(super) fn around(&self, corners: [u32; 3]) -> Vec<u32> {
        const ENOUGH: usize = 48;
        let (mut found, mut next) = (corners.to_vec(), 0);
        while next < found.len() && found.len() < ENOUGH {
            for &tet in &self.at_vertex[VertexId(found[next])] {
                for vertex in self.flesh.tets[tet.index()] {
                    if !found.contains(&vertex) {
                        found.push(vertex);
                    }
                }
            }
            next += 1;
        }
        found
    }

    /// Of the tets around a boundary triangle, the one that needs least extrapolation to a point outside.
    fn beneath(&self, triangle: u32, point: DVec3) -> Bound {
        let corners = self.boundary[triangle as usize];
        let around = corners.iter().filter_map(|v| self.best_of(&self.at_vertex[VertexId(*v)], point));
        around.max_by(|a, b| least(&a.1).total_cmp(&least(&b.1))).unwrap_or((TetId(0), [1.0, 0.0, 0.0, 0.0]))
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
