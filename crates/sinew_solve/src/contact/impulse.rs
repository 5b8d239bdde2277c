//! The answer of one contact among many: projected Gauss–Seidel on impulses.
//!
//! Each contact keeps the impulse it has given so far and changes it, sweep after sweep, until it neither pulls nor lets
//! anything through (Jean, Moreau: "Unilaterality and dry friction in the dynamics of rigid body collections", 1992; the
//! same as "sequential impulses"). Penetration that is there already is repaired by a push that moves but leaves no
//! velocity behind (Guendelman, Bridson, Fedkiw, "Nonconvex rigid bodies with stacking", SIGGRAPH 2003, separate
//! position and velocity alike), so that nothing pops.

use sinew_math::DVec3;

/// What one contact has given so far in this interval. All of it is per interval, N s.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Impulse {
    /// Along the normal, never below 0.
    pub normal: f64,
    /// Across it: friction.
    pub across: DVec3,
    /// Along the normal, for places alone.
    pub push: f64,
}

/// What a contact must know to answer.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Meeting {
    pub normal: DVec3,
    /// 1 / Σ w²/m over both sides, kg.
    pub mass_kg: f64,
    /// The relative velocity along the normal that is just allowed: −gap/h, at most 0.
    pub least_speed: f64,
    /// The speed at which penetration is repaired.
    pub push_speed: f64,
}

impl Meeting {
    /// `gap_m` is the gap when the interval begins; `repair_m` how much of a penetration is repaired in it.
    pub fn new(normal: DVec3, inverse_mass: f64, gap_m: f64, h_secs: f64, repair_m: f64) -> Option<Self> {
        (inverse_mass > 0.0).then(|| Self {
            normal,
            mass_kg: 1.0 / inverse_mass,
            least_speed: -gap_m.max(0.0) / h_secs,
            push_speed: repair_m.max(0.0) / h_secs,
        })
    }
}

impl Impulse {
    /// The change of impulse that the relative velocity `v` still asks for, `friction` being Coulomb's coefficient
    /// against a slide.
    #[inline(always)]
    pub fn answer(&mut self, meeting: &Meeting, v: DVec3, friction: impl Fn(DVec3) -> f64) -> DVec3 {
        self.answer_within(meeting, v, |wanted, pressed| {
            // The slide that friction holds against is the one there would be without it.
            let (most, square) = (friction(-wanted) * pressed, wanted.length_squared());
            if square > most * most { wanted * (most / square.sqrt()) } else { wanted }
        })
    }

    /// The same, where `hold(wanted, pressed)` gives what friction can do of the impulse across the normal that would stop the
    /// slide, under an impulse `pressed` along it.
    #[inline(always)]
    pub fn answer_within(&mut self, meeting: &Meeting, v: DVec3, hold: impl Fn(DVec3, f64) -> DVec3) -> DVec3 {
        let Meeting { normal, mass_kg, least_speed, .. } = *meeting;
        let speed = v.dot(normal);
        let before = *self;
        self.normal = (before.normal - (speed - least_speed) * mass_kg).max(0.0);
        if self.normal == 0.0 && before.normal == 0.0 {
            return DVec3::ZERO;
        }
        let slide = v - normal * speed;
        self.across = hold(before.across - slide * mass_kg, self.normal);
        normal * (self.normal - before.normal) + (self.across - before.across)
    }

    /// The same for the velocity of pushes, along the normal.
    #[inline(always)]
    pub fn push(&mut self, meeting: &Meeting, speed: f64) -> f64 {
        let before = self.push;
        self.push = (before + (meeting.push_speed - speed) * meeting.mass_kg).max(0.0);
        self.push - before
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Friction;
    use sinew_math::dvec3;

    fn on_floor(v: DVec3, friction: Friction) -> DVec3 {
        let meeting = Meeting::new(DVec3::Y, 1.0, 0.0, 0.01, 0.0).unwrap();
        let mut impulse = Impulse::default();
        let hold = |wanted, pressed| friction.held(wanted, pressed, DVec3::X);
        (0..20).fold(v, |v, _| v + impulse.answer_within(&meeting, v, hold))
    }

    /// Known answer 17: on an incline of slope φ a point slides if and only if tan φ > μ.
    #[test]
    fn a_point_slides_when_the_slope_exceeds_friction() {
        for (slope, slides) in [(0.29f64, false), (0.31, true)] {
            let v = on_floor(dvec3(slope, -1.0, 0.0) * 9.81 * 0.01, Friction::even(0.3));
            assert_eq!(v.length() > 1e-12, slides, "slope {slope} gave {v}");
        }
    }

    #[test]
    fn bristles_slide_forward_and_hold_backward() {
        let friction = Friction { forward: 0.1, backward: 0.9, sideways: 0.5 };
        let forward = on_floor(dvec3(1.0, -2.0, 0.0), friction).x;
        assert!((forward - 0.8).abs() < 1e-12, "{forward}");
        assert!(on_floor(dvec3(-1.0, -2.0, 0.0), friction).x.abs() < 1e-12);
    }

    /// What slides askew over scales is driven along them: they hold sideways and let go lengthwise. That is how a snake crawls.
    #[test]
    fn scales_turn_a_slide_lengthwise() {
        let friction = Friction { forward: 0.1, backward: 0.1, sideways: 0.8 };
        let v = dvec3(1.0, -0.5, 1.0);
        let after = on_floor(v, friction);
        assert!(after.z < 0.62 && after.x > 0.98, "{after}");
        // Even friction only slows it down.
        let even = on_floor(v, Friction::even(0.5));
        assert!((even.x - even.z).abs() < 1e-12 && even.x > 0.0, "{even}");
    }

    #[test]
    fn penetration_is_repaired_without_leaving_speed_behind() {
        let meeting = Meeting::new(DVec3::Y, 2.0, -0.03, 0.01, 0.03).unwrap();
        let mut impulse = Impulse::default();
        assert_eq!(impulse.answer(&meeting, DVec3::ZERO, |_| 0.5), DVec3::ZERO);
        assert!((impulse.push(&meeting, 0.0) * 2.0 * 0.01 - 0.03).abs() < 1e-15);
        assert_eq!(impulse.push(&meeting, 3.0), 0.0);
    }
}
