//! The answers of sixteen contacts of whole bodies at once: [`crate::contact::Impulse`] in lanes.
//!
//! Impulses are found on velocities in f32, and what has been found acts in f64 on both sides at the end: what one side gives
//! is then what the other takes, to the last bit of f64.

use crate::Friction;
use crate::contact::Meeting;
use crate::simd::gather::{Gather, Numbers, Point};
use crate::simd::{BLOCK, Lanes, Slot, three};
use sinew_math::DVec3;

/// Velocities of bodies: how they move and how they turn.
#[derive(Debug, Default)]
pub(super) struct BodyMotions {
    velocity: Vec<Point>,
    spin: Vec<Point>,
}

/// Velocities (x, y, z) and spins of sixteen bodies.
pub(super) type Motions = [Slot; 6];

impl BodyMotions {
    pub(super) fn clear(&mut self) {
        self.velocity.clear();
        self.spin.clear();
    }

    pub(super) fn push(&mut self, velocity: DVec3, spin: DVec3) {
        let point = |v: DVec3| Point([v.x as f32, v.y as f32, v.z as f32, 0.0]);
        self.velocity.push(point(velocity));
        self.spin.push(point(spin));
    }

    /// The last body stands still.
    #[inline(always)]
    pub(super) fn stop_last(&mut self) {
        for last in [self.velocity.last_mut(), self.spin.last_mut()].into_iter().flatten() {
            *last = Point::ZERO;
        }
    }

    #[inline(always)]
    fn check(&self, bodies: &Numbers) {
        let count = self.velocity.len().min(self.spin.len());
        assert!(bodies.0.iter().fold(0, |most, &body| most.max(body)) < count as u32, "a contact names no body");
    }

    #[inline(always)]
    pub(super) fn gather<L: Gather>(&self, bodies: &Numbers, into: &mut Motions) {
        self.check(bodies);
        for at in (0..BLOCK).step_by(L::WIDTH) {
            // SAFETY: all of them are there.
            let (v, w) = unsafe { (L::gather(&self.velocity, bodies, at), L::gather(&self.spin, bodies, at)) };
            three!(K => v[K].store(&mut into[K], at));
            three!(K => w[K].store(&mut into[K + 3], at));
        }
    }

    #[inline(always)]
    pub(super) fn scatter<L: Gather>(&mut self, from: &Motions, bodies: &Numbers) {
        self.check(bodies);
        for at in (0..BLOCK).step_by(L::WIDTH) {
            // SAFETY: all of them are there.
            unsafe {
                L::scatter(three!(K => L::load(&from[K], at)), &mut self.velocity, bodies, at);
                L::scatter(three!(K => L::load(&from[K + 3], at)), &mut self.spin, bodies, at);
            }
        }
    }
}

/// What sixteen contacts must know to answer, and what they have given so far.
#[derive(Debug, Clone)]
pub(super) struct Answers {
    pub(super) normal: [Slot; 3],
    /// kg, and its inverse; 0 in lanes without a contact, which never give anything.
    mass: Slot,
    inverse_mass: Slot,
    least_speed: Slot,
    /// The velocity of an obstacle's surface.
    surface: [Slot; 3],
    friction: [Rough; 2],
    /// Whether friction depends on the direction in one of the lanes.
    directed: bool,
    given: Slot,
    across: [Slot; 3],
}

/// Friction of one side: [`Friction`] and its forward direction.
#[derive(Debug, Clone)]
struct Rough {
    forward: Slot,
    backward: Slot,
    sideways: Slot,
    along: [Slot; 3],
}

impl Rough {
    const SMOOTH: Self =
        Self { forward: Slot::ZERO, backward: Slot::ZERO, sideways: Slot::ZERO, along: [Slot::ZERO; 3] };

    fn set(&mut self, lane: usize, friction: &Friction, along: DVec3) {
        self.forward.0[lane] = friction.forward as f32;
        self.backward.0[lane] = friction.backward as f32;
        self.sideways.0[lane] = friction.sideways as f32;
        put(&mut self.along, lane, along);
    }

    /// The squared coefficient against a slide along `way`, whose length is `length`.
    #[inline(always)]
    fn against_squared<L: Lanes>(&self, at: usize, way: [L; 3], length: L) -> L {
        let along = three!(K => L::load(&self.along[K], at));
        let cosine = (way[0] * along[0] + way[1] * along[1] + way[2] * along[2]) / length;
        let ahead = L::splat(0.0).below(cosine);
        let lengthwise = cosine * L::select(ahead, L::load(&self.forward, at), L::load(&self.backward, at));
        let (sideways, beside) = (L::load(&self.sideways, at), L::splat(1.0) - cosine * cosine);
        let beside = L::select(L::splat(0.0).below(beside), beside, L::splat(0.0));
        lengthwise * lengthwise + beside * (sideways * sideways)
    }
}

impl Answers {
    pub(super) const NONE: Self = Self {
        normal: [Slot::ZERO; 3],
        mass: Slot::ZERO,
        inverse_mass: Slot::ZERO,
        least_speed: Slot::ZERO,
        surface: [Slot::ZERO; 3],
        friction: [Rough::SMOOTH, Rough::SMOOTH],
        directed: false,
        given: Slot::ZERO,
        across: [Slot::ZERO; 3],
    };

    /// A contact between bodies: friction and forward direction of both sides.
    pub(super) fn set(&mut self, lane: usize, meeting: &Meeting, friction: &[Friction; 2], along: &[DVec3; 2]) {
        put(&mut self.normal, lane, meeting.normal);
        self.mass.0[lane] = meeting.mass_kg as f32;
        self.inverse_mass.0[lane] = (1.0 / meeting.mass_kg) as f32;
        self.least_speed.0[lane] = meeting.least_speed as f32;
        put(&mut self.surface, lane, DVec3::ZERO);
        for ((rough, friction), along) in self.friction.iter_mut().zip(friction).zip(along) {
            rough.set(lane, friction, *along);
            self.directed |= friction.even_coefficient().is_none();
        }
    }

    /// A contact with an obstacle, whose roughness is in `friction` already: both sides get the same, so that their mean is
    /// it.
    pub(super) fn set_ground(&mut self, lane: usize, meeting: &Meeting, contact: &crate::Contact) {
        self.set(lane, meeting, &[contact.friction; 2], &[contact.along, -contact.along]);
        put(&mut self.surface, lane, contact.surface_velocity);
    }

    /// The change of impulse that the relative velocity `v` still asks for, and the squared change of velocity it makes.
    #[inline(always)]
    pub(super) fn answer<L: Lanes>(&mut self, at: usize, v: [L; 3]) -> ([L; 3], L) {
        let normal = three!(K => L::load(&self.normal[K], at));
        let v = three!(K => v[K] - L::load(&self.surface[K], at));
        let (mass, before, zero) = (L::load(&self.mass, at), L::load(&self.given, at), L::splat(0.0));
        let across = three!(K => L::load(&self.across[K], at));
        let speed = v[0] * normal[0] + v[1] * normal[1] + v[2] * normal[2];
        let wanted = before - (speed - L::load(&self.least_speed, at)) * mass;
        let given = L::select(zero.below(wanted), wanted, zero);
        // The slide that friction holds against is the one there would be without it.
        let slide = three!(K => across[K] - (v[K] - normal[K] * speed) * mass);
        let square = slide[0] * slide[0] + slide[1] * slide[1] + slide[2] * slide[2];
        let [mine, theirs] = &self.friction;
        let most_squared = if self.directed {
            let length = square.sqrt();
            let squared =
                mine.against_squared(at, three!(K => -slide[K]), length) * theirs.against_squared(at, slide, length);
            squared.sqrt() * (given * given)
        } else {
            (L::load(&mine.sideways, at) * L::load(&theirs.sideways, at)) * (given * given)
        };
        let share = L::select(most_squared.below(square), (most_squared / square).sqrt(), L::splat(1.0));
        let held = three!(K => slide[K] * share);
        given.store(&mut self.given, at);
        three!(K => held[K].store(&mut self.across[K], at));
        let gain = given - before;
        let change = three!(K => normal[K] * gain + (held[K] - across[K]));
        let inverse_mass = L::load(&self.inverse_mass, at);
        let moved =
            (change[0] * change[0] + change[1] * change[1] + change[2] * change[2]) * (inverse_mass * inverse_mass);
        (change, moved)
    }

    /// All that a lane has given, N s.
    pub(super) fn given(&self, lane: usize) -> DVec3 {
        take(&self.normal, lane) * f64::from(self.given.0[lane]) + take(&self.across, lane)
    }

    /// Forgets all contacts. What else lanes hold does no harm without a mass.
    pub(super) fn clear(&mut self) {
        self.mass = Slot::ZERO;
        self.directed = false;
        self.given = Slot::ZERO;
        self.across = [Slot::ZERO; 3];
    }
}

#[inline(always)]
pub(super) fn put(slots: &mut [Slot; 3], lane: usize, v: DVec3) {
    slots[0].0[lane] = v.x as f32;
    slots[1].0[lane] = v.y as f32;
    slots[2].0[lane] = v.z as f32;
}

#[inline(always)]
pub(super) fn take(slots: &[Slot; 3], lane: usize) -> DVec3 {
    DVec3::new(f64::from(slots[0].0[lane]), f64::from(slots[1].0[lane]), f64::from(slots[2].0[lane]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contact::Impulse;
    use crate::simd::Portable;
    use sinew_math::dvec3;

    /// The same as one contact after the other in f64, within what f32 can tell, friction with and without direction.
    #[test]
    fn lanes_answer_like_single_contacts() {
        let bristly = Friction { forward: 0.1, backward: 0.9, sideways: 0.5 };
        let frictions = [[Friction::even(0.4), Friction::even(0.6)], [bristly, Friction::even(0.3)], [bristly; 2]];
        for friction in frictions {
            let mut lanes = Answers::NONE;
            let along = [dvec3(1.0, 0.0, 0.0), dvec3(0.6, 0.0, 0.8)];
            let case = |lane: usize| {
                let t = lane as f64;
                let normal = dvec3((1.3 * t).sin(), 1.0, (0.7 * t).cos()).normalize();
                let meeting = Meeting::new(normal, 0.5 + 0.1 * t, 0.002 * t - 0.01, 0.01, 0.001 * t).unwrap();
                (meeting, dvec3((2.1 * t).cos(), (0.3 * t).sin() - 0.8, (1.7 * t).sin()))
            };
            (0..BLOCK).for_each(|lane| lanes.set(lane, &case(lane).0, &friction, &along));
            let mut single = [Impulse::default(); BLOCK];
            let mut v: [DVec3; BLOCK] = std::array::from_fn(|lane| case(lane).1);
            for _ in 0..4 {
                let mut in_lanes = [Slot::ZERO; 3];
                v.iter().enumerate().for_each(|(lane, v)| put(&mut in_lanes, lane, *v));
                let mut changes = [Slot::ZERO; 3];
                for at in (0..BLOCK).step_by(Portable::WIDTH) {
                    let (change, _) = lanes.answer(at, three!(K => Portable::load(&in_lanes[K], at)));
                    three!(K => change[K].store(&mut changes[K], at));
                }
                for lane in 0..BLOCK {
                    let (meeting, _) = case(lane);
                    let coefficient = |slide: DVec3| {
                        (friction[0].against(slide, along[0]) * friction[1].against(-slide, along[1])).sqrt()
                    };
                    let wanted = single[lane].answer(&meeting, v[lane], coefficient);
                    let got = take(&changes, lane);
                    assert!(got.distance(wanted) < 1e-5, "lane {lane}: {got} instead of {wanted}");
                    v[lane] += wanted * 0.4 / meeting.mass_kg;
                }
            }
        }
    }
}
