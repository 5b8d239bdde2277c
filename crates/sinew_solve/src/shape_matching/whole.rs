//! Contact on bodies as a whole, before it is settled vertex by vertex.
//!
//! A vertex weighs little, and matching carries what happens to it inwards only over several steps: impulses on vertices alone
//! let stacks sink into each other. So the same contacts are first asked of the bodies' rigid motions, with all their mass
//! behind each contact (a coarse level, as in multigrid); what deformation adds is then left to the vertices. What
//! arrives fast is stopped only in part here, so that it still squashes.

use super::Body;
use super::frame::inverse_inertia;
use crate::contact::{Impulse, Meeting};
use crate::{Asked, BodyContact, BodyState, Contact};
use sinew_math::rotation::{mass_centre, outer};
use sinew_math::{DMat3, DVec3};

const SWEEPS: usize = 10;
/// They end early when no velocity changes by more than this share of the smallest body's size in a step.
const SETTLED: f64 = 1e-5;
/// An approach of less than this share of a body's size in a step is stopped whole: that is weight, not impact.
const CALM: f64 = 0.005;
/// What is faster loses this share in a step.
const BRAKED: f64 = 0.5;

/// Scratch.
#[derive(Default)]
pub(super) struct Wholes {
    wholes: Vec<Whole>,
    pairs: Vec<Meet<2>>,
    grounds: Vec<Meet<1>>,
    smallest_m: f64,
}

/// A body as if it were rigid, and what contact has changed about its motion.
#[derive(Clone, Copy)]
struct Whole {
    centre: DVec3,
    velocity: DVec3,
    spin: DVec3,
    /// Zero for a body that is pinned.
    inverse_mass: f64,
    inverse_inertia: DMat3,
    gained: DVec3,
    gained_spin: DVec3,
}

/// One contact with one body (and an obstacle) or two.
struct Meet<const N: usize> {
    contact: usize,
    bodies: [usize; N],
    /// From the bodies' centres.
    arms: [DVec3; N],
    meeting: Meeting,
    given: Impulse,
}

impl Whole {
    const STILL: Self = Self {
        centre: DVec3::ZERO,
        velocity: DVec3::ZERO,
        spin: DVec3::ZERO,
        inverse_mass: 0.0,
        inverse_inertia: DMat3::ZERO,
        gained: DVec3::ZERO,
        gained_spin: DVec3::ZERO,
    };

    fn of(body: &Body, state: &BodyState) -> Self {
        let model = &body.matcher.model;
        let masses = &model.flesh.mass_kg;
        let (centre, velocity) = (mass_centre(&state.x, masses), mass_centre(&state.v, masses));
        let (mut spread, mut angular) = (DMat3::ZERO, DVec3::ZERO);
        for ((x, v), mass) in state.x.iter().zip(&state.v).zip(masses) {
            let r = *x - centre;
            spread += outer(r * *mass, r);
            angular += r.cross(*v) * *mass;
        }
        let inverse_inertia = inverse_inertia(spread);
        let inverse_mass = 1.0 / model.total_mass_kg;
        Self { centre, velocity, spin: inverse_inertia * angular, inverse_mass, inverse_inertia, ..Self::STILL }
    }

    fn velocity_at(&self, arm: DVec3) -> DVec3 {
        self.velocity + self.gained + (self.spin + self.gained_spin).cross(arm)
    }

    /// How much an impulse along `n` changes the velocity along `n` there, 1/kg.
    fn ease(&self, n: DVec3, arm: DVec3) -> f64 {
        self.inverse_mass + n.dot((self.inverse_inertia * arm.cross(n)).cross(arm))
    }

    fn push(&mut self, impulse: DVec3, arm: DVec3) {
        self.gained += impulse * self.inverse_mass;
        self.gained_spin += self.inverse_inertia * arm.cross(impulse);
    }
}

impl Wholes {
    /// Changes the velocities of all bodies that touch by rigid motions.
    pub(super) fn settle(&mut self, bodies: &[Body], states: &mut [BodyState], asked: &Asked<'_>) {
        self.gather(bodies, states, asked);
        for _ in 0..SWEEPS {
            let mut moved: f64 = 0.0;
            for meet in &mut self.grounds {
                let contact = &asked.contacts[meet.bodies[0]][meet.contact];
                moved = moved.max(meet.answer(&mut self.wholes, contact));
            }
            for meet in &mut self.pairs {
                moved = moved.max(meet.answer(&mut self.wholes, &asked.touching[meet.contact]));
            }
            if moved * asked.h_secs < SETTLED * self.smallest_m {
                break;
            }
        }
        for ((body, state), whole) in bodies.iter().zip(states).zip(&self.wholes) {
            if body.touched {
                for (v, x) in state.v.iter_mut().zip(&state.x) {
                    *v += whole.gained + whole.gained_spin.cross(*x - whole.centre);
                }
            }
        }
    }

    fn gather(&mut self, bodies: &[Body], states: &[BodyState], asked: &Asked<'_>) {
        self.wholes.clear();
        self.grounds.clear();
        self.pairs.clear();
        self.smallest_m = f64::INFINITY;
        for (number, (body, state)) in bodies.iter().zip(states).enumerate() {
            let free = body.touched && asked.cues[number].pins.is_empty();
            self.wholes.push(if free { Whole::of(body, state) } else { Whole::STILL });
            if !free {
                continue;
            }
            self.smallest_m = self.smallest_m.min(body.size_m);
            let (whole, anchors) = (&self.wholes[number], &body.matcher.model.flesh.anchors);
            for (contact, touch) in asked.contacts.get(number).into_iter().flatten().enumerate() {
                let x = anchors.at(touch.at, &state.x);
                let arm = x - whole.centre;
                let speed = (whole.velocity_at(arm) - touch.surface_velocity).dot(touch.normal);
                let gap_m = touch.gap_before(x, asked.h_secs);
                let ease = whole.ease(touch.normal, arm);
                let meeting = meeting(touch.normal, ease, gap_m, speed, body.size_m, asked.h_secs);
                self.grounds.extend(meeting.map(|meeting| Meet {
                    contact,
                    bodies: [number],
                    arms: [arm],
                    meeting,
                    given: Impulse::default(),
                }));
            }
        }
        for (contact, touch) in asked.touching.iter().enumerate() {
            let [mine, theirs] = [touch.vertex.body, touch.face.body].map(|body| body.0 as usize);
            if mine == theirs {
                continue;
            }
            let [a, b] = [&self.wholes[mine], &self.wholes[theirs]];
            let (x, y) = (touch.vertex.at(&states[mine].x), touch.face.at(&states[theirs].x));
            let arms = [x - a.centre, y - b.centre];
            let speed = (a.velocity_at(arms[0]) - b.velocity_at(arms[1])).dot(touch.normal);
            let ease = a.ease(touch.normal, arms[0]) + b.ease(touch.normal, arms[1]);
            let size_m = bodies[mine].size_m.min(bodies[theirs].size_m);
            let meeting = meeting(touch.normal, ease, touch.gap_at(x, y), speed, size_m, asked.h_secs);
            self.pairs.extend(meeting.map(|meeting| Meet {
                contact,
                bodies: [mine, theirs],
                arms,
                meeting,
                given: Impulse::default(),
            }));
        }
    }
}

/// What a contact asks of rigid motions that approach with −`speed`; none where they are far from touching.
fn meeting(normal: DVec3, ease: f64, gap_m: f64, speed: f64, size_m: f64, h_secs: f64) -> Option<Meeting> {
    let meeting = Meeting::new(normal, ease, gap_m, h_secs, 0.0)?;
    let calm = CALM * size_m / h_secs;
    if speed > meeting.least_speed + calm {
        return None;
    }
    let too_fast = (meeting.least_speed - speed - calm).max(0.0);
    Some(Meeting { least_speed: meeting.least_speed - too_fast * (1.0 - BRAKED), ..meeting })
}

impl Meet<1> {
    #[inline]
    fn answer(&mut self, wholes: &mut [Whole], contact: &Contact) -> f64 {
        let whole = &mut wholes[self.bodies[0]];
        let relative = whole.velocity_at(self.arms[0]) - contact.surface_velocity;
        let impulse =
            self.given.answer_within(&self.meeting, relative, |wanted, pressed| contact.held(wanted, pressed));
        if impulse != DVec3::ZERO {
            whole.push(impulse, self.arms[0]);
        }
        impulse.length() / self.meeting.mass_kg
    }
}

impl Meet<2> {
    #[inline]
    fn answer(&mut self, wholes: &mut [Whole], contact: &BodyContact) -> f64 {
        let [mine, theirs] = self.bodies;
        let relative = wholes[mine].velocity_at(self.arms[0]) - wholes[theirs].velocity_at(self.arms[1]);
        let impulse = self.given.answer(&self.meeting, relative, |slide| contact.friction_against(slide));
        if impulse != DVec3::ZERO {
            wholes[mine].push(impulse, self.arms[0]);
            wholes[theirs].push(-impulse, self.arms[1]);
        }
        impulse.length() / self.meeting.mass_kg
    }
}
