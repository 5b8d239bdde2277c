//! Why there is no film.

use sinew_bake::{ExportError, PlaybackError};
use sinew_io::disk::OutputError;
use sinew_render::{RenderError, WriteError};

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
            Self::Export(_) => Some("choose a file in a folder that exists and that you may write to"),
            Self::Output(error) => Some(error.help()),
            Self::Render(RenderError::Camera(_)) => {
                Some("move it with --eye and --look-at, or change the scene's [camera]: eye, look_at, fov_deg")
            }
            Self::Render(RenderError::Size { .. }) => Some("ask for another --size, such as 640x360"),
            Self::Render(_) => Some("the take holds what cannot be drawn; bake it again"),
            Self::Write(_) => Some("make room, or choose a file in a folder that you may write to"),
            _ => None,
        }
    }
}
