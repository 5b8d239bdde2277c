//! Formatting, lints and tests of the Rust side. The page is not built for any of them.

use crate::interop::with_meshio;
use crate::run::{root, run, run_and_hear, run_in};
use crate::tools::install_ffmpeg;
use anyhow::{Context, Result};
use std::path::Path;

const NO_PAGE: [(&str, &str); 1] = [("SINEW_PAGE", "skip")];

/// Tests of whole takes, kills and damaged files: seconds each, so not for the inner loop.
const SLOW: &str = "binary(kill) | binary(damage) | binary(cli) | test(threads) | test(resume)";

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
    // A minute of mutated files, as long as all other tests take.
    let mut settings = vec![NO_PAGE[0], ("PROPTEST_RNG_SEED", "20261115"), ("SINEW_FUZZ_SECS", "60")];
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
    run_in(&root(), "cargo test --quiet -p sinew_scene --test schema", &bless)?;
    run_in(&root(), "cargo test --quiet -p sinew_studio --lib contract", &bless)?;
    run_in(&root(), "cargo test --quiet -p sinew --test public_names", &bless)
}

/// Mutated files into every reader: `SINEW_FUZZ_INPUTS` of them (ten million), or for `SINEW_FUZZ_SECS` seconds. What readers took
/// is kept under `target/fuzz` and mutated further by the next run; so is the count of all runs.
pub(crate) fn fuzz() -> Result<()> {
    let (kept, seed) = (root().join("target/fuzz"), seed());
    let corpus = kept.join("corpus").to_string_lossy().into_owned();
    let mut settings = vec![("SINEW_FUZZ_CORPUS", corpus.as_str()), ("SINEW_FUZZ_SEED", seed.as_str())];
    let inputs = std::env::var("SINEW_FUZZ_INPUTS").unwrap_or_else(|_| "10000000".to_owned());
    if std::env::var_os("SINEW_FUZZ_SECS").is_none() {
        settings.push(("SINEW_FUZZ_INPUTS", &inputs));
    }
    let said = run_and_hear("cargo test --release --package sinew_io --test mutated -- --nocapture", &settings)?;
    count_up(&kept, "inputs", &said)
}

/// Mutated messages into the studio's parser and document: `SINEW_FUZZ_MESSAGES` of them (ten million).
pub(crate) fn messages() -> Result<()> {
    let seed = seed();
    let count = std::env::var("SINEW_FUZZ_MESSAGES").unwrap_or_else(|_| "10000000".to_owned());
    let settings = [NO_PAGE[0], ("SINEW_FUZZ_MESSAGES", &count), ("SINEW_FUZZ_SEED", &seed)];
    let line = "cargo test --release --package sinew_studio --lib message_fuzz -- --nocapture";
    let said = run_and_hear(line, &settings)?;
    count_up(&root().join("target/fuzz"), "messages", &said)
}

/// `kill -9` at `SINEW_KILLS` moments (250) each of bakes, recordings, saves, exports and takes being kept.
pub(crate) fn kills() -> Result<()> {
    let kills = std::env::var("SINEW_KILLS").unwrap_or_else(|_| "250".to_owned());
    let settings = [NO_PAGE[0], ("SINEW_KILLS", kills.as_str())];
    run_in(&root(), "cargo test --release --package sinew_bake --test kill", &settings)?;
    run_in(&root(), "cargo test --release --package sinew_cli --test kill", &settings)
}

/// The disk fails at every call of bake, save, export, autosave and keep.
pub(crate) fn faults() -> Result<()> {
    let tests = ["sinew_scene --test faults", "sinew_bake --test faults", "sinew_film --test faults"];
    for test in tests {
        run_in(&root(), &format!("cargo test --package {test}"), &NO_PAGE)?;
    }
    run_in(&root(), "cargo test --package sinew_studio --lib autosave", &NO_PAGE)
}

/// Another one in every run.
fn seed() -> String {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    now.as_nanos().to_string().chars().rev().take(15).collect()
}

/// Adds `what: NUMBER` of a run to the count of all runs.
fn count_up(folder: &Path, what: &str, said: &str) -> Result<()> {
    let marker = format!("{what}: ");
    let number = said.lines().find_map(|line| line.strip_prefix(&marker)?.split(' ').next()?.parse::<u64>().ok());
    let number = number.with_context(|| format!("the run did not say how many {what} there were"))?;
    std::fs::create_dir_all(folder)?;
    let file = folder.join(format!("{what}.total"));
    let before: u64 = std::fs::read_to_string(&file).ok().and_then(|text| text.trim().parse().ok()).unwrap_or(0);
    std::fs::write(&file, (before + number).to_string())?;
    eprintln!("{number} {what} in this run, {} in all", before + number);
    Ok(())
}

/// The studio at work, for longer than the suite can wait.
pub(crate) fn soak() -> Result<()> {
    let secs = std::env::var("SINEW_SOAK_SECS").unwrap_or_else(|_| "3600".to_owned());
    let settings = [NO_PAGE[0], ("SINEW_SOAK_SECS", &secs)];
    run_in(&root(), "cargo test --package sinew_studio --test soak -- --nocapture", &settings)
}

fn has_nextest() -> bool {
    let output = std::process::Command::new("cargo").args(["nextest", "--version"]).output();
    output.is_ok_and(|output| output.status.success())
}
