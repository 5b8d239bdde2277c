//! The one curve of the timeline: charts, force curves, tracks and paths are all keys over an axis.
//!
//! A curve is a function of its axis: Bézier handles are kept inside their segment, so that time never runs
//! backwards along it (CM-18).

use crate::wiggly::{Wiggle, Wiggly};
use serde::{Deserialize, Serialize};

/// How a curve runs from one key to the next.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub enum Interpolation {
    /// Keeps this key's value until the next one.
    Step,
    #[default]
    Linear,
    /// A cubic through the keys with slopes from the neighbours (Catmull–Rom on unequal spacing).
    Smooth,
    /// A cubic Bézier: handle offsets (along the axis, in value) leaving this key and arriving at the next.
    Bezier { leave: [f64; 2], arrive: [f64; 2] },
}

#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Key {
    pub at: f64,
    pub value: f64,
    pub to_next: Interpolation,
}

/// What a curve is before its first and after its last key.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub enum Outside {
    /// The nearest key's value.
    #[default]
    Hold,
    /// Nothing: 0 before the first key and from the last key on (a half-open interval, CM-17).
    Zero,
    /// The keys lie in one period, whose ends are joined (PD-23).
    Cycle { period: f64 },
}

/// Keys in rising order, at least one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Curve {
    keys: Vec<Key>,
    outside: Outside,
    /// It swings through its keys, whatever their interpolation says.
    wiggly: Option<Wiggly>,
}

/// Why keys do not make a curve.
#[derive(Debug, Clone, PartialEq)]
pub enum CurveError {
    Empty,
    NotFinite {
        key: usize,
    },
    NotRising {
        key: usize,
    },
    OutsidePeriod {
        key: usize,
        period: f64,
    },
    /// A swing needs a period above 0 and a damping from 0 to 10.
    NoSwing {
        period: f64,
        damping: f64,
    },
}

/// Keys farther apart than this many periods of a swing have nothing to do with each other.
const MOST_SWINGS: f64 = 1e6;
const MOST_DAMPING: f64 = 10.0;

impl std::error::Error for CurveError {}

impl std::fmt::Display for CurveError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Empty => write!(f, "a curve needs at least one key"),
            Self::NotFinite { key } => write!(f, "key {} is not a finite number", key + 1),
            Self::NotRising { key } => {
                write!(f, "key {} lies at or before the key in front of it; keys must rise", key + 1)
            }
            Self::OutsidePeriod { key, period } => {
                write!(f, "key {} lies outside the period 0 to {}", key + 1, crate::shown(*period))
            }
            Self::NoSwing { period, damping } => write!(
                f,
                "a swing with period {period} and damping {damping} is none: the period is above 0, the damping 0 to {MOST_DAMPING}"
            ),
        }
    }
}

impl Curve {
    pub fn new(keys: Vec<Key>, outside: Outside) -> Result<Self, CurveError> {
        if keys.is_empty() {
            return Err(CurveError::Empty);
        }
        for (i, key) in keys.iter().enumerate() {
            if !(key.at.is_finite() && key.value.is_finite()) {
                return Err(CurveError::NotFinite { key: i });
            }
            if i > 0 && key.at <= keys[i - 1].at {
                return Err(CurveError::NotRising { key: i });
            }
            if let Outside::Cycle { period } = outside
                && !(0.0..=period).contains(&key.at)
            {
                return Err(CurveError::OutsidePeriod { key: i, period });
            }
        }
        Ok(Self { keys, outside, wiggly: None })
    }

    /// The same keys as a wiggly spline, which swings about zero between them.
    pub fn with_wiggle(mut self, wiggle: Wiggle) -> Result<Self, CurveError> {
        let Wiggle { period, damping } = wiggle;
        let reach = self.keys[self.keys.len() - 1].at - self.keys[0].at;
        let is_swing = period > 0.0 && period.is_finite() && reach / period < MOST_SWINGS;
        if !(is_swing && (0.0..=MOST_DAMPING).contains(&damping)) {
            return Err(CurveError::NoSwing { period, damping });
        }
        let distinct = self.distinct_keys();
        let places: Vec<(f64, f64)> = self.keys[..distinct].iter().map(|key| (key.at, key.value)).collect();
        let closing = match self.outside {
            Outside::Cycle { period } => Some(places[0].0 + period - places[distinct - 1].0),
            Outside::Hold | Outside::Zero => None,
        };
        self.wiggly = Some(Wiggly::new(wiggle, &places, closing));
        Ok(self)
    }

    /// How it swings, if it does.
    pub fn wiggle(&self) -> Option<Wiggle> {
        self.wiggly.as_ref().map(|wiggly| wiggly.wiggle)
    }

    /// How many keys differ: in a cycle a key on both edges is one, which the last only closes.
    fn distinct_keys(&self) -> usize {
        let n = self.keys.len();
        match self.outside {
            Outside::Cycle { period } if n > 1 && self.keys[0].at + period <= self.keys[n - 1].at => n - 1,
            _ => n,
        }
    }

    /// Straight lines through `(at, value)` pairs.
    pub fn linear(points: &[(f64, f64)], outside: Outside) -> Result<Self, CurveError> {
        let keys = points.iter().map(|&(at, value)| Key { at, value, to_next: Interpolation::Linear }).collect();
        Self::new(keys, outside)
    }

    pub fn keys(&self) -> &[Key] {
        &self.keys
    }

    /// The same curve with every value raised by `by`; what lies outside a [`Outside::Zero`] curve stays zero.
    #[must_use]
    pub fn shifted(&self, by: f64) -> Self {
        let keys = self.keys.iter().map(|key| Key { value: key.value + by, ..*key }).collect();
        let shifted = Self { keys, outside: self.outside, wiggly: None };
        match self.wiggle() {
            Some(wiggle) => shifted.clone().with_wiggle(wiggle).unwrap_or(shifted),
            None => shifted,
        }
    }

    pub fn outside(&self) -> Outside {
        self.outside
    }

    pub fn value(&self, at: f64) -> f64 {
        self.value_and_slope(at).0
    }

    /// The value and its derivative along the axis (on a key, that of the segment to its right).
    pub fn value_and_slope(&self, at: f64) -> (f64, f64) {
        if let Some(wiggly) = &self.wiggly {
            return self.swinging(wiggly, at);
        }
        match self.outside {
            Outside::Cycle { period } => self.on_cycle(at, period),
            Outside::Hold => self.between_ends(at).unwrap_or_else(|end| (end, 0.0)),
            Outside::Zero => self.between_ends(at).unwrap_or((0.0, 0.0)),
        }
    }

    fn swinging(&self, wiggly: &Wiggly, at: f64) -> (f64, f64) {
        let keys = &self.keys[..self.distinct_keys()];
        let (first, last) = (keys[0], keys[keys.len() - 1]);
        let (at, next) = match self.outside {
            Outside::Cycle { period } => {
                let phase = at - period * (at / period).floor();
                (if phase < first.at { phase + period } else { phase }, first.at + period)
            }
            Outside::Zero if at < first.at || at >= last.at => return (0.0, 0.0),
            _ if at < first.at => return (first.value, 0.0),
            _ if at >= last.at => return wiggly.beyond(last.value, at - last.at),
            _ => (at, last.at),
        };
        let left = keys.partition_point(|key| key.at <= at) - 1;
        let right = keys.get(left + 1).map_or(next, |key| key.at);
        wiggly.between(left, keys[left].value, at - keys[left].at, right - keys[left].at)
    }

    fn between_ends(&self, at: f64) -> Result<(f64, f64), f64> {
        let (first, last) = (self.keys[0], self.keys[self.keys.len() - 1]);
        if at < first.at {
            return Err(first.value);
        }
        if at >= last.at {
            return Err(last.value);
        }
        let right = self.keys.partition_point(|key| key.at <= at);
        let before = right.checked_sub(2).map(|i| self.keys[i]);
        let after = self.keys.get(right + 1).copied();
        Ok(segment(before, self.keys[right - 1], self.keys[right], after, at))
    }

    fn on_cycle(&self, at: f64, period: f64) -> (f64, f64) {
        let n = self.keys.len();
        if n == 1 {
            return (self.keys[0].value, 0.0);
        }
        let distinct = self.distinct_keys();
        let closed = distinct < n;
        let key = |i: isize| {
            let turns = i.div_euclid(distinct as isize);
            let mut key = self.keys[i.rem_euclid(distinct as isize) as usize];
            key.at += turns as f64 * period;
            key
        };
        let phase = at - period * (at / period).floor();
        let right = self.keys[..distinct].partition_point(|key| key.at <= phase) as isize;
        if closed && right == distinct as isize {
            let end = self.keys[n - 1];
            return segment(Some(key(right - 2)), key(right - 1), end, Some(key(right + 1)), phase);
        }
        segment(Some(key(right - 2)), key(right - 1), key(right), Some(key(right + 1)), phase)
    }
}

/// The cubic, line or step between `a` and `b`, which `at` lies between.
fn segment(before: Option<Key>, a: Key, b: Key, after: Option<Key>, at: f64) -> (f64, f64) {
    let span = b.at - a.at;
    let rise = b.value - a.value;
    let u = (at - a.at) / span;
    match a.to_next {
        Interpolation::Step => (a.value, 0.0),
        Interpolation::Linear => (a.value + rise * u, rise / span),
        Interpolation::Smooth => {
            let leave = before.map_or(rise / span, |p| (b.value - p.value) / (b.at - p.at));
            let arrive = after.map_or(rise / span, |n| (n.value - a.value) / (n.at - a.at));
            hermite(a.value, leave * span, b.value, arrive * span, u, span)
        }
        Interpolation::Bezier { leave, arrive } => {
            let x = [0.0, (leave[0] / span).clamp(0.0, 1.0), 1.0 + (arrive[0] / span).clamp(-1.0, 0.0), 1.0];
            let y = [a.value, a.value + leave[1], b.value + arrive[1], b.value];
            let s = solve_monotone(x, u);
            let (value, dy) = bezier(y, s);
            let (_, dx) = bezier(x, s);
            (value, if dx > 0.0 { dy / (dx * span) } else { 0.0 })
        }
    }
}

fn hermite(a: f64, da: f64, b: f64, db: f64, u: f64, span: f64) -> (f64, f64) {
    let (c2, c3) = (3.0 * (b - a) - 2.0 * da - db, 2.0 * (a - b) + da + db);
    (a + u * (da + u * (c2 + u * c3)), (da + u * (2.0 * c2 + 3.0 * u * c3)) / span)
}

fn bezier(p: [f64; 4], s: f64) -> (f64, f64) {
    let r = 1.0 - s;
    let value = r * r * r * p[0] + 3.0 * r * r * s * p[1] + 3.0 * r * s * s * p[2] + s * s * s * p[3];
    let slope = 3.0 * (r * r * (p[1] - p[0]) + 2.0 * r * s * (p[2] - p[1]) + s * s * (p[3] - p[2]));
    (value, slope)
}

/// The parameter where the monotone Bézier `x` reaches `u`, by bisection: 60 halvings leave nothing in f64.
fn solve_monotone(x: [f64; 4], u: f64) -> f64 {
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if bezier(x, middle).0 < u { low = middle } else { high = middle }
    }
    0.5 * (low + high)
}

/// Any number of a scene: constant, or a curve over frames.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Number {
    Constant(f64),
    Curve(Curve),
}

impl Number {
    #[inline]
    pub fn value(&self, at: f64) -> f64 {
        match self {
            Self::Constant(value) => *value,
            Self::Curve(curve) => curve.value(at),
        }
    }

    pub fn value_and_slope(&self, at: f64) -> (f64, f64) {
        match self {
            Self::Constant(value) => (*value, 0.0),
            Self::Curve(curve) => curve.value_and_slope(at),
        }
    }
}

impl From<f64> for Number {
    fn from(value: f64) -> Self {
        Self::Constant(value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chart() -> Curve {
        Curve::linear(&[(0.1, 1.0), (0.3, 0.6), (0.7, 1.2)], Outside::Cycle { period: 1.0 }).unwrap()
    }

    #[test]
    fn passes_through_every_key_in_every_interpolation() {
        let shapes = [
            Interpolation::Linear,
            Interpolation::Smooth,
            Interpolation::Bezier { leave: [0.5, 2.0], arrive: [-9.0, 1.0] },
        ];
        for to_next in shapes {
            let keys = [(0.0, 1.0), (1.0, 3.0), (4.0, -2.0)].map(|(at, value)| Key { at, value, to_next });
            let curve = Curve::new(keys.to_vec(), Outside::Hold).unwrap();
            for key in keys {
                assert!((curve.value(key.at) - key.value).abs() < 1e-12, "{to_next:?} misses {key:?}");
            }
        }
    }

    #[test]
    fn slope_is_the_derivative() {
        for to_next in [
            Interpolation::Linear,
            Interpolation::Smooth,
            Interpolation::Bezier { leave: [0.7, 2.0], arrive: [-0.6, 0.5] },
        ] {
            let keys = [(0.0, 1.0), (2.0, 3.0), (5.0, -2.0), (6.0, 0.0)].map(|(at, value)| Key { at, value, to_next });
            let curve = Curve::new(keys.to_vec(), Outside::Hold).unwrap();
            for at in [0.3, 1.7, 2.2, 4.4, 5.5] {
                let d = 1e-6;
                let difference = (curve.value(at + d) - curve.value(at - d)) / (2.0 * d);
                assert!((curve.value_and_slope(at).1 - difference).abs() < 1e-5, "{to_next:?} at {at}");
            }
        }
    }

    #[test]
    fn a_cycle_joins_its_edges() {
        let chart = chart();
        for at in [-0.95, 0.0, 0.05, 0.2, 0.5, 0.9, 0.999] {
            assert!((chart.value(at) - chart.value(at + 3.0)).abs() < 1e-12);
        }
        // From the last key (0.7, 1.2) the line runs over the edge to the first one of the next period (1.1, 1.0).
        assert!((chart.value(1.0) - (1.2 - 0.2 * 0.3 / 0.4)).abs() < 1e-12);
        assert!((chart.value(0.999_999_999) - chart.value(1.000_000_001)).abs() < 1e-8);
    }

    #[test]
    fn keys_on_both_edges_of_a_cycle_meet_their_values() {
        let chart = Curve::linear(&[(0.0, 1.0), (0.5, 2.0), (1.0, 3.0)], Outside::Cycle { period: 1.0 }).unwrap();
        assert!((chart.value(0.75) - 2.5).abs() < 1e-12);
        assert!((chart.value(0.0) - 1.0).abs() < 1e-12);
        assert!((chart.value(0.25) - 1.5).abs() < 1e-12);
    }

    #[test]
    fn outside_holds_or_is_zero_on_a_half_open_interval() {
        let points = [(2.0, 5.0), (4.0, 7.0)];
        let hold = Curve::linear(&points, Outside::Hold).unwrap();
        let zero = Curve::linear(&points, Outside::Zero).unwrap();
        assert_eq!((hold.value(0.0), hold.value(9.0)), (5.0, 7.0));
        assert_eq!((zero.value(1.999), zero.value(2.0), zero.value(4.0)), (0.0, 5.0, 0.0));
    }

    #[test]
    fn bad_keys_are_named() {
        assert_eq!(Curve::linear(&[], Outside::Hold), Err(CurveError::Empty));
        assert_eq!(Curve::linear(&[(0.0, 0.0), (0.0, 1.0)], Outside::Hold), Err(CurveError::NotRising { key: 1 }));
        assert_eq!(Curve::linear(&[(0.0, f64::NAN)], Outside::Hold), Err(CurveError::NotFinite { key: 0 }));
    }
}
