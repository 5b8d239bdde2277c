//! Farthest-point sampling inside a body.
//!
//! [AWO09] (see [`super`]) §4.2: candidates are the vertices and a dense interior grid; the next sample is
//! the candidate farthest from all samples, by the distance through the material.
//!
//! Departure: pieces that are not connected come first until each has [`PER_PIECE`] samples.

use super::functions::Near;
use super::material::{Material, Spot};
use crate::TetMesh;
use crate::adjacency::components;
use sinew_math::libm::cbrt;
use sinew_math::{DVec3, Sym3};

/// Samples that span a piece.
pub(super) const PER_PIECE: usize = 4;

/// A sampling that can be continued.
pub(super) struct Sampling<'a> {
    material: &'a Material,
    candidates: Vec<Spot>,
    /// Distance of each candidate from the nearest sample.
    nearest_m: Vec<f64>,
    /// The piece that each candidate belongs to.
    piece: Vec<usize>,
    /// Samples of each piece.
    per_piece: Vec<usize>,
    pub samples: Vec<DVec3>,
    /// Excess from the last sample at the vertices; infinite elsewhere.
    scratch: Vec<f64>,
}

impl<'a> Sampling<'a> {
    /// Ready for the first sample, with some `grid_count` candidates besides the vertices.
    pub(super) fn new(material: &'a Material, grid_count: usize) -> Self {
        let mesh = material.mesh();
        let roots = components(mesh.positions.len(), &mesh.tets);
        let mut pieces = roots.clone();
        pieces.sort_unstable();
        pieces.dedup();
        let places = mesh.positions.iter().copied().chain(interior_grid(material, grid_count));
        let candidates: Vec<Spot> = places.map(|place| material.spot(place)).collect();
        let piece_of = |spot: &Spot| pieces.partition_point(|root| *root < roots[spot.vertices()[0] as usize]);
        let piece = candidates.iter().map(piece_of).collect();
        Self {
            material,
            nearest_m: vec![f64::INFINITY; candidates.len()],
            candidates,
            piece,
            per_piece: vec![0; pieces.len()],
            samples: Vec::new(),
            scratch: vec![f64::INFINITY; mesh.positions.len()],
        }
    }

    pub(super) fn piece_count(&self) -> usize {
        self.per_piece.len()
    }

    pub(super) fn candidates(&self) -> &[Spot] {
        &self.candidates
    }

    /// Distance of the farthest candidate from its nearest sample.
    pub(super) fn covering_m(&self) -> f64 {
        self.nearest_m.iter().copied().fold(0.0, f64::max)
    }

    /// Takes the candidate that a seed chooses.
    pub(super) fn take_seeded(&mut self, seed: u64) {
        self.take((mixed(seed) % self.candidates.len() as u64) as usize);
    }

    /// Takes the farthest candidates until there are `count` samples, or no other place is left.
    pub(super) fn take_farthest(&mut self, count: usize) {
        while self.samples.len() < count {
            let key = |n: usize| (self.per_piece[self.piece[n]] < PER_PIECE, self.nearest_m[n]);
            let next = (1..self.candidates.len()).fold(0, |best, n| if key(n) > key(best) { n } else { best });
            if self.nearest_m[next] <= 0.0 {
                return;
            }
            self.take(next);
        }
    }

    /// Takes the candidate within half of `reach_m` of a place that lies farthest from the plane of the nodes
    /// `near` it.
    pub(super) fn take_off_plane(&mut self, place: DVec3, near: &[Near], reach_m: f64) {
        let mean = near.iter().map(|near| near.arm_m).sum::<DVec3>() / near.len().max(1) as f64;
        let square = |near: &Near| Sym3::along(near.arm_m - mean, 1.0);
        let (variances, axes) = near.iter().map(square).fold(Sym3::default(), |sum, one| sum + one).eigen();
        let least = (1..3).fold(0, |least, n| if variances[n] < variances[least] { n } else { least });
        let normal = axes.col(least);
        let reached = self.material.reached(place, 0.5 * reach_m);
        reached.iter().for_each(|(vertex, excess)| self.scratch[*vertex as usize] = *excess);
        let height = |n: usize| {
            let spot = &self.candidates[n];
            let is_free = self.nearest_m[n] > 0.0 && spot.distance_from(place, &self.scratch) <= 0.5 * reach_m;
            if is_free { (spot.point - place - mean).dot(normal).abs() } else { -1.0 }
        };
        let next = (1..self.candidates.len()).fold(0, |best, n| if height(n) > height(best) { n } else { best });
        reached.iter().for_each(|(vertex, _)| self.scratch[*vertex as usize] = f64::INFINITY);
        self.take(next);
    }

    pub(super) fn take(&mut self, candidate: usize) {
        let place = self.candidates[candidate].point;
        self.per_piece[self.piece[candidate]] += 1;
        self.samples.push(place);
        let reached = self.material.reached(place, self.covering_m());
        reached.iter().for_each(|(vertex, excess)| self.scratch[*vertex as usize] = *excess);
        for (spot, nearest_m) in self.candidates.iter().zip(&mut self.nearest_m) {
            if spot.point.distance(place) < *nearest_m {
                *nearest_m = nearest_m.min(spot.distance_from(place, &self.scratch));
            }
        }
        self.nearest_m[candidate] = 0.0;
        reached.iter().for_each(|(vertex, _)| self.scratch[*vertex as usize] = f64::INFINITY);
    }
}

/// Points of a cubic grid inside the body, about `count` of them.
pub(super) fn interior_grid(material: &Material, count: usize) -> Vec<DVec3> {
    let mesh: &TetMesh = material.mesh();
    /// Points of the grid's box at most: a thin body that winds through a large box has fewer inside than
    /// asked for.
    const GRID_MAX: f64 = 2.0e5;
    let (low, high) = mesh
        .positions
        .iter()
        .fold((DVec3::INFINITY, DVec3::NEG_INFINITY), |(low, high), x| (low.min(*x), high.max(*x)));
    let share_m3 = (mesh.volume() / count.max(1) as f64).max((high - low).element_product() / GRID_MAX);
    let step_m = cbrt(share_m3);
    let [ni, nj, nk] = ((high - low) / step_m).floor().to_array().map(|n| n as usize);
    let first = low + 0.5 * (high - low - step_m * DVec3::new(ni as f64, nj as f64, nk as f64));
    let mut points = Vec::new();
    for k in 0..=nk {
        for j in 0..=nj {
            let row = (0..=ni).map(|i| first + step_m * DVec3::new(i as f64, j as f64, k as f64));
            points.extend(row.filter(|point| material.is_inside(*point)));
        }
    }
    points
}

/// Steele, Lea, Flood. "Fast Splittable Pseudorandom Number Generators". OOPSLA 2014: its mixing of bits.
pub(super) fn mixed(seed: u64) -> u64 {
    let z = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}
