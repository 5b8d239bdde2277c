//! Ctrl-C and requests to end: half-written files go, then the process ends as it would have without us.

/// Waits for a signal on a thread of its own. What a parent said to ignore (`nohup`, jobs in the background) stays ignored.
#[cfg(unix)]
pub(crate) fn watch() {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM};
    let wanted: Vec<i32> =
        [SIGINT, SIGTERM, SIGHUP, SIGQUIT].into_iter().filter(|signal| !is_ignored(*signal)).collect();
    let Ok(mut signals) = signal_hook::iterator::Signals::new(wanted) else { return };
    let wait = move || {
        if let Some(signal) = signals.forever().next() {
            sinew::io::disk::end_writing();
            let _ = signal_hook::low_level::emulate_default_handler(signal);
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
