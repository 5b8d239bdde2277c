//! Wiggly splines: curves that pass through their keys and swing between them, with a resonance and a damping.
//!
//! Kass, Anderson: "Animating Oscillatory Motion With Overlap: Wiggly Splines", SIGGRAPH 2008. A cubic spline bends as little as its keys
//! allow: it minimises ∫ ẍ². A wiggly spline minimises the effort ∫ (ẍ + 2 ζ ω ẋ + ω² x)², so that all that a damped oscillator would do by
//! itself costs nothing. With ω = 0 it is the cubic spline.
//!
//! | here       | meaning                                                    |
//! |------------|------------------------------------------------------------|
//! | Φ(t)       | where the free oscillator is after t: (x, ẋ) ← Φ (x, ẋ)    |
//! | W(t)       | controllability Gramian ∫ Φ b bᵀ Φᵀ, b = (0, 1)            |
//! | `pull`     | W(T)⁻¹ (end − Φ(T) start): the least effort of a segment   |
//!
//! The effort from one state to another is eᵀ W(T)⁻¹ e with e = end − Φ(T) start, quadratic in the velocities at the keys: one tridiagonal
//! system gives them. Φ and W come from a short Taylor series and doubling (Φ(2t) = Φ², W(2t) = W + Φ W Φᵀ), which has no special cases for
//! weak or strong damping and no trigonometry, so that the page computes the same (`web/src/document/wiggly.ts`).
//!
//! Departures: an open curve starts at rest at its first key and, where it is held after the last, swings on freely. Phase shifts
//! for overlap (§5 there) are not part of a single curve.

use serde::{Deserialize, Serialize};

/// How a curve swings: about zero, with a period along the axis and a damping ratio.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Wiggle {
    /// Of the undamped swing, in units of the axis.
    pub period: f64,
    /// 0 swings for ever, 1 comes back without a swing.
    pub damping: f64,
}

/// Position and velocity.
type State = [f64; 2];

/// What turns keys into a wiggly spline.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Wiggly {
    pub(crate) wiggle: Wiggle,
    /// At each key; in a cycle only at those that differ.
    speed: Vec<f64>,
    /// From each key to the next.
    pull: Vec<State>,
}

impl Wiggly {
    /// Through `(at, value)` in rising order. `closing` is the way from the last of them to the first of the next period.
    pub(crate) fn new(wiggle: Wiggle, keys: &[(f64, f64)], closing: Option<f64>) -> Self {
        let n = keys.len();
        let spans: Vec<f64> = keys.windows(2).map(|pair| pair[1].0 - pair[0].0).chain(closing).collect();
        let ways: Vec<Way> = spans.iter().map(|span| Way::over(*span, wiggle)).collect();
        let mut system = Tridiagonal::new(n);
        for (i, way) in ways.iter().enumerate() {
            system.add(i, (i + 1) % n, way, keys[i].1, keys[(i + 1) % n].1);
        }
        let speed = system.solve(closing.is_some());
        let state = |i: usize| [keys[i % n].1, speed[i % n]];
        let pull = ways.iter().enumerate().map(|(i, way)| way.pull(state(i), state(i + 1))).collect();
        Self { wiggle, speed, pull }
    }

    /// Value and slope `after` the key of this number whose value is `value`, `span` before the next.
    pub(crate) fn between(&self, key: usize, value: f64, after: f64, span: f64) -> (f64, f64) {
        let way = Way::over(after, self.wiggle);
        let rest = Way::over(span - after, self.wiggle);
        let pull = rest.turned(self.pull[key]);
        let [x, v] = way.free([value, self.speed[key]]);
        let [[a, b], [_, c]] = way.gram;
        (x + a * pull[0] + b * pull[1], v + b * pull[0] + c * pull[1])
    }

    /// Value and slope so long after the last key, which has this value: it swings on.
    pub(crate) fn beyond(&self, value: f64, after: f64) -> (f64, f64) {
        let speed = self.speed[self.speed.len() - 1];
        let [x, v] = Way::over(after, self.wiggle).free([value, speed]);
        (x, v)
    }
}

/// A wiggly spline that rises from nothing to 1 and falls back to nothing: at rest at zero where it begins and ends, and 1 at 0. It is the
/// least effort that does so; how fast it passes 0 is part of the answer.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pulse {
    wiggle: Wiggle,
    before: f64,
    after: f64,
    speed: f64,
    rise: State,
    fall: State,
}

impl Pulse {
    /// From `-before` to `after`, both above 0. With a period of infinity it is the clamped cubic spline.
    pub fn new(wiggle: Wiggle, before: f64, after: f64) -> Self {
        let (up, down) = (Way::over(before, wiggle), Way::over(after, wiggle));
        // e = (1, v) on the way up and −Φ (1, v) on the way down; the effort eᵀ W⁻¹ e of both is least in v.
        let turned = |state: State| down.turned(down.effort(down.free(state)));
        let gradient = |state: State| up.effort(state)[1] + turned(state)[1];
        let speed = -gradient([1.0, 0.0]) / gradient([0.0, 1.0]);
        let top = [1.0, speed];
        Self { wiggle, before, after, speed, rise: up.pull([0.0; 2], top), fall: down.pull(top, [0.0; 2]) }
    }

    /// Its value at a time.
    pub fn value(&self, at: f64) -> f64 {
        let (from, after, left, pull) = if at <= -self.before || at >= self.after {
            return 0.0;
        } else if at < 0.0 {
            ([0.0; 2], at + self.before, -at, self.rise)
        } else {
            ([1.0, self.speed], at, self.after - at, self.fall)
        };
        let (way, rest) = (Way::over(after, self.wiggle), Way::over(left, self.wiggle));
        let [p, q] = rest.turned(pull);
        way.free(from)[0] + way.gram[0][0] * p + way.gram[0][1] * q
    }
}

/// Φ and W over a time.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Way {
    phi: [[f64; 2]; 2],
    gram: [[f64; 2]; 2],
}

/// The Taylor series is used up to this share of the oscillator's time.
const SHORT: f64 = 1.0 / 16.0;
const MOST_DOUBLINGS: usize = 64;
/// Gauss–Legendre on 0 to 1, five points.
const NODES: [(f64, f64); 5] = [
    (0.046_910_077_030_668, 0.118_463_442_528_094_55),
    (0.230_765_344_947_158_45, 0.239_314_335_249_683_24),
    (0.5, 0.284_444_444_444_444_45),
    (0.769_234_655_052_841_5, 0.239_314_335_249_683_24),
    (0.953_089_922_969_332, 0.118_463_442_528_094_55),
];

impl Way {
    fn over(time: f64, wiggle: Wiggle) -> Self {
        let omega = std::f64::consts::TAU / wiggle.period;
        let rate = omega * (2.0 * wiggle.damping).max(1.0);
        let (mut short, mut doublings) = (time, 0);
        while short * rate > SHORT && doublings < MOST_DOUBLINGS {
            short *= 0.5;
            doublings += 1;
        }
        let mut way = Self::short(short, omega, wiggle.damping);
        for _ in 0..doublings {
            let moved = times(times(way.phi, way.gram), transposed(way.phi));
            let gram = [0, 1].map(|i| [0, 1].map(|j| way.gram[i][j] + moved[i][j]));
            way = Self { phi: times(way.phi, way.phi), gram };
        }
        way
    }

    fn short(time: f64, omega: f64, damping: f64) -> Self {
        let generator = [[0.0, 1.0], [-omega * omega, -2.0 * damping * omega]];
        let phi = |time: f64| {
            let (mut sum, mut term) = ([[1.0, 0.0], [0.0, 1.0]], [[1.0, 0.0], [0.0, 1.0]]);
            for power in 1..=10 {
                term = times(term, generator).map(|row| row.map(|entry| entry * time / f64::from(power)));
                sum = [0, 1].map(|i| [0, 1].map(|j| sum[i][j] + term[i][j]));
            }
            sum
        };
        let mut gram = [[0.0; 2]; 2];
        for (node, weight) in NODES {
            let [[_, x], [_, v]] = phi(node * time);
            let weight = weight * time;
            gram = [[gram[0][0] + weight * x * x, gram[0][1] + weight * x * v], [0.0, gram[1][1] + weight * v * v]];
            gram[1][0] = gram[0][1];
        }
        Self { phi: phi(time), gram }
    }

    fn free(&self, [x, v]: State) -> State {
        self.phi.map(|[a, b]| a * x + b * v)
    }

    /// Φᵀ times a vector.
    fn turned(&self, [x, v]: State) -> State {
        let [[a, b], [c, d]] = self.phi;
        [a * x + c * v, b * x + d * v]
    }

    /// W⁻¹ times a vector.
    fn effort(&self, [x, v]: State) -> State {
        let [[a, b], [_, c]] = self.gram;
        let det = a * c - b * b;
        [(c * x - b * v) / det, (a * v - b * x) / det]
    }

    fn pull(&self, from: State, [x, v]: State) -> State {
        let [free_x, free_v] = self.free(from);
        self.effort([x - free_x, v - free_v])
    }
}

fn times(a: [[f64; 2]; 2], b: [[f64; 2]; 2]) -> [[f64; 2]; 2] {
    [0, 1].map(|i| [0, 1].map(|j| a[i][0] * b[0][j] + a[i][1] * b[1][j]))
}

fn transposed([[a, b], [c, d]]: [[f64; 2]; 2]) -> [[f64; 2]; 2] {
    [[a, c], [b, d]]
}

fn dot(a: State, b: State) -> f64 {
    a[0] * b[0] + a[1] * b[1]
}

/// The normal equations of the least effort, for the velocities at the keys. In a cycle the last is joined to the first.
struct Tridiagonal {
    diagonal: Vec<f64>,
    /// Entry (i, i + 1).
    beside: Vec<f64>,
    right: Vec<f64>,
}

impl Tridiagonal {
    fn new(n: usize) -> Self {
        Self { diagonal: vec![0.0; n], beside: vec![0.0; n], right: vec![0.0; n] }
    }

    /// The effort from key `i` to key `j` along `way`: e = start · v_i + end · v_j + given.
    fn add(&mut self, i: usize, j: usize, way: &Way, from: f64, to: f64) {
        let start = way.phi.map(|[_, b]| -b);
        let end = [0.0, 1.0];
        let free = way.phi.map(|[a, _]| a * from);
        let given = [to - free[0], -free[1]];
        let (of_start, of_end, of_given) = (way.effort(start), way.effort(end), way.effort(given));
        self.diagonal[i] += dot(start, of_start);
        self.diagonal[j] += dot(end, of_end);
        self.beside[i] += dot(start, of_end);
        self.right[i] -= dot(start, of_given);
        self.right[j] -= dot(end, of_given);
    }

    /// Open: v₀ = 0. In a cycle v₀ is found from its own equation after the others are known in terms of it.
    fn solve(mut self, is_cycle: bool) -> Vec<f64> {
        let n = self.diagonal.len();
        if n == 1 {
            // A cycle of one key: both ends of its one segment are the same unknown.
            let both = self.diagonal[0] + 2.0 * self.beside[0];
            return vec![if is_cycle && both > 0.0 { self.right[0] / both } else { 0.0 }];
        }
        let mut joined = vec![0.0; n];
        joined[1] += self.beside[0];
        if is_cycle {
            joined[n - 1] += self.beside[n - 1];
        }
        let mut by_first = joined.clone();
        for i in 2..n {
            let share = self.beside[i - 1] / self.diagonal[i - 1];
            self.diagonal[i] -= share * self.beside[i - 1];
            self.right[i] -= share * self.right[i - 1];
            by_first[i] -= share * by_first[i - 1];
        }
        for i in (1..n).rev() {
            let after = if i + 1 < n { (self.beside[i], i + 1) } else { (0.0, i) };
            self.right[i] = (self.right[i] - after.0 * self.right[after.1]) / self.diagonal[i];
            by_first[i] = (by_first[i] - after.0 * by_first[after.1]) / self.diagonal[i];
        }
        let along = |of: &[f64]| (1..n).map(|i| joined[i] * of[i]).sum::<f64>();
        let left = self.diagonal[0] - along(&by_first);
        let first = if is_cycle && left > 0.0 { (self.right[0] - along(&self.right)) / left } else { 0.0 };
        let mut speed: Vec<f64> = self.right.iter().zip(&by_first).map(|(given, by)| given - by * first).collect();
        speed[0] = first;
        speed
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Curve, Interpolation, Key, Outside};

    fn curve(points: &[(f64, f64)], outside: Outside, period: f64, damping: f64) -> Curve {
        let key = |&(at, value): &(f64, f64)| Key { at, value, to_next: Interpolation::Linear };
        let plain = Curve::new(points.iter().map(key).collect(), outside).unwrap();
        plain.with_wiggle(Wiggle { period, damping }).unwrap()
    }

    const POINTS: [(f64, f64); 5] = [(1.0, 0.0), (8.0, 3.0), (20.0, -2.0), (23.0, 1.0), (60.0, 0.5)];

    /// For all dampings, stiff and slack: through its keys, with a slope that is its derivative and no jump of the velocity.
    #[test]
    fn it_passes_through_its_keys_without_a_kink() {
        for outside in [Outside::Hold, Outside::Zero, Outside::Cycle { period: 64.0 }] {
            for (period, damping) in [(6.0, 0.0), (6.0, 0.1), (40.0, 1.0), (40.0, 1.0001), (3.0, 5.0), (1e6, 0.0)] {
                let curve = curve(&POINTS, outside, period, damping);
                for (n, (at, value)) in POINTS.into_iter().enumerate() {
                    let is_cut = outside == Outside::Zero && n + 1 == POINTS.len();
                    assert!(
                        is_cut || (curve.value(at) - value).abs() < 1e-9,
                        "{period} {damping}: {}",
                        curve.value(at)
                    );
                    if n > 0 && !is_cut {
                        let (before, after) = (curve.value_and_slope(at - 1e-7).1, curve.value_and_slope(at).1);
                        assert!(
                            (before - after).abs() < 1e-4 * (1.0 + after.abs()),
                            "{period} {damping}: {before} {after}"
                        );
                    }
                }
                for at in [3.1, 14.0, 22.2, 47.0, 61.5] {
                    let d = 1e-5;
                    let difference = (curve.value(at + d) - curve.value(at - d)) / (2.0 * d);
                    let (_, slope) = curve.value_and_slope(at);
                    assert!((slope - difference).abs() < 1e-5 * (1.0 + slope.abs()), "{outside:?} {at}: {slope}");
                }
            }
        }
    }

    /// Without resonance it is the cubic spline (clamped at its start, natural at its end): third differences between keys are
    /// constant, and the curvature does not jump at keys.
    #[test]
    fn without_resonance_it_is_a_cubic_spline() {
        let curve = curve(&POINTS, Outside::Hold, 1e7, 0.0);
        let third = |at: f64| {
            let x = [0.0, 0.5, 1.0, 1.5].map(|d| curve.value(at + d));
            (x[3] - 3.0 * x[2] + 3.0 * x[1] - x[0]) / 0.125
        };
        assert!((third(9.0) - third(17.0)).abs() < 1e-6, "{} {}", third(9.0), third(17.0));
        let bend = |at: f64| (curve.value_and_slope(at + 1e-4).1 - curve.value_and_slope(at).1) / 1e-4;
        assert!((bend(20.0 - 2e-4) - bend(20.0 + 1e-4)).abs() < 1e-3);
        assert!(bend(60.0 - 2e-4).abs() < 1e-3 && curve.value_and_slope(1.0).1.abs() < 1e-9);
    }

    /// After its last key it swings as a damped oscillator does: x = e^(−ζωt) (x₀ cos ω't + …), one period apart smaller by e^(−2πζ/√(1−ζ²)).
    #[test]
    fn it_rings_out_with_its_period_and_damping() {
        let curve = curve(&[(0.0, 0.0), (10.0, 4.0)], Outside::Hold, 12.0, 0.1);
        let damped = 12.0 / (1.0f64 - 0.01).sqrt();
        let decay = (-std::f64::consts::TAU * 0.1 / (1.0f64 - 0.01).sqrt()).exp();
        for at in [10.0, 13.0, 17.5] {
            assert!((curve.value(at + damped) - decay * curve.value(at)).abs() < 1e-9, "{at}");
        }
    }

    /// Any other curve through the same keys takes more effort: a swing that the oscillator does by itself takes none.
    #[test]
    fn its_effort_is_the_least() {
        let (omega, zeta) = (std::f64::consts::TAU / 9.0, 0.2);
        let spline = curve(&[(0.0, 0.0), (7.0, 2.0), (15.0, -1.0)], Outside::Hold, 9.0, zeta);
        let effort = |bump: f64| -> f64 {
            let x = |at: f64| {
                // Zero at the keys, and at rest at the first.
                let bumps = (at * at * (at - 7.0) * (at - 15.0)) * 1e-3;
                spline.value(at) + bump * bumps
            };
            let d = 1e-3;
            let force = |at: f64| {
                let (a, b, c) = (x(at - d), x(at), x(at + d));
                (a - 2.0 * b + c) / (d * d) + 2.0 * zeta * omega * (c - a) / (2.0 * d) + omega * omega * b
            };
            (0..1500).map(|n| force(0.01 * (f64::from(n) + 0.5)).powi(2) * 0.01).sum()
        };
        let least = effort(0.0);
        for bump in [-1.0, -0.1, 0.1, 1.0] {
            assert!(effort(bump) > least, "{bump}: {} against {least}", effort(bump));
        }
        // First-order: the effort is flat about it.
        assert!((effort(0.1) - effort(-0.1)).abs() < 0.02 * (effort(0.1) + effort(-0.1) - 2.0 * least), "{least}");
    }

    /// Zero and at rest at both ends, 1 in the middle without a kink, the cubic bump without resonance, and of least effort.
    #[test]
    fn a_pulse_begins_and_ends_at_rest() {
        for (period, damping) in [(f64::INFINITY, 0.0), (40.0, 0.0), (9.0, 0.1), (5.0, 0.0), (6.0, 1.0)] {
            for (before, after) in [(12.0, 12.0), (3.0, 20.0)] {
                let pulse = Pulse::new(Wiggle { period, damping }, before, after);
                let (at, d) = (|t: f64| pulse.value(t), 1e-4);
                assert!((at(0.0) - 1.0).abs() < 1e-12 && (at(-1e-9) - 1.0).abs() < 1e-6, "{period}: {}", at(-1e-9));
                assert!(at(-before + d).abs() < 1e-6 && at(after - d).abs() < 1e-6, "{period} {}", at(after - d));
                let [left, right] = [(at(-d) - at(-2.0 * d)) / d, (at(2.0 * d) - at(d)) / d];
                assert!((left - right).abs() < 1e-2 * (1.0 + left.abs()), "{period} {damping}: {left} {right}");
            }
        }
        let cubic = Pulse::new(Wiggle { period: f64::INFINITY, damping: 0.0 }, 8.0, 8.0);
        for t in [0.5, 2.0, 6.5f64] {
            let s = 1.0 - t / 8.0;
            let bump = s * s * (3.0 - 2.0 * s);
            assert!((cubic.value(t) - bump).abs() < 1e-12 && (cubic.value(-t) - bump).abs() < 1e-12);
        }
        let (omega, zeta) = (std::f64::consts::TAU / 9.0, 0.1);
        let pulse = Pulse::new(Wiggle { period: 9.0, damping: zeta }, 10.0, 14.0);
        let effort = |bump: f64| -> f64 {
            // At rest at both ends and zero in the middle.
            let x = |t: f64| pulse.value(t) + bump * 1e-5 * t * (t + 10.0).powi(2) * (14.0 - t).powi(2);
            let d = 1e-3;
            let force = |t: f64| {
                let (a, b, c) = (x(t - d), x(t), x(t + d));
                (a - 2.0 * b + c) / (d * d) + 2.0 * zeta * omega * (c - a) / (2.0 * d) + omega * omega * b
            };
            (0..2400).map(|n| force(-10.0 + 0.01 * (f64::from(n) + 0.5)).powi(2) * 0.01).sum()
        };
        let [less, least, more] = [-0.1, 0.0, 0.1].map(effort);
        assert!(less > least && more > least, "{less} {least} {more}");
        assert!((more - less).abs() < 0.05 * (more + less - 2.0 * least), "{less} {least} {more}");
    }

    #[test]
    fn a_cycle_joins_its_ends_without_a_kink() {
        for points in [&POINTS[..], &[(0.0, 1.0), (5.0, -2.0), (64.0, 1.0)], &[(3.0, 2.0)], &[(3.0, 2.0), (9.0, -1.0)]]
        {
            let curve = curve(points, Outside::Cycle { period: 64.0 }, 10.0, 0.2);
            for at in [0.0, 1.0, 20.0, 63.9] {
                let ((a, slope_a), (b, slope_b)) = (curve.value_and_slope(at), curve.value_and_slope(at + 128.0));
                assert!((a - b).abs() < 1e-9 && (slope_a - slope_b).abs() < 1e-9, "{points:?} {at}");
            }
            for edge in [0.0, points[0].0] {
                let (before, after) = (curve.value_and_slope(edge - 1e-7), curve.value_and_slope(edge + 1e-7));
                assert!((before.0 - after.0).abs() < 1e-5 && (before.1 - after.1).abs() < 1e-5, "{points:?}");
            }
        }
    }

    #[test]
    fn what_is_no_swing_is_refused() {
        let plain = Curve::linear(&[(0.0, 1.0), (5.0, 2.0)], Outside::Hold).unwrap();
        for (period, damping) in
            [(0.0, 0.1), (-1.0, 0.1), (f64::NAN, 0.1), (f64::INFINITY, 0.0), (5.0, -0.1), (5.0, 11.0), (1e-9, 0.1)]
        {
            assert!(plain.clone().with_wiggle(Wiggle { period, damping }).is_err(), "{period} {damping}");
        }
        let one = Curve::linear(&[(3.0, 2.0)], Outside::Hold)
            .unwrap()
            .with_wiggle(Wiggle { period: 8.0, damping: 0.0 })
            .unwrap();
        assert!((one.value(3.0) - 2.0).abs() < 1e-12 && (one.value(7.0) + 2.0).abs() < 1e-9);
    }

    /// What the page is held to. `SINEW_BLESS=1` writes it.
    #[test]
    fn the_golden_samples_are_those_of_this_curve() {
        let cases = [
            (Outside::Hold, "\"hold\"", 9.0, 0.15),
            (Outside::Zero, "\"zero\"", 30.0, 1.0),
            (Outside::Cycle { period: 64.0 }, "{ \"cycle\": 64 }", 12.5, 0.05),
        ];
        let case = |(outside, word, period, damping): (Outside, &str, f64, f64)| {
            let curve = curve(&POINTS, outside, period, damping);
            let samples: Vec<String> = (0..=110)
                .map(|n| 0.75 * f64::from(n) - 5.0)
                .map(|at| format!("[{at:?}, {:?}]", curve.value(at)))
                .collect();
            let keys: Vec<String> = POINTS.iter().map(|(at, value)| format!("[{at:?}, {value:?}]")).collect();
            format!(
                "{{\n    \"curve\": {{ \"keys\": [{}], \"outside\": {word}, \"wiggle\": {{ \"period\": {period:?}, \"damping\": {damping:?} }} }},\n    \
                 \"samples\": [{}]\n  }}",
                keys.join(", "),
                samples.join(", ")
            )
        };
        let text = format!("[\n  {}\n]\n", cases.map(case).join(",\n  "));
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../web/src/document/wiggly.golden.json");
        if std::env::var_os("SINEW_BLESS").is_some() {
            std::fs::write(&path, &text).unwrap();
        }
        assert_eq!(std::fs::read_to_string(&path).unwrap(), text, "cargo xtask bless writes it");
    }
}
