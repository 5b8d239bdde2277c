//! Peers: the programs a user would pick instead, built outside the product under `target/peers`.

use crate::run::{root, run_in};
use anyhow::Result;

pub(crate) fn build() -> Result<()> {
    let folder = root().join("target").join("peers");
    std::fs::create_dir_all(&folder)?;
    let target = folder.join("rapier").to_string_lossy().into_owned();
    run_in(&root().join("benches/peers/rapier"), "cargo build --release", &[("CARGO_TARGET_DIR", &target)])?;
    if !folder.join("python/bin/python").exists() {
        run_in(&folder, "python3 -m venv python", &[])?;
    }
    let requirements = root().join("benches/peers/python/requirements.txt");
    run_in(
        &folder,
        &format!("python/bin/pip install --quiet --disable-pip-version-check -r {}", requirements.display()),
        &[],
    )?;
    // `sinew bench` looks whether these are still the ones that are asked for.
    std::fs::copy(&requirements, folder.join("python/installed.txt"))?;
    Ok(())
}
