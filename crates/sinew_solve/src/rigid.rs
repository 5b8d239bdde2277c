//! A body's motion as a whole: where it is, how it is turned, how it spins; and changes of that alone.

use crate::{BodyState, Cells, Flesh, RigidBody};
use sinew_math::rotation::{best_fit_rotation, mass_centre, nearest_rotation};
use sinew_math::{DMat3, DQuat, DVec3};

/// A sudden rigid displacement: turn about `about`, then shift; velocities turn along and gain `dv + spin × r`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RigidMotion {
    pub about: DVec3,
    pub turn: DQuat,
    pub shift: DVec3,
    pub dv: DVec3,
    pub spin: DVec3,
}

impl RigidMotion {
    pub fn shift(by: DVec3) -> Self {
        Self { about: DVec3::ZERO, turn: DQuat::IDENTITY, shift: by, dv: DVec3::ZERO, spin: DVec3::ZERO }
    }
}

/// Position, turn and velocities of a body as a whole.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BodyMotion {
    pub centre: DVec3,
    pub velocity: DVec3,
    /// Best fit of the rest shape to the present one.
    pub turn: DQuat,
    pub spin: DVec3,
}

/// The whole-body motion of `state`, measured against `rest` (x0, or the key shape in force).
pub fn body_motion(flesh: &Flesh, rest: &[DVec3], state: &BodyState) -> BodyMotion {
    let RigidBody { centre, velocity, spin, .. } = RigidBody::of(&flesh.mass_kg, state);
    BodyMotion { centre, velocity, turn: best_fit_rotation(rest, &state.x, &flesh.mass_kg), spin }
}

/// The mean of the elements' rotations by mass, made a rotation again: `ortho(Σ m_e R_e / m)`, R_e the rotation of element e
/// from `rest` to `x` (Kondo, Kanai, Anjyo, SCA 2005). A sheet has no elements with a rotation of their own: its best fit.
pub fn mean_element_rotation(flesh: &Flesh, rest: &[DVec3], x: &[DVec3]) -> DQuat {
    let Cells::Tets(tets) = &flesh.cells else { return best_fit_rotation(rest, x, &flesh.mass_kg) };
    let edges = |of: &[DVec3], tet: &[u32; 4]| {
        let [a, b, c, d] = tet.map(|corner| of[corner as usize]);
        DMat3::from_cols(b - a, c - a, d - a)
    };
    let sum = tets.iter().fold(DMat3::ZERO, |sum, tet| {
        let own = edges(rest, tet);
        let volume = own.determinant();
        if volume.abs() < f64::MIN_POSITIVE {
            return sum;
        }
        sum + DMat3::from_quat(nearest_rotation(edges(x, tet) * own.inverse())) * volume.abs()
    });
    nearest_rotation(sum)
}

/// Angular momentum about the mass centre, kg m²/s.
pub fn angular_momentum(mass_kg: &[f64], state: &BodyState) -> DVec3 {
    let (centre, velocity) = (mass_centre(&state.x, mass_kg), mass_centre(&state.v, mass_kg));
    let points = state.x.iter().zip(&state.v).zip(mass_kg);
    points.fold(DVec3::ZERO, |sum, ((x, v), m)| sum + (*x - centre).cross(*v - velocity) * *m)
}

/// Adds the spin that gives a body this angular momentum about its mass centre.
pub fn set_angular_momentum(mass_kg: &[f64], state: &mut BodyState, wanted: DVec3) {
    let body = RigidBody::of(mass_kg, state);
    let spin = body.inverse_inertia * (wanted - angular_momentum(mass_kg, state));
    for (v, x) in state.v.iter_mut().zip(&state.x) {
        *v += spin.cross(*x - body.centre);
    }
}

/// Moves positions, velocities and origin; `memory` is the solver's business.
pub fn move_points(state: &mut BodyState, motion: &RigidMotion) {
    let turn = DMat3::from_quat(motion.turn);
    let place = |x: DVec3| motion.about + turn * (x - motion.about) + motion.shift;
    for x in &mut state.x {
        *x = place(*x);
    }
    state.origin = place(state.origin);
    let centre = motion.about + motion.shift;
    for (v, x) in state.v.iter_mut().zip(&state.x) {
        *v = turn * *v + motion.dv + motion.spin.cross(*x - centre);
    }
}

/// Damps a body's own wobble and leaves its fall and spin alone: `v ← v_rigid + keep (v − v_rigid)`, with `keep` one
/// number per point (Müller, Heidelberger, Hennix, Ratcliff: "Position Based Dynamics", VRIPhys 2006, §3.5).
pub fn damp_wobble(mass_kg: &[f64], state: &mut BodyState, keep: impl Fn(usize) -> f64) {
    let body = RigidBody::of(mass_kg, state);
    for (i, (v, x)) in state.v.iter_mut().zip(&state.x).enumerate() {
        let rigid = body.velocity_at(*x);
        *v = rigid + (*v - rigid) * keep(i);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Memory;
    use sinew_geom::structured::bar;
    use sinew_math::dvec3;

    fn spinning_bar() -> (Flesh, BodyState) {
        let flesh = Flesh::from_tets(bar(dvec3(1.0, 0.3, 0.2), [4, 2, 1]), 1000.0).unwrap();
        let spin = dvec3(0.3, -0.2, 1.0);
        let v = flesh.rest.iter().map(|x| dvec3(0.1, 0.2, 0.3) + spin.cross(*x)).collect();
        let x = flesh.rest.clone();
        let state = BodyState { origin: DVec3::ZERO, x, v, memory: Memory::Fem { rotation: vec![DQuat::IDENTITY] } };
        (flesh, state)
    }

    #[test]
    fn the_mean_of_element_rotations_is_that_of_a_turned_body() {
        let (flesh, state) = spinning_bar();
        let turn = DQuat::from_axis_angle(dvec3(1.0, 2.0, -1.0).normalize(), 2.2);
        let turned: Vec<DVec3> = state.x.iter().map(|x| dvec3(3.0, 0.0, 1.0) + turn * *x).collect();
        let mean = mean_element_rotation(&flesh, &flesh.rest, &turned);
        assert!((DMat3::from_quat(mean) - DMat3::from_quat(turn)).to_cols_array().iter().all(|off| off.abs() < 1e-12));
        // Twisted by as much one way as the other: as a whole it is not turned.
        let twist = |x: &DVec3| DQuat::from_rotation_x(0.8 * x.x) * *x;
        let twisted: Vec<DVec3> = flesh.rest.iter().map(twist).collect();
        let mean = mean_element_rotation(&flesh, &flesh.rest, &twisted);
        assert!(mean.angle_between(DQuat::IDENTITY) < 0.02, "{mean}");
    }

    #[test]
    fn rigid_motion_is_measured_exactly_and_not_damped() {
        let (flesh, mut state) = spinning_bar();
        let motion = body_motion(&flesh, &flesh.rest, &state);
        assert!(motion.spin.distance(dvec3(0.3, -0.2, 1.0)) < 1e-12);
        assert!(motion.velocity.distance(dvec3(0.1, 0.2, 0.3)) < 1e-12);
        let before = state.v.clone();
        damp_wobble(&flesh.mass_kg, &mut state, |_| 0.1);
        assert!(before.iter().zip(&state.v).all(|(a, b)| a.distance(*b) < 1e-12));
    }

    #[test]
    fn moving_rigidly_turns_the_measured_motion() {
        let (flesh, mut state) = spinning_bar();
        let turn = DQuat::from_axis_angle(DVec3::Z, 0.7);
        let motion = RigidMotion { about: DVec3::ZERO, turn, shift: DVec3::X, dv: DVec3::Y, spin: DVec3::Z };
        move_points(&mut state, &motion);
        let after = body_motion(&flesh, &flesh.rest, &state);
        assert!(after.centre.distance(DVec3::X) < 1e-12);
        assert!(after.velocity.distance(turn * dvec3(0.1, 0.2, 0.3) + DVec3::Y) < 1e-12);
        assert!(after.spin.distance(turn * dvec3(0.3, -0.2, 1.0) + DVec3::Z) < 1e-12);
        assert!(after.turn.dot(turn).abs() > 1.0 - 1e-12);
    }
}
