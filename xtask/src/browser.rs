//! The studio in a real browser: builds the program with its page, then drives it as a user would.

use crate::run::{has, root, run, run_in, skip};
use crate::tools;
use anyhow::Result;

pub(crate) fn test() -> Result<()> {
    if !has("npm") {
        return skip("browser tests", "there is no npm; install Node 20 or newer");
    }
    let Some(browser) = tools::browser() else {
        return skip("browser tests", "there is no Chromium or Chrome, and it could not be installed by apt-get");
    };
    run("cargo build --workspace --bin sinew")?;
    let target = std::env::var("CARGO_TARGET_DIR").map_or_else(|_| root().join("target"), Into::into);
    let program = target.join("debug").join("sinew");
    run_in(
        &root().join("web"),
        "npm run --silent e2e",
        &[("SINEW_BIN", &program.to_string_lossy()), ("CHROMIUM", &browser)],
    )
}
