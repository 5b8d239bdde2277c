//! What users bring that is wrong, small, large or odd, in every format that is read: a clear error or the right mesh.

use crate::beside::within_processor_secs;
use crate::samples::{SURFACES, Sample, TETS};
use sinew_geom::{TetMesh, TriangleMesh};
use sinew_io::{read_surface, read_tets};
use sinew_math::DVec3;
use std::path::Path;

/// Writes bytes under a format's extension and reads them: places, and numbers of corners.
fn read(format: &str, bytes: &[u8], node: &str) -> Result<(Vec<DVec3>, usize), String> {
    let folder = tempfile::tempdir().unwrap();
    let extension = format.rsplit('.').next().unwrap();
    let path = folder.path().join(format!("a.{extension}"));
    std::fs::write(&path, bytes).unwrap();
    if extension == "ele" {
        std::fs::write(folder.path().join("a.node"), node).unwrap();
    }
    read_file(&path)
}

/// As the program does it: a file, then a mesh of it.
fn read_file(path: &Path) -> Result<(Vec<DVec3>, usize), String> {
    let whole = |error: &dyn std::error::Error| {
        let mut text = error.to_string();
        let mut source = error.source();
        while let Some(cause) = source {
            text.push_str(&format!(": {cause}"));
            source = cause.source();
        }
        text
    };
    if sinew_io::holds_tets(path) {
        let file = read_tets(path).map_err(|error| whole(&error))?;
        let (mesh, _) = file.into_mesh().map_err(|error| whole(&error))?;
        let mesh = TetMesh::new(mesh.positions, mesh.tets).map_err(|error| whole(&error))?;
        return Ok((mesh.positions, mesh.tets.len()));
    }
    let file = read_surface(path).map_err(|error| whole(&error))?;
    let mesh = TriangleMesh::new(file.positions, file.triangles).map_err(|error| whole(&error))?;
    Ok((mesh.positions, mesh.triangles.len()))
}

fn read_sample(format: &str, sample: &Sample) -> Result<(Vec<DVec3>, usize), String> {
    read(format, &sample.write(format), &sample.node())
}

fn formats() -> impl Iterator<Item = &'static str> {
    SURFACES.into_iter().chain(TETS)
}

fn extent(positions: &[DVec3]) -> f64 {
    positions.iter().fold(0.0, |far, x| far.max(x.abs().max_element()))
}

#[test]
fn samples_are_read_as_they_are() {
    for format in formats() {
        let (positions, cells) = read_sample(format, &Sample::tet(1.0)).unwrap_or_else(|e| panic!("{format}: {e}"));
        let expected = if TETS.contains(&format) { 1 } else { 4 };
        assert_eq!((cells, extent(&positions)), (expected, 1.0), "{format}");
    }
}

/// Editors on Windows put a byte order mark before text.
#[test]
fn a_byte_order_mark_changes_nothing() {
    let sample = Sample::tet(1.0);
    let mut marked_formats = 0;
    for format in formats() {
        let bytes = sample.write(format);
        if bytes.is_ascii() {
            let marked = [&b"\xef\xbb\xbf"[..], &bytes].concat();
            assert_eq!(read(format, &marked, &sample.node()), read(format, &bytes, &sample.node()), "{format}");
            marked_formats += 1;
        }
    }
    assert!(marked_formats >= 5, "{marked_formats}");
}

#[test]
fn an_empty_file_is_an_error_that_says_what_is_missing() {
    for format in formats() {
        for bytes in [&b""[..], b"\n\n  \n", &[0; 100]] {
            let error = read(format, bytes, &Sample::tet(1.0).node()).expect_err(format);
            assert!(error.len() > 20, "{format}: {error}");
        }
    }
}

/// A surface in OBJ or ASCII STL has no counts: cut between two faces it is a smaller surface, elsewhere an error.
#[test]
fn a_file_that_was_cut_off_is_an_error_or_the_part_that_is_there() {
    for format in formats() {
        let whole = Sample::tet(1.0).write(format);
        let has_counts = !matches!(format, "obj" | "stl");
        for end in 0..whole.len() {
            match read(format, &whole[..end], &Sample::tet(1.0).node()) {
                Err(_) => {}
                // What ends a file (a blank, a closing word) may be missing.
                Ok((_, cells)) if has_counts => {
                    let expected = if TETS.contains(&format) { 1 } else { 4 };
                    assert_eq!(cells, expected, "{format} cut at {end} of {}", whole.len());
                }
                Ok((_, cells)) => assert!((1..=4).contains(&cells), "{format} cut at {end}"),
            }
        }
    }
}

#[test]
fn a_vertex_that_is_no_number_is_an_error() {
    for number in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        let mut sample = Sample::tet(1.0);
        sample.positions[2][1] = number;
        for format in formats() {
            let error = read_sample(format, &sample).expect_err(format);
            assert!(error.contains("finite") || error.contains("number") || error.contains("NaN"), "{format}: {error}");
        }
    }
}

#[test]
fn a_number_out_of_range_is_an_error_that_names_it() {
    for wild in [4, 1_000_000, -7, i64::from(u32::MAX)] {
        let mut sample = Sample::tet(1.0);
        (sample.triangles[1][2], sample.tets[0][3]) = (wild, wild);
        for format in formats() {
            // A negative number of OBJ counts from the end, and these formats have unsigned ones only.
            if wild < 0 && matches!(format, "obj" | "gltf" | "glb") {
                continue;
            }
            let error = read_sample(format, &sample).expect_err(format);
            assert!(error.len() > 20, "{format}: {error}");
        }
    }
}

/// They have no effect on a surface; a flat tet cannot be simulated.
#[test]
fn faces_without_area_are_kept_and_tets_without_volume_are_errors() {
    let mut sample = Sample::tet(1.0);
    sample.triangles.extend([[0, 1, 1], [2, 2, 2]]);
    sample.tets.push([0, 1, 2, 2]);
    for format in SURFACES {
        let (_, cells) = read_sample(format, &sample).unwrap_or_else(|e| panic!("{format}: {e}"));
        assert!((4..=6).contains(&cells), "{format}: {cells}");
    }
    for format in TETS {
        let error = read_sample(format, &sample).expect_err(format);
        assert!(error.contains("flat") || error.contains("twice"), "{format}: {error}");
    }
}

#[test]
fn one_triangle_and_an_open_surface_are_surfaces() {
    for (kept, count) in [(1, 1), (3, 3)] {
        let mut sample = Sample::tet(1.0);
        sample.triangles.truncate(kept);
        for format in SURFACES {
            assert_eq!(read_sample(format, &sample).map(|(_, cells)| cells), Ok(count), "{format}");
        }
    }
}

#[test]
fn a_micrometre_and_a_thousand_kilometres_are_read_to_the_digit() {
    for size in [1e-6, 1e6] {
        for format in formats() {
            let (positions, _) = read_sample(format, &Sample::tet(size)).unwrap_or_else(|e| panic!("{format}: {e}"));
            assert!((extent(&positions) / size - 1.0).abs() < 1e-6, "{format}: {}", extent(&positions));
        }
    }
}

#[test]
fn a_file_under_a_wrong_extension_is_never_a_panic_and_never_read_as_something_else() {
    for format in formats() {
        let bytes = Sample::tet(1.0).write(format);
        for other in formats().filter(|other| other.rsplit('.').next() != format.rsplit('.').next()) {
            // The two kinds of glTF are told apart by their first bytes, whatever they are called.
            if matches!((format, other), ("gltf" | "glb", "gltf" | "glb")) {
                continue;
            }
            let error = read(other, &bytes, "").expect_err(&format!("{format} as {other}"));
            assert!(error.len() > 20, "{format} as {other}: {error}");
        }
    }
}

/// A sheet of 1415 × 1415 vertices.
#[test]
fn two_million_vertices_are_read_within_seconds() {
    const SIDE: i64 = 1415;
    let mut sample = Sample { positions: Vec::new(), triangles: Vec::new(), tets: Vec::new() };
    for n in 0..SIDE * SIDE {
        let (i, j) = (n % SIDE, n / SIDE);
        sample.positions.push([i as f64, ((i * j) % 7) as f64, j as f64]);
        if i + 1 < SIDE && j + 1 < SIDE {
            sample.triangles.extend([[n, n + SIDE, n + 1], [n + 1, n + SIDE, n + SIDE + 1]]);
        }
    }
    for format in ["obj", "ply", "glb"] {
        let bytes = sample.write(format);
        let what = format!("{format} of {} MB", bytes.len() / 1_000_000);
        let (positions, triangles) = within_processor_secs(60.0, &what, || read(format, &bytes, "").unwrap());
        assert_eq!((positions.len(), triangles), (sample.positions.len(), sample.triangles.len()));
    }
}
