//! The stage, and the life of one substep.

use crate::bounce::Arrivals;
use crate::contact_energy::Pushes;
use crate::contacts::StageContacts;
use crate::coupling::Coupling;
use crate::driven_in::DrivenIn;
use crate::gravity::strongest_gravity;
use crate::groups::{Group, first_state, group_by_method};
use crate::guard::Guard;
use crate::island_spin::IslandSpin;
use crate::pressed::LazyPressed;
use crate::reshape::Walls;
use crate::{
    BodySetup, Clock, DirectorSetup, Forward, FrictionTrack, Method, ObstacleTrack, Script, SetupError, Skin, World,
    diagnose, guard, path, reshape,
};
use sinew_direct::muscle::Canvas;
use sinew_solve::contact::CONTACT;
use sinew_solve::{
    BodyContact, BodyId, BodyState, Contact, Cues, Flesh, Input, Material, Now, Obstacle, StageState, StepError,
    StepInput, StepReport, StopFlag, Warning,
};
use std::ops::Range;
use std::sync::Arc;

/// An interval is cut into at most 2 to this power before a step is given up.
const MOST_HALVINGS: u32 = 6;

/// A body on the stage: what does not change while it runs.
pub struct StageBody {
    pub name: String,
    pub flesh: Arc<Flesh>,
    /// The flesh made ready for painted fields; copies share it.
    pub canvas: Arc<Canvas>,
    pub skin: Arc<Skin>,
    /// Its main colour, which may differ from that of its skin; none leaves it to the one who draws.
    pub colour: Option<[f32; 3]>,
    pub material: Material,
    pub method: Method,
    pub(crate) directors: Vec<DirectorSetup>,
    pub(crate) friction: FrictionTrack,
    pub(crate) friction_along: Arc<Forward>,
    pub(crate) restitution: f64,
    /// The diagonal of the box about its rest shape.
    pub(crate) size_m: f64,
    /// The kinetic energy of a motion that the guard never looks into.
    pub(crate) calm_j: f64,
    /// Whether its motion is given: its solver says that no impulse moves any of its points.
    pub(crate) is_given: bool,
}

pub struct Stage {
    pub(crate) clock: Clock,
    pub(crate) bodies: Vec<StageBody>,
    pub(crate) groups: Vec<Group>,
    pub(crate) obstacles: Vec<ObstacleTrack>,
    pub(crate) first: StageState,
    pub(crate) script: Script,
    pub(crate) pool: Arc<rayon::ThreadPool>,
    pub(crate) contacts: StageContacts,
    pub(crate) scratch: Scratch,
    pub(crate) report: StepReport,
    stop: StopFlag,
}

/// Buffers of a step.
pub(crate) struct Scratch {
    pub(crate) cues: Vec<Cues>,
    pub(crate) obstacles: Vec<Obstacle>,
    pub(crate) before: StageState,
    /// Bodies where the present part of an interval that was cut began; empty in its first.
    pub(crate) part: Vec<BodyState>,
    /// Bodies before a solve that may be done again.
    pub(crate) apart: Vec<BodyState>,
    /// How deep bodies lay in something as the present part began.
    pub(crate) pressed: LazyPressed,
}

impl Scratch {
    /// Bodies as the present part of the interval began.
    fn start(&self) -> &[BodyState] {
        if self.part.is_empty() { &self.before.bodies } else { &self.part }
    }
}

impl Stage {
    /// Puts bodies on stage, grouped by method; within a method they keep their order.
    pub fn new(world: World, mut bodies: Vec<BodySetup>) -> Result<Self, SetupError> {
        bodies.sort_by_key(|body| body.method.order());
        let groups = group_by_method(&bodies)?;
        let first = first_state(&groups, &bodies);
        let threads = world.threads.max(1);
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        let scratch = Scratch {
            cues: vec![Cues::default(); bodies.len()],
            obstacles: Vec::new(),
            before: first.clone(),
            part: Vec::new(),
            apart: Vec::new(),
            pressed: LazyPressed::default(),
        };
        let mut stage = Self {
            clock: world.clock,
            obstacles: world.obstacles,
            contacts: StageContacts::new(
                &bodies,
                groups.iter().map(|group| group.bodies.clone()),
                world.clock.secs(1, 0.0),
                strongest_gravity(&bodies, &first.bodies, world.clock),
            ),
            groups,
            first,
            script: Script::default(),
            bodies: bodies.into_iter().map(StageBody::from).collect(),
            pool: Arc::new(pool.map_err(|source| SetupError::Threads { threads, source })?),
            scratch,
            report: StepReport::default(),
            stop: StopFlag::default(),
        };
        stage.ask_what_is_given();
        Ok(stage)
    }

    /// Bodies that no impulse moves, as their solvers say.
    pub(crate) fn ask_what_is_given(&mut self) {
        for group in &self.groups {
            group.bodies.clone().for_each(|body| self.bodies[body].is_given = group.is_given(body));
        }
    }

    /// What abandons steps from now on: once the flag is set, a step ends with [`StepError::Stopped`] and leaves the state as it was.
    /// A flag that is never set changes nothing.
    pub fn stop_by(&mut self, stop: StopFlag) {
        self.stop = stop;
    }

    pub fn clock(&self) -> Clock {
        self.clock
    }

    pub fn bodies(&self) -> &[StageBody] {
        &self.bodies
    }

    /// The threads that steps run on. Many steps run inside it (`pool.install`) need not be handed over one by one.
    pub fn pool(&self) -> Arc<rayon::ThreadPool> {
        self.pool.clone()
    }

    /// The state at the first frame.
    pub fn first_state(&self) -> StageState {
        self.first.clone()
    }

    /// Contacts with obstacles in the last step, per body.
    pub fn contacts(&self) -> &[Vec<Contact>] {
        self.contacts.with_obstacles()
    }

    /// Contacts between bodies in the last step.
    pub fn body_contacts(&self) -> &[BodyContact] {
        self.contacts.between_bodies()
    }

    /// The obstacles as they stand at a tick.
    pub fn obstacles_at(&self, tick: u64) -> Vec<Obstacle> {
        let mut now = self.clock.interval(tick, 0, 1);
        now.end_frame = f64::from(self.clock.first_frame) + tick as f64 / f64::from(self.clock.substeps);
        self.obstacles.iter().map(|track| track.at(&now)).collect()
    }

    /// Elastic energy of a body, joule.
    pub fn energy(&self, body: BodyId, state: &BodyState, cues: &Cues) -> f64 {
        let body = body.0 as usize;
        let group = self.groups.iter().find(|group| group.bodies.contains(&body));
        group.map_or(0.0, |group| group.energy_j(body, state, cues))
    }

    /// One substep. A solve that gives no finite answer is tried again as 2, 4, 8 … shorter intervals, with directors
    /// asked again for each; the report says how often, and a warning names the body. On an error `state` is as before.
    /// `input` is what live hands do; what the scene's own events say comes before it.
    pub fn step(&mut self, state: &mut StageState, input: &[Input]) -> Result<&StepReport, StepError> {
        self.report.clear();
        self.scratch.before.copy_from(state);
        let with_own = self.script.with(state.tick, input);
        let input = with_own.as_deref().unwrap_or(input);
        let pool = self.pool.clone();
        let first = pool.install(|| self.halvings_for_speed(state));
        let (mut halvings, mut cuts) = (first, 0);
        loop {
            let warnings = self.report.warnings.len();
            let outcome = pool.install(|| self.step_parts(state, input, 1 << halvings));
            let error = match outcome {
                Ok(is_driven_in) if cuts == CONTACT.impact.max_cuts || !is_driven_in => break,
                Ok(_) => {
                    tracing::debug!(tick = state.tick, halvings, "a body is driven in: taken again in shorter parts");
                    self.report.warnings.truncate(warnings);
                    state.copy_from(&self.scratch.before);
                    (halvings, cuts) = (halvings + 1, cuts + 1);
                    continue;
                }
                Err(StepError::Stopped) => {
                    state.copy_from(&self.scratch.before);
                    return Err(StepError::Stopped);
                }
                Err(error) => error,
            };
            tracing::debug!(tick = state.tick, halvings, %error, "a step is tried again in shorter intervals");
            self.warn_of(&error, state.tick, halvings);
            state.copy_from(&self.scratch.before);
            halvings += 1;
            if halvings > first + cuts + MOST_HALVINGS {
                return Err(error);
            }
        }
        let StepReport { residuals, warnings, .. } = &mut self.report;
        warnings.extend(diagnose::of_residuals(&self.bodies, residuals, self.contacts.between_bodies(), state.tick));
        self.warn_of_laws(state);
        if state.tick == 0 && (!self.obstacles.is_empty() || self.bodies.len() > 1) {
            self.report.warnings.extend(diagnose::of_collapse(&self.bodies, self.contacts.gravity_m_s2(), state.tick));
        }
        self.report.retries = halvings - first - cuts;
        tracing::trace!(tick = state.tick, parts = 1u32 << halvings, "stepped");
        state.tick += 1;
        self.measure(state);
        Ok(&self.report)
    }

    /// Answers whether a body was driven into an obstacle.
    fn step_parts(&mut self, state: &mut StageState, input: &[Input], parts: u32) -> Result<bool, StepError> {
        let mut is_driven_in = false;
        self.report.reactions.clear();
        self.report.residuals.clear();
        self.scratch.part.clear();
        for part in 0..parts {
            let now = self.clock.interval(state.tick, part, parts);
            // The whole interval has been looked at already.
            if parts > 1 {
                self.find_contacts(state, &now);
            }
            if self.stop.is_set() {
                return Err(StepError::Stopped);
            }
            self.ask_directors(state, if part == 0 { input } else { &[] }, &now)?;
            self.bounce(state, &now);
            self.solve(state, now.h_secs)?;
            self.draw_to_rest(state, &now);
            self.keep_to_paths(state, &now);
            self.restore_spin(state, &now);
            self.scratch.pressed.forget();
            self.guard(state, &now).check()?;
            self.pay_for_pushes(state, &now);
            is_driven_in |= self.is_driven_in(state, &now, parts);
            if part + 1 < parts {
                self.scratch.part.clone_from(&state.bodies);
            }
        }
        Ok(is_driven_in)
    }

    /// How often an interval is halved so that what meets in it is driven into each other by little: from the state alone. Leaves the contacts of the
    /// whole interval.
    fn halvings_for_speed(&mut self, state: &StageState) -> u32 {
        let now = self.clock.interval(state.tick, 0, 1);
        self.find_contacts(state, &now);
        self.contacts.halvings(&self.bodies, &state.bodies, now.h_secs)
    }

    fn find_contacts(&mut self, state: &StageState, now: &Now) {
        self.place_obstacles(now);
        self.contacts.find(&self.bodies, state, &self.scratch.obstacles, now);
    }

    /// Bodies that collide in the air keep their angular momentum together.
    fn restore_spin(&self, state: &mut StageState, now: &Now) {
        let spin = IslandSpin {
            bodies: &self.bodies,
            before: self.scratch.start(),
            cues: &self.scratch.cues,
            force_n: &|body| self.contacts.director_forces(body, &self.scratch.cues[body]),
            contacts: self.contacts.with_obstacles(),
            islands: self.contacts.islands(),
            h_secs: now.h_secs,
        };
        spin.restore(&mut state.bodies);
    }

    /// What bodies that lie deep in each other gained in being pushed out is taken from their speeds.
    fn pay_for_pushes(&self, state: &mut StageState, now: &Now) {
        let pushes = Pushes {
            bodies: &self.bodies,
            groups: &self.groups,
            before: self.scratch.start(),
            cues: &self.scratch.cues,
            force_n: &|body| self.contacts.director_forces(body, &self.scratch.cues[body]),
            contacts: self.contacts.with_obstacles(),
            touching: self.contacts.between_bodies(),
            islands: self.contacts.islands(),
            pressed: &self.scratch.pressed,
            h_secs: now.h_secs,
        };
        pushes.pay(&mut state.bodies);
    }

    /// What tells whether the interval ended with something that cannot be.
    fn guard<'a>(&'a self, state: &'a StageState, now: &Now) -> Guard<'a> {
        Guard {
            bodies: &self.bodies,
            groups: &self.groups,
            before: self.scratch.start(),
            after: &state.bodies,
            cues: &self.scratch.cues,
            contacts: self.contacts.with_obstacles(),
            touching: self.contacts.between_bodies(),
            islands: self.contacts.islands(),
            pressed: &self.scratch.pressed,
            h_secs: now.h_secs,
        }
    }

    /// Whether the interval drove a body into an obstacle, or stretched it by more than it came with.
    fn is_driven_in(&self, state: &StageState, now: &Now, parts: u32) -> bool {
        let driven_in = DrivenIn {
            bodies: &self.bodies,
            cues: &self.scratch.cues,
            before: self.scratch.start(),
            after: &state.bodies,
            obstacles: &self.scratch.obstacles,
            contacts: self.contacts.with_obstacles(),
            touching: self.contacts.between_bodies(),
            h_secs: now.h_secs,
            share: 1.0 / f64::from(parts),
        };
        driven_in.is_any() || self.guard(state, now).is_overstretched()
    }

    fn place_obstacles(&mut self, now: &Now) {
        self.scratch.obstacles.clear();
        self.scratch.obstacles.extend(self.obstacles.iter().map(|track| track.at(now)));
    }

    /// Bodies with a restitution that arrive somewhere in this interval turn back; those that are crushed there are told of.
    fn bounce(&mut self, state: &mut StageState, now: &Now) {
        let arrivals = Arrivals {
            bodies: &self.bodies,
            with_obstacles: self.contacts.with_obstacles(),
            between_bodies: self.contacts.between_bodies(),
            cues: &self.scratch.cues,
            h_secs: now.h_secs,
            most_speed: self.contacts.most_speeds(),
        };
        let hits = arrivals.hard_hits(&state.bodies, now.tick);
        arrivals.bounce(&mut state.bodies);
        for hit in hits {
            // Once for all parts of an interval.
            if !self.report.warnings.iter().any(|told| diagnose::is_same_hit(told, &hit)) {
                self.report.warnings.push(hit);
            }
        }
    }

    /// Every solver moves its bodies; those whose bodies touch another solver's do it again until what they do to each other fits.
    fn solve(&mut self, state: &mut StageState, h_secs: f64) -> Result<(), StepError> {
        if self.contacts.coupling().is_empty() {
            return self.solve_groups(state, h_secs, |_, _| true);
        }
        self.contacts.begin_coupling(&self.bodies, &self.groups, &state.bodies, &mut self.scratch.cues, h_secs);
        self.scratch.apart.clone_from(&state.bodies);
        self.solve_groups(state, h_secs, |coupling, group| !coupling.touches(group))?;
        let (reactions, warnings) = (self.report.reactions.len(), self.report.warnings.len());
        let residuals = self.report.residuals.len();
        loop {
            self.solve_groups(state, h_secs, Coupling::touches)?;
            if self.contacts.coupling().has_converged(&state.bodies, &mut self.scratch.cues) {
                break;
            }
            self.report.reactions.truncate(reactions);
            self.report.residuals.truncate(residuals);
            self.report.warnings.truncate(warnings);
            for group in self.groups.iter().filter(|group| self.contacts.coupling().touches(&group.bodies)) {
                let range = group.bodies.clone();
                state.bodies[range.clone()].clone_from_slice(&self.scratch.apart[range]);
            }
        }
        self.report.reactions.sort_by_key(|reaction| reaction.body.0);
        Ok(())
    }

    fn solve_groups(
        &mut self,
        state: &mut StageState,
        h_secs: f64,
        which: impl Fn(&Coupling, &Range<usize>) -> bool,
    ) -> Result<(), StepError> {
        for (number, group) in self.groups.iter_mut().enumerate() {
            let range = group.bodies.clone();
            if !which(self.contacts.coupling(), &range) {
                continue;
            }
            let input = StepInput {
                cues: &self.scratch.cues[range.clone()],
                contacts: &self.contacts.with_obstacles()[range.clone()],
                touching: self.contacts.within(number),
                h_secs,
                stop: Some(&self.stop),
            };
            let (reported, measured) = (self.report.reactions.len(), self.report.residuals.len());
            let warned = self.report.warnings.len();
            let offset = |body: BodyId| BodyId(body.0 + range.start as u32);
            group.solver.step(&mut state.bodies[range.clone()], &input, &mut self.report).map_err(
                |error| match error {
                    StepError::NotFinite { body, vertex } => StepError::NotFinite { body: offset(body), vertex },
                    other => other,
                },
            )?;
            for reaction in &mut self.report.reactions[reported..] {
                reaction.body = offset(reaction.body);
            }
            for residual in &mut self.report.residuals[measured..] {
                residual.body = offset(residual.body);
            }
            for warning in &mut self.report.warnings[warned..] {
                (warning.body, warning.tick) = (offset(warning.body), state.tick);
            }
        }
        Ok(())
    }

    /// Tangled bodies are drawn to their rest shapes.
    fn draw_to_rest(&mut self, state: &mut StageState, now: &Now) {
        for (i, cues) in self.scratch.cues.iter().enumerate() {
            let Some(reshape) = &cues.reshape else { continue };
            let flesh = &self.bodies[i].flesh;
            let contacts = &self.contacts.with_obstacles()[i];
            let normals = reshape::normals_towards(BodyId(i as u32), contacts, self.contacts.between_bodies());
            let walls = Walls { contacts, obstacles: &self.scratch.obstacles, normals };
            let group = self.groups.iter().find(|group| group.bodies.contains(&i));
            let energy_j = |state: &BodyState| group.map_or(0.0, |group| group.energy_j(i, state, cues));
            let is_drawn =
                reshape::draw_to_rest(flesh, cues, reshape, &walls, &mut state.bodies[i], now.h_secs, energy_j);
            if reshape.begins && is_drawn {
                let what =
                    "is tangled, with a tenth or more of it inside out, and is drawn back to its shape".to_owned();
                self.report.warnings.push(Warning { body: BodyId(i as u32), tick: state.tick, what });
            }
        }
    }

    fn keep_to_paths(&mut self, state: &mut StageState, now: &Now) {
        for group in &self.groups {
            for i in group.bodies.clone() {
                let (cues, flesh) = (&self.scratch.cues[i], &self.bodies[i].flesh);
                let Some(path) = cues.path else { continue };
                let others = if path.yields_to_contact {
                    path::Touching::of(i, self.contacts.between_bodies(), &state.bodies)
                } else {
                    Vec::new()
                };
                let residual = path::follow(
                    group.solver.as_ref(),
                    flesh,
                    cues,
                    &path,
                    &mut state.bodies[i],
                    now.h_secs,
                    path::InTheWay { obstacles: &self.scratch.obstacles, others: &others },
                );
                self.report.path_residual_m = self.report.path_residual_m.max(residual);
            }
        }
    }

    /// Tells of bodies that are pressed farther than their law of stretch holds.
    fn warn_of_laws(&mut self, state: &StageState) {
        let each = self.bodies.iter().zip(&state.bodies).zip(&self.scratch.cues).enumerate();
        let beyond =
            each.filter_map(|(number, ((body, now), cues))| diagnose::of_law(number, body, now, cues, state.tick));
        self.report.warnings.extend(beyond);
    }

    /// The name of the body that is at fault for a step without an answer, and in words what happened to it.
    pub fn blame(&self, error: &StepError) -> (String, String) {
        let (body, what) = diagnose::blame(error, &self.bodies);
        (self.bodies.get(body.0 as usize).map(|body| body.name.clone()).unwrap_or_default(), what)
    }

    fn warn_of(&mut self, error: &StepError, tick: u64, halvings: u32) {
        let (body, what) = diagnose::blame(error, &self.bodies);
        let what = format!("{what}; the interval is cut into {} parts", 2u32 << halvings);
        self.report.warnings.push(Warning { body, tick, what });
    }
}

impl From<BodySetup> for StageBody {
    fn from(setup: BodySetup) -> Self {
        let BodySetup { name, flesh, canvas, skin, colour, material, method, directors, .. } = setup;
        let BodySetup { friction, friction_along, restitution, .. } = setup;
        let size_m = flesh.size_m();
        Self {
            size_m,
            calm_j: guard::calm_j(flesh.total_mass_kg(), size_m),
            is_given: false,
            name,
            flesh,
            canvas,
            skin,
            colour,
            material,
            method,
            directors,
            friction,
            friction_along,
            restitution,
        }
    }
}
