//! What matching knows about a flesh that never changes, and the rest regions for the rest shape in force.

use super::params::region_spread_m2;
use super::passes::{RegionBlock, VertexBlock};
use crate::Flesh;
use crate::simd::{BLOCK, Lists};
use sinew_math::rotation::{mass_centre, nearest_rotation, outer};
use sinew_math::{DMat3, DVec3};
use std::sync::Arc;

/// Fixed per flesh; copies of a body share one.
#[derive(Debug)]
pub(super) struct Model {
    pub(super) flesh: Arc<Flesh>,
    /// Neighbours of every point with the point itself, as records; padded with empty lists to full blocks.
    pub(super) lists: Lists,
    /// m̃_i = m_i / |N_i|, kilogram.
    shared_mass_kg: Vec<f64>,
    /// Points of every region in rising order.
    pub(super) rings: Vec<Vec<u32>>,
    pub(super) total_mass_kg: f64,
    /// What its stiffness under matching goes by.
    pub(super) region_spread_m2: f64,
    /// L² of a cube as widespread: four times the mean square distance from the centre.
    pub(super) length_squared_m2: f64,
    /// 1/m, and 0 for points without mass.
    pub(super) inverse_mass: Vec<f64>,
    /// Lanes work in lengths of about an edge and masses of about a point, far from where f32 under- or overflows.
    pub(super) unit_m: f64,
    unit_kg: f64,
    /// Regions of x0.
    pub(super) at_rest: Regions,
}

/// The rest regions of one rest shape.
#[derive(Debug, Clone)]
pub(super) struct Regions {
    /// Rest positions about their mass centre, metres.
    pub(super) rest: Vec<DVec3>,
    pub(super) regions: Vec<RegionBlock>,
    pub(super) vertices: Vec<VertexBlock>,
}

impl Model {
    pub(super) fn new(flesh: &Arc<Flesh>) -> Self {
        let points = flesh.point_count();
        let mut rings = flesh.one_rings();
        for (i, ring) in rings.iter_mut().enumerate() {
            ring.push(i as u32);
            ring.sort_unstable();
        }
        let shared_mass_kg: Vec<f64> =
            flesh.mass_kg.iter().zip(&rings).map(|(m, ring)| m / ring.len() as f64).collect();
        let mut lists = Lists::default();
        let blocks = points.div_ceil(BLOCK);
        for i in 0..blocks * BLOCK {
            let ring = rings.get(i).map_or(&[][..], |ring| &ring[..]);
            lists.push(ring.iter().map(|&j| j as usize), blocks * BLOCK);
        }
        let total_mass_kg = flesh.total_mass_kg();
        let unit_m = mean_edge(&flesh.rest, &rings);
        let unit_kg = shared_mass_kg.iter().sum::<f64>() / points as f64;
        let mut model = Self {
            flesh: flesh.clone(),
            lists,
            shared_mass_kg,
            rings,
            total_mass_kg,
            region_spread_m2: region_spread_m2(flesh),
            length_squared_m2: 0.0,
            inverse_mass: flesh.mass_kg.iter().map(|m| if *m > 0.0 { 1.0 / m } else { 0.0 }).collect(),
            unit_m,
            unit_kg,
            at_rest: Regions {
                rest: Vec::new(),
                regions: vec![RegionBlock::EMPTY; blocks],
                vertices: vec![VertexBlock::EMPTY; blocks],
            },
        };
        let mut at_rest = model.at_rest.clone();
        model.set_rest(&mut at_rest, |i| flesh.rest[i]);
        let inertia: f64 = at_rest.rest.iter().zip(&flesh.mass_kg).map(|(x, m)| x.length_squared() * m).sum();
        model.length_squared_m2 = 4.0 * inertia / total_mass_kg;
        model.at_rest = at_rest;
        model
    }

    pub(super) fn points(&self) -> usize {
        self.rings.len()
    }

    /// Makes `of` the regions of the rest shape `o` (PD eq. 3): centres o_c, masses M_r and moments
    /// Σ m̃ (o − o_c)(o − o_c)ᵀ, in f64 and then rounded once.
    pub(super) fn set_rest(&self, of: &mut Regions, o: impl Fn(usize) -> DVec3) {
        of.rest.clear();
        of.rest.extend((0..self.points()).map(o));
        let middle = mass_centre(&of.rest, &self.flesh.mass_kg);
        for o in &mut of.rest {
            *o -= middle;
        }
        for i in 0..self.points() {
            let (block, lane) = (i / BLOCK, i % BLOCK);
            let vertex = &mut of.vertices[block];
            put(&mut vertex.rest, lane, (of.rest[i] / self.unit_m).to_array());
            vertex.inverse_count.0[lane] = 1.0 / self.rings[i].len() as f32;
            vertex.mass.0[lane] = (self.shared_mass_kg[i] / self.unit_kg) as f32;
            let (mass, centre, moment) = self.moments(i, &of.rest, &of.rest);
            let region = &mut of.regions[block];
            region.inverse_mass.0[lane] = if mass > 0.0 { (self.unit_kg / mass) as f32 } else { 0.0 };
            put(&mut region.centre, lane, (centre / self.unit_m).to_array());
            let m = moment * (1.0 / (self.unit_kg * self.unit_m * self.unit_m));
            let six = [m.x_axis.x, m.y_axis.y, m.z_axis.z, m.x_axis.y, m.y_axis.z, m.z_axis.x];
            put(&mut region.moment, lane, six);
        }
    }

    /// R_o of a region: the rotation part of x0 → o there (identity where the region is too flat to tell).
    pub(super) fn rest_turn(&self, region: usize, rest: &[DVec3]) -> DMat3 {
        let (_, _, moment) = self.moments(region, rest, &self.at_rest.rest);
        DMat3::from_quat(nearest_rotation(moment))
    }

    /// M_r, the centre of `x` over the region, and Σ m̃ (x − c)(o − o_c)ᵀ.
    pub(super) fn moments(&self, region: usize, x: &[DVec3], o: &[DVec3]) -> (f64, DVec3, DMat3) {
        let ring = &self.rings[region];
        let mass: f64 = ring.iter().map(|&i| self.shared_mass_kg[i as usize]).sum();
        if mass <= 0.0 {
            return (0.0, x[region], DMat3::ZERO);
        }
        let weighted = |of: &[DVec3]| {
            ring.iter().fold(DVec3::ZERO, |sum, &i| sum + of[i as usize] * self.shared_mass_kg[i as usize]) / mass
        };
        let (x_centre, o_centre) = (weighted(x), weighted(o));
        let moment = ring.iter().fold(DMat3::ZERO, |sum, &i| {
            let i = i as usize;
            sum + outer((x[i] - x_centre) * self.shared_mass_kg[i], o[i] - o_centre)
        });
        (mass, x_centre, moment)
    }

    /// Points of a region with their m̃.
    pub(super) fn members(&self, region: usize) -> impl Iterator<Item = (usize, f64)> + Clone + '_ {
        self.rings[region].iter().map(|&i| (i as usize, self.shared_mass_kg[i as usize]))
    }
}

fn put<const K: usize>(slots: &mut [crate::simd::Slot; K], lane: usize, values: [f64; K]) {
    for (slot, value) in slots.iter_mut().zip(values) {
        slot.0[lane] = value as f32;
    }
}

/// Mean distance of neighbours; 1 for a body without any.
fn mean_edge(rest: &[DVec3], rings: &[Vec<u32>]) -> f64 {
    let mut sum = 0.0;
    let mut count = 0usize;
    for (i, ring) in rings.iter().enumerate() {
        sum += ring.iter().map(|&j| rest[i].distance(rest[j as usize])).sum::<f64>();
        count += ring.len() - 1;
    }
    if sum > 0.0 { sum / count as f64 } else { 1.0 }
}
