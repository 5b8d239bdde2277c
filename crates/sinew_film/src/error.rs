//! Why there is no film.

use sinew_bake::{ExportError, PlaybackError};
use sinew_io::disk::{OutputError, remedy_behind};
use sinew_render::{RenderError, WriteError};

/// What to do about a file that cannot be written, where nothing more is known.
pub(crate) const ELSEWHERE: &str = "choose a file in a folder that exists and that you may write to";

#[derive(Debug, thiserror::Error)]
pub enum FilmError {
    /// What was asked for makes no sense.
    #[error("{what}")]
    Asked { what: String, help: String },
    #[error("{what}")]
    Failed { what: String, help: String },
    #[error(transparent)]
    Playback(#[from] PlaybackError),
    #[error(transparent)]
    Export(#[from] ExportError),
    #[error(transparent)]
    Render(#[from] RenderError),
    #[error(transparent)]
    Write(#[from] WriteError),
    #[error(transparent)]
    Output(#[from] OutputError),
    #[error("it was stopped")]
    Stopped,
}

impl FilmError {
    pub(crate) fn failed(what: impl Into<String>, help: impl Into<String>) -> Self {
        Self::Failed { what: what.into(), help: help.into() }
    }

    /// What would be right.
    pub fn help(&self) -> Option<&str> {
        match self {
            Self::Asked { help, .. } | Self::Failed { help, .. } => Some(help),
            Self::Playback(error) => error.help(),
            Self::Export(ExportError::Playback(error)) => error.help(),
            Self::Export(error) => remedy_behind(error).or(Some(ELSEWHERE)),
            Self::Output(error) => Some(error.help()),
            Self::Render(RenderError::Camera(_)) => {
                Some("move it with --eye and --look-at, or change the scene's [camera]: eye, look_at, fov_deg")
            }
            Self::Render(RenderError::Memory { .. }) => Some("ask for a smaller --size, or close other programs"),
            Self::Render(RenderError::Size { .. }) => Some("ask for another --size, such as 640x360"),
            Self::Render(_) => Some("the take holds what cannot be drawn; bake it again"),
            Self::Write(error) => remedy_behind(error).or(Some(ELSEWHERE)),
            _ => None,
        }
    }
}
