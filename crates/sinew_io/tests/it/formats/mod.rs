//! One file of every format as our own writers make it, with the reader that takes it. Mutated files begin with these.

use super::samples::{self, SURFACES, Sample, TETS};
use super::wobble::{Wobble, write};
use sinew_io::{Cache, cache, gltf, gmsh, gmsh_binary, medit, npz, obj, off, ply, stl, tetgen, vtk};
use tempfile::tempdir;

/// True where a file was read; corners that it names are within range then.
pub(crate) type Read = fn(&[u8]) -> bool;

fn sound(corners: &[[u32; 3]], vertex_count: usize) -> bool {
    assert!(corners.iter().flatten().all(|corner| (*corner as usize) < vertex_count));
    true
}

fn plays(caches: &[Cache]) -> bool {
    for cache in caches {
        let mut points = Vec::new();
        cache.frame(0, &mut points);
        cache.frame(cache.frame_count() - 1, &mut points);
        assert_eq!(points.len(), cache.vertex_count);
        assert!(cache.triangles.iter().flatten().all(|corner| (*corner as usize) < cache.vertex_count));
    }
    true
}

/// A format: its name, a file of it, its reader.
pub(crate) struct Format {
    pub(crate) name: &'static str,
    pub(crate) file: Vec<u8>,
    pub(crate) read: Read,
}

impl Format {
    /// The most memory that a reader may ask for at once for a file of this many bytes.
    pub(crate) fn worth(&self, bytes: usize) -> usize {
        // Deflate makes up to 1032 bytes of one.
        let bytes_of_one = if self.name == "vtu deflated" || self.name == "npz" { 1100 } else { 64 };
        bytes_of_one * bytes + (1 << 15)
    }
}

pub(crate) fn formats() -> Vec<Format> {
    files().into_iter().map(|(name, file, read)| Format { name, file, read }).collect()
}

fn files() -> Vec<(&'static str, Vec<u8>, Read)> {
    let folder = tempdir().unwrap();
    let at = |name: &str| std::fs::read(folder.path().join(name)).unwrap();
    let make = |frames: usize, name: &str| drop(write(&mut Wobble::new(frames), &folder.path().join(name)));
    ["a.glb", "a.usda", "a.mdd", "a.pc2", "a.obj", "a.ply", "a.pvd"].iter().for_each(|name| make(2, name));
    make(66, "long.glb");
    let surface: Read = |bytes| gltf::parse(bytes, None).is_ok_and(|m| sound(&m.triangles, m.positions.len()));
    let morphs: Read = |bytes| cache::parse::glb(bytes).is_ok_and(|caches| plays(&caches));
    let grid: Read = |bytes| vtk::vtu::parse(bytes).is_ok_and(|m| sound(&m.triangles, m.positions.len()));
    let square = "solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\nendsolid a\n";
    let legacy = "# vtk DataFile Version 5.1\na\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 4 float\n0 0 0 1 0 0\n0 1 0 0 0 1\n\
        CELLS 3 7\nOFFSETS vtktypeint64\n0 4 7\nCONNECTIVITY vtktypeint64\n0 1 2 3 0 2 1\nCELL_TYPES 2\n10 5\n";
    let binary_stl = [&[0; 80][..], &1u32.to_le_bytes(), &[0; 50]].concat();
    let mut files = vec![
        ("glb surface", at("a.glb"), surface),
        ("glb morphs", at("a.glb"), morphs),
        ("long glb", at("long.glb"), morphs),
        ("usda", at("a.usda"), |bytes| cache::parse::usda(bytes).is_ok_and(|caches| plays(&caches))),
        ("mdd", at("a-sheet.mdd"), |bytes| cache::parse::mdd(bytes).is_ok_and(|cache| plays(&[cache]))),
        ("pc2", at("a-sheet.pc2"), |bytes| cache::parse::pc2(bytes).is_ok_and(|cache| plays(&[cache]))),
        ("obj", at("a.0001.obj"), |bytes| obj::parse(bytes).is_ok_and(|m| sound(&m.triangles, m.positions.len()))),
        ("ply", at("a.0001.ply"), |bytes| ply::parse(bytes).is_ok_and(|m| sound(&m.triangles, m.positions.len()))),
        ("vtu tets", at("a/ball-1.0001.vtu"), grid),
        ("vtu triangles", at("a/sheet.0001.vtu"), grid),
        ("vtk", legacy.into(), |bytes| vtk::legacy::parse(bytes).is_ok_and(|m| sound(&m.triangles, m.positions.len()))),
        ("stl", square.into(), |bytes| stl::parse(bytes).is_ok_and(|m| sound(&m.triangles, m.positions.len()))),
        ("binary stl", binary_stl, |bytes| stl::parse(bytes).is_ok_and(|m| sound(&m.triangles, m.positions.len()))),
        ("node", b"3 3 0 0\n1 0 0 0\n2 1 0 0\n3 0 1 0\n".to_vec(), |bytes| tetgen::parse_node(bytes).is_ok()),
        ("ele", b"1 4 0\n1 1 2 3 4\n".to_vec(), |bytes| tetgen::parse_ele(bytes, 1, 4).is_ok()),
        ("gmsh binary", gmsh_binary(), |bytes| {
            gmsh_binary::parse(bytes).is_ok_and(|m| sound(&m.triangles, m.positions.len()))
        }),
        ("gltf with looks and bones", rigged_gltf(), surface),
        ("vtu deflated", deflated_vtu(), grid),
        ("npz", npz_file(&folder.path().join("a.npz")), |bytes| {
            // The reader of archives wants a file.
            let file = tempfile::NamedTempFile::new().unwrap();
            std::fs::write(file.path(), bytes).unwrap();
            npz::NpzReader::open(file.path()).is_ok_and(|npz| {
                let names: Vec<String> = npz.names().map(str::to_owned).collect();
                !names.is_empty() && names.iter().all(|name| npz.array(name).is_ok())
            })
        }),
    ];
    files.extend(
        SURFACES.into_iter().chain(TETS).map(|format| (format, Sample::tet(1.0).write(format), reader_of(format))),
    );
    files
}

/// The reader behind an extension.
fn reader_of(format: &str) -> Read {
    match format {
        "obj" => |bytes| obj::parse(bytes).is_ok_and(|m| sound(&m.triangles, m.positions.len())),
        "off" => |bytes| off::parse(bytes).is_ok_and(|m| sound(&m.triangles, m.positions.len())),
        "stl" | "binary.stl" => |bytes| stl::parse(bytes).is_ok_and(|m| sound(&m.triangles, m.positions.len())),
        "ply" => |bytes| ply::parse(bytes).is_ok_and(|m| sound(&m.triangles, m.positions.len())),
        "gltf" | "glb" => |bytes| gltf::parse(bytes, None).is_ok_and(|m| sound(&m.triangles, m.positions.len())),
        "mesh" => |bytes| medit::parse(bytes).is_ok_and(|m| sound(&m.triangles, m.positions.len())),
        "msh" | "v2.msh" => |bytes| gmsh::parse(bytes).is_ok_and(|m| sound(&m.triangles, m.positions.len())),
        "vtk" => |bytes| vtk::legacy::parse(bytes).is_ok_and(|m| sound(&m.triangles, m.positions.len())),
        "vtu" => |bytes| vtk::vtu::parse(bytes).is_ok_and(|m| sound(&m.triangles, m.positions.len())),
        _ => |bytes| tetgen::parse_ele(bytes, 0, 4).is_ok(),
    }
}

/// A tetrahedron with a material, a picture and two bones.
fn rigged_gltf() -> Vec<u8> {
    let sample = Sample::tet(1.0);
    let mut data: Vec<u8> = sample.positions.iter().flatten().flat_map(|x| (*x as f32).to_le_bytes()).collect();
    data.extend(sample.triangles.iter().flatten().map(|corner| *corner as u8));
    data.extend([0, 1, 0, 0].repeat(4));
    data.extend([0.75f32, 0.25, 0.0, 0.0].repeat(4).iter().flat_map(|x| x.to_le_bytes()));
    let identity = [1f32, 0., 0., 0., 0., 1., 0., 0., 0., 0., 1., 0., 0., 0., 0., 1.];
    data.extend(identity.repeat(2).iter().flat_map(|x| x.to_le_bytes()));
    let view = |from: usize, bytes: usize| format!("{{\"buffer\":0,\"byteOffset\":{from},\"byteLength\":{bytes}}}");
    let accessor = |view: usize, component: u32, count: usize, kind: &str| {
        format!("{{\"bufferView\":{view},\"componentType\":{component},\"count\":{count},\"type\":\"{kind}\"}}")
    };
    let views = [view(0, 48), view(48, 12), view(60, 16), view(76, 64), view(140, 128)].join(",");
    let accessors = [
        accessor(0, 5126, 4, "VEC3"),
        accessor(1, 5121, 12, "SCALAR"),
        accessor(2, 5121, 4, "VEC4"),
        accessor(3, 5126, 4, "VEC4"),
        accessor(4, 5126, 2, "MAT4"),
    ]
    .join(",");
    let picture = samples::base64(b"\x89PNG\r\n\x1a\nnot really");
    format!(
        "{{\"asset\":{{\"version\":\"2.0\"}},\"scene\":0,\"scenes\":[{{\"nodes\":[0,1]}}],\"nodes\":[{{\"mesh\":0,\"skin\":0}},{{\"name\":\"hip\",\
         \"children\":[2]}},{{\"name\":\"knee\",\"translation\":[0,1,0]}}],\"skins\":[{{\"joints\":[1,2],\"inverseBindMatrices\":4}}],\
         \"meshes\":[{{\"primitives\":[{{\"attributes\":{{\"POSITION\":0,\"NORMAL\":0,\"JOINTS_0\":2,\"WEIGHTS_0\":3}},\"indices\":1,\"material\":0}}]}}],\
         \"materials\":[{{\"name\":\"fur\",\"alphaMode\":\"MASK\",\"pbrMetallicRoughness\":{{\"baseColorTexture\":{{\"index\":0}}}}}}],\
         \"textures\":[{{\"source\":0}}],\"images\":[{{\"uri\":\"data:image/png;base64,{picture}\"}}],\"bufferViews\":[{views}],\
         \"accessors\":[{accessors}],\"buffers\":[{{\"byteLength\":{},\"uri\":\"data:;base64,{}\"}}]}}",
        data.len(),
        samples::base64(&data)
    )
    .into_bytes()
}

/// One tet in Gmsh 4.1, binary.
fn gmsh_binary() -> Vec<u8> {
    let words = |words: &[u64]| words.iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<u8>>();
    let ints = |ints: &[i32]| ints.iter().flat_map(|int| int.to_le_bytes()).collect::<Vec<u8>>();
    let points: Vec<u8> = Sample::tet(1.0).positions.iter().flatten().flat_map(|number| number.to_le_bytes()).collect();
    [
        b"$MeshFormat\n4.1 1 8\n".to_vec(),
        ints(&[1]),
        b"\n$EndMeshFormat\n$Nodes\n".to_vec(),
        words(&[1, 4, 1, 4]),
        ints(&[3, 1, 0]),
        words(&[4, 1, 2, 3, 4]),
        points,
        b"\n$EndNodes\n$Elements\n".to_vec(),
        words(&[1, 1, 1, 1]),
        ints(&[3, 1, 4]),
        words(&[1, 1, 1, 2, 3, 4]),
        b"\n$EndElements\n".to_vec(),
    ]
    .concat()
}

/// One tet whose points are deflated (by zlib, level 6), the rest plain text.
fn deflated_vtu() -> Vec<u8> {
    b"<VTKFile type=\"UnstructuredGrid\" byte_order=\"LittleEndian\" compressor=\"vtkZLibDataCompressor\"><UnstructuredGrid><Piece>\
      <Points><DataArray type=\"Float32\" format=\"binary\">AQAAADAAAAAAAAAAEAAAAA==eJxjYEAGDfYMBPgAJ70CPg==</DataArray></Points><Cells>\
      <DataArray type=\"Int64\" Name=\"connectivity\" format=\"ascii\">0 1 2 3</DataArray><DataArray type=\"Int64\" Name=\"offsets\" \
      format=\"ascii\">4</DataArray><DataArray type=\"UInt8\" Name=\"types\" format=\"ascii\">10</DataArray></Cells></Piece></UnstructuredGrid></VTKFile>"
        .to_vec()
}

fn npz_file(path: &std::path::Path) -> Vec<u8> {
    let mut npz = npz::NpzWriter::create(path).unwrap();
    npz.f4("points", &[2, 2, 3], &[0.5; 12]).unwrap();
    npz.u4("faces", &[1, 3], &[0, 1, 1]).unwrap();
    npz.finish().unwrap();
    std::fs::read(path).unwrap()
}
