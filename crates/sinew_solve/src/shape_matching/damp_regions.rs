//! Wobble within regions dies away; what each region does as a whole does not, and so neither does bending or swaying.
//!
//! Rivers, James: "FastLSM", SIGGRAPH 2007, §4.4: every region draws its members towards its own rigid motion, and a member
//! takes the mean of its regions. Here with the shared masses m̃ of [PD]: since every member counts with m̃_i = m_i/|N_i| in
//! each of its |N_i| regions, what regions keep of linear and angular momentum, the body keeps.
//!
//! Damping of the whole body's wobble (`wobble.rs`) calms everything alike; this calms the shortest waves first.

use super::model::Model;
use crate::{BodyState, RigidBody};
use sinew_math::DVec3;

/// `v ← v + (1 − keep) (mean over regions of their rigid motion there − v)`. `motions` is scratch.
pub(super) fn damp_regions(model: &Model, state: &mut BodyState, keep: f64, motions: &mut Vec<Motion>) {
    motions.clear();
    motions.extend((0..model.points()).map(|region| Motion::of(model, region, state)));
    for (i, v) in state.v.iter_mut().enumerate() {
        let d = state.x[i] - state.origin;
        // Regions are symmetric: those that hold i are those of its ring.
        let ring = &model.rings[i];
        let sum = ring.iter().fold(DVec3::ZERO, |sum, &region| sum + motions[region as usize].at(d));
        *v += (sum / ring.len() as f64 - *v) * (1.0 - keep);
    }
}

/// A region's motion as a whole, about the body's origin: `still + spin × d`.
#[derive(Debug, Clone, Copy)]
pub(super) struct Motion {
    still: DVec3,
    spin: DVec3,
}

impl Motion {
    fn at(&self, d: DVec3) -> DVec3 {
        self.still + self.spin.cross(d)
    }

    fn of(model: &Model, region: usize, state: &BodyState) -> Self {
        let points = model.members(region).map(|(i, m)| (state.x[i] - state.origin, state.v[i], m));
        let body = RigidBody::of_points(points);
        if body.inverse_mass == 0.0 {
            return Self { still: state.v[region], spin: DVec3::ZERO };
        }
        Self { still: body.velocity - body.spin.cross(body.centre), spin: body.spin }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Flesh, Memory};
    use sinew_geom::structured::bar;
    use sinew_math::dvec3;
    use std::sync::Arc;

    fn moving(motion: impl Fn(DVec3) -> DVec3) -> (Model, BodyState) {
        let flesh = Arc::new(Flesh::from_tets(bar(dvec3(1.0, 0.2, 0.2), [12, 2, 2]), 1000.0).unwrap());
        let v = flesh.rest.iter().map(|x| motion(*x)).collect();
        let memory = Memory::ShapeMatching { rotation: Vec::new() };
        let mut state = BodyState { origin: DVec3::ZERO, x: flesh.rest.clone(), v, memory };
        state.x.iter_mut().for_each(|x| *x += dvec3(40.0, -3.0, 7.0));
        state.recentre(&flesh.mass_kg);
        (Model::new(&flesh), state)
    }

    /// Share of the squared velocities that one strong damping leaves.
    fn left(motion: impl Fn(DVec3) -> DVec3) -> f64 {
        let (model, mut state) = moving(motion);
        let energy = |state: &BodyState| state.v.iter().map(|v| v.length_squared()).sum::<f64>();
        let before = energy(&state);
        damp_regions(&model, &mut state, 0.0, &mut Vec::new());
        energy(&state) / before
    }

    #[test]
    fn momenta_stay_whatever_regions_damp() {
        let (model, mut state) = moving(|x| dvec3(x.y * 9.0, (x.x * 31.0).sin(), x.z * x.x) + DVec3::Y);
        let momenta = |state: &BodyState| {
            let each = state.x.iter().zip(&state.v).zip(&model.flesh.mass_kg);
            each.fold((DVec3::ZERO, DVec3::ZERO), |(p, l), ((x, v), m)| {
                (p + *v * *m, l + (*x - state.origin).cross(*v) * *m)
            })
        };
        let before = momenta(&state);
        damp_regions(&model, &mut state, 0.3, &mut Vec::new());
        let after = momenta(&state);
        assert!(before.0.distance(after.0) < 1e-10 && before.1.distance(after.1) < 1e-10, "{before:?} {after:?}");
    }

    #[test]
    fn rigid_motion_is_left_alone_and_short_waves_die_before_long_ones() {
        let rigid = |x: DVec3| dvec3(1.0, 2.0, -1.0) + dvec3(0.3, -2.0, 0.5).cross(x);
        assert!((left(rigid) - 1.0).abs() < 1e-12);
        let bend = |x: DVec3| dvec3(-2.0 * x.x * x.y, x.x * x.x, 0.0);
        let shiver = |x: DVec3| dvec3((x.x * 37.7).sin(), 0.0, 0.0);
        assert!(left(bend) > 0.9 && left(shiver) < 0.6, "{} {}", left(bend), left(shiver));
    }
}
