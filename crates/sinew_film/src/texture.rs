//! The colours that an imported skin brings along, as one picture and where each corner of a triangle lies on it.
//!
//! A file may have many materials, each with a picture or a colour of its own. They are put below each other into one
//! picture, so that whoever draws needs one only. Pictures that repeat are cut to one copy: coordinates are moved by
//! whole numbers, triangle by triangle, and clamped.

use sinew_bake::Skin;
use sinew_geom::TriangleMesh;
use sinew_io::{Image, Looks, Material, NO_MATERIAL, TextureUse, is_worth};
use sinew_math::libm::powf;
use sinew_render::Rgb;
use std::collections::BTreeMap;

/// Larger pictures are shrunk to this width and height.
const LARGEST_PX: usize = 1024;
/// Side of what stands for a plain colour.
const PLAIN_PX: usize = 4;
/// Pictures of all materials together are not higher than this.
const MOST_ROWS: usize = 8192;

/// One picture for a whole skin.
#[derive(Debug, Clone, PartialEq)]
pub struct SkinTexture {
    pub width: usize,
    pub height: usize,
    /// Red, green and blue as a screen shows them, row by row from the top.
    pub pixels: Vec<[u8; 3]>,
    /// Where the corners of each triangle lie: from 0 to 1 to the right, and from the top down.
    pub corner_uvs: Vec<[[f32; 2]; 3]>,
}

/// One material's part of the picture.
#[derive(Clone)]
struct Tile {
    width: usize,
    height: usize,
    pixels: Vec<[u8; 3]>,
}

impl SkinTexture {
    /// None where the file says nothing of colours.
    pub fn of(skin: &Skin) -> Option<Self> {
        let looks = &skin.looks.as_ref()?.looks;
        // Colours of vertices say more than one colour of a material does.
        if !skin.vertex_colours.is_empty() && looks.images.is_empty() {
            return None;
        }
        let is_plain_white = |m: &Material| {
            m.base_colour[..3] == [1.0; 3] && !m.textures.iter().any(|(of, _)| *of == TextureUse::BaseColour)
        };
        if looks.materials.iter().all(is_plain_white) || looks.of_triangle.len() != skin.mesh.triangles.len() {
            return None;
        }
        // What has no material is as bright as what is plainly white.
        let plain = Tile { width: PLAIN_PX, height: PLAIN_PX, pixels: vec![[200; 3]; PLAIN_PX * PLAIN_PX] };
        // One by one: pictures that would not fit are not decoded.
        let (mut tiles, mut pictures) = (Vec::new(), BTreeMap::new());
        let mut rows = plain.height;
        for material in &looks.materials {
            let tile = Tile::of(looks, material, &mut pictures);
            rows += tile.height;
            if rows > MOST_ROWS {
                return None;
            }
            tiles.push(tile);
        }
        tiles.push(plain);
        let width = tiles.iter().map(|tile| tile.width).max()?;
        let mut pixels = Vec::new();
        let mut tops = Vec::new();
        for tile in &tiles {
            tops.push(pixels.len() / width);
            for row in tile.pixels.chunks(tile.width) {
                pixels.extend_from_slice(row);
                pixels.resize(pixels.len().next_multiple_of(width), row[tile.width - 1]);
            }
        }
        let height = pixels.len() / width;
        let uv = |(triangle, material): (usize, &u32)| {
            let number = if *material == NO_MATERIAL { tiles.len() - 1 } else { *material as usize };
            let given = skin.corner_uvs.get(triangle).copied().unwrap_or([[0.5; 2]; 3]);
            let (tile, top) = (&tiles[number], tops[number]);
            within(given).map(|[u, v]| {
                let inside = |share: f32, side: usize| (share * side as f32).clamp(0.5, side as f32 - 0.5);
                let (x, y) = (inside(u, tile.width), top as f32 + inside(1.0 - v, tile.height));
                [x / width as f32, y / height as f32]
            })
        };
        let corner_uvs = looks.of_triangle.iter().enumerate().map(uv).collect();
        Some(Self { width, height, pixels, corner_uvs })
    }

    /// A colour for each vertex: that of the last triangle at it.
    pub(crate) fn of_vertices(&self, mesh: &TriangleMesh) -> Vec<Rgb> {
        let mut colours = vec![Rgb(200, 200, 200); mesh.positions.len()];
        for (triangle, uvs) in mesh.triangles.iter().zip(&self.corner_uvs) {
            for (vertex, uv) in triangle.iter().zip(uvs) {
                let [r, g, b] = self.at(*uv).map(|c| c.round() as u8);
                colours[*vertex as usize] = Rgb(r, g, b);
            }
        }
        colours
    }

    /// The colour at a place, between the four pixels around it.
    pub fn at(&self, [u, v]: [f32; 2]) -> [f32; 3] {
        let (x, y) = (u * self.width as f32 - 0.5, v * self.height as f32 - 0.5);
        let clamped = |n: f32, side: usize| (n.max(0.0) as usize).min(side - 1);
        let (left, top) = (clamped(x.floor(), self.width), clamped(y.floor(), self.height));
        let (right, foot) = (clamped(x.floor() + 1.0, self.width), clamped(y.floor() + 1.0, self.height));
        let (s, t) = ((x - x.floor()).clamp(0.0, 1.0), (y - y.floor()).clamp(0.0, 1.0));
        let pixel = |x: usize, y: usize| self.pixels[y * self.width + x].map(f32::from);
        let [a, b, c, d] = [pixel(left, top), pixel(right, top), pixel(left, foot), pixel(right, foot)];
        std::array::from_fn(|n| (a[n] * (1.0 - s) + b[n] * s) * (1.0 - t) + (c[n] * (1.0 - s) + d[n] * s) * t)
    }
}

/// A triangle of a picture that repeats, moved into its first copy.
fn within(uvs: [[f32; 2]; 3]) -> [[f32; 2]; 3] {
    let shift: [f32; 2] = std::array::from_fn(|axis| {
        let middle = uvs.iter().map(|uv| uv[axis]).sum::<f32>() / 3.0;
        if middle.is_finite() { middle.floor() } else { 0.0 }
    });
    uvs.map(|uv| std::array::from_fn(|axis| (uv[axis] - shift[axis]).clamp(0.0, 1.0)))
}

impl Tile {
    /// `pictures` are those of earlier materials, by their numbers: several may share one.
    fn of(looks: &Looks, material: &Material, pictures: &mut BTreeMap<u32, Option<Self>>) -> Self {
        let picture = material.textures.iter().find(|(of, _)| *of == TextureUse::BaseColour);
        let decoded = picture.and_then(|(_, image)| {
            let known = pictures.entry(*image);
            known.or_insert_with(|| decoded(&looks.images[*image as usize]).map(Self::shrunk)).clone()
        });
        let mut tile = decoded.unwrap_or_else(|| Self {
            width: PLAIN_PX,
            height: PLAIN_PX,
            pixels: vec![[255; 3]; PLAIN_PX * PLAIN_PX],
        });
        let [r, g, b, _] = material.base_colour;
        if [r, g, b] != [1.0; 3] {
            let tables = [r, g, b].map(tinted);
            tile.pixels.iter_mut().for_each(|pixel| *pixel = std::array::from_fn(|n| tables[n][pixel[n] as usize]));
        }
        tile
    }

    /// Means over squares of pixels, until it is small enough.
    fn shrunk(self) -> Self {
        let by = self.width.div_ceil(LARGEST_PX).max(self.height.div_ceil(LARGEST_PX)).max(1);
        if by == 1 {
            return self;
        }
        let (width, height) = ((self.width / by).max(1), (self.height / by).max(1));
        let mean = |n: usize| {
            let (x, y) = (n % width * by, n / width * by);
            let around = (0..by * by).map(|k| {
                self.pixels[(y + k / by).min(self.height - 1) * self.width + (x + k % by).min(self.width - 1)]
            });
            let sum = around.fold([0u32; 3], |sum, pixel| std::array::from_fn(|c| sum[c] + u32::from(pixel[c])));
            sum.map(|total| (total / (by * by) as u32) as u8)
        };
        let pixels = (0..width * height).map(mean).collect();
        Self { width, height, pixels }
    }
}

/// What each byte becomes under a colour that is given in light.
fn tinted(by: f32) -> [u8; 256] {
    let light = |byte: usize| {
        let shown = byte as f32 / 255.0;
        if shown <= 0.040_45 { shown / 12.92 } else { powf((shown + 0.055) / 1.055, 2.4) }
    };
    let shown = |light: f32| {
        if light <= 0.003_130_8 { light * 12.92 } else { 1.055 * powf(light, 1.0 / 2.4) - 0.055 }
    };
    std::array::from_fn(|byte| (shown(light(byte) * by).clamp(0.0, 1.0) * 255.0).round() as u8)
}

/// The pixels of a picture file; none where it is damaged, or larger than any picture for a skin.
fn decoded(image: &Image) -> Option<Tile> {
    let (width, height, pixels) = if image.is_jpeg { jpeg(&image.bytes)? } else { png(&image.bytes)? };
    let fits = width > 0 && height > 0 && pixels.len() == width * height;
    fits.then_some(Tile { width, height, pixels })
}

type Decoded = (usize, usize, Vec<[u8; 3]>);

fn jpeg(bytes: &[u8]) -> Option<Decoded> {
    let mut decoder = zune_jpeg::JpegDecoder::new(std::io::Cursor::new(bytes));
    decoder.decode_headers().ok()?;
    let info = decoder.info()?;
    if !is_worth(info.width.into(), info.height.into(), bytes.len()) {
        return None;
    }
    let pixels = decoder.decode().ok()?;
    let info = decoder.info()?;
    let (width, height) = (usize::from(info.width), usize::from(info.height));
    Some((width, height, grouped(&pixels, pixels.len() / (width * height).max(1))?))
}

fn png(bytes: &[u8]) -> Option<Decoded> {
    let mut decoder = png::Decoder::new(std::io::Cursor::new(bytes));
    decoder.set_transformations(png::Transformations::normalize_to_color8());
    let mut reader = decoder.read_info().ok()?;
    let (width, height) = (reader.info().width as usize, reader.info().height as usize);
    if !is_worth(width, height, bytes.len()) {
        return None;
    }
    let mut pixels = vec![0; reader.output_buffer_size()?];
    let info = reader.next_frame(&mut pixels).ok()?;
    pixels.truncate(info.buffer_size());
    Some((info.width as usize, info.height as usize, grouped(&pixels, info.color_type.samples())?))
}

/// Grey, grey with opacity, colour, or colour with opacity.
fn grouped(bytes: &[u8], samples: usize) -> Option<Vec<[u8; 3]>> {
    match samples {
        1 | 2 => Some(bytes.chunks_exact(samples).map(|p| [p[0]; 3]).collect()),
        3 | 4 => Some(bytes.chunks_exact(samples).map(|p| [p[0], p[1], p[2]]).collect()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sinew_bake::SkinLooks;
    use sinew_geom::Embedding;
    use sinew_math::DVec3;
    use std::sync::Arc;

    /// A picture of 2 × 2: red and green above, blue and white below.
    fn picture() -> Image {
        let mut bytes = Vec::new();
        let mut encoder = png::Encoder::new(&mut bytes, 2, 2);
        encoder.set_color(png::ColorType::Rgb);
        let mut writer = encoder.write_header().unwrap();
        writer.write_image_data(&[255, 0, 0, 0, 255, 0, 0, 0, 255, 255, 255, 255]).unwrap();
        writer.finish().unwrap();
        Image::new(bytes).unwrap()
    }

    fn skin(materials: Vec<Material>, of_triangle: Vec<u32>, corner_uvs: Vec<[[f32; 2]; 3]>) -> Skin {
        let mesh = TriangleMesh { positions: vec![DVec3::ZERO; 3], triangles: vec![[0, 1, 2]; of_triangle.len()] };
        let looks = Looks { materials, images: vec![picture()], of_triangle, ..Looks::default() };
        let looks = Some(Arc::new(SkinLooks { normals: Vec::new(), looks }));
        Skin { corner_uvs, looks, ..Skin::plain(mesh, Embedding::of_vertices(&[0, 1, 2]), None) }
    }

    #[test]
    fn corners_have_the_colours_of_their_material() {
        let pictured = Material { textures: vec![(TextureUse::BaseColour, 0)], ..Material::default() };
        let plain = Material { base_colour: [0.0, 0.0, 1.0, 1.0], ..Material::default() };
        // v runs upwards: the upper left is red. The second triangle is of another copy of the picture.
        let uvs = [[0.1, 0.9], [0.9, 0.9], [0.1, 0.1]];
        let copy = uvs.map(|[u, v]: [f32; 2]| [u + 3.0, v - 2.0]);
        let skin = skin(vec![pictured, plain], vec![0, 0, 1, NO_MATERIAL], vec![uvs, copy, uvs, uvs]);
        let texture = SkinTexture::of(&skin).unwrap();
        let colour = |triangle: usize, corner: usize| texture.at(texture.corner_uvs[triangle][corner]);
        let (red, green, blue) = ([255.0, 0.0, 0.0], [0.0, 255.0, 0.0], [0.0, 0.0, 255.0]);
        assert_eq!([0, 1, 2].map(|corner| colour(0, corner)), [red, green, blue]);
        assert_eq!([0, 1, 2].map(|corner| colour(1, corner)), [red, green, blue]);
        assert_eq!((colour(2, 0), colour(3, 1)), (blue, [200.0; 3]));
    }

    #[test]
    fn a_picture_is_no_larger_than_its_file_is_worth() {
        assert!(is_worth(4096, 4096, 100) && is_worth(8192, 8192, 1 << 20));
        for (width, height, bytes) in [(8192, 8192, 100_000), (16385, 16384, usize::MAX), (usize::MAX, 2, usize::MAX)] {
            assert!(!is_worth(width, height, bytes), "{width} × {height} in {bytes} bytes");
        }
        // What the head of a PNG of a few bytes claims is not made room for.
        let mut bytes = Vec::new();
        let mut encoder = png::Encoder::new(&mut bytes, 16384, 16384);
        encoder.set_color(png::ColorType::Rgb);
        let _ = encoder.write_header().unwrap();
        assert!(png(&bytes).is_none());
    }

    #[test]
    fn what_says_nothing_of_colours_has_none() {
        assert_eq!(SkinTexture::of(&skin(vec![Material::default()], vec![0], Vec::new())), None);
        assert_eq!(SkinTexture::of(&skin(Vec::new(), Vec::new(), Vec::new())), None);
    }
}
