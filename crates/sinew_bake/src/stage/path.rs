//! The rigid trajectory, after the step and for every solver: Kondo, Kanai, Anjyo, "Directable animation of elastic
//! objects" (SCA 2005), with the corrected form DA-14: `x̃ = x' + ΔR (x − x_m)`, `ṽ = v' + ΔR (v − v_m)`, and the spin.

use sinew_math::libm::pow;
use sinew_math::{DQuat, DVec3};
use sinew_solve::contact::push_out;
use sinew_solve::{BodyState, Cues, Flesh, Obstacle, PathCue, RigidMotion, Solver, body_motion};

/// Moves a body towards its path by the share that `strength` gives in `h`, lets contact win where it may, and
/// returns how far the centre is from the path then.
pub(super) fn follow(
    solver: &dyn Solver,
    flesh: &Flesh,
    cues: &Cues,
    path: &PathCue,
    state: &mut BodyState,
    h_secs: f64,
    obstacles: &[Obstacle],
) -> f64 {
    let share = 1.0 - pow(1.0 - path.strength.clamp(0.0, 1.0), 24.0 * h_secs);
    if share == 0.0 {
        return 0.0;
    }
    let rest: Vec<DVec3> = (0..flesh.point_count()).map(|i| cues.rest(flesh, i)).collect();
    let motion = body_motion(flesh, &rest, state);
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
        push_out(flesh, state, obstacles);
        state.recentre(&flesh.mass_kg);
    }
    sinew_math::rotation::mass_centre(&state.x, &flesh.mass_kg).distance(path.x)
}
