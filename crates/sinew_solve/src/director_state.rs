//! What directors remember from interval to interval, each in a type of its own.

use crate::DirectorState;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize as SerializeDerive};

/// A director's own kind of memory: plain data, small, saved with the state.
pub trait Remembered: Serialize + DeserializeOwned {
    /// Tells it apart from what other directors remember.
    const KIND: &'static str;
}

/// A memory as it is saved: its kind, and its bytes in postcard.
#[derive(Debug, Clone, PartialEq, Eq, SerializeDerive, Deserialize)]
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

    #[derive(Debug, PartialEq, SerializeDerive, Deserialize)]
    struct Lag {
        angle_rad: f64,
        since: Option<u64>,
    }

    impl Remembered for Lag {
        const KIND: &'static str = "lag";
    }

    #[derive(Debug, PartialEq, SerializeDerive, Deserialize)]
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
