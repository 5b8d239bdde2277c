//! A rest shape over time: scaled, twisted and bent copies of x0 that the flesh tends to.
//! The formulas are those of `shape_formula.rs`, about the centre of the points they act on.

use crate::{ShapeFormula, Track3};
use sinew_math::libm::atan2;
use sinew_math::rotation::best_fit_rotation;
use sinew_math::{DQuat, DVec3, Number};
use sinew_solve::{CueError, CueWriter, Director, DirectorState, Measures, Now, Seen};

#[derive(Debug, Clone, PartialEq)]
pub struct RestShape {
    pub points: Vec<u32>,
    /// Factors along the body's axes.
    pub scale: Track3,
    /// Total turn from one end to the other about `axis`, degrees.
    pub twist_deg: Number,
    /// Total bend of `axis` towards `bend_to`, degrees.
    pub bend_deg: Number,
    pub axis: DVec3,
    pub bend_to: DVec3,
}

impl Director for RestShape {
    fn cue(&self, now: Now, seen: &Seen<'_>, _: &mut DirectorState, out: &mut CueWriter<'_>) -> Result<(), CueError> {
        let rest = &seen.flesh.rest;
        let formula = ShapeFormula {
            scale: self.scale.at(&now).0,
            twist_deg: self.twist_deg.value(now.end_frame),
            bend_deg: self.bend_deg.value(now.end_frame),
            s_bend_deg: 0.0,
            axis: self.axis,
            bend_to: self.bend_to,
        };
        let own: Vec<DVec3> = self.points.iter().map(|&i| rest[i as usize]).collect();
        for (&i, x) in self.points.iter().zip(formula.shape(&own)) {
            out.rest_offset(i as usize, x - rest[i as usize]);
        }
        Ok(())
    }

    fn measure(&self, _: Now, seen: &Seen<'_>, _: &DirectorState, out: &mut Measures<'_>) {
        if let Some(turn) = self.turn_between_ends(seen) {
            out.number("bend", "deg", angle_about(turn, self.axis.cross(self.bend_to)).to_degrees());
            out.number("twist", "deg", angle_about(turn, self.axis).to_degrees());
        }
    }
}

/// The share of the length at either end whose turn is measured.
const END_SHARE: f64 = 0.2;

/// The part of a turn that is about an axis (the twist of its swing-twist decomposition), radians within ±π.
fn angle_about(turn: DQuat, axis: DVec3) -> f64 {
    2.0 * atan2(turn.xyz().dot(axis), turn.w)
}

impl RestShape {
    /// How the far end is turned against the near one, in the axes of the rest shape.
    fn turn_between_ends(&self, seen: &Seen<'_>) -> Option<DQuat> {
        let rest = &seen.flesh.rest;
        let along = |i: u32| rest[i as usize].dot(self.axis);
        let low = self.points.iter().map(|&i| along(i)).fold(f64::INFINITY, f64::min);
        let high = self.points.iter().map(|&i| along(i)).fold(f64::NEG_INFINITY, f64::max);
        let turn_of = |is_there: &dyn Fn(f64) -> bool| {
            let there = || self.points.iter().filter(|&&i| is_there(along(i))).map(|&i| i as usize);
            let of = |all: &[DVec3]| there().map(|i| all[i]).collect::<Vec<_>>();
            let mass: Vec<f64> = there().map(|i| seen.flesh.mass_kg[i]).collect();
            // Four points at least have a turn.
            (mass.len() > 3).then(|| best_fit_rotation(&of(rest), &of(&seen.state.x), &mass))
        };
        let near = turn_of(&|at| at < low + END_SHARE * (high - low))?;
        let far = turn_of(&|at| at > high - END_SHARE * (high - low))?;
        let turn = near.inverse() * far;
        Some(if turn.w < 0.0 { -turn } else { turn })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::track::tests::{now_at, seen_alone};
    use sinew_geom::structured::bar;
    use sinew_math::dvec3;
    use sinew_solve::{BodyState, Cues, Flesh, Memory};

    #[test]
    fn a_bent_rest_shape_keeps_the_length_of_its_axis_and_turns_its_ends() {
        let flesh = Flesh::from_tets(bar(dvec3(1.0, 0.1, 0.1), [20, 2, 2]), 1000.0).unwrap();
        let shape = RestShape {
            points: (0..flesh.point_count() as u32).collect(),
            scale: Track3::constant(DVec3::ONE),
            twist_deg: 0.0.into(),
            bend_deg: 90.0.into(),
            axis: DVec3::X,
            bend_to: DVec3::Y,
        };
        let state = BodyState {
            origin: DVec3::ZERO,
            x: flesh.rest.clone(),
            v: vec![DVec3::ZERO; flesh.point_count()],
            memory: Memory::Fem { rotation: Vec::new() },
        };
        let mut cues = Cues::default();
        let seen = seen_alone(&flesh, &state);
        shape
            .cue(now_at(1.0), &seen, &mut DirectorState::Nothing, &mut CueWriter::new(&flesh, &mut cues, 1.0))
            .unwrap();
        let at = |x0: DVec3| cues.rest(&flesh, flesh.nearest_point(x0).0 as usize);
        let axis: Vec<DVec3> = (0..=20).map(|i| at(dvec3(f64::from(i) / 20.0 - 0.5, 0.0, 0.0))).collect();
        let length: f64 = axis.windows(2).map(|w| w[0].distance(w[1])).sum();
        assert!((length - 1.0).abs() < 1e-3, "{length}");
        let (first, last) = (axis[1] - axis[0], axis[20] - axis[19]);
        assert!((first.angle_between(last).to_degrees() - 90.0).abs() < 5.0);
        // An arc of 45° to each side on a circle of radius 2/π rises by 2/π (1 − cos 45°).
        let rise = std::f64::consts::FRAC_2_PI * (1.0 - std::f64::consts::FRAC_1_SQRT_2);
        assert!((axis[20].y - rise).abs() < 1e-9 && (axis[0].y - rise).abs() < 1e-9, "{} {}", axis[20], axis[0]);
    }
}
