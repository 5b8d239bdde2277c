//! The opened folder, and the rules for names in it. A page can name files; it can never name one outside.
//!
//! A name is relative, with `/` between its parts. No part is empty, `.`, `..`, hidden (leading dot), ends in a dot or space,
//! is a device of some system (`con`, `lpt1.txt`), or holds a character that some system gives a meaning (`\ : * ? " < > |`),
//! that cannot be seen, or that turns the direction of writing. Files are opened relative to the folder's handle, and no link in
//! it is followed.

use sinew_io::Dir;
use std::fs::File;
use std::io;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

#[derive(Clone)]
pub(crate) struct Folder {
    /// With all links followed.
    home: PathBuf,
    dir: Arc<Dir>,
}

impl Folder {
    pub(crate) fn open(path: &Path) -> io::Result<Self> {
        let path = if path.as_os_str().is_empty() { Path::new(".") } else { path };
        let home = path.canonicalize()?;
        let dir = Arc::new(Dir::open(&home)?);
        Ok(Self { home, dir })
    }

    pub(crate) fn home(&self) -> &Path {
        &self.home
    }

    pub(crate) fn dir(&self) -> Arc<Dir> {
        self.dir.clone()
    }

    pub(crate) fn name(&self) -> Option<String> {
        self.home.file_name().map(|name| name.to_string_lossy().into_owned())
    }

    /// Opens an existing file. The error is a sentence.
    pub(crate) fn file(&self, name: &str) -> Result<File, String> {
        check_name(name)?;
        self.dir.file(name).map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => "there is no such file in the folder".to_owned(),
            _ => format!("it cannot be read: {error}"),
        })
    }

    /// Where a file of this name is or would be.
    pub(crate) fn place(&self, name: &str) -> Result<PathBuf, String> {
        check_name(name)?;
        match self.dir.check_place(name) {
            Ok(()) => Ok(self.home.join(name)),
            Err(error) => Err(format!("it cannot be written: {error}")),
        }
    }

    /// Whether a file that a scene in `project` names lies in the folder, by whatever way the name takes.
    pub(crate) fn holds(&self, project: &Path, name: &str) -> bool {
        let Ok(mut place) = project.canonicalize() else { return false };
        for part in Path::new(name).components() {
            match part {
                Component::ParentDir => drop(place.pop()),
                other => place.push(other),
            }
        }
        // The name may lead out by a link on its way.
        let real = project.join(name).canonicalize();
        place.starts_with(&self.home) && real.map_or(true, |real| real.starts_with(&self.home))
    }

    /// A path in the folder as its name.
    pub(crate) fn relative(&self, path: &Path) -> Option<String> {
        let real = path.canonicalize().ok()?;
        let parts: Vec<_> = real.strip_prefix(&self.home).ok()?.iter().map(|part| part.to_string_lossy()).collect();
        Some(parts.join("/"))
    }

    /// The folder of a scene file: what its meshes are relative to. Without a file, the opened one.
    pub(crate) fn project_of(&self, scene: Option<&Path>) -> PathBuf {
        scene.and_then(Path::parent).map_or_else(|| self.home.clone(), Path::to_owned)
    }

    /// The same as a name in the opened folder; empty for that itself.
    pub(crate) fn project_name(&self, scene: Option<&Path>) -> PathBuf {
        let project = self.project_of(scene);
        self.relative(&project).map(PathBuf::from).unwrap_or_default()
    }
}

/// The rules of a name. The error is a sentence.
pub(crate) fn check_name(name: &str) -> Result<(), String> {
    const LONGEST: usize = 240;
    if name.is_empty() {
        return Err("a name is needed".to_owned());
    }
    if name.len() > LONGEST {
        return Err(format!("a name of {} bytes is too long: up to {LONGEST}", name.len()));
    }
    name.split('/').try_for_each(check_part)
}

fn check_part(part: &str) -> Result<(), String> {
    const DEVICES: [&str; 6] = ["con", "prn", "aux", "nul", "conin$", "conout$"];
    let wrong = |why: &str| Err(format!("{part:?} is no part of a file's name: {why}"));
    if part.is_empty() {
        return wrong("names are relative, with one / between parts");
    }
    if part.starts_with('.') {
        return wrong("hidden files and .. are out of bounds");
    }
    if part.ends_with(['.', ' ']) || part.starts_with(' ') {
        return wrong("dots and spaces at the ends get lost");
    }
    if let Some(bad) = part.chars().find(|c| c.is_control() || "\\:*?\"<>|%".contains(*c)) {
        return wrong(&format!("{bad:?} means something else on some systems"));
    }
    if let Some(bad) = part.chars().find(|c| is_unseen(*c)) {
        return wrong(&format!("{bad:?} cannot be seen, or makes the rest read otherwise"));
    }
    let stem = part.split('.').next().unwrap_or(part).trim_end().to_ascii_lowercase();
    let is_port = |kind: &str| {
        let number = stem.strip_prefix(kind).map(|rest| rest.chars().collect::<Vec<_>>());
        number.is_some_and(|number| matches!(number[..], ['0'..='9' | '¹' | '²' | '³']))
    };
    if DEVICES.contains(&stem.as_str()) || is_port("com") || is_port("lpt") {
        return wrong("it is a device on some systems");
    }
    Ok(())
}

/// Characters without a shape of their own: marks of direction (U+202E writes a name backwards), joiners, blanks of no width.
pub(crate) fn is_unseen(c: char) -> bool {
    matches!(c, '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_mean_something_else_are_refused() {
        let wrong = [
            "",
            "/",
            "/etc/passwd",
            "..",
            "../a",
            "a/../b",
            "a/..",
            ".",
            "./a",
            "a//b",
            "a/",
            "//a",
            "a\\b",
            "..\\a",
            "a\0b",
            "c:a",
            "c:/a",
            "a?raw",
            "%2e%2e/a",
            "a%2fb",
            "a#/../b",
            "con",
            "CON.toml",
            "a/nul",
            "aux.obj",
            "lpt1",
            "com9.txt",
            "com²",
            "a.",
            "a ",
            " a",
            ".git/config",
            "a/.ssh",
            "a\nb",
            "\u{7f}",
            "a|b",
            "a*",
            "a\u{202e}jbo.exe",
            "a\u{200b}b",
        ];
        for name in wrong {
            assert!(check_name(name).is_err(), "{name:?}");
        }
        assert!(check_name(&"a/".repeat(300)).is_err());
        for name in ["a", "a.toml", "a/b c/d-1.glb", "été.obj", "console.obj", "com.obj", "a#b"] {
            assert_eq!(check_name(name), Ok(()), "{name:?}");
        }
    }

    #[test]
    fn a_link_out_of_the_folder_leads_nowhere() {
        let outside = tempfile::tempdir().unwrap();
        let inside = tempfile::tempdir().unwrap();
        std::fs::write(outside.path().join("secret.toml"), "x").unwrap();
        std::fs::write(inside.path().join("own.toml"), "x").unwrap();
        let folder = Folder::open(inside.path()).unwrap();
        assert!(folder.file("own.toml").is_ok() && folder.place("new/deep.toml").is_ok());
        #[cfg(unix)]
        {
            use std::os::unix::fs::symlink;
            symlink(outside.path(), inside.path().join("out")).unwrap();
            symlink(outside.path().join("secret.toml"), inside.path().join("file.toml")).unwrap();
            symlink(outside.path().join("nothing.toml"), inside.path().join("dangling.toml")).unwrap();
            for name in ["out/secret.toml", "file.toml", "dangling.toml", "out"] {
                assert!(folder.file(name).is_err(), "{name}");
            }
            for name in ["out/new.toml", "file.toml", "dangling.toml", "out/deep/new.toml"] {
                assert!(folder.place(name).is_err(), "{name}");
            }
        }
    }
}
