//! Pictures of the built-in scenes, made by `cargo xtask pictures` and embedded when the crate is built.

include!(concat!(env!("OUT_DIR"), "/pictures.rs"));

/// The PNG of a built-in scene.
pub(crate) fn find(scene: &str) -> Option<&'static [u8]> {
    PICTURES.iter().find(|(name, _)| *name == scene).map(|(_, bytes)| *bytes)
}

#[cfg(test)]
mod tests {
    #[test]
    fn every_built_in_scene_has_a_small_picture_and_every_picture_a_scene() {
        for scene in sinew_scene::builtin::scenes() {
            let picture = super::find(scene.name);
            let bytes = picture.map_or(0, <[u8]>::len);
            assert!(bytes > 0, "{} has no picture: cargo xtask pictures {0}", scene.name);
            assert!(bytes <= 25 << 10, "{}: {bytes} bytes", scene.name);
        }
        for (name, _) in super::PICTURES {
            assert!(sinew_scene::builtin::find(name).is_some(), "{name} is gone; so should its picture be");
        }
    }
}
