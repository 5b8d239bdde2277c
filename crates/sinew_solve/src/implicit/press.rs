//! A contact in an implicit step: a stiff one-sided spring, and Coulomb friction by the force that pressed when it was last looked at.
//!
//! With that force λ frozen, friction has a potential: λ μ times the slide, rounded off below [`STICK_SPEED`] (as in Li, Ferguson, Schneider et al., "Incremental
//! Potential Contact", SIGGRAPH 2020, §5, with a round-off of the first order). Steps that are found with [`Press::matrix`], which bounds it from above, then
//! go downhill on [`Press::energy`], and line searches can trust it. A potential whose λ followed the gap would not have the gradient that is used, and line searches on it
//! gave up: bodies fell through the floor for some steps and were thrown out again.

use crate::contact::Rub;
use sinew_math::{DMat3, DVec3, Sym3};

/// Below this sliding speed friction is viscous, metres per second.
const STICK_SPEED: f64 = 1e-4;
/// Share of a penetration that is repaired in one step; in an implicit step repair is speed, and all at once would pop.
const REPAIR: f64 = 0.25;

/// What stays the same about a contact in an interval, but for λ.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ContactSpring {
    pub(crate) normal: DVec3,
    /// Where the point would be if it stuck, from whatever it is measured from.
    pub(crate) still: DVec3,
    pub(crate) stiffness: f64,
    /// What of a penetration may stay.
    least_m: f64,
    pressed_n: f64,
    /// Whether it is taken for one that presses wherever it is.
    is_expected: bool,
}

/// What a contact does at a place.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Press {
    pub(crate) gradient: DVec3,
    pub(crate) matrix: Sym3,
    pub(crate) energy: f64,
}

impl ContactSpring {
    /// `first_gap_m` is the gap when the interval began.
    pub(crate) fn new(normal: DVec3, still: DVec3, stiffness: f64, first_gap_m: f64) -> Self {
        Self {
            normal,
            still,
            stiffness,
            least_m: first_gap_m.min(0.0) * (1.0 - REPAIR),
            pressed_n: 0.0,
            is_expected: false,
        }
    }

    /// A spring that presses once something has moved by `least_m` along the normal; places are how far it has moved.
    pub(crate) fn allowing(normal: DVec3, stiffness: f64, least_m: f64) -> Self {
        Self { normal, still: DVec3::ZERO, stiffness, least_m, pressed_n: 0.0, is_expected: false }
    }

    /// Friction goes by what presses at this gap, until it is looked at again.
    pub(crate) fn look(&mut self, gap_m: f64) {
        self.pressed_n = self.stiffness * (self.least_m - gap_m).max(0.0);
        self.is_expected = false;
    }

    /// A step would lead to this gap: where it presses there, the next step is found with it.
    pub(crate) fn expect(&mut self, gap_m: f64) {
        self.is_expected |= gap_m < self.least_m;
    }

    /// What the contact does at `x` where the gap is `gap_m`: nothing where it neither presses nor did when looked at.
    /// `rub(slide, pressed_n, least_speed)` is friction.
    #[inline]
    pub(crate) fn press(&self, x: DVec3, gap_m: f64, h: f64, rub: impl Fn(DVec3, f64, f64) -> Rub) -> Option<Press> {
        let (gap, n) = (gap_m - self.least_m, self.normal);
        let presses = gap < 0.0;
        if !presses && self.pressed_n == 0.0 && !self.is_expected {
            return None;
        }
        let speed = (x - self.still) / h;
        let slide = speed - n * speed.dot(n);
        let Rub { drag, potential_w } = rub(slide, self.pressed_n, STICK_SPEED);
        let k = if presses || self.is_expected { self.stiffness } else { 0.0 };
        Some(Press {
            gradient: n * (k * gap) + drag * slide,
            matrix: Sym3::along(n, k) + drag * (1.0 / h),
            energy: 0.5 * self.stiffness * gap.min(0.0).powi(2) + h * potential_w,
        })
    }
}

impl Press {
    /// The same in another frame.
    pub(crate) fn turned(&self, turn: DMat3) -> Self {
        Self { gradient: turn * self.gradient, matrix: self.matrix.turned(turn), energy: self.energy }
    }
}
