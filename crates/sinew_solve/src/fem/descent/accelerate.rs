//! Momentum between sweeps, so that long waves need the root of the sweeps.
//!
//! Nesterov's extrapolation y = x + β (x − x before) of what sweeps reach, one pace per body, which starts over where it would go uphill:
//! where the sweep turns back against the way it came (O'Donoghue, Candès, "Adaptive restart for accelerated gradient schemes", FoCM 2015, the
//! gradient scheme), and where contacts come or go. It takes the place of Chebyshev's weights in [VBD] §3.8, which need a spectral radius that the
//! user must guess and grow without bound where it is wrong. The last sweep is never extrapolated.

use super::batch::Batch;
use super::member::Member;
use crate::simd::gather::Point;

/// How far a body's extrapolation has come.
#[derive(Debug, Clone, Copy)]
pub(super) struct Pace {
    t: f64,
    pressing: usize,
}

impl Pace {
    pub(super) const FIRST: Self = Self { t: 1.0, pressing: 0 };

    /// The share of the last way that is gone once more, and the pace after that. `turned_back` starts over.
    fn next(self, turned_back: bool, pressing: usize) -> (f64, Self) {
        if turned_back || pressing != self.pressing {
            return (0.0, Self { t: 1.0, pressing });
        }
        let t = 0.5 * (1.0 + (1.0 + 4.0 * self.t * self.t).sqrt());
        ((self.t - 1.0) / t, Self { t, pressing })
    }
}

/// Carries a body on after a sweep from `entered` to its points; `before` is where the sweep before had led.
pub(super) fn carry_on(member: &mut Member, batch: &mut Batch) {
    let slots = &batch.layout.slot_of[member.first_point..][..member.rest.len()];
    let (points, entered, before) = (&mut batch.points, &batch.entered, &mut batch.before);
    let along = slots.iter().fold(0.0f64, |sum, &slot| {
        let [x, y, b] = [&points[slot as usize], &entered[slot as usize], &before[slot as usize]].map(|p| p.0);
        sum + (0..3).map(|i| f64::from(y[i] - x[i]) * f64::from(x[i] - b[i])).sum::<f64>()
    });
    let (share, pace) = member.pace.next(along > 0.0, member.pressing);
    member.pace = pace;
    let share = share as f32;
    for &slot in slots {
        let (x, b) = (points[slot as usize].0, before[slot as usize].0);
        before[slot as usize] = Point(x);
        if share > 0.0 {
            points[slot as usize] = Point([0, 1, 2, 3].map(|i| x[i] + (x[i] - b[i]) * share));
        }
    }
}
