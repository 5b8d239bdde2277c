//! A progress bar with an estimate, on a terminal only.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use sinew::film::{FilmError, GO_ON, Progress};
use std::io::IsTerminal;

/// A bar of `steps` called `what`; silent in a pipe.
pub(crate) fn bar(what: &str, steps: u64) -> ProgressBar {
    let target =
        if std::io::stderr().is_terminal() { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
    let bar = ProgressBar::with_draw_target(Some(steps), target).with_message(what.to_owned());
    match ProgressStyle::with_template("{msg} {bar:32} {pos}/{len}  {elapsed} elapsed, {eta} left") {
        Ok(style) => bar.with_style(style.progress_chars("━╸ ")),
        Err(_) => bar,
    }
}

/// Work that says how far it is, shown as a bar.
pub(crate) fn shown<T>(
    what: &str,
    work: impl FnOnce(&mut Progress<'_>) -> Result<T, FilmError>,
) -> Result<T, FilmError> {
    let bar = bar(what, 0);
    let done = work(&mut |done, total| {
        bar.set_length(total);
        bar.set_position(done);
        GO_ON
    })?;
    bar.finish_and_clear();
    Ok(done)
}
