//! MEDIT `.mesh` files (ASCII): vertices, triangles and tetrahedra.
//!
//! Frey. "MEDIT: an interactive mesh visualization software", INRIA RT-0253, 2001. A file is a sequence of sections, each
//! a keyword, a count and that many rows of numbers; lines have no meaning. Indices count from 1. Every row ends in a
//! reference number, which is read and dropped, as are sections of other kinds.

use crate::text::{lines, number, whole};
use crate::{LineError, TetFile};
use sinew_geom::TetMesh;
use sinew_math::DVec3;
use std::fmt::Write;

/// Rows of vertex numbers as the file has them, with the line of each: vertices may come after them.
type Rows<const N: usize> = Vec<([u32; N], usize)>;

pub fn parse(bytes: &[u8]) -> Result<TetFile, LineError> {
    let text: Vec<(usize, std::borrow::Cow<'_, str>)> = lines(bytes).collect();
    let words = text.iter().flat_map(|(line, text)| text.split_whitespace().map(|word| (*line, word)));
    let mut sections = Sections { words: words.peekable(), line: 1 };
    let (mut positions, mut triangles, mut tets) = (Vec::new(), Rows::new(), Rows::new());
    let mut seen = Vec::new();
    while let Some(keyword) = sections.keyword()? {
        match keyword {
            "MeshVersionFormatted" => drop(sections.count()?),
            "Dimension" => sections.dimension()?,
            "Vertices" => sections.vertices(&mut positions)?,
            "Triangles" => sections.rows(keyword, &mut triangles)?,
            "Tetrahedra" => sections.rows(keyword, &mut tets)?,
            "End" => break,
            _ => sections.skip_numbers(),
        }
        seen.push(keyword);
    }
    if seen.first() != Some(&"MeshVersionFormatted") {
        return Err(LineError::new(1, "a MEDIT mesh begins with MeshVersionFormatted"));
    }
    for wanted in ["Vertices", "Tetrahedra"] {
        if !seen.contains(&wanted) {
            let what = format!("no section {wanted}; the file has {}", seen.join(", "));
            return Err(LineError::new(sections.line, what));
        }
    }
    let (triangles, tets) = (from_zero(triangles, positions.len())?, from_zero(tets, positions.len())?);
    Ok(TetFile { positions, tets, triangles })
}

/// A mesh as a MEDIT file, with the triangles of its boundary.
pub fn write(mesh: &TetMesh) -> String {
    let boundary = mesh.boundary();
    let mut text = String::with_capacity(64 * mesh.positions.len() + 32 * mesh.tets.len());
    let _ = writeln!(text, "MeshVersionFormatted 2\nDimension 3\nVertices\n{}", mesh.positions.len());
    for x in &mesh.positions {
        let _ = writeln!(text, "{} {} {} 0", x.x, x.y, x.z);
    }
    let _ = writeln!(text, "Triangles\n{}", boundary.len());
    for [a, b, c] in boundary.iter().map(|t| t.map(|v| v + 1)) {
        let _ = writeln!(text, "{a} {b} {c} 0");
    }
    let _ = writeln!(text, "Tetrahedra\n{}", mesh.tets.len());
    for [a, b, c, d] in mesh.tets.iter().map(|t| t.map(|v| v + 1)) {
        let _ = writeln!(text, "{a} {b} {c} {d} 0");
    }
    text.push_str("End\n");
    text
}

struct Sections<'a, W: Iterator<Item = (usize, &'a str)>> {
    words: std::iter::Peekable<W>,
    /// The line of the last word.
    line: usize,
}

impl<'a, W: Iterator<Item = (usize, &'a str)>> Sections<'a, W> {
    fn word(&mut self, wanted: impl FnOnce() -> String) -> Result<&'a str, LineError> {
        match self.words.next() {
            Some((line, word)) => {
                self.line = line;
                Ok(word)
            }
            None => Err(LineError::new(self.line, format!("the file ends where {} should stand", wanted()))),
        }
    }

    fn keyword(&mut self) -> Result<Option<&'a str>, LineError> {
        let Some((line, word)) = self.words.next() else { return Ok(None) };
        self.line = line;
        if is_number(word) {
            return Err(LineError::new(line, format!("expected a section such as Vertices, found {word:?}")));
        }
        Ok(Some(word))
    }

    fn count(&mut self) -> Result<u64, LineError> {
        let word = self.word(|| "a count".to_owned())?;
        whole(word, self.line)
    }

    fn dimension(&mut self) -> Result<(), LineError> {
        match self.count()? {
            3 => Ok(()),
            other => Err(LineError::new(self.line, format!("the mesh is {other}-dimensional; 3 is needed"))),
        }
    }

    fn vertices(&mut self, positions: &mut Vec<DVec3>) -> Result<(), LineError> {
        let count = self.count()?;
        for vertex in 1..=count {
            let place = || format!("vertex {vertex} of {count}");
            let mut coordinates = [0.0; 3];
            for coordinate in &mut coordinates {
                *coordinate = number(self.word(place)?, self.line)?;
            }
            self.word(place)?;
            positions.push(DVec3::from_array(coordinates));
        }
        Ok(())
    }

    fn rows<const N: usize>(&mut self, keyword: &str, rows: &mut Rows<N>) -> Result<(), LineError> {
        let count = self.count()?;
        for row in 1..=count {
            let place = || format!("row {row} of {count} of {keyword}");
            let mut corners = [0; N];
            for corner in &mut corners {
                let word = self.word(place)?;
                // What does not fit into 32 bits is out of range anyway.
                *corner = whole(word, self.line)?.min(u64::from(u32::MAX)) as u32;
            }
            self.word(place)?;
            rows.push((corners, self.line));
        }
        Ok(())
    }

    fn skip_numbers(&mut self) {
        while let Some((line, _)) = self.words.next_if(|(_, word)| is_number(word)) {
            self.line = line;
        }
    }
}

fn is_number(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '+' | '-' | '.'))
}

/// Corners counted from 0, once all vertices are known.
fn from_zero<const N: usize>(rows: Rows<N>, vertex_count: usize) -> Result<Vec<[u32; N]>, LineError> {
    let corners = |(corners, line): ([u32; N], usize)| match corners
        .iter()
        .find(|corner| **corner == 0 || **corner as usize > vertex_count)
    {
        Some(wrong) => Err(LineError::new(line, format!("vertex {wrong} is not one of 1 to {vertex_count}"))),
        None => Ok(corners.map(|corner| corner - 1)),
    };
    rows.into_iter().map(corners).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TET: &str = "MeshVersionFormatted 1\nDimension 3 # space\nVertices\n4\n0 0 0 0\n1 0 0 0\n0 1 0 0\n0 0 1e0 7\n\
        Edges 1\n1 2 0\nTetrahedra 1\n1 2 3 4 5\nTriangles\n1\n1 3 2 0\nEnd\n";

    fn fault(from: &str, to: &str) -> String {
        assert!(TET.contains(from));
        parse(TET.replacen(from, to, 1).as_bytes()).unwrap_err().to_string()
    }

    #[test]
    fn a_tet_is_read() {
        let file = parse(TET.as_bytes()).unwrap();
        assert_eq!((file.positions.len(), file.positions[3]), (4, DVec3::Z));
        assert_eq!((file.tets, file.triangles), (vec![[0, 1, 2, 3]], vec![[0, 2, 1]]));
    }

    #[test]
    fn what_is_written_is_read_back_bit_for_bit() {
        let mesh = sinew_geom::structured::bar(DVec3::new(1.0, 1.0 / 3.0, 0.7), [3, 2, 2]);
        let file = parse(write(&mesh).as_bytes()).unwrap();
        assert_eq!(file.triangles, mesh.boundary());
        assert_eq!(file.into_mesh().unwrap().0, mesh);
    }

    #[test]
    fn sections_may_come_in_any_order() {
        let (begin, rest) = TET.split_once("Vertices").unwrap();
        let (vertices, rest) = rest.split_once("Edges").unwrap();
        let (tets, _) = rest.split_once("End").unwrap();
        let turned = format!("{begin}Edges{tets}Vertices{vertices}End");
        assert_eq!(parse(turned.as_bytes()), parse(TET.as_bytes()));
    }

    #[test]
    fn faults_are_named_with_their_line() {
        assert_eq!(fault("1e0", "nan"), "line 8: \"nan\" is not a finite number");
        assert_eq!(fault("1e0", "one"), "line 8: expected a number, found \"one\"");
        assert_eq!(fault("1 2 3 4 5", "1 2 3 9 5"), "line 12: vertex 9 is not one of 1 to 4");
        assert_eq!(fault("1 3 2 0\n", "0 3 2 0\n"), "line 15: vertex 0 is not one of 1 to 4");
        assert_eq!(fault("1 2 3 4 5", "1 -2 3 4 5"), "line 12: expected a whole number from 0 up, found \"-2\"");
        assert_eq!(fault("Dimension 3", "Dimension 2"), "line 2: the mesh is 2-dimensional; 3 is needed");
        assert!(fault("Tetrahedra", "Tetrahdra").contains("no section Tetrahedra; the file has"));
        assert!(fault("MeshVersionFormatted 1\n", "").contains("begins with MeshVersionFormatted"));
        assert!(fault("Edges 1", "5 6").starts_with("line 9: expected a section"));
    }

    #[test]
    fn a_claimed_count_costs_nothing_until_it_is_there() {
        let huge = "MeshVersionFormatted 1\nVertices 18446744073709551615\n0 0 0 0\n";
        let what = parse(huge.as_bytes()).unwrap_err();
        assert_eq!(what.to_string(), "line 3: the file ends where vertex 2 of 18446744073709551615 should stand");
    }
}
