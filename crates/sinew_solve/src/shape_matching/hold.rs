//! What the world does to a body's velocities after matching: drag and goals (implicit), contacts, pins.
//!
//! All of it acts on rows. A row's point has the velocity V = Σ w v, and an impulse J on it changes `v_i` by w_i J / m_i.
//! Drag and goals on single points are solved together, exactly, as one 3×3 system per point; rows over several points
//! are then solved one after the other (Gauss–Seidel on their impulses, which converges because the system is
//! symmetric and positive). A share of drag and of hinges acts on the body as one ([`RigidShare`]).

use crate::contact::{Impulse, Meeting};
use crate::implicit::{RigidInertia, Twist};
use crate::{BodyState, Contact, Cues, Drag, Flesh, Goal, Pin, Row};
use sinew_math::{DMat3, DVec3, Sym3};

/// Sweeps over coupled rows; each is exact for rows that share no point.
const ROW_SWEEPS: usize = 16;
const CONTACT_SWEEPS: usize = 8;
const PIN_SWEEPS: usize = 200;
/// Rows are settled when nothing moves more than this in a step, as a share of the body's size.
const SETTLED: f64 = 1e-13;

/// How drag and hinges act on a body as one: by the share of a load that its material carries and matching would not
/// ([`super::ShapeMatchingParams::rigid_share`]). On its points alone, water drew rubber out to half its length again and slowed it too little, and a bar was drawn out
/// by the pin that it hung from.
pub(super) struct RigidShare {
    pub(super) share: f64,
    pub(super) centre: DVec3,
    pub(super) mass_kg: f64,
    pub(super) inertia_kg_m2: DMat3,
}

impl RigidShare {
    /// What drag changes about the rigid motion: (M + h Σ GᵀDG) δV = −h Σ GᵀD (v − wind), G from rigid motions to a row's velocity.
    fn change(&self, body: &Moving<'_>, drags: &[Drag]) -> Twist {
        let mut system = RigidInertia::new(self.mass_kg, self.inertia_kg_m2).whole(&Twist::NONE);
        for drag in drags {
            let matrix = drag.matrix * body.h_secs;
            let arm = body.position(drag.at) - self.centre;
            system.add_row(1.0, arm, matrix * (body.velocity(drag.at) - drag.wind), matrix);
        }
        system.step()
    }
}

/// Scratch for one body.
#[derive(Default)]
pub(super) struct Hold {
    /// Velocities before drag, where it acts on the body as one.
    before: Vec<DVec3>,
    /// Per point: (m + h D + …)⁻¹ where drag or goals act on it alone. Empty when nothing does.
    eased: Vec<Option<DMat3>>,
    system: Vec<(Sym3, DVec3)>,
    /// Impulses of rows over several points, drags first.
    impulses: Vec<DVec3>,
    /// Contacts that can answer, with what they have given so far; and the velocities that repair penetration (empty where
    /// nothing touches).
    constraints: Vec<ObstacleConstraint>,
    pub(super) pushed: Vec<DVec3>,
    /// Per point: which pin holds it alone. Empty when there are no pins.
    pinned_by: Vec<Option<usize>>,
    /// Impulse of every pin, N s: with it and all else that acts, momenta balance.
    pub(super) pin_impulses: Vec<DVec3>,
}

/// One contact with an obstacle, by its number.
struct ObstacleConstraint {
    contact: usize,
    meeting: Meeting,
    given: Impulse,
}

/// A body over one interval, as rows see it: where it started, and the velocities that will carry it.
pub(super) struct Moving<'a> {
    flesh: &'a Flesh,
    size_m: f64,
    x: &'a mut [DVec3],
    v: &'a mut [DVec3],
    h_secs: f64,
}

impl<'a> Moving<'a> {
    pub(super) fn new(flesh: &'a Flesh, size_m: f64, state: &'a mut BodyState, h_secs: f64) -> Self {
        let BodyState { x, v, .. } = state;
        Self { flesh, size_m, x, v, h_secs }
    }
}

impl Moving<'_> {
    fn position(&self, row: Row) -> DVec3 {
        self.flesh.anchors.at(row, self.x)
    }

    fn velocity(&self, row: Row) -> DVec3 {
        self.flesh.anchors.at(row, self.v)
    }
}

impl Hold {
    /// Velocities under drag and goals; contacts are made ready.
    pub(super) fn ease(
        &mut self,
        body: &mut Moving<'_>,
        cues: &Cues,
        as_one: Option<&RigidShare>,
        contacts: &[Contact],
    ) {
        self.mark_pins(body, &cues.pins);
        // What is pinned does not move as one under drag.
        if let Some(as_one) = as_one.filter(|_| cues.pins.is_empty()) {
            self.drag(body, &cues.drag, as_one);
            self.ease_points(body, &[], &cues.goals);
            self.ease_rows(body, &[], &cues.goals);
        } else {
            self.ease_points(body, &cues.drag, &cues.goals);
            self.ease_rows(body, &cues.drag, &cues.goals);
        }
        self.meet(body, contacts);
    }

    /// Drag on the body as one and on its points, by shares.
    fn drag(&mut self, body: &mut Moving<'_>, drags: &[Drag], rigid: &RigidShare) {
        self.before.clear();
        self.before.extend_from_slice(body.v);
        let change = rigid.change(body, drags);
        self.ease_points(body, drags, &[]);
        self.ease_rows(body, drags, &[]);
        for ((v, before), x) in body.v.iter_mut().zip(&self.before).zip(&*body.x) {
            let as_one = *before + change.at(*x - rigid.centre);
            *v += (as_one - *v) * rigid.share;
        }
    }

    /// Contacts, one after the other until none asks for more.
    pub(super) fn touch(&mut self, body: &mut Moving<'_>, contacts: &[Contact]) {
        for _ in 0..CONTACT_SWEEPS {
            if self.sweep(body, contacts) * body.h_secs <= SETTLED * body.size_m {
                break;
            }
        }
    }

    /// Velocities that carry every pin to its place, places, and pins exactly.
    pub(super) fn carry(&mut self, body: &mut Moving<'_>, pins: &[Pin], as_one: Option<&RigidShare>) {
        self.pin_impulses.clear();
        self.pin_impulses.resize(pins.len(), DVec3::ZERO);
        if let Some(as_one) = as_one.filter(|_| is_hinge(pins, body.size_m)) {
            self.steer_rigidly(body, pins, as_one);
        }
        self.steer_pins(body, pins);
        if self.pushed.is_empty() {
            for (x, v) in body.x.iter_mut().zip(&*body.v) {
                *x += *v * body.h_secs;
            }
        } else {
            assert!(self.pushed.len() == body.x.len(), "pushes of another body");
            for ((x, v), pushed) in body.x.iter_mut().zip(&*body.v).zip(&self.pushed) {
                *x = *x + *v * body.h_secs + *pushed * body.h_secs;
            }
        }
        self.fix_pins(body, pins);
    }

    /// After positions have moved: pins hold exactly, in position and velocity. Completes [`Hold::pin_impulses`].
    fn fix_pins(&mut self, body: &mut Moving<'_>, pins: &[Pin]) {
        let mut impulses = std::mem::take(&mut self.pin_impulses);
        for (pin, impulse) in pins.iter().zip(&mut impulses) {
            if let Some(point) = body.flesh.anchors.single(pin.at) {
                *impulse += (pin.velocity - body.v[point]) * body.flesh.mass_kg[point];
                body.x[point] = pin.to;
                body.v[point] = pin.velocity;
            }
        }
        let h = body.h_secs;
        self.project(body, pins, &mut impulses, h, |pin, body| pin.velocity - body.velocity(pin.at));
        // What a row does to a point that is pinned itself, that point's own pin takes up.
        for (k, pin) in pins.iter().enumerate().filter(|(_, pin)| body.flesh.anchors.single(pin.at).is_none()) {
            let impulse = impulses[k];
            for (point, weight) in body.flesh.anchors.terms(pin.at) {
                if let Some(own) = self.pin_of(point) {
                    impulses[own] -= impulse * weight;
                }
            }
        }
        self.pin_impulses = impulses;
    }

    fn mark_pins(&mut self, body: &Moving<'_>, pins: &[Pin]) {
        self.pinned_by.clear();
        if !pins.is_empty() {
            self.pinned_by.resize(body.v.len(), None);
            for (k, pin) in pins.iter().enumerate() {
                if let Some(point) = body.flesh.anchors.single(pin.at) {
                    self.pinned_by[point] = Some(k);
                }
            }
        }
    }

    fn pin_of(&self, point: usize) -> Option<usize> {
        self.pinned_by.get(point).copied().flatten()
    }

    /// 1/m, and 0 for what no impulse moves.
    pub(super) fn inverse_mass(&self, flesh: &Flesh, point: usize) -> f64 {
        if self.pin_of(point).is_some() || flesh.mass_kg[point] <= 0.0 { 0.0 } else { 1.0 / flesh.mass_kg[point] }
    }

    /// Σ w²/m, the inverse of a row's effective mass.
    fn inverse_row_mass(&self, flesh: &Flesh, row: Row) -> f64 {
        flesh.anchors.terms(row).map(|(point, weight)| weight * weight * self.inverse_mass(flesh, point)).sum()
    }

    fn push(&self, body: &mut Moving<'_>, row: Row, impulse: DVec3) {
        for (point, weight) in body.flesh.anchors.terms(row) {
            body.v[point] += impulse * (weight * self.inverse_mass(body.flesh, point));
        }
    }

    /// Drag and goals on single points: (m + hD + hc + h²k) v = m v* + hD wind + hk (to − x) + hc velocity.
    fn ease_points(&mut self, body: &mut Moving<'_>, drags: &[Drag], goals: &[Goal]) {
        self.eased.clear();
        let (flesh, h) = (body.flesh, body.h_secs);
        if goals.is_empty() && ease_drags(body, drags) {
            return;
        }
        let drags = drags.iter().filter_map(|drag| Some((flesh.anchors.single(drag.at)?, drag)));
        let goals = goals.iter().filter_map(|goal| Some((flesh.anchors.single(goal.at)?, goal)));
        if drags.clone().next().is_none() && goals.clone().next().is_none() {
            return;
        }
        self.eased.resize(body.v.len(), None);
        self.system.clear();
        self.system.resize(body.v.len(), (Sym3::ZERO, DVec3::ZERO));
        for (point, drag) in drags {
            let (matrix, right) = &mut self.system[point];
            *matrix += drag.matrix * h;
            *right += drag.matrix * drag.wind * h;
            self.eased[point] = Some(DMat3::IDENTITY);
        }
        for (point, goal) in goals {
            let (rate, target) = goal_terms(goal, body.x[point], h);
            let mass = flesh.mass_kg[point];
            let (matrix, right) = &mut self.system[point];
            *matrix += Sym3::IDENTITY * (mass * rate);
            *right += target * mass;
            self.eased[point] = Some(DMat3::IDENTITY);
        }
        for (point, (matrix, right)) in self.system.iter().enumerate() {
            let Some(inverse) = &mut self.eased[point] else { continue };
            let mass = flesh.mass_kg[point];
            if mass > 0.0 {
                *inverse = (*matrix + Sym3::IDENTITY * mass).to_mat().inverse();
                body.v[point] = *inverse * (body.v[point] * mass + *right);
            }
        }
    }

    /// Drag and goals on rows over several points.
    fn ease_rows(&mut self, body: &mut Moving<'_>, drags: &[Drag], goals: &[Goal]) {
        let (flesh, h) = (body.flesh, body.h_secs);
        let several = |row: Row| flesh.anchors.single(row).is_none();
        if !drags.iter().any(|drag| several(drag.at)) && !goals.iter().any(|goal| several(goal.at)) {
            return;
        }
        self.impulses.clear();
        self.impulses.resize(drags.len() + goals.len(), DVec3::ZERO);
        for _ in 0..ROW_SWEEPS {
            let mut moved: f64 = 0.0;
            for (k, drag) in drags.iter().enumerate().filter(|(_, drag)| several(drag.at)) {
                let pull = (drag.matrix.to_mat() * h, drag.matrix * drag.wind * h);
                moved = moved.max(self.ease_row(body, k, drag.at, pull));
            }
            for (k, goal) in goals.iter().enumerate().filter(|(_, goal)| several(goal.at)) {
                let inverse_mass = self.inverse_row_mass(flesh, goal.at);
                if inverse_mass > 0.0 {
                    let (rate, target) = goal_terms(goal, body.position(goal.at), h);
                    let pull = (DMat3::from_diagonal(DVec3::splat(rate / inverse_mass)), target / inverse_mass);
                    moved = moved.max(self.ease_row(body, drags.len() + k, goal.at, pull));
                }
            }
            if moved * h <= SETTLED * body.size_m {
                break;
            }
        }
    }

    /// One implicit row: the impulse J = right − matrix · V′ on it, given all others. Returns how much V changed.
    fn ease_row(&mut self, body: &mut Moving<'_>, k: usize, row: Row, (matrix, right): (DMat3, DVec3)) -> f64 {
        let flesh = body.flesh;
        let answer = |hold: &Self, point: usize| match hold.eased.get(point) {
            Some(Some(inverse)) if hold.inverse_mass(flesh, point) > 0.0 => *inverse,
            _ => DMat3::from_diagonal(DVec3::splat(hold.inverse_mass(flesh, point))),
        };
        let compliance = flesh.anchors.terms(row).fold(DMat3::ZERO, |sum, (i, w)| sum + answer(self, i) * (w * w));
        let before = body.velocity(row);
        let alone = before - compliance * self.impulses[k];
        let after = (DMat3::IDENTITY + compliance * matrix).inverse() * (alone + compliance * right);
        let impulse = right - matrix * after;
        let change = impulse - self.impulses[k];
        for (point, weight) in flesh.anchors.terms(row) {
            body.v[point] += answer(self, point) * change * weight;
        }
        self.impulses[k] = impulse;
        after.distance(before)
    }

    fn meet(&mut self, body: &Moving<'_>, contacts: &[Contact]) {
        self.constraints.clear();
        self.pushed.clear();
        for (number, contact) in contacts.iter().enumerate() {
            let gap_m = contact.gap_before(body.position(contact.at), body.h_secs);
            let inverse_mass = self.inverse_row_mass(body.flesh, contact.at);
            if let Some(meeting) = Meeting::new(contact.normal, inverse_mass, gap_m, body.h_secs, -gap_m) {
                self.constraints.push(ObstacleConstraint { contact: number, meeting, given: Impulse::default() });
            }
        }
        if !self.constraints.is_empty() {
            self.pushed.resize(body.v.len(), DVec3::ZERO);
        }
    }

    /// One answer of every contact; returns the largest change of velocity.
    fn sweep(&mut self, body: &mut Moving<'_>, contacts: &[Contact]) -> f64 {
        let mut moved: f64 = 0.0;
        let mut constraints = std::mem::take(&mut self.constraints);
        for ObstacleConstraint { contact, meeting, given } in &mut constraints {
            let contact = &contacts[*contact];
            let relative = body.velocity(contact.at) - contact.surface_velocity;
            let impulse = given.answer_within(meeting, relative, |wanted, pressed| contact.held(wanted, pressed));
            if impulse != DVec3::ZERO {
                self.push(body, contact.at, impulse);
                moved = moved.max(impulse.length() / meeting.mass_kg);
            }
            if meeting.push_speed > 0.0 {
                let speed = body.flesh.anchors.at(contact.at, &self.pushed).dot(meeting.normal);
                let push = meeting.normal * given.push(meeting, speed);
                for (point, weight) in body.flesh.anchors.terms(contact.at) {
                    let inverse_mass = self.inverse_mass(body.flesh, point);
                    self.pushed[point] += push * (weight * inverse_mass);
                }
            }
        }
        self.constraints = constraints;
        moved
    }

    /// A share of the rigid motion that carries pins to their places as nearly as one can. What jumps drags its point along at once and the body only gradually.
    fn steer_rigidly(&mut self, body: &mut Moving<'_>, pins: &[Pin], rigid: &RigidShare) {
        /// Springs against the body's mass: so stiff that a body is held to a millionth of what it would fall.
        const STIFF: f64 = 1e6;
        /// What of a way beyond the pin's own velocity is caught up with in a step, as a share of the body's size.
        const CAUGHT_UP: f64 = 0.01;
        let stiffness = Sym3::IDENTITY * (STIFF * rigid.mass_kg);
        let missing = |body: &Moving<'_>, pin: &Pin| {
            let behind_m = pin.to - body.position(pin.at) - pin.velocity * body.h_secs;
            let catch_up = behind_m.clamp_length_max(CAUGHT_UP * body.size_m) / body.h_secs;
            body.velocity(pin.at) - pin.velocity - catch_up
        };
        let arm = |body: &Moving<'_>, pin: &Pin| body.position(pin.at) - rigid.centre;
        let mut system = RigidInertia::new(rigid.mass_kg, rigid.inertia_kg_m2).whole(&Twist::NONE);
        for pin in pins {
            system.add_row(1.0, arm(body, pin), stiffness * missing(body, pin), stiffness);
        }
        let change = system.step();
        for (pin, impulse) in pins.iter().zip(&mut self.pin_impulses) {
            *impulse -= stiffness * (missing(body, pin) + change.at(arm(body, pin))) * rigid.share;
        }
        for (v, x) in body.v.iter_mut().zip(&*body.x) {
            *v += change.at(*x - rigid.centre) * rigid.share;
        }
    }

    /// Velocities that carry every pin to its place, and the impulses it took.
    fn steer_pins(&mut self, body: &mut Moving<'_>, pins: &[Pin]) {
        for (pin, impulse) in pins.iter().zip(&mut self.pin_impulses) {
            if let Some(point) = body.flesh.anchors.single(pin.at) {
                let needed = (pin.to - body.x[point]) / body.h_secs;
                *impulse += (needed - body.v[point]) * body.flesh.mass_kg[point];
                body.v[point] = needed;
            }
        }
        let mut impulses = std::mem::take(&mut self.pin_impulses);
        let h = body.h_secs;
        self.project(body, pins, &mut impulses, h, |pin, body| {
            (pin.to - body.position(pin.at)) / h - body.velocity(pin.at)
        });
        self.pin_impulses = impulses;
    }

    /// Pins over several points: impulses until no row misses its velocity. `missing` gives by how much it does, and
    /// `metres` turns that into a length.
    fn project(
        &self,
        body: &mut Moving<'_>,
        pins: &[Pin],
        impulses: &mut [DVec3],
        metres: f64,
        missing: impl Fn(&Pin, &Moving<'_>) -> DVec3,
    ) {
        for _ in 0..PIN_SWEEPS {
            let mut moved: f64 = 0.0;
            for (k, pin) in pins.iter().enumerate() {
                let inverse_mass = self.inverse_row_mass(body.flesh, pin.at);
                if body.flesh.anchors.single(pin.at).is_some() || inverse_mass <= 0.0 {
                    continue;
                }
                let change = missing(pin, body);
                let impulse = change / inverse_mass;
                self.push(body, pin.at, impulse);
                if let Some(total) = impulses.get_mut(k) {
                    *total += impulse;
                }
                moved = moved.max(change.length() * metres);
            }
            if moved <= SETTLED * body.size_m {
                break;
            }
        }
    }
}

/// Whether pins are a point or a line, which the body can turn about. What is clamped bends by its passes, as the paper has it: more of them droop less.
pub(super) fn is_hinge(pins: &[Pin], size_m: f64) -> bool {
    /// How far from a line pins may be, as a share of the body's size.
    const WIDE: f64 = 1e-3;
    let [first, others @ ..] = pins else { return false };
    let along = others.iter().map(|pin| pin.to - first.to).max_by(|a, b| a.length().total_cmp(&b.length()));
    let along = along.unwrap_or(DVec3::ZERO).normalize_or_zero();
    let beside = |pin: &Pin| (pin.to - first.to).cross(along).length();
    others.iter().all(|pin| beside(pin) <= WIDE * size_m)
}

/// k = m/τ², c = 2m/τ at the interval's end: hc + h²k, and hk (to − x) + hc velocity; both per kilogram.
fn goal_terms(goal: &Goal, x: DVec3, h: f64) -> (f64, DVec3) {
    let share = h / goal.settle_secs;
    let rate = 2.0 * share + share * share;
    (rate, (goal.to - x) * (share / goal.settle_secs) + goal.velocity * (2.0 * share))
}

/// Drag that acts on points one by one, each once: nothing has to be gathered first. Returns whether it was so; if not,
/// nothing has changed.
fn ease_drags(body: &mut Moving<'_>, drags: &[Drag]) -> bool {
    let (flesh, h) = (body.flesh, body.h_secs);
    let points = drags.iter().map(|drag| flesh.anchors.single(drag.at));
    // One drag alone is in order too, wherever it acts.
    let single = drags.first().is_some_and(|drag| flesh.anchors.single(drag.at).is_some());
    if !single || !points.is_sorted_by(|a, b| matches!((a, b), (Some(a), Some(b)) if a < b)) {
        return false;
    }
    for drag in drags {
        let Some(point) = flesh.anchors.single(drag.at) else { return false };
        let (mass, pull) = (flesh.mass_kg[point], drag.matrix * h);
        if mass > 0.0 {
            let right = body.v[point] * mass + drag.matrix * drag.wind * h;
            body.v[point] = (pull + Sym3::IDENTITY * mass).to_mat().inverse() * right;
        }
    }
    true
}
