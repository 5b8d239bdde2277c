//! Keys that are hit exactly: which rest shapes and leads bring the simulated body into the shapes of its keys at their frames.
//!
//! A body lags behind its rest shape, swings beyond it, and sags under its weight, so that a rest shape is a guide only. A key depends on what
//! is before it alone, so that keys are solved for one after the other, each from the state that the one before left: a try performs the
//! frames between two keys. First the lead is chosen with which the body comes closest by itself. Then every try leaves a difference at
//! the key; adding it to the rest shape is a fixed-point iteration, accelerated by `anderson.rs`.
//!
//! Limits: a rest shape is one shape for each key. A key that the flesh cannot reach in the time it has, or that lies inside an
//! obstacle, is not hit; `why.rs` says which and why.

mod anderson;
mod search;
mod why;

use super::{RefineError, Refinement, Refiner, Rehearsal, SearchError};
use crate::keys::KeyFileError;
use search::{Search, Tried};

/// An answer that leaves more than this share of the largest residual, and meets no more keys than before, is none.
const GAIN: f64 = 0.95;

/// Finds rest shapes and leads for the keys of a director, by its path: `body.ball.director.shape`.
#[derive(Debug, Clone, PartialEq)]
pub struct ExactKeys {
    pub director: String,
    /// How far off is close enough, per cent of the body's size.
    pub within_percent: f64,
}

/// Why keys are left as they are.
#[derive(Debug, thiserror::Error)]
pub enum ExactKeysError {
    #[error(
        "there are no key shapes at {path} that can be hit: keys at whole frames within the scene, after its first"
    )]
    NoKeys { path: String },
    #[error(
        "the keys of {path} are met already: the body is {percent:.2} % of its size off at most, and there is nothing to do"
    )]
    KeysMet { path: String, percent: f64 },
    #[error(
        "the keys of {path} were not hit, and nothing is changed: after {runs} tries the body is still {percent:.2} % of its size off at frame {frame}; {why}"
    )]
    KeysNotHit { path: String, percent: f64, frame: i32, runs: u32, why: String },
    #[error("a key shape could not be kept")]
    KeyFile(#[source] KeyFileError),
}

impl SearchError for ExactKeysError {
    fn help(&self) -> Option<&str> {
        match self {
            Self::NoKeys { .. } => Some("name a director of kind \"key_shapes\", such as body.ball.director.shape"),
            Self::KeysMet { .. } => Some("ask for more with --within, in per cent"),
            Self::KeysNotHit { .. } => Some(
                "give the body more time between its keys, ask for less, or make it stiffer: flesh that is pressed or swings freely does not get there",
            ),
            Self::KeyFile(_) => None,
        }
    }

    fn is_content(&self) -> bool {
        matches!(self, Self::KeysMet { .. })
    }
}

impl Refiner for ExactKeys {
    fn label(&self) -> String {
        format!("rest shapes for the keys of {}", self.director)
    }

    fn refine(&self, rehearsal: &mut Rehearsal<'_>) -> Result<Vec<Refinement>, RefineError> {
        let mut search = Search::new(self, rehearsal)?;
        let before = search.perform_as_it_is()?;
        let worst = |of: &[Tried]| of.iter().map(|tried| tried.residual).fold(0.0, f64::max);
        let met = |of: &[Tried]| of.iter().filter(|tried| tried.residual <= self.within_percent).count();
        if met(&before) == before.len() {
            return Err(ExactKeysError::KeysMet { path: self.director.clone(), percent: worst(&before) }.into());
        }
        let after = search.solve_in_turn(&before)?;
        if met(&after) <= met(&before) && worst(&after) > GAIN * worst(&before) {
            let farthest = (0..after.len()).max_by(|a, b| after[*a].residual.total_cmp(&after[*b].residual));
            let key = farthest.unwrap_or_default();
            return Err(ExactKeysError::KeysNotHit {
                path: self.director.clone(),
                percent: after[key].residual,
                frame: search.frame(key),
                runs: search.runs(),
                why: search.why(key, &after[key]),
            }
            .into());
        }
        Ok(vec![search.refinement(&before, &after)?])
    }
}
