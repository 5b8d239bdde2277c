//! Materials and images of a glTF file.

use super::Document;
use crate::Dir;
use crate::{Alpha, FormatError, Image, Looks, Material, TextureUse, base64};
use serde_json::Value;

impl Document {
    /// All materials, with the images that can be read: a picture that is missing costs its texture, not the file.
    pub(crate) fn looks(&self, folder: Option<&Dir>) -> Result<Looks, FormatError> {
        let mut looks = Looks::default();
        let images: Vec<Option<u32>> = self
            .list("images")
            .iter()
            .map(|image| {
                looks.images.push(Image::new(self.image_bytes(image, folder)?)?);
                Some(looks.images.len() as u32 - 1)
            })
            .collect();
        for (index, material) in self.list("materials").iter().enumerate() {
            looks.materials.push(self.material(material, index, &images));
        }
        Ok(looks)
    }

    fn image_bytes(&self, image: &Value, folder: Option<&Dir>) -> Option<Vec<u8>> {
        if let Some(uri) = image["uri"].as_str() {
            return match uri.strip_prefix("data:") {
                Some(data) => base64::decode(data.split_once(";base64,")?.1.as_bytes()).ok(),
                None => super::external(uri, folder).ok(),
            };
        }
        self.view_bytes(&image["bufferView"]).map(<[u8]>::to_vec)
    }

    fn material(&self, material: &Value, index: usize, images: &[Option<u32>]) -> Material {
        let pbr = &material["pbrMetallicRoughness"];
        let number = |of: &Value, default: f32| of.as_f64().map_or(default, |number| (number as f32).clamp(0.0, 1.0));
        let image = |texture: &Value| {
            let texture = self.list("textures").get(texture["index"].as_u64()? as usize)?;
            *images.get(texture["source"].as_u64()? as usize)?
        };
        let textures = TextureUse::ALL.into_iter().filter_map(|of| {
            let texture = match of {
                TextureUse::BaseColour => &pbr["baseColorTexture"],
                TextureUse::MetallicRoughness => &pbr["metallicRoughnessTexture"],
                TextureUse::Normal => &material["normalTexture"],
                TextureUse::Occlusion => &material["occlusionTexture"],
                TextureUse::Emissive => &material["emissiveTexture"],
            };
            Some((of, image(texture)?))
        });
        Material {
            name: material["name"].as_str().map_or_else(|| format!("material {index}"), str::to_owned),
            base_colour: std::array::from_fn(|i| number(&pbr["baseColorFactor"][i], 1.0)),
            metallic: number(&pbr["metallicFactor"], 1.0),
            roughness: number(&pbr["roughnessFactor"], 1.0),
            emissive: std::array::from_fn(|i| number(&material["emissiveFactor"][i], 0.0)),
            alpha: match material["alphaMode"].as_str() {
                Some("MASK") => Alpha::Mask(number(&material["alphaCutoff"], 0.5)),
                Some("BLEND") => Alpha::Blend,
                _ => Alpha::Opaque,
            },
            is_double_sided: material["doubleSided"].as_bool() == Some(true),
            textures: textures.collect(),
        }
    }
}
