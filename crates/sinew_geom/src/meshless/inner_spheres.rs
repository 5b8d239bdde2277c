//! Spheres inside a body that come close to all of its surface: a stand-in for the body among many.
//!
//! [AWO09] (see [`super`]) keeps bodies apart by their nodes alone, through the inverse of the deformation
//! (Eq. 24), which misses what is between nodes. Here spheres fill the body. Centres are places of a grid and
//! middles of tets, and radii their depth, so that each sphere lies inside. They are chosen greedily: the
//! next one lowers Σ A_s g_s⁴ most, where g_s is the gap between surface sample s and the nearest sphere. The
//! fourth power makes the largest gaps count.

use super::material::Material;
use super::sampling::interior_grid;
use super::surface_samples::SurfaceSamples;
use crate::distance::TriangleTree;
use crate::{TetMesh, TriangleMesh};
use rayon::prelude::*;
use sinew_math::DVec3;
use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// Places on a grid, and middles of tets, that may become centres: for every sphere.
const CENTRES_PER_SPHERE: usize = 40;
const SAMPLES: usize = 1500;

/// Spheres inside a body.
#[derive(Debug, Clone, PartialEq)]
pub struct InnerSpheres {
    pub centres: Vec<DVec3>,
    pub radius_m: Vec<f64>,
    /// The largest distance from a sample of the surface to the nearest sphere.
    pub gap_m: f64,
}

/// What a sphere would gain, computed when there were so many.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Gain {
    by: f64,
    sphere: u32,
    chosen: usize,
}

impl InnerSpheres {
    /// At most `count` spheres. Fewer where these touch the surface everywhere.
    pub fn of(mesh: &TetMesh, count: usize) -> Self {
        let surface = TriangleMesh { positions: mesh.positions.clone(), triangles: mesh.boundary() };
        let samples = SurfaceSamples::of(&surface, SAMPLES, 0);
        let spheres = candidates(mesh, &surface, CENTRES_PER_SPHERE * count);
        let gap = |sample: DVec3, (centre, radius_m): (DVec3, f64)| (sample.distance(centre) - radius_m).max(0.0);
        // No sphere yet: as far as the body is large.
        let (low, high) = surface.bounds();
        let mut gaps = vec![low.distance(high); samples.points.len()];
        let gain = |sphere: u32, gaps: &[f64]| -> f64 {
            let lowered = samples.points.iter().zip(gaps).map(|(sample, before)| {
                let after = gap(*sample, spheres[sphere as usize]).min(*before);
                before.powi(4) - after.powi(4)
            });
            lowered.sum()
        };
        let first = (0..spheres.len() as u32).into_par_iter();
        let mut queue: BinaryHeap<Gain> =
            first.map(|sphere| Gain { by: gain(sphere, &gaps), sphere, chosen: 0 }).collect::<Vec<_>>().into();
        let mut chosen: Vec<(DVec3, f64)> = Vec::new();
        while chosen.len() < count
            && let Some(best) = queue.pop()
        {
            if best.by <= 0.0 {
                break;
            }
            // Gains only fall as spheres are added: one that is up to date and still the largest is the best.
            if best.chosen < chosen.len() {
                queue.push(Gain { by: gain(best.sphere, &gaps), chosen: chosen.len(), ..best });
                continue;
            }
            let sphere = spheres[best.sphere as usize];
            chosen.push(sphere);
            samples
                .points
                .iter()
                .zip(&mut gaps)
                .for_each(|(sample, before)| *before = before.min(gap(*sample, sphere)));
        }
        Self {
            centres: chosen.iter().map(|(centre, _)| *centre).collect(),
            radius_m: chosen.iter().map(|(_, radius_m)| *radius_m).collect(),
            gap_m: gaps.iter().copied().fold(0.0, f64::max),
        }
    }

    pub fn len(&self) -> usize {
        self.centres.len()
    }

    pub fn is_empty(&self) -> bool {
        self.centres.is_empty()
    }
}

/// Places inside with their depth.
fn candidates(mesh: &TetMesh, surface: &TriangleMesh, count: usize) -> Vec<(DVec3, f64)> {
    let tree = TriangleTree::new(&surface.positions, &surface.triangles);
    let mut places = interior_grid(&Material::of(mesh), count);
    let every = mesh.tets.len().div_ceil(count.max(1)).max(1);
    places.extend(mesh.tet_ids().step_by(every).map(|tet| mesh.places(tet).iter().sum::<DVec3>() / 4.0));
    let depth = |place: DVec3| tree.nearest(place).map_or(0.0, |hit| hit.distance_squared.sqrt());
    places.into_par_iter().map(|place| (place, depth(place))).filter(|(_, depth)| *depth > 0.0).collect()
}

impl Eq for Gain {}

impl Ord for Gain {
    fn cmp(&self, other: &Self) -> Ordering {
        self.by.total_cmp(&other.by).then(other.sphere.cmp(&self.sphere))
    }
}

impl PartialOrd for Gain {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
