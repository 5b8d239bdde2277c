//! Distance through the material, from a few sources to any point of a body, with its gradient.
//!
//! Fast marching through the tets ([`MeshDistance`]) gives the distance at the vertices; it goes around gaps
//! of any width. Between vertices d(x) = |x − s| + Σ b_k e_k, with the excess e = d − |x − s| over the
//! straight line at the corners of the point's tet and barycentric weights b. The excess is 0 wherever the
//! source is seen, so that d is exact and smooth there.
//!
//! A point outside the flesh takes the distance of the nearest place of its boundary.
//!
//! Departure from [AWO09] (see [`super`]), which marches on a grid: cells bridge gaps and lose parts that are
//! thinner than themselves, and a distance interpolated on a grid has jumps at the surface. Behind a bend
//! both are of first order.
//!
//! Limits: the gradient jumps from tet to tet in the shadow of a bend.

use super::functions::Near;
use crate::embedding::{Binding, TetFinder, bind};
use crate::field::MeshDistance;
use crate::{Id, TetMesh, TriangleMesh};
use rayon::prelude::*;
use sinew_math::rotation::outer;
use sinew_math::{DMat3, DVec3};

/// Excess below this share of the body's size is rounding of the march.
const ROUNDING: f64 = 1e-6;
/// Weight of a corner below which the nearest place lies on the opposite edge.
const ON_EDGE: f64 = 1e-12;

/// A body made ready to be measured.
#[derive(Debug, Clone)]
pub(super) struct Material {
    finder: TetFinder<'static>,
    measure: MeshDistance,
    pub size_m: f64,
}

/// Where a point hangs on the material.
#[derive(Debug, Clone, Copy)]
pub(super) struct Spot {
    /// The point itself.
    pub point: DVec3,
    /// The place of the material nearest to it: itself, where it lies inside.
    foot: DVec3,
    /// Derivative of `foot` with respect to the point. Symmetric.
    foot_slope: DMat3,
    corners: [u32; 4],
    weights: [f64; 4],
    /// Derivatives of `weights` with respect to the point.
    weight_slopes: [DVec3; 4],
}

/// Sources, and the excess from each at the vertices within its reach.
#[derive(Debug, Clone)]
pub(super) struct Sources {
    pub places: Vec<DVec3>,
    start: Vec<u32>,
    source: Vec<u32>,
    excess_m: Vec<f64>,
}

/// Excess from one source at the vertices within its reach.
pub(super) type Reached = Vec<(u32, f64)>;

impl Material {
    pub(super) fn of(mesh: &TetMesh) -> Self {
        let bounds = mesh
            .positions
            .iter()
            .fold((DVec3::INFINITY, DVec3::NEG_INFINITY), |(low, high), x| (low.min(*x), high.max(*x)));
        Self {
            measure: MeshDistance::in_tets(mesh),
            finder: TetFinder::owning(mesh.clone()),
            size_m: bounds.0.distance(bounds.1),
        }
    }

    pub(super) fn mesh(&self) -> &TetMesh {
        &self.finder.flesh
    }

    pub(super) fn is_inside(&self, point: DVec3) -> bool {
        self.finder.containing(point).is_some()
    }

    pub(super) fn spot(&self, point: DVec3) -> Spot {
        self.bound(point, self.finder.nearest(point))
    }

    /// Spots of a skin: outside the flesh by the boundary that is nearest along the skin, not across a gap.
    pub(super) fn spots_of_skin(&self, skin: &TriangleMesh) -> Vec<Spot> {
        let bindings = bind(skin, &self.finder);
        skin.positions.iter().zip(bindings).map(|(point, binding)| self.bound(*point, binding)).collect()
    }

    fn bound(&self, point: DVec3, binding: Binding) -> Spot {
        match binding {
            Binding::Tet((tet, weights)) => {
                let rows = self.finder.inverse_edges[tet].transpose();
                let weight_slopes = [-(rows.x_axis + rows.y_axis + rows.z_axis), rows.x_axis, rows.y_axis, rows.z_axis];
                let corners = self.mesh().tets[tet.index()];
                Spot { point, foot: point, foot_slope: DMat3::IDENTITY, corners, weights, weight_slopes }
            }
            Binding::Over(corners, shares) => self.over(point, corners, shares),
            // A mesh without tets has no spots; `Nodes::over` refuses it.
            Binding::Nothing => self.over(point, [0; 3], [1.0, 0.0, 0.0]),
        }
    }

    /// The nearest place of a boundary triangle. As the point moves, it moves in the face, along an edge, or
    /// not at all.
    fn over(&self, point: DVec3, corners: [u32; 3], shares: [f64; 3]) -> Spot {
        let places = corners.map(|vertex| self.mesh().positions[vertex as usize]);
        let foot = (0..3).map(|n| places[n] * shares[n]).sum::<DVec3>();
        let active: Vec<usize> = (0..3).filter(|n| shares[*n] > ON_EDGE).collect();
        let mut foot_slope = DMat3::ZERO;
        let mut slopes = [DVec3::ZERO; 4];
        match active[..] {
            [_, _, _] => {
                let normal = (places[1] - places[0]).cross(places[2] - places[0]);
                let squared = normal.length_squared();
                foot_slope = DMat3::IDENTITY - outer(normal / squared, normal);
                for n in 0..3 {
                    let opposite = places[(n + 2) % 3] - places[(n + 1) % 3];
                    slopes[n] = normal.cross(opposite) / squared;
                }
            }
            [a, b] => {
                let edge = places[b] - places[a];
                let slope = edge / edge.length_squared();
                foot_slope = outer(edge, slope);
                (slopes[a], slopes[b]) = (-slope, slope);
            }
            _ => {}
        }
        let [a, b, c] = corners;
        let weights = [shares[0], shares[1], shares[2], 0.0];
        Spot { point, foot, foot_slope, corners: [a, b, c, a], weights, weight_slopes: slopes }
    }

    /// Excess from one source at all corners of the tets that have a point within `reach_m` of it.
    pub(super) fn reached(&self, source: DVec3, reach_m: f64) -> Reached {
        let spot = self.spot(source);
        let mut reached = self.measure.within(&spot.corners, spot.foot, reach_m);
        for (vertex, value) in &mut reached {
            let excess_m = *value - self.mesh().positions[*vertex as usize].distance(spot.foot);
            *value = if excess_m > ROUNDING * self.size_m { excess_m } else { 0.0 };
        }
        reached
    }

    /// Measures from all `places`. Points within `reach_m` of a source are sure to know it.
    pub(super) fn sources(&self, places: &[DVec3], reach_m: f64) -> Sources {
        let fields: Vec<Reached> = places.par_iter().map(|place| self.reached(*place, reach_m)).collect();
        Sources::of(places, self.mesh().positions.len(), &fields)
    }
}

impl Sources {
    fn of(places: &[DVec3], vertex_count: usize, fields: &[Reached]) -> Self {
        let mut start = vec![0u32; vertex_count + 1];
        fields.iter().flatten().for_each(|(vertex, _)| start[*vertex as usize + 1] += 1);
        (0..vertex_count).for_each(|vertex| start[vertex + 1] += start[vertex]);
        let mut next = start.clone();
        let count = start[vertex_count] as usize;
        let (mut source, mut excess_m) = (vec![0; count], vec![0.0; count]);
        for (number, field) in fields.iter().enumerate() {
            for (vertex, value) in field {
                let slot = &mut next[*vertex as usize];
                source[*slot as usize] = number as u32;
                excess_m[*slot as usize] = *value;
                *slot += 1;
            }
        }
        Self { places: places.to_vec(), start, source, excess_m }
    }

    /// The sources at a vertex, in ascending order, with their excess.
    pub(super) fn at_vertex(&self, vertex: u32) -> (&[u32], &[f64]) {
        let range = self.start[vertex as usize] as usize..self.start[vertex as usize + 1] as usize;
        (&self.source[range.clone()], &self.excess_m[range])
    }

    /// The sources that are nearer than `reach_m` to a spot, in ascending order.
    pub(super) fn near(&self, spot: &Spot, reach_m: f64) -> Vec<Near> {
        let lists = spot.corners.map(|vertex| self.at_vertex(vertex));
        let mut at = [0usize; 4];
        let mut near = Vec::new();
        for (slot, &source) in lists[0].0.iter().enumerate() {
            at[0] = slot;
            let is_at_all = (1..4).all(|corner| {
                let list = lists[corner].0;
                while at[corner] < list.len() && list[at[corner]] < source {
                    at[corner] += 1;
                }
                list.get(at[corner]) == Some(&source)
            });
            if is_at_all {
                let excess = std::array::from_fn(|corner| lists[corner].1[at[corner]]);
                let found = spot.seen_from(source, self.places[source as usize], excess);
                near.extend((found.distance_m < reach_m).then_some(found));
            }
        }
        near
    }
}

impl Spot {
    fn seen_from(&self, node: u32, place: DVec3, excess: [f64; 4]) -> Near {
        let way = self.foot - place;
        let straight = way.length();
        let bent: f64 = (0..4).map(|n| self.weights[n] * excess[n]).sum();
        let bent_slope = (0..4).map(|n| self.weight_slopes[n] * excess[n]).sum::<DVec3>();
        let direction = if straight > 0.0 { way / straight } else { DVec3::ZERO };
        Near {
            node,
            arm_m: place - self.point,
            distance_m: straight + bent.max(0.0),
            slope: self.foot_slope * direction + bent_slope,
        }
    }

    /// The distance from a source whose excess at every vertex is in `excess`; infinite where it is not
    /// known.
    pub(super) fn distance_from(&self, place: DVec3, excess: &[f64]) -> f64 {
        let known = self.corners.map(|vertex| excess[vertex as usize]);
        let bent: f64 = (0..4).filter(|n| self.weights[*n] > 0.0).map(|n| self.weights[n] * known[n]).sum();
        self.foot.distance(place) + bent.max(0.0)
    }

    /// The corners of its cell; those of a triangle with one of them twice.
    pub(super) fn vertices(&self) -> [u32; 4] {
        self.corners
    }
}
