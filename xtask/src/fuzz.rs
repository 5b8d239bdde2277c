//! Fuzzing: files of any content into the mesh readers, messages of any content into the studio. Counts add up over runs under
//! `target/fuzz`, where the corpus is kept too.

use crate::run::{root, run_and_hear, run_and_hear_errors, run_in};
use crate::rust::NO_PAGE;
use anyhow::{Context, Result};
use std::path::{Path, PathBuf};

/// What libFuzzer needs of the compiler: counters on every edge, and comparisons. These flags are stable ones.
const COVERAGE: &str = "-Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 \
    -Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table \
    -Cllvm-args=-sanitizer-coverage-trace-compares --cfg=fuzzing";

fn folder() -> PathBuf {
    root().join("target/fuzz")
}

/// Coverage-guided: libFuzzer leads `SINEW_FUZZ_INPUTS` files (ten million) into every reader (`fuzz/targets/readers.rs`).
/// What it finds is kept and goes on from there in the next run. A file that breaks a reader is left in `target/fuzz`.
pub(crate) fn guided() -> Result<()> {
    let kept = folder();
    let build = kept.join("build");
    // Flags for the target leave build scripts alone, so the target is named.
    let target = host()?;
    let settings = [("RUSTFLAGS", COVERAGE), ("CARGO_TARGET_DIR", &*build.to_string_lossy())];
    run_in(&root().join("fuzz"), &format!("cargo build --release --target {target}"), &settings)?;
    let programs = build.join(&target).join("release");
    let (seeds, corpus) = (kept.join("seeds"), kept.join("guided"));
    std::fs::create_dir_all(&corpus)?;
    std::fs::create_dir_all(&seeds)?;
    let inputs = std::env::var("SINEW_FUZZ_INPUTS").unwrap_or_else(|_| "10000000".to_owned());
    let line = format!(
        "{} {} {} -runs={inputs} -max_len=65536 -timeout=10 -rss_limit_mb=4096 -print_final_stats=1",
        programs.join("readers").display(),
        corpus.display(),
        seeds.display()
    );
    let said = run_and_hear_errors(&kept, &line, &[("SINEW_FUZZ_SEEDS", &seeds.to_string_lossy())])?;
    let runs = said.lines().find_map(|line| line.strip_prefix("stat::number_of_executed_units:")).map(str::trim);
    let runs = runs.context("libFuzzer did not say how many inputs there were")?;
    count_up(&kept, "inputs", &format!("inputs: {runs}"))
}

/// The target of this machine's compiler.
fn host() -> Result<String> {
    let output = std::process::Command::new("rustc").arg("-vV").output().context("cannot start rustc")?;
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    let host = said.lines().find_map(|line| line.strip_prefix("host: ")).context("rustc does not name its host")?;
    Ok(host.to_owned())
}

/// Mutated files into every reader: `SINEW_FUZZ_INPUTS` of them (ten million). What readers took is kept under `target/fuzz` and
/// mutated further by the next run; so is the count of all runs.
pub(crate) fn mutate() -> Result<()> {
    let (kept, seed) = (folder(), seed());
    let corpus = kept.join("corpus").to_string_lossy().into_owned();
    let inputs = std::env::var("SINEW_FUZZ_INPUTS").unwrap_or_else(|_| "10000000".to_owned());
    let settings =
        [("SINEW_FUZZ_CORPUS", &*corpus), ("SINEW_FUZZ_SEED", seed.as_str()), ("SINEW_FUZZ_INPUTS", inputs.as_str())];
    let said = run_and_hear("cargo test --release --package sinew_io --test it mutated:: -- --nocapture", &settings)?;
    count_up(&kept, "inputs", &said)
}

/// Mutated messages into the studio's parser and document: `SINEW_FUZZ_MESSAGES` of them (ten million).
pub(crate) fn messages() -> Result<()> {
    let seed = seed();
    let count = std::env::var("SINEW_FUZZ_MESSAGES").unwrap_or_else(|_| "10000000".to_owned());
    let settings = [NO_PAGE[0], ("SINEW_FUZZ_MESSAGES", &count), ("SINEW_FUZZ_SEED", &seed)];
    let line = "cargo test --release --package sinew_studio --lib message_fuzz -- --nocapture";
    let said = run_and_hear(line, &settings)?;
    count_up(&folder(), "messages", &said)
}

/// Another one in every run.
pub(crate) fn seed() -> String {
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
