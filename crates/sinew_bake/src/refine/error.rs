//! Why a search found nothing: what performing it met with, or what the search itself says.

use crate::BuildError;
use sinew_scene::SceneError;
use sinew_solve::StepError;
use sinew_stage::remedy;
use std::any::Any;

/// Why a refiner found nothing.
#[derive(Debug, thiserror::Error)]
pub enum RefineError {
    #[error(transparent)]
    Scene(#[from] SceneError),
    #[error(transparent)]
    Build(#[from] BuildError),
    #[error("frame {frame} could not be simulated: body {body:?}: {what}")]
    Step { frame: i32, body: String, what: String, error: StepError },
    #[error("frame {frame} is not within the scene's {first} to {last}")]
    OutsideScene { frame: i32, first: i32, last: i32 },
    #[error("it was stopped")]
    Stopped,
    /// What is told by an error type of the refiner's own.
    #[error("{0}")]
    Search(Box<dyn SearchError>),
}

/// An error of one kind of search.
pub trait SearchError: std::error::Error + Any + Send + Sync {
    /// What would be right, where the message does not say so.
    fn help(&self) -> Option<&str> {
        None
    }

    /// Whether all is well as it is: nothing failed, and nothing needs to be changed.
    fn is_content(&self) -> bool {
        false
    }
}

impl<E: SearchError> From<E> for RefineError {
    fn from(error: E) -> Self {
        Self::Search(Box::new(error))
    }
}

impl RefineError {
    /// What would be right, where the message does not say so.
    pub fn help(&self) -> Option<&str> {
        match self {
            Self::Scene(_) | Self::Stopped => None,
            Self::Build(error) => error.help(),
            Self::Step { error, .. } => Some(remedy(error)),
            Self::OutsideScene { .. } => Some("stay within them, or make the scene longer (scene.frames)"),
            Self::Search(error) => error.help(),
        }
    }

    /// The error of a kind of search, where it is that.
    pub fn of_search<E: SearchError>(&self) -> Option<&E> {
        match self {
            Self::Search(error) => (&**error as &dyn Any).downcast_ref(),
            _ => None,
        }
    }

    /// Whether there was nothing to do.
    pub fn is_content(&self) -> bool {
        matches!(self, Self::Search(error) if error.is_content())
    }
}
