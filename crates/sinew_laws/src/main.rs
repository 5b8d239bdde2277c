//! `sinew-laws`: random scenes held against the laws of motion. See docs/book/laws.md.

use anyhow::Result;
use clap::Parser;
use sinew_laws::survey::{Options, meshes_in, survey};
use std::path::PathBuf;

/// Checks laws of motion on random scenes; writes the smallest failing ones to a folder.
#[derive(Parser)]
struct Args {
    /// How many scenes.
    #[arg(long, default_value_t = 100)]
    scenes: u64,
    /// The first seed; the others follow it.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Where failing scenes go.
    #[arg(long, default_value = "target/laws")]
    out: PathBuf,
    /// A folder of meshes to draw bodies from, and where those of scene files are.
    #[arg(long)]
    models: Option<PathBuf>,
    /// Failing scenes that are shrunk, per law and solver.
    #[arg(long, default_value_t = 1)]
    shrink: usize,
    /// Threads; one scene runs on one.
    #[arg(long, default_value_t = 0)]
    threads: usize,
    /// Prints the scene of the seed and judges nothing.
    #[arg(long)]
    show: bool,
    /// Writes known.toml in this folder anew, from the suite's hundred seeds and the folder's scenes.
    #[arg(long)]
    renew: Option<PathBuf>,
    /// Plays scenes with known answers by every solver and prints the table of docs/book/trust.md.
    #[arg(long)]
    answers: bool,
    /// Prints what is measured of scene files in every substep, and judges nothing.
    #[arg(long)]
    trace: bool,
    /// Judges these scene files instead of drawing scenes.
    files: Vec<PathBuf>,
}

fn main() -> Result<()> {
    let Args { scenes, seed, out, models, shrink, threads, show, renew, answers, trace, files } = Args::parse();
    if show {
        let meshes = models.as_deref().map(meshes_in).unwrap_or_default();
        print!("{}", sinew_laws::generate::generate(seed, &meshes).to_text());
        return Ok(());
    }
    if answers {
        return sinew_laws::answers::print_table();
    }
    if let Some(folder) = renew {
        return sinew_laws::survey::renew_known(&folder, 100, models.as_deref());
    }
    if trace {
        return sinew_laws::survey::trace_files(&files, models.as_deref());
    }
    if !files.is_empty() {
        return sinew_laws::survey::judge_files(&files, models.as_deref());
    }
    survey(&Options { seeds: seed..seed + scenes, out, models, shrink, threads })
}
