//! PLY 1.0 (Turk, "The PLY Polygon File Format", 1994): ASCII, and binary of either byte order.
//!
//! Read: the first `x y z` of `vertex`, its colour (`red green blue`, of bytes or of shares), and `vertex_indices` (or `vertex_index`) of `face`; everything else is passed over.

mod head;

use crate::bytes::{Bytes, Endian};
use crate::colours;
use crate::number_type::NumberType;
use crate::triangulate::triangulate;
use crate::{ByteError, FormatError, LineError, SurfaceFile};
use head::{Encoding, Property, Shape};
use sinew_math::DVec3;

pub fn parse(bytes: &[u8]) -> Result<SurfaceFile, FormatError> {
    let head = head::parse(bytes)?;
    let body = &bytes[head.bytes..];
    let mut numbers = match head.encoding {
        Encoding::Text => Numbers::Text { lines: Box::new(words(body, head.lines)), line: head.lines },
        Encoding::Binary(endian) => Numbers::Binary { bytes: Bytes::new(body, endian), before: head.bytes },
    };
    let mut mesh = SurfaceFile::default();
    let (mut given, mut corners) = (Vec::new(), Vec::new());
    let mut vertex_colours = Vec::new();
    for element in &head.elements {
        for row in 0..element.count {
            match element.name.as_str() {
                "vertex" => {
                    let (place, colour) = read_vertex(&mut numbers, &element.properties, row)?;
                    mesh.positions.push(place);
                    vertex_colours.push(colour);
                }
                "face" => {
                    read_face(&mut numbers, &element.properties, row, &mut given)?;
                    check_corners(&numbers, &given, mesh.positions.len(), row)?;
                    corners.clear();
                    corners.extend(given.iter().map(|corner| *corner as u32));
                    triangulate(&mesh.positions, &corners, &mut mesh.triangles).map_err(|what| numbers.wrong(what))?;
                }
                name => {
                    for property in &element.properties {
                        numbers.property(property, name, row, &mut |_| {})?;
                    }
                    // Rows of nothing take no bytes, and would take any number of turns.
                    if element.properties.is_empty() {
                        break;
                    }
                }
            }
        }
    }
    if mesh.triangles.is_empty() {
        return Err(numbers.wrong("the file has no faces"));
    }
    mesh.colours = colours::of_all(&vertex_colours);
    Ok(mesh)
}

fn read_vertex(
    numbers: &mut Numbers<'_>,
    properties: &[Property],
    row: u64,
) -> Result<(DVec3, colours::Rgb), FormatError> {
    let (mut x, mut rgb) = ([f64::NAN; 3], [f32::NAN; 3]);
    for property in properties {
        let axis = ["x", "y", "z"].iter().position(|axis| *axis == property.name);
        let channel = property.name.strip_prefix("diffuse_").unwrap_or(&property.name);
        let channel = ["red", "green", "blue"].iter().position(|name| *name == channel);
        // Bytes are written of 255 however dark all of them are.
        let unit = if matches!(property.kind, NumberType::U8) { 255.0 } else { 1.0 };
        numbers.property(property, "vertex", row, &mut |number| {
            if let Some(axis) = axis {
                x[axis] = number;
            }
            if let Some(channel) = channel {
                rgb[channel] = (number / unit) as f32;
            }
        })?;
    }
    if x.iter().all(|number| number.is_finite()) {
        return Ok((DVec3::from_array(x), colours::of_numbers(&rgb)));
    }
    Err(numbers.wrong(format!("vertex {row} has no finite x, y and z")))
}

fn read_face(
    numbers: &mut Numbers<'_>,
    properties: &[Property],
    row: u64,
    corners: &mut Vec<f64>,
) -> Result<(), FormatError> {
    corners.clear();
    for property in properties {
        let wanted = matches!(property.name.as_str(), "vertex_indices" | "vertex_index");
        numbers.property(property, "face", row, &mut |number| {
            if wanted {
                corners.push(number);
            }
        })?;
    }
    Ok(())
}

fn check_corners(numbers: &Numbers<'_>, corners: &[f64], vertex_count: usize, row: u64) -> Result<(), FormatError> {
    if corners.len() < 3 {
        let what = format!("face {row} has {} corners in vertex_indices; it needs at least 3", corners.len());
        return Err(numbers.wrong(what));
    }
    let sound = |corner: &&f64| **corner >= 0.0 && **corner < vertex_count as f64 && corner.fract() == 0.0;
    match corners.iter().find(|corner| !sound(corner)) {
        Some(wild) => Err(numbers.wrong(format!("face {row} names vertex {wild} of {vertex_count}"))),
        None => Ok(()),
    }
}

/// The numbers behind the head, from wherever they come.
enum Numbers<'a> {
    Text { lines: Box<dyn Iterator<Item = (usize, &'a [u8])> + 'a>, line: usize },
    Binary { bytes: Bytes<'a>, before: usize },
}

impl Numbers<'_> {
    /// All numbers of one property of one row.
    fn property(
        &mut self,
        property: &Property,
        element: &str,
        row: u64,
        take: &mut dyn FnMut(f64),
    ) -> Result<(), FormatError> {
        let what = || format!("{} of {element} {row}", property.name);
        let count = match property.shape {
            Shape::One => 1,
            Shape::List(kind) => self.number(kind, &what)?.max(0.0) as u64,
        };
        for _ in 0..count {
            take(self.number(property.kind, &what)?);
        }
        Ok(())
    }

    fn number(&mut self, kind: NumberType, what: &dyn Fn() -> String) -> Result<f64, FormatError> {
        match self {
            Self::Text { lines, line } => {
                let Some((at, word)) = lines.next() else {
                    return Err(LineError::new(*line, format!("the file ends where {} should stand", what())).into());
                };
                *line = at;
                let word = String::from_utf8_lossy(word);
                let wrong = || LineError::new(at, format!("expected a number for {}, found {word:?}", what()));
                Ok(word.parse().map_err(|_| wrong())?)
            }
            Self::Binary { bytes, before } => kind.read(bytes).map_err(|error| {
                ByteError::new(error.byte + *before, format!("the file ends within {}", what())).into()
            }),
        }
    }

    fn wrong(&self, what: impl Into<String>) -> FormatError {
        match self {
            Self::Text { line, .. } => LineError::new(*line, what).into(),
            Self::Binary { bytes, before } => ByteError::new(bytes.at() + before, what).into(),
        }
    }
}

/// Words with their lines, numbered on from the head's.
fn words(body: &[u8], head_lines: usize) -> impl Iterator<Item = (usize, &[u8])> {
    body.split(|byte| *byte == b'\n').enumerate().flat_map(move |(index, line)| {
        let words = line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
        words.map(move |word| (head_lines + index + 1, word))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: &str = "element vertex 4\nproperty float x\nproperty double y\nproperty short z\nproperty uchar red\nelement edge 1\n\
        property int a\nelement face 2\nproperty list uchar int vertex_indices\nproperty float shade\nend_header\n";
    const BODY: &str = "0 0 0 255\n1 0 0 0\n1 1 0 0 0 1\n0 7\n5\n4 0 1 2 3 0.5\n3 0 1 2 1\n";

    fn text() -> String {
        format!("ply\nformat ascii 1.0\ncomment a square\n{HEAD}{BODY}")
    }

    fn binary(big: bool) -> Vec<u8> {
        let order = if big { "big" } else { "little" };
        let mut bytes = format!("ply\nformat binary_{order}_endian 1.0\n{HEAD}").into_bytes();
        let mut push = |le: &[u8]| {
            let mut le = le.to_vec();
            if big {
                le.reverse();
            }
            bytes.extend(le);
        };
        for (x, y) in [(0.0f32, 0.0f64), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)] {
            push(&x.to_le_bytes());
            push(&y.to_le_bytes());
            push(&0i16.to_le_bytes());
            push(&[7]);
        }
        push(&5i32.to_le_bytes());
        for face in [&[0i32, 1, 2, 3][..], &[0, 1, 2]] {
            push(&[face.len() as u8]);
            face.iter().for_each(|corner| push(&corner.to_le_bytes()));
            push(&0.5f32.to_le_bytes());
        }
        bytes
    }

    #[test]
    fn three_encodings_give_one_mesh() {
        let mesh = parse(text().as_bytes()).unwrap();
        assert_eq!((mesh.positions.len(), mesh.triangles.len(), mesh.positions[3]), (4, 3, DVec3::Y));
        assert_eq!(parse(&binary(false)).unwrap(), mesh);
        assert_eq!(parse(&binary(true)).unwrap(), mesh);
    }

    #[test]
    fn faults_are_named_with_their_place() {
        let fault = |from: &str, to: &str| parse(text().replacen(from, to, 1).as_bytes()).unwrap_err().to_string();
        assert_eq!(fault("4 0 1 2 3 0.5", "4 0 1 2 9 0.5"), "line 20: face 0 names vertex 9 of 4");
        assert_eq!(
            fault("4 0 1 2 3 0.5", "2 0 1 0.5"),
            "line 20: face 0 has 2 corners in vertex_indices; it needs at least 3"
        );
        assert_eq!(fault("1 0 0 0\n", "1 nan 0 0\n"), "line 16: vertex 1 has no finite x, y and z");
        assert_eq!(fault("3 0 1 2 1\n", ""), "line 20: the file ends where vertex_indices of face 1 should stand");
        assert_eq!(fault("format ascii", "format EBCDIC"), "line 2: \"EBCDIC\" is no encoding of a PLY file");
        assert_eq!(fault("property short z", "property int128 z"), "line 7: \"int128\" is no type of a PLY file");
        let short = binary(false);
        let cut = parse(&short[..short.len() - 1]).unwrap_err().to_string();
        assert!(cut.ends_with("the file ends within shade of face 1") && cut.starts_with("byte "), "{cut}");
    }
}
