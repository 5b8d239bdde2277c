//! What can be opened: the built-in scenes, and the scenes of the folder.

use super::Desk;
use crate::protocol::{Gallery, GalleryScene};
use sinew_io::Dir;
use sinew_scene::builtin;
use std::fs;
use std::io::Read;
use std::path::Path;

impl Desk {
    /// Tells pages what can be opened, if that changed.
    pub(super) fn tell_gallery(&self) {
        let scenes = builtin::scenes().iter().map(|scene| GalleryScene {
            name: scene.name.to_owned(),
            about: scene.about.to_owned(),
            picture: crate::pictures::find(scene.name).map(|_| format!("/gallery/{}.png", scene.name)),
        });
        let now = Gallery { scenes: scenes.collect(), files: scene_files(self.folder.home(), &self.folder.dir()) };
        self.board.gallery.send_if_modified(|told| {
            let changed = *told != now;
            *told = now;
            changed
        });
    }
}

/// Scene files of a folder, and of the projects in it, in order.
fn scene_files(home: &Path, dir: &Dir) -> Vec<String> {
    /// A folder with more entries than this is no place of scenes.
    const LOOKED_AT: usize = 2000;
    const SHOWN: usize = 200;
    let entries = fs::read_dir(home).into_iter().flatten().flatten().take(LOOKED_AT);
    let mut files: Vec<String> = Vec::new();
    for entry in entries {
        let (Ok(name), Ok(kind)) = (entry.file_name().into_string(), entry.file_type()) else { continue };
        if super::folder::check_name(&name).is_err() {
            continue;
        }
        if kind.is_file() && name.ends_with(".toml") && is_scene(dir, &name) {
            files.push(name);
        } else if kind.is_dir() && is_scene(dir, &format!("{name}/scene.toml")) {
            files.push(format!("{name}/scene.toml"));
        }
    }
    files.sort();
    files.truncate(SHOWN);
    files
}

/// Whether a file says what a scene says at its head.
fn is_scene(dir: &Dir, name: &str) -> bool {
    const HEAD: u64 = 4096;
    let mut head = Vec::new();
    let read = dir.file(name).and_then(|file| file.take(HEAD).read_to_end(&mut head));
    let text = String::from_utf8_lossy(&head);
    read.is_ok() && text.lines().any(|line| line.trim_start().starts_with("sinew ") || line.starts_with("sinew="))
}
