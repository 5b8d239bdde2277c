//! What SCENE means: a file, a project folder, or a built-in scene.

use crate::failure::Failure;
use sinew::bake::{BuildError, Built, build};
use sinew::scene::nearest::did_you_mean;
use sinew::scene::{Command, Document, builtin};
use std::path::{Path, PathBuf};

/// A scene and where its files are.
pub(crate) struct OpenScene {
    pub name: String,
    pub document: Document,
    pub folder: PathBuf,
}

/// Opens SCENE. A path that exists wins over a built-in name.
pub(crate) fn open(scene: &str) -> Result<OpenScene, Failure> {
    let path = Path::new(scene);
    if path.is_dir() {
        return open_file(&path.join("scene.toml"));
    }
    if path.exists() {
        return open_file(path);
    }
    if let Some(found) = builtin::find(scene) {
        let document = Document::parse(found.toml, found.name)?;
        return Ok(OpenScene { name: found.name.to_owned(), document, folder: PathBuf::from(".") });
    }
    let names: Vec<&str> = builtin::scenes().iter().map(|scene| scene.name).collect();
    Err(Failure::new(format!("there is no file and no built-in scene {scene:?}"), did_you_mean(scene, &names)))
}

fn open_file(path: &Path) -> Result<OpenScene, Failure> {
    let document = Document::open(path)?;
    let folder = path.parent().map(Path::to_owned).unwrap_or_default();
    let stem = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    let of_folder = || path.canonicalize().ok()?.parent()?.file_name().map(|name| name.to_string_lossy().into_owned());
    let name = if stem == "scene" { of_folder().unwrap_or(stem) } else { stem };
    Ok(OpenScene { name, document, folder })
}

impl OpenScene {
    /// Builds its stage; what does not fit is shown at its line of the scene.
    pub(crate) fn build(&self, threads: usize) -> Result<Built, Failure> {
        build(self.document.scene(), &self.folder, threads).map_err(|error| match error {
            BuildError::Scene { at, what, help } => self.document.problem_at(&at, what, Some(help)).into(),
            other => other.into(),
        })
    }

    /// Changes values for this run only (`--set`).
    pub(crate) fn set(&mut self, settings: &[String]) -> Result<(), Failure> {
        for setting in settings {
            let command = Command::parse_set(setting).map_err(|error| Failure::from(error).of_usage())?;
            self.document.apply(&command)?;
        }
        Ok(())
    }
}
