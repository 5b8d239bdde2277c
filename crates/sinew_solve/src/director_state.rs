//! What directors remember from interval to interval, each in a type of its own.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use sinew_math::DVec3;

/// A director's state: what it remembers. Small, plain, saved with the stage's state.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub enum DirectorState {
    #[default]
    Nothing,
    /// Touches that still have an effect, and when each began.
    Touches(Vec<TouchStimulus>),
    /// Where a hand holds the body, in rest coordinates, and pulls it to, in the world.
    Holding { at_rest: DVec3, to: DVec3 },
    /// A controller's magnitude and its rate.
    Magnitude { value: f64, slope: f64 },
    /// Touches that still have an effect, and what lay against the body in the last interval.
    Responding { touches: Vec<TouchStimulus>, touching: Vec<ContactPartner> },
    /// For how long flesh has been tangled, and for how long it has been drawn out of that.
    Recovering { tangled_secs: f64, drawn_secs: f64 },
    /// What a director remembers in a type of its own ([`DirectorState::remember`]).
    Own(OwnState),
}

/// What a body has contact with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum ContactPartner {
    Obstacle(u32),
    Body(u32),
}

/// A touch that a director still responds to: where, and when it began.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct TouchStimulus {
    pub at_rest: DVec3,
    pub started_tick: u64,
}

/// A director's own kind of memory: plain data, small, saved with the state.
pub trait Remembered: Serialize + DeserializeOwned {
    /// Tells it apart from what other directors remember.
    const KIND: &'static str;
}

/// A memory as it is saved: its kind, and its bytes in postcard.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OwnState {
    kind: String,
    bytes: Vec<u8>,
}

impl DirectorState {
    /// What was remembered as a `T`; none where nothing was, or something else.
    pub fn remembered<T: Remembered>(&self) -> Option<T> {
        match self {
            Self::Own(own) if own.kind == T::KIND => postcard::from_bytes(&own.bytes).ok(),
            _ => None,
        }
    }

    /// Remembers `memory` and forgets what was before.
    pub fn remember<T: Remembered>(&mut self, memory: &T) {
        // Plain data always has bytes.
        let bytes = postcard::to_allocvec(memory).unwrap_or_default();
        *self = Self::Own(OwnState { kind: T::KIND.to_owned(), bytes });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Lag {
        angle_rad: f64,
        since: Option<u64>,
    }

    impl Remembered for Lag {
        const KIND: &'static str = "lag";
    }

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Timer(f64);

    impl Remembered for Timer {
        const KIND: &'static str = "timer";
    }

    #[test]
    fn a_memory_comes_back_as_its_own_type_only() {
        let mut memory = DirectorState::Nothing;
        assert_eq!(memory.remembered::<Lag>(), None);
        let lag = Lag { angle_rad: 0.1 + 0.2, since: Some(7) };
        memory.remember(&lag);
        assert_eq!(memory.remembered::<Lag>(), Some(lag));
        assert_eq!(memory.remembered::<Timer>(), None, "another director's");
        memory.remember(&Timer(1.5));
        assert_eq!((memory.remembered::<Lag>(), memory.remembered::<Timer>()), (None, Some(Timer(1.5))));
    }
}
