//! The studio in a real browser: builds the program with its page, then drives it as a user would.

use crate::run::{has, root, run, run_in, skip};
use anyhow::Result;

const CHROMIUM: &str = "/usr/bin/chromium";

pub(crate) fn test() -> Result<()> {
    if !has("npm") {
        return skip("browser tests", "there is no npm; install Node 20 or newer");
    }
    if !install_chromium()? {
        return skip("browser tests", "there is no /usr/bin/chromium, and it could not be installed by apt-get");
    }
    run("cargo build --package sinew_cli")?;
    let target = std::env::var("CARGO_TARGET_DIR").map_or_else(|_| root().join("target"), Into::into);
    let program = target.join("debug").join("sinew");
    run_in(
        &root().join("web"),
        "npm run --silent e2e",
        &[("SINEW_BIN", &program.to_string_lossy()), ("CHROMIUM", CHROMIUM)],
    )
}

/// Debian's Chromium, installed where it is missing and we may.
fn install_chromium() -> Result<bool> {
    if has(CHROMIUM) {
        return Ok(true);
    }
    if !has("apt-get") {
        return Ok(false);
    }
    let quiet = [("DEBIAN_FRONTEND", "noninteractive")];
    let installed = run_in(&root(), "apt-get update -qq", &quiet).and_then(|()| {
        run_in(&root(), "apt-get install -y -qq --no-install-recommends chromium fonts-dejavu-core", &quiet)
    });
    Ok(installed.is_ok() && has(CHROMIUM))
}
