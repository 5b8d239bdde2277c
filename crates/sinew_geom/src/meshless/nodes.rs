//! The nodes of a body: where they are, how far each reaches, and which see one another.
//!
//! [AWO09] (see [`super`]) §4.2: sampling ([`super::sampling`]) by distance through the material
//! ([`super::material`]), and one radius for all nodes. The radius grows until every place of the body has
//! four nodes that span space well enough. Where no radius does, nodes are added.

use super::error::MeshlessError;
use super::functions::{OwnedRow, ShapeFunctions, Spread, evaluate};
use super::material::{Material, Sources, Spot};
use super::sampling::{PER_PIECE, Sampling};
use crate::{TetMesh, TriangleMesh};
use rayon::prelude::*;
use sinew_math::DVec3;

/// Candidates for a node in the interior grid.
const GRID_PER_NODE: usize = 40;
/// The radius is at least this multiple of what covers every place with four nodes: at the rim of its reach a
/// node counts for nothing.
const OVERLAP: f64 = 1.1;
/// Reach of the first march in distances between nodes. Usually it is enough.
const FIRST_REACH: f64 = 2.2;
/// Σ|∇Φ_i| times the distance between nodes, at most. It is 4 to 10 where nodes surround a place; it grows
/// where they lie near a plane.
const MOST_SLOPE: f64 = 15.0;
/// What the radius grows by where nodes do not span a place, and how far in all.
const GROWTH: f64 = 1.05;
const MOST_GROWTH: f64 = 1.8;
/// Nodes added to those asked for, at most, as a share of them.
const MOST_ADDED: f64 = 0.5;

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
    pub(super) material: Material,
    pub(super) sources: Sources,
    fit: Fit,
}

/// How well the nodes span their body, at the worst of its places.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Fit {
    /// Nodes that move one place: fewest, and on average.
    pub fewest_nodes: usize,
    pub mean_nodes: f64,
    /// Least thickness of the nodes around a place, as a share of their width.
    pub least_aspect: f64,
    /// Largest |Φ_i|, and largest Σ|∇Φ_i| times the distance between nodes.
    pub largest_value: f64,
    pub largest_slope_sum: f64,
}

/// A place that the nodes do not span.
struct Unspanned {
    spot: usize,
    spread: Spread,
}

impl Nodes {
    /// Over the flesh of a body of tets.
    pub fn over(mesh: &TetMesh, options: &MeshlessOptions) -> Result<Self, MeshlessError> {
        let volume_m3 = mesh.volume();
        if mesh.tets.is_empty() || !(volume_m3 > 0.0 && volume_m3.is_finite()) {
            return Err(MeshlessError::NoVolume { volume_m3 });
        }
        let material = Material::of(mesh);
        let mut sampling = Sampling::new(&material, GRID_PER_NODE * options.nodes);
        let (asked, pieces) = (options.nodes, sampling.piece_count());
        if asked < PER_PIECE * pieces {
            return Err(MeshlessError::TooFewNodes { asked, pieces, needed: PER_PIECE * pieces });
        }
        sampling.take_seeded(options.seed);
        sampling.take_farthest(asked);
        if sampling.samples.len() < asked {
            return Err(MeshlessError::TooFewPlaces { asked, places: sampling.samples.len() });
        }
        let checks = places_to_span(&material, sampling.candidates());
        let most = asked + (MOST_ADDED * asked as f64).ceil() as usize;
        loop {
            let mut placed = Placed::of(&material, &sampling, &checks);
            match placed.spanning_radius() {
                Ok((radius_m, fit)) => {
                    let sources = placed.sources;
                    return Ok(Self { rest: sampling.samples, radius_m, sources, fit, material });
                }
                Err((radius_m, worst)) if sampling.samples.len() >= most => {
                    let (place, thickness_m) = (checks[worst.spot].point, worst.spread.thickness_m);
                    return Err(MeshlessError::Flat { place, radius_m, thickness_m, asked, tried: most });
                }
                Err((radius_m, worst)) => placed.add_node_off_the_plane(worst.spot, radius_m, &mut sampling),
            }
        }
    }

    /// Shape functions and their gradients at points (rest places). A point outside the flesh is moved by the
    /// nodes that move the nearest place of its boundary.
    pub fn functions_at(&self, points: &[DVec3]) -> Result<ShapeFunctions, MeshlessError> {
        if let Some(point) = points.iter().position(|x| !x.is_finite()) {
            return Err(MeshlessError::NotFinite { point });
        }
        let spots: Vec<Spot> = points.par_iter().map(|point| self.material.spot(*point)).collect();
        self.functions_at_spots(&spots)
    }

    /// Shape functions at the vertices of a skin. Vertices outside the flesh take the boundary that is
    /// nearest along the skin, not across a gap.
    pub fn functions_on_skin(&self, skin: &TriangleMesh) -> Result<ShapeFunctions, MeshlessError> {
        if let Some(point) = skin.positions.iter().position(|x| !x.is_finite()) {
            return Err(MeshlessError::NotFinite { point });
        }
        self.functions_at_spots(&self.material.spots_of_skin(skin))
    }

    fn functions_at_spots(&self, spots: &[Spot]) -> Result<ShapeFunctions, MeshlessError> {
        let row = |spot: &Spot| evaluate(&self.sources.near(spot, self.radius_m), self.radius_m);
        let rows: Vec<(Spread, Option<OwnedRow>)> = spots.par_iter().map(row).collect();
        let mut functions = ShapeFunctions::default();
        for (point, (spread, row)) in rows.iter().enumerate() {
            let (place, nodes, radius_m) = (spots[point].point, spread.nodes, self.radius_m);
            functions.push(row.as_ref().ok_or(MeshlessError::NotCovered { point, place, nodes, radius_m })?);
        }
        Ok(functions)
    }

    pub fn fit(&self) -> Fit {
        self.fit
    }

    pub fn len(&self) -> usize {
        self.rest.len()
    }

    pub fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }

    /// The flesh that the nodes move.
    pub fn flesh(&self) -> &TetMesh {
        self.material.mesh()
    }
}

/// Vertices, grid and middles of tets: the body, everywhere. Of many tets every so many.
fn places_to_span(material: &Material, candidates: &[Spot]) -> Vec<Spot> {
    let mesh = material.mesh();
    let every = mesh.tets.len().div_ceil(candidates.len().max(1));
    let middle = |tet| material.spot(mesh.places(tet).iter().sum::<DVec3>() / 4.0);
    candidates.iter().copied().chain(mesh.tet_ids().step_by(every).map(middle)).collect()
}

/// Nodes whose radius is still to be chosen.
struct Placed<'a> {
    material: &'a Material,
    checks: &'a [Spot],
    covering_m: f64,
    sources: Sources,
    /// What `sources` know.
    reach_m: f64,
}

impl<'a> Placed<'a> {
    fn of(material: &'a Material, sampling: &Sampling<'_>, checks: &'a [Spot]) -> Self {
        let covering_m = sampling.covering_m();
        let reach_m = FIRST_REACH * covering_m;
        Self { material, checks, covering_m, sources: material.sources(&sampling.samples, reach_m), reach_m }
    }

    fn reach(&mut self, reach_m: f64) {
        if reach_m > self.reach_m {
            self.sources = self.material.sources(&self.sources.places, reach_m);
            self.reach_m = reach_m;
        }
    }

    /// The smallest radius for which the nodes span every place; or the largest tried and the worst place.
    fn spanning_radius(&mut self) -> Result<(f64, Fit), (f64, Unspanned)> {
        let (four_m, mut growth) = (self.radius_of_four(), OVERLAP);
        let mut open: Vec<usize> = (0..self.checks.len()).collect();
        loop {
            let radius_m = growth * four_m;
            self.reach(radius_m);
            // First only what was not spanned by the last radius.
            if !open.is_empty() {
                open = self.unspanned(&open, radius_m);
            }
            if open.is_empty() {
                match self.fit(radius_m) {
                    Ok(fit) => return Ok((radius_m, fit)),
                    Err(worst) => open.push(worst.spot),
                }
            }
            if growth * GROWTH > OVERLAP * MOST_GROWTH {
                return Err((radius_m, self.worst_of(&open, radius_m)));
            }
            growth *= GROWTH;
        }
    }

    fn slope_sum(&self, spot: usize, radius_m: f64) -> f64 {
        let (spread, _) = evaluate(&self.sources.near(&self.checks[spot], radius_m), radius_m);
        spread.slope_sum_per_m * self.covering_m
    }

    fn unspanned(&self, spots: &[usize], radius_m: f64) -> Vec<usize> {
        spots.par_iter().copied().filter(|spot| self.slope_sum(*spot, radius_m) > MOST_SLOPE).collect()
    }

    fn worst_of(&self, spots: &[usize], radius_m: f64) -> Unspanned {
        let slopes: Vec<f64> = spots.par_iter().map(|spot| self.slope_sum(*spot, radius_m)).collect();
        let worst = (0..spots.len()).fold(0, |worst, n| if slopes[n] > slopes[worst] { n } else { worst });
        let spot = spots[worst];
        Unspanned { spot, spread: evaluate(&self.sources.near(&self.checks[spot], radius_m), radius_m).0 }
    }

    /// The radius within which every place has four nodes. Every piece of the body has four, so that a long
    /// reach finds them.
    fn radius_of_four(&mut self) -> f64 {
        loop {
            let fourth = |spot: &Spot| {
                let near = self.sources.near(spot, self.reach_m);
                let mut distances: Vec<f64> = near.iter().map(|near| near.distance_m).collect();
                distances.sort_by(f64::total_cmp);
                distances.get(3).copied().unwrap_or(f64::INFINITY)
            };
            let four_m = self.checks.par_iter().map(fourth).reduce(|| 0.0, f64::max);
            if four_m.is_finite() {
                return four_m;
            }
            self.reach(2.0 * self.reach_m);
        }
    }

    fn fit(&self, radius_m: f64) -> Result<Fit, Unspanned> {
        let look = |spot: &Spot| {
            let (spread, row) = evaluate(&self.sources.near(spot, radius_m), radius_m);
            (spread, row.map_or(f64::INFINITY, |row| row.values.iter().fold(0.0, |most, value| value.abs().max(most))))
        };
        let looked: Vec<(Spread, f64)> = self.checks.par_iter().map(look).collect();
        let slope = |n: usize| looked[n].0.slope_sum_per_m;
        let worst = (0..looked.len()).fold(0, |worst, n| if slope(n) > slope(worst) { n } else { worst });
        if slope(worst) * self.covering_m > MOST_SLOPE {
            return Err(Unspanned { spot: worst, spread: looked[worst].0 });
        }
        Ok(Fit {
            fewest_nodes: looked.iter().map(|(spread, _)| spread.nodes).min().unwrap_or(0),
            mean_nodes: looked.iter().map(|(spread, _)| spread.nodes as f64).sum::<f64>() / looked.len() as f64,
            least_aspect: looked.iter().map(|(s, _)| s.thickness_m / s.width_m).fold(1.0, f64::min),
            largest_value: looked.iter().map(|(_, value)| *value).fold(0.0, f64::max),
            largest_slope_sum: slope(worst) * self.covering_m,
        })
    }

    /// Adds the candidate near a place that lies farthest from the plane of the nodes there.
    fn add_node_off_the_plane(&self, worst: usize, radius_m: f64, sampling: &mut Sampling<'_>) {
        let near = self.sources.near(&self.checks[worst], radius_m);
        sampling.take_off_plane(self.checks[worst].point, &near, radius_m);
    }
}
