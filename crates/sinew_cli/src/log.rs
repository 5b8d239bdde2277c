//! The log: what the program does, for those who look for a fault. Off unless it is asked for.
//!
//! `--log LEVELS` or `SINEW_LOG` says how much is told, on stderr; `--log-file FILE` or `SINEW_LOG_FILE` has it in a file instead,
//! which is what a bug report needs. Lines begin with the seconds since the start; no token of the studio is ever in them.

use crate::failure::Failure;
use clap::Args;
use sinew::io::disk::{FileId, Inputs, Outputs, also_written, check_outputs};
use std::fs::{File, OpenOptions};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::fmt::MakeWriter;
use tracing_subscriber::fmt::time::uptime;
use tracing_subscriber::prelude::*;

/// How every log begins; a file that begins otherwise is no log of ours, and is left alone.
const HEAD: &str = "sinew log";
/// What goes to a file where nothing says how much.
const FOR_A_FILE: &str = "debug";

#[derive(Debug, Default, Args)]
#[command(next_help_heading = "Log")]
pub(crate) struct Log {
    /// What to log on stderr: off, error, warn, info, debug or trace, also by crate
    /// (warn,sinew_bake=debug); SINEW_LOG says it too
    #[arg(long, global = true, value_name = "LEVELS")]
    log: Option<String>,
    /// Adds the log to this file instead, for bug reports; SINEW_LOG_FILE names one too
    #[arg(long, global = true, value_name = "FILE")]
    log_file: Option<PathBuf>,
}

impl Log {
    /// Starts the log, if one is wanted. `files` are those that the command reads and writes.
    pub(crate) fn start(&self, files: &[PathBuf]) -> Result<(), Failure> {
        let said = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
        let levels = self.log.clone().or_else(|| Some(said("SINEW_LOG")?.to_string_lossy().into_owned()));
        let file = self.log_file.clone().or_else(|| said("SINEW_LOG_FILE").map(PathBuf::from));
        let Some(levels) = levels.or_else(|| file.is_some().then(|| FOR_A_FILE.to_owned())) else { return Ok(()) };
        let targets = read_levels(&levels)?;
        match file {
            Some(path) => {
                check_apart(&path, files)?;
                let log = open(&path)?;
                if let Ok(id) = FileId::of(&path) {
                    also_written("the log", id);
                }
                tell(targets, Mutex::new(log));
            }
            None => tell(targets, std::io::stderr),
        }
        std::panic::set_hook(note_panics(std::panic::take_hook()));
        let arguments: Vec<_> = std::env::args_os().skip(1).collect();
        tracing::info!(
            version = env!("CARGO_PKG_VERSION"),
            os = std::env::consts::OS,
            arch = std::env::consts::ARCH,
            threads = rayon::current_num_threads(),
            ?arguments,
            "sinew"
        );
        Ok(())
    }
}

/// A level without a crate is that of ours; other crates tell of warnings at most.
fn read_levels(levels: &str) -> Result<Targets, Failure> {
    let wrong = || {
        let help = "levels are off, error, warn, info, debug and trace; by crate: warn,sinew_bake=debug";
        Failure::usage(format!("{levels:?} is no level of the log"), help)
    };
    // A word that is no level would be taken for a crate's name, and no word for a level.
    let is_level = |word: &str| !word.is_empty() && word.parse::<tracing::metadata::LevelFilter>().is_ok();
    let is_known = |part: &str| part.rsplit('=').next().is_some_and(is_level);
    if !levels.split(',').all(|part| is_known(part.trim())) {
        return Err(wrong());
    }
    levels.parse().map_err(|_| wrong())
}

fn tell(targets: Targets, writer: impl for<'a> MakeWriter<'a> + Send + Sync + 'static) {
    let lines = tracing_subscriber::fmt::layer().with_ansi(false).with_timer(uptime()).with_writer(writer);
    tracing_subscriber::registry().with(lines.with_filter(targets)).init();
}

/// A log is a file of its own, whatever its name: not one that the command reads or writes, nor where standard output goes.
fn check_apart(path: &Path, files: &[PathBuf]) -> Result<(), Failure> {
    let outputs = Outputs { named: vec![path.to_owned()], beside: Vec::new() };
    let apart = check_outputs(&Inputs::default(), &outputs, true).map_err(|error| error.to_string());
    let same = |file: &&PathBuf| FileId::of(file).is_ok_and(|id| FileId::of(path).is_ok_and(|log| log == id));
    let apart = apart.and_then(|()| match files.iter().find(same) {
        None => Ok(()),
        Some(file) => Err(format!("{} is read or written by this very run, as {}", path.display(), file.display())),
    });
    apart.map_err(|what| {
        Failure::usage(format!("{what}; a log is a file of its own"), "choose another file with --log-file")
    })
}

/// Opens a log to add to. Only a new, an empty or an older log is taken.
fn open(path: &Path) -> Result<File, Failure> {
    let cannot = |error: std::io::Error| {
        Failure::new(
            format!("cannot write the log to {}: {error}", path.display()),
            "choose another file with --log-file",
        )
    };
    // A pipe would be waited for.
    if path.metadata().is_ok_and(|found| !found.is_file()) {
        let what = format!("{} is not a regular file, and a log is one", path.display());
        return Err(Failure::usage(what, "choose another file with --log-file"));
    }
    let mut file = OpenOptions::new().create(true).read(true).append(true).open(path).map_err(cannot)?;
    let mut head = Vec::new();
    Read::by_ref(&mut file).take(HEAD.len() as u64).read_to_end(&mut head).map_err(cannot)?;
    if !head.is_empty() && head != HEAD.as_bytes() {
        let what = format!("{} is no log, and is left as it is", path.display());
        return Err(Failure::usage(what, "choose another file with --log-file"));
    }
    writeln!(file, "{HEAD}").map_err(cannot)?;
    Ok(file)
}

type Hook = Box<dyn Fn(&std::panic::PanicHookInfo<'_>) + Send + Sync>;

/// A fault of our own is the first thing a bug report needs.
fn note_panics(before: Hook) -> Hook {
    Box::new(move |panic| {
        tracing::error!("{panic}");
        before(panic);
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_are_read_and_other_words_refused() {
        for levels in ["off", "warn", "debug,sinew_bake=trace", "sinew_studio=info", "INFO"] {
            assert!(read_levels(levels).is_ok(), "{levels}");
        }
        for levels in ["", "loud", "debug,", "sinew_bake=loud", "sinew_bake"] {
            assert!(read_levels(levels).is_err(), "{levels}");
        }
    }

    #[test]
    fn a_file_that_is_no_log_is_left_alone_and_a_log_is_gone_on_with() {
        let folder = tempfile::tempdir().unwrap();
        let (scene, log) = (folder.path().join("scene.toml"), folder.path().join("bug.log"));
        std::fs::write(&scene, "sinew = 1\n").unwrap();
        assert!(open(&scene).is_err());
        assert_eq!(std::fs::read_to_string(&scene).unwrap(), "sinew = 1\n");
        for _ in 0..2 {
            open(&log).unwrap().write_all(b"told\n").unwrap();
        }
        assert_eq!(std::fs::read_to_string(&log).unwrap(), "sinew log\ntold\nsinew log\ntold\n");
    }
}
