//! What tests need and the repository does not have: Pythons, and real meshes that nobody here made. Those lie beside a developer's checkout, or where `SINEW_MODELS` says.

use std::path::PathBuf;

/// A model, if it is there; where they must be there, `SINEW_STRICT` is set.
#[allow(dead_code, reason = "not every test that asks a Python needs models")]
pub(crate) fn model(name: &str) -> Option<PathBuf> {
    let beside = || PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/models"));
    let path = std::env::var_os("SINEW_MODELS").map_or_else(beside, PathBuf::from).join(name);
    if !path.exists() {
        assert!(std::env::var_os("SINEW_STRICT").is_none(), "{} is not there", path.display());
        println!("skipped: there is no {}", path.display());
        return None;
    }
    Some(path)
}

/// A Python with the packages that a test needs: the one that `SINEW_PYTHON` names. `cargo xtask test` makes one; where it must be
/// there, `SINEW_STRICT` is set.
#[allow(dead_code, reason = "not every test that looks for models needs it")]
pub(crate) fn python(packages: &str) -> Option<std::ffi::OsString> {
    let imports = |python: &std::ffi::OsString| {
        let probe = std::process::Command::new(python).args(["-c", &format!("import {packages}")]).output();
        probe.is_ok_and(|probe| probe.status.success())
    };
    let found = std::env::var_os("SINEW_PYTHON").filter(imports);
    if found.is_none() {
        assert!(std::env::var_os("SINEW_STRICT").is_none(), "SINEW_PYTHON names no Python with {packages}");
        println!("skipped: set SINEW_PYTHON to a Python with {packages} to check with it");
    }
    found
}
