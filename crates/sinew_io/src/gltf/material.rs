//! Materials and images of a glTF file.

use super::Document;
use crate::Dir;
use crate::{Alpha, FormatError, Image, Looks, Material, MissingPicture, TextureUse};
use serde_json::Value;
use std::collections::HashMap;

impl Document {
    /// All materials, with the images that can be read: a picture that is missing costs its texture, not the file.
    pub(crate) fn looks(&self, folder: Option<&Dir>) -> Result<Looks, FormatError> {
        let mut looks = Looks::default();
        let images = self.images(folder, &mut looks);
        for (index, material) in self.list("materials").iter().enumerate() {
            looks.materials.push(self.material(material, index, &images));
        }
        Ok(looks)
    }

    /// Numbers of the images in `looks`, each read once however often it is listed; none for those that cannot be read.
    fn images(&self, folder: Option<&Dir>, looks: &mut Looks) -> Vec<Option<u32>> {
        let mut known: HashMap<String, Option<u32>> = HashMap::new();
        let mut number = |(place, image): (usize, &Value)| {
            let uri = image["uri"].as_str();
            let key = uri.map_or_else(|| format!("view {}", image["bufferView"]), str::to_owned);
            if let Some(known) = known.get(&key) {
                return *known;
            }
            let name = uri.filter(|uri| !uri.starts_with("data:"));
            let name = name.map_or_else(|| format!("image {place}"), super::decoded);
            let read = self.image_bytes(image, folder).and_then(Image::brought);
            let number = match read {
                Ok(image) => {
                    looks.images.push(image);
                    Some(looks.images.len() as u32 - 1)
                }
                Err(why) => {
                    looks.missing.push(MissingPicture { name, why });
                    None
                }
            };
            known.insert(key, number);
            number
        };
        self.list("images").iter().enumerate().map(&mut number).collect()
    }

    fn image_bytes(&self, image: &Value, folder: Option<&Dir>) -> Result<Vec<u8>, String> {
        match image["uri"].as_str() {
            Some(uri) => super::external(uri, folder).map_err(super::Unread::told),
            None => {
                let inside = self.view_bytes(&image["bufferView"]);
                inside.map(<[u8]>::to_vec).ok_or_else(|| "it has no data".to_owned())
            }
        }
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
