//! Keys solved for one after the other, each from the state that the one before left.

use super::super::reach::value_at;
use super::super::{RefineError, RefinePicture, Refinement, Rehearsal, Rehearsed};
use super::anderson::Anderson;
use super::why::{Seen, Surroundings, why};
use super::{ExactKeys, ExactKeysError};
use crate::build::key_shapes;
use crate::keys::KeySamples;
use serde_json::json;
use sinew_direct::key_shapes::{ShapeCells, check_shape, unfold};
use sinew_math::DVec3;
use sinew_math::rotation::{best_fit_rotation, mass_centre};
use sinew_scene::model::{KeyShape, KeyShapes};
use sinew_scene::{Command, Direction};
use sinew_solve::{Flesh, StageState};
use sinew_stage::StageOutline;
use std::sync::Arc;

/// Tries for a key at most with one lead.
const MOST_TRIES: usize = 14;
/// Leads that are tried, as shares of the time since the key before.
const LEADS: [f64; 3] = [0.25, 0.5, 0.75];
/// What a lead of all of that time costs, as a share of what it leaves: a rest shape that waits does not move.
const LEAD_COST: f64 = 0.3;
/// Leads that rest shapes are found with.
const ATTEMPTS: usize = 2;
/// A try that leaves more than this times the least so far has gone astray.
const ASTRAY: f64 = 1.5;
/// Shares of a step that are tried where all of it would break elements.
const SHARES: [f64; 4] = [1.0, 0.5, 0.25, 0.1];
/// A rest shape whose broken elements are mended may be changed by so much by that, per cent of the body's size.
const MENDED_PERCENT: f64 = 1.0;

/// What a key is tried with, and what came of it.
#[derive(Debug, Clone)]
pub(super) struct Tried {
    rest: Vec<DVec3>,
    /// Frames.
    pub(super) lead: f64,
    /// The name that the rest shape is lent under; none is what the scene has.
    lent: Option<String>,
    missing: Vec<DVec3>,
    /// Per cent of the body's size.
    pub(super) residual: f64,
    /// At the key's frame.
    state: StageState,
    pub(super) seen: Seen,
    /// Steps towards the key would have broken elements of the rest shape.
    pub(super) is_held_back: bool,
}

/// A key that can be hit.
struct Key {
    /// Among those of the scene.
    number: usize,
    frame: i32,
    /// Frames since the key before, or since the scene's first frame.
    gap: f64,
    wished: Vec<DVec3>,
    /// As the scene has it.
    rest: Vec<DVec3>,
}

pub(super) struct Search<'s, 'a> {
    rehearsal: &'s mut Rehearsal<'a>,
    path: String,
    within_percent: f64,
    /// The body on the stage.
    body: usize,
    cells: Arc<ShapeCells>,
    flesh: Arc<Flesh>,
    keys: Vec<Key>,
    of_scene: Vec<KeyShape>,
    lent: u64,
    of: Arc<StageOutline>,
}

impl<'s, 'a> Search<'s, 'a> {
    pub(super) fn new(of: &ExactKeys, rehearsal: &'s mut Rehearsal<'a>) -> Result<Self, RefineError> {
        let none = || ExactKeysError::NoKeys { path: of.director.clone() };
        let (body_name, shapes) = find_keys(rehearsal, &of.director).ok_or_else(none)?;
        let Rehearsed { built, .. } = rehearsal.prepare()?;
        let bodies = built.stage.bodies();
        let is_it = |name: &str| name == body_name || name == format!("{body_name}-1");
        let body = bodies.iter().position(|body| is_it(&body.name)).ok_or_else(none)?;
        let (flesh, shelf) = (bodies[body].flesh.clone(), &built.shelves[body]);
        let made = key_shapes::make(&shapes, &flesh, shelf, &of.director)?;
        let (clock, of_stage) = (built.stage.clock(), Arc::new(built.stage.outline()));
        let (first, last) = (f64::from(clock.first_frame), f64::from(clock.last_frame));
        let can_be_hit = |frame: f64| frame.fract() == 0.0 && frame > first && frame <= last;
        let key = |number: usize| {
            let frame = shapes.keys[number].frame;
            let before = shapes.keys.iter().map(|key| key.frame).filter(|own| *own < frame);
            Key {
                number,
                frame: frame as i32,
                gap: frame - before.fold(first, f64::max),
                wished: made.key_shape(frame),
                rest: made.rest_shape(frame),
            }
        };
        let mut keys: Vec<Key> =
            (0..shapes.keys.len()).filter(|number| can_be_hit(shapes.keys[*number].frame)).map(key).collect();
        keys.sort_by_key(|key| key.frame);
        if keys.is_empty() {
            return Err(none().into());
        }
        let (path, within_percent, cells) = (of.director.clone(), of.within_percent, made.cells());
        Ok(Self {
            path,
            within_percent,
            body,
            cells,
            flesh,
            keys,
            of_scene: shapes.keys,
            lent: 0,
            of: of_stage,
            rehearsal,
        })
    }

    pub(super) fn frame(&self, key: usize) -> i32 {
        self.keys[key].frame
    }

    pub(super) fn runs(&self) -> u32 {
        self.rehearsal.runs()
    }

    pub(super) fn why(&self, key: usize, tried: &Tried) -> String {
        let Key { frame, gap, wished, .. } = &self.keys[key];
        let (flesh, cells, is_led) = (&*self.flesh, &*self.cells, self.is_led(f64::from(*frame)));
        let around = Surroundings { flesh, cells, frame: *frame, gap: *gap, is_led };
        why(&around, wished, tried)
    }

    /// Whether a path says at a frame where the body is.
    fn is_led(&self, frame: f64) -> bool {
        let name = self.path.strip_prefix("body.").and_then(|rest| rest.split('.').next());
        let scene = self.rehearsal.document().scene();
        let body = scene.bodies.iter().find(|body| Some(body.name.as_str()) == name);
        let leads = |director: &sinew_scene::Director| match &director.direction {
            Direction::Path(path) => {
                !director.mute && path.strength.0.value(frame) * director.weight.0.value(frame) > 0.0
            }
            _ => false,
        };
        body.is_some_and(|body| body.directors.iter().any(leads))
    }

    /// Performs the scene as it is, up to the last key.
    pub(super) fn perform_as_it_is(&mut self) -> Result<Vec<Tried>, RefineError> {
        let mut done: Vec<Tried> = Vec::new();
        for key in 0..self.keys.len() {
            done.push(self.perform(key, &done, self.as_it_is(key))?);
        }
        Ok(done)
    }

    fn as_it_is(&self, key: usize) -> (Vec<DVec3>, f64, bool) {
        (self.keys[key].rest.clone(), self.of_scene[self.keys[key].number].lead, true)
    }

    /// The best that was found for each key.
    pub(super) fn solve_in_turn(&mut self, before: &[Tried]) -> Result<Vec<Tried>, RefineError> {
        let mut done: Vec<Tried> = Vec::new();
        for (key, was) in before.iter().enumerate() {
            let is_as_before = done.iter().all(|tried| tried.lent.is_none());
            let start = match is_as_before {
                true => was.clone(),
                false => self.perform(key, &done, self.as_it_is(key))?,
            };
            let best = self.solve(key, &done, start)?;
            let Key { frame, .. } = self.keys[key];
            tracing::debug!(
                frame,
                residual = best.residual,
                lead = best.lead,
                runs = self.runs(),
                "a key is solved for"
            );
            done.push(best);
            self.offer(before, &done)?;
        }
        Ok(done)
    }

    /// Offers what is solved for so far, with later keys as they are; shows the last of it.
    fn offer(&mut self, before: &[Tried], done: &[Tried]) -> Result<(), RefineError> {
        let Some(last) = done.last() else { return Ok(()) };
        let picture =
            RefinePicture { frame: self.keys[done.len() - 1].frame, state: last.state.clone(), of: self.of.clone() };
        self.rehearsal.show(|| picture);
        if done.iter().any(|tried| tried.lent.is_some()) {
            let so_far = self.refinement(&before[..done.len()], done)?;
            self.rehearsal.offer(vec![so_far]);
        }
        Ok(())
    }

    /// Tries leads, and for those that come closest rest shapes, until one meets the key.
    fn solve(&mut self, key: usize, done: &[Tried], start: Tried) -> Result<Tried, RefineError> {
        if start.residual <= self.within_percent {
            return Ok(start);
        }
        let mut best = start.clone();
        for lead in self.leads(key, done, start)? {
            if best.residual <= self.within_percent {
                break;
            }
            let found = self.iterate(key, done, lead)?;
            if found.residual < best.residual {
                best = found;
            }
        }
        Ok(best)
    }

    /// Rest shapes with one lead: what is missing is added again and again.
    fn iterate(&mut self, key: usize, done: &[Tried], start: Tried) -> Result<Tried, RefineError> {
        let mut best = start;
        let (mut now, mut share, mut learnt) = (best.clone(), 1.0, Anderson::default());
        for _ in 0..MOST_TRIES {
            if best.residual <= self.within_percent {
                break;
            }
            let step = learnt.step(&now.rest, &now.missing, share, self.cells.mass_kg());
            let (rest, is_held_back) = self.possible(&now.rest, &step);
            now = Tried { is_held_back, ..self.perform(key, done, (rest, best.lead, false))? };
            tracing::debug!(frame = self.keys[key].frame, residual = now.residual, share, is_held_back, "a try");
            if now.residual < best.residual {
                best = now.clone();
            } else if now.residual > ASTRAY * best.residual {
                // Shorter steps from the best so far, with nothing learnt.
                (now, share, learnt) = (best.clone(), 0.5 * share, Anderson::default());
            }
        }
        Ok(best)
    }

    /// Leads in the order of how close the body comes by itself, while its rest shape is the key's own.
    fn leads(&mut self, key: usize, done: &[Tried], start: Tried) -> Result<Vec<Tried>, RefineError> {
        let (gap, wished) = (self.keys[key].gap, self.keys[key].wished.clone());
        let mut all = vec![start];
        for share in LEADS {
            let tried = self.perform(key, done, (wished.clone(), share * gap, false))?;
            tracing::debug!(frame = self.keys[key].frame, residual = tried.residual, lead = tried.lead, "a lead");
            all.push(tried);
        }
        let worth = |tried: &Tried| tried.residual * (1.0 + LEAD_COST * tried.lead / gap);
        all.sort_by(|a, b| worth(a).total_cmp(&worth(b)));
        all.truncate(ATTEMPTS);
        Ok(all)
    }

    /// Performs from the key before to this one.
    fn perform(
        &mut self,
        key: usize,
        done: &[Tried],
        (rest, lead, is_as_it_is): (Vec<DVec3>, f64, bool),
    ) -> Result<Tried, RefineError> {
        let mut lent = None;
        if !is_as_it_is {
            self.lent += 1;
            let name = format!("assets/try-{:032x}.npz", self.lent);
            self.rehearsal.lend(self.body, &[(name.clone(), Arc::new(rest.clone()))]);
            lent = Some(name);
        }
        let settings = done.iter().map(|tried| (&tried.lent, tried.lead)).chain([(&lent, lead)]).enumerate();
        let commands = settings
            .filter_map(|(key, (name, lead))| Some(self.commands(key, name.as_ref()?, lead)))
            .flatten()
            .collect();
        let from = done.last().map(|before| (self.keys[done.len() - 1].frame, &before.state));
        let change = Command::Batch { label: None, commands };
        let ended = self.rehearsal.perform_from(&change, from, self.keys[key].frame)?;
        let state = ended.run.state().clone();
        let missing = difference(&self.cells, &self.keys[key].wished, &state.bodies[self.body].x);
        let residual = 100.0 * self.cells.mean_length(&missing) / self.cells.size_m();
        let seen = Seen::of(&ended, self.body, &self.cells);
        Ok(Tried { rest, lead, lent, missing, residual, state, seen, is_held_back: false })
    }

    /// A rest shape and a lead for a key of the scene, and for which key they were found.
    fn commands(&self, key: usize, rest: &str, lead: f64) -> Vec<Command> {
        let Key { number, .. } = self.keys[key];
        let set = |word: &str, value: serde_json::Value| Command::Set {
            path: format!("{}.keys[{number}].{word}", self.path),
            value,
        };
        let own = &self.of_scene[number];
        let mark = KeyShape { lead, ..own.clone() }.rest_mark();
        let lead = (lead != own.lead).then(|| set("lead", json!(lead)));
        lead.into_iter().chain([set("rest", json!(rest)), set("rest_for", json!(mark))]).collect()
    }

    /// A rest shape changed by a step: broken elements are mended, or else the step is shortened. Tells whether it was.
    fn possible(&self, rest: &[DVec3], step: &[DVec3]) -> (Vec<DVec3>, bool) {
        let at = |share: f64| {
            let moved: Vec<DVec3> = rest.iter().zip(step).map(|(o, by)| *o + *by * share).collect();
            self.cells.without_rigid_motion(&moved)
        };
        for share in SHARES {
            let moved = at(share);
            if check_shape(&self.cells, &moved).is_ok() {
                return (moved, share < 1.0);
            }
            if let Ok((mended, Some(told))) = unfold(&self.cells, &moved)
                && told.moved_percent < MENDED_PERCENT
            {
                return (self.cells.without_rigid_motion(&mended), true);
            }
        }
        (rest.to_vec(), true)
    }

    pub(super) fn refinement(&self, before: &[Tried], after: &[Tried]) -> Result<Refinement, RefineError> {
        let (mut commands, mut assets, mut outcome, mut notes) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        for (key, (was, is)) in before.iter().zip(after).enumerate() {
            let frame = self.keys[key].frame;
            if is.lent.is_some() {
                let asset = KeySamples::of(&self.flesh, &is.rest).to_asset().map_err(ExactKeysError::KeyFile)?;
                commands.extend(self.commands(key, &asset.name, is.lead));
                assets.push(asset);
            }
            outcome.push((format!("residual at frame {frame} before"), "%".to_owned(), was.residual));
            outcome.push((format!("residual at frame {frame} after"), "%".to_owned(), is.residual));
            outcome.push((format!("lead at frame {frame}"), "frames".to_owned(), is.lead));
            if is.residual > self.within_percent {
                notes.push(self.why(key, is));
            }
        }
        let worst = |of: &[Tried]| of.iter().map(|tried| tried.residual).fold(0.0, f64::max);
        let (count, missed) = (after.len(), notes.len());
        let label = format!(
            "{} of {count} keys of {} within {} % of its size, {:.2} % off at most, {:.2} % before",
            count - missed,
            self.path,
            self.within_percent,
            worst(after),
            worst(before),
        );
        let word = if missed == 0 { "hit keys exactly" } else { "come closer to keys" };
        let command = Command::Batch { label: Some(word.to_owned()), commands };
        Ok(Refinement { label, command, outcome, notes, assets })
    }
}

/// What is missing from a body at `x` to the shape, in the shape's own frame.
fn difference(cells: &ShapeCells, wished: &[DVec3], x: &[DVec3]) -> Vec<DVec3> {
    let mass = cells.mass_kg();
    let back = best_fit_rotation(wished, x, mass).inverse();
    let (from, to) = (mass_centre(x, mass), mass_centre(wished, mass));
    x.iter().zip(wished).map(|(x, wished)| *wished - (to + back * (*x - from))).collect()
}

/// The body and the key shapes of a director at a path.
fn find_keys(rehearsal: &Rehearsal<'_>, path: &str) -> Option<(String, KeyShapes)> {
    let scene = rehearsal.document().scene();
    let json = serde_json::to_value(scene).ok()?;
    let name = path.strip_prefix("body.")?.split('.').next()?;
    let wanted = value_at(&json, path)?;
    let body = scene.bodies.iter().find(|body| body.name == name)?;
    let is_it = |director: &&sinew_scene::Director| serde_json::to_value(director).is_ok_and(|own| own == *wanted);
    match &body.directors.iter().find(is_it)?.direction {
        Direction::KeyShapes(shapes) => Some((name.to_owned(), shapes.clone())),
        _ => None,
    }
}
