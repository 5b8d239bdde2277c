//! The head of a PLY file: what elements there are and what each row of them holds.

use super::Endian;
use crate::LineError;
use crate::number_type::NumberType;

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
    pub(super) kind: NumberType,
    pub(super) shape: Shape,
}

pub(super) enum Shape {
    One,
    /// Behind a count of this type.
    List(NumberType),
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
                    shape = Shape::List(number_type(&word("the type of the list's count")?, number)?);
                    kind = word("the property's type")?;
                }
                let property =
                    Property { kind: number_type(&kind, number)?, shape, name: word("the property's name")? };
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

fn number_type(word: &str, line: usize) -> Result<NumberType, LineError> {
    Ok(match word {
        "char" | "int8" => NumberType::I8,
        "uchar" | "uint8" => NumberType::U8,
        "short" | "int16" => NumberType::I16,
        "ushort" | "uint16" => NumberType::U16,
        "int" | "int32" => NumberType::I32,
        "uint" | "uint32" => NumberType::U32,
        "float" | "float32" => NumberType::F32,
        "double" | "float64" => NumberType::F64,
        _ => return Err(LineError::new(line, format!("{word:?} is no type of a PLY file"))),
    })
}
