//! Materials of Wavefront OBJ files: colours and pictures of `.mtl` libraries beside them.
//!
//! Read: `newmtl`, `Kd`, `d`, `Tr` and `map_Kd`, whose options are passed over. A library or a picture that is missing
//! costs its looks, not the file. Old-style shininess is nothing that the metallic-roughness model knows: everything is
//! matt.

use crate::{Dir, Image, Looks, Material, NO_MATERIAL, TextureUse};
use std::path::Path;

/// More than any library; what is larger is some other file.
const LARGEST_BYTES: u64 = 256 << 20;

/// Libraries that an OBJ file names, in order, and the materials by name that faces use.
#[derive(Debug, Default)]
pub(crate) struct Named {
    pub(crate) libraries: Vec<String>,
    pub(crate) materials: Vec<String>,
    /// The material of each triangle by its place in `materials`.
    pub(crate) of_triangle: Vec<u32>,
}

impl Named {
    /// The number of a material, which is noted where it is new.
    pub(crate) fn number(&mut self, name: &str) -> u32 {
        let known = self.materials.iter().position(|known| known == name);
        known.unwrap_or_else(|| {
            self.materials.push(name.to_owned());
            self.materials.len() - 1
        }) as u32
    }

    /// What the libraries in `folder` say of them.
    pub(crate) fn looks(self, folder: Option<&Dir>) -> Looks {
        let mut looks = Looks::default();
        let Some(folder) = folder.filter(|_| self.of_triangle.iter().any(|number| *number != NO_MATERIAL)) else {
            return looks;
        };
        let mut found: Vec<Material> = Vec::new();
        for library in &self.libraries {
            if let Ok(bytes) = folder.read_named(Path::new(library), LARGEST_BYTES) {
                parse(&String::from_utf8_lossy(&bytes), folder, &mut looks.images, &mut found);
            }
        }
        if found.is_empty() {
            return looks;
        }
        let matt = |name: &String| Material { name: name.clone(), metallic: 0.0, ..Material::default() };
        let material = |name: &String| found.iter().find(|m| m.name == *name).cloned().unwrap_or_else(|| matt(name));
        looks.materials = self.materials.iter().map(material).collect();
        looks.of_triangle = self.of_triangle;
        looks
    }
}

fn parse(text: &str, folder: &Dir, images: &mut Vec<Image>, found: &mut Vec<Material>) {
    for line in text.lines() {
        let (word, rest) = line.trim().split_once(char::is_whitespace).unwrap_or((line.trim(), ""));
        let rest = rest.trim();
        if word == "newmtl" {
            found.push(Material { name: rest.to_owned(), metallic: 0.0, ..Material::default() });
            continue;
        }
        let Some(material) = found.last_mut() else { continue };
        let mut numbers = rest.split_whitespace().map_while(|word| word.parse::<f32>().ok());
        match word {
            "Kd" => {
                let red = numbers.next().unwrap_or(1.0);
                // Kd is written as a screen shows it.
                let rgb = [red, numbers.next().unwrap_or(red), numbers.next().unwrap_or(red)].map(in_light);
                material.base_colour[..3].copy_from_slice(&rgb);
            }
            "d" => material.base_colour[3] = numbers.next().unwrap_or(1.0).clamp(0.0, 1.0),
            "Tr" => material.base_colour[3] = 1.0 - numbers.next().unwrap_or(0.0).clamp(0.0, 1.0),
            "map_Kd" => {
                let image = picture(rest).and_then(|name| {
                    let read = |name: &str| folder.read_named(Path::new(name), LARGEST_BYTES).ok();
                    read(&name).or_else(|| read(beside(&name))).and_then(Image::new)
                });
                if let Some(image) = image {
                    images.push(image);
                    material.textures = vec![(TextureUse::BaseColour, images.len() as u32 - 1)];
                    // Exporters leave Kd dark where a picture has the colour.
                    material.base_colour = [1.0, 1.0, 1.0, material.base_colour[3]];
                }
            }
            _ => {}
        }
    }
}

/// The file of a texture statement: what follows its options.
fn picture(rest: &str) -> Option<String> {
    let words: Vec<&str> = rest.split_whitespace().collect();
    let mut first = 0;
    while words.get(first).is_some_and(|word| word.starts_with('-')) {
        first += 1;
        while words.get(first).is_some_and(|word| word.parse::<f32>().is_ok() || ["on", "off"].contains(word)) {
            first += 1;
        }
    }
    let name = words.get(first..)?.join(" ").replace('\\', "/");
    (!name.is_empty()).then_some(name)
}

/// Where a picture lies whose library names a folder that was not brought along.
fn beside(name: &str) -> &str {
    name.rsplit_once('/').map_or(name, |(_, file)| file)
}

/// The files that a library and its pictures lie in.
pub(crate) fn files_beside(obj: &[u8], read: impl Fn(&str) -> Option<Vec<u8>>) -> Vec<String> {
    let words = |text: &str, key: &str| -> Vec<String> {
        let after = |line: &str| line.trim().strip_prefix(key).map(|rest| rest.trim().to_owned());
        text.lines().filter_map(after).filter(|rest| !rest.is_empty()).collect()
    };
    let libraries = words(&String::from_utf8_lossy(obj), "mtllib ");
    let pictures = libraries.iter().filter_map(|name| read(name)).flat_map(|bytes| {
        let named = words(&String::from_utf8_lossy(&bytes), "map_Kd ");
        let pictures = named.into_iter().filter_map(|rest| picture(&rest));
        pictures.flat_map(|name| [beside(&name).to_owned(), name]).collect::<Vec<_>>()
    });
    let mut files: Vec<String> = pictures.collect();
    files.splice(0..0, libraries);
    files.dedup();
    files
}

fn in_light(shown: f32) -> f32 {
    let shown = shown.clamp(0.0, 1.0);
    if shown <= 0.040_45 { shown / 12.92 } else { ((shown + 0.055) / 1.055).powf(2.4) }
}
