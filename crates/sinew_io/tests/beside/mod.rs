//! Real meshes that nobody here made: they lie beside a developer's checkout, or where `SINEW_MODELS` says.

use std::path::PathBuf;

/// A model, if it is there; where they must be there, `SINEW_STRICT` is set.
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
