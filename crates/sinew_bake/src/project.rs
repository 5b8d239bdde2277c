//! Projects: a folder with a scene, its meshes in `assets/` and its takes in `takes/`.

use crate::own_mesh::Suggested;
use serde_json::json;
use sinew_geom::TriangleMesh;
use sinew_io::disk::{FileId, read_regular, remedy};
use sinew_io::{AtomicFile, Dir, ReadError};
use sinew_math::{DVec3, dvec3, libm};
use sinew_scene::{Command, Document, SceneError, Unit, starter};
use std::fs::Permissions;
use std::io::{self, Write};
use std::path::{Component, Path, PathBuf};

/// A mesh begins this share of its size over the ground: it is seen to fall, and its legs bear the landing.
pub const DROP_SHARE: f64 = 0.06;

/// Where the meshes of a project lie.
const ASSETS: &str = "assets";
/// What is larger is no mesh that could be simulated.
const LARGEST_BYTES: u64 = 4 << 30;

/// Why a mesh does not become a project.
#[derive(Debug, thiserror::Error)]
pub enum ProjectError {
    #[error(transparent)]
    Read(#[from] ReadError),
    #[error("{}: {what}", path.display())]
    Unusable { path: PathBuf, what: String },
    #[error(transparent)]
    Scene(#[from] SceneError),
    #[error("cannot write {}", path.display())]
    Write { path: PathBuf, source: io::Error },
    #[error("the name of {} is not UTF-8, so that no scene can name it", path.display())]
    Name { path: PathBuf },
    #[error("{} exists already, and is another file than {}", path.display(), mesh.display())]
    Exists { path: PathBuf, mesh: PathBuf },
}

impl ProjectError {
    /// What would be right.
    pub fn help(&self) -> Option<&'static str> {
        match self {
            Self::Write { source, .. } => remedy(source).or(Some("choose a folder that you may write to")),
            Self::Name { .. } => Some("rename the file"),
            Self::Exists { .. } => Some("rename one of them, or overwrite with --force"),
            Self::Read(error) => Some(error.help()),
            Self::Unusable { .. } => Some("repair the file in the program that made it, or export it anew"),
            Self::Scene(_) => None,
        }
    }
}

/// A scene that begins with a mesh.
pub struct MeshProject {
    pub document: Document,
    /// The body's size from corner to corner.
    pub size_m: f64,
    /// The surface as the file has it; none where the file holds tetrahedra.
    pub surface: Option<TriangleMesh>,
}

/// Copies a mesh, with the files that belong to it, into the folder `dir` and makes a scene that begins with it, which is not
/// saved yet. A mesh that lies there already stays as it is; a different one of its name is replaced only with `overwrite`.
pub fn from_mesh(mesh: &Path, unit: Unit, dir: &Path, overwrite: bool) -> Result<MeshProject, ProjectError> {
    let unwritten = |source| ProjectError::Write { path: dir.to_owned(), source };
    let shape = Shape::read(mesh)?;
    let there = match Dir::open(dir) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        opened => Some(opened.map_err(unwritten)?),
    };
    let wanted = Wanted::all(mesh, there.as_ref(), dir, overwrite)?;
    std::fs::create_dir_all(dir).map_err(unwritten)?;
    put(&wanted, &Dir::open(dir).map_err(unwritten)?)?;
    shape.into_project(unit)
}

/// The same for a folder that is held open: no link in it is followed.
pub fn from_mesh_in(mesh: &Path, unit: Unit, dir: &Dir, overwrite: bool) -> Result<MeshProject, ProjectError> {
    let shape = Shape::read(mesh)?;
    put(&Wanted::all(mesh, Some(dir), dir.path(), overwrite)?, dir)?;
    shape.into_project(unit)
}

/// What a mesh file holds.
struct Shape {
    /// The file's own.
    name: String,
    positions: Vec<DVec3>,
    surface: Option<TriangleMesh>,
}

impl Shape {
    fn read(mesh: &Path) -> Result<Self, ProjectError> {
        let name = mesh.file_name().and_then(|name| name.to_str());
        let name = name.ok_or_else(|| ProjectError::Name { path: mesh.to_owned() })?.to_owned();
        let surface = read_surface(mesh)?;
        let positions = match &surface {
            Some(surface) => surface.positions.clone(),
            None => {
                let read = sinew_io::read_tets(mesh)?.into_mesh();
                read.map_err(|error| unusable(mesh, &error))?.0.positions
            }
        };
        Ok(Self { name, positions, surface })
    }

    fn into_project(self, unit: Unit) -> Result<MeshProject, ProjectError> {
        let Self { name, positions, surface } = self;
        let mut document = Document::parse(&starter::of_mesh(&format!("assets/{name}")), "scene.toml")?;
        let body = document.scene().bodies.first().map(|body| body.name.clone()).unwrap_or_default();
        document.apply(&Command::Set { path: format!("body.{body}.skin.unit"), value: json!(unit) })?;
        let metres: Vec<DVec3> = positions.iter().map(|x| *x * unit.metres()).collect();
        let size_m = frame(&mut document, &body, &metres)?;
        if let Some(surface) = &surface {
            suggest(&mut document, &body, &TriangleMesh { positions: metres, triangles: surface.triangles.clone() })?;
        }
        // Read anew: how it was made is nothing that anyone did, and nothing to undo.
        let document = Document::parse(document.text(), "scene.toml")?;
        Ok(MeshProject { document, size_m, surface })
    }
}

/// Copies files into `assets/` of a project.
fn put(wanted: &[Wanted], project: &Dir) -> Result<(), ProjectError> {
    let assets = project.path().join(ASSETS);
    let unwritten = |path: PathBuf| move |source| ProjectError::Write { path, source };
    let folder = project.make_dir(ASSETS).map_err(unwritten(assets.clone()))?;
    wanted.iter().try_for_each(|file| file.write_into(&folder).map_err(unwritten(assets.join(&file.name))))
}

/// A file to be copied.
struct Wanted {
    /// Its place below `assets/`.
    name: PathBuf,
    bytes: Vec<u8>,
    permissions: Permissions,
}

impl Wanted {
    /// The files of a mesh that are to be copied into `assets/` of a project: those below its folder under the same names,
    /// others by their last. Refused where one of them must not be.
    fn all(mesh: &Path, project: Option<&Dir>, shown: &Path, overwrite: bool) -> Result<Vec<Self>, ProjectError> {
        let below = |file: &Path| {
            let below = file.strip_prefix(mesh.parent()?).ok()?;
            below.components().all(|part| matches!(part, Component::Normal(_))).then(|| below.to_owned())
        };
        let name_of = |file: &Path| below(file).unwrap_or_else(|| PathBuf::from(file.file_name().unwrap_or_default()));
        let mut wanted: Vec<Self> = Vec::new();
        for file in sinew_io::mesh_files(mesh) {
            let unread = |source| ProjectError::Read(ReadError::Open { path: file.clone(), source });
            // An image that is missing is no reason to refuse a mesh; its reader says what it needs.
            let Ok(id) = FileId::of(&file) else { continue };
            let name = Path::new(ASSETS).join(name_of(&file));
            let there = project.and_then(|project| project.file(&name).ok());
            let is_itself =
                there.as_ref().and_then(|there| FileId::of_open(there).ok()).is_some_and(|there| there == id);
            if !id.exists() || is_itself {
                continue;
            }
            let bytes = read_regular(&file, LARGEST_BYTES).map_err(unread)?;
            let is_same = project.is_some_and(|project| {
                there.is_some() && project.read(&name, LARGEST_BYTES).is_ok_and(|there| there == bytes)
            });
            if is_same {
                continue;
            }
            let exists = || ProjectError::Exists { path: shown.join(&name), mesh: file.clone() };
            if !overwrite && project.is_some_and(|project| project.has(&name)) {
                return Err(exists());
            }
            let name = name_of(&file);
            // Two files that would have one name: the first is the one that the mesh is read with.
            if wanted.iter().any(|other| other.name == name && other.bytes != bytes) {
                return Err(exists());
            }
            let permissions = std::fs::metadata(&file).map_err(unread)?.permissions();
            wanted.push(Self { name, bytes, permissions });
        }
        Ok(wanted)
    }

    /// Others may read the copy only where they may read the file.
    fn write_into(&self, assets: &Dir) -> io::Result<()> {
        let parent = self.name.parent().filter(|parent| !parent.as_os_str().is_empty());
        let folder = parent.map_or_else(|| assets.try_clone(), |parent| assets.make_dir(parent))?;
        let mut file = AtomicFile::create_in(folder, Path::new(self.name.file_name().unwrap_or_default()))?;
        file.write_all(&self.bytes)?;
        file.file().set_permissions(self.permissions.clone())?;
        file.commit()
    }
}

fn read_surface(mesh: &Path) -> Result<Option<TriangleMesh>, ProjectError> {
    if sinew_io::holds_tets(mesh) {
        return Ok(None);
    }
    let file = sinew_io::read_surface(mesh)?;
    let surface = TriangleMesh::new(file.positions, file.triangles);
    Ok(Some(surface.map_err(|error| unusable(mesh, &error))?))
}

fn unusable(mesh: &Path, error: &dyn std::error::Error) -> ProjectError {
    ProjectError::Unusable { path: mesh.to_owned(), what: error.to_string() }
}

/// Flesh and stiffness that suit the shape, where it has an inside.
fn suggest(document: &mut Document, body: &str, surface: &TriangleMesh) -> Result<(), SceneError> {
    let Some(Suggested { vertices, graded, young_pa }) = Suggested::of(surface) else { return Ok(()) };
    let mut set =
        |path: &str, value| document.apply(&Command::Set { path: format!("body.{body}.{path}"), value }).map(|_| ());
    set("flesh.vertices", json!(vertices))?;
    if graded {
        set("flesh.graded", json!(true))?;
    }
    set("material.young_pa", json!(young_pa))
}

/// Puts the body a little above the ground, so that soft feet land it and do not throw it over, and the camera where it sees
/// all of the fall.
fn frame(document: &mut Document, body: &str, positions: &[DVec3]) -> Result<f64, SceneError> {
    let low = positions.iter().fold(DVec3::INFINITY, |low, x| low.min(*x));
    let high = positions.iter().fold(DVec3::NEG_INFINITY, |high, x| high.max(*x));
    let size = (high - low).length();
    let middle = (low + high) * 0.5;
    let places = [
        (format!("body.{body}.at"), dvec3(-middle.x, DROP_SHARE * size - low.y, -middle.z)),
        ("camera.eye".to_owned(), dvec3(0.8, 0.7, 1.7) * size),
        ("camera.look_at".to_owned(), dvec3(0.0, 0.35, 0.0) * size),
    ];
    for (path, place) in places {
        // Four digits of the size are as many as anyone wants to read.
        let per_step = libm::pow(10.0, 3.0 - libm::floor(libm::log10(size.max(f64::MIN_POSITIVE))));
        // Plus nothing: no one writes -0.
        let rounded = place.to_array().map(|c| json!((c * per_step).round() / per_step + 0.0));
        document.apply(&Command::Set { path, value: json!(rounded) })?;
    }
    Ok(size)
}
