//! Projected Gauss–Seidel (PGS) on vertices: what bodies do to each other after matching, as one sequence of impulses over all of them.
//!
//! Every contact changes the velocities of a vertex and of a face at once, by opposite impulses, so that their sum of
//! momenta stays what it was; contacts with obstacles take part in the same sweeps, so that stacks stand. Impulses are found
//! on velocities in f32, and act in f64 when all are known: what one side gives is then exactly what the other takes. The
//! order is the order of contacts, on one thread: the same bits however many there are.

use super::body::Body;
use super::rigid_pgs::RigidPgs;
use crate::contact::{CONTACT, IslandMap, Meeting};
use crate::simd::Path;
use crate::{BodyContact, BodyState, Contact, StepInput};
use sinew_math::{DVec3, Vec3A};

/// Scratch.
#[derive(Default)]
pub(super) struct VertexPgs {
    rigid_pgs: RigidPgs,
    /// The number of the first point of every body, where all that touch stand in a row; behind the last of them stands a
    /// point that nothing moves.
    first: Vec<u32>,
    velocities: Vec<Vec3A>,
    pushed: Vec<Vec3A>,
    rows: Vec<PgsRow>,
    /// Entries that had something to answer.
    busy: Vec<u32>,
}

/// One contact, ready for sweeping.
struct PgsRow {
    normal: Vec3A,
    across: Vec3A,
    mass: f32,
    least_speed: f32,
    push_speed: f32,
    /// Coulomb's coefficient where it is the same in every direction, else less than 0.
    friction: f32,
    given: f32,
    push: f32,
    /// The vertex and the corners of the face, or the ends of both edges. With an obstacle the others are the point that nothing moves.
    points: [u32; 4],
    /// Their shares in the relative velocity: below 0 on the other body's side.
    weights: [f32; 4],
    /// These over masses.
    gains: [f32; 4],
    /// Whether only the first of the points moves, and the other side stays where it is.
    is_still: bool,
    with: With,
}

/// The two sides of an entry, by number.
#[derive(Clone, Copy)]
enum With {
    Obstacle { body: u32, contact: u32 },
    Body { contact: u32 },
}

/// Which contacts a sweep asks: all, and notes which have something to answer; those; all again.
#[derive(Clone, Copy)]
enum Part {
    First,
    Busy,
    Last,
}

/// Notes which bodies take part: all that touch each other, and single ones that obstacles hold and whose material is stiffer than matching.
pub(super) fn mark_touched(bodies: &mut [Body], input: &StepInput<'_>) {
    for (number, body) in bodies.iter_mut().enumerate() {
        let contacts = input.contacts.get(number).map_or(&[][..], |contacts| &contacts[..]);
        let anchors = &body.model.flesh.anchors;
        let held = !contacts.is_empty() && contacts.iter().all(|contact| anchors.single(contact.at).is_some());
        body.rigid_share = if held { body.rigid_share_alone(input.h_secs) } else { 0.0 };
        body.touched = body.rigid_share > 0.0;
        body.pressed = false;
        body.virial = None;
    }
    for contact in input.touching {
        for body in [contact.vertex.body, contact.face.body] {
            let body = &mut bodies[body.0 as usize];
            (body.touched, body.pressed, body.rigid_share) = (true, true, 1.0);
        }
    }
}

impl VertexPgs {
    /// Islands of the last step in which bodies touched.
    pub(super) fn islands(&self) -> &IslandMap {
        self.rigid_pgs.islands()
    }

    /// Velocities (and pushes) of all bodies that touch, under contacts between them and with obstacles.
    pub(super) fn solve(&mut self, path: Path, bodies: &mut [Body], states: &mut [BodyState], input: &StepInput<'_>) {
        if !bodies.iter().any(|body| body.touched) {
            return;
        }
        self.rigid_pgs.solve(path, bodies, states, input);
        self.enter(bodies, states);
        self.meet(bodies, states, input);
        let smallest = bodies.iter().filter(|body| body.touched).map(|body| body.size_m).fold(f64::MAX, f64::min);
        let settled = (CONTACT.vertex_pgs.converged * smallest / input.h_secs) as f32;
        let sweeps = (CONTACT.vertex_pgs.max_answers / self.rows.len().max(1))
            .clamp(CONTACT.vertex_pgs.sweeps, CONTACT.vertex_pgs.max_sweeps);
        for number in 0..sweeps {
            let part = if number == 0 {
                Part::First
            } else if number + 1 < sweeps {
                Part::Busy
            } else {
                Part::Last
            };
            if self.sweep(path, part, input, settled) || input.check_stop().is_err() {
                break;
            }
        }
        self.give(bodies, states, input);
    }

    /// One answer of every contact; returns whether no velocity changed by more than `settled`. Those that had nothing to answer in the first
    /// sweep are asked again only in the last.
    fn sweep(&mut self, path: Path, part: Part, input: &StepInput<'_>, settled: f32) -> bool {
        let Self { velocities, pushed, rows, busy, .. } = self;
        let mut is_settled = true;
        sweep(path, part, input, Points { velocities, pushed }, rows, busy, settled, &mut is_settled);
        is_settled
    }

    /// Velocities of all points that contact may move.
    fn enter(&mut self, bodies: &mut [Body], states: &[BodyState]) {
        self.first.clear();
        self.velocities.clear();
        for (body, state) in bodies.iter_mut().zip(states) {
            self.first.push(self.velocities.len() as u32);
            if body.touched {
                body.hold.pushed.clear();
                body.hold.pushed.resize(state.x.len(), DVec3::ZERO);
                self.velocities.extend(state.v.iter().map(|v| small(*v)));
            }
        }
        self.velocities.push(Vec3A::ZERO);
        self.pushed.clear();
        self.pushed.resize(self.velocities.len(), Vec3A::ZERO);
    }

    fn meet(&mut self, bodies: &[Body], states: &[BodyState], input: &StepInput<'_>) {
        self.rows.clear();
        let nobody = self.velocities.len() as u32 - 1;
        for (number, (body, state)) in bodies.iter().zip(states).enumerate().filter(|(_, (body, _))| body.touched) {
            for (k, contact) in input.contacts.get(number).into_iter().flatten().enumerate() {
                let with = With::Obstacle { body: number as u32, contact: k as u32 };
                self.rows.extend(PgsRow::ground(contact, body, state, [self.first[number], nobody], input, with));
            }
        }
        for (k, contact) in input.touching.iter().enumerate() {
            let with = With::Body { contact: k as u32 };
            self.rows.extend(PgsRow::pair(contact, bodies, states, &self.first, input, with));
        }
    }

    /// What all contacts have given acts on both sides.
    fn give(&self, bodies: &mut [Body], states: &mut [BodyState], input: &StepInput<'_>) {
        let mut act = |body: u32, dof: u32, share: f64, (impulse, push): (DVec3, DVec3)| {
            let Body { model, hold, .. } = &mut bodies[body as usize];
            let gain = share * hold.inverse_mass(&model.flesh, dof as usize);
            states[body as usize].v[dof as usize] += impulse * gain;
            if push != DVec3::ZERO {
                hold.pushed[dof as usize] += push * gain;
            }
        };
        for row in &self.rows {
            if row.given == 0.0 && row.push == 0.0 {
                continue;
            }
            let normal = row.normal.as_dvec3();
            let across = row.across.as_dvec3();
            let given = (normal * f64::from(row.given) + across, normal * f64::from(row.push));
            match row.with {
                With::Obstacle { body, .. } => act(body, row.points[0] - self.first[body as usize], 1.0, given),
                With::Body { contact } => {
                    let contact = &input.touching[contact as usize];
                    let (mine, dofs, weights) = contact.corners();
                    for k in 0..4 {
                        let body = if k < mine { contact.vertex.body } else { contact.face.body };
                        act(body.0, dofs[k], weights[k], given);
                    }
                }
            }
        }
    }
}

/// What contacts change: velocities, and those of pushes.
struct Points<'a> {
    velocities: &'a mut [Vec3A],
    pushed: &'a mut [Vec3A],
}

crate::simd::compiled! {
    /// One answer of every contact that `part` asks. `is_settled` stays so while no velocity changes by more than `settled`.
    sweep = sweep_in(
        part: Part, input: &StepInput<'_>, points: Points<'_>, rows: &mut [PgsRow], busy: &mut Vec<u32>, settled: f32,
        is_settled: &mut bool)
}

#[inline(always)]
fn sweep_in(
    part: Part,
    input: &StepInput<'_>,
    points: Points<'_>,
    rows: &mut [PgsRow],
    busy: &mut Vec<u32>,
    settled: f32,
    is_settled: &mut bool,
) {
    let mut sweeping = Sweeping { input, points, settled, is_settled: true };
    match part {
        Part::First => {
            busy.clear();
            for (k, row) in rows.iter_mut().enumerate() {
                sweeping.ask(row);
                if row.given > 0.0 || row.push_speed > 0.0 {
                    busy.push(k as u32);
                }
            }
        }
        Part::Busy => {
            for &k in busy.iter() {
                sweeping.ask(&mut rows[k as usize]);
            }
        }
        Part::Last => {
            for row in rows {
                sweeping.ask(row);
            }
        }
    }
    *is_settled = sweeping.is_settled;
}

/// A sweep on its way. What it asks is compiled into it, for the registers that it is compiled for.
struct Sweeping<'a> {
    input: &'a StepInput<'a>,
    points: Points<'a>,
    settled: f32,
    is_settled: bool,
}

impl Sweeping<'_> {
    #[inline(always)]
    fn ask(&mut self, row: &mut PgsRow) {
        // By how much the relative velocity changed matters only as long as none has changed by too much.
        if let Some(change) = row.answer(self.input, self.points.velocities)
            && self.is_settled
            && change.length() / row.mass > self.settled
        {
            self.is_settled = false;
        }
        row.push(self.points.pushed);
    }
}

impl PgsRow {
    /// A point of a body against an obstacle. None where nothing can move or touch.
    fn ground(
        contact: &Contact,
        body: &Body,
        state: &BodyState,
        [first, nobody]: [u32; 2],
        input: &StepInput<'_>,
        with: With,
    ) -> Option<Self> {
        let flesh = &body.model.flesh;
        // Bodies that take part have a surface of single points.
        let point = flesh.anchors.single(contact.at)?;
        let gap_m = contact.gap_before(state.x[point], input.h_secs);
        let speed = (state.v[point] - contact.surface_velocity).dot(contact.normal);
        if gap_m + speed * input.h_secs > CONTACT.vertex_pgs.far * body.size_m {
            return None;
        }
        let gain = body.hold.inverse_mass(flesh, point);
        let meeting = Meeting::new(contact.normal, gain, gap_m, input.h_secs, -gap_m)?;
        let points = [first + point as u32, nobody, nobody, nobody];
        let even = contact.friction.even_coefficient();
        let row = Self::new(&meeting, even, points, [1.0, 0.0, 0.0, 0.0], [gain, 0.0, 0.0, 0.0], with);
        Some(Self { is_still: contact.surface_velocity == DVec3::ZERO, ..row })
    }

    /// A vertex of a body against a face of another, or edges against each other. None where nothing can move, and for what cannot touch within the
    /// interval.
    fn pair(
        contact: &BodyContact,
        bodies: &[Body],
        states: &[BodyState],
        first: &[u32],
        input: &StepInput<'_>,
        with: With,
    ) -> Option<Self> {
        let [mine, theirs] = [contact.vertex.body, contact.face.body].map(|body| body.0 as usize);
        let apart = |of: fn(&BodyState) -> &[DVec3]| {
            (contact.vertex.at(of(&states[mine])), contact.face.at(of(&states[theirs])))
        };
        let (x, y) = apart(|state| &state.x);
        let (v, w) = apart(|state| &state.v);
        let gap_m = contact.gap_at(x, y);
        let size_m = bodies[mine].size_m.min(bodies[theirs].size_m);
        if gap_m + (v - w).dot(contact.normal) * input.h_secs > CONTACT.vertex_pgs.far * size_m {
            return None;
        }
        let (of_vertex, dofs, weights) = contact.corners();
        let body = |k: usize| if k < of_vertex { mine } else { theirs };
        let gains = [0, 1, 2, 3].map(|k: usize| {
            let Body { model, hold, .. } = &bodies[body(k)];
            weights[k] * hold.inverse_mass(&model.flesh, dofs[k] as usize)
        });
        let inverse_mass = (0..4).map(|k| weights[k] * gains[k]).sum();
        let repair_m = (-gap_m * CONTACT.vertex_pgs.repair).min(CONTACT.vertex_pgs.max_repair * size_m);
        let meeting = Meeting::new(contact.normal, inverse_mass, gap_m, input.h_secs, repair_m)?;
        let points = [0, 1, 2, 3].map(|k: usize| first[body(k)] + dofs[k]);
        let even = |side: usize| contact.friction[side].even_coefficient();
        let friction = even(0).zip(even(1)).map(|(a, b)| (a * b).sqrt());
        Some(Self::new(&meeting, friction, points, weights, gains, with))
    }

    fn new(
        meeting: &Meeting,
        friction: Option<f64>,
        points: [u32; 4],
        weights: [f64; 4],
        gains: [f64; 4],
        with: With,
    ) -> Self {
        Self {
            normal: small(meeting.normal),
            across: Vec3A::ZERO,
            mass: meeting.mass_kg as f32,
            least_speed: meeting.least_speed as f32,
            push_speed: meeting.push_speed as f32,
            friction: friction.map_or(-1.0, |friction| friction as f32),
            given: 0.0,
            push: 0.0,
            points,
            weights: weights.map(|weight| weight as f32),
            gains: gains.map(|gain| gain as f32),
            is_still: false,
            with,
        }
    }

    /// Changes both velocities as [`crate::contact::Impulse::answer`] does; returns the impulse that it added, if there was anything to answer.
    #[inline(always)]
    fn answer(&mut self, input: &StepInput<'_>, velocities: &mut [Vec3A]) -> Option<Vec3A> {
        let v = if self.is_still {
            velocities[self.points[0] as usize]
        } else {
            self.relative(velocities) - self.surface_velocity(input)
        };
        let (speed, before) = (v.dot(self.normal), self.given);
        let given = before - (speed - self.least_speed) * self.mass;
        if !(given > 0.0 || before > 0.0) {
            return None;
        }
        self.given = given.max(0.0);
        let wanted = self.across - (v - self.normal * speed) * self.mass;
        let across =
            if self.friction < 0.0 { self.held(input, wanted) } else { within(wanted, self.friction * self.given) };
        let change = self.normal * (self.given - before) + (across - self.across);
        self.across = across;
        self.act(change, velocities);
        Some(change)
    }

    /// The same for the velocity of pushes, along the normal.
    #[inline(always)]
    fn push(&mut self, pushed: &mut [Vec3A]) {
        if self.push_speed > 0.0 {
            let v = if self.is_still { pushed[self.points[0] as usize] } else { self.relative(pushed) };
            let speed = v.dot(self.normal);
            let before = self.push;
            self.push = (before + (self.push_speed - speed) * self.mass).max(0.0);
            self.act(self.normal * (self.push - before), pushed);
        }
    }

    #[inline(always)]
    fn relative(&self, velocities: &[Vec3A]) -> Vec3A {
        let of = |k: usize| velocities[self.points[k] as usize] * self.weights[k];
        (of(0) + of(1)) + (of(2) + of(3))
    }

    #[inline(always)]
    fn act(&self, impulse: Vec3A, velocities: &mut [Vec3A]) {
        if self.is_still {
            velocities[self.points[0] as usize] += impulse * self.gains[0];
            return;
        }
        for k in 0..4 {
            velocities[self.points[k] as usize] += impulse * self.gains[k];
        }
    }

    #[inline(always)]
    fn surface_velocity(&self, input: &StepInput<'_>) -> Vec3A {
        match self.with {
            With::Obstacle { body, contact } => small(input.contacts[body as usize][contact as usize].surface_velocity),
            With::Body { .. } => Vec3A::ZERO,
        }
    }

    /// What friction with a direction does of an impulse across the normal. The slide that it holds against is the one there
    /// would be without it.
    #[inline(never)]
    fn held(&self, input: &StepInput<'_>, wanted: Vec3A) -> Vec3A {
        match self.with {
            With::Obstacle { body, contact } => {
                let contact = &input.contacts[body as usize][contact as usize];
                small(contact.held(wanted.as_dvec3(), f64::from(self.given)))
            }
            With::Body { contact } => {
                let friction = input.touching[contact as usize].friction_against(-wanted.as_dvec3());
                within(wanted, friction as f32 * self.given)
            }
        }
    }
}

/// No longer than `most`.
#[inline(always)]
fn within(wanted: Vec3A, most: f32) -> Vec3A {
    let square = wanted.length_squared();
    if square > most * most { wanted * (most / square.sqrt()) } else { wanted }
}

fn small(v: DVec3) -> Vec3A {
    Vec3A::new(v.x as f32, v.y as f32, v.z as f32)
}
