//! Programs that tests need and a new machine does not have: installed from Debian's packages where we may.

use crate::run::{has, root, run_in};
use std::process::Command;

/// What Chromium and its kin are called, here and there.
const BROWSERS: [&str; 6] = [
    "/usr/bin/chromium",
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
];

/// The browser that draws the studio's page for its tests: the one that `CHROMIUM` names, or the first that is there; Debian's Chromium is installed where there is none.
pub(crate) fn browser() -> Option<String> {
    if let Ok(named) = std::env::var("CHROMIUM") {
        return Some(named);
    }
    let first = || BROWSERS.into_iter().find(|name| has(name));
    let found = first().or_else(|| install(BROWSERS[0], "chromium fonts-dejavu-core").then(first).flatten());
    found.map(whole_path)
}

/// Where a program of the search path is: those who start the browser want to know.
fn whole_path(program: &str) -> String {
    let paths = std::env::var_os("PATH").unwrap_or_default();
    let mut there = std::env::split_paths(&paths).map(|folder| folder.join(program)).filter(|path| path.is_file());
    there.next().map_or_else(|| program.to_owned(), |path| path.to_string_lossy().into_owned())
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
