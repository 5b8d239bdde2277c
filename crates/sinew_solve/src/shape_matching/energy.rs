//! Elastic energy of matching.

use super::ShapeMatchingParams;
use super::model::Model;
use crate::{BodyState, Cues};
use sinew_math::rotation::nearest_rotation;
use sinew_math::{DMat3, DVec3};

/// ½ k Σ_r Σ_{i∈N_r} s_i m̃_i |R_r T_r (o_i − o_c) + c_r − x_i|², joule, in f64 with exact rotations.
///
/// k is the spring constant per kilogram behind `pull` at the reference step, s_i the stiffness factor of cues. It is
/// what one pass (N = 0) works against; further passes stiffen the body beyond it.
pub(super) fn elastic_energy(model: &Model, params: &ShapeMatchingParams, state: &BodyState, cues: &Cues) -> f64 {
    let flesh = &model.flesh;
    let rest: Vec<DVec3> = (0..model.points()).map(|i| cues.rest(flesh, i)).collect();
    // About the body's centre, so that nothing is lost far from the origin.
    let x: Vec<DVec3> = state.x.iter().map(|x| *x - state.origin).collect();
    let mut energy = 0.0;
    for region in 0..model.points() {
        let (mass, centre, moment) = model.moments(region, &x, &rest);
        if mass <= 0.0 {
            continue;
        }
        let (_, rest_centre, _) = model.moments(region, &rest, &rest);
        let stretch = match cues.log_stretch.get(region) {
            Some(ln_t) if cues.rest_offset.is_empty() => ln_t.exp().to_mat(),
            Some(ln_t) => ln_t.turned(model.rest_turn(region, &rest)).exp().to_mat(),
            None => DMat3::IDENTITY,
        };
        let map = DMat3::from_quat(nearest_rotation(moment * stretch)) * stretch;
        for (i, shared_mass_kg) in model.members(region) {
            let gap = map * (rest[i] - rest_centre) + centre - x[i];
            let stiffness = cues.stiffness.get(i).copied().unwrap_or(1.0);
            energy += stiffness * shared_mass_kg * gap.length_squared();
        }
    }
    0.5 * params.spring_per_kg() * energy
}
