//! When the studio is asked to end: Ctrl-C, Ctrl-\, a terminal that closes, or a system that shuts down.

use std::io;

/// Returns when someone asks.
#[cfg(unix)]
pub(crate) async fn asked() -> io::Result<()> {
    use tokio::signal::unix::{SignalKind, signal};
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut terminate = signal(SignalKind::terminate())?;
    let mut hang_up = signal(SignalKind::hangup())?;
    let mut quit = signal(SignalKind::quit())?;
    tokio::select! {
        _ = interrupt.recv() => {}
        _ = terminate.recv() => {}
        _ = hang_up.recv() => {}
        _ = quit.recv() => {}
    }
    Ok(())
}

#[cfg(not(unix))]
pub(crate) async fn asked() -> io::Result<()> {
    tokio::signal::ctrl_c().await
}
