//! Vertices as glTF wants them: one texture coordinate each, so that a vertex on a seam is written once a side.

use super::{Bin, Part};
use crate::clip::{ClipBody, WriteError};
use serde_json::{Map, Value, json};
use std::collections::HashMap;

pub(super) struct Layout {
    /// For each written vertex, the body's.
    pub(super) source: Vec<u32>,
    pub(super) triangles: Vec<[u32; 3]>,
    pub(super) uvs: Vec<[f32; 2]>,
    /// Materials, each with its triangles.
    parts: Vec<(Option<u32>, Vec<u32>)>,
}

impl Layout {
    /// The body's own order; where there are seams, the further sides come last.
    pub(super) fn of(body: &ClipBody) -> Self {
        let source: Vec<u32> = (0..body.vertex_count as u32).collect();
        let parts = body.looks.parts(body.triangles.len());
        let mut layout = Self { source, triangles: body.triangles.clone(), uvs: Vec::new(), parts };
        if body.corner_uvs.is_empty() {
            return layout;
        }
        layout.uvs = vec![[0.0; 2]; body.vertex_count];
        let mut first: Vec<Option<[u32; 2]>> = vec![None; body.vertex_count];
        let mut further: HashMap<(u32, [u32; 2]), u32> = HashMap::new();
        for (triangle, uvs) in layout.triangles.iter_mut().zip(&body.corner_uvs) {
            for (corner, uv) in triangle.iter_mut().zip(uvs) {
                let bits = uv.map(f32::to_bits);
                let vertex = *corner;
                let taken = *first[vertex as usize].get_or_insert(bits);
                if taken != bits {
                    *corner = *further.entry((vertex, bits)).or_insert_with(|| {
                        layout.source.push(vertex);
                        layout.uvs.push([0.0; 2]);
                        layout.source.len() as u32 - 1
                    });
                }
                // glTF counts v from the top.
                layout.uvs[*corner as usize] = [uv[0], 1.0 - uv[1]];
            }
        }
        layout
    }

    pub(super) fn spread(&self, values: &[[f32; 3]]) -> Vec<[f32; 3]> {
        self.source.iter().map(|vertex| values[*vertex as usize]).collect()
    }

    /// Writes the mesh in one pose: its attributes, and the indices of each material's part.
    pub(super) fn place(
        &self,
        points: &[[f32; 3]],
        normals: &[[f32; 3]],
        bin: &mut Bin,
    ) -> Result<(Map<String, Value>, Vec<Part>), WriteError> {
        let mut attributes = Map::new();
        attributes.insert("POSITION".into(), json!(bin.vectors(&self.spread(points), true)?));
        attributes.insert("NORMAL".into(), json!(bin.vectors(&self.spread(normals), false)?));
        if !self.uvs.is_empty() {
            attributes.insert("TEXCOORD_0".into(), json!(bin.uvs(&self.uvs)?));
        }
        let mut parts = Vec::new();
        for (material, triangles) in &self.parts {
            let corners: Vec<[u32; 3]> = triangles.iter().map(|t| self.triangles[*t as usize]).collect();
            parts.push(Part { material: *material, indices: bin.indices(&corners)? });
        }
        Ok((attributes, parts))
    }

    /// Writes one target: how points, and perhaps normals, differ from the mesh.
    pub(super) fn place_target(
        &self,
        points: &[[f32; 3]],
        normals: Option<&[[f32; 3]]>,
        bin: &mut Bin,
    ) -> Result<Value, WriteError> {
        let mut target = json!({ "POSITION": bin.vectors(&self.spread(points), true)? });
        if let Some(normals) = normals {
            target["NORMAL"] = json!(bin.vectors(&self.spread(normals), false)?);
        }
        Ok(target)
    }

    /// Bytes of so many targets.
    pub(super) fn target_bytes(&self, count: usize, normals: bool) -> u64 {
        12 * (self.source.len() * count * (1 + usize::from(normals))) as u64
    }
}
