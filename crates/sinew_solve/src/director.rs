//! What every director promises.

use crate::{
    BodyContact, BodyId, BodyState, Contact, ContactPoint, CueWriter, DirectorState, FieldQuery, FieldValues, Flesh,
    Measures,
};
use serde::{Deserialize, Serialize};
use sinew_math::DVec3;

/// Says what a body should do. Pure: all it remembers is in its [`DirectorState`], all it sees is in [`Seen`].
pub trait Director: Send + Sync {
    fn first_state(&self) -> DirectorState {
        DirectorState::Nothing
    }

    /// Writes cues for the interval `now`. How strongly (the director's weight over time) is the writer's
    /// business.
    fn cue(
        &self,
        now: Now,
        seen: &Seen<'_>,
        memory: &mut DirectorState,
        out: &mut CueWriter<'_>,
    ) -> Result<(), CueError>;

    /// What it measures. `now` ends at the moment that `seen` shows: its state is the one that the interval
    /// led to, its contacts are those found at the start.
    fn measure(&self, _now: Now, _seen: &Seen<'_>, _memory: &DirectorState, _out: &mut Measures<'_>) {}

    /// What it looks like at the end of the interval `now`, if it has that to show.
    fn field(&self, _query: FieldQuery, _now: Now, _memory: &DirectorState) -> Option<FieldValues> {
        None
    }
}

/// The interval [start, start + h] that cues describe. Time is derived from ticks, never summed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Now {
    pub tick: u64,
    pub start_secs: f64,
    pub h_secs: f64,
    /// The scene's frame number at the interval's end, with fraction: what curves over frames are asked at.
    pub end_frame: f64,
    pub frames_per_sec: f64,
    /// Seconds of a whole tick, of which the interval may be a part.
    pub tick_secs: f64,
}

impl Now {
    pub fn end_secs(&self) -> f64 {
        self.start_secs + self.h_secs
    }
}

/// All that a director may look at.
pub struct Seen<'a> {
    pub body: BodyId,
    pub flesh: &'a Flesh,
    pub state: &'a BodyState,
    /// This body's contacts with obstacles over the interval, as found from the state at its start.
    pub contacts: &'a [Contact],
    /// Contacts between bodies, of all of them; [`Seen::contact_points`] gives this body's.
    pub body_contacts: &'a [BodyContact],
    /// Live inputs of this tick, for all bodies.
    pub input: &'a [Input],
    /// Share s of the interval whose arms count for a force: the body's solver changes its angular momentum by h Σ x(t + s h) × f. 1 for implicit Euler, ½ for
    /// the midpoint rule and Runge–Kutta, 0 for shape matching.
    pub force_arm: f64,
}

impl Seen<'_> {
    /// Every point of this body that is near an obstacle or another body, those that only pass by among them:
    /// what really touches has a gap of 0 or less. A face that another body's vertex touches counts as its
    /// nearest vertex.
    pub fn contact_points(&self) -> impl Iterator<Item = ContactPoint> + '_ {
        let touched = |c: &Contact| ContactPoint { at: c.at, other: c.other, normal: c.normal, gap_m: c.gap_m };
        let of_bodies = self.body_contacts.iter().flat_map(|contact| contact.contact_points_on(self.body));
        self.contacts.iter().map(touched).chain(of_bodies)
    }
}

/// What a user does while the stage runs; logged in the take and replayed from there.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub enum Input {
    /// A tap at a point of the body, given in rest coordinates.
    Touch {
        body: BodyId,
        at_rest: DVec3,
    },
    /// The body is held at a point (rest coordinates) and pulled towards a place in the world.
    Drag {
        body: BodyId,
        at_rest: DVec3,
        to: DVec3,
    },
    LetGo {
        body: BodyId,
    },
}

/// Why a director could not say anything.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum CueError {
    #[error("director {director:?} of body {body:?} asks for a number that is not finite ({what})")]
    NotFinite { body: String, director: String, what: &'static str },
}
