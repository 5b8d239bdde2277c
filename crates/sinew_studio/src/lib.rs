//! The studio's server: it owns the running stage, its document and everything about them; the page only draws and sends
//! commands.
//!
//! [`serve`] is the whole of it for a caller. Inside: `desk` is the thread that owns the document, its history and its
//! files; `runner` is the thread that owns the stage ([`Show`]) and keeps its time; `recording` remembers what was
//! shown; `protocol` and `wire` are the words and bytes exchanged with the page; `guard` says who may speak at all; `session` is one
//! page's conversation.
//!
//! Loopback only. A page that is slow, stalled or gone never slows the stage: the newest frame wins.

mod board;
mod browser;
mod connections;
#[cfg(test)]
mod contract;
mod desk;
mod end;
mod guard;
mod handoff;
mod http;
mod made_file;
#[cfg(test)]
mod message_fuzz;
mod options;
mod page;
mod picking;
mod pictures;
mod post;
mod protocol;
mod recording;
mod runner;
mod scratch;
mod section;
mod server;
mod session;
mod show;
mod stage_show;
mod welcome;
mod wire;

pub use desk::Opening;
pub use options::{Limits, StudioError, StudioOptions, state_folder};
pub use protocol::*;
pub use server::Studio;
pub use show::{Camera, Show, ShownBody, Sight};
pub use stage_show::StageShow;
pub use wire::WIRE_VERSION;

use std::io::Write;
use std::time::{Duration, Instant};

/// Serves a scene on 127.0.0.1 until the process is asked to end; unsaved work is kept then. The first line on stdout is the
/// URL, written once it answers.
pub fn serve(opening: Opening, options: StudioOptions) -> Result<(), StudioError> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(StudioError::Runtime)?;
    scratch::sweep();
    runtime.block_on(async {
        let open = options.open;
        let studio = Studio::open(opening, options).await?;
        let front = studio.front();
        announce(&studio.url()).map_err(StudioError::Announce)?;
        if open {
            open_browser(&studio);
        }
        tokio::select! {
            ended = studio.run() => return ended,
            asked = end::asked() => asked.map_err(StudioError::Runtime)?,
        }
        // The desk answers from its own thread, so that waiting here costs nobody anything.
        front.flush();
        sinew_io::disk::end_writing();
        scratch::clear();
        Ok(())
    })
}

/// Opens the user's browser on this studio. Failing to is a note.
fn open_browser(studio: &Studio) {
    /// A browser that has not come by then does not.
    const PATIENCE: Duration = Duration::from_secs(120);
    let opened = studio.handoff().and_then(|file| browser::open(&file).map(|()| file));
    let front = studio.front();
    match opened {
        Err(error) => eprintln!("note: no browser could be opened ({error}); open the address above yourself"),
        Ok(file) => drop(tokio::spawn(async move {
            let began = Instant::now();
            while !front.was_handed_off() && began.elapsed() < PATIENCE {
                tokio::time::sleep(Duration::from_millis(200)).await;
            }
            drop(file);
        })),
    }
}

fn announce(url: &str) -> std::io::Result<()> {
    let mut out = std::io::stdout().lock();
    writeln!(out, "{url}")?;
    out.flush()
}
