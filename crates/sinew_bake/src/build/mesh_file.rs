//! Mesh files of a scene: read once, converted to metres and Y up, remembered by their hash.

use super::{BuildError, BuildWarning};
use sinew_geom::distance::SurfaceDistance;
use sinew_geom::stuffing::{Fineness, Inside, StuffingError, StuffingReport, stuff_keeping_thin_parts};
use sinew_geom::{TetMesh, TriangleMesh};
use sinew_io::{Dir, Looks, MissingPicture};
use sinew_math::{DVec3, dvec3};
use sinew_scene::{MeshSkin, Up};
use sinew_stage::SkinLooks;
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What is larger is no mesh that could be simulated.
pub(super) const LARGEST_MESH_BYTES: u64 = 4 << 30;

/// Triangles to be measured at every place: filling a body asks a million times.
const MOST_CROWDED: usize = 2000;

/// Reads mesh files relative to one folder and keeps their hashes for the take.
pub(super) struct Meshes {
    folder: PathBuf,
    hashes: BTreeMap<String, [u8; 32]>,
    warnings: Vec<BuildWarning>,
    pub(super) watch: Watch,
}

/// Told how far flesh is grown, from 0 to 1; says whether to go on.
pub(super) type Watch = Arc<dyn Fn(f64) -> ControlFlow<()> + Send + Sync>;

/// Nobody is told, and nothing is stopped.
pub(super) fn unwatched() -> Watch {
    Arc::new(|_| ControlFlow::Continue(()))
}

/// How flesh should fill a skin.
#[derive(Debug, Clone, Copy)]
pub(super) struct Filling {
    pub vertices: usize,
    pub inside: Inside,
}

/// What a skin's file gives to look at.
pub(super) enum Surface {
    Triangles(TriangleMesh, Box<FileLooks>),
    /// The file holds tetrahedra: their boundary is the skin.
    OfTets,
}

/// What a surface's file says besides its shape.
#[derive(Default)]
pub(super) struct FileLooks {
    /// Texture coordinates of the triangles' corners, if the file has some.
    pub corner_uvs: Vec<[[f32; 2]; 3]>,
    /// Colours of the vertices as a screen shows them, if the file has some.
    pub vertex_colours: Vec<[f32; 3]>,
    pub looks: SkinLooks,
}

impl FileLooks {
    /// For a skin that is `scale` times the file's: normals lean the other way.
    pub(super) fn scaled(mut self, scale: DVec3) -> Self {
        self.looks.normals.iter_mut().for_each(|normal| *normal = (*normal / scale).normalize_or_zero());
        self
    }
}

impl Meshes {
    pub(super) fn in_folder(folder: &Path, watch: Watch) -> Self {
        Self { folder: folder.to_owned(), hashes: BTreeMap::new(), warnings: Vec::new(), watch }
    }

    /// Hashes of the files that were read, and what was worth a warning.
    pub(super) fn into_parts(self) -> (BTreeMap<String, [u8; 32]>, Vec<BuildWarning>) {
        (self.hashes, self.warnings)
    }

    /// Tetrahedra as the file has them.
    pub(super) fn tets(&mut self, file: &MeshSkin, at: &str) -> Result<TetMesh, BuildError> {
        let folder = self.note(file, at)?;
        if !sinew_io::holds_tets(&file.mesh) {
            let what = format!("{} is a surface, not tetrahedra", file.mesh);
            let help = "give the surface as the skin and let the flesh grow in it: \
                skin = { mesh = \"…\" }, flesh = { kind = \"tets\", vertices = 1000 }";
            return Err(BuildError::new(at, what, help));
        }
        let read = sinew_io::read_tets_in(&folder, &file.mesh).map_err(|error| unreadable(at, &error))?;
        let (mut mesh, _) = read.into_mesh().map_err(|error| {
            BuildError::new(at, format!("{}: {error}", file.mesh), "repair the file in the program that made it")
        })?;
        mesh.positions.iter_mut().for_each(|x| *x = in_metres(file, *x));
        Ok(mesh)
    }

    /// The file's tetrahedra, or new ones in the surface that it holds. They are good where
    /// the body will be `scale` times the file.
    pub(super) fn grown(
        &mut self,
        file: &MeshSkin,
        filling: Filling,
        scale: DVec3,
        at: &str,
    ) -> Result<TetMesh, BuildError> {
        let mut surface = match self.surface(file, at)? {
            Surface::OfTets => return self.tets(file, at),
            Surface::Triangles(surface, _) => surface,
        };
        surface.positions.iter_mut().for_each(|x| *x *= scale);
        let Filling { vertices, inside } = filling;
        let shape = SurfaceDistance::new(&surface);
        if shape.crowding() > MOST_CROWDED {
            let what = format!("{}: thousands of its triangles lie on each other", file.mesh);
            return Err(BuildError::new(at, what, "remove doubled faces in the program that made it"));
        }
        let grown = stuff_keeping_thin_parts(&shape, Fineness::Vertices(vertices), inside, &*self.watch);
        let stuffed = grown.map_err(|error| {
            let help = match error {
                StuffingError::Nothing { .. } | StuffingError::NoSize { .. } => {
                    "a surface to fill must enclose something; of a sheet make flesh = { kind = \"shell\" }"
                }
                _ => "try another number of vertices for the flesh",
            };
            BuildError::new(at, format!("{}: {error}", file.mesh), help)
        })?;
        self.warn_of_losses(&stuffed.report, &file.mesh, at);
        let mut mesh = stuffed.mesh;
        mesh.positions.iter_mut().for_each(|x| *x /= scale);
        Ok(mesh)
    }

    /// What is too thin or too narrow for the flesh moves as if it were not there: that is worth a word.
    fn warn_of_losses(&mut self, report: &StuffingReport, file: &str, at: &str) {
        for note in report.notes().into_iter().filter(|note| note.is_loss) {
            let place = note.first.map(|x| format!(", first at {x:.4}")).unwrap_or_default();
            let warning = BuildWarning {
                at: at.to_owned(),
                what: format!("{file}: {}{place}", note.what),
                help: "ask for more vertices in flesh, or look at it with `sinew mesh`".to_owned(),
            };
            if !self.warnings.contains(&warning) {
                self.warnings.push(warning);
            }
        }
    }

    /// A body in other colours than its file has looks like a fault of the program.
    fn warn_of_missing(&mut self, looks: &Looks, file: &str, at: &str) {
        for MissingPicture { name, why } in &looks.missing {
            let warning = BuildWarning {
                at: at.to_owned(),
                what: format!("{file}: its looks lack {name:?}: {why}"),
                help: "put that file where it is named; without it the body has a plain colour".to_owned(),
            };
            if !self.warnings.contains(&warning) {
                self.warnings.push(warning);
            }
        }
    }

    pub(super) fn surface(&mut self, file: &MeshSkin, at: &str) -> Result<Surface, BuildError> {
        let folder = self.note(file, at)?;
        if sinew_io::holds_tets(&file.mesh) {
            return Ok(Surface::OfTets);
        }
        let read = sinew_io::read_surface_in(&folder, &file.mesh).map_err(|error| unreadable(at, &error))?;
        let positions = read.positions.iter().map(|x| in_metres(file, *x)).collect();
        let surface = TriangleMesh::new(positions, read.triangles).map_err(|error| {
            BuildError::new(at, format!("{}: {error}", file.mesh), "repair the file in the program that made it")
        })?;
        let normals =
            read.normals.iter().map(|normal| upright(file, DVec3::from_array(normal.map(f64::from)))).collect();
        self.warn_of_missing(&read.looks, &file.mesh, at);
        let looks = SkinLooks { normals, looks: read.looks };
        let looks = FileLooks { corner_uvs: read.corner_uvs, vertex_colours: read.colours, looks };
        Ok(Surface::Triangles(surface, Box::new(looks)))
    }

    /// The folder that the file is relative to; its hash is kept.
    fn note(&mut self, file: &MeshSkin, at: &str) -> Result<Dir, BuildError> {
        let unread = |error: std::io::Error| {
            let what = format!("cannot read mesh {:?}: {error}", file.mesh);
            let named = if self.folder.as_os_str().is_empty() { Path::new(".") } else { &self.folder };
            let folder = named.canonicalize().unwrap_or_else(|_| named.to_owned());
            BuildError::new(at, what, format!("meshes are looked for relative to the scene, in {}", folder.display()))
        };
        let folder = Dir::open(&self.folder).map_err(unread)?;
        if !self.hashes.contains_key(&file.mesh) {
            let bytes = folder.read_named(&file.mesh, LARGEST_MESH_BYTES).map_err(unread)?;
            self.hashes.insert(file.mesh.clone(), *blake3::hash(&bytes).as_bytes());
        }
        Ok(folder)
    }
}

fn unreadable(at: &str, error: &sinew_io::ReadError) -> BuildError {
    let help = match error {
        sinew_io::ReadError::UnknownExtension { .. } => format!(
            "sinew reads surfaces from {} and tetrahedra from {}",
            sinew_io::SURFACE_EXTENSIONS,
            sinew_io::TET_EXTENSIONS
        ),
        other => other.help().to_owned(),
    };
    let cause = std::error::Error::source(error).map(|cause| format!(": {cause}")).unwrap_or_default();
    BuildError::new(at, format!("{error}{cause}"), help)
}

/// A file's point in metres with Y up.
fn in_metres(file: &MeshSkin, x: DVec3) -> DVec3 {
    upright(file, x) * file.unit.metres()
}

/// A file's direction with Y up.
fn upright(file: &MeshSkin, x: DVec3) -> DVec3 {
    match file.up {
        Up::Y => x,
        Up::Z => dvec3(x.x, x.z, -x.y),
    }
}
