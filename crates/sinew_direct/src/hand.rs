//! The user's hand: a live drag becomes a goal at the held point.

use sinew_math::DVec3;
use sinew_solve::{CueError, CueWriter, Director, DirectorState, Goal, Input, Measures, Now, Seen};

/// How fast the held body follows the hand, seconds; tuned by eye on the bar scenes. Gravity makes it hang g τ² lower.
const SETTLE_SECS: f64 = 0.06;
/// Points within this share of the body's size are held along, so that one vertex is not torn out.
const GRASP: f64 = 0.12;

/// Listens to drags on its body.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Hand;

impl Director for Hand {
    fn cue(
        &self,
        _: Now,
        seen: &Seen<'_>,
        memory: &mut DirectorState,
        out: &mut CueWriter<'_>,
    ) -> Result<(), CueError> {
        for input in seen.input {
            match *input {
                Input::Drag { body, at_rest, to } if body == seen.body => {
                    *memory = DirectorState::Holding { at_rest, to }
                }
                Input::LetGo { body } if body == seen.body => *memory = DirectorState::Nothing,
                _ => {}
            }
        }
        let DirectorState::Holding { at_rest, to } = *memory else { return Ok(()) };
        let flesh = seen.flesh;
        let grip = flesh.nearest_point(at_rest);
        let moved = to - flesh.anchors.at(grip, &seen.state.x);
        let reach = GRASP * flesh.size_m();
        let grasp = |i: usize| {
            let near = 1.0 - flesh.rest[i].distance(at_rest) / reach;
            (near > 0.0 || i == grip.0 as usize).then_some(near.max(0.05))
        };
        // The few points in the hand carry the whole body: their pulls add up to M/τ², whatever their own mass.
        let points = 0..flesh.point_count();
        let in_hand_kg: f64 = points.clone().filter_map(|i| Some(flesh.mass_kg[i] * grasp(i)?)).sum();
        let share = in_hand_kg / flesh.total_mass_kg();
        for i in points {
            if let Some(near) = grasp(i) {
                let goal_to = seen.state.x[i] + moved;
                let settle_secs = SETTLE_SECS * (share / near).sqrt();
                out.goal(Goal { at: sinew_solve::Row(i as u32), to: goal_to, velocity: DVec3::ZERO, settle_secs });
            }
        }
        Ok(())
    }

    fn measure(&self, _: Now, seen: &Seen<'_>, memory: &DirectorState, out: &mut Measures<'_>) {
        if let DirectorState::Holding { at_rest, to } = *memory {
            let grip = seen.flesh.anchors.at(seen.flesh.nearest_point(at_rest), &seen.state.x);
            out.number("distance_from_hand", "m", grip.distance(to));
        }
    }
}
