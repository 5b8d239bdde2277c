//! Pictures of the built-in scenes, made by `cargo xtask pictures` and embedded when the crate is built.

include!(concat!(env!("OUT_DIR"), "/pictures.rs"));

/// The PNG of a built-in scene.
pub(crate) fn find(scene: &str) -> Option<&'static [u8]> {
    PICTURES.iter().find(|(name, _)| *name == scene).map(|(_, bytes)| *bytes)
}
