//! Mangled mesh files: an error or a mesh, never a panic, never more memory than the file is worth.

use crate::watching::LARGEST;
use sinew_io::{LineError, gmsh, medit, obj, off};
use std::sync::atomic::Ordering;

const OBJ: &str = "o a\nv 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 \\\n 0\ng left right\nf 1 2 3 4\nf -4/1 -3//2 -1/1/1\n";
const OFF: &str = "OFF\n4 2 0\n0 0 0\n1 0 0\n1 1 0\n0 1 0\n4 0 1 2 3\n3 0 1 2 9 9 9\n";
const MEDIT: &str = "MeshVersionFormatted 1\nDimension 3\nVertices\n4\n0 0 0 0\n1 0 0 0\n0 1 0 0\n0 0 1 0\nTetrahedra 1\n\
    1 2 3 4 0\nTriangles 1\n1 3 2 0\nEnd\n";

const GMSH_2: &str = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n4\n1 0 0 0\n2 1 0 0\n3 0 1 0\n9 0 0 1\n$EndNodes\n\
    $Elements\n2\n1 2 2 0 1 1 3 2\n2 4 2 1 1 1 2 3 9\n$EndElements\n";
const GMSH_4: &str = "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Nodes\n1 4 1 9\n3 1 0 4\n1\n2\n3\n9\n0 0 0\n1 0 0\n0 1 0\n\
    0 0 1\n$EndNodes\n$Elements\n2 2 1 2\n2 1 2 1\n1 1 3 2\n3 1 4 1\n2 1 2 3 9\n$EndElements\n";

type Parse = fn(&[u8]) -> Result<(Vec<u32>, usize), LineError>;

/// Corners that a file names, and how many vertices it has.
fn readers() -> [(&'static str, Parse); 5] {
    [
        (OBJ, |bytes| obj::parse(bytes).map(|m| (m.triangles.concat(), m.positions.len()))),
        (OFF, |bytes| off::parse(bytes).map(|m| (m.triangles.concat(), m.positions.len()))),
        (MEDIT, |bytes| {
            medit::parse(bytes).map(|m| ([m.tets.concat(), m.triangles.concat()].concat(), m.positions.len()))
        }),
        (GMSH_2, |bytes| {
            gmsh::parse(bytes).map(|m| ([m.tets.concat(), m.triangles.concat()].concat(), m.positions.len()))
        }),
        (GMSH_4, |bytes| {
            gmsh::parse(bytes).map(|m| ([m.tets.concat(), m.triangles.concat()].concat(), m.positions.len()))
        }),
    ]
}

#[test]
fn one_wrong_byte_or_an_early_end_is_an_error_or_a_mesh() {
    for (text, parse) in readers() {
        assert!(parse(text.as_bytes()).is_ok_and(|(corners, _)| corners.len() >= 6));
        let (mut read, mut refused) = (0, 0);
        LARGEST.store(0, Ordering::Relaxed);
        for place in 0..text.len() {
            for byte in [b'0', b'9', b'-', b'/', b' ', b'\n', b'\\', b'#', b'e', 0, 0xff] {
                let mut mangled = text.as_bytes().to_vec();
                mangled[place] = byte;
                match parse(&mangled) {
                    Ok((corners, vertex_count)) => {
                        read += 1;
                        assert!(corners.iter().all(|corner| (*corner as usize) < vertex_count));
                    }
                    Err(error) => {
                        refused += 1;
                        assert!((1..=text.lines().count() + 1).contains(&error.line), "{error}");
                    }
                }
            }
            let _ = parse(&text.as_bytes()[..place]);
        }
        assert!(read > 0 && refused > 0, "{read} {refused}");
        let largest = LARGEST.load(Ordering::Relaxed);
        // The test harness asks for some itself.
        assert!(largest < 64 * text.len() + (1 << 15), "{largest} bytes for a file of {}", text.len());
    }
}

#[test]
fn claimed_counts_do_not_ask_for_memory() {
    LARGEST.store(0, Ordering::Relaxed);
    let huge = u64::MAX;
    off::parse(format!("OFF\n{huge} {huge} 0\n0 0 0\n").as_bytes()).unwrap_err();
    off::parse(format!("OFF\n1 1 0\n0 0 0\n{huge} 0 0\n").as_bytes()).unwrap_err();
    medit::parse(format!("MeshVersionFormatted 1\nVertices {huge}\n").as_bytes()).unwrap_err();
    medit::parse(format!("MeshVersionFormatted 1\nTetrahedra {huge}\n1 2 3 4 0\n").as_bytes()).unwrap_err();
    for section in ["$Nodes", "$Elements"] {
        for (version, counts) in [("2.2", format!("{huge}")), ("4.1", format!("1 {huge} 1 1\n3 1 4 {huge}"))] {
            let text = format!("$MeshFormat\n{version} 0 8\n$EndMeshFormat\n{section}\n{counts}\n");
            gmsh::parse(text.as_bytes()).unwrap_err();
        }
    }
    assert!(LARGEST.load(Ordering::Relaxed) < 1 << 16);
}
