//! Developer commands. `cargo xtask test` runs what CI runs; each part of it is a command of its own.

mod browser;
mod fuzz;
mod interop;
mod laws;
mod peers;
mod pictures;
mod run;
mod rust;
mod tools;
mod web;

use anyhow::{Result, bail};
use std::time::Instant;

/// Name, what it does, and the function that does it.
type Task = (&'static str, &'static str, fn() -> Result<()>);

const TASKS: [Task; 21] = [
    ("test", "everything CI runs: format, lints, Rust, exports, front end, browser", test),
    ("quick", "the inner loop: format, lints, and the Rust tests that take no time", quick),
    ("fmt", "is everything formatted?", rust::check_format),
    ("clippy", "lints, warnings as errors", rust::clippy),
    ("rust", "all Rust tests", rust::test_all),
    ("web", "the page: types, lints, unit tests, bundle size", web::test),
    ("browser", "the studio in a real browser", browser::test),
    ("formats", "exports, read by the glTF validator and meshio", interop::formats),
    ("interop", "the same, by OpenUSD too, and with --blender by Blender", interop::interop),
    ("fuzz", "files led by coverage into every reader: SINEW_FUZZ_INPUTS of them (10000000)", fuzz::guided),
    ("mutate", "mutated files into every reader: SINEW_FUZZ_INPUTS of them (10000000)", fuzz::mutate),
    ("messages", "mutated messages into the studio: SINEW_FUZZ_MESSAGES of them (10000000)", fuzz::messages),
    ("kills", "kill -9 at SINEW_KILLS moments (250) each of bake, record, save, export and keep", rust::kills),
    ("faults", "a disk that fails at every call of bake, save, export, autosave and keep", rust::faults),
    ("soak", "the studio for SINEW_SOAK_SECS seconds (3600): does its memory stay flat?", rust::soak),
    (
        "speed",
        "what the studio promises in milliseconds, by the clock: on a machine that does nothing else",
        rust::speed,
    ),
    ("laws", "laws of motion on random scenes: --scenes N [--seed S]; failing ones go to target/laws", laws::survey),
    ("metaphors", "random metaphors on random bodies: SINEW_METAPHORS of them (10000)", rust::metaphors),
    ("pictures", "draws the gallery's pictures of the built-in scenes, or those named after it", pictures::draw),
    ("bless", "writes the checked-in files that are generated (schema, reference, wire types)", rust::bless),
    ("peers", "builds the programs that `sinew bench` measures against", peers::build),
];

fn main() -> Result<()> {
    let name = std::env::args().nth(1).unwrap_or_default();
    let Some((_, _, task)) = TASKS.iter().find(|(known, ..)| *known == name) else {
        eprintln!("cargo xtask COMMAND");
        for (name, about, _) in TASKS {
            eprintln!("  {name:<9} {about}");
        }
        bail!(if name.is_empty() { "no command given".to_owned() } else { format!("there is no command {name:?}") });
    };
    let begun = Instant::now();
    task()?;
    eprintln!("xtask {name}: done in {:.0} s", begun.elapsed().as_secs_f64());
    Ok(())
}

/// One build for all of it: the program that the browser opens is the one that Rust tests and exports ran.
fn test() -> Result<()> {
    rust::check_format()?;
    rust::clippy()?;
    rust::build_with_page();
    rust::test_all()?;
    interop::formats()?;
    web::test()?;
    browser::test()
}

fn quick() -> Result<()> {
    rust::check_format()?;
    rust::clippy()?;
    rust::test_quick()
}
