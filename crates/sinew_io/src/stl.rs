//! STL, ASCII and binary. The format repeats every corner: equal ones become one vertex, in the order of their first use.

use crate::bytes::{Bytes, Endian};
use crate::text::point;
use crate::{ByteError, FormatError, LineError, SurfaceFile};
use sinew_math::DVec3;
use std::collections::HashMap;

const HEAD_BYTES: usize = 84;
const TRIANGLE_BYTES: usize = 50;

pub fn parse(bytes: &[u8]) -> Result<SurfaceFile, FormatError> {
    // Some binary files begin with "solid" as well; their length gives them away, or that no facet follows.
    let said = bytes.get(80..HEAD_BYTES).map(|count| u32::from_le_bytes([count[0], count[1], count[2], count[3]]));
    let length = said.map(|count| HEAD_BYTES as u64 + TRIANGLE_BYTES as u64 * u64::from(count));
    let start = &bytes[..bytes.len().min(1024)];
    let follows = |word: &[u8]| start.windows(word.len()).any(|window| window == word);
    let is_text = start.trim_ascii_start().starts_with(b"solid") && (follows(b"facet") || follows(b"endsolid"));
    if is_text && length != Some(bytes.len() as u64) { Ok(parse_text(bytes)?) } else { Ok(parse_binary(bytes)?) }
}

fn parse_binary(bytes: &[u8]) -> Result<SurfaceFile, ByteError> {
    let mut bytes = Bytes::new(bytes, Endian::Little);
    bytes.take(80, "the head of a binary STL (an ASCII one begins with solid)")?;
    let count = bytes.u32("the number of triangles")? as usize;
    if count.saturating_mul(TRIANGLE_BYTES) > bytes.left() {
        let left = bytes.left();
        return Err(ByteError::new(80, format!("{count} triangles of 50 bytes, and {left} bytes follow")));
    }
    if count == 0 {
        return Err(ByteError::new(80, "the file has no triangles"));
    }
    let mut corners = Corners::default();
    for _ in 0..count {
        bytes.take(12, "a normal")?;
        for corner in bytes.points(3, "a triangle")? {
            corners.add(corner.map(f64::from));
        }
        bytes.take(2, "the end of a triangle")?;
    }
    Ok(corners.into_surface())
}

fn parse_text(bytes: &[u8]) -> Result<SurfaceFile, LineError> {
    let mut corners = Corners::default();
    let (mut last_line, mut open) = (1, 0);
    for (index, text) in bytes.split(|byte| *byte == b'\n').enumerate() {
        let (line, text) = (index + 1, String::from_utf8_lossy(text));
        let mut words = text.split_whitespace();
        match words.next() {
            Some("vertex") => {
                corners.add(point(&mut words, line)?);
                open += 1;
            }
            Some("endloop") => {
                if open != 3 {
                    return Err(LineError::new(line, format!("a loop of {open} vertices; it should have 3")));
                }
                open = 0;
            }
            Some("solid" | "facet" | "outer" | "endfacet" | "endsolid") | None => {}
            Some(word) => return Err(LineError::new(line, format!("{word:?} is no word of an STL file"))),
        }
        last_line = if text.trim().is_empty() { last_line } else { line };
    }
    if open != 0 || corners.triangles.is_empty() {
        return Err(LineError::new(last_line, "the file ends within a triangle, or has none"));
    }
    Ok(corners.into_surface())
}

/// Corners in threes, equal ones merged.
#[derive(Default)]
struct Corners {
    known: HashMap<[u64; 3], u32>,
    positions: Vec<DVec3>,
    triangles: Vec<[u32; 3]>,
    open: Vec<u32>,
}

impl Corners {
    fn add(&mut self, corner: [f64; 3]) {
        // −0 and 0 are one place.
        let key = corner.map(|number| (number + 0.0).to_bits());
        let next = self.positions.len() as u32;
        let vertex = *self.known.entry(key).or_insert(next);
        if vertex == next {
            self.positions.push(DVec3::from_array(corner));
        }
        self.open.push(vertex);
        if let [a, b, c] = self.open[..] {
            self.triangles.push([a, b, c]);
            self.open.clear();
        }
    }

    fn into_surface(self) -> SurfaceFile {
        SurfaceFile { positions: self.positions, triangles: self.triangles, ..SurfaceFile::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "solid two\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\n\
        facet normal 0 0 1\n outer loop\n vertex 1 0 -0\n vertex 1 1 0\n vertex 0 1 0\nendloop\nendfacet\nendsolid two\n";

    #[test]
    fn text_and_binary_give_the_same_merged_mesh() {
        let mesh = parse(TEXT.as_bytes()).unwrap();
        assert_eq!((mesh.positions.len(), &mesh.triangles[..]), (4, &[[0, 1, 2], [1, 3, 2]][..]));
        let mut binary = b"solid but binary".to_vec();
        binary.resize(80, 0);
        binary.extend(2u32.to_le_bytes());
        for corners in &mesh.triangles {
            binary.extend([0; 12]);
            for corner in corners {
                let numbers = mesh.positions[*corner as usize].to_array();
                binary.extend(numbers.iter().flat_map(|number| (*number as f32).to_le_bytes()));
            }
            binary.extend([0; 2]);
        }
        assert_eq!(parse(&binary).unwrap(), mesh);
        let cut = parse(&binary[..binary.len() - 1]).unwrap_err();
        assert_eq!(cut.to_string(), "byte 80: 2 triangles of 50 bytes, and 99 bytes follow");
    }

    #[test]
    fn faults_are_named_with_their_place() {
        let fault = |from: &str, to: &str| parse(TEXT.replacen(from, to, 1).as_bytes()).unwrap_err().to_string();
        assert_eq!(fault("vertex 1 0 0", "vertex 1 0"), "line 5: the z of a vertex is missing");
        assert_eq!(fault("vertex 1 0 0\n", ""), "line 6: a loop of 2 vertices; it should have 3");
        assert_eq!(fault("outer loop", "v 1 2 3"), "line 3: \"v\" is no word of an STL file");
        assert!(parse(b"").unwrap_err().to_string().contains("the head of a binary STL"));
    }
}
