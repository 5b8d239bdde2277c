//! Depenetration without energy: bodies that lie deep in each other, or in an obstacle, are pushed out, and that must not make energy.
//!
//! Contact of every solver repairs a share of a penetration in each step. Flesh that an impact pressed flat, or that turned over inside another body, is pushed on as long as it lies there,
//! now this way and now that, and each push may leave speed or stretched cells behind. What bodies that touch gained together in an interval beyond the work of forces is therefore taken from their speeds:
//! from what they move against each other and in themselves, so that their linear and angular momenta stay; from all of their speed where an obstacle does the pushing. Bodies that
//! are less than `PRESSED_DEPTH` deep are left alone: there contact is a solver's own business. Sheets have no depth: whatever lies in the thickness that they keep is pushed out of it.

use crate::StageBody;
use crate::drive::{Drive, is_carried};
use crate::groups::Group;
use crate::guard::{PRESSED_DEPTH, is_followed, kinetic_j};
use crate::pressed::LazyPressed;
use sinew_math::DVec3;
use sinew_solve::contact::IslandMembers;
use sinew_solve::{BodyContact, BodyState, Cells, Contact, Cues, RigidBody};

/// Kinetic energy of bodies that touch and that grows by more than this factor is looked into, pressed or not.
const SUSPICIOUS_GROWTH: f64 = 2.0;

/// One interval as it began, and what was asked in it.
pub(crate) struct Pushes<'a> {
    pub(crate) bodies: &'a [StageBody],
    pub(crate) groups: &'a [Group],
    pub(crate) before: &'a [BodyState],
    pub(crate) cues: &'a [Cues],
    /// Forces of directors on a body, without those of contact.
    pub(crate) force_n: &'a dyn Fn(usize) -> &'a [DVec3],
    pub(crate) contacts: &'a [Vec<Contact>],
    pub(crate) touching: &'a [BodyContact],
    /// Bodies that touch each other.
    pub(crate) islands: &'a IslandMembers,
    pub(crate) pressed: &'a LazyPressed,
    pub(crate) h_secs: f64,
}

/// What pushes a body.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum By {
    Nothing,
    Body,
    Obstacle,
}

impl Pushes<'_> {
    /// Takes from the speeds in `after` what pushes have given.
    pub(crate) fn pay(&self, after: &mut [BodyState]) {
        for island in self.islands.iter() {
            // What is driven pays nothing, and need not be asked how deep it lies.
            if !island.iter().all(|&body| self.is_free(body)) {
                continue;
            }
            let deep = island.iter().map(|&body| self.pushed_by(body)).max().unwrap_or(By::Nothing);
            let by = if deep == By::Nothing { self.by_what_speeds_up(island, after) } else { deep };
            if by != By::Nothing {
                let gained = self.gained_j(island, after);
                slow(self.bodies, island, by, gained, after);
            }
        }
    }

    /// What may push bodies that are not deep in anything and whose speeds grow all the same: a solve that went wrong, or flesh that springs back, which energies tell apart.
    fn by_what_speeds_up(&self, island: &[usize], after: &[BodyState]) -> By {
        let touches = island.iter().any(|&body| !self.contacts[body].is_empty());
        if island.len() == 1 && !touches || island.iter().any(|&body| !is_followed(&self.bodies[body], self.h_secs)) {
            return By::Nothing;
        }
        let kinetic = |states: &[BodyState]| -> f64 {
            island.iter().map(|&body| kinetic_j(&self.bodies[body].flesh.mass_kg, &states[body])).sum()
        };
        let work: f64 = island.iter().map(|&body| self.work_j(body, &after[body])).sum();
        let calm: f64 = island.iter().map(|&body| self.bodies[body].calm_j).sum();
        if kinetic(after) <= SUSPICIOUS_GROWTH * (kinetic(self.before) + work.max(0.0)) + calm {
            return By::Nothing;
        }
        if touches { By::Obstacle } else { By::Body }
    }

    /// The gap below which a body is pushed out.
    fn pressed_m(&self, body: usize) -> f64 {
        let StageBody { flesh, size_m, .. } = &self.bodies[body];
        if matches!(flesh.cells, Cells::Shell(_)) { 0.0 } else { -PRESSED_DEPTH * size_m }
    }

    fn pushed_by(&self, body: usize) -> By {
        let pressed_m = self.pressed_m(body);
        let pressed = self.pressed.of(self.bodies, self.before, self.contacts, self.touching);
        if pressed.gap_with_obstacles_m(body) < pressed_m {
            By::Obstacle
        } else if pressed.gap_with_bodies_m(body) < pressed_m {
            By::Body
        } else {
            By::Nothing
        }
    }

    /// Whether nothing but forces, muscles and contact with what stands still does work on a body.
    fn is_free(&self, body: usize) -> bool {
        let drive = Drive::of(&self.bodies[body], &self.cues[body]);
        let is_driven = drive.is_held() || drive.is_pulled() || drive.is_dragged();
        // What muscles store in a matched body is not in the energy that it tells.
        let is_driven = is_driven || drive.is_matched() && drive.is_stretched();
        !is_driven && !is_carried(&self.contacts[body])
    }

    /// Energy of an island now, beyond what it had and what forces did. Muscles: both shapes are asked with what they ask for now.
    fn gained_j(&self, island: &[usize], after: &[BodyState]) -> f64 {
        let mut gained = 0.0;
        for &body in island {
            let group = self.groups.iter().find(|group| group.bodies.contains(&body));
            let energy = |state: &BodyState| {
                let elastic = group.map_or(0.0, |group| group.energy_j(body, state, &self.cues[body]));
                elastic + kinetic_j(&self.bodies[body].flesh.mass_kg, state)
            };
            let (before, after) = (&self.before[body], &after[body]);
            gained += energy(after) - energy(before) - self.work_j(body, after);
        }
        gained
    }

    /// Work of the forces of directors.
    fn work_j(&self, body: usize, after: &BodyState) -> f64 {
        let forces = (self.force_n)(body).iter().zip(self.before[body].x.iter().zip(&after.x));
        forces.map(|(force, (x, y))| force.dot(*y - *x)).sum()
    }
}

/// Takes `joule` of the energy of motion away, as far as there is so much.
fn slow(bodies: &[StageBody], island: &[usize], by: By, joule: f64, states: &mut [BodyState]) {
    // Also where it is not a number: the guard tells of that.
    if joule <= 0.0 || joule.is_nan() {
        return;
    }
    let kept = match by {
        By::Obstacle => RigidBody::HELD,
        _ => RigidBody::of_points(island.iter().flat_map(|&body| {
            let state = &states[body];
            let points = state.x.iter().zip(&state.v).zip(&bodies[body].flesh.mass_kg);
            points.map(|((x, v), mass)| (*x, *v, *mass))
        })),
    };
    let beyond = |body: usize, states: &[BodyState]| -> f64 {
        let (state, mass_kg) = (&states[body], &bodies[body].flesh.mass_kg);
        let points = state.x.iter().zip(&state.v).zip(mass_kg);
        points.map(|((x, v), mass)| 0.5 * mass * v.distance_squared(kept.velocity_at(*x))).sum()
    };
    let available: f64 = island.iter().map(|&body| beyond(body, states)).sum();
    if available <= 0.0 {
        return;
    }
    let share = (1.0 - joule / available).max(0.0).sqrt();
    for &body in island {
        let state = &mut states[body];
        for (x, v) in state.x.iter().zip(&mut state.v) {
            let whole = kept.velocity_at(*x);
            *v = whole + (*v - whole) * share;
        }
    }
}
