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
#[cfg(test)]
mod contract;
mod desk;
mod guard;
mod http;
mod options;
mod page;
mod picking;
mod pictures;
mod protocol;
mod recording;
mod runner;
mod section;
mod server;
mod session;
mod show;
mod stage_show;
mod welcome;
mod wire;

pub use browser::open_in_browser;
pub use desk::Opening;
pub use options::{Limits, StudioError, StudioOptions};
pub use protocol::*;
pub use server::Studio;
pub use show::{Camera, Show, ShownBody, Sight};
pub use stage_show::StageShow;
pub use wire::WIRE_VERSION;

use std::io::Write;

/// Serves a scene on 127.0.0.1 until the process ends. The first line on stdout is the URL, written once it answers.
pub fn serve(opening: Opening, options: StudioOptions) -> Result<(), StudioError> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(StudioError::Runtime)?;
    runtime.block_on(async {
        let open = options.open;
        let studio = Studio::open(opening, options).await?;
        announce(&studio.url()).map_err(StudioError::Announce)?;
        if open && let Err(error) = open_in_browser(&studio.url()) {
            eprintln!("note: no browser could be opened ({error}); open the address above yourself");
        }
        studio.run().await
    })
}

fn announce(url: &str) -> std::io::Result<()> {
    let mut out = std::io::stdout().lock();
    writeln!(out, "{url}")?;
    out.flush()
}
