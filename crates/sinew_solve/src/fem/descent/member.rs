//! One body over one interval: where it would go, its frame, and what acts on it from outside.

use super::accelerate::Pace;
use super::batch::{Batch, point};
use super::external::ObstacleContact;
use super::moments::Moments;
use crate::fem::FemBody;
use crate::fem::body::Interval;
use crate::fem::element::RestTet;
use crate::implicit::{Constraints, RigidTransform, RowTerm, share_force};
use crate::simd::gather::Point;
use crate::spin::{Rule, Stepped};
use crate::{BodyState, Cells, Cues, Flesh, Memory, Row, wobble};
use sinew_math::rotation::{mass_centre, nearest_rotation, outer};
use sinew_math::{DMat3, DQuat, DVec3};

/// Where the body is as a whole: x = centre + turn (o + u).
#[derive(Debug, Clone, Copy)]
pub(super) struct Frame {
    pub(super) centre: DVec3,
    pub(super) turn: DMat3,
    pub(super) quat: DQuat,
}

/// A body's part in a batch, with its scratch.
pub(super) struct Member {
    pub(super) setup: FemBody,
    pub(super) batch: usize,
    /// Where its points and tetrahedra begin in the batch's.
    pub(super) first_point: usize,
    pub(super) first_tet: usize,
    /// o about its mass centre.
    pub(super) rest: Vec<DVec3>,
    own_rest: bool,
    /// Tetrahedra without anything asked of them.
    pub(super) plain: Vec<RestTet>,
    /// Whether the lanes hold its rest shape without anything asked of it.
    pub(super) is_plain: bool,
    pub(super) frame: Frame,
    pub(super) constraints: Constraints,
    /// x̂ in the world and, as lanes have it, in the frame.
    pub(super) predicted: Vec<DVec3>,
    pub(super) ahead: Vec<DVec3>,
    /// Where sweeps begin; empty: at `ahead`.
    first_guess: Vec<DVec3>,
    /// Goals and drag, in the frame.
    pub(super) smooth: Vec<RowTerm>,
    pub(super) obstacle_contacts: Vec<ObstacleContact>,
    pub(super) rigid: RigidTransform,
    /// Where points were when last weighed.
    pub(super) moments: Moments,
    /// Contacts that pressed when last looked at.
    pub(super) pressing: usize,
    pub(super) pace: Pace,
    pub(super) reactions: Vec<(Row, DVec3)>,
    unbalanced: Vec<DVec3>,
    /// Changes of velocity by all but outer forces.
    inner: Vec<DVec3>,
}

impl Member {
    pub(super) fn new(setup: FemBody, batch: usize, first_point: usize, first_tet: usize) -> Self {
        let n = setup.flesh.point_count();
        let none = Cues::default();
        let plain = |corners: &[u32; 4]| RestTet::asked(&setup.flesh, *corners, &none).unwrap_or(RestTet::NONE);
        let plain = match &setup.flesh.cells {
            Cells::Tets(tets) => tets.iter().map(plain).collect(),
            Cells::Shell(_) => Vec::new(),
        };
        Self {
            setup,
            batch,
            first_point,
            first_tet,
            rest: Vec::new(),
            own_rest: false,
            plain,
            is_plain: false,
            frame: Frame { centre: DVec3::ZERO, turn: DMat3::IDENTITY, quat: DQuat::IDENTITY },
            constraints: Constraints::default(),
            predicted: vec![DVec3::ZERO; n],
            ahead: vec![DVec3::ZERO; n],
            first_guess: Vec::new(),
            smooth: Vec::new(),
            obstacle_contacts: Vec::new(),
            rigid: RigidTransform::NONE,
            moments: Moments::NOTHING,
            pressing: 0,
            pace: Pace::FIRST,
            reactions: Vec::new(),
            unbalanced: Vec::new(),
            inner: Vec::new(),
        }
    }

    pub(super) fn flesh(&self) -> &Flesh {
        &self.setup.flesh
    }

    /// Whether nothing holds it fast, so that it moves as a whole.
    pub(super) fn is_free(&self) -> bool {
        self.constraints.is_empty()
    }

    /// Everything that stays the same while the step is solved for.
    pub(super) fn begin(&mut self, at: &Interval<'_>) {
        self.predict(at);
        self.place_rest(at.cues);
        self.find_frame();
        self.look_ahead();
        self.constraints.prepare(&self.setup.flesh, at.cues);
        self.guess(at);
        self.prepare_smooth(at);
        self.prepare_contacts(at);
        self.rigid = RigidTransform::NONE;
        self.pressing = 0;
        self.pace = Pace::FIRST;
    }

    /// x̂ = x + h v + h² f/m.
    fn predict(&mut self, at: &Interval<'_>) {
        let mass = &self.setup.flesh.mass_kg;
        for (i, predicted) in self.predicted.iter_mut().enumerate() {
            let force = at.cues.force_n.get(i).copied().unwrap_or_default();
            *predicted = at.start.x[i] + (at.start.v[i] + force * (at.h / mass[i])) * at.h;
        }
    }

    fn place_rest(&mut self, cues: &Cues) {
        let asked = !cues.rest_offset.is_empty();
        if !self.rest.is_empty() && !asked && !self.own_rest {
            return;
        }
        let flesh = &self.setup.flesh;
        self.rest.clear();
        self.rest.extend((0..flesh.point_count()).map(|i| cues.rest(flesh, i)));
        let centre = mass_centre(&self.rest, &flesh.mass_kg);
        self.rest.iter_mut().for_each(|o| *o -= centre);
        self.own_rest = asked;
    }

    /// The best fit of the rest shape to where the body would go.
    fn find_frame(&mut self) {
        let mass = &self.setup.flesh.mass_kg;
        let centre = mass_centre(&self.predicted, mass);
        let points = self.predicted.iter().zip(&self.rest).zip(mass);
        let spread = points.fold(DMat3::ZERO, |sum, ((x, o), m)| sum + outer((*x - centre) * *m, *o));
        let quat = nearest_rotation(spread);
        self.frame = Frame { centre, turn: DMat3::from_quat(quat), quat };
    }

    fn look_ahead(&mut self) {
        let Self { frame, predicted, rest, ahead, .. } = self;
        let back = frame.turn.transpose();
        for ((ahead, x), o) in ahead.iter_mut().zip(&*predicted).zip(&*rest) {
            *ahead = rounded(back * (*x - frame.centre) - *o);
        }
    }

    /// Pinned points begin where they are held.
    fn guess(&mut self, at: &Interval<'_>) {
        self.first_guess.clear();
        if self.constraints.is_empty() {
            return;
        }
        self.first_guess.extend_from_slice(&self.predicted);
        self.constraints.meet(&self.setup.flesh, at.cues, |pin| pin.to, &mut self.first_guess);
        let (centre, back) = (self.frame.centre, self.frame.turn.transpose());
        for (guess, o) in self.first_guess.iter_mut().zip(&self.rest) {
            *guess = back * (*guess - centre) - *o;
        }
    }

    pub(super) fn first_places(&self) -> &[DVec3] {
        if self.first_guess.is_empty() { &self.ahead } else { &self.first_guess }
    }

    /// Whether pins or obstacles may hold it up.
    pub(super) fn is_held(&self) -> bool {
        !(self.constraints.is_empty() && self.obstacle_contacts.is_empty())
    }

    pub(super) fn put_at_start(&self, at: &Interval<'_>, batch: &mut Batch) {
        for i in 0..self.rest.len() {
            batch.set_place(self.first_point + i, self.start(at, i));
        }
    }

    /// x + h v + h² ã, ã what elasticity leaves of the outer acceleration at the start: its share along the outer one ([VBD] §3.7, with the
    /// acceleration there in place of the one of the step before), or all of it where that makes it less in a body of a pile. In a body alone the
    /// latter would be a step of explicit Euler across gravity, which momentum between sweeps carries beyond the answer: a cube at rest twisted
    /// to and fro at 1.5 mm/s. Piles are swept without momentum. The lanes hold the gradient at the start.
    pub(super) fn put_at_guess(&self, at: &Interval<'_>, batch: &mut Batch, in_pile: bool) {
        let back = self.frame.turn.transpose();
        let slots = &batch.layout.slot_of[self.first_point..];
        for (i, first) in self.first_places().iter().enumerate() {
            let mut guess = *first;
            let mass = self.setup.flesh.mass_kg[i];
            let outer = back * at.cues.force_n[i] / mass;
            let square = outer.length_squared();
            if square > 0.0 && !self.constraints.is_pinned(i) {
                let inertia = self.inertia(at, i);
                let elastic = place_of(&batch.gradient, slots, i) - (self.start(at, i) - self.ahead[i]) * inertia;
                let left = outer - elastic / mass;
                let left = if in_pile && left.length_squared() < square && self.has_contacts() {
                    left
                } else {
                    outer * (1.0 - elastic.dot(outer) / (mass * square)).clamp(0.0, 1.0)
                };
                guess -= (outer - left) * (at.h * at.h);
            }
            batch.points[slots[i] as usize] = point(guess);
        }
    }

    /// m/h².
    #[inline]
    pub(super) fn inertia(&self, at: &Interval<'_>, i: usize) -> f64 {
        self.setup.flesh.mass_kg[i] / (at.h * at.h)
    }

    /// Where a point was when the interval began, in the frame.
    #[inline]
    pub(super) fn start(&self, at: &Interval<'_>, i: usize) -> DVec3 {
        self.frame.turn.transpose() * (at.start.x[i] - self.frame.centre) - self.rest[i]
    }

    /// Puts what the body has been lifted by into the lanes.
    pub(super) fn put_down(&mut self, batch: &mut Batch) {
        let rigid = std::mem::replace(&mut self.rigid, RigidTransform::NONE);
        if rigid.turn == DMat3::IDENTITY && rigid.shift == DVec3::ZERO {
            return;
        }
        for (i, o) in self.rest.iter().enumerate() {
            let u = batch.place(self.first_point + i);
            batch.set_place(self.first_point + i, rigid.place(*o + u, 1.0) - *o);
        }
    }

    /// Pinned rows of several points go back to where they are held, with as little motion as possible.
    pub(super) fn hold_rows(&mut self, cues: &Cues, batch: &mut Batch) {
        let Self { first_point, frame, rest, unbalanced: places, constraints, setup, .. } = self;
        places.clear();
        places.extend(
            rest.iter().enumerate().map(|(i, o)| frame.centre + frame.turn * (*o + batch.place(*first_point + i))),
        );
        constraints.meet(&setup.flesh, cues, |pin| pin.to, places);
        let back = frame.turn.transpose();
        for (i, (o, x)) in rest.iter().zip(&*places).enumerate() {
            batch.set_place(*first_point + i, back * (*x - frame.centre) - *o);
        }
    }

    /// Whether other bodies are all that acts on it. Obstacles that are near may do so, pressing or not: what lies on one is now and
    /// then lifted off it within a step.
    pub(super) fn is_alone(&self) -> bool {
        self.is_free() && self.smooth.is_empty() && self.obstacle_contacts.is_empty()
    }

    /// Mass times what it moved beyond its own fall, in the world.
    pub(super) fn gained(&self, batch: &Batch) -> DVec3 {
        let moved = |i: usize| {
            let o = self.rest[i];
            self.rigid.place(o + batch.place(self.first_point + i), 1.0) - o - self.ahead[i]
        };
        let mass = &self.setup.flesh.mass_kg;
        self.frame.turn * mass.iter().enumerate().fold(DVec3::ZERO, |sum, (i, m)| sum + moved(i) * *m)
    }

    /// Whether anything from outside acts on it.
    pub(super) fn has_external(&self) -> bool {
        !(self.smooth.is_empty() && self.obstacle_contacts.is_empty())
    }

    /// Where sweeps have led, in the world.
    pub(super) fn places<'a>(&'a self, batch: &'a Batch) -> impl Iterator<Item = DVec3> + 'a {
        let place = |(i, o): (usize, &DVec3)| self.rigid.place(*o + batch.place(self.first_point + i), 1.0);
        self.rest.iter().enumerate().map(move |point| self.frame.centre + self.frame.turn * place(point))
    }

    /// Sums of squares: forces that do not balance, and those that move the body or push it. The lanes hold the gradient where sweeps
    /// have led.
    pub(super) fn unbalanced(&self, at: &Interval<'_>, batch: &Batch) -> (f64, f64) {
        let slots = &batch.layout.slot_of[self.first_point..];
        let (mut left, mut moving, mut pushing) = (0.0, 0.0, 0.0);
        for (i, mass) in self.setup.flesh.mass_kg.iter().enumerate() {
            if self.constraints.is_pinned(i) {
                continue;
            }
            let a = mass / (at.h * at.h);
            let u = place_of(&batch.points, slots, i);
            let lifted = self.rigid.place(self.rest[i] + u, 1.0) - self.rest[i];
            // Contact springs are so stiff that their forces tell of no motion one could see. The last lifts are not in the lanes;
            // elasticity does not feel them.
            if !batch.is_gripped(self.first_point + i) {
                left += (place_of(&batch.gradient, slots, i) + (lifted - u) * a).length_squared();
            }
            moving += ((lifted - self.ahead[i]) * a).length_squared();
            pushing += at.cues.force_n.get(i).map_or(0.0, |force| force.length_squared());
        }
        (left, moving + pushing)
    }

    /// Forces of pins. `gradient` is that of the whole objective in every slot that pins look at; what unfinished sweeps left unbalanced elsewhere is shared among
    /// the pins, so that they account for every change of momentum.
    pub(super) fn report_reactions(&mut self, at: &Interval<'_>, batch: &Batch) {
        self.reactions.clear();
        if self.constraints.is_empty() {
            return;
        }
        let turn = self.frame.turn;
        let slots = &batch.layout.slot_of[self.first_point..];
        self.weigh(at, &batch.points, slots);
        self.unbalanced.clear();
        self.unbalanced.extend((0..self.rest.len()).map(|i| turn * place_of(&batch.gradient, slots, i)));
        let Self { reactions, constraints, setup, unbalanced, .. } = self;
        constraints.reactions(&setup.flesh, at.cues, unbalanced, |row, force| reactions.push((row, force)));
        let anchors = &setup.flesh.anchors;
        let weight = |row: Row| -> f64 { anchors.terms(row).map(|(_, w)| w).sum() };
        let told = reactions.iter().fold(DVec3::ZERO, |sum, (row, force)| sum + *force * weight(*row));
        let reach: f64 = reactions.iter().map(|(row, _)| weight(*row)).sum();
        let missing = turn * self.whole(at, &batch.points, slots).force - told;
        if reach > 0.0 {
            self.reactions.iter_mut().for_each(|(_, force)| *force += missing / reach);
        }
    }

    /// Writes the new state: v = v + h f/m + Δ/h, x = x + h v, so that a body nothing holds moves exactly.
    /// `converged`: no other body touches it, and sweeps have come close to the answer.
    pub(super) fn finish(&mut self, state: &mut BodyState, cues: &Cues, h: f64, batch: &Batch, converged: bool) {
        let is_alone = self.is_free() && !self.has_external();
        let flies = converged && is_alone;
        let mass = &self.setup.flesh.mass_kg;
        let slots = &batch.layout.slot_of[self.first_point..];
        let still = self.rigid.turn == DMat3::IDENTITY;
        self.unbalanced.clone_from(&state.v);
        self.inner.clear();
        for (i, mass) in mass.iter().enumerate() {
            let u = place_of(&batch.points, slots, i);
            let u = if still { u + self.rigid.shift } else { self.rigid.place(self.rest[i] + u, 1.0) - self.rest[i] };
            let moved = self.frame.turn * (u - self.ahead[i]);
            let force = cues.force_n.get(i).copied().unwrap_or_default();
            state.v[i] += force * (h / mass) + moved / h;
            state.x[i] += state.v[i] * h;
            let balanced = cues.balanced_n.get(i).copied().unwrap_or_default();
            self.inner.push(moved / h + balanced * (h / mass));
        }
        let Self { constraints, setup, reactions, unbalanced: start_v, inner, .. } = self;
        let stepped = Stepped { flesh: &setup.flesh, pins: &cues.pins, start_v, h_secs: h, rule: Rule::Euler };
        let inner = |i: usize| inner[i];
        stepped.restore_spin(state, flies.then_some(&inner as &dyn Fn(usize) -> DVec3));
        let impulse = wobble::damp_by_mass(&setup.flesh, &setup.material.damping, cues, h, state);
        share_force(&setup.flesh, impulse / h, reactions);
        constraints.meet(&setup.flesh, cues, |pin| pin.to, &mut state.x);
        constraints.hold_velocities(&setup.flesh, cues, h, &mut state.v, reactions);
        let mass = &self.setup.flesh.mass_kg;
        if let Memory::Fem { rotation } = &mut state.memory {
            batch.read_turns(self.first_tet, self.frame.quat, rotation);
        }
        state.recentre(mass);
    }
}

impl Member {
    pub(super) fn has_contacts(&self) -> bool {
        !self.obstacle_contacts.is_empty()
    }
}

pub(super) fn place_of(points: &[Point], slots: &[u32], i: usize) -> DVec3 {
    let Point([x, y, z, _]) = points[slots[i] as usize];
    DVec3::new(f64::from(x), f64::from(y), f64::from(z))
}

/// The nearest that lanes can hold.
fn rounded(v: DVec3) -> DVec3 {
    v.as_vec3().as_dvec3()
}
