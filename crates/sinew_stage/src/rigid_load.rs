//! How forces of other solvers act on shape-matched bodies: on single vertices, and on the body as one where its material is stiffer than matching
//! ([`ShapeMatchingParams::rigid_share`]).

use crate::drive::Drive;
use crate::warm_start::RigidWarmStart;
use crate::{Method, StageBody};
use sinew_math::{DMat3, DVec3};
use sinew_solve::contact::Spot;
use sinew_solve::shape_matching::region_spread_m2;
use sinew_solve::{BodyState, Cells, Cues, RigidBody};

#[derive(Default)]
pub(crate) struct RigidLoads {
    /// By body; none takes all forces on its vertices.
    loads: Vec<Option<RigidLoad>>,
    /// What stiffness under matching goes by, for bodies that were touched before.
    spreads_m2: Vec<Option<f64>>,
}

/// A body as forces find it in an interval.
struct RigidLoad {
    share: f64,
    inverse_mass: f64,
    inverse_inertia: DMat3,
    /// From the centre to every point, and its mass.
    points: Vec<(DVec3, f64)>,
    force_n: DVec3,
    /// About the centre.
    torque_nm: DVec3,
}

impl RigidLoads {
    /// For the bodies that others touch in this interval.
    pub(crate) fn begin(&mut self, now: &RigidWarmStart<'_>, touched: impl Iterator<Item = usize>) {
        self.loads.clear();
        self.loads.resize_with(now.bodies.len(), || None);
        self.spreads_m2.resize(now.bodies.len(), None);
        for number in touched {
            if self.loads[number].is_none() && !Drive::of(&now.bodies[number], &now.cues[number]).is_pinned() {
                let share = self.share(number, &now.bodies[number], now.h_secs);
                let load = || RigidLoad::new(&now.bodies[number], &now.states[number], share);
                self.loads[number] = (share > 0.0).then(load);
            }
        }
    }

    fn share(&mut self, number: usize, body: &StageBody, h_secs: f64) -> f64 {
        match body.method {
            Method::ShapeMatching(params) if matches!(body.flesh.cells, Cells::Tets(_)) => {
                let spread_m2 = *self.spreads_m2[number].get_or_insert_with(|| region_spread_m2(&body.flesh));
                params.rigid_share(spread_m2, &body.material, h_secs)
            }
            _ => 0.0,
        }
    }

    /// Adds the part of a force that acts on vertices, and keeps the part that moves the body as one for [`Self::spread`].
    pub(crate) fn push(&mut self, forces: &mut [DVec3], spot: &Spot, force_n: DVec3) {
        let load = self.loads[spot.body.0 as usize].as_mut();
        let on_vertices = 1.0 - load.as_ref().map_or(0.0, |load| load.share);
        spot.terms().for_each(|(dof, weight)| forces[dof] += force_n * (weight * on_vertices));
        if let Some(load) = load {
            load.push(spot, force_n);
        }
    }

    /// Adds what moves bodies as one to the forces on all their points.
    pub(crate) fn spread(&mut self, cues: &mut [Cues]) {
        for (load, cues) in self.loads.iter_mut().zip(cues) {
            if let Some(load) = load {
                load.spread(&mut cues.force_n);
            }
        }
    }
}

impl RigidLoad {
    fn new(body: &StageBody, state: &BodyState, share: f64) -> Self {
        let masses = &body.flesh.mass_kg;
        let RigidBody { centre, inverse_mass, inverse_inertia, .. } = RigidBody::of(masses, state);
        let points = state.x.iter().zip(masses).map(|(x, m)| (*x - centre, *m)).collect();
        let [force_n, torque_nm] = [DVec3::ZERO; 2];
        Self { share, inverse_mass, inverse_inertia, points, force_n, torque_nm }
    }

    fn push(&mut self, spot: &Spot, force_n: DVec3) {
        let arm = spot.terms().map(|(dof, weight)| self.points[dof].0 * weight).sum::<DVec3>();
        self.force_n += force_n * self.share;
        self.torque_nm += arm.cross(force_n) * self.share;
    }

    /// m (F/M + (I⁻¹ τ) × r) on every point: the same force and torque.
    fn spread(&mut self, forces: &mut [DVec3]) {
        let [force_n, torque_nm] = [&mut self.force_n, &mut self.torque_nm].map(std::mem::take);
        let (shift, turn) = (force_n * self.inverse_mass, self.inverse_inertia * torque_nm);
        for (force, (arm, mass)) in forces.iter_mut().zip(&self.points) {
            *force += (shift + turn.cross(*arm)) * *mass;
        }
    }
}
