//! The studio's server: it owns the running stage and everything about it; the page only draws and sends commands.
//!
//! [`serve`] is the whole of it for a caller. Inside: [`Show`] is what the studio needs of a stage; `runner` is the
//! thread that owns one and keeps its time; `recording` remembers what was shown; `protocol` and `wire` are the words
//! and bytes exchanged with the page; `guard` says who may speak at all; `session` is one page's conversation.
//!
//! Loopback only. A page that is slow, stalled or gone never slows the stage: the newest frame wins.

mod browser;
#[cfg(test)]
mod contract;
mod guard;
mod options;
mod page;
mod picking;
mod protocol;
mod recording;
mod runner;
mod server;
mod session;
mod show;
mod stage_show;
mod wire;

pub use browser::open_in_browser;
pub use options::{Limits, StudioError, StudioOptions};
pub use protocol::*;
pub use server::Studio;
pub use show::{Camera, Show, ShownBody};
pub use stage_show::StageShow;
pub use wire::WIRE_VERSION;

use std::io::Write;

/// Serves `show` on 127.0.0.1 until the process ends. The first line on stdout is the URL, written once it answers.
pub fn serve(show: Box<dyn Show>, options: StudioOptions) -> Result<(), StudioError> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(StudioError::Runtime)?;
    runtime.block_on(async {
        let open = options.open;
        let studio = Studio::bind(show, options).await?;
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
