//! Files of our own writers, mutated: an error or a mesh, never a panic, never more memory than the file is worth.

#![allow(clippy::unwrap_used, reason = "a test may fail anywhere")]

mod samples;
mod watching;
mod wobble;

use samples::{SURFACES, Sample, TETS};
use sinew_io::{Cache, cache, gltf, gmsh, gmsh_binary, medit, npz, obj, off, ply, stl, tetgen, vtk};
use std::path::PathBuf;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};
use tempfile::tempdir;
use watching::LARGEST;
use wobble::{Wobble, write};

/// True where a file was read; corners that it names are within range then.
type Read = fn(&[u8]) -> bool;

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

/// The same numbers each time.
struct Dice(u64);

impl Dice {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % n.max(1)
    }
}

/// One to four changes: bits, bytes, numbers made huge, pieces removed, doubled or cut off. Half of them early in the file,
/// where formats keep their counts.
fn mutate(whole: &[u8], dice: &mut Dice) -> Vec<u8> {
    const NASTY: [&[u8]; 8] =
        [b"\xff\xff\xff\xff", b"\xff\xff\xff\x7f", b"99999999999999999999", b"-1", b"1e999", b"nan", b"\"", b"[[[["];
    let mut bytes = whole.to_vec();
    for _ in 0..=dice.below(4) {
        if bytes.is_empty() {
            break;
        }
        let reach = if dice.below(2) == 0 { bytes.len().min(4096) } else { bytes.len() };
        let place = dice.below(reach);
        match dice.below(6) {
            0 => bytes[place] ^= 1 << dice.below(8),
            1 => bytes[place] = dice.below(256) as u8,
            2 => {
                let nasty = NASTY[dice.below(NASTY.len())];
                let end = (place + nasty.len()).min(bytes.len());
                bytes.splice(place..end, nasty.iter().copied());
            }
            3 => drop(bytes.drain(place..(place + dice.below(64)).min(reach))),
            4 => {
                let piece = bytes[place..(place + dice.below(64)).min(reach)].to_vec();
                bytes.splice(place..place, piece);
            }
            _ => bytes.truncate(place),
        }
    }
    bytes
}

/// Mutated files that a reader took: changing them further leads to places that one mutation does not reach. They are kept in
/// `SINEW_FUZZ_CORPUS`, where that is set, so that runs build on each other.
struct Corpus {
    files: Vec<Vec<u8>>,
    folder: Option<PathBuf>,
}

impl Corpus {
    const MOST: usize = 256;
    /// What grows beyond this is slow, not interesting.
    const LARGEST_BYTES: usize = 64 << 10;

    fn of(name: &str, whole: &[u8]) -> Self {
        let folder = std::env::var_os("SINEW_FUZZ_CORPUS").map(|all| PathBuf::from(all).join(name.replace(' ', "-")));
        let mut files = vec![whole.to_vec()];
        if let Some(folder) = &folder {
            std::fs::create_dir_all(folder).unwrap();
            let entries = std::fs::read_dir(folder).unwrap().flatten().take(Self::MOST);
            files.extend(entries.filter_map(|entry| std::fs::read(entry.path()).ok()));
        }
        Self { files, folder }
    }

    fn pick(&self, dice: &mut Dice) -> &[u8] {
        // As it was written, every other time.
        if dice.below(2) == 0 { &self.files[0] } else { &self.files[dice.below(self.files.len())] }
    }

    fn keep(&mut self, file: Vec<u8>, dice: &mut Dice) {
        if file.len() > Self::LARGEST_BYTES || dice.below(16) > 0 {
            return;
        }
        if self.files.len() < Self::MOST {
            self.files.push(file);
        } else {
            let place = 1 + dice.below(Self::MOST - 1);
            self.files[place] = file;
        }
    }

    fn store(&self) {
        let Some(folder) = &self.folder else { return };
        for (number, file) in self.files.iter().enumerate().skip(1) {
            std::fs::write(folder.join(number.to_string()), file).unwrap();
        }
    }
}

/// How long to go on with one format: for a share of `SINEW_FUZZ_SECS` seconds (a few where it is not set), or until a share of
/// `SINEW_FUZZ_INPUTS` files were read.
fn is_enough(begun: Instant, inputs: u64, formats: usize) -> bool {
    let set = |name: &str| std::env::var(name).ok().and_then(|text| text.parse::<f64>().ok());
    match set("SINEW_FUZZ_INPUTS") {
        Some(all) => inputs as f64 >= all / formats as f64,
        None => {
            let secs = set("SINEW_FUZZ_SECS").unwrap_or(4.0);
            begun.elapsed() >= Duration::from_secs_f64(secs / formats as f64) && inputs >= 40
        }
    }
}

#[test]
fn mutated_files_are_errors_or_meshes() {
    let files = files();
    // Another seed in every run that counts on, so that a run is never the last one again.
    let seed = std::env::var("SINEW_FUZZ_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(7);
    let mut dice = Dice(seed);
    let mut total = 0;
    for (name, whole, read) in &files {
        assert!(read(whole), "{name} as it was written");
        let mut corpus = Corpus::of(name, whole);
        let (mut good, mut refused) = (0u64, 0u64);
        let begun = Instant::now();
        while !is_enough(begun, good + refused, files.len()) {
            let mutated = mutate(corpus.pick(&mut dice), &mut dice);
            LARGEST.store(0, Ordering::Relaxed);
            let is_read = read(&mutated);
            let largest = LARGEST.load(Ordering::Relaxed);
            // Deflate makes up to 1032 bytes of one.
            let bytes_of_one = if *name == "vtu deflated" || *name == "npz" { 1100 } else { 64 };
            let worth = bytes_of_one * mutated.len() + (1 << 15);
            assert!(largest < worth, "{name}: {largest} bytes at once for a file of {}", mutated.len());
            if is_read {
                good += 1;
                corpus.keep(mutated, &mut dice);
            } else {
                refused += 1;
            }
        }
        corpus.store();
        total += good + refused;
        println!("{name}: {good} read, {refused} refused, {} kept", corpus.files.len());
        assert!(refused > 0, "{name}: nothing was ever wrong with it");
    }
    println!("inputs: {total}");
}
