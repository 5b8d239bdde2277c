//! Materials of all bodies, with the images they use.

use super::super::usda::linear_of_screen;
use super::{Bin, Part};
use crate::clip::{ClipBody, WriteError};
use crate::{Alpha, Material, TextureUse};
use serde_json::{Value, json};

/// The lists of a document that materials need.
#[derive(Default)]
pub(super) struct Materials {
    pub(super) materials: Vec<Value>,
    pub(super) textures: Vec<Value>,
    pub(super) images: Vec<Value>,
}

impl Materials {
    /// Adds what a body uses; gives the material of each of its parts.
    pub(super) fn add(&mut self, body: &ClipBody, parts: &[Part], bin: &mut Bin) -> Result<Vec<usize>, WriteError> {
        let first_texture = self.textures.len();
        for image in &body.looks.images {
            let view = bin.image(&image.bytes)?;
            self.textures.push(json!({ "source": self.images.len() }));
            self.images.push(json!({ "bufferView": view, "mimeType": image.media_type() }));
        }
        let first = self.materials.len();
        self.materials.extend(body.looks.materials.iter().map(|material| document_of(material, first_texture)));
        let mut plain = None;
        let mut of_parts = Vec::new();
        for part in parts {
            of_parts.push(match part.material {
                Some(material) => first + material as usize,
                None => *plain.get_or_insert_with(|| {
                    self.materials.push(of_colour(body));
                    self.materials.len() - 1
                }),
            });
        }
        Ok(of_parts)
    }
}

/// For a body that came without materials.
fn of_colour(body: &ClipBody) -> Value {
    let [r, g, b] = body.colour.unwrap_or([0.8; 3]).map(|part| linear_of_screen(part.clamp(0.0, 1.0)));
    json!({
        "name": body.name,
        "pbrMetallicRoughness": { "baseColorFactor": [r, g, b, 1.0], "metallicFactor": 0.0, "roughnessFactor": 0.6 },
        "doubleSided": true,
    })
}

fn document_of(material: &Material, first_texture: usize) -> Value {
    let mut made = json!({
        "name": material.name,
        "pbrMetallicRoughness": {
            "baseColorFactor": material.base_colour,
            "metallicFactor": material.metallic,
            "roughnessFactor": material.roughness,
        },
        "emissiveFactor": material.emissive,
        "doubleSided": material.is_double_sided,
    });
    match material.alpha {
        Alpha::Opaque => {}
        Alpha::Mask(cutoff) => {
            made["alphaMode"] = json!("MASK");
            made["alphaCutoff"] = json!(cutoff);
        }
        Alpha::Blend => made["alphaMode"] = json!("BLEND"),
    }
    for (of, image) in &material.textures {
        let texture = json!({ "index": first_texture + *image as usize });
        match of {
            TextureUse::BaseColour => made["pbrMetallicRoughness"]["baseColorTexture"] = texture,
            TextureUse::MetallicRoughness => made["pbrMetallicRoughness"]["metallicRoughnessTexture"] = texture,
            TextureUse::Normal => made["normalTexture"] = texture,
            TextureUse::Occlusion => made["occlusionTexture"] = texture,
            TextureUse::Emissive => made["emissiveTexture"] = texture,
        }
    }
    made
}
