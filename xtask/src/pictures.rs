//! Pictures of the built-in scenes, which the studio's gallery shows.

use crate::run::{root, run_in};
use anyhow::Result;

/// Draws those named on the command line, or all.
pub(crate) fn draw() -> Result<()> {
    let wanted: Vec<String> = std::env::args().skip(2).collect();
    let line = format!("cargo run --quiet --package sinew_studio --example pictures -- {}", wanted.join(" "));
    run_in(&root(), &line, &[("SINEW_PAGE", "skip")])
}
