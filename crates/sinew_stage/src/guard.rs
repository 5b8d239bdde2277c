//! What no step may end with, whatever its solver says: numbers that are not finite, a body torn apart, energy out of nothing.
//!
//! A step that does is taken back and tried again in shorter intervals (`Stage::step`); where that does not help, the run
//! ends with an error that names the body.

use crate::drive::{Drive, is_carried};
use crate::groups::Group;
use crate::pressed::LazyPressed;
use crate::{Method, StageBody};
use sinew_math::DVec3;
use sinew_math::rotation::{best_fit_rotation, mass_centre};
use sinew_solve::contact::IslandMembers;
use sinew_solve::{BodyContact, BodyId, BodyState, Contact, Cues, StepError};

/// The most that flesh may be stretched, in sizes of the body. Rubber tears at ten.
const MOST_STRETCH: f64 = 1000.0;
/// Kinetic energy that grows by less than this factor in a step is not looked into: elastic energy that is let go does that.
const SUSPICIOUS_GROWTH: f64 = 16.0;
/// Total energy may grow by this factor on top of the work done: contact is a stiff spring whose energy is not counted.
const MOST_GROWTH: f64 = 2.0;
/// Bodies that touch and whose kinetic energy falls by more than this factor have run into something.
const STOPPED: f64 = 1.5;
/// How far waves may run in a step, in sizes of the body, for shorter steps to be worth their time.
const FOLLOWED_SIZES: f64 = 300.0;
/// A motion that is never looked into: body sizes per second.
const CALM_SIZES_PER_SEC: f64 = 0.5;

/// What is pressed deeper than this share of its size is pushed out, which gives it energy.
pub(crate) const PRESSED_DEPTH: f64 = 0.01;
/// By how much it is pushed in a step at most, as a share of its size.
const PUSHED_SIZES: f64 = 0.5;

/// One interval, as it began and ended, and what was asked in it.
pub(crate) struct Guard<'a> {
    pub(crate) bodies: &'a [StageBody],
    pub(crate) groups: &'a [Group],
    pub(crate) before: &'a [BodyState],
    pub(crate) after: &'a [BodyState],
    pub(crate) cues: &'a [Cues],
    pub(crate) contacts: &'a [Vec<Contact>],
    pub(crate) touching: &'a [BodyContact],
    /// Bodies that touch each other.
    pub(crate) islands: &'a IslandMembers,
    pub(crate) pressed: &'a LazyPressed,
    pub(crate) h_secs: f64,
}

impl Guard<'_> {
    pub(crate) fn check(&self) -> Result<(), StepError> {
        for (i, after) in self.after.iter().enumerate() {
            let body = BodyId(i as u32);
            if let Some(vertex) = after.first_not_finite() {
                return Err(StepError::NotFinite { body, vertex });
            }
            let (size_m, times) = (self.bodies[i].size_m, extent_m(&after.x) / self.bodies[i].size_m);
            if times > MOST_STRETCH && times > extent_m(&self.before[i].x) / size_m {
                return Err(StepError::TornApart { body, times });
            }
        }
        for island in self.islands.iter() {
            if let Some((body, joule)) = self.gained(island) {
                return Err(StepError::EnergyGained { body: BodyId(body as u32), joule });
            }
        }
        Ok(())
    }

    /// Whether bodies that were stopped by each other hold more than they came with: a solve that went wrong leaves flesh stretched, and speed follows from that.
    pub(crate) fn is_overstretched(&self) -> bool {
        self.islands.iter().any(|island| self.is_stopped(island) && self.gained_beyond(island))
    }

    /// Whether bodies that touch something have lost most of their motion.
    fn is_stopped(&self, island: &[usize]) -> bool {
        let touches = |i: usize| !self.contacts[i].is_empty() || island.len() > 1;
        let is_left = |i: usize| is_followed(&self.bodies[i], self.h_secs) && touches(i) && self.is_left_to_forces(i);
        if !island.iter().all(|&i| is_left(i)) {
            return false;
        }
        let (mut before, mut after) = (0.0, self.least_calm_j(island));
        for &i in island {
            let [first, last] = self.kinetic_j(i);
            (before, after) = (before + first, after + last);
        }
        before > STOPPED * after
    }

    /// What is calm for the one of some bodies that has least: beside a slab, what a mouse holds is none of its calm.
    fn least_calm_j(&self, island: &[usize]) -> f64 {
        island.iter().map(|&i| self.bodies[i].calm_j).fold(f64::INFINITY, f64::min)
    }

    /// Whether energy grew by more than the guard allows.
    fn gained_beyond(&self, island: &[usize]) -> bool {
        let (mut given, mut now) = (self.least_calm_j(island), 0.0);
        for &i in island {
            let ([kinetic_before, kinetic], [elastic_before, elastic]) = (self.kinetic_j(i), self.elastic_j(i));
            given += kinetic_before + elastic_before + self.work_j(i);
            now += kinetic + elastic;
        }
        now > MOST_GROWTH * given
    }

    /// Energy that bodies which touch each other have gained together and that nothing put into them; with the fastest of them.
    fn gained(&self, island: &[usize]) -> Option<(usize, f64)> {
        if !island.iter().all(|&i| self.is_left_to_forces(i)) {
            return None;
        }
        // What is calm now is calm whatever it was before; most of the time that is all there is to ask.
        let (mut kinetic, mut calm) = (0.0, 0.0);
        for &i in island {
            kinetic += kinetic_j(&self.bodies[i].flesh.mass_kg, &self.after[i]);
            calm += self.bodies[i].calm_j;
        }
        if kinetic <= calm {
            return None;
        }
        let (mut kinetic, mut allowed) = (0.0, 0.0);
        for &i in island {
            let [before, after] = self.kinetic_j(i);
            kinetic += after;
            allowed += SUSPICIOUS_GROWTH * (before + self.work_j(i)) + self.bodies[i].calm_j + self.push_j(i);
        }
        if kinetic <= allowed {
            return None;
        }
        let (mut given, mut now, mut calm) = (0.0, 0.0, 0.0);
        for &i in island {
            let [kinetic_before, kinetic] = self.kinetic_j(i);
            let [elastic_before, elastic] = self.elastic_j(i);
            given += kinetic_before + elastic_before.max(self.snap_back_j(i)) + self.work_j(i);
            // What is pressed is stretched by that, and pays as far as it moves.
            now += if self.is_pressed(i) { kinetic } else { kinetic + elastic };
            calm += self.bodies[i].calm_j + self.push_j(i);
        }
        let gained = now - given;
        let fastest = island.iter().copied().max_by(|&a, &b| self.kinetic_j(a)[1].total_cmp(&self.kinetic_j(b)[1]))?;
        (gained > (MOST_GROWTH - 1.0) * given + calm).then_some((fastest, gained))
    }

    /// Kinetic energy before and after.
    fn kinetic_j(&self, i: usize) -> [f64; 2] {
        [&self.before[i], &self.after[i]].map(|state| kinetic_j(&self.bodies[i].flesh.mass_kg, state))
    }

    /// Elastic energy before and after.
    fn elastic_j(&self, i: usize) -> [f64; 2] {
        let group = self.groups.iter().find(|group| group.bodies.contains(&i));
        let energy = |state: &BodyState| group.map_or(0.0, |group| group.energy_j(i, state, &self.cues[i]));
        [&self.before[i], &self.after[i]].map(energy)
    }

    /// The kinetic energy with which shape matching brings a body back to its shape within the interval, however it was held out of it: more than what one pass works against, which is
    /// the energy that it tells.
    fn snap_back_j(&self, i: usize) -> f64 {
        let (StageBody { flesh, method, .. }, before) = (&self.bodies[i], &self.before[i]);
        if !matches!(method, Method::ShapeMatching(_)) {
            return 0.0;
        }
        let turn = best_fit_rotation(&flesh.rest, &before.x, &flesh.mass_kg);
        let [centre, rest_centre] = [&before.x, &flesh.rest].map(|x| mass_centre(x, &flesh.mass_kg));
        let off = |((x, rest), mass): ((&DVec3, &DVec3), &f64)| {
            0.5 * mass * (*x - centre - turn * (*rest - rest_centre)).length_squared()
        };
        let joule_secs2: f64 = before.x.iter().zip(&flesh.rest).zip(&flesh.mass_kg).map(off).sum();
        joule_secs2 / (self.h_secs * self.h_secs)
    }

    /// The kinetic energy of being pushed out of something, which is still to be paid for. Nothing is pushed by half its size in a step: that is a solve that went wrong, and speeds that were
    /// taken away would not bring it back.
    fn push_j(&self, i: usize) -> f64 {
        if !self.is_pressed(i) {
            return 0.0;
        }
        0.5 * self.bodies[i].flesh.total_mass_kg() * (PUSHED_SIZES * self.bodies[i].size_m / self.h_secs).powi(2)
    }

    fn is_pressed(&self, i: usize) -> bool {
        let pressed_m = -PRESSED_DEPTH * self.bodies[i].size_m;
        let pressed = self.pressed.of(self.bodies, self.before, self.contacts, self.touching);
        pressed.gap_with_obstacles_m(i) < pressed_m || pressed.gap_with_bodies_m(i) < pressed_m
    }

    /// Work of given forces.
    fn work_j(&self, i: usize) -> f64 {
        let [before, after] = [&self.before[i], &self.after[i]];
        let worked = |(n, force): (usize, &DVec3)| force.dot(after.x[n] - before.x[n]);
        self.cues[i].force_n.iter().enumerate().map(worked).sum::<f64>().abs()
    }

    /// Whether nothing but given forces, obstacles that stand still and other bodies can do work on a body. What those give is paid for (`contact_energy.rs`).
    fn is_left_to_forces(&self, i: usize) -> bool {
        let drive = Drive::of(&self.bodies[i], &self.cues[i]);
        let is_driven = drive.is_held()
            || drive.is_pulled()
            || drive.is_dragged()
            || drive.is_rest_changed()
            || drive.is_drawn_to_rest();
        !is_driven && !is_carried(&self.contacts[i])
    }
}

/// Whether steps follow a body, so that its energies tell something and shorter ones tell more. What is stiffer than that is rigid in any of them, and contact only gets harder.
/// Matched shapes spring back with more than they tell.
pub(crate) fn is_followed(body: &StageBody, h_secs: f64) -> bool {
    let waves_m_s = (body.material.young_pa / body.material.density_kg_m3).sqrt();
    !matches!(body.method, Method::ShapeMatching(_)) && waves_m_s * h_secs < FOLLOWED_SIZES * body.size_m
}

/// The kinetic energy of a motion that is never looked into.
pub(crate) fn calm_j(mass_kg: f64, size_m: f64) -> f64 {
    0.5 * mass_kg * (CALM_SIZES_PER_SEC * size_m).powi(2)
}

/// The diagonal of the box about all points, which are finite: least and largest in one sweep, without a care for what is no number.
fn extent_m(x: &[DVec3]) -> f64 {
    let (mut low, mut high) = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
    for x in x {
        for (axis, at) in x.to_array().into_iter().enumerate() {
            low[axis] = if at < low[axis] { at } else { low[axis] };
            high[axis] = if at > high[axis] { at } else { high[axis] };
        }
    }
    (DVec3::from_array(high) - DVec3::from_array(low)).length()
}

pub(crate) fn kinetic_j(mass_kg: &[f64], state: &BodyState) -> f64 {
    mass_kg.iter().zip(&state.v).map(|(mass, v)| 0.5 * mass * v.length_squared()).sum()
}
