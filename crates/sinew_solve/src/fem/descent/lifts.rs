//! When bodies are moved as wholes: alone, with those that they touch, and islands.

use super::whole::Whole;
use super::{DescentSolver, interval};
use crate::{Asked, BodyState};
use sinew_math::DVec3;

/// Halvings of a rigid step before it is given up.
const HALVINGS: usize = 4;

impl DescentSolver {
    /// Moves bodies that something acts on as a whole: alone, or together with those that they touch. `is_last` keeps what they are
    /// lifted by in f64, and takes bodies that nothing acts on as well.
    pub(super) fn lift(&mut self, states: &[BodyState], asked: &Asked<'_>, is_last: bool) {
        for number in 0..self.members.len() {
            let member = &self.members[number];
            if member.is_free() && !self.pairs.touches(number) && (is_last || member.has_outside()) {
                self.lift_one(number, states, asked);
            }
        }
        if !self.pairs.is_empty() {
            self.lift_together(states, asked);
        }
        if !is_last {
            self.members.iter_mut().for_each(|member| member.put_down(&mut self.batches[member.batch]));
        }
    }

    fn lift_one(&mut self, number: usize, states: &[BodyState], asked: &Asked<'_>) {
        let (step, from) = (self.whole(number, states, asked).step(), self.members[number].lift);
        if !self.members[number].has_contacts() {
            self.members[number].lift = from.then(&step, 1.0);
            return;
        }
        // Contacts come and go, and a step knows only those that were there: it is halved until it goes downhill.
        let before = self.merit(number, states, asked);
        let mut share = 1.0;
        for _ in 0..HALVINGS {
            self.members[number].lift = from.then(&step, share);
            if self.merit(number, states, asked) <= before {
                return;
            }
            share *= 0.5;
        }
        self.members[number].lift = from;
    }

    /// The same for all that touch others.
    fn lift_together(&mut self, states: &[BodyState], asked: &Asked<'_>) {
        let mut together = std::mem::take(&mut self.together);
        together.clear(self.members.len());
        let takes_part = |number: &usize| self.members[*number].is_free() && self.pairs.touches(*number);
        together.bodies.extend((0..self.members.len()).filter(takes_part));
        together.wholes.extend(together.bodies.iter().map(|&number| self.whole(number, states, asked)));
        together.from.extend(together.bodies.iter().map(|&number| self.members[number].lift));
        let place = |number: usize| together.bodies.binary_search(&number).ok();
        self.pairs.join(&self.members, &self.batches, asked.h_secs, place, &mut together.joints);
        together.solve();
        self.merit_of_islands(&together.bodies, states, asked, &mut together.before);
        // Halved island by island until each goes downhill: contacts come and go, and a step knows only those that were there.
        for halving in 0..=HALVINGS {
            for (k, &number) in together.bodies.iter().enumerate() {
                let share = together.share[self.pairs.island_of(number)];
                self.members[number].lift = together.from[k].then(&together.step[k], share);
            }
            self.merit_of_islands(&together.bodies, states, asked, &mut together.after);
            if together.shorten(halving == HALVINGS - 1) {
                break;
            }
        }
        self.together = together;
    }

    /// Gradient and matrix of a body's rigid motions, without other bodies.
    fn whole(&self, number: usize, states: &[BodyState], asked: &Asked<'_>) -> Whole {
        let member = &self.members[number];
        let batch = &self.batches[member.batch];
        let slots = &batch.layout.slot_of[member.first_point..];
        member.whole(&interval(&member.setup, number, states, asked), &batch.points, slots)
    }

    /// The part of the objective that a body's rigid motion changes, without other bodies.
    fn merit(&self, number: usize, states: &[BodyState], asked: &Asked<'_>) -> f64 {
        let member = &self.members[number];
        let batch = &self.batches[member.batch];
        let at = interval(&member.setup, number, states, asked);
        member.merit(&at, &batch.points, &batch.layout.slot_of[member.first_point..])
    }

    /// The same for every island, by its name, with what its bodies do to each other.
    fn merit_of_islands(&self, bodies: &[usize], states: &[BodyState], asked: &Asked<'_>, merit: &mut [f64]) {
        merit.fill(0.0);
        for &number in bodies {
            merit[self.pairs.island_of(number)] += self.merit(number, states, asked);
        }
        self.pairs.add_merit(&self.members, &self.batches, asked.h_secs, merit);
    }

    /// Free bodies that only touch each other keep their momentum together, to rounding.
    pub(super) fn balance_islands(&mut self) {
        if self.pairs.is_empty() {
            return;
        }
        for island in 0..self.members.len() {
            let of = |number: &usize| self.pairs.island_of(*number) == island;
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
                if self.pairs.island_of(number) == island {
                    let member = &mut self.members[number];
                    member.lift.shift -= member.frame.turn.transpose() * back;
                }
            }
        }
    }
}
