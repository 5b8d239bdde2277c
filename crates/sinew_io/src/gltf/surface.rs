//! All triangles of a glTF scene as one surface in world coordinates; every node with a mesh is a set. A mesh with bones is
//! as they hold it at rest, which is what a viewer shows.

use super::rig::Bones;
use super::{Document, Transform};
use crate::Dir;
use crate::colours;
use crate::{FormatError, Looks, NO_MATERIAL, Rig, SurfaceFile, VertexSet, clip};
use serde_json::Value;
use sinew_math::DVec3;

/// A mesh may hang at many nodes. Beyond this many vertices per byte of the file, it is an attack and not a scene.
const VERTICES_PER_BYTE: usize = 4;

pub fn parse(bytes: &[u8], folder: Option<&Dir>) -> Result<SurfaceFile, FormatError> {
    let document = Document::parse(bytes, folder)?;
    let nodes = document.nodes()?;
    let mut world: Vec<Transform> = Vec::new();
    for node in &nodes {
        let parent = node.parent.map_or(Transform::IDENTITY, |parent| world[parent]);
        world.push(parent.after(node.parent_from_node()));
    }
    let mut made =
        Made { document: &document, surface: SurfaceFile::default(), rig: Rig::default(), colours: Vec::new() };
    made.surface.looks = document.looks(folder)?;
    for (node, at) in nodes.iter().zip(&world) {
        let Some(mesh) = &node.mesh else { continue };
        let begin = made.surface.positions.len();
        let mesh = document.entry("meshes", mesh)?;
        let bones = match &node.skin {
            Some(skin) => Some(document.bones(skin, &nodes, &world, &mut made.rig)?),
            None => None,
        };
        for primitive in mesh["primitives"].as_array().into_iter().flatten() {
            made.add_primitive(primitive, at, bones.as_ref())?;
        }
        let vertices = begin as u32..made.surface.positions.len() as u32;
        if !vertices.is_empty() {
            let name = if node.name.is_empty() { format!("node {}", node.index) } else { node.name.clone() };
            made.surface.sets.push(VertexSet { name, vertices: vertices.collect() });
        }
    }
    made.finish()
}

/// A surface as it grows, one primitive after the other.
struct Made<'a> {
    document: &'a Document,
    surface: SurfaceFile,
    rig: Rig,
    /// Of every vertex so far.
    colours: Vec<colours::Rgb>,
}

impl Made<'_> {
    fn add_primitive(
        &mut self,
        primitive: &Value,
        world: &Transform,
        bones: Option<&Bones>,
    ) -> Result<(), FormatError> {
        let document = self.document;
        let points = document.vectors::<3>(&primitive["attributes"]["POSITION"])?;
        let Some(triangles) = primitive_triangles(document, primitive, points.len())? else { return Ok(()) };
        let begin = self.surface.positions.len();
        let end = begin + points.len();
        if end > VERTICES_PER_BYTE * document.byte_count || u32::try_from(end).is_err() {
            return Err(document.wrong("the same meshes are repeated more often than a file of this size may"));
        }
        let attribute = |name: &str| primitive["attributes"].get(name);
        let uvs = attribute("TEXCOORD_0").map(|index| document.vectors::<2>(index)).transpose()?;
        let normals = attribute("NORMAL").map(|index| document.vectors::<3>(index)).transpose()?;
        let tints = attribute("COLOR_0").map(|index| document.colours(index)).transpose()?;
        let mut weights = document.vertex_weights(primitive, points.len())?;
        let surface = &mut self.surface;
        for (vertex, point) in points.iter().enumerate() {
            let at = bones.and_then(|bones| bones.hold(&mut weights[vertex])).unwrap_or(*world);
            surface.positions.push(at.apply(DVec3::from_array(point.map(f64::from))));
            let tint = tints.as_ref().and_then(|tints| tints.get(vertex));
            // Files say how much light there is, not how a screen shows it.
            self.colours.push(tint.map(|tint| tint.map(colours::as_shown)));
            let normal = normals.as_ref().and_then(|normals| normals.get(vertex)).copied().unwrap_or_default();
            let turned = at.linear.inverse().transpose() * DVec3::from_array(normal.map(f64::from));
            surface.normals.push(turned.try_normalize().unwrap_or_default().to_array().map(|part| part as f32));
        }
        self.rig.weights.extend(weights);
        // A transform that mirrors turns triangles inside out.
        let mirrored = bones.is_none() && world.linear.determinant() < 0.0;
        let turned = |[a, b, c]: [u32; 3]| if mirrored { [a, c, b] } else { [a, b, c] };
        // glTF counts v from the top.
        let uv = |corner: u32| {
            let uvs = uvs.as_ref().and_then(|uvs| uvs.get(corner as usize));
            uvs.map_or([f32::NAN; 2], |[u, v]| [*u, 1.0 - v])
        };
        let material = primitive["material"].as_u64().and_then(|material| u32::try_from(material).ok());
        let known = material.filter(|material| (*material as usize) < surface.looks.materials.len());
        for corners in triangles.into_iter().map(turned) {
            surface.corner_uvs.push(corners.map(uv));
            surface.triangles.push(corners.map(|corner| corner + begin as u32));
            surface.looks.of_triangle.push(known.unwrap_or(NO_MATERIAL));
        }
        Ok(())
    }

    /// What no primitive had is left out; what some lacked gets a value.
    fn finish(mut self) -> Result<SurfaceFile, FormatError> {
        let surface = &mut self.surface;
        if surface.triangles.is_empty() {
            return Err(self.document.wrong("the scene has no triangles"));
        }
        let is_given = |uv: &[f32; 2]| !uv[0].is_nan();
        if surface.corner_uvs.as_flattened().iter().any(is_given) {
            surface.corner_uvs.as_flattened_mut().iter_mut().filter(|uv| !is_given(uv)).for_each(|uv| *uv = [0.0; 2]);
        } else {
            surface.corner_uvs.clear();
        }
        if surface.normals.iter().all(|normal| *normal == [0.0; 3]) {
            surface.normals.clear();
        } else if surface.normals.contains(&[0.0; 3]) {
            let points: Vec<[f32; 3]> = surface.positions.iter().map(|x| x.to_array().map(|c| c as f32)).collect();
            let smooth = clip::smooth_normals(&points, &surface.triangles);
            let lacking = surface.normals.iter_mut().zip(smooth).filter(|(normal, _)| **normal == [0.0; 3]);
            lacking.for_each(|(normal, smooth)| *normal = smooth);
        }
        if surface.looks.of_triangle.iter().all(|material| *material == NO_MATERIAL) {
            surface.looks = Looks::default();
        }
        surface.colours = colours::of_all(&self.colours);
        // All white is no colour: exporters write it without being asked.
        if surface.colours.iter().all(|rgb| *rgb == [1.0; 3]) {
            surface.colours.clear();
        }
        surface.rig = (!self.rig.joints.is_empty()).then_some(self.rig);
        Ok(self.surface)
    }
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
