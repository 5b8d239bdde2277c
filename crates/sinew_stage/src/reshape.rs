//! Drawing a body's shape to its rest shape, after the step and for every solver.
//!
//! Points move towards the best rigid fit of the rest shape by a share of the way, and the velocity of the deformation falls by the
//! same share. The fit has the body's own centre, so that the centre of mass stays; the angular momentum is given back exactly.
//!
//! Flesh that pins or forces hold out of shape is not drawn where that would give it energy: a bar pulled to ten times its length is flat, not tangled, and drawing
//! it back against the pull is work that nothing does. The same holds for flesh that is clamped between obstacles or bodies: pressed flat it is not tangled, and its rest shape has no room.

use sinew_math::libm::exp;
use sinew_math::rotation::mass_centre;
use sinew_math::{DQuat, DVec3};
use sinew_solve::{
    BodyContact, BodyId, BodyState, Contact, Cues, Flesh, Obstacle, Pin, Reshape, angular_momentum, body_motion,
    damp_wobble, set_angular_momentum,
};

/// Cosine between the normals of what clamps a body.
const OPPOSITE: f64 = -0.7;

/// Moves `state` by what `reshape` asks for in `h_secs`. Pinned points stay; what lies on an obstacle goes no deeper. False where the body is held as it is, and
/// drawing it would give it energy: nothing has changed then.
pub(crate) fn draw_to_rest(
    flesh: &Flesh,
    cues: &Cues,
    reshape: &Reshape,
    walls: &Walls<'_>,
    state: &mut BodyState,
    h_secs: f64,
    elastic_j: impl Fn(&BodyState) -> f64,
) -> bool {
    let is_held = !cues.pins.is_empty() || !is_even(&cues.force_n, &flesh.mass_kg) || walls.clamp();
    let held = is_held.then(|| (state.clone(), elastic_j(state) + kinetic_j(flesh, state)));
    draw(flesh, cues, reshape, walls, state, h_secs);
    let Some((before, before_j)) = held else { return true };
    let work = |(i, force): (usize, &DVec3)| force.dot(state.x[i] - before.x[i]);
    let work_j: f64 = cues.force_n.iter().enumerate().map(work).sum();
    if elastic_j(state) + kinetic_j(flesh, state) - work_j <= before_j {
        return true;
    }
    *state = before;
    false
}

/// Whether forces are those of an even field, as gravity is.
fn is_even(force_n: &[DVec3], mass_kg: &[f64]) -> bool {
    let Some((first, mass)) = force_n.first().zip(mass_kg.first()) else { return true };
    let acceleration = *first / *mass;
    force_n.iter().zip(mass_kg).all(|(force, mass)| (*force - acceleration * *mass).length() <= 1e-9 * force.length())
}

fn kinetic_j(flesh: &Flesh, state: &BodyState) -> f64 {
    flesh.mass_kg.iter().zip(&state.v).map(|(mass, v)| 0.5 * mass * v.length_squared()).sum()
}

/// What the body must not be drawn into.
pub(crate) struct Walls<'a> {
    pub(crate) contacts: &'a [Contact],
    pub(crate) obstacles: &'a [Obstacle],
    /// Normals towards the body of all that touches it.
    pub(crate) normals: Vec<DVec3>,
}

impl Walls<'_> {
    /// Whether the body is pressed from two sides.
    fn clamp(&self) -> bool {
        let are_opposite = |a: &DVec3| self.normals.iter().any(|b| a.dot(*b) < OPPOSITE);
        self.normals.iter().any(are_opposite)
    }
}

/// The normals of all that presses on a body, towards it.
pub(crate) fn normals_towards(body: BodyId, contacts: &[Contact], touching: &[BodyContact]) -> Vec<DVec3> {
    let of_obstacles = contacts.iter().filter(|contact| contact.gap_m < 0.0).map(|contact| contact.normal);
    let pressing = touching.iter().filter(|contact| contact.gap_m < 0.0 && contact.vertex.body != contact.face.body);
    let of_bodies = pressing.filter_map(|contact| match body {
        own if own == contact.vertex.body => Some(contact.normal),
        own if own == contact.face.body => Some(-contact.normal),
        _ => None,
    });
    of_obstacles.chain(of_bodies).collect()
}

fn draw(flesh: &Flesh, cues: &Cues, reshape: &Reshape, walls: &Walls<'_>, state: &mut BodyState, h_secs: f64) {
    let share = 1.0 - exp(-h_secs / reshape.settle_secs);
    let rest: Vec<DVec3> = (0..flesh.point_count()).map(|i| cues.rest(flesh, i)).collect();
    let motion = body_motion(flesh, &rest, state);
    let rest_centre = mass_centre(&rest, &flesh.mass_kg);
    let angular = angular_momentum(&flesh.mass_kg, state);
    let before: Vec<f64> = gaps(flesh, walls.contacts, &state.x).collect();
    let places = state.x.clone();
    for (x, rest) in state.x.iter_mut().zip(&rest) {
        *x += (fitted(motion.centre, motion.turn, *rest - rest_centre) - *x) * share;
    }
    hold_pins(flesh, &cues.pins, &mut state.x);
    for (contact, before) in walls.contacts.iter().zip(before) {
        push_back(flesh, contact, before.min(0.0), &mut state.x);
    }
    keep_out(walls.obstacles, &places, &mut state.x);
    damp_wobble(&flesh.mass_kg, state, |_| 1.0 - share);
    set_angular_momentum(&flesh.mass_kg, state, angular);
    state.recentre(&flesh.mass_kg);
}

fn fitted(centre: DVec3, turn: DQuat, arm: DVec3) -> DVec3 {
    centre + turn * arm
}

fn gaps<'a>(flesh: &'a Flesh, contacts: &'a [Contact], x: &'a [DVec3]) -> impl Iterator<Item = f64> + 'a {
    contacts.iter().map(|contact| contact.gap_at(flesh.anchors.at(contact.at, x)))
}

/// Points with pins of their own go where these hold them.
fn hold_pins(flesh: &Flesh, pins: &[Pin], x: &mut [DVec3]) {
    for pin in pins {
        if let Some(point) = flesh.anchors.single(pin.at) {
            x[point] = pin.to;
        }
    }
}

/// Points come no nearer to an obstacle than to its surface, whether a contact was foreseen there or not: the shape that a body is drawn to may lie on both sides of a plate.
fn keep_out(obstacles: &[Obstacle], before: &[DVec3], x: &mut [DVec3]) {
    for obstacle in obstacles {
        for (x, before) in x.iter_mut().zip(before) {
            let (gap_m, normal) = obstacle.distance(*before);
            let nearer_m = -(*x - *before).dot(normal);
            if nearer_m > gap_m.max(0.0) {
                *x += normal * (nearer_m - gap_m.max(0.0));
            }
        }
    }
}

/// Moves the points of a contact along its normal until its gap is at least `least_m`.
fn push_back(flesh: &Flesh, contact: &Contact, least_m: f64, x: &mut [DVec3]) {
    let missing = least_m - contact.gap_at(flesh.anchors.at(contact.at, x));
    let square: f64 = flesh.anchors.terms(contact.at).map(|(_, weight)| weight * weight).sum();
    if missing > 0.0 && square > 0.0 {
        for (point, weight) in flesh.anchors.terms(contact.at) {
            x[point] += contact.normal * (missing * weight / square);
        }
    }
}
