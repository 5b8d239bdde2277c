//! Running other programs, and saying so.

use anyhow::{Context, Result, bail};
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The root of the repository.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().map_or_else(PathBuf::new, Path::to_owned)
}

/// Runs a command line in the repository's root; fails if it does.
pub(crate) fn run(line: &str) -> Result<()> {
    run_in(&root(), line, &[])
}

/// Runs a command line (words split at spaces) in a folder with extra environment.
pub(crate) fn run_in(folder: &Path, line: &str, env: &[(&str, &str)]) -> Result<()> {
    eprintln!("\n$ {line}");
    let mut words = line.split_whitespace();
    let program = words.next().context("an empty command line")?;
    let mut command = Command::new(program);
    command.args(words).current_dir(folder).envs(env.iter().copied());
    // Cargo sets these for us; a cargo that we start must find its own.
    for key in ["CARGO_MANIFEST_DIR", "CARGO_PKG_NAME", "CARGO_PKG_VERSION"] {
        command.env_remove(key);
    }
    let status = command.status().with_context(|| format!("cannot start {program}"))?;
    if !status.success() {
        bail!("{line}: {status}");
    }
    Ok(())
}

/// The same in the root; gives what was said on stdout, which is shown at the end.
pub(crate) fn run_and_hear(line: &str, env: &[(&str, &str)]) -> Result<String> {
    eprintln!("\n$ {line}");
    let mut words = line.split_whitespace();
    let program = words.next().context("an empty command line")?;
    let mut command = Command::new(program);
    command.args(words).current_dir(root()).envs(env.iter().copied()).stderr(Stdio::inherit());
    for key in ["CARGO_MANIFEST_DIR", "CARGO_PKG_NAME", "CARGO_PKG_VERSION"] {
        command.env_remove(key);
    }
    let output = command.output().with_context(|| format!("cannot start {program}"))?;
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    print!("{said}");
    if !output.status.success() {
        bail!("{line}: {}", output.status);
    }
    Ok(said)
}

/// Runs a command line in a folder; shows what is said on stderr as it comes, and gives it.
pub(crate) fn run_and_hear_errors(folder: &Path, line: &str, env: &[(&str, &str)]) -> Result<String> {
    eprintln!("\n$ {line}");
    let mut words = line.split_whitespace();
    let program = words.next().context("an empty command line")?;
    let mut child = Command::new(program)
        .args(words)
        .current_dir(folder)
        .envs(env.iter().copied())
        .stderr(Stdio::piped())
        .spawn()
        .with_context(|| format!("cannot start {program}"))?;
    let mut said = String::new();
    for heard in child.stderr.take().into_iter().flat_map(|errors| BufReader::new(errors).lines()) {
        let heard = heard?;
        eprintln!("{heard}");
        said.push_str(&heard);
        said.push('\n');
    }
    let status = child.wait()?;
    if !status.success() {
        bail!("{line}: {status}");
    }
    Ok(said)
}

/// Whether a program can be started at all.
pub(crate) fn has(program: &str) -> bool {
    Command::new(program).arg("--version").output().is_ok_and(|output| output.status.success())
}

/// What cannot run here is a note on a user's machine and an error where `SINEW_STRICT` is set.
pub(crate) fn skip(what: &str, why: &str) -> Result<()> {
    if std::env::var_os("SINEW_STRICT").is_some() {
        bail!("{what} cannot run: {why}");
    }
    eprintln!("skipped: {what} ({why})");
    Ok(())
}
