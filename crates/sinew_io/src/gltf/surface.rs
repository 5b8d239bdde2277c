//! All triangles of a glTF scene as one surface in world coordinates; every node with a mesh is a set.

use super::{Document, Transform};
use crate::{FormatError, SurfaceFile, VertexSet};
use serde_json::Value;
use sinew_math::DVec3;
use std::path::Path;

/// A mesh may hang at many nodes. Beyond this many vertices per byte of the file, it is an attack and not a scene.
const VERTICES_PER_BYTE: usize = 4;

pub fn parse(bytes: &[u8], folder: Option<&Path>) -> Result<SurfaceFile, FormatError> {
    let document = Document::parse(bytes, folder)?;
    let nodes = document.nodes()?;
    let mut surface = SurfaceFile::default();
    let mut world: Vec<Transform> = Vec::new();
    let mut with_uvs = false;
    for node in &nodes {
        let parent = node.parent.map_or(Transform::IDENTITY, |parent| world[parent]);
        world.push(parent.after(node.parent_from_node()));
        let Some(mesh) = &node.mesh else { continue };
        let begin = surface.positions.len();
        let mesh = document.entry("meshes", mesh)?;
        for primitive in mesh["primitives"].as_array().into_iter().flatten() {
            with_uvs |= add_primitive(&document, primitive, &world[world.len() - 1], &mut surface)?;
        }
        if surface.positions.len() > begin {
            let name = if node.name.is_empty() { format!("node {}", node.index) } else { node.name.clone() };
            surface.sets.push(VertexSet { name, vertices: (begin as u32..surface.positions.len() as u32).collect() });
        }
    }
    if surface.triangles.is_empty() {
        return Err(document.wrong("the scene has no triangles"));
    }
    if !with_uvs {
        surface.corner_uvs.clear();
    }
    Ok(surface)
}

/// Appends a primitive; says whether it had texture coordinates.
fn add_primitive(
    document: &Document,
    primitive: &Value,
    world: &Transform,
    surface: &mut SurfaceFile,
) -> Result<bool, FormatError> {
    let points = document.vectors::<3>(&primitive["attributes"]["POSITION"])?;
    let Some(triangles) = primitive_triangles(document, primitive, points.len())? else { return Ok(false) };
    let begin = surface.positions.len();
    if begin + points.len() > VERTICES_PER_BYTE * document.byte_count || u32::try_from(begin + points.len()).is_err() {
        return Err(document.wrong("the same meshes are repeated more often than a file of this size may"));
    }
    let uvs = match primitive["attributes"].get("TEXCOORD_0") {
        Some(index) => document.vectors::<2>(index)?,
        None => Vec::new(),
    };
    surface.positions.extend(points.iter().map(|x| world.apply(DVec3::from_array(x.map(f64::from)))));
    // glTF counts v from the top.
    let uv = |corner: u32| uvs.get(corner as usize).map_or([0.0; 2], |[u, v]| [*u, 1.0 - v]);
    surface.corner_uvs.extend(triangles.iter().map(|corners| corners.map(uv)));
    // A transform that mirrors turns triangles inside out.
    let mirrored = world.linear.determinant() < 0.0;
    let shifted = triangles.iter().map(|corners| corners.map(|corner| corner + begin as u32));
    surface.triangles.extend(shifted.map(|[a, b, c]| if mirrored { [a, c, b] } else { [a, b, c] }));
    if mirrored {
        let from = surface.corner_uvs.len() - triangles.len();
        surface.corner_uvs[from..].iter_mut().for_each(|uvs| uvs.swap(1, 2));
    }
    Ok(!uvs.is_empty())
}

/// Triangles of a list, strip or fan; none of points and lines.
pub(crate) fn primitive_triangles(
    document: &Document,
    primitive: &Value,
    vertex_count: usize,
) -> Result<Option<Vec<[u32; 3]>>, FormatError> {
    let corners = match primitive.get("indices") {
        Some(index) => document.indices(index)?,
        None => (0..vertex_count as u32).collect(),
    };
    if let Some(wild) = corners.iter().find(|corner| **corner as usize >= vertex_count) {
        return Err(document.wrong(format!("a triangle names vertex {wild} of {vertex_count}")));
    }
    Ok(match primitive["mode"].as_u64().unwrap_or(4) {
        4 => Some(corners.as_chunks::<3>().0.to_vec()),
        5 => {
            let turn = |(i, w): (usize, &[u32])| if i % 2 == 0 { [w[0], w[1], w[2]] } else { [w[0], w[2], w[1]] };
            Some(corners.windows(3).enumerate().map(turn).collect())
        }
        6 => Some(corners.get(1..).unwrap_or_default().windows(2).map(|w| [corners[0], w[0], w[1]]).collect()),
        _ => None,
    })
}
