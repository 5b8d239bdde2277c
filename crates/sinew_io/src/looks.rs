//! How a surface looks, as its file says. Kept so that an export can give it back.

use std::collections::BTreeMap;
use std::sync::Arc;

/// In place of a material's number.
pub const NO_MATERIAL: u32 = u32::MAX;

/// Materials and the images they use.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Looks {
    pub materials: Vec<Material>,
    pub images: Vec<Image>,
    /// The material of each triangle, or [`NO_MATERIAL`]; empty where no triangle has one.
    pub of_triangle: Vec<u32>,
    /// Pictures and libraries that the file names and that could not be read: they cost their looks, not the file.
    pub missing: Vec<MissingPicture>,
}

/// A file of looks that could not be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MissingPicture {
    /// As it is named.
    pub name: String,
    pub why: String,
}

/// A surface in the metallic-roughness model of glTF.
#[derive(Debug, Clone, PartialEq)]
pub struct Material {
    pub name: String,
    /// Red, green and blue in light (not as a screen shows them), and opacity.
    pub base_colour: [f32; 4],
    pub metallic: f32,
    pub roughness: f32,
    pub emissive: [f32; 3],
    pub alpha: Alpha,
    pub is_double_sided: bool,
    /// Which image does what.
    pub textures: Vec<(TextureUse, u32)>,
}

impl Default for Material {
    fn default() -> Self {
        Self {
            name: String::new(),
            base_colour: [1.0; 4],
            metallic: 1.0,
            roughness: 1.0,
            emissive: [0.0; 3],
            alpha: Alpha::Opaque,
            is_double_sided: false,
            textures: Vec::new(),
        }
    }
}

/// What opacity means.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum Alpha {
    #[default]
    Opaque,
    /// Seen where opacity is at least this.
    Mask(f32),
    Blend,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TextureUse {
    BaseColour,
    MetallicRoughness,
    Normal,
    Occlusion,
    Emissive,
}

impl TextureUse {
    pub const ALL: [Self; 5] =
        [Self::BaseColour, Self::MetallicRoughness, Self::Normal, Self::Occlusion, Self::Emissive];
}

/// A picture file, byte for byte.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Image {
    pub is_jpeg: bool,
    pub bytes: Arc<[u8]>,
}

impl Image {
    /// A PNG or JPEG by its first bytes.
    pub fn new(bytes: impl Into<Arc<[u8]>>) -> Option<Self> {
        let bytes = bytes.into();
        let is_jpeg = bytes.starts_with(&[0xff, 0xd8, 0xff]);
        (is_jpeg || bytes.starts_with(b"\x89PNG\r\n\x1a\n")).then_some(Self { is_jpeg, bytes })
    }

    /// The same for a file that somebody brings: why it is none, in words. What claims more pixels than its bytes are worth is none either.
    pub(crate) fn brought(bytes: Vec<u8>) -> Result<Self, String> {
        let image = Self::new(bytes).ok_or("it is neither PNG nor JPEG")?;
        match image.claimed_size() {
            Some((width, height)) if !is_worth(width, height, image.bytes.len()) => {
                Err(format!("it says {width} × {height} pixels, more than its {} bytes are worth", image.bytes.len()))
            }
            _ => Ok(image),
        }
    }

    /// Width and height as its head says; none where that is damaged.
    fn claimed_size(&self) -> Option<(usize, usize)> {
        let number = |bytes: &[u8]| bytes.iter().fold(0usize, |sum, byte| sum << 8 | usize::from(*byte));
        if !self.is_jpeg {
            // The first chunk is the header: length, name, width, height.
            let head = self.bytes.get(12..24).filter(|head| head.starts_with(b"IHDR"))?;
            return Some((number(&head[4..8]), number(&head[8..12])));
        }
        // Segments of a marker and a length; the size stands in the start of a frame.
        let mut at = 2;
        loop {
            let segment = self.bytes.get(at..at + 9).filter(|segment| segment[0] == 0xff)?;
            let is_frame = (0xc0..=0xcf).contains(&segment[1]) && ![0xc4, 0xc8, 0xcc].contains(&segment[1]);
            if is_frame {
                return Some((number(&segment[7..9]), number(&segment[5..7])));
            }
            at += 2 + number(&segment[2..4]).max(2);
        }
    }

    pub fn media_type(&self) -> &'static str {
        if self.is_jpeg { "image/jpeg" } else { "image/png" }
    }

    pub fn extension(&self) -> &'static str {
        if self.is_jpeg { "jpg" } else { "png" }
    }
}

/// Whether a picture of this size is decoded. A thousand bytes of deflate or JPEG can say a million pixels, all of one colour:
/// beyond 4096 × 4096 the file has to be as large as pictures are.
pub fn is_worth(width: usize, height: usize, file_bytes: usize) -> bool {
    const FREE_PIXELS: usize = 4096 * 4096;
    const PIXELS_OF_A_BYTE: usize = 64;
    const MOST_PIXELS: usize = 16384 * 16384;
    let most = FREE_PIXELS.saturating_add(PIXELS_OF_A_BYTE.saturating_mul(file_bytes)).min(MOST_PIXELS);
    width.checked_mul(height).is_some_and(|pixels| pixels <= most)
}

impl Looks {
    /// Triangles by material, in the order of the materials; those without one last.
    pub fn parts(&self, triangle_count: usize) -> Vec<(Option<u32>, Vec<u32>)> {
        let material = |triangle: usize| self.of_triangle.get(triangle).copied().unwrap_or(NO_MATERIAL);
        let mut parts: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        for triangle in 0..triangle_count {
            parts.entry(material(triangle)).or_default().push(triangle as u32);
        }
        let part = |(number, triangles)| ((number != NO_MATERIAL).then_some(number), triangles);
        parts.into_iter().map(part).collect()
    }

    /// What is wrong with the numbers, if anything is.
    pub(crate) fn fault(&self, triangle_count: usize) -> Option<String> {
        if !self.of_triangle.is_empty() && self.of_triangle.len() != triangle_count {
            return Some(format!(
                "materials of {} triangles, of which there are {triangle_count}",
                self.of_triangle.len()
            ));
        }
        let count = self.materials.len() as u32;
        if let Some(wild) = self.of_triangle.iter().find(|m| **m >= count && **m != NO_MATERIAL) {
            return Some(format!("material {wild} of {count}"));
        }
        let used = self.materials.iter().flat_map(|material| &material.textures);
        let wild = used.map(|(_, image)| *image).find(|image| *image as usize >= self.images.len())?;
        Some(format!("image {wild} of {}", self.images.len()))
    }
}

/// Bones that a file binds a surface to, as they stand at rest.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Rig {
    pub joints: Vec<Joint>,
    /// Up to four joints of each vertex with their weights, which sum to 1; all zero where it hangs on none.
    pub weights: Vec<[(u32, f32); 4]>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Joint {
    pub name: String,
    pub parent: Option<u32>,
    /// Where it stands at rest.
    pub at: [f64; 3],
    /// How it is turned (and scaled) at rest, column by column.
    pub axes: [[f64; 3]; 3],
}

#[cfg(test)]
mod tests {
    use super::*;

    fn png(width: u32, height: u32) -> Vec<u8> {
        let head: [&[u8]; 4] =
            [b"\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR", &width.to_be_bytes(), &height.to_be_bytes(), &[8, 2]];
        head.concat()
    }

    /// A comment, then the start of a progressive frame.
    fn jpeg(width: u16, height: u16) -> Vec<u8> {
        let parts: [&[u8]; 5] = [
            &[0xff, 0xd8, 0xff, 0xfe, 0, 6, 1, 2, 3, 4],
            &[0xff, 0xc2, 0, 17, 8],
            &height.to_be_bytes(),
            &width.to_be_bytes(),
            &[3; 12],
        ];
        parts.concat()
    }

    #[test]
    fn pictures_that_claim_more_than_their_bytes_are_worth_are_refused_in_words() {
        assert!(Image::brought(png(4096, 4096)).is_ok() && Image::brought(jpeg(4000, 3000)).is_ok());
        for (bytes, size) in [(png(16384, 16384), "16384 × 16384"), (jpeg(60000, 20000), "60000 × 20000")] {
            let why = Image::brought(bytes).unwrap_err();
            assert!(why.contains(size) && why.contains("bytes are worth"), "{why}");
        }
        assert_eq!(Image::brought(b"GIF89a".to_vec()).unwrap_err(), "it is neither PNG nor JPEG");
        // Heads that end early say nothing, and decoders find out.
        for end in 8..24 {
            assert!(Image::brought(png(9, 9)[..end].to_vec()).is_ok());
        }
        for end in 3..20 {
            assert!(Image::brought(jpeg(9, 9)[..end].to_vec()).is_ok());
        }
    }
}
