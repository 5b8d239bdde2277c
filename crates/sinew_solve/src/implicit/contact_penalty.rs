//! Penalty contact with lagged Coulomb friction: a stiff one-sided spring, and friction whose bound uses the normal force of the
//! previous iterate.
//!
//! With that normal force λ frozen, friction has a potential: λ μ times the slide, rounded off below `CONTACT.penalty.stick_speed` (as in Li, Ferguson, Schneider et al., "Incremental
//! Potential Contact", SIGGRAPH 2020, §5, with a round-off of the first order). [`PenaltyForce::energy`] is that, and line searches can trust it. A potential whose λ followed
//! the gap would not have the gradient that is used, and line searches on it gave up: bodies fell through the floor for some steps and were thrown out again.
//!
//! [`PenaltyForce::matrix`] is for those who find all unknowns of a slide at once. Where a contact slid when the interval began and slides on, it is the true second derivative: along the slide there is
//! none, so that the speed is what inertia and elasticity say, found in one step. Everywhere else it is [`PenaltyForce::bound`], which bounds the potential from above, so that
//! steps do not cross the kink at rest; with it, speed grows by no more than a share of itself (load against μ λ) in an iteration, and what barely slides comes near its speed by a
//! few per cent at a time. Where that way foreseeably ends in a slide ([`SlideTrend`]), the rest of it is taken by the second derivative. Those who move one point after the other step by the bound always.

use super::slide_trend::SlideTrend;
use crate::contact::{CONTACT, Rub};
use sinew_math::{DMat3, DVec3, Sym3};

/// Share of a penetration of two bodies that is repaired in a step.
fn repair_between(h: f64) -> f64 {
    CONTACT.penalty.repair.min(CONTACT.penalty.repair_per_sec * h)
}

/// The least penalty stiffness of each of the `contacts` between two bodies, N/m. At rest the load sinks in by `CONTACT.penalty.resting_depth` of `size_m`; a blow
/// stops within a tenth of its way in a step. A vertex's own mass and stiffness do not know what leans on it.
pub(crate) fn carrying_stiffness(load_n: f64, mass_kg: f64, h: f64, size_m: f64, contacts: usize) -> f64 {
    let at_rest = load_n / (repair_between(h) * CONTACT.penalty.resting_depth * size_m);
    let blow = 10.0 * mass_kg / (h * h);
    (at_rest + blow) / contacts.max(CONTACT.penalty.min_carriers) as f64
}

/// The spring of a contact.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Stiffness {
    pub(crate) n_per_m: f64,
    /// Deeper than this it is `CONTACT.penalty.deep_stiffness` times as stiff.
    pub(crate) deep_m: f64,
    /// The size of its body.
    pub(crate) size_m: f64,
}

impl Stiffness {
    /// Two springs, one behind the other: those between bodies. They do not stiffen. Many contacts between limp parts come and go within a step, and with stiff ones Newton's method did not get to
    /// the end of it: a bar of springs that folds got 1.4 cm into itself.
    pub(crate) fn with(self, other: Self) -> Self {
        let (a, b) = (self.n_per_m, other.n_per_m);
        Self { n_per_m: a * b / (a + b), deep_m: f64::INFINITY, size_m: self.size_m.min(other.size_m) }
    }

    /// At least as stiff as this.
    pub(crate) fn at_least(self, n_per_m: f64) -> Self {
        Self { n_per_m: self.n_per_m.max(n_per_m), ..self }
    }

    pub(crate) fn times(self, factor: f64) -> Self {
        Self { n_per_m: self.n_per_m * factor, ..self }
    }

    /// Below this sliding speed friction is viscous.
    fn stick_speed(&self) -> f64 {
        CONTACT.penalty.stick_speed * self.size_m
    }

    /// Force, slope and energy where it is pressed in by `depth_m`, at least 0.
    fn pressed(&self, depth_m: f64) -> (f64, f64, f64) {
        let k = self.n_per_m;
        let deeper = depth_m - self.deep_m;
        if deeper <= 0.0 {
            return (k * depth_m, k, 0.5 * k * (depth_m * depth_m));
        }
        let (force, stiff) = (k * self.deep_m, CONTACT.penalty.deep_stiffness * k);
        (force + stiff * deeper, stiff, 0.5 * force * self.deep_m + (force + 0.5 * stiff * deeper) * deeper)
    }
}

/// What stays the same about a contact in an interval, but for λ.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ContactPenalty {
    pub(crate) normal: DVec3,
    /// Where the point would be if it stuck, from whatever it is measured from.
    pub(crate) still: DVec3,
    stiffness: Stiffness,
    /// The velocity with which it slides on: what slid when the interval began, until that is in doubt, or what foreseeably will.
    slid: DVec3,
    trend: SlideTrend,
    /// What of a penetration may stay.
    least_m: f64,
    pressed_n: f64,
    /// By how much that last went up or down.
    change_n: f64,
    /// Which share of a change is taken by those who relax it.
    share: f64,
    /// Whether the contact is taken for a closed one wherever it is.
    is_assumed_active: bool,
}

/// What a contact does at a place.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PenaltyForce {
    pub(crate) gradient: DVec3,
    pub(crate) matrix: Sym3,
    pub(crate) bound: Sym3,
    pub(crate) energy: f64,
}

impl ContactPenalty {
    /// `first_gap_m` is the gap when the interval began, `velocity` the point's against what it touches.
    pub(crate) fn new(normal: DVec3, still: DVec3, stiffness: Stiffness, first_gap_m: f64, velocity: DVec3) -> Self {
        let slid = velocity - normal * velocity.dot(normal);
        Self {
            slid: if slid.length() > stiffness.stick_speed() { slid } else { DVec3::ZERO },
            trend: SlideTrend::default(),
            normal,
            still,
            stiffness,
            least_m: first_gap_m.min(0.0) * (1.0 - CONTACT.penalty.repair),
            pressed_n: 0.0,
            change_n: 0.0,
            share: 1.0,
            is_assumed_active: false,
        }
    }

    /// The same between two bodies, in a step of `h`.
    pub(crate) fn between(
        normal: DVec3,
        still: DVec3,
        stiffness: Stiffness,
        first_gap_m: f64,
        velocity: DVec3,
        h: f64,
    ) -> Self {
        let least_m = first_gap_m.min(0.0) * (1.0 - repair_between(h));
        Self { least_m, ..Self::new(normal, still, stiffness, first_gap_m, velocity) }
    }

    /// A spring that presses once something has moved by `least_m` along the normal; places are how far it has moved. `velocity` is what it would have without contact.
    pub(crate) fn allowing(normal: DVec3, n_per_m: f64, least_m: f64, size_m: f64, velocity: DVec3) -> Self {
        let stiffness = Stiffness { n_per_m, deep_m: f64::INFINITY, size_m };
        Self { least_m, ..Self::new(normal, DVec3::ZERO, stiffness, 0.0, velocity) }
    }

    /// Takes the normal force at this gap for friction, until the next update.
    pub(crate) fn update_normal_force(&mut self, gap_m: f64) {
        let change_n = self.force_n(gap_m) - self.pressed_n;
        // What presses less is rubbed less, tips the other way and presses more: half of each swing finds the middle.
        let share = if change_n * self.change_n < 0.0 { 0.5 } else { 1.0 };
        self.change_normal_force(change_n, share);
    }

    /// The same for Newton's method, which moves all points at once. On what is stiff the normal forces of a dozen contacts chase each other in circles of three
    /// iterations: a slab of 10 MPa stuck on a slope by it. Each time that a force turns round, a smaller share of its change is taken.
    pub(crate) fn relax_normal_force(&mut self, gap_m: f64) {
        let change_n = self.force_n(gap_m) - self.pressed_n;
        if change_n * self.change_n < 0.0 {
            self.share = (0.5 * self.share).max(CONTACT.penalty.min_friction_share);
        }
        self.change_normal_force(change_n, self.share);
    }

    fn change_normal_force(&mut self, change_n: f64, share: f64) {
        self.pressed_n += change_n * share;
        if change_n != 0.0 {
            self.change_n = change_n;
        }
        self.is_assumed_active = false;
    }

    /// The same without a memory of the last update, for what two bodies do to each other under descent: both have moved since, and half of a swing that is none keeps friction where
    /// nothing presses any more. A tower of ten crept by 1.5 % of an edge in ten seconds with it, 0.6 % without.
    pub(crate) fn reset_normal_force(&mut self, gap_m: f64) {
        self.pressed_n = self.force_n(gap_m);
        self.is_assumed_active = false;
    }

    /// The same for sweeps that move one point after the other: what pressed by more than its gap would take stays a contact. Let go, it would fall in until the next sweep
    /// threw it out again.
    pub(crate) fn keep_active(&mut self, gap_m: f64) {
        let still_presses = self.still_presses(gap_m);
        self.update_normal_force(gap_m);
        self.is_assumed_active = still_presses;
    }

    /// Whether its normal force is larger than what it takes to open this gap.
    pub(crate) fn still_presses(&self, gap_m: f64) -> bool {
        self.pressed_n > self.stiffness.n_per_m * (gap_m - self.least_m)
    }

    fn force_n(&self, gap_m: f64) -> f64 {
        self.stiffness.pressed((self.least_m - gap_m).max(0.0)).0
    }

    /// The objective rose on a step to this gap. If the contact is closed there, the next step assumes it active; if it slid, it may stop.
    pub(crate) fn assume_active(&mut self, gap_m: f64) {
        self.is_assumed_active |= gap_m < self.least_m;
        self.drop_sliding_assumption();
    }

    /// Whether the next step takes it for a closed contact wherever it is.
    pub(crate) fn set_assumed_active(&mut self, is_active: bool) {
        self.is_assumed_active = is_active;
    }

    /// Drops the assumption that a sliding contact keeps sliding; whether there was one.
    pub(crate) fn drop_sliding_assumption(&mut self) -> bool {
        self.trend = SlideTrend::default();
        std::mem::take(&mut self.slid) != DVec3::ZERO
    }

    /// Takes note of an iterate of Newton's method: what foreseeably slides is taken to slide on, if it `is_near` its end. Before that contacts come and go, and slides mislead: a stack did not converge by them.
    pub(crate) fn follow_slide(&mut self, x: DVec3, h: f64, is_near: bool) {
        let slide = self.slide_at(x, h);
        let slides_on = self.trend.leads_to_sliding(slide, self.stiffness.stick_speed()) && is_near;
        if slides_on && self.slid == DVec3::ZERO {
            self.slid = slide;
        }
    }

    fn slide_at(&self, x: DVec3, h: f64) -> DVec3 {
        let speed = (x - self.still) / h;
        speed - self.normal * speed.dot(self.normal)
    }

    /// Gradient, matrix and energy at `x` where the gap is `gap_m`; none for a contact that is open and was so at the last update.
    /// `rub(slide, pressed_n, least_speed)` is friction.
    #[inline]
    pub(crate) fn evaluate(
        &self,
        x: DVec3,
        gap_m: f64,
        h: f64,
        rub: impl Fn(DVec3, f64, f64) -> Rub,
    ) -> Option<PenaltyForce> {
        let (gap, n) = (gap_m - self.least_m, self.normal);
        let presses = gap < 0.0;
        if !presses && self.pressed_n == 0.0 && !self.is_assumed_active {
            return None;
        }
        let slide = self.slide_at(x, h);
        let rub = rub(slide, self.pressed_n, self.stiffness.stick_speed());
        let curvature = if slide.dot(self.slid) > 0.0 { rub.curvature(slide) } else { rub.drag };
        let (force, slope, energy) = self.stiffness.pressed((-gap).max(0.0));
        let pushes = Sym3::along(n, if presses || self.is_assumed_active { slope } else { 0.0 });
        let push = if force > self.stiffness.n_per_m * self.stiffness.deep_m { n * -force } else { pushes * (n * gap) };
        Some(PenaltyForce {
            gradient: push + rub.drag * slide,
            matrix: pushes + curvature * (1.0 / h),
            bound: pushes + rub.drag * (1.0 / h),
            energy: energy + h * rub.potential_w,
        })
    }
}

impl PenaltyForce {
    /// The same in another frame.
    pub(crate) fn turned(&self, turn: DMat3) -> Self {
        let Self { gradient, matrix, bound, energy } = *self;
        Self { gradient: turn * gradient, matrix: matrix.turned(turn), bound: bound.turned(turn), energy }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Force and slope are the first and second differences of the energy, before and beyond the kink.
    #[test]
    fn a_spring_that_stiffens_has_a_potential() {
        let spring = Stiffness { n_per_m: 3.0, deep_m: 0.2, size_m: 1.0 };
        for depth in [0.1, 0.19, 0.21, 0.5] {
            let (force, slope, _) = spring.pressed(depth);
            let d = 1e-5;
            let [(ahead, _, up), (behind, _, down)] = [depth + d, depth - d].map(|depth| spring.pressed(depth));
            assert!(((up - down) / (2.0 * d) - force).abs() < 1e-8, "force at {depth}");
            assert!(((ahead - behind) / (2.0 * d) - slope).abs() < 1e-8, "slope at {depth}");
        }
    }
}
