//! How strong gravity gets in a shot. Contacts are found from the state alone, before directors are asked, and have to reckon with it: in metres of the scene,
//! whatever a metre of it stands for.

use crate::{BodySetup, Clock};
use sinew_solve::{BodyId, BodyState, CueWriter, Cues, Seen};

/// The name under which a scene's gravity directs every body.
pub const GRAVITY: &str = "gravity";
/// Frames at which it is asked for; keyed gravity is steady between them, about.
const SAMPLES: u32 = 16;

/// The strongest gravity of any body in the shot, m/s².
pub(crate) fn strongest_gravity(bodies: &[BodySetup], states: &[BodyState], clock: Clock) -> f64 {
    let ticks = clock.tick_of(clock.last_frame);
    let at = |sample: u32| clock.interval(ticks * u64::from(sample) / u64::from(SAMPLES), 0, 1);
    let mut most = 0.0f64;
    for (number, (body, state)) in bodies.iter().zip(states).enumerate() {
        for setup in body.directors.iter().filter(|setup| setup.name == GRAVITY) {
            for sample in 0..SAMPLES {
                let seen = Seen {
                    body: BodyId(number as u32),
                    flesh: &body.flesh,
                    state,
                    contacts: &[],
                    body_contacts: &[],
                    input: &[],
                    force_arm: body.method.force_arm(|| true),
                };
                let (mut cues, mut memory) = (Cues::default(), setup.director.first_state());
                let asked = setup.director.cue(
                    at(sample),
                    &seen,
                    &mut memory,
                    &mut CueWriter::new(&body.flesh, &mut cues, 1.0),
                );
                if let (Ok(()), Some(force), Some(mass)) = (asked, cues.force_n.first(), body.flesh.mass_kg.first()) {
                    most = most.max(force.length() / mass);
                }
            }
        }
    }
    most
}
