//! The coarse level of descent: Newton's method on the rigid modes of bodies, of each alone and of islands that touch.

use super::{DescentSolver, interval};
use crate::implicit::{RigidQuadratic, RigidSystem};
use crate::{BodyState, StepInput};
use sinew_math::DVec3;

/// Contacts come and go, and a step knows only those that were there. Where it goes uphill it is found again, with those counted in that it ran into.
const ATTEMPTS: usize = 3;
/// Then it is halved so often before it is given up.
const HALVINGS: usize = 4;

impl DescentSolver {
    /// One Newton step of the rigid modes of all bodies that something acts on: alone, or together with those that they touch.
    /// `is_last` keeps the rigid transforms in f64, and takes bodies that nothing acts on as well.
    pub(super) fn solve_rigid_modes(&mut self, states: &[BodyState], input: &StepInput<'_>, is_last: bool) {
        self.update_normal_forces(states, input);
        for number in 0..self.members.len() {
            let (member, touches) = (&self.members[number], self.body_contacts.touches(number));
            if member.is_free() && (touches || is_last || member.has_external()) {
                self.weigh(number, states, input);
                if !touches {
                    self.solve_rigid_one(number, states, input);
                }
            }
        }
        if !self.body_contacts.is_empty() {
            self.solve_rigid_islands(states, input);
        }
        if !is_last {
            self.members.iter_mut().for_each(|member| member.put_down(&mut self.batches[member.batch]));
        }
    }

    /// The same before a sweep, which keeps hold of what lies on obstacles and on other bodies.
    pub(super) fn keep_active(&mut self, states: &[BodyState], input: &StepInput<'_>) {
        for (number, member) in self.members.iter_mut().enumerate().filter(|(_, member)| member.has_contacts()) {
            let setup = member.setup.clone();
            member.keep_active(&interval(&setup, number, states, input), &self.batches[member.batch]);
        }
        self.body_contacts.keep_active(&self.members, &self.batches);
    }

    /// Friction goes by what presses now.
    pub(super) fn update_normal_forces(&mut self, states: &[BodyState], input: &StepInput<'_>) {
        for (number, member) in self.members.iter_mut().enumerate().filter(|(_, member)| member.has_contacts()) {
            let setup = member.setup.clone();
            member.update_normal_forces(&interval(&setup, number, states, input), &self.batches[member.batch]);
        }
        self.body_contacts.update_normal_forces(&self.members, &self.batches);
    }

    fn weigh(&mut self, number: usize, states: &[BodyState], input: &StepInput<'_>) {
        let member = &mut self.members[number];
        let batch = &self.batches[member.batch];
        let setup = member.setup.clone();
        let slots = &batch.layout.slot_of[member.first_point..];
        member.weigh(&interval(&setup, number, states, input), &batch.points, slots);
    }

    fn solve_rigid_one(&mut self, number: usize, states: &[BodyState], input: &StepInput<'_>) {
        let from = self.members[number].rigid;
        if !self.members[number].has_contacts() {
            let step = self.whole(number, states, input).step();
            self.members[number].rigid = from.then(&step, 1.0);
            return;
        }
        let before = self.objective(number, states, input);
        let mut step = self.whole(number, states, input).step();
        for attempt in 0..ATTEMPTS {
            self.members[number].rigid = from.then(&step, 1.0);
            if self.objective(number, states, input) <= before {
                return;
            }
            if attempt + 1 < ATTEMPTS {
                self.assume_active(number, states, input);
                self.members[number].rigid = from;
                step = self.whole(number, states, input).step();
            }
        }
        let mut share = 0.5;
        for _ in 1..HALVINGS {
            self.members[number].rigid = from.then(&step, share);
            if self.objective(number, states, input) <= before {
                return;
            }
            share *= 0.5;
        }
        self.members[number].rigid = from;
    }

    /// The same for all that touch others.
    fn solve_rigid_islands(&mut self, states: &[BodyState], input: &StepInput<'_>) {
        let mut rigid_system = std::mem::take(&mut self.rigid_system);
        rigid_system.clear(self.members.len());
        let takes_part = |number: &usize| self.members[*number].is_free() && self.body_contacts.touches(*number);
        rigid_system.bodies.extend((0..self.members.len()).filter(takes_part));
        rigid_system.from.extend(rigid_system.bodies.iter().map(|&number| self.members[number].rigid));
        self.objective_of_islands(&rigid_system.bodies, states, input, &mut rigid_system.before);
        for attempt in 0..ATTEMPTS {
            self.find_step(&mut rigid_system, states, input);
            self.take_step(&mut rigid_system, states, input);
            if rigid_system.all_fell() {
                break;
            }
            if attempt + 1 < ATTEMPTS {
                for &number in &rigid_system.bodies {
                    self.assume_active(number, states, input);
                }
                self.body_contacts.assume_active(&self.members, &self.batches);
                for (k, &number) in rigid_system.bodies.iter().enumerate() {
                    self.members[number].rigid = rigid_system.from[k];
                }
            }
        }
        // Halved island by island until each goes downhill.
        for halving in 1..=HALVINGS {
            if rigid_system.shorten(halving == HALVINGS) {
                break;
            }
            self.take_step(&mut rigid_system, states, input);
        }
        self.rigid_system = rigid_system;
    }

    /// Newton's step of all that take part, from where they are.
    fn find_step(&self, rigid_system: &mut RigidSystem, states: &[BodyState], input: &StepInput<'_>) {
        rigid_system.quadratics.clear();
        rigid_system.quadratics.extend(rigid_system.bodies.iter().map(|&number| self.whole(number, states, input)));
        rigid_system.joints.clear();
        let place = |number: usize| rigid_system.bodies.binary_search(&number).ok();
        self.body_contacts.join(&self.members, &self.batches, input.h_secs, place, &mut rigid_system.joints);
        rigid_system.solve();
    }

    /// The share of it that each island takes.
    fn take_step(&mut self, rigid_system: &mut RigidSystem, states: &[BodyState], input: &StepInput<'_>) {
        for (k, &number) in rigid_system.bodies.iter().enumerate() {
            let share = rigid_system.share[self.body_contacts.island_of(number)];
            self.members[number].rigid = rigid_system.from[k].then(&rigid_system.step[k], share);
        }
        self.objective_of_islands(&rigid_system.bodies, states, input, &mut rigid_system.after);
    }

    /// A body's contacts with obstacles that press now are counted on in the next step, wherever that begins.
    fn assume_active(&mut self, number: usize, states: &[BodyState], input: &StepInput<'_>) {
        let member = &mut self.members[number];
        if member.has_contacts() {
            let setup = member.setup.clone();
            member.assume_active(&interval(&setup, number, states, input), &self.batches[member.batch]);
        }
    }

    /// Gradient and matrix of a body's rigid motions, without other bodies.
    fn whole(&self, number: usize, states: &[BodyState], input: &StepInput<'_>) -> RigidQuadratic {
        let member = &self.members[number];
        let batch = &self.batches[member.batch];
        let slots = &batch.layout.slot_of[member.first_point..];
        member.whole(&interval(&member.setup, number, states, input), &batch.points, slots)
    }

    /// The part of the objective that a body's rigid motion changes, without other bodies.
    fn objective(&self, number: usize, states: &[BodyState], input: &StepInput<'_>) -> f64 {
        let member = &self.members[number];
        let batch = &self.batches[member.batch];
        let at = interval(&member.setup, number, states, input);
        member.objective(&at, &batch.points, &batch.layout.slot_of[member.first_point..])
    }

    /// The same for every island, by its name, with what its bodies do to each other.
    fn objective_of_islands(
        &self,
        bodies: &[usize],
        states: &[BodyState],
        input: &StepInput<'_>,
        objective: &mut [f64],
    ) {
        objective.fill(0.0);
        for &number in bodies {
            objective[self.body_contacts.island_of(number)] += self.objective(number, states, input);
        }
        self.body_contacts.add_objective(&self.members, &self.batches, input.h_secs, objective);
    }

    /// Free bodies that only touch each other keep their momentum together, to rounding.
    pub(super) fn balance_islands(&mut self) {
        if self.body_contacts.is_empty() {
            return;
        }
        for island in 0..self.members.len() {
            let of = |number: &usize| self.body_contacts.island_of(*number) == island;
            let all = || (0..self.members.len()).filter(of);
            if all().count() < 2 || all().any(|number| !self.members[number].is_alone()) {
                continue;
            }
            let (mut momentum, mut mass) = (DVec3::ZERO, 0.0);
            for number in all() {
                let member = &self.members[number];
                momentum += member.gained(&self.batches[member.batch]);
                mass += member.flesh().total_mass_kg();
            }
            let back = momentum / mass;
            for number in 0..self.members.len() {
                if self.body_contacts.island_of(number) == island {
                    let member = &mut self.members[number];
                    member.rigid.shift -= member.frame.turn.transpose() * back;
                }
            }
        }
    }
}
