//! What tests need and the repository does not have: Pythons, real meshes that nobody here made, and the
//! processor's clock. Those lie beside a developer's checkout, or where `SINEW_MODELS` says.

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

/// Seconds that processors spent on this process and on the children it waited for: what a busy machine does
/// not change. 0 where the system does not say, so that bounds on it hold.
#[allow(dead_code, reason = "not every test is timed")]
pub(crate) fn processor_secs() -> f64 {
    const TICKS_PER_SEC: f64 = 100.0;
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    // After the name, which may hold anything: the 14th to the 17th field are user and system time, own and
    // the children's.
    let after_name = stat.rsplit_once(')').map_or("", |(_, rest)| rest);
    let fields = after_name.split_whitespace().skip(11).take(4);
    fields.map(|field| field.parse::<f64>().unwrap_or(0.0)).sum::<f64>() / TICKS_PER_SEC
}

/// That something takes no more than so many seconds of the processor.
#[allow(dead_code, reason = "not every test is timed")]
pub(crate) fn within_processor_secs<T>(most: f64, what: &str, done: impl FnOnce() -> T) -> T {
    let before = processor_secs();
    let result = done();
    let took = processor_secs() - before;
    println!("{what}: {took:.2} s of the processor");
    assert!(took < most, "{what} took {took:.1} s of the processor, more than {most}");
    result
}
