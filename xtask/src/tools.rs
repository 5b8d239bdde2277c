//! Programs that tests need and a new machine does not have: installed from Debian's packages where we may.

use crate::run::{has, root, run_in};
use std::process::Command;

pub(crate) const CHROMIUM: &str = "/usr/bin/chromium";

/// Draws the studio's page for the browser tests.
pub(crate) fn install_chromium() -> bool {
    install(CHROMIUM, "chromium fonts-dejavu-core")
}

/// Encodes films for the tests of `sinew render`. Without it they skip, or fail where `SINEW_STRICT` is set.
pub(crate) fn install_ffmpeg() {
    if !install("ffmpeg", "ffmpeg") {
        eprintln!("there is no ffmpeg, and it could not be installed by apt-get");
    }
}

/// Whether the program is there, after an attempt to install its packages.
fn install(program: &str, packages: &str) -> bool {
    let there = || Command::new(program).arg("-version").output().is_ok();
    if there() || !has("apt-get") {
        return there();
    }
    let quiet = [("DEBIAN_FRONTEND", "noninteractive")];
    let installed = run_in(&root(), "apt-get update -qq", &quiet)
        .and_then(|()| run_in(&root(), &format!("apt-get install -y -qq --no-install-recommends {packages}"), &quiet));
    installed.is_ok() && there()
}
