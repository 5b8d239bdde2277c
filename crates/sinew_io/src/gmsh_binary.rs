//! Gmsh `.msh` files, versions 2.2 and 4.1, binary: what [`gmsh`](crate::gmsh) reads as text.
//!
//! Sections begin and end with lines of text; nodes and elements between them are numbers in the byte order that a 1 behind
//! the format's line shows.

use crate::bytes::{Bytes, Endian};
use crate::{ByteError, FormatError, TetFile};
use sinew_math::DVec3;
use std::collections::HashMap;

/// Nodes of the element types that Gmsh's manual lists, by their number; 0 where it lists none.
const NODES_OF: [usize; 20] = [0, 2, 3, 4, 4, 8, 6, 5, 3, 6, 9, 10, 27, 18, 14, 1, 8, 20, 15, 13];

/// Whether the line behind `$MeshFormat` says so.
pub fn is_binary(bytes: &[u8]) -> bool {
    let mut words = bytes[..bytes.len().min(256)].split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
    words.next() == Some(b"$MeshFormat") && words.nth(1) == Some(b"1")
}

pub fn parse(bytes: &[u8]) -> Result<TetFile, FormatError> {
    let mut reader = Reader { bytes: Bytes::new(bytes, Endian::Little), is_new: false };
    reader.format()?;
    let mut nodes = Nodes::default();
    let mut cells = Vec::new();
    while let Some(section) = reader.section() {
        match (section.as_str(), reader.is_new) {
            ("$Nodes", false) => reader.old_nodes(&mut nodes)?,
            ("$Nodes", true) => reader.new_nodes(&mut nodes)?,
            ("$Elements", false) => reader.old_elements(&mut cells)?,
            ("$Elements", true) => reader.new_elements(&mut cells)?,
            _ => {}
        }
        reader.skip_to_end_of(&section)?;
    }
    nodes.grid(&cells, reader.bytes.at())
}

#[derive(Default)]
struct Nodes {
    positions: Vec<DVec3>,
    places: HashMap<u64, u32>,
}

/// An element of a type that is kept: its corners' tags, and where it stands in the file.
struct Cell {
    corners: Vec<u64>,
    at: usize,
}

impl Nodes {
    fn push(&mut self, tag: u64, x: [f64; 3], at: usize) -> Result<(), ByteError> {
        if !x.iter().all(|number| number.is_finite()) {
            return Err(ByteError::new(at, format!("node {tag} is not finite")));
        }
        self.places.insert(tag, self.positions.len() as u32);
        self.positions.push(DVec3::from_array(x));
        Ok(())
    }

    fn grid(self, cells: &[Cell], end: usize) -> Result<TetFile, FormatError> {
        let mut file = TetFile { positions: self.positions, ..TetFile::default() };
        for cell in cells {
            let place = |i: usize| {
                let missing = || {
                    ByteError::new(cell.at, format!("an element names node {}, which is not there", cell.corners[i]))
                };
                self.places.get(&cell.corners[i]).copied().ok_or_else(missing)
            };
            match cell.corners.len() {
                3 => file.triangles.push([place(0)?, place(1)?, place(2)?]),
                _ => file.tets.push([place(0)?, place(1)?, place(2)?, place(3)?]),
            }
        }
        if file.tets.is_empty() && file.triangles.is_empty() {
            return Err(ByteError::new(end, "the file has neither tetrahedra nor triangles").into());
        }
        Ok(file)
    }
}

struct Reader<'a> {
    bytes: Bytes<'a>,
    /// Version 4.1.
    is_new: bool,
}

impl Reader<'_> {
    /// `$MeshFormat`, its line, and a 1 that shows the byte order.
    fn format(&mut self) -> Result<(), ByteError> {
        self.line();
        let line = self.line();
        let version = line.split_whitespace().next().unwrap_or_default().to_owned();
        self.is_new = version == "4.1";
        if !self.is_new && !["2", "2.0", "2.1", "2.2"].contains(&version.as_str()) {
            return Err(ByteError::new(
                12,
                format!("version {version} is not known here; write the file as 2.2 or 4.1"),
            ));
        }
        if line.split_whitespace().nth(2) != Some("8") {
            return Err(ByteError::new(12, "numbers of another size than 8 bytes are not read"));
        }
        let at = self.bytes.at();
        match self.bytes.u32("the byte order")? {
            1 => {}
            0x0100_0000 => self.bytes.turn(),
            other => return Err(ByteError::new(at, format!("{other} where a 1 should show the byte order"))),
        }
        self.skip_to_end_of("$MeshFormat")
    }

    /// The next line that begins a section.
    fn section(&mut self) -> Option<String> {
        while self.bytes.left() > 0 {
            let line = self.line();
            if line.starts_with('$') && !line.starts_with("$End") {
                return Some(line);
            }
        }
        None
    }

    fn line(&mut self) -> String {
        let rest = self.bytes.rest();
        let length = rest.iter().position(|byte| *byte == b'\n').map_or(rest.len(), |end| end + 1);
        self.bytes.skip(length);
        // A section's own lines are short; others are only passed over.
        String::from_utf8_lossy(&rest[..length.min(80)]).trim().to_owned()
    }

    fn skip_to_end_of(&mut self, section: &str) -> Result<(), ByteError> {
        let end = format!("$End{}", section.trim_start_matches('$'));
        let rest = self.bytes.rest();
        match rest.windows(end.len()).position(|window| window == end.as_bytes()) {
            Some(place) => {
                self.bytes.skip(place + end.len());
                Ok(())
            }
            None => Err(ByteError::new(self.bytes.at(), format!("the file ends inside {section}"))),
        }
    }

    fn count_line(&mut self, what: &str) -> Result<u64, ByteError> {
        let at = self.bytes.at();
        let line = self.line();
        line.parse().map_err(|_| ByteError::new(at, format!("expected the number of {what}, found {line:?}")))
    }

    fn u64(&mut self, what: &str) -> Result<u64, ByteError> {
        self.bytes.array(what).map(u64::from_le_bytes)
    }

    fn point(&mut self) -> Result<[f64; 3], ByteError> {
        let mut x = [0.0; 3];
        for coordinate in &mut x {
            *coordinate = f64::from_le_bytes(self.bytes.array("a node")?);
        }
        Ok(x)
    }

    fn old_nodes(&mut self, nodes: &mut Nodes) -> Result<(), ByteError> {
        for _ in 0..self.count_line("nodes")? {
            let at = self.bytes.at();
            let tag = u64::from(self.bytes.u32("a node")?);
            let x = self.point()?;
            nodes.push(tag, x, at)?;
        }
        Ok(())
    }

    fn new_nodes(&mut self, nodes: &mut Nodes) -> Result<(), ByteError> {
        let blocks = self.u64("the number of blocks")?;
        self.bytes.take(24, "the number of nodes")?;
        for _ in 0..blocks {
            let dimension = self.bytes.count("dimensions")?;
            self.bytes.take(4, "an entity's tag")?;
            let parametric = self.bytes.u32("whether nodes are parametric")? != 0;
            let count = self.u64("the number of nodes")?;
            let mut tags = Vec::new();
            for _ in 0..count {
                tags.push(self.u64("a node's tag")?);
            }
            for tag in tags {
                let at = self.bytes.at();
                let x = self.point()?;
                if parametric {
                    self.bytes.take(8 * dimension.min(3), "a node's parameters")?;
                }
                nodes.push(tag, x, at)?;
            }
        }
        Ok(())
    }

    fn old_elements(&mut self, cells: &mut Vec<Cell>) -> Result<(), ByteError> {
        let mut left = self.count_line("elements")?;
        while left > 0 {
            let at = self.bytes.at();
            let (kind, count) = (self.bytes.u32("an element's type")?, self.bytes.count("elements")?);
            let tags = self.bytes.count("tags")?;
            let width = nodes_of(kind, at)?;
            if count == 0 || count as u64 > left {
                return Err(ByteError::new(at, format!("a block of {count} elements where {left} are left")));
            }
            for _ in 0..count {
                let at = self.bytes.at();
                self.bytes.take(4_usize.saturating_mul(tags.saturating_add(1)), "an element's tags")?;
                let mut corners = Vec::new();
                for _ in 0..width {
                    corners.push(u64::from(self.bytes.u32("an element's node")?));
                }
                keep(cells, kind, corners, at);
            }
            left -= count as u64;
        }
        Ok(())
    }

    fn new_elements(&mut self, cells: &mut Vec<Cell>) -> Result<(), ByteError> {
        let blocks = self.u64("the number of blocks")?;
        self.bytes.take(24, "the number of elements")?;
        for _ in 0..blocks {
            let at = self.bytes.at();
            self.bytes.take(8, "an entity")?;
            let kind = self.bytes.u32("an element's type")?;
            let width = nodes_of(kind, at)?;
            for _ in 0..self.u64("the number of elements")? {
                let at = self.bytes.at();
                self.u64("an element's tag")?;
                let mut corners = Vec::new();
                for _ in 0..width {
                    corners.push(self.u64("an element's node")?);
                }
                keep(cells, kind, corners, at);
            }
        }
        Ok(())
    }
}

fn nodes_of(kind: u32, at: usize) -> Result<usize, ByteError> {
    let known = NODES_OF.get(kind as usize).copied().filter(|count| *count > 0);
    known.ok_or_else(|| ByteError::new(at, format!("elements of type {kind} are not known here")))
}

/// Triangles and tetrahedra, of first and second order, by their corners.
fn keep(cells: &mut Vec<Cell>, kind: u32, mut corners: Vec<u64>, at: usize) {
    let count = match kind {
        2 | 9 => 3,
        4 | 11 => 4,
        _ => return,
    };
    corners.truncate(count);
    cells.push(Cell { corners, at });
}

#[cfg(test)]
mod tests {
    use super::*;

    const POINTS: [(u64, [f64; 3]); 4] =
        [(10, [0.0; 3]), (20, [1.0, 0.0, 0.0]), (30, [0.0, 1.0, 0.0]), (7, [0.0, 0.0, 1.0])];

    /// One tet and one of its triangles, as the manual lays them out.
    fn file(is_new: bool, is_big: bool) -> Vec<u8> {
        let turned = |mut bytes: Vec<u8>| {
            if is_big {
                bytes.reverse();
            }
            bytes
        };
        let int = |number: u32| turned(number.to_le_bytes().to_vec());
        let long = |number: u64| turned(number.to_le_bytes().to_vec());
        let double = |number: f64| turned(number.to_le_bytes().to_vec());
        let mut bytes = if is_new { b"$MeshFormat\n4.1 1 8\n".to_vec() } else { b"$MeshFormat\n2.2 1 8\n".to_vec() };
        bytes.extend(int(1));
        bytes.extend(b"\n$EndMeshFormat\n$Nodes\n");
        let elements = [(2u32, &[10u64, 30, 20][..]), (4, &[10, 20, 30, 7])];
        if is_new {
            bytes.extend([1, 4, 7, 30].into_iter().flat_map(long));
            bytes.extend([3, 1, 0].into_iter().flat_map(int));
            bytes.extend(long(4));
            bytes.extend(POINTS.iter().flat_map(|(tag, _)| long(*tag)));
            bytes.extend(POINTS.iter().flat_map(|(_, x)| x.iter().flat_map(|x| double(*x))));
            bytes.extend(b"\n$EndNodes\n$Elements\n");
            bytes.extend([2, 2, 1, 2].into_iter().flat_map(long));
            for (kind, corners) in elements {
                bytes.extend([3, 1, kind].into_iter().flat_map(int));
                bytes.extend([1, 1].into_iter().chain(corners.iter().copied()).flat_map(long));
            }
        } else {
            bytes.extend(b"4\n");
            for (tag, x) in POINTS {
                bytes.extend(int(tag as u32));
                bytes.extend(x.iter().flat_map(|x| double(*x)));
            }
            bytes.extend(b"\n$EndNodes\n$Elements\n2\n");
            for (kind, corners) in elements {
                bytes.extend([kind, 1, 2, 1, 0, 0].into_iter().flat_map(int));
                bytes.extend(corners.iter().flat_map(|corner| int(*corner as u32)));
            }
        }
        bytes.extend(b"\n$EndElements\n");
        bytes
    }

    #[test]
    fn both_versions_in_both_byte_orders_give_one_mesh() {
        for (is_new, is_big) in [(false, false), (false, true), (true, false), (true, true)] {
            let bytes = file(is_new, is_big);
            assert!(is_binary(&bytes));
            let mesh = parse(&bytes).unwrap();
            assert_eq!((mesh.positions.len(), mesh.positions[3]), (4, DVec3::Z));
            assert_eq!((mesh.tets, mesh.triangles), (vec![[0, 1, 2, 3]], vec![[0, 2, 1]]));
        }
        assert!(!is_binary(b"$MeshFormat\n4.1 0 8\n"));
    }

    #[test]
    fn mutated_files_are_errors_or_meshes() {
        for (is_new, is_big) in [(false, false), (true, true)] {
            let whole = file(is_new, is_big);
            let mut refused = 0;
            for place in 0..whole.len() {
                for byte in [0, 1, 0x7f, 0xff, b'\n', b'9'] {
                    let mut bytes = whole.clone();
                    bytes[place] = byte;
                    match parse(&bytes) {
                        Ok(mesh) => {
                            assert!(mesh.tets.iter().flatten().all(|corner| (*corner as usize) < mesh.positions.len()));
                        }
                        Err(_) => refused += 1,
                    }
                }
                assert!(parse(&whole[..place]).is_err() || place + 2 >= whole.len());
            }
            assert!(refused > 100);
        }
    }
}
