//! What a scene that is saved elsewhere takes along: its meshes, with all files that belong to them.

use super::Refusal;
use super::files::meshes;
use sinew_io::disk::FileId;
use sinew_io::{AtomicFile, Dir, mesh_files};
use sinew_scene::Scene;
use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::{Component, Path, PathBuf};

/// Files to be copied from one project to another, by their names in both.
pub(super) struct Copies(Vec<PathBuf>);

impl Copies {
    /// Looks at everything before anything is written. A project that is not there yet has no handle.
    pub(super) fn plan(scene: &Scene, from: &Dir, to: (&Path, Option<&Dir>)) -> Result<Self, Refusal> {
        if to.0 == from.path() {
            return Ok(Self(Vec::new()));
        }
        let mut wanted = Vec::new();
        for (at, mesh) in meshes(scene) {
            let Some(name) = inside(Path::new(mesh)) else {
                check_shared(&at, mesh, from, to.0)?;
                continue;
            };
            let files = mesh_files(&from.path().join(&name));
            for file in files.iter().filter_map(|file| inside(file.strip_prefix(from.path()).ok()?)) {
                // An image that is missing is no reason to refuse a mesh.
                if (file == name || from.has(&file)) && !wanted.contains(&file) {
                    wanted.push(file);
                }
            }
        }
        let mut missing = Vec::new();
        for file in wanted {
            let source = from.file(&file).map_err(|error| unread(&file, &error))?;
            let Some(to_there) = to.1.filter(|to| to.has(&file)) else {
                missing.push(file);
                continue;
            };
            let there = to_there.file(&file).map_err(|_| clash(&to.0.join(&file)))?;
            if !is_same(source, there).map_err(|error| unread(&file, &error))? {
                return Err(clash(&to.0.join(&file)));
            }
        }
        Ok(Self(missing))
    }

    /// Copies them; what came to be there meanwhile stays.
    pub(super) fn carry_out(&self, from: &Dir, to: &Dir) -> io::Result<()> {
        for file in &self.0 {
            if to.has(file) {
                let what = format!("{} is there since, and stays", file.display());
                return Err(io::Error::new(io::ErrorKind::AlreadyExists, what));
            }
            let folder = to.make_dir(file.parent().unwrap_or(Path::new("")))?;
            let mut new = AtomicFile::create_in(folder, Path::new(file.file_name().unwrap_or_default()))?;
            io::copy(&mut from.file(file)?, &mut new)?;
            new.commit()?;
        }
        Ok(())
    }
}

/// A name without detours, if it stays in its folder.
fn inside(name: &Path) -> Option<PathBuf> {
    let mut straight = PathBuf::new();
    for part in name.components() {
        match part {
            Component::Normal(part) => straight.push(part),
            Component::CurDir => {}
            Component::ParentDir if straight.pop() => {}
            _ => return None,
        }
    }
    Some(straight)
}

/// A mesh outside of the project must be the same one as seen from the other project.
fn check_shared(at: &str, mesh: &str, from: &Dir, to: &Path) -> Result<(), Refusal> {
    let id = |project: &Path| FileId::of(&inside_root(&project.join(mesh))).ok();
    let own = id(from.path());
    if own.as_ref().is_some_and(FileId::exists) && own == id(to) {
        return Ok(());
    }
    let what = format!("the mesh {mesh:?} lies outside of the scene's folder and would not be found from there");
    Err(Refusal { path: Some(at.to_owned()), ..Refusal::new(what, "import the file first, or save beside the scene") })
}

/// The same for a path from the root on. The project itself need not be there yet.
fn inside_root(path: &Path) -> PathBuf {
    let mut straight = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => drop(straight.pop()),
            other => straight.push(other),
        }
    }
    straight
}

fn is_same(one: File, other: File) -> io::Result<bool> {
    if one.metadata()?.len() != other.metadata()?.len() {
        return Ok(false);
    }
    let (mut one, mut other) = (BufReader::new(one), BufReader::new(other));
    loop {
        let (a, b) = (one.fill_buf()?, other.fill_buf()?);
        let count = a.len().min(b.len());
        if count == 0 {
            return Ok(a.len() == b.len());
        }
        if a[..count] != b[..count] {
            return Ok(false);
        }
        one.consume(count);
        other.consume(count);
    }
}

fn clash(file: &Path) -> Refusal {
    let name = Path::new(file.parent().and_then(Path::file_name).unwrap_or_default());
    let name = name.join(file.file_name().unwrap_or_default());
    let what = format!("another file called {} is there already, and the scene needs its own", name.display());
    Refusal::new(what, "save to another folder, or rename that file")
}

fn unread(file: &Path, error: &io::Error) -> Refusal {
    Refusal::new(format!("{} cannot be copied: {error}", file.display()), "")
}
