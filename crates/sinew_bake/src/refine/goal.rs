//! A metaphor's goal: which force over time bends a body by 60° at frame 40, holds it there and lets it go without a swing; or, from inside, which
//! contraction of its rest shape.
//!
//! Iterative learning control with a model (Bristow, Tharayil, Alleyne, "A Survey of Iterative Learning Control", IEEE Control Systems
//! 2006): the force (or contraction) is a polyline over evenly spaced knots. The answer to one small bump, moved along in time, tells how every knot acts on
//! every frame. Each performance leaves a difference to what is wanted; least squares over the model give the next polyline. What the model
//! does not know (large turns, contact) is learnt from the next difference.

use super::reach::{rounded, value_at};
use super::{MeasureName, RefineError, RefinePicture, Refinement, Refiner, Rehearsal, SearchError};
use crate::build::metaphors::goal_of;
use crate::goal_stamp::goal_stamp;
use serde_json::{Value, json};
use sinew_direct::metaphor::Goal;
use sinew_math::dense::solve_symmetric;
use sinew_scene::model::{Act, GoalBy, Metaphor};
use sinew_scene::{Command, Direction, Director, Document};
use std::collections::BTreeMap;

/// Knots at most, ends included.
const MOST_KNOTS: i32 = 33;
/// Performances of whole curves at most.
const MOST_TRIES: u32 = 16;
/// How far off a goal may be while it is held, as a share of it.
const CLOSE: f64 = 0.01;
/// How far off the best force may leave it; what is farther is told as out of reach.
const MISSED: f64 = 0.05;
/// How far the body may swing beyond its rest after release, as a share of the goal.
const SWING: f64 = 0.03;
/// Performances in search of a first force at most.
const MOST_STRENGTHS: u32 = 20;
/// Share of the goal from which on an answer is told from rounding and slack.
const FELT: f64 = 0.02;
/// How little the polyline may bend against how well it must fit.
const BENDING: f64 = 1e-3;

/// Frames after release in which a body must not swing, at least.
const LEAST_TAIL: i32 = 24;

/// Finds what brings a metaphor to its goal, by the metaphor's path: `body.rabbit.director.ear`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReachGoal {
    pub director: String,
}

impl Refiner for ReachGoal {
    fn label(&self) -> String {
        format!("what meets the goal of {}", self.director)
    }

    fn refine(&self, rehearsal: &mut Rehearsal<'_>) -> Result<Vec<Refinement>, RefineError> {
        let mut search = Search::new(self, rehearsal)?;
        let strength = search.strength()?;
        let answer = search.answer(strength)?;
        let best = search.learn(strength, &answer)?;
        search.check(&best)?;
        Ok(vec![search.refinement(&best)?])
    }
}

/// Why a goal is not met.
#[derive(Debug, thiserror::Error)]
pub enum ReachGoalError {
    #[error("there is no metaphor with a goal at {path}")]
    NoGoal { path: String },
    #[error("{goal} {unit} is out of reach: {newton:.3} N at {path} brings it to {closest:.3} {unit}")]
    OutOfReach { goal: f64, unit: String, closest: f64, newton: f64, path: String },
    #[error(
        "{goal} {unit} is out of reach from inside: the best contraction at {path} brings it to {closest:.3} {unit}"
    )]
    ContractionOutOfReach { goal: f64, unit: String, closest: f64, path: String },
}

/// Degrees.
const HALF_A_TURN: f64 = 180.0;

impl SearchError for ReachGoalError {
    fn help(&self) -> Option<&str> {
        Some(match self {
            Self::NoGoal { .. } => {
                "name one, such as body.bar.director.bend, and give it goal = { amount = 60.0, from = 1, at = 40 }"
            }
            // Only a twist goes beyond half a turn.
            Self::OutOfReach { goal, unit, .. } if unit == "deg" && goal.abs() > HALF_A_TURN => {
                "a slender limb that is twisted by more than about 200 degrees buckles and coils up instead: ask for less, twist a thicker or shorter stretch of it, hold it or stretch it as well, or meet the goal from inside (by = \"inside\")"
            }
            Self::OutOfReach { .. } => {
                "ask for less, make its regions larger, set bounded = false, or meet the goal from inside (by = \"inside\")"
            }
            Self::ContractionOutOfReach { .. } => {
                "ask for less, give it more frames, or make the body stiffer or lighter"
            }
        })
    }
}

/// A polyline that was performed, and what it came to at every frame.
#[derive(Debug, Clone)]
struct Tried {
    /// Newton, or the unit of the goal from inside.
    knots: Vec<f64>,
    measured: Vec<f64>,
    /// The largest force that acted, within the material's bound.
    acted_n: f64,
    /// The mesh files that the stage was made of.
    mesh_hashes: BTreeMap<String, [u8; 32]>,
}

struct Search<'s, 'a> {
    rehearsal: &'s mut Rehearsal<'a>,
    /// The metaphor, and its number on its body.
    director: String,
    number: usize,
    by: GoalBy,
    /// Whether the director has a weight of 1 all along, so that what acts is the curve itself or the bound.
    is_in_full: bool,
    measure: MeasureName,
    unit: &'static str,
    goal: Goal,
    first: i32,
    /// The last frame that is looked at.
    last: i32,
    /// The shot's last frame, where the written force ends.
    scene_last: i32,
    /// Frames from one knot to the next; the first is at the goal's beginning.
    spacing: i32,
    knots: usize,
    /// Where the last performance has led.
    picture: Option<RefinePicture>,
}

impl<'s, 'a> Search<'s, 'a> {
    fn new(of: &ReachGoal, rehearsal: &'s mut Rehearsal<'a>) -> Result<Self, RefineError> {
        let scene = rehearsal.document().scene();
        let json = serde_json::to_value(scene).unwrap_or_default();
        let none = || ReachGoalError::NoGoal { path: of.director.clone() };
        let body = of.director.strip_prefix("body.").and_then(|rest| rest.split('.').next()).ok_or_else(none)?;
        let (number, director) = director_at(scene, &json, body, &of.director).ok_or_else(none)?;
        let Direction::Metaphor(metaphor) = &director.direction else { return Err(none().into()) };
        let goal = metaphor.goal.filter(|goal| goal.amount != 0.0).ok_or_else(none)?;
        let (name, unit) = measured_as(metaphor);
        let [first, scene_last] = scene.shot.frames;
        if goal.at > scene_last || goal.from < first {
            let frame = if goal.from < first { goal.from } else { goal.at };
            return Err(RefineError::OutsideScene { frame, first, last: scene_last });
        }
        // What lies beyond the scene is not performed, however long it is held.
        let end = goal.at.saturating_add(goal.hold).saturating_add(goal.release).min(scene_last);
        let tail = goal.release.clamp(LEAST_TAIL, 240);
        let length = (end + tail / 2 - goal.from).max(2);
        let spacing = (length + MOST_KNOTS - 2) / (MOST_KNOTS - 1);
        Ok(Self {
            director: of.director.clone(),
            number,
            by: goal.by,
            is_in_full: (first..=scene_last).all(|frame| director.weight.value(f64::from(frame)) == 1.0),
            measure: MeasureName { body: body.to_owned(), director: director.name_at(number), name: name.to_owned() },
            unit,
            goal: goal_of(&goal),
            first,
            last: (end + tail).min(scene_last),
            scene_last,
            spacing: spacing.max(1),
            knots: (length / spacing.max(1)) as usize + 1,
            picture: None,
            rehearsal,
        })
    }

    fn knot(&self, number: usize) -> f64 {
        self.goal.from + f64::from(self.spacing) * number as f64
    }

    fn frames(&self) -> impl Iterator<Item = i32> + use<> {
        self.first + 1..=self.last
    }

    /// Writes the polyline, as far as the shot goes: what reaches beyond it is cut at its last frame, and held.
    fn command(&self, values: &[f64]) -> Command {
        let end = f64::from(self.scene_last);
        let mut keys: Vec<(f64, f64)> = (0..self.knots).map(|number| (self.knot(number), values[number])).collect();
        let inside = keys.partition_point(|(at, _)| *at <= end);
        let is_cut = inside < keys.len();
        if let (true, &[.., (a, from), (b, to)]) = (is_cut, &keys[..(inside + 1).min(keys.len())]) {
            keys.truncate(inside);
            if a < end {
                keys.push((end, from + (to - from) * (end - a) / (b - a)));
            }
        }
        let keys: Vec<Value> = keys.into_iter().map(|(at, value)| json!([at, rounded(value)])).collect();
        let outside = if is_cut { "hold" } else { "zero" };
        Command::Set { path: self.path(), value: json!({ "keys": keys, "outside": outside }) }
    }

    /// The curve that is searched for, in the document.
    fn path(&self) -> String {
        let key = if self.by == GoalBy::Inside { "contraction" } else { "newton" };
        format!("{}.{key}", self.director)
    }

    fn perform(&mut self, knots: Vec<f64>, last: i32) -> Result<Tried, RefineError> {
        let command = self.command(&knots);
        let rehearsed = self.rehearsal.perform(&command, last)?;
        self.picture = Some(RefinePicture::of(&rehearsed));
        let frames = self.first + 1..=last;
        let measured = frames.clone().map(|frame| Ok(self.measure.of(&rehearsed, frame)?.0));
        let measured = measured.collect::<Result<_, RefineError>>()?;
        // What acted: the curve may ask for more than the material bears.
        let force = MeasureName { name: "force".to_owned(), ..self.measure.clone() };
        let acted = frames.filter_map(|frame| Some(force.of(&rehearsed, frame).ok()?.0.abs()));
        let acted_n = acted.fold(0.0, f64::max);
        // What is beyond the bound does nothing: a change has to begin at it.
        let is_told = self.by == GoalBy::Force && self.is_in_full && acted_n > 0.0;
        let knots = if is_told { knots.iter().map(|newton| newton.clamp(-acted_n, acted_n)).collect() } else { knots };
        Ok(Tried { knots, measured, acted_n, mesh_hashes: rehearsed.built.mesh_hashes })
    }

    /// The course of what is wanted, as a force that is `most` where it is held.
    fn course(&self, most: f64) -> Vec<f64> {
        let inner = 1..self.knots - 1;
        let at = |number: usize| {
            if inner.contains(&number) { most * self.goal.wanted(self.knot(number)) / self.goal.amount } else { 0.0 }
        };
        (0..self.knots).map(at).collect()
    }

    /// A force that comes near the goal: the course of what is wanted, made stronger until the body is about there. From inside it is the goal itself.
    fn strength(&mut self) -> Result<f64, RefineError> {
        if self.by == GoalBy::Inside {
            return Ok(self.goal.amount);
        }
        let last = (self.goal.at as i32).max(self.first + 2);
        let amount = self.goal.amount;
        let rest = *self.perform(self.course(0.0), last)?.measured.last().unwrap_or(&0.0);
        // The strongest force that still had more of an effect, what it had, and the weakest that had less.
        let (mut good, mut effect, mut bad) = (0.0, 0.0, f64::INFINITY);
        let mut newton = amount.signum();
        let (mut closest, mut acted_n) = (rest, 0.0);
        for _ in 0..MOST_STRENGTHS {
            let tried = self.perform(self.course(newton), last)?;
            let came = tried.measured.last().copied().unwrap_or(0.0);
            let moved = (came - rest) / (amount - rest);
            if (came - amount).abs() < (closest - amount).abs() {
                (closest, acted_n) = (came, tried.acted_n);
            }
            if (0.5..2.0).contains(&moved) {
                return Ok(newton / moved);
            }
            if moved > 1.05 * effect && moved < 2.0 || effect < FELT && moved <= effect && bad.is_infinite() {
                (good, effect) = (newton.abs(), moved.max(0.0));
            } else {
                // The material's bound, something in the way, or flesh that has folded over.
                bad = newton.abs();
            }
            if bad < 1.1 * good {
                break;
            }
            let wanted = if effect > FELT {
                (1.0 / effect).min(4.0)
            } else if effect > 0.0 {
                (FELT / effect).clamp(2.0, 1e3)
            } else {
                30.0
            };
            let next = if bad.is_finite() { (good.max(1e-3 * bad) * bad).sqrt() } else { good * wanted };
            newton = next * amount.signum();
        }
        Err(self.out_of_reach(closest, acted_n).into())
    }

    /// What one newton at the first inner knot does, frame by frame, from the goal's beginning on.
    fn answer(&mut self, strength: f64) -> Result<Vec<f64>, RefineError> {
        let none = self.perform(vec![0.0; self.knots], self.last)?;
        let mut bump = vec![0.0; self.knots];
        bump[1] = 0.3 * strength;
        let bumped = self.perform(bump, self.last)?;
        let from = (self.goal.from as i32 - self.first).max(1) as usize - 1;
        let pairs = bumped.measured.iter().zip(&none.measured).skip(from);
        Ok(pairs.map(|(with, without)| (with - without) / (0.3 * strength)).collect())
    }

    fn learn(&mut self, strength: f64, answer: &[f64]) -> Result<Tried, RefineError> {
        let mut best = self.perform(self.course(strength), self.last)?;
        self.offer(&best)?;
        let mut stiffness = 1.0;
        for _ in 0..MOST_TRIES {
            if self.off(&best) <= CLOSE && self.swing(&best) <= SWING {
                break;
            }
            let change = self.change(&best, answer, stiffness);
            let newton = best.knots.iter().zip(&change).map(|(now, by)| now + by).collect();
            let tried = self.perform(newton, self.last)?;
            let learnt = self.learnt(&best, &tried, answer);
            if self.cost(&tried) < self.cost(&best) {
                best = tried;
                self.offer(&best)?;
                stiffness = (stiffness * learnt).clamp(0.2, 5.0);
            } else {
                // Too far: the next step is shorter.
                stiffness = (1.6 * stiffness * learnt.max(1.0)).clamp(0.2, 20.0);
            }
        }
        Ok(best)
    }

    /// Offers the best polyline so far, where it comes near the goal, and shows where it has led.
    fn offer(&mut self, best: &Tried) -> Result<(), RefineError> {
        if let Some(picture) = self.picture.take() {
            self.rehearsal.show(|| picture);
        }
        if self.check(best).is_ok() {
            let so_far = self.refinement(best)?;
            self.rehearsal.offer(vec![so_far]);
        }
        Ok(())
    }

    /// How knot `number` acts on a frame, by the bump's answer moved along.
    fn acts(&self, answer: &[f64], number: usize, frame: i32) -> f64 {
        let since = frame - self.goal.from as i32 - self.spacing * (number as i32 - 1);
        usize::try_from(since).ok().and_then(|since| answer.get(since)).copied().unwrap_or(0.0)
    }

    /// Least squares: the change of the inner knots that takes most of the difference away and keeps the polyline smooth.
    fn change(&self, from: &Tried, answer: &[f64], stiffness: f64) -> Vec<f64> {
        let inner = self.knots - 2;
        let mut matrix = vec![0.0; inner * inner];
        let mut right = vec![0.0; inner];
        for (frame, measured) in self.frames().zip(&from.measured) {
            let row: Vec<f64> = (1..=inner).map(|knot| self.acts(answer, knot, frame) * stiffness).collect();
            let weight = self.weight(frame);
            let off = self.goal.wanted(f64::from(frame)) - measured;
            for (i, a) in row.iter().enumerate() {
                right[i] += weight * a * off;
                (0..inner).for_each(|j| matrix[j * inner + i] += weight * a * row[j]);
            }
        }
        let trace: f64 = (0..inner).map(|i| matrix[i * inner + i]).sum::<f64>() / inner as f64;
        // Second differences of the polyline as it will be, ends included.
        for middle in 1..=inner {
            let terms = [(middle - 1, 1.0), (middle, -2.0), (middle + 1, 1.0)];
            let bend: f64 = terms.iter().map(|(knot, weight)| weight * from.knots[*knot]).sum();
            let terms =
                terms.iter().filter(|(knot, _)| (1..=inner).contains(knot)).map(|(knot, weight)| (knot - 1, weight));
            for (i, a) in terms.clone() {
                right[i] -= BENDING * trace * a * bend;
                terms.clone().for_each(|(j, b)| matrix[j * inner + i] += BENDING * trace * a * b);
            }
        }
        solve_symmetric(&matrix, inner, &mut right);
        let finite = right.iter().all(|value| value.is_finite());
        let inner = if finite { right } else { vec![0.0; inner] };
        std::iter::once(0.0).chain(inner).chain([0.0]).collect()
    }

    /// What is held and what comes after release counts more.
    fn weight(&self, frame: i32) -> f64 {
        let frame = f64::from(frame);
        let is_held = frame >= self.goal.at && frame <= self.goal.at + self.goal.hold;
        if is_held {
            8.0
        } else if frame > self.goal.end() {
            3.0
        } else {
            1.0
        }
    }

    /// By which factor the body answered more than the model said.
    fn learnt(&self, before: &Tried, after: &Tried, answer: &[f64]) -> f64 {
        let (mut said_came, mut said_said) = (0.0, 0.0);
        for (number, frame) in self.frames().enumerate() {
            let by = |knot: usize| (after.knots[knot] - before.knots[knot]) * self.acts(answer, knot, frame);
            let said: f64 = (1..self.knots - 1).map(by).sum();
            said_came += said * (after.measured[number] - before.measured[number]);
            said_said += said * said;
        }
        if said_said > 0.0 { (said_came / said_said).clamp(0.3, 3.0) } else { 1.0 }
    }

    /// The largest difference while it is held, as a share of the goal.
    fn off(&self, tried: &Tried) -> f64 {
        let held = |frame: f64| frame >= self.goal.at && frame <= self.goal.at + self.goal.hold;
        let frames = self.frames().zip(&tried.measured).filter(|(frame, _)| held(f64::from(*frame)));
        frames.map(|(_, measured)| (measured / self.goal.amount - 1.0).abs()).fold(0.0, f64::max)
    }

    /// How far the body swings to the other side after release, as a share of the goal.
    fn swing(&self, tried: &Tried) -> f64 {
        let after = self.frames().zip(&tried.measured).filter(|(frame, _)| f64::from(*frame) > self.goal.end());
        after.map(|(_, measured)| -measured / self.goal.amount).fold(0.0, f64::max)
    }

    fn cost(&self, tried: &Tried) -> f64 {
        (self.off(tried) / CLOSE).max(self.swing(tried) / SWING)
    }

    /// Refuses what stays far from the goal: the material's bound, a rod that buckles, or something in the way.
    fn check(&self, best: &Tried) -> Result<(), RefineError> {
        if self.off(best) <= MISSED {
            return Ok(());
        }
        let at = self.frames().position(|frame| f64::from(frame) >= self.goal.at).unwrap_or(0);
        Err(self.out_of_reach(best.measured.get(at).copied().unwrap_or(0.0), best.acted_n).into())
    }

    fn out_of_reach(&self, closest: f64, newton: f64) -> ReachGoalError {
        let (goal, unit, path) = (self.goal.amount, self.unit.to_owned(), self.path());
        match self.by {
            GoalBy::Force => ReachGoalError::OutOfReach { goal, unit, closest, newton, path },
            GoalBy::Inside => ReachGoalError::ContractionOutOfReach { goal, unit, closest, path },
        }
    }

    /// The answer, with what it was found for.
    fn stamped(&self, best: &Tried) -> Result<Command, RefineError> {
        let command = self.command(&best.knots);
        let mut document = Document::parse(self.rehearsal.document().text(), "solved")?;
        document.apply(&command)?;
        let stamp = goal_stamp(document.scene(), &best.mesh_hashes, &self.measure.body, self.number);
        let stamp = Command::Set { path: format!("{}.solved_for", self.director), value: json!(stamp) };
        Ok(Command::Batch { label: None, commands: vec![command, stamp] })
    }

    fn refinement(&self, best: &Tried) -> Result<Refinement, RefineError> {
        let (off, swing) = (100.0 * self.off(best), 100.0 * self.swing(best));
        let Goal { amount, at, .. } = self.goal;
        let (peak, unit, with) = match self.by {
            GoalBy::Force => ("peak force", "N", best.acted_n),
            GoalBy::Inside => {
                ("peak contraction", self.unit, best.knots.iter().fold(0.0f64, |most, each| most.max(each.abs())))
            }
        };
        let outcome = [("off", "%", off), ("overshoot after release", "%", swing), (peak, unit, with)];
        Ok(Refinement {
            label: format!(
                "{} reaches {amount} {} at frame {at}, {off:.2} % off, {swing:.2} % overshoot, with {with:.4} {unit} at most",
                self.measure, self.unit
            ),
            command: self.stamped(best)?,
            outcome: outcome.map(|(name, unit, value)| (name.to_owned(), unit.to_owned(), value)).to_vec(),
            notes: Vec::new(),
            assets: Vec::new(),
        })
    }
}

/// The director at a path of the scene, and its number on the body.
fn director_at<'s>(
    scene: &'s sinew_scene::Scene,
    json: &Value,
    body: &str,
    path: &str,
) -> Option<(usize, &'s Director)> {
    let wanted = value_at(json, path)?;
    let number =
        value_at(json, &format!("body.{body}.director"))?.as_array()?.iter().position(|each| each == wanted)?;
    let body = scene.bodies.iter().find(|each| each.name == body)?;
    Some((number, body.directors.get(number)?))
}

/// Name and unit of what a metaphor measures.
fn measured_as(metaphor: &Metaphor) -> (&'static str, &'static str) {
    match metaphor.act {
        Act::Stretch { .. } => ("stretch", "%"),
        Act::Compress { .. } => ("compression", "%"),
        Act::Twist { .. } => ("twist", "deg"),
        Act::Bend { .. } => ("bend", "deg"),
        Act::Custom { .. } => ("", ""),
    }
}
