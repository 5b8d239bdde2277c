//! Contact: found once per substep on predicted positions, then solved inside each solver's iterations.
//!
//! A [`Contact`] with an obstacle is linear: a point of a body must stay on the outer side of a plane that moves with the
//! obstacle. A [`BodyContact`] is linear in both bodies: a vertex must stay on the outer side of a face, and whatever
//! impulse keeps it there acts on both, so that two free bodies keep their momentum together. [`Impulse`] is the answer
//! of one contact in a sequence of them: no approach, and Coulomb friction within what stopped it.

mod between;
mod bodies;
mod boxes;
mod broad_phase;
mod ccd;
mod clearance;
mod edges;
mod faces;
mod impulse;
mod islands;
mod mesh_shape;
mod narrow_phase;
mod narrow_phase_cells;
mod obstacle;
mod pair;
mod penetration_exit;
mod placed;
mod shape;
mod sheets;
mod surface;
mod swept_bounds;
mod tuning;
mod untangle;

pub use bodies::{BodyContactFinder, CollisionBody};
pub use impulse::{Impulse, Meeting};
pub use islands::{IslandMap, IslandMembers};
pub use mesh_shape::MeshShape;
pub use obstacle::{NearObstacles, Obstacle, push_out};
pub use pair::{BodyContact, Spot};
pub use shape::Shape;
pub use surface::{ContactSurface, obstacle_distance_m};
pub use tuning::{CONTACT, ContactTuning};

use crate::{BodyId, Row};
use serde::{Deserialize, Serialize};
use sinew_math::{DVec3, Sym3};

/// Coulomb coefficients with a direction: bristles slide forward and hold backward.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Friction {
    pub forward: f64,
    pub backward: f64,
    pub sideways: f64,
}

impl Default for Friction {
    fn default() -> Self {
        Self::even(0.5)
    }
}

impl Friction {
    pub const fn even(coefficient: f64) -> Self {
        Self { forward: coefficient, backward: coefficient, sideways: coefficient }
    }

    /// The coefficient, where it is the same in every direction.
    pub fn even_coefficient(&self) -> Option<f64> {
        (self.forward == self.backward && self.forward == self.sideways).then_some(self.sideways)
    }

    /// The coefficient against sliding with velocity `slide`, where forward is `along` (zero: no direction, sideways).
    pub fn against(&self, slide: DVec3, along: DVec3) -> f64 {
        let (Some(slide), Some(along)) = (slide.try_normalize(), along.try_normalize()) else {
            return self.sideways;
        };
        let cosine = slide.dot(along);
        let lengthwise = if cosine > 0.0 { self.forward } else { self.backward };
        // An ellipse between the lengthwise and the sideways coefficient.
        let (a, b) = (cosine * lengthwise, (1.0 - cosine * cosine).max(0.0).sqrt() * self.sideways);
        (a * a + b * b).sqrt()
    }

    /// What friction does of an impulse `wanted` across the normal, which would stop a slide, under an impulse `pressed` along it.
    ///
    /// Impulses lie in an ellipse with half axes μ `pressed` lengthwise and sideways. Within it they hold; beyond, the one that takes away the
    /// most energy is found on it (Goyal, Ruina, Papadopoulos, "Planar sliding with dry friction", Wear 1991): p ∝ (μ₁² w₁, μ₂² w₂). It is not opposite to the slide, and
    /// that is what drives a snake (Hu, Nirody, Scott, Shelley, "The mechanics of slithering locomotion", PNAS 2009). No part of it turns a slide round.
    pub fn held(&self, wanted: DVec3, pressed: f64, along: DVec3) -> DVec3 {
        let Some(along) = (if self.even_coefficient().is_some() { None } else { along.try_normalize() }) else {
            let most = self.sideways * pressed;
            let square = wanted.length_squared();
            return if square > most * most { wanted * (most / square.sqrt()) } else { wanted };
        };
        let lengthwise = wanted.dot(along);
        let across = wanted - along * lengthwise;
        // A slide forward wants to be stopped by an impulse backward.
        let mu = if lengthwise < 0.0 { self.forward } else { self.backward };
        let (a, b) = (mu * pressed, self.sideways * pressed);
        let sideways = across.length();
        if (lengthwise * b).powi(2) + (sideways * a).powi(2) <= (a * b).powi(2) {
            return wanted;
        }
        let size = ((a * lengthwise).powi(2) + (b * sideways).powi(2)).sqrt();
        if size == 0.0 {
            return DVec3::ZERO;
        }
        along * (lengthwise * (a * a / size).min(1.0)) + across * (b * b / size).min(1.0)
    }
}

/// One point of a body near another surface.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Contact {
    pub at: Row,
    pub other: Other,
    /// Out of the other surface, towards the body.
    pub normal: DVec3,
    /// The signed distance to the other surface when the point was at `point`, at the interval's end.
    pub gap_m: f64,
    pub point: DVec3,
    /// The other surface's velocity there.
    pub surface_velocity: DVec3,
    pub friction: Friction,
    /// The body's forward direction there (unit), or zero where friction has none.
    pub along: DVec3,
}

impl Contact {
    /// Friction under a force `pressed_n` as a drag on slides: what [`Friction::held`] does beyond its ellipse, with slides slower than
    /// `least_speed` held as if they had it.
    pub fn rub(&self, slide: DVec3, pressed_n: f64, least_speed: f64) -> Rub {
        let Friction { forward, backward, sideways } = self.friction;
        let along = (self.along - self.normal * self.normal.dot(self.along)).try_normalize();
        let Some(along) = along.filter(|_| self.friction.even_coefficient().is_none()) else {
            return Rub::even(self.normal, slide, sideways * pressed_n, least_speed);
        };
        let lengthwise = slide.dot(along);
        let mu = if lengthwise > 0.0 { forward } else { backward };
        let across = (slide - along * lengthwise).length();
        let size = ((mu * lengthwise).powi(2) + (sideways * across).powi(2)).sqrt();
        let least = least_speed * mu.max(sideways);
        let slides = size > least;
        let potential_w = pressed_n * rounded(size, least);
        let size = size.max(least).max(f64::MIN_POSITIVE);
        let beside = sideways * sideways * pressed_n / size;
        let drag = flat(self.normal, beside) + Sym3::along(along, mu * mu * pressed_n / size - beside);
        Rub { drag, potential_w, slides }
    }

    /// What friction does of an impulse across the normal; see [`Friction::held`].
    #[inline]
    pub fn held(&self, wanted: DVec3, pressed: f64) -> DVec3 {
        self.friction.held(wanted, pressed, self.along - self.normal * self.normal.dot(self.along))
    }

    /// The gap left when the point is at `x`.
    pub fn gap_at(&self, x: DVec3) -> f64 {
        self.gap_m + self.normal.dot(x - self.point)
    }

    /// The gap before the interval, measured against the obstacle where it was then.
    pub fn gap_before(&self, x: DVec3, h_secs: f64) -> f64 {
        self.gap_at(x + self.surface_velocity * h_secs)
    }
}

/// One point of a body that something else is near.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ContactPoint {
    pub at: Row,
    pub other: Other,
    /// Out of the other surface, towards this body.
    pub normal: DVec3,
    /// Expected at the interval's end; below 0 they press on each other.
    pub gap_m: f64,
}

/// Friction in a smooth step: a drag on slides, and what it comes from.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rub {
    /// Force per speed, N s/m; the force is as large as Coulomb's at the slide it was made for.
    pub drag: Sym3,
    /// Whose gradient in the slide's velocity is the force.
    pub potential_w: f64,
    /// Whether the slide is fast enough for all of the force, so that more speed does not bring more of it.
    pub slides: bool,
}

impl Rub {
    /// The same in all directions across `normal`: `most_n` against slides, less where they are slower than `least_speed`.
    pub fn even(normal: DVec3, slide: DVec3, most_n: f64, least_speed: f64) -> Self {
        let speed = slide.length();
        let drag = flat(normal, most_n / speed.max(least_speed));
        Self { drag, potential_w: most_n * rounded(speed, least_speed), slides: speed > least_speed }
    }

    /// How the force changes with the slide it was made for: the potential's second derivative. While something slides it is none along the
    /// force's own power, since the potential grows in proportion to the speed (Li et al. 2020, eq. 18, with f₁′ = 0).
    pub fn curvature(&self, slide: DVec3) -> Sym3 {
        let force = self.drag * slide;
        let power_w = force.dot(slide);
        if self.slides && power_w > 0.0 { self.drag + Sym3::along(force, -1.0 / power_w) } else { self.drag }
    }
}

/// Drag across `normal` alone.
fn flat(normal: DVec3, drag: f64) -> Sym3 {
    Sym3::IDENTITY * drag + Sym3::along(normal, -drag)
}

/// |x|, rounded off below `least` so that its slope is continuous.
fn rounded(x: f64, least: f64) -> f64 {
    if x < least { 0.5 * x * x / least } else { x - 0.5 * least }
}

/// What the point touches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Other {
    Obstacle(u32),
    Body(BodyId, Row),
}

#[cfg(test)]
mod tests {
    use super::*;
    use sinew_math::dvec3;

    /// Known answer 4 for friction: force and curvature are the first and second differences of the potential, sticking and sliding, even and directed.
    #[test]
    fn force_and_curvature_match_differences_of_the_potential() {
        let normal = dvec3(0.0, 1.0, 0.0);
        let directed = Friction { forward: 0.2, backward: 0.6, sideways: 0.4 };
        for friction in [Friction::even(0.5), directed] {
            let contact = Contact {
                at: Row(0),
                other: Other::Obstacle(0),
                normal,
                gap_m: 0.0,
                point: DVec3::ZERO,
                surface_velocity: DVec3::ZERO,
                friction,
                along: DVec3::X,
            };
            let rub = |slide: DVec3| contact.rub(slide, 3.0, 0.1);
            for slide in [dvec3(0.3, 0.0, 0.2), dvec3(-0.4, 0.0, 0.1), dvec3(0.02, 0.0, -0.03)] {
                let (here, d) = (rub(slide), 1e-5);
                for way in [DVec3::X, DVec3::Z] {
                    let [ahead, behind] = [rub(slide + way * d), rub(slide - way * d)];
                    let force = (ahead.potential_w - behind.potential_w) / (2.0 * d);
                    assert!((force - (here.drag * slide).dot(way)).abs() < 1e-7, "{friction:?} at {slide}");
                    let change = (ahead.drag * (slide + way * d) - behind.drag * (slide - way * d)) / (2.0 * d);
                    let off = change.distance(here.curvature(slide) * way);
                    assert!(off < 1e-6, "{friction:?} at {slide}: off by {off}");
                }
            }
        }
    }
}
