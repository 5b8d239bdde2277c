//! What runs into something so fast that a step cannot follow it: how often the interval is cut, and how fast flesh arrives at most.
//!
//! A step that would drive a body into something by more than its own thickness says nothing useful: its far side would arrive before its near
//! side has been stopped. Such an interval is cut until a part drives it in by `CONTACT.impact.part_share` at most. Bodies and obstacles that
//! are slower than that are stepped as ever.
//!
//! Cutting alone does not save flesh that arrives faster than its own waves travel: ½ρv² is then more than it can hold by bending and squeezing, and
//! nothing is left of its shape. A body therefore arrives with `CONTACT.impact.max_mach` of the speed of its waves at most; what it has beyond
//! that is lost to the impact, as a plastic one of rigid bodies (`bounce.rs`).

use crate::{BodySetup, Method, StageBody};
use sinew_math::DVec3;
use sinew_solve::contact::CONTACT;
use sinew_solve::springs::SpringsMethod;
use sinew_solve::{BodyState, Cells, Contact, Flesh};

/// What speeds mean to each body.
pub(crate) struct Approach {
    thickness_m: Vec<f64>,
    limits: Vec<Limit>,
    most_speed: Vec<f64>,
    gravity_m_s2: f64,
}

/// How far a body may be driven into obstacles within an interval, and within a part of one that is cut.
struct Limit {
    whole_m: f64,
    part_m: f64,
    halvings: u32,
}

impl Approach {
    pub(crate) fn new(bodies: &[BodySetup], tick_secs: f64, gravity_m_s2: f64) -> Self {
        let thickness_m: Vec<f64> = bodies.iter().map(|body| thickness_m(&body.flesh)).collect();
        let each = || bodies.iter().zip(&thickness_m);
        Self {
            limits: each().map(|(body, thickness_m)| Limit::of(body, *thickness_m)).collect(),
            most_speed: each().map(|(body, thickness_m)| most_speed(body, thickness_m / tick_secs)).collect(),
            thickness_m,
            gravity_m_s2,
        }
    }

    pub(crate) fn gravity_m_s2(&self) -> f64 {
        self.gravity_m_s2
    }

    pub(crate) fn most_speeds(&self) -> &[f64] {
        &self.most_speed
    }

    pub(crate) fn thicknesses_m(&self) -> &[f64] {
        &self.thickness_m
    }

    /// Halvings for an interval with these contacts with obstacles.
    pub(crate) fn halvings_at_obstacles(
        &self,
        bodies: &[StageBody],
        states: &[BodyState],
        contacts: &[Vec<Contact>],
        h_secs: f64,
    ) -> u32 {
        let mut most = 0;
        for (((body, state), contacts), limit) in bodies.iter().zip(states).zip(contacts).zip(&self.limits) {
            let mut pressed = contacts.iter().filter(|contact| contact.gap_m < 0.0).peekable();
            if pressed.peek().is_none() {
                continue;
            }
            // Behind a surface that has been stopped the rest may still come.
            let mean = state.v.iter().sum::<DVec3>() / state.v.len() as f64;
            for contact in pressed {
                let own = body.flesh.anchors.at(contact.at, &state.v);
                let speed = |v: DVec3| (contact.surface_velocity - v).dot(contact.normal);
                let driven_m = speed(own).max(speed(mean)) * h_secs;
                if driven_m > limit.whole_m {
                    most = most.max(halvings(driven_m / limit.part_m).min(limit.halvings));
                }
            }
        }
        most
    }

    /// Halvings for an interval in which two bodies close in on each other by so many thicknesses of the thinner one.
    pub(crate) fn halvings_between(&self, closing: f64) -> u32 {
        if closing > CONTACT.impact.max_closing { halvings(closing / CONTACT.impact.part_share) } else { 0 }
    }

    /// Halvings for an interval in which a body touches something: what is small falls by more than its own thickness in a step that is short for others.
    pub(crate) fn halvings_to_rest(&self, body: usize, h_secs: f64) -> u32 {
        let share = self.gravity_m_s2 * h_secs * h_secs / (CONTACT.impact.max_fall * self.thickness_m[body]);
        // Halves of an interval are fallen through a quarter as far.
        if share > 1.0 { halvings(share.sqrt()) } else { 0 }
    }
}

impl Limit {
    fn of(body: &BodySetup, thickness_m: f64) -> Self {
        if matches!(body.method, Method::ShapeMatching(_)) {
            let most_m = thickness_m.max(mean_edge_m(&body.flesh));
            let (whole_m, part_m) = (CONTACT.impact.matched_share * most_m, CONTACT.impact.matched_part_share * most_m);
            return Self { whole_m, part_m, halvings: CONTACT.impact.max_matched_halvings };
        }
        Self {
            whole_m: CONTACT.impact.max_share * thickness_m,
            part_m: CONTACT.impact.part_share * thickness_m,
            halvings: CONTACT.impact.max_halvings,
        }
    }
}

/// How fast a body may run into something. Steps follow what is slower than `followed`.
fn most_speed(body: &BodySetup, followed: f64) -> f64 {
    let waves = (body.material.young_pa / body.material.density_kg_m3).sqrt();
    match (&body.flesh.cells, body.method) {
        // All of a sheet is surface: contact stops every point of it.
        (Cells::Shell(_), _) => f64::INFINITY,
        // As stiff as its passes make it, whatever its modulus.
        (_, Method::ShapeMatching(_)) => followed,
        (_, Method::Springs(params)) if params.method == SpringsMethod::Adaptive => {
            followed.clamp(CONTACT.impact.max_explicit_mach * waves, CONTACT.impact.max_explicit_followed_mach * waves)
        }
        _ => followed.clamp(CONTACT.impact.max_mach * waves, CONTACT.impact.max_followed_mach * waves),
    }
}

/// Halvings that make this many parts, or as many as there may be.
fn halvings(parts: f64) -> u32 {
    (0..CONTACT.impact.max_halvings)
        .find(|&halvings| parts <= f64::from(1u32 << halvings))
        .unwrap_or(CONTACT.impact.max_halvings)
}

/// Of the edges of its surface.
fn mean_edge_m(flesh: &Flesh) -> f64 {
    let row = |i: u32| flesh.anchors.at(flesh.surface_rows[i as usize], &flesh.rest);
    let around = |&[a, b, c]: &[u32; 3]| row(a).distance(row(b)) + row(b).distance(row(c)) + row(c).distance(row(a));
    flesh.surface_triangles.iter().map(around).sum::<f64>() / (3 * flesh.surface_triangles.len().max(1)) as f64
}

/// Twice the volume by the surface: the thickness of a slab, the radius of a rod, a third of a cube's edge. A sheet is as thick as it is large, since
/// contact with it is found along its way.
fn thickness_m(flesh: &Flesh) -> f64 {
    let Cells::Tets(tets) = &flesh.cells else { return flesh.size_m() };
    let at = |v: u32| flesh.rest[v as usize];
    let volume = |&[a, b, c, d]: &[u32; 4]| (at(b) - at(a)).cross(at(c) - at(a)).dot(at(d) - at(a)).abs() / 6.0;
    let row = |i: u32| -> DVec3 { flesh.anchors.at(flesh.surface_rows[i as usize], &flesh.rest) };
    let area = |&[a, b, c]: &[u32; 3]| 0.5 * (row(b) - row(a)).cross(row(c) - row(a)).length();
    2.0 * tets.iter().map(volume).sum::<f64>() / flesh.surface_triangles.iter().map(area).sum::<f64>()
}

#[cfg(test)]
mod tests {
    use super::*;
    use sinew_geom::structured::bar;
    use sinew_math::dvec3;

    #[test]
    fn a_slab_is_as_thick_as_it_is() {
        let flesh = Flesh::from_tets(bar(dvec3(10.0, 0.1, 10.0), [4, 1, 4]), 1000.0).unwrap();
        assert!((thickness_m(&flesh) - 0.1).abs() < 0.003);
        let cube = Flesh::from_tets(bar(DVec3::splat(0.3), [2, 2, 2]), 1000.0).unwrap();
        assert!((thickness_m(&cube) - 0.1).abs() < 1e-12);
    }
}
