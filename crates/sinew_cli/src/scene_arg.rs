//! What SCENE means: a file, a project folder, or a built-in scene.

use crate::failure::Failure;
use crate::kind;
use sinew::bake::{BuildError, Built, build};
use sinew::io::Dir;
use sinew::io::disk::{Inputs, as_private_as};
use sinew::scene::nearest::did_you_mean;
use sinew::scene::{Command, Document, SceneError, builtin};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A scene and where its files are.
pub(crate) struct OpenScene {
    pub name: String,
    pub document: Document,
    pub folder: PathBuf,
}

/// Opens SCENE. A path that exists wins over a built-in name.
pub(crate) fn open(scene: &Path) -> Result<OpenScene, Failure> {
    if scene.is_dir() {
        return open_file(scene, &scene.join("scene.toml"));
    }
    if scene.exists() {
        kind::expect_scene(scene)?;
        return open_file(scene, scene);
    }
    if let Some(found) = scene.to_str().and_then(builtin::find) {
        let document = Document::parse(found.toml, found.name)?;
        return Ok(OpenScene { name: found.name.to_owned(), document, folder: PathBuf::from(".") });
    }
    let names: Vec<&str> = builtin::scenes().iter().map(|scene| scene.name).collect();
    let name = scene.to_string_lossy();
    let is_scene = |file: &Path| kind::extension(file) == "toml" || file.join("scene.toml").is_file();
    if let Some(meant) = kind::similar(scene, is_scene) {
        return Err(Failure::new(format!("there is no file {name:?}"), format!("did you mean {}?", meant.display())));
    }
    if kind::extension(scene) == "toml" || scene.components().count() > 1 {
        let help = "check the path; sinew new DIR makes a project, sinew list shows the built-in scenes";
        return Err(Failure::new(format!("there is no file {name:?}"), help));
    }
    Err(Failure::new(format!("there is no file and no built-in scene {name:?}"), did_you_mean(&name, &names)))
}

/// The same for the studio, which writes beside the scene: a file that is a link is opened where it really is.
pub(crate) fn open_to_edit(scene: &Path) -> Result<OpenScene, Failure> {
    let mut open = open(scene)?;
    let Some(path) = open.document.path().map(Path::to_owned) else { return Ok(open) };
    if path.symlink_metadata().is_ok_and(|found| found.is_symlink()) {
        let real = path.canonicalize().unwrap_or_default();
        let what = format!("{} is a link, and the studio saves beside the scene", path.display());
        return Err(Failure::new(what, format!("open the file itself: sinew studio {}", real.display())));
    }
    let dir = Dir::open(&open.folder)
        .map_err(|error| Failure::new(format!("cannot open {}: {error}", open.folder.display()), "check the path"))?;
    let name = path.file_name().map(PathBuf::from).unwrap_or_default();
    open.document = Document::open_in(Arc::new(dir), &name)?;
    Ok(open)
}

fn open_file(named: &Path, path: &Path) -> Result<OpenScene, Failure> {
    // A folder's scene is not followed where it is a link: the user did not name it.
    let document = Document::open(named).map_err(|error| match path.exists() {
        false => {
            let help = format!("a project folder holds a scene.toml; make one with: sinew new {}", named.display());
            Failure::new(format!("{} does not exist", path.display()), help)
        }
        true => error.into(),
    })?;
    as_private_as(document.path());
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

    /// The scene's file, or the name of a built-in one.
    pub(crate) fn file(&self) -> String {
        self.document.path().map_or_else(|| self.name.clone(), |path| path.display().to_string())
    }

    /// The files it is made of, which no output may overwrite.
    pub(crate) fn inputs(&self, built: &Built) -> Inputs {
        let mut inputs = Inputs::new(self.document.path());
        built.mesh_hashes.keys().for_each(|mesh| inputs.add_mesh(&self.folder.join(mesh)));
        inputs
    }

    /// Changes values for this run only (`--set`).
    pub(crate) fn set(&mut self, settings: &[String]) -> Result<(), Failure> {
        for setting in settings {
            let command = Command::parse_set(setting).map_err(|error| Failure::from(error).of_usage())?;
            self.document.apply(&command).map_err(|error| refused(setting, &error))?;
        }
        Ok(())
    }
}

/// What is wrong with a `--set`. The text that it would make is nowhere to be seen, so no line of it is named.
fn refused(setting: &str, error: &SceneError) -> Failure {
    let SceneError { file, problems, .. } = error;
    let lines = problems.iter().map(|problem| match problem.path.as_str() {
        "" => problem.message.clone(),
        path => format!("{path}: {}", problem.message),
    });
    let what = format!("--set {setting} does not fit {file}: {}", lines.collect::<Vec<_>>().join("; "));
    let help = problems.iter().find_map(|problem| problem.help.clone());
    Failure::new(
        what,
        help.unwrap_or_else(|| "write values as in a scene: --set \"body.bar.at=[0.0, 1.0, 0.0]\"".into()),
    )
}
