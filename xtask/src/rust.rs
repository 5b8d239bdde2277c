//! Formatting, lints and tests of the Rust side. The page is not built for any of them.

use crate::interop::with_meshio;
use crate::run::{has, root, run, run_in};
use crate::tools::install_ffmpeg;
use anyhow::Result;
use std::sync::atomic::{AtomicBool, Ordering};

pub(crate) const NO_PAGE: [(&str, &str); 1] = [("SINEW_PAGE", "skip")];

/// Whether the program is built with its page from now on.
static WITH_PAGE: AtomicBool = AtomicBool::new(false);

/// Builds the program with its page from now on, where that can be built: what follows needs it, and a
/// program without would be compiled a second time.
pub(crate) fn build_with_page() {
    WITH_PAGE.store(has("npm"), Ordering::Relaxed);
}

/// What tells cargo whether the program gets its page.
pub(crate) fn page() -> &'static [(&'static str, &'static str)] {
    if WITH_PAGE.load(Ordering::Relaxed) { &[] } else { &NO_PAGE }
}

/// Tests of whole takes, kills and damaged files: seconds each, so not for the inner loop.
const SLOW: &str = "test(/^(kill|damage|cli)::/) | test(threads) | test(resume)";

pub(crate) fn check_format() -> Result<()> {
    run("cargo fmt --all --check")
}

pub(crate) fn clippy() -> Result<()> {
    run_in(&root(), "cargo clippy --workspace --all-targets --quiet -- -D warnings", &NO_PAGE)
}

/// Generated cases are the same in every run, so that red means what changed; plain `cargo test` draws new ones.
pub(crate) fn test_all() -> Result<()> {
    install_ffmpeg();
    let runner = if has_nextest() { "cargo nextest run --workspace" } else { "cargo test --workspace --quiet" };
    let mut settings = [page(), &[("PROPTEST_RNG_SEED", "20261115")]].concat();
    let python = with_meshio()?.map(|python| python.to_string_lossy().into_owned());
    if let Some(python) = &python {
        settings.push(("SINEW_PYTHON", python));
    }
    run_in(&root(), runner, &settings)
}

pub(crate) fn test_quick() -> Result<()> {
    if !has_nextest() {
        return run_in(&root(), "cargo test --workspace --lib --quiet", &NO_PAGE);
    }
    let filter = format!("not ({SLOW})").replace(' ', "");
    run_in(&root(), &format!("cargo nextest run --workspace -E {filter}"), &NO_PAGE)
}

/// Rewrites generated files: their tests write instead of compare.
pub(crate) fn bless() -> Result<()> {
    let bless = [("SINEW_PAGE", "skip"), ("SINEW_BLESS", "1")];
    run_in(&root(), "cargo test --quiet -p sinew_math golden", &bless)?;
    run_in(&root(), "cargo test --quiet -p sinew_scene --test it schema::", &bless)?;
    run_in(&root(), "cargo test --quiet -p sinew_studio --lib contract", &bless)?;
    run_in(&root(), "cargo test --quiet -p sinew --test it public_names::", &bless)
}

/// `kill -9` at `SINEW_KILLS` moments (250) each of bakes, recordings, saves, exports and takes being kept.
pub(crate) fn kills() -> Result<()> {
    let kills = std::env::var("SINEW_KILLS").unwrap_or_else(|_| "250".to_owned());
    let settings = [NO_PAGE[0], ("SINEW_KILLS", kills.as_str())];
    run_in(&root(), "cargo test --release --package sinew_bake --test it kill::", &settings)?;
    run_in(&root(), "cargo test --release --package sinew_cli --test it kill::", &settings)
}

/// The disk fails at every call of bake, save, export, autosave and keep.
pub(crate) fn faults() -> Result<()> {
    let tests = ["sinew_scene --test it faults::", "sinew_bake --test it faults::", "sinew_film --test it faults::"];
    for test in tests {
        run_in(&root(), &format!("cargo test --package {test}"), &NO_PAGE)?;
    }
    run_in(&root(), "cargo test --package sinew_studio --lib autosave", &NO_PAGE)
}

/// Random metaphors on random bodies: `SINEW_METAPHORS` of them (10000), other ones in every run.
pub(crate) fn metaphors() -> Result<()> {
    let seed = crate::fuzz::seed();
    let count = std::env::var("SINEW_METAPHORS").unwrap_or_else(|_| "10000".to_owned());
    let settings = [NO_PAGE[0], ("SINEW_METAPHORS", &count), ("SINEW_METAPHORS_SEED", &seed)];
    run_in(&root(), "cargo test --package sinew_laws --test it random_metaphors:: -- --nocapture", &settings)
}

/// The studio at work, for longer than the suite can wait.
pub(crate) fn soak() -> Result<()> {
    let secs = std::env::var("SINEW_SOAK_SECS").unwrap_or_else(|_| "3600".to_owned());
    let settings = [NO_PAGE[0], ("SINEW_SOAK_SECS", &secs)];
    run_in(&root(), "cargo test --package sinew_studio --test soak -- --nocapture", &settings)
}

/// The studio's promises by the clock, on a quiet machine.
pub(crate) fn speed() -> Result<()> {
    let settings = [NO_PAGE[0], ("SINEW_CLOCK", "1")];
    run_in(&root(), "cargo test --package sinew_studio --test speed -- --nocapture", &settings)
}

fn has_nextest() -> bool {
    let output = std::process::Command::new("cargo").args(["nextest", "--version"]).output();
    output.is_ok_and(|output| output.status.success())
}
