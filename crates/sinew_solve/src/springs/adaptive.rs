//! Runge–Kutta of second order in inner steps that the error sets: how the flesh of layered characters is stepped (LC-36).
//!
//! ```text
//! k₁ = f(y)   k₂ = f(y + δ/2 k₁)   k₃ = f(y + δ/2 k₂)   y ← y + δ k₃        error: δ (k₃ − k₂)
//! ```
//!
//! This is the three-stage scheme of second order that is stable for oscillations up to ωδ = 2 (van der Houwen, "Construction of
//! Integration Formulas for Initial Value Problems", 1977: R(z) = 1 + z + z²/2 + z³/4); the two-stage ones let every undamped
//! oscillation grow, by (ωδ)⁴/8 a step. `y + δ k₂` is the midpoint rule, also of second order, so that the difference is three times
//! the local error on a linear problem, which leaves room for what errors of speed do until the interval ends.
//!
//! A step is taken when no point's error is above `tolerance · mean spring length · δ/h`, so that errors of one interval add up to the
//! tolerance at most. δ also stays below what stability allows for the stiffest point (Gershgorin's bound on M⁻¹K and
//! M⁻¹C), so that what is at rest stays at rest. Lengths and pins move smoothly from where they were to where they are asked to
//! be at the interval's end; forces are constant; goals and drag are part of f. Contact answers after every inner step
//! (`inner_contact.rs`). Bodies that touch each other take the same inner steps.
//!
//! Nothing depends on a clock: the inner step that was right last is part of the state.
//!
//! Where more than [`MOST_STEPS`] inner steps would be needed, the interval is left to the implicit step, and a warning says so.

use super::Prepared;
use super::body::SpringsScratch;
use super::inner_contact::{Passed, answer_contacts};
use super::params::SpringsMethod;
use super::rest_springs::{PIECE, direction, find_rest_springs};
use crate::implicit::{Interval, Member, is_even};
use crate::{BodyContact, Memory, Pin, angular_momentum, set_angular_momentum};
use rayon::prelude::*;
use sinew_math::DVec3;

/// Inner steps in one interval beyond which the implicit step is the better one.
pub(super) const MOST_STEPS: u32 = 4000;
/// Share of the stable step that is taken at most: bounds are on the safe side already.
const STABLE_SHARE: f64 = 1.0;
/// Share of the step that the error would allow.
const CAREFUL: f64 = 0.9;

/// What a body's inner steps work in.
#[derive(Debug, Default)]
pub(super) struct Inner {
    pub(super) x: Vec<DVec3>,
    pub(super) v: Vec<DVec3>,
    stage_x: Vec<DVec3>,
    stage_v: Vec<DVec3>,
    /// Velocities and accelerations of the second stage.
    second: [Vec<DVec3>; 2],
    /// What each spring does to its second end.
    pulls: Vec<DVec3>,
    accelerations: Vec<DVec3>,
    /// Lengths that the interval began with.
    first_length_m: Vec<f64>,
    /// Impulses of everything but pins, for their reactions.
    pub(super) impulses: Vec<DVec3>,
    goal_masses: Vec<f64>,
    pub(super) steps: u32,
    pub(super) gave_up: bool,
    warned: bool,
}

impl Inner {
    /// What to say when inner steps have just been given up.
    pub(super) fn complaint(&self) -> Option<String> {
        (self.gave_up && !self.warned).then(|| {
            format!(
                "more than {MOST_STEPS} inner steps would be needed; the implicit step was taken. \
                 Soften the body, raise `substeps`, or write method = \"implicit\""
            )
        })
    }
}

/// Steps bodies that touch each other; false where not all of them want to be, or it would take too long.
pub(super) fn step(members: &mut [Member<'_, SpringsScratch>], contacts: &[BodyContact]) -> bool {
    for member in members.iter_mut() {
        let gave_up = member.scratch.inner.gave_up;
        let inner = &mut member.scratch.inner;
        (inner.steps, inner.gave_up, inner.warned) = (0, false, gave_up);
    }
    if members.iter().any(|member| member.body.params.method != SpringsMethod::Adaptive) {
        return false;
    }
    for member in members.iter_mut() {
        let (at, scratch) = member.split();
        scratch.begin_inner(&at);
    }
    let done = go_through(members, contacts);
    let is_alone = members.len() == 1;
    for member in members.iter_mut() {
        match done {
            Some(inner_secs) => member.finish_inner(inner_secs, is_alone),
            // An abandoned step says nothing of how many there would be.
            None => member.scratch.inner.gave_up = !member.is_stopped(),
        }
    }
    done.is_some()
}

/// Goes through the interval; the last inner step that was right, or none if there would be too many.
fn go_through(members: &mut [Member<'_, SpringsScratch>], contacts: &[BodyContact]) -> Option<f64> {
    let h = members.first()?.h;
    let longest = members.iter().map(Member::stable_secs).fold(h, f64::min);
    if longest.is_nan() || h > f64::from(MOST_STEPS) * longest {
        return None;
    }
    let before = members.iter().map(Member::last_inner_secs).fold(longest, f64::min);
    let (mut wanted, mut gone) = (before, 0.0);
    for step in 1..=MOST_STEPS {
        if members[0].is_stopped() {
            return None;
        }
        // The rest is shared evenly, so that no sliver remains.
        let left = h - gone;
        let delta = if left <= wanted * (1.0 + 1e-9) { left } else { left / (left / wanted).ceil() };
        let is_last = delta == left;
        let error = members.iter_mut().map(|member| member.try_step(gone, delta)).fold(0.0, f64::max);
        if error.is_nan() {
            return None;
        }
        let allowed = delta * (CAREFUL * (1.0 / error.max(1e-12)).sqrt()).clamp(0.2, 2.0);
        if error > 1.0 {
            wanted = allowed;
            continue;
        }
        gone = if is_last { h } else { gone + delta };
        members.iter_mut().for_each(|member| member.accept(gone, delta));
        answer_contacts(members, contacts, Passed { delta_secs: delta, gone_secs: gone });
        members.iter_mut().for_each(|member| member.scratch.inner.steps = step);
        wanted = allowed.min(longest);
        if is_last {
            return Some(wanted);
        }
    }
    None
}

impl SpringsScratch {
    fn begin_inner(&mut self, at: &Interval<'_, Prepared>) {
        let (flesh, points) = (&at.body.flesh, at.start.x.len());
        self.unknowns.constraints.prepare(flesh, at.cues);
        find_rest_springs(flesh, &at.body.network, at.cues, &mut self.asked);
        self.cells.begin(at.body, at.cues);
        self.cells.watch(&at.start.x);
        let inner = &mut self.inner;
        inner.x.clone_from(&at.start.x);
        inner.v.clone_from(&at.start.v);
        for buffer in [&mut inner.stage_x, &mut inner.stage_v, &mut inner.accelerations, &mut inner.impulses] {
            buffer.clear();
            buffer.resize(points, DVec3::ZERO);
        }
        inner.second.iter_mut().for_each(|buffer| buffer.resize(points, DVec3::ZERO));
        inner.pulls.resize(self.asked.len(), DVec3::ZERO);
        inner.first_length_m.clear();
        match &at.start.memory {
            Memory::Springs { length_m, .. } if length_m.len() == self.asked.len() => {
                inner.first_length_m.extend_from_slice(length_m);
            }
            _ => inner.first_length_m.extend(self.asked.iter().map(|asked| asked.length_m)),
        }
        inner.goal_masses.clear();
        inner.goal_masses.extend(
            at.cues
                .goals
                .iter()
                .map(|goal| 1.0 / flesh.anchors.terms(goal.at).map(|(dof, w)| w * w / flesh.mass_kg[dof]).sum::<f64>()),
        );
    }

    /// Accelerations at the stage's places and velocities, `gone` seconds into the interval.
    fn accelerate(&mut self, at: &Interval<'_, Prepared>, gone: f64) {
        let (flesh, share) = (&at.body.flesh, gone / at.h);
        let Self { asked, inner: Inner { stage_x, stage_v, pulls, first_length_m, .. }, .. } = self;
        let springs = &at.body.network.springs;
        pulls.par_iter_mut().with_min_len(PIECE).enumerate().for_each(|(number, pull)| {
            let (spring, asked) = (&springs[number], &asked[number]);
            let (length, along) = direction(flesh, spring, stage_x);
            let first = first_length_m[number];
            let wanted = first + (asked.length_m - first) * share;
            let [a, b] = spring.ends.map(|v| v as usize);
            let rate = along.dot(stage_v[b] - stage_v[a]);
            *pull = along * -(asked.k * (length - wanted) + asked.c * rate);
        });
        let mut accelerations = std::mem::take(&mut self.inner.accelerations);
        accelerations.par_iter_mut().with_min_len(PIECE).enumerate().for_each(|(i, acceleration)| {
            let force = at.cues.force_n.get(i).copied().unwrap_or_default();
            let of_springs = self.at_point(i).iter();
            let force = of_springs.fold(force, |sum, one| sum + self.inner.pulls[one.spring as usize] * one.sign);
            *acceleration = force / flesh.mass_kg[i];
        });
        let (x, v) = (&self.inner.stage_x, &self.inner.stage_v);
        self.cells.gradients(x, |point, gradient| accelerations[point] -= gradient / flesh.mass_kg[point]);
        let mut act = |row, force: DVec3| {
            for (dof, weight) in flesh.anchors.terms(row) {
                accelerations[dof] += force * (weight / flesh.mass_kg[dof]);
            }
        };
        for (goal, mass) in at.cues.goals.iter().zip(&self.inner.goal_masses) {
            let (k, c) = (mass / (goal.settle_secs * goal.settle_secs), 2.0 * mass / goal.settle_secs);
            let to = goal.to - goal.velocity * (at.h - gone);
            let (place, velocity) = (flesh.anchors.at(goal.at, x), flesh.anchors.at(goal.at, v));
            act(goal.at, (to - place) * k + (goal.velocity - velocity) * c);
        }
        for drag in &at.cues.drag {
            act(drag.at, drag.matrix * (drag.wind - flesh.anchors.at(drag.at, v)));
        }
        self.inner.accelerations = accelerations;
    }

    /// Puts pinned points of a stage where they are then.
    fn hold_stage(&mut self, at: &Interval<'_, Prepared>, gone: f64) {
        let flesh = &at.body.flesh;
        for pin in &at.cues.pins {
            if let Some(dof) = flesh.anchors.single(pin.at) {
                let (x, v) = pin_path(pin, at.start.x[dof], at.start.v[dof], at.h, gone);
                (self.inner.stage_x[dof], self.inner.stage_v[dof]) = (x, v);
            }
        }
    }

    /// The stage that is reached from the present state with the stage's own velocities and accelerations.
    fn go_to_stage(&mut self, at: &Interval<'_, Prepared>, delta: f64, gone: f64) {
        let Inner { x, v, stage_x, stage_v, accelerations, .. } = &mut self.inner;
        for i in 0..x.len() {
            // The velocity of the stage before carries the place.
            stage_x[i] = x[i] + stage_v[i] * delta;
            stage_v[i] = v[i] + accelerations[i] * delta;
        }
        self.hold_stage(at, gone);
    }
}

/// A pinned point on its way through the interval: the cubic from its place and velocity to those asked for.
fn pin_path(pin: &Pin, from: DVec3, from_velocity: DVec3, h: f64, gone: f64) -> (DVec3, DVec3) {
    let s = gone / h;
    let (way, start, end) = (pin.to - from, from_velocity * h, pin.velocity * h);
    let (square, cube) = (way * 3.0 - start * 2.0 - end, start + end - way * 2.0);
    (from + (start + (square + cube * s) * s) * s, (start + (square * 2.0 + cube * (3.0 * s)) * s) / h)
}

impl Member<'_, SpringsScratch> {
    /// The longest inner step that is stable whatever the error says.
    fn stable_secs(&self) -> f64 {
        let Self { scratch, body, cues, .. } = self;
        let flesh = &body.flesh;
        let mut rates = vec![(0.0, 0.0); flesh.point_count()];
        for (i, (square, rate)) in rates.iter_mut().enumerate() {
            for one in scratch.at_point(i) {
                let asked = &scratch.asked[one.spring as usize];
                *square += 2.0 * asked.k / flesh.mass_kg[i];
                *rate += 2.0 * asked.c / flesh.mass_kg[i];
            }
        }
        let add = |point: usize, n_per_m: f64| rates[point].0 += n_per_m / flesh.mass_kg[point];
        scratch.cells.stiffnesses(&self.state.x, add);
        for (goal, mass) in cues.goals.iter().zip(&scratch.inner.goal_masses) {
            for (dof, weight) in flesh.anchors.terms(goal.at) {
                let share = weight.abs() * mass / flesh.mass_kg[dof];
                rates[dof].0 += share / (goal.settle_secs * goal.settle_secs);
                rates[dof].1 += 2.0 * share / goal.settle_secs;
            }
        }
        for drag in &cues.drag {
            for (dof, weight) in flesh.anchors.terms(drag.at) {
                rates[dof].1 += weight.abs() * drag.matrix.trace() / flesh.mass_kg[dof];
            }
        }
        let stiffest = rates.iter().fold(0.0f64, |most, (square, rate)| most.max(square.sqrt() + rate));
        STABLE_SHARE / stiffest.max(f64::MIN_POSITIVE)
    }

    fn last_inner_secs(&self) -> f64 {
        match self.state.memory {
            Memory::Springs { inner_secs, .. } if inner_secs > 0.0 => inner_secs,
            _ => f64::MAX,
        }
    }

    /// Three stages from the present state; the error against what is allowed.
    fn try_step(&mut self, gone: f64, delta: f64) -> f64 {
        let (at, scratch) = self.split();
        scratch.inner.stage_x.clone_from(&scratch.inner.x);
        scratch.inner.stage_v.clone_from(&scratch.inner.v);
        scratch.cells.watch(&scratch.inner.x);
        scratch.accelerate(&at, gone);
        scratch.go_to_stage(&at, 0.5 * delta, gone + 0.5 * delta);
        scratch.accelerate(&at, gone + 0.5 * delta);
        let Inner { second, stage_v, accelerations, .. } = &mut scratch.inner;
        second[0].clone_from(stage_v);
        second[1].clone_from(accelerations);
        scratch.go_to_stage(&at, 0.5 * delta, gone + 0.5 * delta);
        scratch.accelerate(&at, gone + 0.5 * delta);
        let Inner { second, stage_v, accelerations, .. } = &scratch.inner;
        let free = (0..stage_v.len()).filter(|&i| !scratch.unknowns.constraints.is_pinned(i));
        let worst = free.fold(0.0f64, |worst, i| {
            let (place, speed) = (stage_v[i] - second[0][i], accelerations[i] - second[1][i]);
            // max() would hide what is not a number.
            let off = (place.length() + speed.length() * delta) * delta;
            if off.is_nan() || worst.is_nan() { f64::NAN } else { worst.max(off) }
        });
        worst / (at.body.params.error_tolerance * at.body.mean_length_m * delta / at.h).max(f64::MIN_POSITIVE)
    }

    /// Takes the step that was tried.
    fn accept(&mut self, gone: f64, delta: f64) {
        let (at, scratch) = self.split();
        let flesh = &at.body.flesh;
        scratch.go_to_stage(&at, delta, gone);
        let inner = &mut scratch.inner;
        for (i, impulse) in inner.impulses.iter_mut().enumerate() {
            *impulse += inner.accelerations[i] * (flesh.mass_kg[i] * delta);
        }
        std::mem::swap(&mut inner.x, &mut inner.stage_x);
        std::mem::swap(&mut inner.v, &mut inner.stage_v);
        let path = |pin: &Pin| {
            let (from, from_velocity) = (flesh.anchors.at(pin.at, &at.start.x), flesh.anchors.at(pin.at, &at.start.v));
            pin_path(pin, from, from_velocity, at.h, gone)
        };
        scratch.unknowns.constraints.meet(flesh, at.cues, |pin| path(pin).0, &mut inner.x);
        scratch.unknowns.constraints.meet(flesh, at.cues, |pin| path(pin).1, &mut inner.v);
    }

    /// Writes the new state and what pins held with.
    fn finish_inner(&mut self, inner_secs: f64, is_alone: bool) {
        let Self { scratch, state, body, cues, h, contacts, .. } = self;
        let SpringsScratch { unknowns, inner, asked, .. } = &mut **scratch;
        let flesh = &body.flesh;
        unknowns.reactions.clear();
        if !unknowns.constraints.is_empty() {
            let mut unbalanced = Vec::with_capacity(flesh.point_count());
            for (i, mass) in flesh.mass_kg.iter().enumerate() {
                unbalanced.push(((inner.v[i] - state.v[i]) * *mass - inner.impulses[i]) / *h);
            }
            let reactions = &mut unknowns.reactions;
            unknowns.constraints.reactions(flesh, cues, &unbalanced, |row, force| reactions.push((row, force)));
        }
        let flies = is_alone
            && contacts.is_empty()
            && unknowns.constraints.is_empty()
            && cues.goals.is_empty()
            && cues.drag.is_empty()
            && is_even(&cues.unbalanced_n(), &flesh.mass_kg);
        // Balanced forces turn nothing: they were balanced at the arms of the middle as it was expected.
        let angular = (flies && !cues.balanced_n.is_empty()).then(|| angular_momentum(&flesh.mass_kg, state));
        state.x.clone_from(&inner.x);
        state.v.clone_from(&inner.v);
        if let Some(angular) = angular {
            set_angular_momentum(&flesh.mass_kg, state, angular);
        }
        unknowns.settle(body.model(), state, cues, *h);
        if let Memory::Springs { length_m, inner_secs: last } = &mut state.memory {
            length_m.clear();
            length_m.extend(asked.iter().map(|asked| asked.length_m));
            *last = inner_secs;
        }
    }
}
