//! The nodes of a body: where they are, how far each reaches, and which see one another.

use super::error::MeshlessError;
use super::functions::{Near, ShapeFunctions, evaluate};
use crate::TetMesh;
use rayon::prelude::*;
use sinew_math::DVec3;

/// How a body is sampled.
#[derive(Debug, Clone, PartialEq)]
pub struct MeshlessOptions {
    /// Nodes asked for. A few are added where these cannot span the body.
    pub nodes: usize,
    /// Chooses the first node.
    pub seed: u64,
}

impl Default for MeshlessOptions {
    fn default() -> Self {
        Self { nodes: 46, seed: 0 }
    }
}

/// Nodes over the flesh of a body, and how far each reaches.
#[derive(Debug, Clone)]
pub struct Nodes {
    /// Places at rest.
    pub rest: Vec<DVec3>,
    /// All nodes reach as far.
    pub radius_m: f64,
    mesh: TetMesh,
}

/// Two nodes that move a common place, and the way between them through the material.
#[derive(Debug, Clone, PartialEq)]
pub struct Link {
    pub nodes: [u32; 2],
    /// From one to the other.
    pub path: Vec<DVec3>,
    pub length_m: f64,
}

impl Nodes {
    /// Over the flesh of a body of tets.
    pub fn over(mesh: &TetMesh, options: &MeshlessOptions) -> Result<Self, MeshlessError> {
        if options.nodes < 4 {
            return Err(MeshlessError::TooFewNodes { asked: options.nodes, pieces: 1, needed: 4 });
        }
        let places = &mesh.positions;
        if places.len() < options.nodes {
            return Err(MeshlessError::TooFewPlaces { asked: options.nodes, places: places.len() });
        }
        let mut rest = vec![places[(options.seed % places.len() as u64) as usize]];
        let mut nearest: Vec<f64> = places.iter().map(|x| x.distance(rest[0])).collect();
        while rest.len() < options.nodes {
            let next = (0..places.len()).fold(0, |best, n| if nearest[n] > nearest[best] { n } else { best });
            rest.push(places[next]);
            nearest.iter_mut().zip(places).for_each(|(d, x)| *d = d.min(x.distance(places[next])));
        }
        let fourth = |x: &DVec3| {
            let mut all: Vec<f64> = rest.iter().map(|node| node.distance(*x)).collect();
            all.sort_by(f64::total_cmp);
            all[3]
        };
        let radius_m = 1.3 * places.iter().map(fourth).fold(0.0, f64::max);
        Ok(Self { rest, radius_m, mesh: mesh.clone() })
    }

    /// Shape functions and their gradients at points (rest places).
    pub fn functions_at(&self, points: &[DVec3]) -> Result<ShapeFunctions, MeshlessError> {
        let rows: Vec<_> = points.par_iter().map(|x| evaluate(&self.near(*x), self.radius_m)).collect();
        let mut functions = ShapeFunctions::default();
        for (point, (spread, row)) in rows.iter().enumerate() {
            let (place, nodes, radius_m) = (points[point], spread.nodes, self.radius_m);
            functions.push(row.as_ref().ok_or(MeshlessError::NotCovered { point, place, nodes, radius_m })?);
        }
        Ok(functions)
    }

    /// Pairs of nodes that move a common place, with the way between them through the material.
    pub fn links(&self) -> Vec<Link> {
        let mut links = Vec::new();
        for (a, from) in self.rest.iter().enumerate() {
            for (b, to) in self.rest.iter().enumerate().skip(a + 1) {
                let length_m = from.distance(*to);
                if length_m < self.radius_m {
                    links.push(Link { nodes: [a as u32, b as u32], path: vec![*from, *to], length_m });
                }
            }
        }
        links
    }

    pub fn len(&self) -> usize {
        self.rest.len()
    }

    pub fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }

    pub(super) fn mesh(&self) -> &TetMesh {
        &self.mesh
    }

    fn near(&self, point: DVec3) -> Vec<Near> {
        let near = |(node, place): (usize, &DVec3)| {
            let (arm_m, distance_m) = (*place - point, place.distance(point));
            Near { node: node as u32, arm_m, distance_m, slope: (-arm_m).normalize_or_zero() }
        };
        self.rest.iter().enumerate().map(near).filter(|near| near.distance_m < self.radius_m).collect()
    }
}
