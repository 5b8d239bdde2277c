//! Laws of motion on random scenes, in release. See docs/book/laws.md.

use crate::run::{root, run_in};
use anyhow::Result;

/// Hands its arguments on, with the meshes that lie beside the repository if there are any.
pub(crate) fn survey() -> Result<()> {
    let wanted: Vec<String> = std::env::args().skip(2).collect();
    let models = root().join("../shared/models");
    let from = if models.is_dir() { format!("--models {} ", models.display()) } else { String::new() };
    let line = format!("cargo run --quiet --release --package sinew_laws -- {from}{}", wanted.join(" "));
    run_in(&root(), &line, &[])
}
