//! Wavefront OBJ: vertices, faces, texture coordinates, and groups as named vertex sets.
//!
//! Read: `v`, `vt`, `vn`, `f` (polygons, indices from 1 or negative from the end, `v/vt/vn`), `g` and `o`; normals where each
//! vertex has one only, so that hard edges are smooth here; `mtllib` and `usemtl` (see `mtl.rs`). Colours behind the
//! coordinates of vertices (`v x y z r g b`) are read. Everything else (curves) is passed over. A line that ends in `\` goes on in the next. A corner that names a texture
//! coordinate that is not there has 0, 0: it is only looks.

use crate::colours;
use crate::mtl::Named;
use crate::text::{lines, number, point};
use crate::triangulate::triangulate;
use crate::{Dir, LineError, NO_MATERIAL, SurfaceFile, VertexSet};
use sinew_math::DVec3;
use std::borrow::Cow;
use std::collections::BTreeMap;

/// Every face is counted into each of its groups, so without a limit a small file could ask for any amount of memory.
const GROUPS_OF_A_FACE: usize = 64;

/// With the materials of libraries in `folder`.
pub fn parse_in(bytes: &[u8], folder: Option<&Dir>) -> Result<SurfaceFile, LineError> {
    let mut named = Named::default();
    let mut mesh = parse_naming(bytes, &mut named)?;
    mesh.looks = named.looks(folder);
    Ok(mesh)
}

pub fn parse(bytes: &[u8]) -> Result<SurfaceFile, LineError> {
    parse_naming(bytes, &mut Named::default())
}

fn parse_naming(bytes: &[u8], named: &mut Named) -> Result<SurfaceFile, LineError> {
    let mut material = NO_MATERIAL;
    let mut mesh = SurfaceFile::default();
    let mut groups = Groups::default();
    let (mut corners, mut corner_uvs) = (Vec::new(), Vec::new());
    let mut uvs = Vec::new();
    let mut normals = Normals::default();
    let mut colours = Vec::new();
    let mut faces = 0;
    let mut last_line = 1;
    for (line, text) in joined_lines(bytes) {
        let mut words = text.split_whitespace();
        match words.next() {
            Some("v") => {
                mesh.positions.push(DVec3::from_array(point(&mut words, line)?));
                colours.push(vertex_colour(words));
            }
            Some("vt") => uvs.push(parse_uv(words, line)?),
            Some("vn") => normals.given.push(point(&mut words, line)?.map(|part| part as f32)),
            Some("f") => {
                corner_uvs.clear();
                corner_uvs.extend(words.clone().map(|word| corner_uv(word, &uvs)));
                parse_face(words.clone(), line, mesh.positions.len(), &mut corners)?;
                normals.note(words, &corners);
                let begin = mesh.triangles.len();
                triangulate(&mesh.positions, &corners, &mut mesh.triangles)
                    .map_err(|what| LineError::new(line, what))?;
                let uv = |vertex: u32| {
                    let corner = corners.iter().position(|corner| *corner == vertex);
                    corner.map_or([0.0; 2], |corner| corner_uvs[corner])
                };
                // Looking corners up grows with the square of their number.
                if !uvs.is_empty() && corners.len() <= LOOKED_UP {
                    mesh.corner_uvs.resize(begin, [[0.0; 2]; 3]);
                    mesh.corner_uvs.extend(mesh.triangles[begin..].iter().map(|triangle| triangle.map(uv)));
                }
                named.of_triangle.resize(mesh.triangles.len(), material);
                groups.add(&corners);
                faces += 1;
            }
            Some("mtllib") => named.add_library(words.collect::<Vec<_>>().join(" ")),
            Some("usemtl") => material = named.number(&words.collect::<Vec<_>>().join(" ")),
            Some("g") => groups.choose(words.collect(), line)?,
            Some("o") => groups.choose_object(&words.collect::<Vec<_>>().join(" ")),
            _ => {}
        }
        last_line = line;
    }
    if faces == 0 {
        return Err(LineError::new(last_line, "the file has no faces (lines that begin with f)"));
    }
    if !mesh.corner_uvs.is_empty() {
        mesh.corner_uvs.resize(mesh.triangles.len(), [[0.0; 2]; 3]);
    }
    mesh.normals = normals.of_vertices(mesh.positions.len());
    mesh.colours = colours::of_all(&colours);
    mesh.sets = groups.into_sets();
    Ok(mesh)
}

/// What stands behind a vertex's coordinates: a weight, a colour, or both.
fn vertex_colour<'a>(words: impl Iterator<Item = &'a str>) -> colours::Rgb {
    let numbers: Vec<f32> = words.map_while(|word| word.parse().ok()).take(4).collect();
    match numbers.len() {
        3 => colours::of_numbers(&numbers),
        4 => colours::of_numbers(&numbers[1..]),
        _ => None,
    }
}

/// Normals that were given, and which of them the vertices have.
#[derive(Default)]
struct Normals {
    given: Vec<[f32; 3]>,
    /// Of each vertex, counted from 1; 0 where none was named.
    of_vertex: Vec<u32>,
    /// A vertex has two, or a corner none.
    is_mixed: bool,
}

impl Normals {
    fn note<'a>(&mut self, words: impl Iterator<Item = &'a str>, corners: &[u32]) {
        if self.given.is_empty() || self.is_mixed {
            return;
        }
        for (word, &vertex) in words.zip(corners) {
            let number: i64 = word.split('/').nth(2).and_then(|number| number.parse().ok()).unwrap_or_default();
            let index = if number > 0 { number - 1 } else { number.saturating_add(self.given.len() as i64) };
            let known = usize::try_from(index).ok().filter(|index| number != 0 && *index < self.given.len());
            let Some(index) = known else {
                self.is_mixed = true;
                return;
            };
            let vertex = vertex as usize;
            if self.of_vertex.len() <= vertex {
                self.of_vertex.resize(vertex + 1, 0);
            }
            let before = self.of_vertex[vertex];
            // Exporters repeat equal normals under several numbers.
            self.is_mixed |= before != 0 && self.given[before as usize - 1] != self.given[index];
            self.of_vertex[vertex] = index as u32 + 1;
        }
    }

    fn of_vertices(&self, vertex_count: usize) -> Vec<[f32; 3]> {
        if self.is_mixed || self.of_vertex.is_empty() {
            return Vec::new();
        }
        let unit = |n: [f32; 3]| {
            let length = (n[0] * n[0] + n[1] * n[1] + n[2] * n[2]).sqrt();
            if length > 0.0 && length.is_finite() { n.map(|part| part / length) } else { [0.0, 1.0, 0.0] }
        };
        let of = |vertex: usize| self.of_vertex.get(vertex).copied().filter(|number| *number > 0);
        (0..vertex_count)
            .map(|v| of(v).map_or([0.0, 1.0, 0.0], |number| unit(self.given[number as usize - 1])))
            .collect()
    }
}

/// Faces of more corners have no texture coordinates here: round lids, whose texture nobody painted.
const LOOKED_UP: usize = 500;

fn parse_uv<'a>(mut words: impl Iterator<Item = &'a str>, line: usize) -> Result<[f32; 2], LineError> {
    let mut next = |default: Option<&'static str>| {
        let missing = || LineError::new(line, "the u of a texture coordinate is missing");
        number(words.next().or(default).ok_or_else(missing)?, line).map(|number| number as f32)
    };
    Ok([next(None)?, next(Some("0"))?])
}

/// The texture coordinate that `v/vt` or `v/vt/vn` names.
fn corner_uv(word: &str, uvs: &[[f32; 2]]) -> [f32; 2] {
    let number: i64 = word.split('/').nth(1).and_then(|number| number.parse().ok()).unwrap_or_default();
    let index = if number > 0 { number - 1 } else { number.saturating_add(uvs.len() as i64) };
    usize::try_from(index).ok().and_then(|index| uvs.get(index)).copied().unwrap_or_default()
}

/// Lines with continuations joined, under the number of their first.
fn joined_lines(bytes: &[u8]) -> impl Iterator<Item = (usize, Cow<'_, str>)> {
    let mut lines = lines(bytes);
    std::iter::from_fn(move || {
        let (line, text) = lines.next()?;
        if !text.ends_with('\\') {
            return Some((line, text));
        }
        let mut joined = text.into_owned();
        while joined.ends_with('\\') {
            joined.pop();
            joined.push(' ');
            if let Some((_, next)) = lines.next() {
                joined.push_str(&next);
            }
        }
        Some((line, Cow::Owned(joined)))
    })
}

fn parse_face<'a>(
    words: impl Iterator<Item = &'a str>,
    line: usize,
    vertex_count: usize,
    corners: &mut Vec<u32>,
) -> Result<(), LineError> {
    corners.clear();
    for word in words {
        corners.push(parse_corner(word, line, vertex_count)?);
    }
    if corners.len() < 3 {
        let what = format!("a face needs at least 3 corners, this one has {}", corners.len());
        return Err(LineError::new(line, what));
    }
    Ok(())
}

/// The vertex of `v`, `v/vt`, `v//vn` or `v/vt/vn`.
fn parse_corner(word: &str, line: usize, vertex_count: usize) -> Result<u32, LineError> {
    let vertex = word.split('/').next().unwrap_or_default();
    let number: i64 = vertex
        .parse()
        .map_err(|_| LineError::new(line, format!("expected a vertex number, found {vertex:?} in {word:?}")))?;
    let index = if number > 0 { number - 1 } else { number.saturating_add(vertex_count as i64) };
    if number == 0 || index < 0 || index >= vertex_count as i64 {
        let what =
            format!("vertex {number} is not one of the {vertex_count} given so far (1 to {vertex_count}, or negative)");
        return Err(LineError::new(line, what));
    }
    u32::try_from(index).map_err(|_| LineError::new(line, "more than 4 294 967 295 vertices"))
}

/// Vertices by the groups that were chosen when their faces were given.
#[derive(Default)]
struct Groups {
    /// In the order of the file.
    names: Vec<String>,
    place: BTreeMap<String, usize>,
    vertices: Vec<Vec<u32>>,
    object: Option<usize>,
    chosen: Vec<usize>,
}

impl Groups {
    fn choose(&mut self, names: Vec<&str>, line: usize) -> Result<(), LineError> {
        if names.len() > GROUPS_OF_A_FACE {
            let what = format!("{} groups at once; at most {GROUPS_OF_A_FACE} are read", names.len());
            return Err(LineError::new(line, what));
        }
        self.chosen = names.into_iter().map(|name| self.group(name)).collect();
        Ok(())
    }

    fn choose_object(&mut self, name: &str) {
        self.object = Some(self.group(name));
    }

    fn group(&mut self, name: &str) -> usize {
        if let Some(&place) = self.place.get(name) {
            return place;
        }
        self.place.insert(name.to_owned(), self.names.len());
        self.names.push(name.to_owned());
        self.vertices.push(Vec::new());
        self.names.len() - 1
    }

    fn add(&mut self, corners: &[u32]) {
        for &group in self.chosen.iter().chain(self.object.iter().filter(|object| !self.chosen.contains(object))) {
            self.vertices[group].extend_from_slice(corners);
        }
    }

    fn into_sets(self) -> Vec<VertexSet> {
        let sets = self.names.into_iter().zip(self.vertices).filter(|(_, vertices)| !vertices.is_empty());
        sets.map(|(name, mut vertices)| {
            vertices.sort_unstable();
            vertices.dedup();
            VertexSet { name, vertices }
        })
        .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faces_groups_negative_numbers_and_continued_lines_are_read() {
        let text = "o thing\nv 0 0 0\nv 1 0 0 # corner\nv 1 1 0\nv 0 1 0 1.0 0.5 0.5 0.5\nvt 0 0\nvn 0 0 1\ng left top\n\
            f 1/1/1 2//1 3/1 \\\n 4\ng right\nusemtl red\nf -4 -3 -2\n";
        let mesh = parse(text.as_bytes()).unwrap();
        assert_eq!(mesh.positions.len(), 4);
        assert!(mesh.colours.is_empty(), "one vertex of four has a colour");
        assert_eq!(mesh.triangles.len(), 3);
        assert_eq!(mesh.triangles[2], [0, 1, 2]);
        let sets: Vec<_> = mesh.sets.iter().map(|set| (set.name.as_str(), set.vertices.len())).collect();
        assert_eq!(sets, [("thing", 4), ("left", 4), ("top", 4), ("right", 3)]);
    }

    #[test]
    fn colours_behind_coordinates_are_read() {
        let text = "v 0 0 0 1 0 0\nv 1 0 0 0 1 0\nv 1 1 0 0 0.5 1\nf 1 2 3\n";
        assert_eq!(parse(text.as_bytes()).unwrap().colours, [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.5, 1.0]]);
        let weighted = "v 0 0 0 1\nv 1 0 0 1\nv 1 1 0 1\nf 1 2 3\n";
        assert!(parse(weighted.as_bytes()).unwrap().colours.is_empty());
    }

    #[test]
    fn faults_are_named_with_their_line() {
        let fault = |text: &str| parse(text.as_bytes()).unwrap_err().to_string();
        assert_eq!(fault("v 0 0\n"), "line 1: the z of a vertex is missing");
        assert_eq!(fault("v 0 0 inf\n"), "line 1: \"inf\" is not a finite number");
        let square = "v 0 0 0\nv 1 0 0\nv 1 1 0\n";
        for (face, what) in [
            ("f 1 2", "a face needs at least 3 corners, this one has 2"),
            ("f 1 2 x", "expected a vertex number, found \"x\" in \"x\""),
            ("f 1 2 /3", "expected a vertex number, found \"\" in \"/3\""),
            ("f 1 2 4", "vertex 4 is not one of the 3 given so far (1 to 3, or negative)"),
            ("f 1 2 0", "vertex 0 is not one of the 3 given so far (1 to 3, or negative)"),
            ("f 1 2 -4", "vertex -4 is not one of the 3 given so far (1 to 3, or negative)"),
            (
                "f 1 2 -9223372036854775808",
                "vertex -9223372036854775808 is not one of the 3 given so far (1 to 3, or negative)",
            ),
        ] {
            assert_eq!(fault(&format!("{square}{face}\n")), format!("line 4: {what}"));
        }
        assert!(fault(square).starts_with("line 3: the file has no faces"));
        assert_eq!(fault(&format!("g{}", " a".repeat(65))), "line 1: 65 groups at once; at most 64 are read");
    }
}
