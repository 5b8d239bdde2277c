//! The spin that implicit Euler takes from a body, given back.
//!
//! A step `v₁ = v₀ + h M⁻¹ f(x₁)`, `x₁ = x₀ + h v₁` has its forces act at the arms of the end. They change `Σ x₁ × m v` as they should, but the
//! angular momentum that the step began with was `Σ x₀ × m v₀`: what is lost is `h Σ m v₀ × v₁`, whatever the forces are. At ω rad/s that is
//! the share (hω)² of the spin in every step. It is put back as a rigid spin of the velocities about the body's centre, so that momentum, places and
//! deformation stay those of the step. The midpoint rule loses none of it.
//!
//! In a body with pins the spin is the one that they leave free, as in `wobble.rs`: about one pin, about a line of pins, none.

use crate::rigid_body::inverse_inertia;
use crate::wobble::pin_weight_kg;
use crate::{BodyState, Flesh, Pin};
use sinew_math::rotation::{mass_centre, nearest_rotation, outer};
use sinew_math::{DMat3, DQuat, DVec3};

/// Where contact, pins, goals or drag act on the body, no more is given back than so many times what its spin loses: the rest is of blows and
/// shivers, which contact has balanced as the step has them.
const OF_SPIN: f64 = 2.0;
/// Spin that turns by more than half a radian in a step, squared, is not resolved: nothing is given back.
const MOST_OF_SPIN: f64 = 0.25;
/// Velocities of steady spin are along chords: so many times (hω)² of their energy leads outwards, with a margin (a quarter).
const OUTWARDS: f64 = 0.3;

/// Radians that inner forces turn a body by in a step before places are turned back; less than this is not seen in a shot.
const WORTH_A_TURN: f64 = 1e-7;

/// A step that has been written to a body's state.
pub(crate) struct Stepped<'a> {
    pub(crate) flesh: &'a Flesh,
    pub(crate) pins: &'a [Pin],
    /// Velocities when the step began.
    pub(crate) start_v: &'a [DVec3],
    pub(crate) h_secs: f64,
    pub(crate) rule: Rule,
}

/// How a step went through time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Rule {
    Euler,
    Midpoint,
}

impl Rule {
    /// How often the interval that is solved for fits into the step.
    pub(crate) fn steps(self) -> f64 {
        match self {
            Self::Euler => 1.0,
            Self::Midpoint => 2.0,
        }
    }
}

impl Stepped<'_> {
    /// Gives back the spin that was lost. `inner` is the change of velocity by inner forces, of a body on which nothing but outer forces acts: inner torque is
    /// none, and what an unfinished solve left of it is taken back too, from places and velocities.
    pub(crate) fn restore_spin(&self, state: &mut BodyState, inner: Option<&dyn Fn(usize) -> DVec3>) {
        let Some(inner) = inner else { return self.restore_velocities(state, None) };
        match self.turn_back(state, inner) {
            Some(gained) => self.restore_velocities(state, Some(&|i| inner(i) + gained[i])),
            None => self.restore_velocities(state, Some(inner)),
        }
    }

    /// Takes back the turn that inner forces made in an unfinished solve: a stiff body is turned by the rounding of its own forces, by degrees in a step where muscles
    /// load it beyond the digits of f32. Returns what velocities gained by it, where it is worth the while.
    fn turn_back(&self, state: &mut BodyState, inner: &dyn Fn(usize) -> DVec3) -> Option<Vec<DVec3>> {
        let Self { flesh, start_v, h_secs, rule, .. } = *self;
        let (centre, first, last) = self.means(state);
        let arm_back_secs = 0.25 * (rule.steps() - 1.0) * h_secs;
        let (mut unbalanced, mut spread) = (DVec3::ZERO, DMat3::ZERO);
        for (i, ((x, v), m)) in state.x.iter().zip(&state.v).zip(&flesh.mass_kg).enumerate() {
            let r = *x - centre;
            unbalanced += (r - (start_v[i] - first + *v - last) * arm_back_secs).cross(inner(i)) * *m;
            spread += outer(r * *m, r);
        }
        let turn = inverse_inertia(spread) * unbalanced * (-h_secs / rule.steps());
        if !turn.is_finite() || turn.length() < WORTH_A_TURN {
            return None;
        }
        let turn = DQuat::from_scaled_axis(turn);
        let back = |(x, v): (&mut DVec3, &mut DVec3)| {
            let moved = turn * (*x - centre) - (*x - centre);
            let gained = moved * (rule.steps() / h_secs);
            (*x, *v) = (*x + moved, *v + gained);
            gained
        };
        Some(state.x.iter_mut().zip(&mut state.v).map(back).collect())
    }

    fn restore_velocities(&self, state: &mut BodyState, inner: Option<&dyn Fn(usize) -> DVec3>) {
        let Self { flesh, pins, start_v, h_secs, rule } = *self;
        if rule == Rule::Midpoint && inner.is_none() {
            return;
        }
        let (centre, first, last) = self.means(state);
        let arm_back_secs = if rule == Rule::Midpoint { 0.5 * h_secs } else { 0.0 };
        let mut sums = Sums::ZERO;
        for (i, ((x, v), m)) in state.x.iter().zip(&state.v).zip(&flesh.mass_kg).enumerate() {
            let r = *x - centre;
            let (before, now) = (start_v[i] - first, *v - last);
            sums.add(r, before, now, *m);
            if let Some(inner) = inner {
                let arm = r - (before + now) * (0.5 * arm_back_secs);
                sums.unbalanced += arm.cross(inner(i)) * *m;
            }
        }
        let pin_kg = pin_weight_kg(flesh, pins);
        for pin in pins {
            let before = flesh.anchors.at(pin.at, start_v) - first;
            sums.add(flesh.anchors.at(pin.at, &state.x) - centre, before, pin.velocity - last, pin_kg);
        }
        let spread_m2 = sums.spread.x_axis.x + sums.spread.y_axis.y + sums.spread.z_axis.z;
        // What moves by more than half its own reach in a step is flung, not turned.
        if inner.is_none() && sums.last_square * h_secs * h_secs > MOST_OF_SPIN * spread_m2 {
            return;
        }
        let ease = inverse_inertia(sums.spread);
        let lost = if rule == Rule::Euler { sums.crossed * h_secs } else { DVec3::ZERO };
        let back = match inner {
            Some(_) => lost - sums.unbalanced,
            None => lost.clamp_length_max(most_of_spin(ease * sums.angular, h_secs) * sums.angular.length()),
        };
        let (spin, more) = (ease * sums.angular, ease * back);
        if more == DVec3::ZERO || !more.is_finite() {
            return;
        }
        // Velocities of Euler's steady spin are along chords, which lead outwards: that is no wobble. What is left has no angular momentum. Where something
        // touches the body there is no steady spin.
        let chord_secs = if rule == Rule::Euler && inner.is_some() { 0.5 * h_secs } else { 0.0 };
        let tilt = spin + ease * (spin.cross(sums.spread * spin) * -chord_secs);
        let wobble = |v: DVec3, r: DVec3| v - last - tilt.cross(r) + spin.cross(spin.cross(r)) * chord_secs;
        let points = || state.x.iter().zip(&state.v).zip(&flesh.mass_kg);
        let square = match inner {
            Some(_) => points().map(|((x, v), m)| wobble(*v, *x - centre).length_squared() * m).sum(),
            None => sums.last_square - spin.dot(sums.angular),
        };
        let surplus = sums.surplus(spin, more, back, h_secs);
        let left = if surplus > 0.0 && square > 0.0 { (1.0 - surplus / square).max(0.0).sqrt() } else { 1.0 };
        for (v, x) in state.v.iter_mut().zip(&state.x) {
            let r = *x - centre;
            *v += more.cross(r) - wobble(*v, r) * (1.0 - left);
        }
    }

    /// Centre, and mean velocities at the start and now; pins count as in `wobble.rs`.
    fn means(&self, state: &BodyState) -> (DVec3, DVec3, DVec3) {
        let Self { flesh, pins, start_v, .. } = *self;
        let (mut place, mut first, mut last) = (DVec3::ZERO, DVec3::ZERO, DVec3::ZERO);
        for (((x, v), before), m) in state.x.iter().zip(&state.v).zip(start_v).zip(&flesh.mass_kg) {
            place += (*x - state.origin) * *m;
            first += *before * *m;
            last += *v * *m;
        }
        let pin_kg = pin_weight_kg(flesh, pins);
        for pin in pins {
            place += (flesh.anchors.at(pin.at, &state.x) - state.origin) * pin_kg;
            first += flesh.anchors.at(pin.at, start_v) * pin_kg;
            last += pin.velocity * pin_kg;
        }
        let total = flesh.total_mass_kg() + pin_kg * pins.len() as f64;
        (state.origin + place / total, first / total, last / total)
    }
}

struct Sums {
    /// Σ m v₀ × v₁ and Σ m r × v₁.
    crossed: DVec3,
    angular: DVec3,
    /// Σ m v₀² and Σ m v₁².
    first_square: f64,
    last_square: f64,
    /// Σ m r rᵀ.
    spread: DMat3,
    /// Angular momentum by inner forces.
    unbalanced: DVec3,
}

impl Sums {
    const ZERO: Self = Self {
        crossed: DVec3::ZERO,
        angular: DVec3::ZERO,
        first_square: 0.0,
        last_square: 0.0,
        spread: DMat3::ZERO,
        unbalanced: DVec3::ZERO,
    };

    fn add(&mut self, r: DVec3, before: DVec3, now: DVec3, m: f64) {
        // As a difference, so that what moves on evenly crosses with nothing.
        self.crossed += before.cross(now - before) * m;
        self.angular += r.cross(now) * m;
        self.first_square += before.length_squared() * m;
        self.last_square += now.length_squared() * m;
        self.spread += outer(r * m, r);
    }

    /// Twice the kinetic energy that a body would have beyond that before the step when `more` spin is given to `spin`, `back` in terms of angular momentum: it
    /// pays for it with its wobble. Steady spin pays nothing: its velocities are along chords, which lead outwards by hω/2 of their own length.
    fn surplus(&self, spin: DVec3, more: DVec3, back: DVec3, h_secs: f64) -> f64 {
        let gained = 2.0 * more.dot(self.angular) + more.dot(back);
        let outwards = OUTWARDS * h_secs * h_secs * spin.length_squared() * spin.dot(self.angular);
        self.last_square + gained - self.first_square.max(self.last_square) - outwards
    }
}

/// The largest share of angular momentum that is given back to a body that spins by `spin` rad/s.
fn most_of_spin(spin: DVec3, h_secs: f64) -> f64 {
    let turn = h_secs * h_secs * spin.length_squared();
    if turn < MOST_OF_SPIN { OF_SPIN * turn } else { 0.0 }
}

/// Gives a step's forces the arms that points have `by_secs` later: their torque changes by `Σ (by v) × f`, which a rigid spin carries.
pub(crate) fn shift_arms(flesh: &Flesh, force_n: &[DVec3], state: &mut BodyState, h_secs: f64, by_secs: f64) {
    let centre = mass_centre(&state.x, &flesh.mass_kg);
    let drift = mass_centre(&state.v, &flesh.mass_kg);
    let (mut torque, mut spread) = (DVec3::ZERO, DMat3::ZERO);
    for (i, force) in force_n.iter().enumerate() {
        let r = state.x[i] - centre;
        torque += ((state.v[i] - drift) * by_secs).cross(*force);
        spread += outer(r * flesh.mass_kg[i], r);
    }
    let spin = inverse_inertia(spread) * (torque * h_secs);
    if spin.is_finite() {
        state.v.iter_mut().zip(&state.x).for_each(|(v, x)| *v += spin.cross(*x - centre));
    }
}

/// A body's places from its origin, carried on by the turn that its velocities and `force_n` make in `h_secs`, and that turn. Damping by stiffness measures from there, so
/// that it feels deformation and not spin.
pub(crate) fn carried(
    mass_kg: &[f64],
    state: &BodyState,
    force_n: &[DVec3],
    h_secs: f64,
    places: &mut Vec<DVec3>,
) -> DQuat {
    let turn = turn_ahead(mass_kg, state, force_n, h_secs);
    let matrix = DMat3::from_quat(turn);
    places.clear();
    places.extend(state.x.iter().map(|x| matrix * (*x - state.origin)));
    turn
}

/// The rotation nearest to the way from a body's places to those that its velocities and `force_n` lead to; forces may be left out.
pub(crate) fn turn_ahead(mass_kg: &[f64], state: &BodyState, force_n: &[DVec3], h_secs: f64) -> DQuat {
    let drift = mass_centre(&state.v, mass_kg);
    let points = state.x.iter().zip(&state.v).zip(mass_kg).enumerate();
    // Momentum by forces: their mean drops out, since arms sum to nothing.
    let pushed = |i: usize| force_n.get(i).map_or(DVec3::ZERO, |force| *force * (h_secs * h_secs));
    let spread = points.fold(DMat3::ZERO, |sum, (i, ((x, v), m))| {
        let r = *x - state.origin;
        sum + outer((r + (*v - drift) * h_secs) * *m + pushed(i), r)
    });
    let turn = nearest_rotation(spread);
    if turn.is_finite() { turn } else { DQuat::IDENTITY }
}
