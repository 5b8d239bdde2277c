//! Ctrl-C and requests to end: half-written files go, then the process ends as it would have without us.

use sinew::solve::StopFlag;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// What the first Ctrl-C stops instead of the process.
static FIRST: Mutex<Option<StopFlag>> = Mutex::new(None);

fn first() -> MutexGuard<'static, Option<StopFlag>> {
    FIRST.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The next Ctrl-C sets the flag; the one after that ends the process, as every other signal does.
pub(crate) fn stop_first(stop: &StopFlag) {
    *first() = Some(stop.clone());
}

/// The next Ctrl-C ends the process again.
pub(crate) fn stop_nothing() {
    first().take();
}

/// Waits for a signal on a thread of its own. What a parent said to ignore (`nohup`, jobs in the background) stays ignored.
#[cfg(unix)]
pub(crate) fn watch() {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM};
    let wanted: Vec<i32> =
        [SIGINT, SIGTERM, SIGHUP, SIGQUIT].into_iter().filter(|signal| !is_ignored(*signal)).collect();
    let Ok(mut signals) = signal_hook::iterator::Signals::new(wanted) else { return };
    let wait = move || {
        for signal in signals.forever() {
            if signal == SIGINT
                && let Some(stop) = first().take()
            {
                stop.set();
                continue;
            }
            sinew::io::disk::end_writing();
            let _ = signal_hook::low_level::emulate_default_handler(signal);
            return;
        }
    };
    // Without the thread signals would go unheard.
    if std::thread::Builder::new().name("signals".into()).spawn(wait).is_err() {
        eprintln!("note: no thread is left to wait for Ctrl-C");
    }
}

/// A file that may not grow any more (`ulimit -f`) is an error of the write that a message can name, not the end of the process.
#[cfg(unix)]
pub(crate) fn outlive_full_files() {
    // SAFETY: ignoring a signal calls nothing.
    unsafe {
        libc::signal(libc::SIGXFSZ, libc::SIG_IGN);
    }
}

#[cfg(unix)]
fn is_ignored(signal: i32) -> bool {
    let mut now = std::mem::MaybeUninit::<libc::sigaction>::zeroed();
    // SAFETY: without a new action the call only writes the present one to `now`, which is zeroed memory of its type.
    unsafe {
        libc::sigaction(signal, std::ptr::null(), now.as_mut_ptr()) == 0
            && now.assume_init().sa_sigaction == libc::SIG_IGN
    }
}

#[cfg(not(unix))]
pub(crate) fn watch() {}

#[cfg(not(unix))]
pub(crate) fn outlive_full_files() {}
