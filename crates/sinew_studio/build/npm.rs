//! Builds `web/` in a copy under the target folder, so that no tracked file is ever written.
//!
//! ```text
//! target/sinew_page/lock        held while anything here is written: two cargo runs do not mix
//! target/sinew_page/work/       a copy of the sources, and node_modules with the hash of the lock they came from
//! OUT_DIR/page-HASH/            the built files for sources of that hash
//! ```

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;

/// What the page is made from; tests and their settings are not part of it.
pub(crate) const SOURCES: [&str; 8] = [
    "src",
    "index.html",
    "package.json",
    "package-lock.json",
    ".npmrc",
    "svelte.config.js",
    "tsconfig.json",
    "vite.config.ts",
];

/// The folder of built files, or a sentence on why there is none.
pub(crate) fn build_page(web: &Path, out: &Path) -> Result<PathBuf, String> {
    let hash = hash_of(web)?;
    let built = out.join(format!("page-{hash}"));
    if built.join("index.html").exists() {
        return Ok(built);
    }
    check_node()?;
    let shop = out.ancestors().nth(4).unwrap_or(out).join("sinew_page");
    let work = shop.join("work");
    fs::create_dir_all(&work).map_err(|error| format!("{} cannot be made: {error}", work.display()))?;
    let lock = File::create(shop.join("lock")).map_err(|error| format!("no lock file: {error}"))?;
    lock.lock().map_err(|error| format!("no lock: {error}"))?;
    copy_sources(web, &work)?;
    install(&work)?;
    let unfinished = out.join("page-unfinished");
    let _ = fs::remove_dir_all(&unfinished);
    run(Command::new(program("npx"))
        .current_dir(&work)
        .args(["--no-install", "vite", "build", "--emptyOutDir", "--outDir"])
        .arg(&unfinished))?;
    remove_older(out);
    fs::rename(&unfinished, &built).map_err(|error| format!("the built page cannot be put in place: {error}"))?;
    Ok(built)
}

/// Every file under a folder, in order.
pub(crate) fn files_under(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    paths.sort();
    paths.into_iter().flat_map(|path| if path.is_dir() { files_under(&path) } else { vec![path] }).collect()
}

fn source_files(web: &Path) -> Vec<PathBuf> {
    let whole = SOURCES.map(|name| web.join(name));
    let files = whole.into_iter().flat_map(|path| if path.is_dir() { files_under(&path) } else { vec![path] });
    files.filter(|path| !path.to_string_lossy().ends_with(".test.ts")).collect()
}

fn hash_of(web: &Path) -> Result<String, String> {
    let mut hasher = blake3::Hasher::new();
    for path in source_files(web) {
        let bytes = fs::read(&path).map_err(|error| format!("{} cannot be read: {error}", path.display()))?;
        hasher.update(path.strip_prefix(web).unwrap_or(&path).to_string_lossy().as_bytes());
        hasher.update(&(bytes.len() as u64).to_le_bytes());
        hasher.update(&bytes);
    }
    Ok(hasher.finalize().to_hex()[..16].to_owned())
}

fn check_node() -> Result<(), String> {
    const NEEDED: (u32, u32) = (20, 19);
    let output = Command::new("node").arg("--version").output();
    let text = match output {
        Ok(output) if output.status.success() => String::from_utf8_lossy(&output.stdout).trim().to_owned(),
        _ => return Err("Node was not found.".into()),
    };
    let mut numbers = text.trim_start_matches('v').split('.').map(|part| part.parse::<u32>().unwrap_or(0));
    let found = (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0));
    if found >= NEEDED { Ok(()) } else { Err(format!("Node {text} is too old: {}.{} is needed.", NEEDED.0, NEEDED.1)) }
}

/// Makes `work` hold the sources and nothing else of them; node_modules stays.
fn copy_sources(web: &Path, work: &Path) -> Result<(), String> {
    let _ = fs::remove_dir_all(work.join("src"));
    for path in source_files(web) {
        let to = work.join(path.strip_prefix(web).unwrap_or(&path));
        let folder = to.parent().unwrap_or(work);
        let copied = fs::create_dir_all(folder).and_then(|()| fs::copy(&path, &to));
        copied.map_err(|error| format!("{} cannot be copied: {error}", path.display()))?;
    }
    Ok(())
}

/// Fetches the packages the lock file names, unless they are there already.
fn install(work: &Path) -> Result<(), String> {
    let stamp = work.join("node_modules/.sinew-lock-hash");
    let lock = fs::read(work.join("package-lock.json")).map_err(|error| format!("no package-lock.json: {error}"))?;
    let hash = blake3::hash(&lock).to_hex().to_string();
    if fs::read_to_string(&stamp).ok().as_deref() == Some(&hash) {
        return Ok(());
    }
    let options = ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline", "--fetch-retries=1"];
    run(Command::new(program("npm")).current_dir(work).args(options))?;
    fs::write(&stamp, hash).map_err(|error| format!("{} cannot be written: {error}", stamp.display()))
}

fn remove_older(out: &Path) {
    for entry in fs::read_dir(out).into_iter().flatten().flatten() {
        let name = entry.file_name();
        if name.to_string_lossy().starts_with("page-") && name != "page-unfinished" {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

fn program(name: &str) -> String {
    if cfg!(windows) { format!("{name}.cmd") } else { name.to_owned() }
}

fn run(command: &mut Command) -> Result<(), String> {
    let what = format!(
        "{} {}",
        command.get_program().to_string_lossy(),
        command.get_args().next().map_or_else(String::new, |a| a.to_string_lossy().into_owned())
    );
    let output = command.output().map_err(|error| format!("{what} could not be started: {error}."))?;
    if output.status.success() {
        return Ok(());
    }
    let said = [output.stdout, output.stderr].concat();
    let said = String::from_utf8_lossy(&said);
    // The first line with a sentence in it; npm's very first one is only a code.
    let wordy = |line: &&str| line.to_lowercase().contains("error") && line.split_whitespace().count() > 4;
    Err(format!("{what} failed: {}", said.lines().find(wordy).unwrap_or_default().trim()))
}
