//! ln c of a chart as cubics, made once: a step asks it at every point, and neither finding keys nor logarithms belong
//! in there.

use sinew_math::Curve;
use sinew_math::libm::{cos, log};

/// How far a cubic may be from ln c. Lanes carry ln T in f32, which knows rates of about 1 no better.
const TOLERANCE: f64 = 1e-8;
/// Halved no further: what is left then is a jump or a kink, which is in the right place to this share of the period.
const NARROWEST: f64 = 1.0 / (1u32 << 24) as f64;
/// Equal parts of the period that know where their cubics begin.
const BINS: usize = 256;
/// ln c below which a chart counts as 1.
const STILL: f64 = 1e-6;
/// Share of a single sweep over which a chart that does not start and end at 1 is eased in, and out.
const EASE: f64 = 0.1;

/// ln c over one period, phase 0 to 1.
#[derive(Debug, Clone)]
pub(super) struct LogRate {
    pieces: Vec<Piece>,
    /// Where each piece ends; the last one does not, and no number is above its end.
    ends: Vec<f64>,
    /// The piece at the beginning of each bin.
    first: Vec<u32>,
    /// ln of the largest rate.
    pub(super) limit: f64,
    /// Whether the chart begins and ends away from 1.
    open: [bool; 2],
}

/// A cubic in (phase − from), up to the next piece.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Piece {
    from: f64,
    c: [f64; 4],
}

impl LogRate {
    /// Rates of `chart` within 1/`limit` and `limit`.
    pub(super) fn new(chart: &Curve, limit: f64) -> Self {
        // Twice as far as rates go: where they are cut off there is a kink that no cubic would follow, and rates may not
        // even be positive beyond it.
        let exact = |phase: f64| log(chart.value(phase).clamp(0.5 / limit, 2.0 * limit));
        // Cubics end where keys are, so that kinks and jumps stay where the user put them.
        let mut ends: Vec<f64> = chart.keys().iter().map(|key| key.at - key.at.floor()).chain([0.0, 1.0]).collect();
        ends.sort_unstable_by(f64::total_cmp);
        ends.dedup();
        let mut pieces = Vec::new();
        for pair in ends.windows(2) {
            fit(&exact, pair[0], pair[1], &mut pieces);
        }
        let piece_at = |bin: usize| pieces.partition_point(|piece: &Piece| piece.from <= bin as f64 / BINS as f64) - 1;
        let first = (0..BINS).map(|bin| piece_at(bin) as u32).collect();
        let ends = pieces.iter().skip(1).map(|next| next.from).chain([f64::NAN]).collect();
        let open = [0.0, 1.0 - NARROWEST].map(|phase| exact(phase).abs() > STILL);
        Self { pieces, ends, first, limit: log(limit), open }
    }

    /// ln c at a phase, whatever its whole part.
    #[inline(always)]
    pub(super) fn at(&self, cycles: f64) -> f64 {
        // As `floor`, which is a call on machines without an instruction for it.
        let phase = cycles - cycles as i64 as f64;
        let phase = if phase < 0.0 { phase + 1.0 } else { phase };
        // What is not finite stays so: a cast takes NaN to 0, and the cubic makes it NaN again.
        let mut number = self.first[((phase * BINS as f64) as u32 as usize).min(BINS - 1)] as usize;
        // Few bins hold more than one end. Whether a point is beyond it cannot be foretold, so that this is no branch.
        number += usize::from(self.ends[number] <= phase);
        while self.ends[number] <= phase {
            number += 1;
        }
        let Piece { from, c } = self.pieces[number];
        let u = phase - from;
        (c[0] + u * (c[1] + u * (c[2] + u * c[3]))).clamp(-self.limit, self.limit)
    }

    /// ln c of a single sweep: nothing before phase 0 and after phase 1, and no jump at either.
    pub(super) fn once(&self, phase: f64) -> f64 {
        if !(0.0..1.0).contains(&phase) {
            return 0.0;
        }
        let ease = |open: bool, u: f64| if open { smooth((u / EASE).min(1.0)) } else { 1.0 };
        self.at(phase) * ease(self.open[0], phase) * ease(self.open[1], 1.0 - phase)
    }
}

fn smooth(u: f64) -> f64 {
    u * u * (3.0 - 2.0 * u)
}

/// Cubics for `exact` between `from` and `to`, halved until they fit.
fn fit(exact: &dyn Fn(f64) -> f64, from: f64, to: f64, out: &mut Vec<Piece>) {
    let piece = cubic(exact, from, to);
    /// Places of a piece at which it is compared with what it stands for.
    const LOOKS: usize = 9;
    let fits = (0..LOOKS).all(|i| {
        let u = (to - from) * (i as f64 + 0.5) / LOOKS as f64;
        let [a, b, c, d] = piece.c;
        (a + u * (b + u * (c + u * d)) - exact(from + u)).abs() <= TOLERANCE
    });
    if fits || to - from < NARROWEST {
        out.push(piece);
    } else {
        let middle = 0.5 * (from + to);
        fit(exact, from, middle, out);
        fit(exact, middle, to, out);
    }
}

/// The cubic through four Chebyshev points, none of which is an end: there the chart may jump.
fn cubic(exact: &dyn Fn(f64) -> f64, from: f64, to: f64) -> Piece {
    let width = to - from;
    let place = |i: u32| 0.5 * (1.0 - cos((2.0 * f64::from(i) + 1.0) * std::f64::consts::PI / 8.0));
    let x = [0, 1, 2, 3].map(place);
    let mut d = x.map(|x| exact(from + width * x));
    // Newton's divided differences on 0..1, then powers of u, then of phase − from.
    for order in 1..4 {
        for i in (order..4).rev() {
            d[i] = (d[i] - d[i - 1]) / (x[i] - x[i - order]);
        }
    }
    let mut c = [d[3], 0.0, 0.0, 0.0];
    for i in (0..3).rev() {
        // c ← c (u − x_i) + d_i, lowest power first.
        c = [d[i] - c[0] * x[i], c[0] - c[1] * x[i], c[1] - c[2] * x[i], c[2] - c[3] * x[i]];
    }
    let [a, b, e, f] = c;
    Piece { from, c: [a, b / width, e / (width * width), f / (width * width * width)] }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sinew_math::{Interpolation, Key, Outside};

    fn worst(chart: &Curve, limit: f64) -> f64 {
        let table = LogRate::new(chart, limit);
        assert!(table.pieces.len() < 1000, "{} pieces", table.pieces.len());
        (0..20_000)
            .map(|i| -3.0 + f64::from(i) * 3.37e-4)
            .map(|phase| (table.at(phase) - log(chart.value(phase).clamp(1.0 / limit, limit))).abs())
            .fold(0.0, f64::max)
    }

    #[test]
    fn tables_are_as_good_as_the_charts() {
        let cycle = Outside::Cycle { period: 1.0 };
        let lines = Curve::linear(&[(0.0, 1.0), (0.22, 0.55), (0.75, 1.0)], cycle).unwrap();
        assert!(worst(&lines, 4.0) < 2e-8);
        let steep = Curve::linear(&[(0.1, 0.01), (0.101, 90.0), (0.7, 1.2)], cycle).unwrap();
        assert!(worst(&steep, 100.0) < 2e-8);
        assert!(worst(&Curve::linear(&[(0.4, 1.7)], cycle).unwrap(), 4.0) < 1e-15);
        for to_next in [Interpolation::Smooth, Interpolation::Bezier { leave: [0.1, 0.4], arrive: [-0.1, 0.2] }] {
            let keys = [(0.05, 1.0), (0.3, 0.6), (0.8, 1.9)].map(|(at, value)| Key { at, value, to_next });
            // The limit cuts overshoots off: a kink where no key is.
            let worst = worst(&Curve::new(keys.to_vec(), cycle).unwrap(), 1.8);
            assert!(worst < 1e-7, "{to_next:?}: {worst}");
        }
    }

    #[test]
    fn jumps_stay_on_their_keys() {
        let key = |at, value| Key { at, value, to_next: Interpolation::Step };
        let chart = Curve::new(vec![key(0.25, 0.5), key(0.75, 2.0)], Outside::Cycle { period: 1.0 }).unwrap();
        let table = LogRate::new(&chart, 4.0);
        for (phase, rate) in [(0.0, 2.0), (0.249_999_999, 2.0), (0.25, 0.5), (0.749_999_999, 0.5), (7.75, 2.0)] {
            assert!((table.at(phase) - f64::ln(rate)).abs() < 1e-12, "{phase}");
        }
    }
}
