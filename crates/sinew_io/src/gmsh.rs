//! Gmsh `.msh` files, versions 2.2 and 4.1 (ASCII): vertices, triangles and tetrahedra.
//!
//! Geuzaine, Remacle. Gmsh reference manual, "MSH file format". A file is a sequence of `$Name … $EndName` sections.
//! Nodes have tags, which need not be 1, 2, 3, …; elements name nodes by tag. Of elements with nodes on their edges the
//! corners are taken; elements that are neither triangles nor tets, and sections of other kinds, are left out.

use crate::text::{lines, whole};
use crate::{LineError, TetFile};
use sinew_geom::TetMesh;
use sinew_math::DVec3;
use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt::Write;

pub fn parse(bytes: &[u8]) -> Result<TetFile, LineError> {
    let mut reader = Reader { lines: lines(bytes), line: 1 };
    let mut version = None;
    let mut file = Elements::default();
    while let Some(text) = reader.next() {
        let Some(section) = text.strip_prefix('$').filter(|name| !name.starts_with("End")) else {
            return Err(reader.wrong(format!("expected a section such as $Nodes, found {text:?}")));
        };
        match (section, version) {
            ("MeshFormat", _) => version = Some(reader.format()?),
            ("Nodes", Some(Version::V2)) => reader.nodes_2(&mut file)?,
            ("Nodes", Some(Version::V4)) => reader.nodes_4(&mut file)?,
            ("Elements", Some(Version::V2)) => reader.elements_2(&mut file)?,
            ("Elements", Some(Version::V4)) => reader.elements_4(&mut file)?,
            (_, None) => return Err(reader.wrong("a Gmsh mesh begins with $MeshFormat")),
            _ => {}
        }
        reader.skip_to_end_of(section)?;
    }
    if version.is_none() {
        return Err(reader.wrong("a Gmsh mesh begins with $MeshFormat; the file has no section"));
    }
    file.resolve()
}

/// A mesh as a Gmsh file of version 4.1, with one volume.
pub fn write(mesh: &TetMesh) -> String {
    let (low, high) = mesh
        .positions
        .iter()
        .fold((DVec3::INFINITY, DVec3::NEG_INFINITY), |(low, high), x| (low.min(*x), high.max(*x)));
    let (nodes, tets) = (mesh.positions.len(), mesh.tets.len());
    let mut text = String::with_capacity(64 * nodes + 40 * tets);
    text.push_str("$MeshFormat\n4.1 0 8\n$EndMeshFormat\n");
    let [a, b, c, d, e, f] = [low.x, low.y, low.z, high.x, high.y, high.z];
    let _ = writeln!(text, "$Entities\n0 0 0 1\n1 {a} {b} {c} {d} {e} {f} 0 0\n$EndEntities");
    let _ = writeln!(text, "$Nodes\n1 {nodes} 1 {nodes}\n3 1 0 {nodes}");
    for tag in 1..=nodes {
        let _ = writeln!(text, "{tag}");
    }
    for x in &mesh.positions {
        let _ = writeln!(text, "{} {} {}", x.x, x.y, x.z);
    }
    let _ = writeln!(text, "$EndNodes\n$Elements\n1 {tets} 1 {tets}\n3 1 4 {tets}");
    for (n, tet) in mesh.tets.iter().enumerate() {
        let [a, b, c, d] = tet.map(|v| v + 1);
        let _ = writeln!(text, "{} {a} {b} {c} {d}", n + 1);
    }
    text.push_str("$EndElements\n");
    text
}

#[derive(Debug, Clone, Copy)]
enum Version {
    V2,
    V4,
}

/// What the file has so far; elements may come before the nodes they name.
#[derive(Default)]
struct Elements {
    positions: Vec<DVec3>,
    places: HashMap<u64, u32>,
    triangles: Vec<([u64; 3], usize)>,
    tets: Vec<([u64; 4], usize)>,
}

impl Elements {
    fn push_node(&mut self, tag: u64, at: [f64; 3]) {
        self.places.insert(tag, self.positions.len() as u32);
        self.positions.push(DVec3::from_array(at));
    }

    /// Elements of these Gmsh types begin with their corners.
    fn push_element(&mut self, kind: u64, words: &[&str], line: usize) -> Result<(), LineError> {
        const TRIANGLES: [u64; 2] = [2, 9];
        const TETS: [u64; 2] = [4, 11];
        if TRIANGLES.contains(&kind) {
            self.triangles.push((corners(words, line)?, line));
        } else if TETS.contains(&kind) {
            self.tets.push((corners(words, line)?, line));
        }
        Ok(())
    }

    fn resolve(self) -> Result<TetFile, LineError> {
        let Self { positions, places, triangles, tets } = self;
        let place = |tag: u64, line: usize| {
            let missing = || LineError::new(line, format!("an element names node {tag}, but the file has none such"));
            places.get(&tag).copied().ok_or_else(missing)
        };
        fn all<const N: usize>(
            rows: Vec<([u64; N], usize)>,
            place: impl Fn(u64, usize) -> Result<u32, LineError>,
        ) -> Result<Vec<[u32; N]>, LineError> {
            let row = |(tags, line): ([u64; N], usize)| {
                let mut vertices = [0; N];
                for (vertex, tag) in vertices.iter_mut().zip(tags) {
                    *vertex = place(tag, line)?;
                }
                Ok(vertices)
            };
            rows.into_iter().map(row).collect()
        }
        Ok(TetFile { triangles: all(triangles, place)?, tets: all(tets, place)?, positions })
    }
}

fn corners<const N: usize>(words: &[&str], line: usize) -> Result<[u64; N], LineError> {
    let mut tags = [0; N];
    for (n, tag) in tags.iter_mut().enumerate() {
        let word = words.get(n).ok_or_else(|| LineError::new(line, format!("an element of {N} corners has {n}")))?;
        *tag = whole(word, line)?;
    }
    Ok(tags)
}

struct Reader<'a, L: Iterator<Item = (usize, Cow<'a, str>)>> {
    lines: L,
    /// The line last read.
    line: usize,
}

impl<'a, L: Iterator<Item = (usize, Cow<'a, str>)>> Reader<'a, L> {
    fn next(&mut self) -> Option<Cow<'a, str>> {
        let (line, text) = self.lines.next()?;
        self.line = line;
        Some(text)
    }

    fn wrong(&self, what: impl Into<String>) -> LineError {
        LineError::new(self.line, what)
    }

    /// The next line inside a section.
    fn row(&mut self, wanted: impl Fn() -> String) -> Result<Cow<'a, str>, LineError> {
        match self.next() {
            Some(text) if !text.starts_with('$') => Ok(text),
            Some(text) => Err(self.wrong(format!("expected {}, found {text:?}", wanted()))),
            None => Err(self.wrong(format!("the file ends where {} should stand", wanted()))),
        }
    }

    /// The next line as this many whole numbers; more may follow them.
    fn wholes<const N: usize>(&mut self, what: &str) -> Result<[u64; N], LineError> {
        let text = self.row(|| what.to_owned())?;
        let mut words = text.split_whitespace();
        let mut numbers = [0; N];
        for number in &mut numbers {
            let word = words.next().ok_or_else(|| self.wrong(format!("{what} needs {N} numbers")))?;
            *number = whole(word, self.line)?;
        }
        Ok(numbers)
    }

    fn format(&mut self) -> Result<Version, LineError> {
        let text = self.row(|| "version, file type and data size".to_owned())?;
        let mut words = text.split_whitespace();
        let (version, kind) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
        if kind != "0" {
            return Err(self.wrong("the file is binary; write it as ASCII (Mesh.Binary = 0)"));
        }
        match version {
            "2" | "2.0" | "2.1" | "2.2" => Ok(Version::V2),
            "4.1" => Ok(Version::V4),
            other => Err(self.wrong(format!("version {other} is not known here; write the file as 2.2 or 4.1"))),
        }
    }

    fn nodes_2(&mut self, file: &mut Elements) -> Result<(), LineError> {
        let [count] = self.wholes("the number of nodes")?;
        for node in 1..=count {
            let text = self.row(|| format!("node {node} of {count}"))?;
            let mut words = text.split_whitespace();
            let tag = whole(words.next().unwrap_or_default(), self.line)?;
            file.push_node(tag, crate::text::point(&mut words, self.line)?);
        }
        Ok(())
    }

    fn nodes_4(&mut self, file: &mut Elements) -> Result<(), LineError> {
        let [blocks, ..] = self.wholes::<2>("the number of blocks and nodes")?;
        for block in 1..=blocks {
            let [_, _, _, count] = self.wholes(&format!("block {block} of {blocks} of nodes"))?;
            let mut tags = Vec::new();
            for node in 1..=count {
                tags.push(self.wholes::<1>(&format!("the tag of node {node} of {count}"))?[0]);
            }
            for (node, tag) in tags.into_iter().enumerate() {
                let text = self.row(|| format!("node {} of {count}", node + 1))?;
                file.push_node(tag, crate::text::point(&mut text.split_whitespace(), self.line)?);
            }
        }
        Ok(())
    }

    fn elements_2(&mut self, file: &mut Elements) -> Result<(), LineError> {
        let [count] = self.wholes("the number of elements")?;
        for element in 1..=count {
            let text = self.row(|| format!("element {element} of {count}"))?;
            let words: Vec<&str> = text.split_whitespace().collect();
            let number_at = |n: usize| whole(words.get(n).copied().unwrap_or_default(), self.line);
            let (kind, tags) = (number_at(1)?, number_at(2)?);
            let first = usize::try_from(tags).unwrap_or(usize::MAX).saturating_add(3);
            file.push_element(kind, words.get(first..).unwrap_or_default(), self.line)?;
        }
        Ok(())
    }

    fn elements_4(&mut self, file: &mut Elements) -> Result<(), LineError> {
        let [blocks, ..] = self.wholes::<2>("the number of blocks and elements")?;
        for block in 1..=blocks {
            let [_, _, kind, count] = self.wholes(&format!("block {block} of {blocks} of elements"))?;
            for element in 1..=count {
                let text = self.row(|| format!("element {element} of {count}"))?;
                let words: Vec<&str> = text.split_whitespace().collect();
                file.push_element(kind, words.get(1..).unwrap_or_default(), self.line)?;
            }
        }
        Ok(())
    }

    fn skip_to_end_of(&mut self, section: &str) -> Result<(), LineError> {
        while let Some(text) = self.next() {
            if text.strip_prefix("$End") == Some(section) {
                return Ok(());
            }
        }
        Err(self.wrong(format!("the file ends inside ${section}")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sinew_geom::structured::bar;
    use sinew_math::dvec3;

    const OLD: &str = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n1\n3 1 \"a\"\n$EndPhysicalNames\n$Nodes\n4\n\
        10 0 0 0\n20 1 0 0\n30 0 1 0\n7 0 0 1e0\n$EndNodes\n$Elements\n3\n1 15 2 0 1 10\n2 2 2 0 1 10 30 20\n\
        3 4 2 1 1 10 20 30 7\n$EndElements\n";

    #[test]
    fn what_is_written_is_read_back_bit_for_bit() {
        let mesh = bar(dvec3(1.0, 1.0 / 3.0, 0.7), [3, 2, 2]);
        let (read, repairs) = parse(write(&mesh).as_bytes()).unwrap().into_mesh().unwrap();
        assert_eq!((read, repairs), (mesh, crate::Repairs::default()));
    }

    #[test]
    fn nodes_of_an_old_file_are_found_by_their_tags() {
        let file = parse(OLD.as_bytes()).unwrap();
        assert_eq!((file.positions.len(), file.positions[3]), (4, DVec3::Z));
        assert_eq!((file.tets, file.triangles), (vec![[0, 1, 2, 3]], vec![[0, 2, 1]]));
    }

    #[test]
    fn faults_are_named_with_their_line() {
        let fault = |from: &str, to: &str| {
            assert!(OLD.contains(from));
            parse(OLD.replacen(from, to, 1).as_bytes()).unwrap_err().to_string()
        };
        assert_eq!(fault("2.2 0 8", "2.2 1 8"), "line 2: the file is binary; write it as ASCII (Mesh.Binary = 0)");
        assert!(fault("2.2 0", "3.0 0").contains("2.2 or 4.1"));
        assert!(fault("10 20 30 7\n", "10 20 30 8\n").starts_with("line 19: an element names node 8"));
        assert!(fault("10 20 30 7\n", "10 20 30\n").contains("4 corners has 3"));
        assert!(fault("$EndElements\n", "").contains("ends inside $Elements"));
        assert!(fault("\n3\n1 15", "\n99999999999\n1 15").contains("expected element 4 of 99999999999"));
        assert!(fault("1 0 0\n", "1 nan 0\n").contains("not a finite number"));
        assert!(parse(b"").unwrap_err().to_string().contains("$MeshFormat"));
        assert!(parse(b"solid cube").unwrap_err().to_string().contains("expected a section"));
    }
}
