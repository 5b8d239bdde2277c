//! Exports, read by programs we did not write: Khronos' glTF validator, OpenUSD, meshio and Blender.
//!
//! `formats` is the cheap part (glTF validator and meshio), which `cargo xtask test` runs; `interop` adds OpenUSD, and
//! Blender with `--blender` (374 MB to download). All that is installed lies under `target/interop`.

use crate::run::{has, root, run_in, skip};
use crate::rust::page;
use anyhow::{Context, Result, bail};
use std::path::{Path, PathBuf};
use std::process::Command;

const VALIDATOR: &str = "gltf-validator@2.0.0-dev.3.10";
const MESHIO: &str = "numpy meshio==5.3.5";
const USD: &str = "numpy usd-core==26.11";
/// Needs Python 3.11.
const BLENDER: &str = "numpy bpy==5.0.1";

/// Several bodies, whose names other formats have to change.
const SHORT: (&str, &str) = ("bar-drop", "1..48");
/// Its unit is the centimetre.
const PAINTED: &str = "Fox.glb";
/// More frames than a GLB holds exactly, of a body that swims and deforms.
const LONG: (&str, &str) = ("jellyfish", "1..120");

/// A glTF file with a texture, where the models that tests use lie beside the checkout; none where they do not.
fn painted_model() -> Result<Option<PathBuf>> {
    let folder = std::env::var_os("SINEW_MODELS").map_or_else(|| root().join("../shared/models"), PathBuf::from);
    let painted = folder.join(PAINTED);
    if painted.exists() {
        return Ok(Some(painted));
    }
    skip("a skin with materials", &format!("there is no {PAINTED} in {}", folder.display()))?;
    Ok(None)
}

/// A Python with numpy and meshio, for the tests that `SINEW_PYTHON` leads to one, too.
pub(crate) fn with_meshio() -> Result<Option<PathBuf>> {
    match python("meshio", MESHIO)? {
        Ok(python) => Ok(Some(python)),
        Err(why) => skip("numpy, meshio and the glTF validator", &why).map(|()| None),
    }
}

/// What `cargo xtask test` runs.
pub(crate) fn formats() -> Result<()> {
    let Some(python) = with_meshio()? else { return Ok(()) };
    let exports = export()?;
    check(&python, "check_meshio.py", &exports)?;
    validate_glb(&exports)
}

pub(crate) fn interop() -> Result<()> {
    let with_blender = std::env::args().any(|argument| argument == "--blender");
    formats()?;
    let exports = folder().join("exports");
    match python("usd", USD)? {
        Ok(python) if exports.exists() => check(&python, "check_usd.py", &exports)?,
        Ok(_) => {}
        Err(why) => skip("OpenUSD", &why)?,
    }
    if !with_blender {
        eprintln!("skipped: Blender (it is large; ask for it with --blender)");
        return Ok(());
    }
    match python("blender", BLENDER)? {
        Ok(python) => check(&python, "check_blender.py", &exports),
        Err(why) => skip("Blender", &why),
    }
}

fn folder() -> PathBuf {
    root().join("target").join("interop")
}

/// Bakes two small takes and writes them in every format.
fn export() -> Result<PathBuf> {
    run_in(&root(), "cargo build --workspace --bin sinew", page())?;
    let target = std::env::var("CARGO_TARGET_DIR").map_or_else(|_| root().join("target"), Into::into);
    let sinew = target.join("debug").join("sinew");
    let exports = folder().join("exports");
    if exports.exists() {
        std::fs::remove_dir_all(&exports)?;
    }
    for inner in ["mdd", "pc2"] {
        std::fs::create_dir_all(exports.join(inner))?;
    }
    let sinew = |words: &[&str]| -> Result<()> {
        eprintln!("\n$ sinew {}", words.join(" "));
        let output = Command::new(&sinew).args(words).current_dir(&exports).output().context("cannot start sinew")?;
        if !output.status.success() {
            bail!("sinew {}: {}", words.join(" "), String::from_utf8_lossy(&output.stderr));
        }
        Ok(())
    };
    sinew(&["bake", SHORT.0, "--frames", SHORT.1, "-o", "take.take"])?;
    for file in
        ["take.npz", "take.glb", "take.usda", "take.obj", "take.ply", "take.pvd", "mdd/take.mdd", "pc2/take.pc2"]
    {
        sinew(&["export", "take.take", "-o", file])?;
    }
    sinew(&["bake", LONG.0, "--frames", LONG.1, "-o", "long.take"])?;
    sinew(&["export", "long.take", "-o", "long.npz"])?;
    sinew(&["export", "long.take", "-o", "long.glb"])?;
    if let Some(painted) = painted_model()? {
        // A skin that brings a material, a picture and bones along.
        sinew(&["new", "painted", "--mesh", &painted.to_string_lossy(), "--unit", "cm"])?;
        sinew(&["bake", "painted", "--frames", "1..6", "-o", "painted.take"])?;
        for file in ["painted.glb", "painted.usda"] {
            sinew(&["export", "painted.take", "-o", file, "--folder", "painted"])?;
        }
    }
    Ok(exports)
}

/// A Python of its own with packages, or why there is none.
fn python(name: &str, packages: &str) -> Result<std::result::Result<PathBuf, String>> {
    let venv = folder().join(name);
    let python = venv.join("bin").join("python");
    if venv.join("installed").exists() {
        return Ok(Ok(python));
    }
    if !has("python3") {
        return Ok(Err("there is no python3".to_owned()));
    }
    std::fs::create_dir_all(folder())?;
    let installed = run_in(&folder(), &format!("python3 -m venv {name}"), &[]).and_then(|()| {
        let pip = format!("{} -m pip install --quiet --disable-pip-version-check {packages}", python.display());
        run_in(&folder(), &pip, &[])
    });
    if let Err(error) = installed {
        return Ok(Err(format!("{packages} cannot be installed: {error}")));
    }
    // Only a whole one is used again.
    std::fs::write(venv.join("installed"), packages)?;
    Ok(Ok(python))
}

fn check(python: &Path, script: &str, exports: &Path) -> Result<()> {
    let script = root().join("xtask").join("interop").join(script);
    let line = format!("{} {} {}", python.display(), script.display(), exports.display());
    run_in(&folder(), &line, &[("PYTHONDONTWRITEBYTECODE", "1")])
}

fn validate_glb(exports: &Path) -> Result<()> {
    if !has("npm") {
        return skip("the glTF validator", "there is no npm; install Node 20 or newer");
    }
    let modules = folder().join("node");
    if !modules.join("node_modules").join("gltf-validator").exists() {
        std::fs::create_dir_all(&modules)?;
        std::fs::write(modules.join("package.json"), "{ \"private\": true }\n")?;
        if let Err(error) = run_in(&modules, &format!("npm install --no-audit --no-fund {VALIDATOR}"), &[]) {
            return skip("the glTF validator", &format!("it cannot be installed: {error}"));
        }
    }
    let script = root().join("xtask").join("interop").join("validate_glb.mjs");
    let files = ["take.glb", "long.glb", "painted.glb"].map(|file| exports.join(file));
    let files: Vec<String> = files.iter().filter(|file| file.exists()).map(|file| file.display().to_string()).collect();
    run_in(&folder(), &format!("node {} {} {}", script.display(), modules.display(), files.join(" ")), &[])
}
