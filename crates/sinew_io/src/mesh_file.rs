//! What mesh files hold, before anyone checks whether it can be simulated.

use crate::disk::{is_inside, open_regular, read_regular};
use crate::{
    AtomicFile, Dir, FormatError, Looks, ReadError, Rig, WriteError, gltf, gmsh, gmsh_binary, medit, mtl, obj, off,
    ply, sniff, stl, tetgen, vtk,
};
use sinew_geom::{MeshError, TetMesh};
use sinew_math::{DMat3, DVec3};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// A surface as the file has it: vertex order kept, polygons cut into triangles.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SurfaceFile {
    pub positions: Vec<DVec3>,
    pub triangles: Vec<[u32; 3]>,
    /// The file's groups.
    pub sets: Vec<VertexSet>,
    /// Texture coordinates of each triangle's corners, v up; empty where the file gives none.
    pub corner_uvs: Vec<[[f32; 2]; 3]>,
    /// Normals of the vertices, of length 1; empty where the file gives none, or several to a vertex.
    pub normals: Vec<[f32; 3]>,
    /// Red, green and blue of the vertices from 0 to 1 as a screen shows them; empty where the file gives none, or not to all.
    pub colours: Vec<[f32; 3]>,
    pub looks: Looks,
    pub rig: Option<Rig>,
}

/// Vertices with a name, in ascending order, each once.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct VertexSet {
    pub name: String,
    pub vertices: Vec<u32>,
}

/// Tetrahedra as the file has them; indices are within range, nothing else is checked.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct TetFile {
    pub positions: Vec<DVec3>,
    pub tets: Vec<[u32; 4]>,
    /// The surface, where the file gives one.
    pub triangles: Vec<[u32; 3]>,
}

/// What had to be changed to make a mesh of a file.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Repairs {
    /// Tets whose corners were in the opposite order.
    pub turned_tets: usize,
    /// Vertices that no tet uses: left out, and the ones after them moved up.
    pub dropped_vertices: usize,
}

impl TetFile {
    /// A checked mesh: tets are turned to positive volume, vertices without a tet left out.
    pub fn into_mesh(self) -> Result<(TetMesh, Repairs), MeshError> {
        let Self { mut positions, mut tets, .. } = self;
        let mut repairs = Repairs::default();
        for tet in &mut tets {
            let [a, b, c, d] = tet.map(|vertex| positions.get(vertex as usize).copied().unwrap_or(DVec3::NAN));
            if DMat3::from_cols(b - a, c - a, d - a).determinant() < 0.0 {
                tet.swap(2, 3);
                repairs.turned_tets += 1;
            }
        }
        repairs.dropped_vertices = drop_loose(&mut positions, &mut tets);
        Ok((TetMesh::new(positions, tets)?, repairs))
    }
}

/// Removes vertices that no tet names; gives their number.
fn drop_loose(positions: &mut Vec<DVec3>, tets: &mut [[u32; 4]]) -> usize {
    let mut used = vec![false; positions.len()];
    for &vertex in tets.iter().flatten() {
        match used.get_mut(vertex as usize) {
            Some(used) => *used = true,
            // Left for the mesh's own check to name.
            None => return 0,
        }
    }
    let count_before = |before: &mut u32, used: &bool| {
        let place = *before;
        *before += u32::from(*used);
        Some(place)
    };
    let places: Vec<u32> = used.iter().scan(0, count_before).collect();
    tets.iter_mut().flatten().for_each(|vertex| *vertex = places[*vertex as usize]);
    let mut kept = used.iter();
    positions.retain(|_| kept.next() == Some(&true));
    used.iter().filter(|used| !**used).count()
}

/// What [`read_surface`] knows.
pub const SURFACE_EXTENSIONS: &str = ".obj, .off, .stl, .ply, .gltf, .glb";
/// What [`read_tets`] knows.
pub const TET_EXTENSIONS: &str = ".mesh, .msh, .vtk, .vtu, .node, .ele";

/// More than any mesh that a machine could simulate; what is larger is some other file.
pub(crate) const LARGEST_BYTES: u64 = 4 << 30;

/// Where a mesh is read from.
pub(crate) struct Source<'a> {
    /// The project's folder, where it is a project that names the file; none where the user did.
    dir: Option<&'a Dir>,
    pub(crate) path: &'a Path,
}

impl<'a> Source<'a> {
    pub(crate) fn other<'b>(&self, path: &'b Path) -> Source<'b>
    where
        'a: 'b,
    {
        Source { dir: self.dir, path }
    }

    fn bytes(&self) -> io::Result<Vec<u8>> {
        match self.dir {
            Some(dir) => dir.read_named(self.path, LARGEST_BYTES),
            None => read_regular(self.path, LARGEST_BYTES),
        }
    }

    /// The folder that the file lies in.
    fn beside(&self) -> io::Result<Dir> {
        let folder = self.path.parent().unwrap_or(Path::new(""));
        match self.dir {
            Some(dir) if is_inside(folder) => dir.dir(folder),
            Some(dir) => Dir::open(dir.path().join(folder)),
            None => Dir::open(folder),
        }
    }

    /// As errors call it.
    fn shown(&self) -> PathBuf {
        self.dir.map_or_else(|| self.path.to_owned(), |dir| dir.path().join(self.path))
    }
}

/// Reads a surface that the user names.
pub fn read_surface(path: impl AsRef<Path>) -> Result<SurfaceFile, ReadError> {
    surface_from(&Source { dir: None, path: path.as_ref() })
}

/// Reads a surface of a project: links in it are not followed.
pub fn read_surface_in(dir: &Dir, name: impl AsRef<Path>) -> Result<SurfaceFile, ReadError> {
    surface_from(&Source { dir: Some(dir), path: name.as_ref() })
}

fn surface_from(source: &Source<'_>) -> Result<SurfaceFile, ReadError> {
    let surface = surface_of_any_size(source)?;
    check_reach(source, &surface.positions)?;
    Ok(surface)
}

/// Numbers beyond this have no squares left to compute with; nothing that is modelled is near it.
const FARTHEST: f64 = 1.0e15;

fn check_reach(source: &Source<'_>, positions: &[DVec3]) -> Result<(), ReadError> {
    match positions.iter().position(|x| x.abs().max_element() > FARTHEST) {
        None => Ok(()),
        Some(vertex) => {
            let coordinate = positions[vertex].abs().max_element();
            Err(ReadError::TooFar { path: source.shown(), vertex: vertex + 1, coordinate, most: FARTHEST })
        }
    }
}

fn surface_of_any_size(source: &Source<'_>) -> Result<SurfaceFile, ReadError> {
    match extension(source.path).as_str() {
        "obj" => read(source, |bytes| obj::parse_in(bytes, source.beside().ok().as_ref())),
        "off" => read(source, off::parse),
        "stl" => read(source, stl::parse),
        "ply" => read(source, ply::parse),
        "gltf" | "glb" => read(source, |bytes| gltf::parse(bytes, source.beside().ok().as_ref())),
        _ => Err(ReadError::UnknownExtension { path: source.shown(), known: SURFACE_EXTENSIONS }),
    }
}

/// Reads tetrahedra that the user names. Of TetGen's two files either may be given.
pub fn read_tets(path: impl AsRef<Path>) -> Result<TetFile, ReadError> {
    tets_from(&Source { dir: None, path: path.as_ref() })
}

/// Reads tetrahedra of a project: links in it are not followed.
pub fn read_tets_in(dir: &Dir, name: impl AsRef<Path>) -> Result<TetFile, ReadError> {
    tets_from(&Source { dir: Some(dir), path: name.as_ref() })
}

fn tets_from(source: &Source<'_>) -> Result<TetFile, ReadError> {
    let tets = tets_of_any_size(source)?;
    check_reach(source, &tets.positions)?;
    Ok(tets)
}

fn tets_of_any_size(source: &Source<'_>) -> Result<TetFile, ReadError> {
    match extension(source.path).as_str() {
        "mesh" => read(source, medit::parse),
        "msh" => read(source, read_gmsh),
        "vtk" => read(source, vtk::legacy::parse),
        "vtu" => read(source, vtk::vtu::parse),
        "node" | "ele" => tetgen::read(source),
        _ => Err(ReadError::UnknownExtension { path: source.shown(), known: TET_EXTENSIONS }),
    }
}

/// A mesh file, and those that belong to it.
pub fn mesh_files(path: &Path) -> Vec<PathBuf> {
    let mut files = vec![path.to_owned()];
    match extension(path).as_str() {
        "node" => files.push(path.with_extension("ele")),
        "ele" => files.push(path.with_extension("node")),
        "obj" => {
            let beside = |name: &str| read_regular(path.with_file_name(name), LARGEST_BYTES).ok();
            let named = read_regular(path, LARGEST_BYTES).map(|bytes| mtl::files_beside(&bytes, beside));
            files.extend(side_files(path, &named.unwrap_or_default()));
        }
        "gltf" | "glb" => {
            let named = read_regular(path, LARGEST_BYTES).map(|bytes| gltf::files_beside(&bytes));
            files.extend(side_files(path, &named.unwrap_or_default()));
        }
        _ => {}
    }
    files
}

/// Files that a mesh names and that belong to it. A file that somebody packed may name any other of this machine: outside its own
/// folder only what is a picture by its content counts.
fn side_files(mesh: &Path, named: &[String]) -> Vec<PathBuf> {
    let counts = |name: &&String| is_inside(Path::new(name)) || is_picture(&mesh.with_file_name(name));
    named.iter().filter(counts).map(|name| mesh.with_file_name(name)).collect()
}

/// Whether a file begins as PNG, JPEG, WebP, GIF or BMP files do.
fn is_picture(path: &Path) -> bool {
    const BEGINNINGS: [&[u8]; 5] = [b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff", b"RIFF", b"GIF8", b"BM"];
    let mut head = Vec::new();
    let read = open_regular(path).and_then(|file| file.take(8).read_to_end(&mut head));
    read.is_ok() && BEGINNINGS.iter().any(|beginning| head.starts_with(beginning))
}

/// Extensions of files of tetrahedra that are written.
pub const TET_FILES: &str = ".mesh, .msh";

/// Whether a path names a file of tetrahedra.
pub fn holds_tets(path: impl AsRef<Path>) -> bool {
    matches!(extension(path.as_ref()).as_str(), "mesh" | "msh" | "vtk" | "vtu" | "node" | "ele")
}

/// Writes tetrahedra: `.mesh` (MEDIT) or `.msh` (Gmsh 4.1, ASCII).
pub fn write_tets(path: impl AsRef<Path>, mesh: &TetMesh) -> Result<(), WriteError> {
    let path = path.as_ref();
    let text = match extension(path).as_str() {
        "mesh" => medit::write(mesh),
        "msh" => gmsh::write(mesh),
        _ => return Err(WriteError::UnknownExtension { path: path.to_owned(), known: TET_FILES }),
    };
    let failed = |source| WriteError::Write { path: path.to_owned(), source };
    let mut file = AtomicFile::create(path).map_err(failed)?;
    io::Write::write_all(&mut file, text.as_bytes()).map_err(failed)?;
    file.commit().map_err(failed)
}

fn read_gmsh(bytes: &[u8]) -> Result<TetFile, FormatError> {
    if gmsh_binary::is_binary(bytes) { gmsh_binary::parse(bytes) } else { Ok(gmsh::parse(bytes)?) }
}

pub(crate) fn read<T, E: Into<FormatError>>(
    source: &Source<'_>,
    parse: impl Fn(&[u8]) -> Result<T, E>,
) -> Result<T, ReadError> {
    let bytes = source.bytes().map_err(|error| ReadError::Open { path: source.shown(), source: error })?;
    if let Some(other) = sniff::other_format(&bytes, &extension(source.path)) {
        let (found, extension) = (other.name, other.extensions[0]);
        return Err(ReadError::OtherFormat { path: source.shown(), found, extension });
    }
    parse(without_mark(&bytes)).map_err(|error| error.into().of(&source.shown()))
}

/// Without the byte order mark that some editors put before UTF-8: no reader's first word begins with it.
fn without_mark(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes)
}

pub(crate) fn extension(path: &Path) -> String {
    path.extension().map(|extension| extension.to_string_lossy().to_ascii_lowercase()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use sinew_geom::{TetId, VertexId};

    #[test]
    fn a_turned_tet_and_a_loose_vertex_are_repaired_and_counted() {
        let positions = vec![DVec3::ZERO, DVec3::ONE * 9.0, DVec3::X, DVec3::Y, DVec3::Z];
        let file = TetFile { positions, tets: vec![[0, 3, 2, 4]], triangles: Vec::new() };
        let (mesh, repairs) = file.into_mesh().unwrap();
        assert_eq!(repairs, Repairs { turned_tets: 1, dropped_vertices: 1 });
        assert_eq!(mesh.positions, [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z]);
        assert!((mesh.volume() - 1.0 / 6.0).abs() < 1e-15);
    }

    #[test]
    fn what_cannot_be_repaired_is_named() {
        let file = TetFile { positions: vec![DVec3::ZERO; 3], tets: vec![[0, 1, 2, 7]], triangles: Vec::new() };
        let refused = file.into_mesh().unwrap_err();
        assert_eq!(refused, MeshError::VertexOutOfRange { tet: TetId(0), vertex: VertexId(7), vertex_count: 3 });
        assert!(read_surface("a.stp").unwrap_err().to_string().contains(".obj, .off"));
        assert!(matches!(read_tets("no/such.mesh"), Err(ReadError::Open { .. })));
    }
}
