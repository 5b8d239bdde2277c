//! How the studio is asked to run, its limits, and what can go wrong before it does.

use std::path::PathBuf;
use std::time::Duration;

#[derive(Debug, Clone)]
pub struct StudioOptions {
    /// On 127.0.0.1; 0 takes a free one.
    pub port: u16,
    /// Whether to open a browser. Failing to is a note on stderr, not an error.
    pub open: bool,
    pub limits: Limits,
    /// Where unsaved work is kept of built-in scenes, and of scenes whose folder takes no files; none keeps it nowhere.
    pub state_folder: Option<PathBuf>,
}

impl Default for StudioOptions {
    fn default() -> Self {
        Self { port: 0, open: true, limits: Limits::default(), state_folder: state_folder() }
    }
}

/// Where programs keep what is theirs between runs, and the studio unsaved work.
pub fn state_folder() -> Option<PathBuf> {
    let folder = |variable: &str| std::env::var_os(variable).filter(|value| !value.is_empty()).map(PathBuf::from);
    let state = folder("XDG_STATE_HOME").or_else(|| folder("LOCALAPPDATA"));
    let state = state.or_else(|| folder("HOME").map(|home| home.join(".local/state")))?;
    Some(state.join("sinew"))
}

/// Bounds that keep a page, broken or hostile, from taking the machine's memory or the stage's time.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Of one message from a page. Most are a few hundred bytes; painted strokes and whole bodies are larger.
    pub message_bytes: usize,
    /// Pages connected at the same time.
    pub pages: usize,
    /// Connections at the same time: of those that were not admitted yet, and of those that were.
    pub connections: usize,
    /// The headers of a request arrive within this time, also the next one's on a connection that is kept open.
    pub headers_within: Duration,
    /// A page that takes nothing for this long is let go; it may come back.
    pub stalled_after: Duration,
    /// So is one that answers no ping for this long.
    pub silent_after: Duration,
    /// Of recorded frames kept for scrubbing; the oldest go first.
    pub recorded_bytes: usize,
    /// Of exact states kept to continue from; they thin out as a recording grows.
    pub checkpoint_bytes: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            message_bytes: 1 << 20,
            pages: 16,
            connections: 64,
            headers_within: Duration::from_secs(10),
            stalled_after: Duration::from_secs(10),
            silent_after: Duration::from_secs(20),
            recorded_bytes: 256 << 20,
            checkpoint_bytes: 256 << 20,
        }
    }
}

#[derive(Debug, thiserror::Error)]
pub enum StudioError {
    #[error("cannot listen on 127.0.0.1:{port}; another program may use that port (0 takes a free one)")]
    Bind { port: u16, source: std::io::Error },
    #[error("cannot open the folder {}", folder.display())]
    Folder { folder: PathBuf, source: std::io::Error },
    #[error(transparent)]
    Scene(Box<sinew_scene::SceneError>),
    #[error("the scene has no body to show")]
    NoBody,
    #[error("frames {first} to {last} are no range: the last must not come before the first")]
    NoFrames { first: i32, last: i32 },
    #[error("{substeps} substeps at {} / {} frames a second are no clock: all must be above zero", fps.0, fps.1)]
    NoClock { fps: (u32, u32), substeps: u32 },
    #[error("the system gave no random numbers for the studio's token: {0}")]
    Token(getrandom::Error),
    #[error("cannot start the server")]
    Runtime(#[source] std::io::Error),
    #[error("cannot write the studio's address to stdout")]
    Announce(#[source] std::io::Error),
    #[error("the server stopped")]
    Serve(#[source] std::io::Error),
}
