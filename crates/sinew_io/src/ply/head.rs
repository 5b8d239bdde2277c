//! The head of a PLY file: what elements there are and what each row of them holds.

use super::Endian;
use crate::bytes::Bytes;
use crate::{ByteError, LineError};

pub(super) struct Head {
    pub(super) encoding: Encoding,
    pub(super) elements: Vec<Element>,
    /// Where the numbers begin.
    pub(super) bytes: usize,
    pub(super) lines: usize,
}

#[derive(Clone, Copy)]
pub(super) enum Encoding {
    Text,
    Binary(Endian),
}

pub(super) struct Element {
    pub(super) name: String,
    pub(super) count: u64,
    pub(super) properties: Vec<Property>,
}

pub(super) struct Property {
    pub(super) name: String,
    pub(super) kind: Kind,
    pub(super) shape: Shape,
}

pub(super) enum Shape {
    One,
    /// Behind a count of this type.
    List(Kind),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    I8,
    U8,
    I16,
    U16,
    I32,
    U32,
    F32,
    F64,
}

pub(super) fn parse(bytes: &[u8]) -> Result<Head, LineError> {
    let mut head = Head { encoding: Encoding::Text, elements: Vec::new(), bytes: 0, lines: 0 };
    let mut encoding = None;
    for line in bytes.split_inclusive(|byte| *byte == b'\n') {
        head.bytes += line.len();
        head.lines += 1;
        let number = head.lines;
        let text = String::from_utf8_lossy(line);
        let mut words = text.split_whitespace();
        let first = words.next().unwrap_or_default();
        if number == 1 && first != "ply" {
            return Err(LineError::new(1, "a PLY file begins with the line ply"));
        }
        let mut word = |what: &str| {
            words.next().map(str::to_owned).ok_or_else(|| LineError::new(number, format!("{what} is missing")))
        };
        match first {
            "ply" | "comment" | "obj_info" | "" => {}
            "format" => encoding = Some(parse_encoding(&word("the encoding")?, number)?),
            "element" => {
                let (name, count) = (word("the element's name")?, word("the element's count")?);
                head.elements.push(Element {
                    name,
                    count: crate::text::whole(&count, number)?,
                    properties: Vec::new(),
                });
            }
            "property" => {
                let mut kind = word("the property's type")?;
                let mut shape = Shape::One;
                if kind == "list" {
                    shape = Shape::List(Kind::of(&word("the type of the list's count")?, number)?);
                    kind = word("the property's type")?;
                }
                let property = Property { kind: Kind::of(&kind, number)?, shape, name: word("the property's name")? };
                let element = head.elements.last_mut();
                element
                    .ok_or_else(|| LineError::new(number, "a property before any element"))?
                    .properties
                    .push(property);
            }
            "end_header" => {
                head.encoding = encoding.ok_or_else(|| LineError::new(number, "the head has no line format"))?;
                return Ok(head);
            }
            other => return Err(LineError::new(number, format!("{other:?} is no word of a PLY head"))),
        }
    }
    Err(LineError::new(head.lines.max(1), "the file ends before end_header"))
}

fn parse_encoding(word: &str, line: usize) -> Result<Encoding, LineError> {
    match word {
        "ascii" => Ok(Encoding::Text),
        "binary_little_endian" => Ok(Encoding::Binary(Endian::Little)),
        "binary_big_endian" => Ok(Encoding::Binary(Endian::Big)),
        _ => Err(LineError::new(line, format!("{word:?} is no encoding of a PLY file"))),
    }
}

impl Kind {
    fn of(word: &str, line: usize) -> Result<Self, LineError> {
        Ok(match word {
            "char" | "int8" => Self::I8,
            "uchar" | "uint8" => Self::U8,
            "short" | "int16" => Self::I16,
            "ushort" | "uint16" => Self::U16,
            "int" | "int32" => Self::I32,
            "uint" | "uint32" => Self::U32,
            "float" | "float32" => Self::F32,
            "double" | "float64" => Self::F64,
            _ => return Err(LineError::new(line, format!("{word:?} is no type of a PLY file"))),
        })
    }

    pub(super) fn read(self, bytes: &mut Bytes<'_>) -> Result<f64, ByteError> {
        let what = "a number";
        Ok(match self {
            Self::I8 => f64::from(i8::from_le_bytes(bytes.array(what)?)),
            Self::U8 => f64::from(u8::from_le_bytes(bytes.array(what)?)),
            Self::I16 => f64::from(i16::from_le_bytes(bytes.array(what)?)),
            Self::U16 => f64::from(u16::from_le_bytes(bytes.array(what)?)),
            Self::I32 => f64::from(i32::from_le_bytes(bytes.array(what)?)),
            Self::U32 => f64::from(u32::from_le_bytes(bytes.array(what)?)),
            Self::F32 => f64::from(f32::from_le_bytes(bytes.array(what)?)),
            Self::F64 => f64::from_le_bytes(bytes.array(what)?),
        })
    }
}
