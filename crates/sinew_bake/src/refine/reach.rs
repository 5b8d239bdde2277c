//! Reaching a goal: which number of the scene makes a measured number what is wanted at a frame.
//!
//! The number is sampled over a range first. Wherever the measured number passes the goal between two
//! samples, the place is found by the ITP method (Oliveira, Takahashi, "An Enhancement of the Bisection
//! Method Average Performance Preserving Minmax Optimality", ACM TOMS 2020, with κ₁ = 0.2/(b − a), κ₂ = 2, n₀
//! = 1), which needs few performances where the answer is smooth and no more than bisection where it is not.
//! Several places are alternatives, the one with the least change first.

use super::{RefineError, RefinePicture, Refinement, Refiner, Rehearsal, Rehearsed, SearchError};
use serde_json::Value;
use sinew_math::rotation::mass_centre;
use sinew_scene::Command;
use std::ops::RangeInclusive;

/// Samples of the range, ends included.
const SAMPLES: u32 = 5;
/// Performances in one bracket at most.
const MOST_TRIES: u32 = 24;
/// Digits that a number in a scene is written with.
const DIGITS: i32 = 6;

/// Finds the value at `change` with which `measure` is `goal` at `frame`.
#[derive(Debug, Clone, PartialEq)]
pub struct Reach {
    /// A number of the scene, which is set; or a list or curve, all of whose values are multiplied.
    pub change: String,
    pub measure: MeasureName,
    pub goal: f64,
    pub frame: i32,
    /// Where to look: values of a number, factors of a list or curve.
    pub between: RangeInclusive<f64>,
    /// How close is close enough, as a share of the goal (of 1, where the goal is nearly 0).
    pub tolerance: f64,
}

/// Why no value does it.
#[derive(Debug, thiserror::Error)]
pub enum ReachError {
    #[error("there is no number or curve at {path}")]
    NoNumber { path: String },
    #[error("nothing is measured as {asked}; there is: {known}")]
    NoMeasure { asked: String, known: String },
    #[error(
        "{goal} {unit} is out of reach: {path} from {from} to {to} gives {least} to {most} {unit}, closest at {closest}"
    )]
    OutOfReach { goal: f64, unit: String, path: String, from: f64, to: f64, least: f64, most: f64, closest: f64 },
}

impl SearchError for ReachError {
    fn help(&self) -> Option<&str> {
        Some(match self {
            Self::NoNumber { .. } => "name a number of the scene, such as body.bar.director.push.newton",
            Self::NoMeasure { .. } => "name one of these, or BODY/centre_x, centre_y, centre_z or speed",
            Self::OutOfReach { .. } => "search further with --between, or change something else",
        })
    }
}

/// A measured number: `BODY/DIRECTOR/NAME`, or `BODY/NAME` for what every body has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MeasureName {
    pub body: String,
    pub director: String,
    pub name: String,
}

impl std::str::FromStr for MeasureName {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.split('/').collect::<Vec<_>>()[..] {
            [body, name] => Ok(Self { body: body.into(), director: String::new(), name: name.into() }),
            [body, director, name] => Ok(Self { body: body.into(), director: director.into(), name: name.into() }),
            _ => Err(format!("{text:?} is not BODY/DIRECTOR/NAME or BODY/NAME")),
        }
    }
}

impl std::fmt::Display for MeasureName {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let between = if self.director.is_empty() { "" } else { "/" };
        write!(f, "{}/{}{between}{}", self.body, self.director, self.name)
    }
}

impl Refiner for Reach {
    fn label(&self) -> String {
        format!("{} to {} at frame {}", self.measure, self.goal, self.frame)
    }

    fn refine(&self, rehearsal: &mut Rehearsal<'_>) -> Result<Vec<Refinement>, RefineError> {
        let scene = serde_json::to_value(rehearsal.document().scene()).unwrap_or_default();
        let no_number = || ReachError::NoNumber { path: self.change.clone() };
        let before = value_at(&scene, &self.change).filter(|value| has_number(value)).ok_or_else(no_number)?;
        let mut search = Search { reach: self, before, rehearsal, tried: Vec::new(), closest: None };
        search.sample()?;
        let mut found = Vec::new();
        for bracket in search.brackets() {
            found.push(search.close_in(bracket)?);
        }
        let unchanged = before.as_f64().unwrap_or(1.0);
        found.sort_by(|a, b| (a.at - unchanged).abs().total_cmp(&(b.at - unchanged).abs()));
        found.dedup_by(|a, b| a.at == b.at);
        if found.is_empty() {
            return Err(search.out_of_reach().into());
        }
        Ok(found.iter().map(|tried| search.refinement(tried)).collect())
    }
}

/// A value that was performed with.
#[derive(Debug, Clone, PartialEq)]
struct Tried {
    at: f64,
    measured: f64,
    unit: String,
}

struct Search<'s, 'a> {
    reach: &'s Reach,
    before: &'s Value,
    rehearsal: &'s mut Rehearsal<'a>,
    tried: Vec<Tried>,
    closest: Option<Tried>,
}

impl Search<'_, '_> {
    fn sample(&mut self) -> Result<(), RefineError> {
        let (from, to) = (*self.reach.between.start(), *self.reach.between.end());
        for n in 0..SAMPLES {
            let tried = self.perform(from + (to - from) * f64::from(n) / f64::from(SAMPLES - 1))?;
            self.tried.push(tried);
        }
        Ok(())
    }

    /// Neighbouring samples that the goal lies between.
    fn brackets(&self) -> Vec<[Tried; 2]> {
        let passes = |pair: &&[Tried]| self.off(&pair[0]) * self.off(&pair[1]) <= 0.0;
        self.tried.windows(2).filter(passes).map(|pair| [pair[0].clone(), pair[1].clone()]).collect()
    }

    fn off(&self, tried: &Tried) -> f64 {
        tried.measured - self.reach.goal
    }

    fn is_close(&self, tried: &Tried) -> bool {
        let size = if self.reach.goal.abs() > 1e-9 { self.reach.goal.abs() } else { 1.0 };
        self.off(tried).abs() <= self.reach.tolerance * size
    }

    /// The value in a bracket at which the goal is met, or the closest that was found.
    fn close_in(&mut self, [mut low, mut high]: [Tried; 2]) -> Result<Tried, RefineError> {
        let width = high.at - low.at;
        let smallest = width * 1e-6;
        let most_halvings = (width / (2.0 * smallest)).log2().ceil().max(0.0) + 1.0;
        let mut best = if self.off(&low).abs() < self.off(&high).abs() { low.clone() } else { high.clone() };
        for step in 0..MOST_TRIES {
            if self.is_close(&best) || high.at - low.at <= 2.0 * smallest {
                break;
            }
            let (a, b) = (low.at, high.at);
            let half = 0.5 * (a + b);
            let radius = smallest * (most_halvings - f64::from(step)).exp2() - 0.5 * (b - a);
            // The secant, drawn towards the middle by δ, and kept within the radius that bisection would
            // leave.
            let secant = (self.off(&high) * a - self.off(&low) * b) / (self.off(&high) - self.off(&low));
            let side = (half - secant).signum();
            let delta = 0.2 / width * (b - a) * (b - a);
            let truncated = if delta <= (half - secant).abs() { secant + side * delta } else { half };
            let next =
                if (truncated - half).abs() <= radius.max(0.0) { truncated } else { half - side * radius.max(0.0) };
            let tried = self.perform(next)?;
            if self.off(&tried).abs() < self.off(&best).abs() {
                best = tried.clone();
            }
            if self.off(&tried) * self.off(&low) > 0.0 { low = tried } else { high = tried }
        }
        Ok(best)
    }

    fn perform(&mut self, at: f64) -> Result<Tried, RefineError> {
        let at = rounded(at);
        let rehearsed = self.rehearsal.perform(&self.command(at), self.reach.frame)?;
        let (measured, unit) = self.reach.measure.of(&rehearsed, self.reach.frame)?;
        let tried = Tried { at, measured, unit };
        self.offer(&tried, &rehearsed);
        Ok(tried)
    }

    /// Offers the closest so far, and shows it.
    fn offer(&mut self, tried: &Tried, rehearsed: &Rehearsed) {
        if self.closest.as_ref().is_some_and(|closest| self.off(closest).abs() <= self.off(tried).abs()) {
            return;
        }
        self.closest = Some(tried.clone());
        let so_far = self.refinement(tried);
        self.rehearsal.offer(vec![so_far]);
        self.rehearsal.show(|| RefinePicture::of(rehearsed));
    }

    fn command(&self, at: f64) -> Command {
        let value = if self.before.is_number() { Value::from(at) } else { scaled(self.before, at) };
        Command::Set { path: self.reach.change.clone(), value }
    }

    fn refinement(&self, tried: &Tried) -> Refinement {
        let Reach { change, measure, .. } = self.reach;
        let how = if self.before.is_number() {
            format!("{change} = {}", tried.at)
        } else {
            format!("{change} × {}", tried.at)
        };
        Refinement {
            label: format!("{how}: {measure} is {:.6} {}", tried.measured, tried.unit),
            command: self.command(tried.at),
            outcome: vec![(measure.to_string(), tried.unit.clone(), tried.measured)],
            notes: Vec::new(),
            assets: Vec::new(),
        }
    }

    fn out_of_reach(&self) -> ReachError {
        let measured = || self.tried.iter().map(|tried| tried.measured);
        let closest = self.tried.iter().min_by(|a, b| self.off(a).abs().total_cmp(&self.off(b).abs()));
        ReachError::OutOfReach {
            goal: self.reach.goal,
            unit: self.tried.first().map(|tried| tried.unit.clone()).unwrap_or_default(),
            path: self.reach.change.clone(),
            from: *self.reach.between.start(),
            to: *self.reach.between.end(),
            least: measured().fold(f64::INFINITY, f64::min),
            most: measured().fold(f64::NEG_INFINITY, f64::max),
            closest: closest.map_or(0.0, |tried| tried.at),
        }
    }
}

impl MeasureName {
    /// The number and its unit at the last frame of a performance.
    pub(super) fn of(&self, rehearsed: &Rehearsed, frame: i32) -> Result<(f64, String), RefineError> {
        let Rehearsed { built, run } = rehearsed;
        let bodies = built.stage.bodies();
        if let Some(number) = bodies.iter().position(|body| body.name == self.body) {
            let is_it = |m: &&sinew_solve::Measure| {
                m.body.0 as usize == number && m.director == self.director && m.name == self.name
            };
            if let Some(measure) = run.measures(frame).iter().find(is_it) {
                return Ok((measure.value, measure.unit.to_string()));
            }
            let (state, mass) = (&run.state().bodies[number], &bodies[number].flesh.mass_kg);
            let centre = || mass_centre(&state.x, mass);
            match (&*self.director, &*self.name) {
                ("", "centre_x") => return Ok((centre().x, "m".to_owned())),
                ("", "centre_y") => return Ok((centre().y, "m".to_owned())),
                ("", "centre_z") => return Ok((centre().z, "m".to_owned())),
                ("", "speed") => return Ok((mass_centre(&state.v, mass).length(), "m/s".to_owned())),
                _ => {}
            }
        }
        let name = |measure: &sinew_solve::Measure| {
            let body = bodies.get(measure.body.0 as usize).map_or("", |body| &body.name).to_owned();
            let (director, name) = (measure.director.clone(), measure.name.to_string());
            Self { body, director, name }.to_string()
        };
        let known: Vec<String> = run.measures(frame).iter().map(name).collect();
        let known = if known.is_empty() { "nothing".to_owned() } else { known.join(", ") };
        Err(ReachError::NoMeasure { asked: self.to_string(), known }.into())
    }
}

/// The value that a path of a scene leads to. Names stand for entries of lists.
pub(super) fn value_at<'v>(scene: &'v Value, path: &str) -> Option<&'v Value> {
    let mut value = scene;
    for part in path.split('.') {
        let (name, mut rest) = part.split_at(part.find('[').unwrap_or(part.len()));
        value = match value {
            Value::Array(items) => {
                let named = |key: &str| items.iter().find(|item| item[key] == name);
                named("name").or_else(|| named("kind"))?
            }
            _ => value.get(name)?,
        };
        while let Some(inner) = rest.strip_prefix('[') {
            let (digits, after) = inner.split_once(']')?;
            value = value.get(digits.parse::<usize>().ok()?)?;
            rest = after;
        }
    }
    Some(value)
}

fn has_number(value: &Value) -> bool {
    match value {
        Value::Number(_) => true,
        Value::Array(items) => items.iter().any(has_number),
        Value::Object(curve) => curve.get("keys").is_some_and(has_number),
        _ => false,
    }
}

/// A list of numbers, each multiplied; of a curve's keys the values and not the frames.
fn scaled(value: &Value, factor: f64) -> Value {
    let is_key = |item: &Value| item.as_array().is_some_and(|key| key.len() >= 2 && key[0].is_number());
    match value {
        Value::Number(number) => Value::from(rounded(number.as_f64().unwrap_or_default() * factor)),
        Value::Array(items) if !items.is_empty() && items.iter().all(is_key) => {
            let key = |item: &Value| {
                let mut key = item.clone();
                key[1] = scaled(&item[1], factor);
                key
            };
            Value::Array(items.iter().map(key).collect())
        }
        Value::Array(items) => Value::Array(items.iter().map(|item| scaled(item, factor)).collect()),
        Value::Object(_) if value.get("keys").is_some() => {
            let mut curve = value.clone();
            curve["keys"] = scaled(&value["keys"], factor);
            curve
        }
        other => other.clone(),
    }
}

/// To as many digits as people want to read: what is measured is measured with the number that is written.
pub(super) fn rounded(value: f64) -> f64 {
    if value == 0.0 || !value.is_finite() {
        return value;
    }
    let scale = 10f64.powi(DIGITS - 1 - value.abs().log10().floor() as i32);
    if scale.is_finite() && scale > 0.0 { (value * scale).round() / scale } else { value }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn values_are_found_by_name_and_scaled_with_their_frames_left_alone() {
        let scene = json!({ "body": [{ "name": "bar", "director": [{ "kind": "force", "newton": [1.0, [[1, 2.0], [9, 4.0]], 0.0] }] }] });
        let newton = value_at(&scene, "body.bar.director.force.newton").unwrap();
        assert_eq!(scaled(newton, 2.0), json!([2.0, [[1, 4.0], [9, 8.0]], 0.0]));
        assert_eq!(value_at(&scene, "body.bar.director.force.newton[0]"), Some(&json!(1.0)));
        assert_eq!(value_at(&scene, "body.bar.nothing"), None);
        let curve = json!({ "keys": [[4, 8.0, "smooth"], [16, -8.0]], "outside": "zero" });
        assert_eq!(scaled(&curve, 0.5), json!({ "keys": [[4, 4.0, "smooth"], [16, -4.0]], "outside": "zero" }));
        assert_eq!(rounded(1.234_567_89e-3), 1.234_57e-3);
    }
}
