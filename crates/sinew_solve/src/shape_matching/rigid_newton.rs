//! Solves contact between a few rigid bodies to convergence with Newton's method. Gauss–Seidel sweeps alone let stacks of ten creep
//! and fall.
//!
//! Sweeps (`rigid_pgs.rs`) carry weight down a stack by one body at a time, and what they leave over is always the same for the same order of contacts: a
//! tower of ten sank into itself and fell within a second, and stood only after thousands of sweeps. Here the rigid motions of all bodies that
//! touch minimise their inertia and the potentials of stiff one-sided springs with friction (`implicit/contact_penalty.rs`), by Newton's method over six numbers a body. The answer
//! does not depend on the order of contacts, nor on other islands. A body alone on the ground is an island too: by sweeps, boxes that were taller than wide rocked and walked for ever. Heaps are left to sweeps, which are much cheaper and whose errors no one sees there.

use super::body::Body;
use super::rigid_pgs::{ApproachingContact, ContactBody};
use super::small_islands::{SmallIsland, SmallIslands};
use crate::contact::{CONTACT, IslandMap};
use crate::implicit::{ContactEnd, ContactPenalty, ContactTerm, PenaltyForce, RigidInertia, RigidSystem, Twist};
use crate::{BodyContact, BodyState, Contact, StepInput};
use sinew_math::{DMat3, DVec3};

/// Share of the objective that may be lost to rounding in a step.
const ROUNDING: f64 = 1e-12;

/// Scratch.
#[derive(Default)]
pub(super) struct RigidNewton {
    /// Bodies that can move, joined by contacts, and those of them that are few.
    islands: IslandMap,
    small: SmallIslands,
    newton: IslandNewton,
    /// Whether all contacts of a body are answered.
    has_settled: Vec<bool>,
}

/// Newton's method for one island, whose bodies are numbered in their order.
#[derive(Default)]
struct IslandNewton {
    rigid_system: RigidSystem,
    contacts: Vec<NewtonContact>,
    /// Which of them took part in the last step.
    active: Vec<usize>,
    /// Displacements of bodies in this step, from where their velocities lead, and where Newton's step began.
    motions: Vec<Twist>,
    from: Vec<Twist>,
    inertia: Vec<RigidInertia>,
    /// Whether what does not move holds one of them.
    is_grounded: bool,
    /// The size of the smallest body.
    smallest_m: f64,
}

/// How Newton's method ended.
struct Solved {
    /// Whether it led to an answer that is of use.
    is_usable: bool,
    has_settled: bool,
}

/// A contact between the rigid motions of two bodies, or of one with an obstacle.
struct NewtonContact {
    sides: [Side; 2],
    /// How far the first side moves against the second before contact has a say.
    ahead: DVec3,
    spring: ContactPenalty,
    /// Whether forces alone would close it within half a step.
    is_near: bool,
    with: With,
}

#[derive(Clone, Copy)]
struct Side {
    /// Its place in the island; none does not move.
    body: Option<usize>,
    arm: DVec3,
}

#[derive(Clone, Copy)]
enum With {
    Obstacle { body: usize, contact: usize },
    Body { contact: usize },
}

impl RigidNewton {
    /// What contact adds to velocity and spin of every body. Islands are solved one by one: what one of them needs to converge, and whether it does, is no
    /// matter of the others.
    pub(super) fn solve(
        &mut self,
        rigid_bodies: &mut [ContactBody],
        bodies: &[Body],
        states: &[BodyState],
        input: &StepInput<'_>,
    ) {
        let Self { islands, small, newton, has_settled } = self;
        let can_move = |body: usize| rigid_bodies[body].inverse_mass() > 0.0;
        islands.find(rigid_bodies.len(), input.touching, can_move);
        has_settled.clear();
        has_settled.resize(rigid_bodies.len(), false);
        // What touches itself too, or a body that is held, is left to sweeps: worms in a dish got deeper into each other otherwise.
        small.find(islands, input.touching, can_move, |body| can_move(body) && !bodies[body].pressed);
        for island in small.all() {
            newton.enter(&Gathering { rigid_bodies, bodies, states, input }, &island);
            let solved = newton.minimise(input);
            island.members.iter().for_each(|&body| has_settled[body as usize] = solved.has_settled);
            if solved.is_usable {
                newton.balance();
                for (&body, motion) in island.members.iter().zip(&newton.motions) {
                    rigid_bodies[body as usize].gain(motion.shift / input.h_secs, motion.spin / input.h_secs);
                }
                newton.press(rigid_bodies, island.members, input.h_secs);
            }
        }
    }

    /// Islands of bodies that can move, as they were found last.
    pub(super) fn islands(&self) -> &IslandMap {
        &self.islands
    }

    /// Whether a body's contacts are all answered.
    pub(super) fn has_settled(&self, body: usize) -> bool {
        self.has_settled[body]
    }
}

/// What an island is made of.
struct Gathering<'a> {
    rigid_bodies: &'a [ContactBody],
    bodies: &'a [Body],
    states: &'a [BodyState],
    input: &'a StepInput<'a>,
}

impl Gathering<'_> {
    fn with_obstacle(&self, number: usize, contact: &Contact) -> (ApproachingContact, DVec3) {
        let (rigid, h) = (&self.rigid_bodies[number], self.input.h_secs);
        let x = self.bodies[number].model.flesh.anchors.at(contact.at, &self.states[number].x);
        let arm = rigid.arm(x);
        let approaching = ApproachingContact {
            normal: contact.normal,
            inverse_mass_along: rigid.inverse_mass_along(contact.normal, arm),
            gap_m: contact.gap_before(x, h),
            velocity: rigid.velocity_at(arm) - contact.surface_velocity,
            size_m: self.bodies[number].size_m,
            fall: rigid.fall(),
        };
        (approaching, arm)
    }

    fn between(&self, [mine, theirs]: [usize; 2], contact: &BodyContact) -> (ApproachingContact, [DVec3; 2]) {
        let [a, b] = [&self.rigid_bodies[mine], &self.rigid_bodies[theirs]];
        let (x, y) = (contact.vertex.at(&self.states[mine].x), contact.face.at(&self.states[theirs].x));
        let arms = [a.arm(x), b.arm(y)];
        let approaching = ApproachingContact {
            normal: contact.normal,
            inverse_mass_along: a.inverse_mass_along(contact.normal, arms[0])
                + b.inverse_mass_along(contact.normal, arms[1]),
            gap_m: contact.gap_at(x, y),
            velocity: a.velocity_at(arms[0]) - b.velocity_at(arms[1]),
            size_m: self.bodies[mine].size_m.min(self.bodies[theirs].size_m),
            fall: a.fall().max(b.fall()),
        };
        (approaching, arms)
    }
}

impl IslandNewton {
    fn enter(&mut self, of: &Gathering<'_>, island: &SmallIsland<'_>) {
        let Gathering { rigid_bodies, bodies, input, .. } = *of;
        let (h, members) = (input.h_secs, island.members);
        let local = |body: usize| members.binary_search(&(body as u32)).ok();
        self.contacts.clear();
        self.motions.clear();
        self.motions.resize(members.len(), Twist::NONE);
        self.inertia.clear();
        self.inertia.extend(members.iter().map(|&body| rigid_bodies[body as usize].inertia(h)));
        self.is_grounded = false;
        self.smallest_m = f64::MAX;
        for (place, number) in members.iter().map(|&body| body as usize).enumerate() {
            self.smallest_m = self.smallest_m.min(bodies[number].size_m);
            for (k, contact) in input.contacts.get(number).into_iter().flatten().enumerate() {
                let (approaching, arm) = of.with_obstacle(number, contact);
                let sides = [Side { body: Some(place), arm }, Side { body: None, arm: DVec3::ZERO }];
                self.add_contact(&approaching, sides, h, With::Obstacle { body: number, contact: k });
            }
        }
        for k in island.touching.iter().map(|&k| k as usize) {
            let contact = &input.touching[k];
            let pair = [contact.vertex.body, contact.face.body].map(|body| body.0 as usize);
            let (approaching, arms) = of.between(pair, contact);
            let sides = [0, 1].map(|side: usize| Side { body: local(pair[side]), arm: arms[side] });
            self.add_contact(&approaching, sides, h, With::Body { contact: k });
        }
    }

    fn add_contact(&mut self, approaching: &ApproachingContact, sides: [Side; 2], h: f64, with: With) {
        let Some(meeting) = approaching.meeting(h) else { return };
        let stiffness = CONTACT.rigid_newton.stiffness * meeting.mass_kg / (h * h);
        let ApproachingContact { normal, size_m, velocity, .. } = *approaching;
        let spring = ContactPenalty::allowing(normal, stiffness, meeting.least_speed * h, size_m, velocity);
        let is_near = approaching.gap_m <= 0.5 * approaching.fall * h;
        self.contacts.push(NewtonContact { sides, ahead: approaching.velocity * h, spring, is_near, with });
        self.is_grounded |= sides.iter().any(|side| side.body.is_none());
    }

    /// Motions under all contacts.
    fn minimise(&mut self, input: &StepInput<'_>) -> Solved {
        // Where no step leads down from a guess, it is right to rounding.
        let mut left = if self.guess(input) { 0.0 } else { f64::INFINITY };
        let mut has_settled = false;
        // A tall body alone tips by its friction, which changes what presses where: the normal forces of its base chase each other, and it stuck on slopes by them.
        let is_alone = self.motions.len() == 1;
        let tuning = CONTACT.rigid_newton;
        let iterations = if is_alone { tuning.max_iterations_alone } else { tuning.max_iterations };
        for iteration in 0..iterations {
            if input.check_stop().is_err() {
                break;
            }
            // Before the first step springs are pressed a hundred thousand times too hard: with friction by that, what slides would stick and hardly come off again.
            if iteration > 0 {
                let update =
                    if is_alone { ContactPenalty::relax_normal_force } else { ContactPenalty::update_normal_force };
                self.each_gap(update);
            }
            let moved = self.newton(input);
            left = moved.unwrap_or(left);
            has_settled = moved.is_some_and(|moved| moved <= CONTACT.rigid_newton.accepted_step * self.smallest_m);
            // A good guess leaves nothing to do without friction; it has to be asked with it too.
            if iteration > 0 && moved.is_none_or(|moved| moved <= CONTACT.rigid_newton.converged_step * self.smallest_m)
            {
                break;
            }
        }
        Solved { is_usable: left <= CONTACT.rigid_newton.max_step * self.smallest_m, has_settled }
    }

    /// Tells bodies what presses them: forces of the last Newton step as they are linear in it, which balance inertia. (Springs at where it led are so stiff that a billionth of a size
    /// is more than a weight.) Where a step ended with contacts that pull, forces are not known.
    fn press(&self, rigid_bodies: &mut [ContactBody], members: &[u32], h_secs: f64) {
        let Self { rigid_system, contacts, active, .. } = self;
        let forces = || rigid_system.joints.iter().map(|joint| joint.force_after(&rigid_system.step)).zip(active);
        let (mut pull, mut push) = (0.0f64, 0.0f64);
        for (force_n, &contact) in forces() {
            let along = force_n.dot(contacts[contact].spring.normal);
            (pull, push) = (pull.max(-along), push.max(along));
        }
        for &body in members {
            rigid_bodies[body as usize].set_load_known(pull <= CONTACT.rigid_newton.max_pull * push);
        }
        for (force_n, &contact) in forces() {
            for (side, sign) in contacts[contact].sides.iter().zip([h_secs, -h_secs]) {
                if let Some(place) = side.body {
                    rigid_bodies[members[place] as usize].press(force_n * sign, side.arm);
                }
            }
        }
    }

    /// Where a step leads in which everything that stands on something goes on doing so, unless that is worse than where velocities lead. There, bodies of a tower fall side by side and touch nothing but
    /// the ground; from one iteration to the next only one more of them would be found to stand on another. Returns whether it is better.
    fn guess(&mut self, input: &StepInput<'_>) -> bool {
        self.from.clone_from(&self.motions);
        let before = self.objective(input);
        self.contacts
            .iter_mut()
            .filter(|contact| contact.is_near)
            .for_each(|contact| contact.spring.set_assumed_active(true));
        self.find_step(input);
        self.apply_step(1.0);
        let is_better = self.objective(input) <= before;
        if !is_better {
            self.motions.clone_from(&self.from);
        }
        self.contacts.iter_mut().for_each(|contact| contact.spring.set_assumed_active(false));
        is_better
    }

    /// One Newton step; returns how far it moved anything, about, unless none leads downhill.
    fn newton(&mut self, input: &StepInput<'_>) -> Option<f64> {
        self.from.clone_from(&self.motions);
        let before = self.objective(input) * (1.0 + ROUNDING);
        for attempt in 0..CONTACT.rigid_newton.attempts {
            self.find_step(input);
            let moved = self.apply_step(1.0);
            if self.objective(input) <= before {
                return Some(moved);
            }
            if attempt + 1 < CONTACT.rigid_newton.attempts {
                self.each_gap(ContactPenalty::assume_active);
                self.motions.clone_from(&self.from);
            }
        }
        let mut share = 0.5;
        for _ in 0..CONTACT.rigid_newton.halvings {
            let moved = self.apply_step(share);
            if self.objective(input) <= before {
                return Some(moved);
            }
            share *= 0.5;
        }
        self.motions.clone_from(&self.from);
        None
    }

    fn each_gap(&mut self, tell: impl Fn(&mut ContactPenalty, f64)) {
        let Self { contacts, motions, .. } = self;
        for hold in contacts {
            let gap_m = hold.slipped(motions).dot(hold.spring.normal);
            tell(&mut hold.spring, gap_m);
        }
    }

    fn apply_step(&mut self, share: f64) -> f64 {
        let mut farthest = 0.0f64;
        for ((motion, from), step) in self.motions.iter_mut().zip(&self.from).zip(&self.rigid_system.step) {
            *motion = *from;
            motion.add(step, share);
            farthest = farthest.max(step.shift.length());
        }
        farthest * share
    }

    fn find_step(&mut self, input: &StepInput<'_>) {
        let Self { rigid_system, contacts, active, motions, inertia, .. } = self;
        rigid_system.quadratics.clear();
        rigid_system.quadratics.extend(inertia.iter().zip(&*motions).map(|(inertia, motion)| inertia.whole(motion)));
        rigid_system.joints.clear();
        active.clear();
        for (k, hold) in contacts.iter().enumerate() {
            if let Some(penalty) = hold.penalty(motions, input) {
                let end =
                    |side: Side, sign: f64| ContactEnd { body: side.body, y: side.arm, turn: DMat3::IDENTITY, sign };
                let [a, b] = hold.sides;
                active.push(k);
                rigid_system.joints.push(ContactTerm { ends: [end(a, 1.0), end(b, -1.0)], penalty });
            }
        }
        rigid_system.solve();
    }

    fn objective(&self, input: &StepInput<'_>) -> f64 {
        let inertia: f64 = self.inertia.iter().zip(&self.motions).map(|(inertia, motion)| inertia.energy(motion)).sum();
        let contact = |hold: &NewtonContact| hold.penalty(&self.motions, input).map_or(0.0, |penalty| penalty.energy);
        inertia + self.contacts.iter().map(contact).sum::<f64>()
    }

    /// Bodies that only touch each other keep their momentum together, to rounding.
    fn balance(&mut self) {
        if self.is_grounded {
            return;
        }
        let (mut mass, mut moved) = (0.0, DVec3::ZERO);
        for (motion, inertia) in self.motions.iter().zip(&self.inertia) {
            mass += inertia.mass();
            moved += motion.shift * inertia.mass();
        }
        if mass > 0.0 {
            self.motions.iter_mut().for_each(|motion| motion.shift -= moved / mass);
        }
    }
}

impl NewtonContact {
    /// How far the first side has moved against the second.
    fn slipped(&self, motions: &[Twist]) -> DVec3 {
        let moved = |side: &Side| side.body.map_or(DVec3::ZERO, |body| motions[body].at(side.arm));
        self.ahead + moved(&self.sides[0]) - moved(&self.sides[1])
    }

    fn penalty(&self, motions: &[Twist], input: &StepInput<'_>) -> Option<PenaltyForce> {
        let moved = self.slipped(motions);
        let gap_m = moved.dot(self.spring.normal);
        match self.with {
            With::Obstacle { body, contact } => {
                let contact: &Contact = &input.contacts[body][contact];
                self.spring
                    .evaluate(moved, gap_m, input.h_secs, |slide, pressed, least| contact.rub(slide, pressed, least))
            }
            With::Body { contact } => {
                let contact: &BodyContact = &input.touching[contact];
                self.spring
                    .evaluate(moved, gap_m, input.h_secs, |slide, pressed, least| contact.rub(slide, pressed, least))
            }
        }
    }
}
