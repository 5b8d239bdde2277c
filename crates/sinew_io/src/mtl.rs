//! Materials of Wavefront OBJ files: colours and pictures of `.mtl` libraries beside them.
//!
//! Read: `newmtl`, `Kd`, `d`, `Tr` and `map_Kd`, whose options are passed over. A library or a picture that is missing
//! costs its looks, not the file. Old-style shininess is nothing that the metallic-roughness model knows: everything is
//! matt.

use crate::{Dir, Image, Looks, Material, MissingPicture, NO_MATERIAL, TextureUse};
use std::collections::{HashMap, HashSet};
use std::path::Path;

/// More than any library; what is larger is some other file.
const LARGEST_BYTES: u64 = 256 << 20;

/// Libraries that an OBJ file names, in order, and the materials by name that faces use.
#[derive(Debug, Default)]
pub(crate) struct Named {
    libraries: Vec<String>,
    materials: Vec<String>,
    /// Places in `materials`.
    places: HashMap<String, u32>,
    /// The material of each triangle by its place in `materials`.
    pub(crate) of_triangle: Vec<u32>,
}

impl Named {
    /// A library, each once however often it is named.
    pub(crate) fn add_library(&mut self, name: String) {
        if self.libraries.len() < MOST_LIBRARIES && !self.libraries.contains(&name) {
            self.libraries.push(name);
        }
    }

    /// The number of a material, which is noted where it is new.
    pub(crate) fn number(&mut self, name: &str) -> u32 {
        if let Some(known) = self.places.get(name) {
            return *known;
        }
        let place = self.materials.len() as u32;
        self.materials.push(name.to_owned());
        self.places.insert(name.to_owned(), place);
        place
    }

    /// What the libraries in `folder` say of them.
    pub(crate) fn looks(self, folder: Option<&Dir>) -> Looks {
        let mut library = Library::default();
        let Some(folder) = folder.filter(|_| self.of_triangle.iter().any(|number| *number != NO_MATERIAL)) else {
            return library.looks;
        };
        for name in &self.libraries {
            match folder.read_named(Path::new(name), LARGEST_BYTES) {
                Ok(bytes) => library.parse(&String::from_utf8_lossy(&bytes), folder),
                Err(error) => {
                    library.looks.missing.push(MissingPicture { name: name.clone(), why: error.to_string() });
                }
            }
        }
        let Library { mut looks, materials, places, .. } = library;
        if materials.is_empty() {
            return looks;
        }
        let matt = |name: &String| Material { name: name.clone(), metallic: 0.0, ..Material::default() };
        let known = |name: &String| places.get(name).map(|place| materials[*place].clone());
        looks.materials = self.materials.iter().map(|name| known(name).unwrap_or_else(|| matt(name))).collect();
        looks.of_triangle = self.of_triangle;
        looks
    }
}

/// Libraries of one file.
const MOST_LIBRARIES: usize = 64;

/// What libraries say.
#[derive(Default)]
struct Library {
    looks: Looks,
    materials: Vec<Material>,
    /// The first material of each name.
    places: HashMap<String, usize>,
    /// Pictures by name, each read once however many materials use it; none where it could not be.
    pictures: HashMap<String, Option<u32>>,
}

impl Library {
    fn parse(&mut self, text: &str, folder: &Dir) {
        for line in text.lines() {
            let (word, rest) = line.trim().split_once(char::is_whitespace).unwrap_or((line.trim(), ""));
            let rest = rest.trim();
            if word == "newmtl" {
                self.places.entry(rest.to_owned()).or_insert(self.materials.len());
                self.materials.push(Material { name: rest.to_owned(), metallic: 0.0, ..Material::default() });
                continue;
            }
            let image = if word == "map_Kd" { picture(rest).and_then(|name| self.image(name, folder)) } else { None };
            let Some(material) = self.materials.last_mut() else { continue };
            let mut numbers = rest.split_whitespace().map_while(|word| word.parse::<f32>().ok());
            match (word, image) {
                ("Kd", _) => {
                    let red = numbers.next().unwrap_or(1.0);
                    // Kd is written as a screen shows it.
                    let rgb = [red, numbers.next().unwrap_or(red), numbers.next().unwrap_or(red)].map(in_light);
                    material.base_colour[..3].copy_from_slice(&rgb);
                }
                ("d", _) => material.base_colour[3] = numbers.next().unwrap_or(1.0).clamp(0.0, 1.0),
                ("Tr", _) => material.base_colour[3] = 1.0 - numbers.next().unwrap_or(0.0).clamp(0.0, 1.0),
                ("map_Kd", Some(image)) => {
                    material.textures = vec![(TextureUse::BaseColour, image)];
                    // Exporters leave Kd dark where a picture has the colour.
                    material.base_colour = [1.0, 1.0, 1.0, material.base_colour[3]];
                }
                _ => {}
            }
        }
    }

    /// The number of a picture in `folder`, or beside it where the library names a folder that was not brought along.
    fn image(&mut self, name: String, folder: &Dir) -> Option<u32> {
        if let Some(known) = self.pictures.get(&name) {
            return *known;
        }
        let read = |name: &str| folder.read_named(Path::new(name), LARGEST_BYTES);
        let bytes = read(&name).or_else(|error| read(beside(&name)).map_err(|_| error));
        let image = bytes.map_err(|error| error.to_string()).and_then(Image::brought);
        let number = match image {
            Ok(image) => {
                self.looks.images.push(image);
                Some(self.looks.images.len() as u32 - 1)
            }
            Err(why) => {
                self.looks.missing.push(MissingPicture { name: name.clone(), why });
                None
            }
        };
        self.pictures.insert(name, number);
        number
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
    let mut libraries = words(&String::from_utf8_lossy(obj), "mtllib ");
    let mut seen = HashSet::new();
    libraries.retain(|name| seen.insert(name.clone()));
    libraries.truncate(MOST_LIBRARIES);
    let pictures = libraries.iter().filter_map(|name| read(name)).flat_map(|bytes| {
        let named = words(&String::from_utf8_lossy(&bytes), "map_Kd ");
        let pictures = named.into_iter().filter_map(|rest| picture(&rest));
        pictures.flat_map(|name| [beside(&name).to_owned(), name]).collect::<Vec<_>>()
    });
    let mut files: Vec<String> = pictures.collect();
    files.splice(0..0, libraries);
    let mut seen = HashSet::new();
    files.retain(|name| seen.insert(name.clone()));
    files
}

fn in_light(shown: f32) -> f32 {
    let shown = shown.clamp(0.0, 1.0);
    if shown <= 0.040_45 { shown / 12.92 } else { ((shown + 0.055) / 1.055).powf(2.4) }
}
