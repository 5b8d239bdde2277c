//! Projected Gauss–Seidel (PGS) on the rigid motions of bodies, before contact is solved vertex by vertex.
//!
//! A vertex weighs little, and matching carries what happens to it inwards only over several steps: impulses on vertices alone
//! let stacks sink into each other. So the same contacts are first solved on the bodies' rigid motions, with all their mass
//! behind each contact (a coarse level, as in multigrid), small groups of bodies to the end (`rigid_newton.rs`); what deformation adds is then left to the vertices. What
//! arrives fast is stopped only in part here, so that it still squashes.

use super::answers::{Answers, BodyMotions, Motions, put, take};
use super::batches::Batches;
use super::body::Body;
use super::rigid_newton::RigidNewton;
use crate::contact::{CONTACT, IslandMap, Meeting};
use crate::implicit::RigidInertia;
use crate::simd::gather::{Gather, Numbers};
use crate::simd::{BLOCK, Lanes, Slot, three};
use crate::simd::{Path, compiled, dispatched};
use crate::{BodyState, Cues, RigidBody, StepInput};
use sinew_math::rotation::outer;
use sinew_math::{DMat3, DVec3};

/// Scratch.
#[derive(Default)]
pub(super) struct RigidPgs {
    rigid_bodies: Vec<ContactBody>,
    rigid_newton: RigidNewton,
    /// Velocity and spin of every body; the last one is the ground's.
    motions: BodyMotions,
    batches: Batches,
    /// The first `used` of them; the others are kept for later.
    contact_batches: Vec<ContactBatch>,
    used: usize,
    smallest_m: f64,
}

/// A body as if it were rigid, and what contact has changed about its motion. One that is pinned has no inverse mass.
#[derive(Clone, Copy)]
pub(super) struct ContactBody {
    rigid: RigidBody,
    /// What forces add to its speed in a step.
    fall: f64,
    /// The same with its direction.
    falling: DVec3,
    gained: DVec3,
    gained_spin: DVec3,
    /// Σ J ⊗ r of what contact has given, N s m.
    virial: DMat3,
    /// Σ |J|, N s.
    pressed: f64,
    /// Whether that is all of it.
    is_load_known: bool,
}

/// Sixteen contacts of two bodies, or of one with an obstacle; no body occurs twice.
#[derive(Clone)]
pub(super) struct ContactBatch {
    answers: Answers,
    sides: [Side; 2],
}

/// What contacts do to one of their bodies.
#[derive(Clone)]
struct Side {
    body: Numbers,
    /// From the body's centre.
    arm: [Slot; 3],
    inverse_mass: Slot,
    /// I⁻¹ [arm]×, row by row: from an impulse to the spin it makes.
    spin: [[Slot; 3]; 3],
}

impl ContactBody {
    const HELD: Self = Self {
        rigid: RigidBody::HELD,
        fall: 0.0,
        falling: DVec3::ZERO,
        gained: DVec3::ZERO,
        gained_spin: DVec3::ZERO,
        virial: DMat3::ZERO,
        pressed: 0.0,
        is_load_known: true,
    };

    /// Matching knows the body's centre and inertia, which have not changed since.
    fn of(path: Path, body: &Body, state: &BodyState, cues: &Cues, h_secs: f64) -> Self {
        let Body { model, centre, inverse_inertia, .. } = body;
        let (centre, inverse_inertia) = (*centre, *inverse_inertia);
        let (mut momentum, mut angular) = (DVec3::ZERO, DVec3::ZERO);
        momenta(path, centre, &state.x, &state.v, &model.flesh.mass_kg, &mut momentum, &mut angular);
        let inverse_mass = 1.0 / model.total_mass_kg;
        let (velocity, spin) = (momentum * inverse_mass, inverse_inertia * angular);
        let force_n = cues.force_n.iter().sum::<DVec3>();
        let (fall, falling) = (force_n.length() * inverse_mass * h_secs, force_n * (inverse_mass * h_secs));
        Self { rigid: RigidBody { centre, velocity, spin, inverse_mass, inverse_inertia }, fall, falling, ..Self::HELD }
    }

    pub(super) fn velocity_at(&self, arm: DVec3) -> DVec3 {
        self.rigid.velocity + self.rigid.spin.cross(arm)
    }

    /// From its centre to a place.
    pub(super) fn arm(&self, place: DVec3) -> DVec3 {
        place - self.rigid.centre
    }

    /// 1/m, and 0 for a body that is pinned.
    pub(super) fn inverse_mass(&self) -> f64 {
        self.rigid.inverse_mass
    }

    pub(super) fn inertia(&self, h_secs: f64) -> RigidInertia {
        let per_step = 1.0 / (h_secs * h_secs);
        let RigidBody { inverse_mass, inverse_inertia, .. } = self.rigid;
        let mass = if inverse_mass > 0.0 { 1.0 / inverse_mass } else { 0.0 };
        let can_turn = inverse_inertia.determinant() != 0.0;
        let turning = if can_turn { inverse_inertia.inverse() } else { DMat3::ZERO };
        RigidInertia::new(mass * per_step, turning * per_step)
    }

    pub(super) fn fall(&self) -> f64 {
        self.fall
    }

    pub(super) fn gain(&mut self, velocity: DVec3, spin: DVec3) {
        self.rigid.velocity += velocity;
        self.rigid.spin += spin;
        self.gained += velocity;
        self.gained_spin += spin;
    }

    /// How much an impulse along `n` changes the velocity along `n` there, 1/kg.
    pub(super) fn inverse_mass_along(&self, n: DVec3, arm: DVec3) -> f64 {
        self.rigid.inverse_mass_along(n, arm)
    }

    fn push(&mut self, impulse: DVec3, arm: DVec3) {
        self.gained += impulse * self.rigid.inverse_mass;
        self.gained_spin += self.rigid.inverse_inertia * arm.cross(impulse);
        self.press(impulse, arm);
    }

    /// The share of what presses it that other forces balance: all of it in what stands, nothing in an impact between free bodies, which is no load that lasts.
    fn standing_share(&self) -> f64 {
        let unbalanced = (self.gained + self.falling).length();
        let pressed = self.pressed * self.rigid.inverse_mass;
        if pressed > 0.0 { (1.0 - unbalanced / pressed).max(0.0) } else { 0.0 }
    }

    pub(super) fn set_load_known(&mut self, is_known: bool) {
        self.is_load_known = is_known;
    }

    /// Notes an impulse for the mean stress.
    pub(super) fn press(&mut self, impulse: DVec3, arm: DVec3) {
        self.virial += outer(impulse, arm);
        self.pressed += impulse.length();
    }
}

compiled! {
    /// Linear and angular momentum about `centre`.
    momenta = momenta_in(
        centre: DVec3, x: &[DVec3], v: &[DVec3], mass_kg: &[f64], linear: &mut DVec3, angular: &mut DVec3)
}

#[inline(always)]
fn momenta_in(centre: DVec3, x: &[DVec3], v: &[DVec3], mass_kg: &[f64], linear: &mut DVec3, angular: &mut DVec3) {
    let (mut sum, mut turning) = (DVec3::ZERO, DVec3::ZERO);
    for ((x, v), mass) in x.iter().zip(v).zip(mass_kg) {
        let mv = *v * *mass;
        sum += mv;
        turning += (*x - centre).cross(mv);
    }
    (*linear, *angular) = (sum, turning);
}

compiled! {
    /// Adds a share of what contact has changed about a body's rigid motion to the velocities of its points.
    add_gained = add_gained_in(body: &ContactBody, share: f64, x: &[DVec3], v: &mut [DVec3])
}

#[inline(always)]
fn add_gained_in(body: &ContactBody, share: f64, x: &[DVec3], v: &mut [DVec3]) {
    let ContactBody { rigid, gained, gained_spin, .. } = *body;
    for (v, x) in v.iter_mut().zip(x) {
        *v += (gained + gained_spin.cross(*x - rigid.centre)) * share;
    }
}

impl ContactBatch {
    /// The batch of a contact, which may be the next one; its first contact finds it empty.
    fn at(contact_batches: &mut Vec<Self>, (batch, lane): (usize, usize), ground: u32) -> &mut Self {
        if batch >= contact_batches.len() {
            contact_batches.resize(batch + 1, Self { answers: Answers::NONE, sides: [Side::NONE, Side::NONE] });
        }
        let here = &mut contact_batches[batch];
        if lane == 0 {
            here.answers.clear();
            here.sides.iter_mut().for_each(|side| side.body = Numbers([ground; BLOCK]));
        }
        here
    }
}

impl Side {
    const NONE: Self =
        Self { body: Numbers([0; BLOCK]), arm: [Slot::ZERO; 3], inverse_mass: Slot::ZERO, spin: [[Slot::ZERO; 3]; 3] };

    fn set(&mut self, lane: usize, body: usize, contact_body: &ContactBody, arm: DVec3) {
        self.body.0[lane] = body as u32;
        put(&mut self.arm, lane, arm);
        self.inverse_mass.0[lane] = contact_body.rigid.inverse_mass as f32;
        let i = contact_body.rigid.inverse_inertia;
        // The columns of [arm]× are arm × x, arm × y, arm × z.
        let columns = [DVec3::X, DVec3::Y, DVec3::Z].map(|axis| i * arm.cross(axis));
        for (row, slots) in self.spin.iter_mut().enumerate() {
            put(slots, lane, DVec3::new(columns[0][row], columns[1][row], columns[2][row]));
        }
    }

    /// Velocity at the contacts.
    #[inline(always)]
    fn velocity<L: Lanes>(&self, at: usize, motion: &Motions) -> [L; 3] {
        let [vx, vy, vz] = three!(K => L::load(&motion[K], at));
        let [wx, wy, wz] = three!(K => L::load(&motion[K + 3], at));
        let [x, y, z] = three!(K => L::load(&self.arm[K], at));
        [vx + (wy * z - wz * y), vy + (wz * x - wx * z), vz + (wx * y - wy * x)]
    }

    #[inline(always)]
    fn push<L: Lanes>(&self, at: usize, impulse: [L; 3], motion: &mut Motions) {
        let inverse_mass = L::load(&self.inverse_mass, at);
        three!(K => (L::load(&motion[K], at) + impulse[K] * inverse_mass).store(&mut motion[K], at));
        three!(K => {
            let row = three!(J => L::load(&self.spin[K][J], at));
            let spin = row[0] * impulse[0] + row[1] * impulse[1] + row[2] * impulse[2];
            (L::load(&motion[K + 3], at) + spin).store(&mut motion[K + 3], at);
        });
    }
}

impl RigidPgs {
    pub(super) fn islands(&self) -> &IslandMap {
        self.rigid_newton.islands()
    }

    /// Changes the velocities of all bodies that touch by rigid motions.
    pub(super) fn solve(&mut self, path: Path, bodies: &mut [Body], states: &mut [BodyState], input: &StepInput<'_>) {
        self.gather_bodies(path, bodies, states, input);
        self.rigid_newton.solve(&mut self.rigid_bodies, bodies, states, input);
        if input.check_stop().is_err() {
            return;
        }
        self.gather(bodies, states, input);
        self.sweep(path, input.h_secs);
        self.give(bodies.len() as u32);
        for ((body, state), rigid) in bodies.iter_mut().zip(states).zip(&self.rigid_bodies) {
            if body.touched {
                body.virial = rigid.is_load_known.then(|| rigid.virial * rigid.standing_share());
                add_gained(path, rigid, body.rigid_share, &state.x, &mut state.v);
            }
        }
    }

    fn sweep(&mut self, path: Path, h_secs: f64) {
        let settled = CONTACT.rigid_pgs.converged * self.smallest_m / h_secs;
        for _ in 0..(CONTACT.rigid_pgs.max_answers / self.used.max(1))
            .clamp(CONTACT.rigid_pgs.sweeps, CONTACT.rigid_pgs.max_sweeps)
        {
            let mut moved = 0.0;
            sweep(path, &mut self.contact_batches[..self.used], &mut self.motions, &mut moved);
            if f64::from(moved) < settled * settled {
                break;
            }
        }
    }

    /// What all contacts have given acts on both sides.
    fn give(&mut self, ground: u32) {
        for ContactBatch { answers, sides } in &self.contact_batches[..self.used] {
            for lane in 0..BLOCK {
                let impulse = answers.given(lane);
                if impulse == DVec3::ZERO {
                    continue;
                }
                for (side, sign) in sides.iter().zip([1.0, -1.0]) {
                    if side.body.0[lane] != ground {
                        self.rigid_bodies[side.body.0[lane] as usize].push(impulse * sign, take(&side.arm, lane));
                    }
                }
            }
        }
    }

    fn gather_bodies(&mut self, path: Path, bodies: &[Body], states: &[BodyState], input: &StepInput<'_>) {
        self.rigid_bodies.clear();
        self.smallest_m = f64::INFINITY;
        for (number, (body, state)) in bodies.iter().zip(states).enumerate() {
            let free = body.touched && input.cues[number].pins.is_empty();
            self.rigid_bodies.push(if free {
                ContactBody::of(path, body, state, &input.cues[number], input.h_secs)
            } else {
                ContactBody::HELD
            });
            if free {
                self.smallest_m = self.smallest_m.min(body.size_m);
            }
        }
    }

    fn gather(&mut self, bodies: &[Body], states: &[BodyState], input: &StepInput<'_>) {
        let Self { rigid_bodies, rigid_newton, motions, batches, contact_batches, used, .. } = self;
        motions.clear();
        rigid_bodies.iter().for_each(|body| motions.push(body.rigid.velocity, body.rigid.spin));
        motions.push(DVec3::ZERO, DVec3::ZERO);
        let (ground, h) = (bodies.len() as u32, input.h_secs);
        batches.begin(bodies.len());
        for (number, (rigid, state)) in rigid_bodies.iter().zip(states).enumerate() {
            if rigid.inverse_mass() == 0.0 || rigid_newton.has_settled(number) {
                continue;
            }
            let (anchors, size_m) = (&bodies[number].model.flesh.anchors, bodies[number].size_m);
            for touch in input.contacts.get(number).into_iter().flatten() {
                let x = anchors.at(touch.at, &state.x);
                let arm = rigid.arm(x);
                let velocity = rigid.velocity_at(arm) - touch.surface_velocity;
                let (normal, inverse_mass_along, gap_m) =
                    (touch.normal, rigid.inverse_mass_along(touch.normal, arm), touch.gap_before(x, h));
                if let Some(meeting) =
                    (ApproachingContact { normal, inverse_mass_along, gap_m, velocity, size_m, fall: rigid.fall })
                        .meeting(h)
                {
                    let (batch, lane) = batches.next([number as u32]);
                    let block = ContactBatch::at(contact_batches, (batch, lane), ground);
                    block.answers.set_ground(lane, &meeting, touch);
                    block.sides[0].set(lane, number, rigid, arm);
                }
            }
        }
        for touch in input.touching {
            let [mine, theirs] = [touch.vertex.body, touch.face.body].map(|body| body.0 as usize);
            if mine == theirs || rigid_newton.has_settled(mine) || rigid_newton.has_settled(theirs) {
                continue;
            }
            let [a, b] = [&rigid_bodies[mine], &rigid_bodies[theirs]];
            let (x, y) = (touch.vertex.at(&states[mine].x), touch.face.at(&states[theirs].x));
            let arms = [a.arm(x), b.arm(y)];
            let velocity = a.velocity_at(arms[0]) - b.velocity_at(arms[1]);
            let inverse_mass_along =
                a.inverse_mass_along(touch.normal, arms[0]) + b.inverse_mass_along(touch.normal, arms[1]);
            let size_m = bodies[mine].size_m.min(bodies[theirs].size_m);
            let (normal, gap_m, fall) = (touch.normal, touch.gap_at(x, y), a.fall.max(b.fall));
            let approaching = ApproachingContact { normal, inverse_mass_along, gap_m, velocity, size_m, fall };
            if let Some(meeting) = approaching.meeting(h) {
                let (batch, lane) = batches.next([mine as u32, theirs as u32]);
                let block = ContactBatch::at(contact_batches, (batch, lane), ground);
                block.answers.set(lane, &meeting, &touch.friction, &touch.along);
                block.sides[0].set(lane, mine, a, arms[0]);
                block.sides[1].set(lane, theirs, b, arms[1]);
            }
        }
        *used = batches.count();
    }
}

dispatched! {
    /// One answer of every contact; `moved` is the largest change of a velocity, squared.
    sweep = sweep_in(contact_batches: &mut [ContactBatch], motions: &mut BodyMotions, moved: &mut f32)
}

#[inline(always)]
fn sweep_in<L: Gather>(contact_batches: &mut [ContactBatch], motions: &mut BodyMotions, moved: &mut f32) {
    let mut most = Slot::ZERO;
    let (mut mine, mut theirs) = ([Slot::ZERO; 6], [Slot::ZERO; 6]);
    for ContactBatch { answers, sides: [a, b] } in contact_batches {
        motions.gather::<L>(&a.body, &mut mine);
        motions.gather::<L>(&b.body, &mut theirs);
        for at in (0..BLOCK).step_by(L::WIDTH) {
            let (v, w) = (a.velocity::<L>(at, &mine), b.velocity::<L>(at, &theirs));
            let (change, moved) = answers.answer(at, three!(K => v[K] - w[K]));
            a.push(at, change, &mut mine);
            b.push(at, three!(K => -change[K]), &mut theirs);
            let before = L::load(&most, at);
            L::select(before.below(moved), moved, before).store(&mut most, at);
        }
        motions.scatter::<L>(&mine, &a.body);
        motions.scatter::<L>(&theirs, &b.body);
        // Where lanes have no body they stand on the ground, which does not move.
        motions.stop_last();
    }
    *moved = most.0.iter().fold(0.0, |most, &lane| if lane > most { lane } else { most });
}

/// A contact between rigid motions that move against each other with `velocity`.
pub(super) struct ApproachingContact {
    pub(super) normal: DVec3,
    pub(super) inverse_mass_along: f64,
    pub(super) gap_m: f64,
    pub(super) velocity: DVec3,
    pub(super) size_m: f64,
    pub(super) fall: f64,
}

impl ApproachingContact {
    /// What it asks of them; none where they are far from touching.
    pub(super) fn meeting(&self, h_secs: f64) -> Option<Meeting> {
        let meeting = Meeting::new(self.normal, self.inverse_mass_along, self.gap_m, h_secs, 0.0)?;
        let speed = self.velocity.dot(self.normal);
        let slow =
            (CONTACT.rigid_pgs.slow_approach * self.size_m / h_secs).max(CONTACT.rigid_pgs.weight_approach * self.fall);
        if speed > meeting.least_speed + slow {
            return None;
        }
        let too_fast = (meeting.least_speed - speed - slow).max(0.0);
        Some(Meeting {
            least_speed: meeting.least_speed - too_fast * (1.0 - CONTACT.rigid_pgs.braked_share),
            ..meeting
        })
    }
}
