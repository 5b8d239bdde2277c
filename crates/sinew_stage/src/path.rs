//! The rigid trajectory, after the step and for every solver: Kondo, Kanai, Anjyo, "Directable animation of elastic
//! objects" (SCA 2005), with the corrected form DA-14: `x̃ = x' + ΔR (x − x_m)`, `ṽ = v' + ΔR (v − v_m)`, and the spin.

use sinew_math::libm::pow;
use sinew_math::rotation::mass_centre;
use sinew_math::{DQuat, DVec3};
use sinew_solve::contact::{Spot, push_out};
use sinew_solve::{
    BodyContact, BodyState, Cues, Flesh, Obstacle, PathCue, RigidMotion, Solver, body_motion, mean_element_rotation,
};

/// What a path yields to.
pub(crate) struct InTheWay<'a> {
    pub obstacles: &'a [Obstacle],
    /// Bodies that touch the one on the path.
    pub others: &'a [Touching],
}

/// Moves a body towards its path by the share that `strength` gives in `h`, lets contact win where it may, and
/// returns how far the centre is from the path then.
pub(crate) fn follow(
    solver: &dyn Solver,
    flesh: &Flesh,
    cues: &Cues,
    path: &PathCue,
    state: &mut BodyState,
    h_secs: f64,
    InTheWay { obstacles, others }: InTheWay<'_>,
) -> f64 {
    let share = 1.0 - pow(1.0 - path.strength.clamp(0.0, 1.0), 24.0 * h_secs);
    if share == 0.0 {
        return 0.0;
    }
    let rest: Vec<DVec3> = (0..flesh.point_count()).map(|i| cues.rest(flesh, i)).collect();
    let mut motion = body_motion(flesh, &rest, state);
    if path.mean_rotation {
        motion.turn = mean_element_rotation(flesh, &rest, &state.x);
    }
    let gaps: Vec<f64> = others.iter().map(|other| other.gap_m(state)).collect();
    let (turn, spin) = path.turn.map_or((DQuat::IDENTITY, DVec3::ZERO), |(wanted, wanted_spin)| {
        let missing = wanted * motion.turn.inverse();
        let near = if missing.w < 0.0 { -missing } else { missing };
        let turn = DQuat::IDENTITY.slerp(near, share);
        (turn, (wanted_spin - turn * motion.spin) * share)
    });
    let correction = RigidMotion {
        about: motion.centre,
        turn,
        shift: (path.x - motion.centre) * share,
        dv: motion.velocity + (path.v - motion.velocity) * share - turn * motion.velocity,
        spin,
    };
    solver.move_rigidly(state, &correction);
    if path.yields_to_contact {
        lift_out(solver, flesh, state, obstacles);
        lift_off(solver, flesh, state, others, &gaps);
        push_out(flesh, state, obstacles);
        state.recentre(&flesh.mass_kg);
    }
    mass_centre(&state.x, &flesh.mass_kg).distance(path.x)
}

/// Moves the body as a whole out of what its path would press it into, and takes that approach from its velocity.
fn lift_out(solver: &dyn Solver, flesh: &Flesh, state: &mut BodyState, obstacles: &[Obstacle]) {
    for obstacle in obstacles {
        let gaps = flesh.surface_rows.iter().map(|&row| {
            let x = flesh.anchors.at(row, &state.x);
            (obstacle.distance(x), x)
        });
        let Some(((gap_m, normal), x)) = gaps.min_by(|((a, _), _), ((b, _), _)| a.total_cmp(b)) else { continue };
        if gap_m < 0.0 {
            let relative = mass_centre(&state.v, &flesh.mass_kg) - obstacle.velocity_at(x);
            let dv = normal * (-relative.dot(normal)).max(0.0);
            solver.move_rigidly(state, &RigidMotion { dv, ..RigidMotion::shift(normal * -gap_m) });
        }
    }
}

/// Another body where it touches this one.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Touching {
    own: Spot,
    /// Out of the other body.
    normal: DVec3,
    thickness_m: f64,
    at: DVec3,
    velocity: DVec3,
}

impl Touching {
    /// Those of a body.
    pub(crate) fn of(body: usize, contacts: &[BodyContact], states: &[BodyState]) -> Vec<Self> {
        let side = |own: Spot, other: Spot, normal: DVec3, thickness_m: f64| {
            let state = &states[other.body.0 as usize];
            Self { own, normal, thickness_m, at: other.at(&state.x), velocity: other.at(&state.v) }
        };
        let of = |contact: &BodyContact| {
            let BodyContact { vertex, face, normal, thickness_m, .. } = *contact;
            let [first, second] = [vertex, face].map(|spot| spot.body.0 as usize == body);
            match (first, second) {
                (true, false) => Some(side(vertex, face, normal, thickness_m)),
                (false, true) => Some(side(face, vertex, -normal, thickness_m)),
                _ => None,
            }
        };
        contacts.iter().filter_map(of).collect()
    }

    fn gap_m(&self, state: &BodyState) -> f64 {
        self.normal.dot(self.own.at(&state.x) - self.at) - self.thickness_m
    }
}

/// Passes over the bodies that a body is driven into.
const PASSES: usize = 4;

/// Moves the body as a whole back off other bodies that its path drove it deeper into than the solver left it, and takes that
/// approach from its velocity.
fn lift_off(solver: &dyn Solver, flesh: &Flesh, state: &mut BodyState, others: &[Touching], gaps_m: &[f64]) {
    for _ in 0..PASSES {
        let deeper = |(other, gap_m): (&Touching, &f64)| (gap_m.min(0.0) - other.gap_m(state), *other);
        let deepest = others.iter().zip(gaps_m).map(deeper).max_by(|(a, _), (b, _)| a.total_cmp(b));
        let Some((depth_m, other)) = deepest.filter(|(depth_m, _)| *depth_m > 0.0) else { return };
        let relative = mass_centre(&state.v, &flesh.mass_kg) - other.velocity;
        let dv = other.normal * (-relative.dot(other.normal)).max(0.0);
        solver.move_rigidly(state, &RigidMotion { dv, ..RigidMotion::shift(other.normal * depth_m) });
    }
}
