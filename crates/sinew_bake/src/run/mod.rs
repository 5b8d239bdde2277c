//! A run: a performance under way, and everything needed to perform it again.
//!
//! One type serves whoever performs a scene. A bake steps a run frame by frame and writes it to a take as it
//! goes. The studio steps one as the user plays, goes back in it, edits the scene under it, and keeps it as a
//! take at the end ([`Run::write`]). In both the log of live inputs is part of the run: a step plays the
//! inputs that are logged for its tick, whether a hand gave them just now ([`Run::give`]) or an hour ago.
//!
//! A run is made of *spans*, one for each text of the scene. An edit under way begins another span at its
//! frame: what was performed before stays as its own text made it, states included, so that a take of the run
//! can be baked again to the same hash.
//!
//! Exact states are kept for every frame until they take too much room; then every second one goes. The last
//! states before trouble ([`Trail`]) are kept for every substep, if that is asked for.

mod reschedule;
mod trail;
mod write;

pub use reschedule::Scripts;
pub(crate) use trail::Trail;

use crate::take::TakeHeader;
use sinew_solve::{Input, Measure, Residual, StageState, StepError, StepReport, Warning};
use sinew_stage::{Clock, Stage, StageOutline};
use std::collections::BTreeMap;
use std::sync::Arc;

/// What performs a run.
pub trait Performer {
    /// One substep. On an error `state` is unspecified.
    fn step(&mut self, state: &mut StageState, input: &[Input]) -> Result<&StepReport, StepError>;

    /// A state of another stage as one of this; none where that cannot be.
    fn carry(&self, from: &StageOutline, state: &StageState) -> Option<StageState>;

    /// Its state at the scene's first frame.
    fn first_state(&self) -> StageState;
}

impl Performer for Stage {
    fn step(&mut self, state: &mut StageState, input: &[Input]) -> Result<&StepReport, StepError> {
        Self::step(self, state, input)
    }

    fn carry(&self, from: &StageOutline, state: &StageState) -> Option<StageState> {
        self.transfer_from(from, state)
    }

    fn first_state(&self) -> StageState {
        Self::first_state(self)
    }
}

/// What a span of a run is performed by: the scene as takes name it, and what the states of its stage mean.
#[derive(Debug, Clone)]
pub struct Staging {
    pub made_of: Arc<TakeHeader>,
    /// None for a performer that is no stage; its scene cannot be edited under way.
    pub outline: Option<Arc<StageOutline>>,
}

/// Frames of one text of the scene.
#[derive(Debug, Clone)]
struct RunSpan {
    staging: Staging,
    /// The frame at which it took over, and the state there in its own terms.
    from: i32,
    start: Arc<StageState>,
}

/// How much a run keeps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RunLimits {
    /// Of exact states; every second one goes when there are more.
    pub state_bytes: usize,
}

impl RunLimits {
    /// Of a run that is written to a take as it goes.
    pub const NO_STATES: Self = Self { state_bytes: 0 };
}

/// A performance under way.
#[derive(Debug, Clone)]
pub struct Run {
    clock: Clock,
    limits: RunLimits,
    /// Never empty. The last one is of the present text.
    spans: Vec<RunSpan>,
    /// The present state, in the terms of the last span, and its frame.
    state: StageState,
    at: i32,
    /// The last frame that was performed; states and inputs after it are forgotten.
    reached: i32,
    /// The state before the frame that is being performed.
    before: StageState,
    /// Kept states by frame, each in the terms of the span that performed it.
    states: BTreeMap<i32, Arc<StageState>>,
    keep_every: i32,
    inputs: BTreeMap<u64, Vec<Input>>,
    warnings: Vec<Warning>,
    /// What was measured at frames.
    measures: BTreeMap<i32, Vec<Measure>>,
    trail: Option<Trail>,
}

impl Run {
    /// Begins at `frame`, whose state is `state`.
    pub fn begin(staging: Staging, frame: i32, state: StageState, limits: RunLimits) -> Self {
        let start = Arc::new(state.clone());
        Self {
            clock: staging.made_of.clock,
            limits,
            spans: vec![RunSpan { staging, from: frame, start: start.clone() }],
            before: state.clone(),
            state,
            at: frame,
            reached: frame,
            states: BTreeMap::from([(frame, start)]),
            keep_every: 1,
            inputs: BTreeMap::new(),
            warnings: Vec::new(),
            measures: BTreeMap::new(),
            trail: None,
        }
    }

    /// With inputs that were logged before and are to be played again.
    pub fn with_inputs(mut self, inputs: impl IntoIterator<Item = (u64, Vec<Input>)>) -> Self {
        self.inputs.extend(inputs);
        self
    }

    /// Keeps the exact states of the last substeps before trouble.
    pub(crate) fn with_trail(mut self) -> Self {
        self.trail = Some(Trail::default());
        self
    }

    /// The frame it began at.
    pub fn first_frame(&self) -> i32 {
        self.spans[0].from
    }

    /// The last frame that was performed.
    pub fn reached(&self) -> i32 {
        self.reached
    }

    /// The frame of [`Run::state`].
    pub fn at(&self) -> i32 {
        self.at
    }

    pub fn state(&self) -> &StageState {
        &self.state
    }

    /// Whether frames before the present one were made by another text of the scene, or are not part of it.
    pub fn is_edited(&self) -> bool {
        self.spans.len() > 1 || self.first_frame() > self.clock.first_frame
    }

    /// Whether the present text of the scene made this frame.
    pub fn is_of_present_text(&self, frame: i32) -> bool {
        frame <= self.reached && (self.spans.len() == 1 || frame > self.present().from)
    }

    pub(crate) fn trail(&self) -> Option<&Trail> {
        self.trail.as_ref()
    }

    pub(crate) fn inputs_at(&self, tick: u64) -> &[Input] {
        self.inputs.get(&tick).map_or(&[], Vec::as_slice)
    }

    /// Warnings of the frame that was performed last.
    pub fn warnings_of_frame(&self) -> &[Warning] {
        let first = self.clock.tick_of(self.reached).saturating_sub(u64::from(self.clock.substeps));
        &self.warnings[self.warnings.partition_point(|warning| warning.tick < first)..]
    }

    /// What directors measured at a frame, and the residuals of bodies whose step ended far from equilibrium.
    pub fn measures(&self, frame: i32) -> &[Measure] {
        self.measures.get(&frame).map_or(&[], Vec::as_slice)
    }

    /// Logs live inputs, which act from the present state on.
    pub fn give(&mut self, input: &[Input]) {
        if self.at < self.reached {
            self.forget_after(self.at);
        }
        if !input.is_empty() {
            self.inputs.entry(self.state.tick).or_default().extend_from_slice(input);
        }
    }

    /// Performs the frame after the present one. What was performed after it before is forgotten. On an error
    /// the run is as it was before the frame, without the inputs that led to it.
    pub fn step_frame(&mut self, performer: &mut (impl Performer + ?Sized)) -> Result<(), StepError> {
        if self.at < self.reached {
            self.forget_after(self.at);
        }
        self.before.copy_from(&self.state);
        if let Err(error) = self.step_over_frame(performer, true) {
            self.forget_after(self.at);
            self.state.copy_from(&self.before);
            return Err(error);
        }
        self.at += 1;
        self.reached = self.at;
        self.keep_state();
        Ok(())
    }

    fn step_over_frame(&mut self, performer: &mut (impl Performer + ?Sized), is_new: bool) -> Result<(), StepError> {
        let told_before = self.warnings.len();
        let mut measured = Vec::new();
        for substep in 1..=self.clock.substeps {
            let input = self.inputs.get(&self.state.tick).map_or(&[][..], Vec::as_slice);
            if let Some(trail) = self.trail.as_mut().filter(|_| is_new) {
                trail.note(&self.state);
            }
            let stepped = performer.step(&mut self.state, input);
            let is_smooth = matches!(&stepped, Ok(report) if report.retries == 0);
            if let Some(trail) = self.trail.as_mut().filter(|_| is_new && !is_smooth) {
                trail.end_here();
            }
            let report = stepped?;
            if is_new {
                add_new(&mut self.warnings, told_before, &report.warnings);
                if substep == self.clock.substeps {
                    measured = measured_in(report);
                }
            }
        }
        if is_new && !measured.is_empty() {
            self.measures.insert(self.at + 1, measured);
        }
        Ok(())
    }

    fn keep_state(&mut self) {
        /// Two f64 vectors a point and a rotation or so of solver memory.
        const POINT_BYTES: usize = 96;
        if self.limits.state_bytes == 0 || (self.at - self.first_frame()) % self.keep_every != 0 {
            return;
        }
        self.states.insert(self.at, Arc::new(self.state.clone()));
        let state_bytes = POINT_BYTES * self.state.bodies.iter().map(|body| body.x.len()).sum::<usize>();
        while self.states.len() > 1 && self.states.len() * state_bytes > self.limits.state_bytes {
            self.keep_every = self.keep_every.saturating_mul(2);
            let (first, every) = (self.first_frame(), self.keep_every);
            // A span's own beginning is what its frames are simulated from.
            let spans = &self.spans;
            let begins = |frame: i32| spans.iter().any(|span| span.from == frame);
            let before = self.states.len();
            self.states.retain(|frame, _| (frame - first) % every == 0 || begins(*frame));
            if self.states.len() == before && self.states.len() <= self.spans.len() + 1 {
                break;
            }
        }
    }

    /// Makes the present state that of a frame which the present text made: the nearest kept one, stepped on
    /// with the logged inputs. Frames of earlier texts have no state to be present ([`Run::edit`],
    /// [`Run::rewind`] go on from them).
    pub fn seek(&mut self, frame: i32, performer: &mut (impl Performer + ?Sized)) -> Result<(), StepError> {
        let span = self.present();
        if self.at == frame || frame < span.from || frame > self.reached {
            return Ok(());
        }
        let kept = self.states.range(..=frame).next_back().filter(|(kept, _)| **kept > span.from);
        let (from, state) = kept.map_or((span.from, &span.start), |(frame, state)| (*frame, state));
        let state = state.clone();
        self.state.copy_from(&state);
        self.at = i32::MIN;
        for _ in from..frame {
            self.step_over_frame(performer, false)?;
        }
        self.at = frame;
        Ok(())
    }

    /// Another text of the scene from `frame` on, performed by `performer`. What was performed after it is
    /// forgotten. The frame that it takes over at is an earlier one where no exact state is left of this;
    /// none where its bodies cannot go on at all.
    ///
    /// At a frame of the present text call [`Run::seek`] before, with the stage of that text.
    pub fn edit(&mut self, frame: i32, staging: Staging, performer: &(impl Performer + ?Sized)) -> Option<i32> {
        let (frame, outline, before) = self.performed(frame)?;
        let is_beginning = frame == self.first_frame();
        let start = if is_beginning && frame == self.clock.first_frame {
            performer.first_state()
        } else {
            performer.carry(outline?.as_ref(), &before)?
        };
        let start = Arc::new(start);
        self.forget_after(frame);
        self.spans.retain(|span| span.from < frame);
        self.clock = staging.made_of.clock;
        let is_same = |last: &RunSpan| last.staging.made_of == staging.made_of && *start == *before;
        let goes_on = self.spans.last().is_some_and(is_same);
        self.states.insert(frame, if is_beginning { start.clone() } else { before });
        self.state.copy_from(&start);
        if !goes_on {
            self.spans.push(RunSpan { staging, from: frame, start });
        }
        (self.at, self.reached) = (frame, frame);
        Some(frame)
    }

    /// Goes back to a frame and forgets what came after it. The frame that it is at then is an earlier one
    /// where another text made this frame and no exact state is left of it.
    pub fn rewind(&mut self, frame: i32, performer: &mut (impl Performer + ?Sized)) -> Result<i32, StepError> {
        let frame = frame.min(self.reached);
        let present = self.present();
        if frame >= present.from {
            self.forget_after(frame);
            self.seek(frame, performer)?;
            return Ok(frame);
        }
        let staging = present.staging.clone();
        Ok(self.edit(frame, staging, performer).unwrap_or(self.at))
    }

    /// The state of a frame in terms of the present text, where it was kept.
    pub fn state_at(&self, frame: i32, performer: &(impl Performer + ?Sized)) -> Option<Arc<StageState>> {
        let present = self.present();
        if frame == self.at {
            return Some(Arc::new(self.state.clone()));
        }
        match self.states.get(&frame)? {
            _ if frame == present.from => Some(present.start.clone()),
            state if frame > present.from => Some(state.clone()),
            state => {
                let span = self.spans.iter().rev().find(|span| span.from < frame).unwrap_or(&self.spans[0]);
                performer.carry(span.staging.outline.as_deref()?, state).map(Arc::new)
            }
        }
    }

    fn present(&self) -> &RunSpan {
        // A run begins with a span, and an edit that removes some adds one.
        &self.spans[self.spans.len() - 1]
    }

    /// The exact state at `frame`, or at the nearest frame before it of which there is one, as it was
    /// performed.
    fn performed(&self, frame: i32) -> Option<(i32, Option<Arc<StageOutline>>, Arc<StageState>)> {
        let present = self.present();
        if self.at == frame && (frame > present.from || self.spans.len() == 1) {
            return Some((frame, present.staging.outline.clone(), Arc::new(self.state.clone())));
        }
        let (&frame, state) = self.states.range(..=frame).next_back()?;
        let span = self.spans.iter().rev().find(|span| span.from < frame).unwrap_or(&self.spans[0]);
        Some((frame, span.staging.outline.clone(), state.clone()))
    }

    fn forget_after(&mut self, frame: i32) {
        let tick = self.clock.tick_of(frame);
        self.states.retain(|kept, _| *kept <= frame);
        self.inputs.retain(|logged, _| *logged < tick);
        self.warnings.retain(|warning| warning.tick < tick);
        self.measures.retain(|measured, _| *measured <= frame);
        self.reached = self.reached.min(frame);
    }
}

/// What directors measured, with the residuals that are worth a look.
fn measured_in(report: &StepReport) -> Vec<Measure> {
    /// Steps that end closer to equilibrium are as good as any.
    const SMALL_RESIDUAL: f64 = 0.01;
    let residual = |residual: &Residual| Measure {
        body: residual.body,
        director: String::new(),
        name: "residual".into(),
        unit: "1".into(),
        value: residual.share,
    };
    let far = report.residuals.iter().filter(|residual| residual.share > SMALL_RESIDUAL).map(residual);
    report.measures.iter().cloned().chain(far).collect()
}

/// What goes wrong in every substep is told once a frame.
fn add_new(warnings: &mut Vec<Warning>, since: usize, more: &[Warning]) {
    for warning in more {
        let told = warnings[since..].iter().any(|known| (known.body, &known.what) == (warning.body, &warning.what));
        if !told {
            warnings.push(warning.clone());
        }
    }
}
