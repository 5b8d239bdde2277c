//! `.vtu`: points and cells as ASCII, inline base64, or appended base64 or raw bytes; plain, or deflated by zlib.
//!
//! A deflated array is a head of whole numbers (blocks, bytes of a block, bytes of the last one if it is shorter, then the
//! deflated bytes of each) and the blocks; in base64 head and blocks are encoded apart.

use super::grid;
use super::xml::{Element, Event, Xml};
use crate::bytes::{Bytes, Endian};
use crate::number_type::NumberType;
use crate::text::whole;
use crate::{ByteError, FormatError, LineError, TetFile, base64, inflate};
use sinew_math::DVec3;
use std::collections::BTreeMap;

pub fn parse(bytes: &[u8]) -> Result<TetFile, FormatError> {
    let mut reader = Reader {
        bytes,
        endian: Endian::Little,
        wide_head: false,
        is_deflated: false,
        appended: appended(bytes),
        declared: None,
        inflatable: Reader::FREE_NUMBERS + Reader::NUMBERS_OF_A_BYTE * bytes.len() as u64,
    };
    let mut xml = Xml::new(bytes);
    let mut arrays: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
    let (mut section, mut pieces, mut line) = ("", 0, 1);
    while let Some(event) = xml.next()? {
        match event {
            Event::Open(element) => {
                line = element.line;
                match element.name {
                    "VTKFile" => reader.note_head(&element)?,
                    "Piece" => {
                        pieces += 1;
                        reader.declared = Some(Declared::of(&element)?);
                    }
                    "Points" | "Cells" | "PointData" | "CellData" => section = element.name,
                    "DataArray" => {
                        let name = if section == "Points" { "points" } else { element.attribute("Name").unwrap_or("") };
                        let is_wanted =
                            matches!((section, name), ("Points", _) | ("Cells", "connectivity" | "offsets" | "types"));
                        // Only once each: a small file could name one large array many times.
                        if is_wanted && !arrays.contains_key(name) {
                            arrays.insert(name, reader.array(name, &element, &mut xml)?);
                        }
                    }
                    "AppendedData" => break,
                    _ => {}
                }
            }
            Event::Close(name) if name == section => section = "",
            Event::Close(_) => {}
        }
    }
    if pieces != 1 {
        return Err(LineError::new(line, format!("{pieces} pieces in the grid; files of one piece are read")).into());
    }
    let mut array =
        |name: &str| arrays.remove(name).ok_or_else(|| LineError::new(line, format!("the grid has no array {name:?}")));
    let (points, connectivity, offsets, types) =
        (array("points")?, array("connectivity")?, array("offsets")?, array("types")?);
    if types.len() != offsets.len() {
        return Err(LineError::new(line, format!("{} offsets and {} types", offsets.len(), types.len())).into());
    }
    let positions = positions(&points).map_err(|what| LineError::new(line, what))?;
    drop(points); // as large as the positions
    let cells = cells(&connectivity, &offsets, &types).map_err(|what| LineError::new(line, what))?;
    Ok(grid(positions, cells).map_err(|what| LineError::new(line, what))?)
}

fn positions(numbers: &[f64]) -> Result<Vec<DVec3>, String> {
    let (points, []) = numbers.as_chunks::<3>() else {
        return Err(format!("{} numbers are not points of three", numbers.len()));
    };
    match points.iter().position(|x| !x.iter().all(|number| number.is_finite())) {
        Some(wild) => Err(format!("point {wild} is not finite")),
        None => Ok(points.iter().map(|x| DVec3::from_array(*x)).collect()),
    }
}

/// Kinds and corners; negative numbers become ones that are out of range.
fn cells<'a>(
    connectivity: &'a [f64],
    offsets: &'a [f64],
    types: &'a [f64],
) -> Result<impl Iterator<Item = (u64, Vec<u64>)> + 'a, String> {
    let whole = |number: f64| if number >= 0.0 { number as u64 } else { u64::MAX };
    let ascend = offsets.is_sorted() && offsets.first().is_none_or(|first| *first >= 0.0);
    if !ascend || offsets.last().is_some_and(|last| *last > connectivity.len() as f64) {
        return Err(format!("offsets that do not ascend from 0 to {}", connectivity.len()));
    }
    Ok(offsets.iter().enumerate().map(move |(cell, end)| {
        let begin = if cell == 0 { 0 } else { offsets[cell - 1] as usize };
        let corners = connectivity[begin..*end as usize].iter().map(|corner| whole(*corner)).collect();
        (whole(types[cell]), corners)
    }))
}

/// The appended data behind its underscore: where it begins, and whether it is base64.
fn appended(bytes: &[u8]) -> Option<(usize, bool)> {
    const TAG: &[u8] = b"<AppendedData";
    let tag = bytes.windows(TAG.len()).position(|window| window == TAG)?;
    let open = tag + bytes[tag..].iter().position(|byte| *byte == b'>')?;
    let begin = open + bytes[open..].iter().position(|byte| *byte == b'_')? + 1;
    let is_base64 = bytes[tag..open].windows(8).any(|window| window == b"\"base64\"");
    Some((begin, is_base64))
}

/// What a piece says of itself, which bounds what its deflated arrays may become.
#[derive(Clone, Copy)]
struct Declared {
    points: u64,
    cells: u64,
}

impl Declared {
    /// Corners of a cell, more than any kind of cell that is read has.
    const CORNERS: u64 = 64;
    /// Numbers in one array, whatever the file says: more than any machine simulates. Deflate makes a thousand bytes of one.
    const MOST_NUMBERS: u64 = 1 << 26;

    fn of(element: &Element<'_>) -> Result<Self, LineError> {
        let count = |name: &str| element.attribute(name).map_or(Ok(u64::MAX), |text| whole(text, element.line));
        Ok(Self { points: count("NumberOfPoints")?, cells: count("NumberOfCells")? })
    }

    fn numbers_of(self, array: &str) -> u64 {
        let declared = match array {
            "points" => self.points.saturating_mul(3),
            "connectivity" => self.cells.saturating_mul(Self::CORNERS),
            _ => self.cells,
        };
        declared.min(Self::MOST_NUMBERS)
    }
}

/// What a deflated array may become.
#[derive(Clone, Copy)]
struct Most {
    /// Numbers by what the piece declares, and by the size of the file.
    declared: u64,
    of_file: u64,
    number_bytes: u64,
}

impl Most {
    /// Why an array of this many bytes is not taken apart.
    fn refuses(self, bytes: u64) -> Option<String> {
        let numbers = bytes.div_ceil(self.number_bytes);
        if numbers > self.declared {
            return Some(format!("{numbers} numbers come out, and the piece declares {} at most", self.declared));
        }
        (numbers > self.of_file).then(|| {
            format!(
                "{numbers} numbers come out, more than a file of this size holds ({}); write it without compression",
                self.of_file
            )
        })
    }
}

struct Reader<'a> {
    declared: Option<Declared>,
    /// Numbers that deflated arrays may still become, all together.
    inflatable: u64,
    bytes: &'a [u8],
    endian: Endian,
    /// Whether lengths have eight bytes.
    wide_head: bool,
    is_deflated: bool,
    appended: Option<(usize, bool)>,
}

fn number_type(element: &Element<'_>) -> Result<NumberType, LineError> {
    Ok(match element.need("type")? {
        "Int8" => NumberType::I8,
        "UInt8" => NumberType::U8,
        "Int16" => NumberType::I16,
        "UInt16" => NumberType::U16,
        "Int32" => NumberType::I32,
        "UInt32" => NumberType::U32,
        "Int64" => NumberType::I64,
        "UInt64" => NumberType::U64,
        "Float32" => NumberType::F32,
        "Float64" => NumberType::F64,
        other => return Err(LineError::new(element.line, format!("numbers of type {other:?} are not read"))),
    })
}

impl<'a> Reader<'a> {
    /// Numbers that a byte of the file may become. Deflated meshes have 0.8 to 1.4 of them, also those on a regular grid; deflate
    /// itself would make a thousand bytes of one, all of them zeros.
    const NUMBERS_OF_A_BYTE: u64 = 4;
    /// What a file of any size may have: 8 MB.
    const FREE_NUMBERS: u64 = 1 << 20;

    fn note_head(&mut self, element: &Element<'_>) -> Result<(), LineError> {
        let wrong = |what: String| Err(LineError::new(element.line, what));
        if element.need("type")? != "UnstructuredGrid" {
            return wrong(format!("a VTK file of type {:?}; UnstructuredGrid is read", element.attribute("type")));
        }
        match element.attribute("compressor") {
            None => {}
            Some("vtkZLibDataCompressor") => self.is_deflated = true,
            Some(other) => return wrong(format!("data compressed by {other} is not read; zlib, or none, is")),
        }
        if element.attribute("byte_order") == Some("BigEndian") {
            self.endian = Endian::Big;
        }
        self.wide_head = element.attribute("header_type") == Some("UInt64");
        Ok(())
    }

    fn array(&mut self, name: &str, element: &Element<'a>, xml: &mut Xml<'a>) -> Result<Vec<f64>, FormatError> {
        let kind = number_type(element)?;
        match element.attribute("format").unwrap_or("ascii") {
            "ascii" => {
                let (text, line) = xml.text();
                Ok(ascii(text, line)?)
            }
            "binary" => {
                let (text, line) = xml.text();
                let wrong = |at: usize| LineError::new(line, format!("not base64 at letter {at} of the array"));
                self.numbers(name, &base64::decode(text).map_err(wrong)?, element, kind)
            }
            "appended" => {
                let offset = whole(element.need("offset")?, element.line)? as usize;
                let missing = || LineError::new(element.line, "the file has no appended data there");
                let (begin, is_base64) = self.appended.ok_or_else(missing)?;
                let data = begin.checked_add(offset).and_then(|at| self.bytes.get(at..)).ok_or_else(missing)?;
                if !is_base64 {
                    return self.numbers(name, data, element, kind);
                }
                // The next array begins anew behind the padding of this one, or the length tells where it ends.
                let letters = data.iter().position(|byte| *byte == b'<').map_or(data, |end| &data[..end]);
                let all = self.encoded_length(letters).ok_or_else(missing)?.min(letters.len());
                let wrong = |at: usize| ByteError::new(begin + offset + at, "this is not base64");
                self.numbers(name, &base64::decode(&letters[..all]).map_err(wrong)?, element, kind)
            }
            other => Err(LineError::new(element.line, format!("data in format {other:?} is not read")).into()),
        }
    }

    /// Letters that an array takes in base64, by what its head says.
    fn encoded_length(&self, letters: &[u8]) -> Option<usize> {
        let word = if self.wide_head { 8 } else { 4 };
        let letters_of = |bytes: usize| bytes.div_ceil(3).saturating_mul(4);
        let head_of = |words: usize| -> Option<Vec<u64>> {
            let bytes = base64::decode(letters.get(..letters_of(words.saturating_mul(word)))?).ok()?;
            let mut bytes = Bytes::new(&bytes, self.endian);
            (0..words).map(|_| self.length(&mut bytes).ok()).collect()
        };
        let first = usize::try_from(head_of(1)?[0]).ok()?;
        if !self.is_deflated {
            return Some(letters_of(first.saturating_add(word)));
        }
        let words = first.saturating_add(3);
        let blocks: u64 = head_of(words)?.get(3..)?.iter().fold(0, |sum, bytes| sum.saturating_add(*bytes));
        Some(letters_of(words * word).saturating_add(letters_of(usize::try_from(blocks).ok()?)))
    }

    fn length(&self, bytes: &mut Bytes<'_>) -> Result<u64, ByteError> {
        let what = "the length of an array";
        if self.wide_head { bytes.array(what).map(u64::from_le_bytes) } else { bytes.u32(what).map(u64::from) }
    }

    /// Numbers behind their length in bytes, or behind the head of deflated blocks.
    fn numbers(
        &mut self,
        name: &str,
        data: &[u8],
        element: &Element<'_>,
        kind: NumberType,
    ) -> Result<Vec<f64>, FormatError> {
        let mut bytes = Bytes::new(data, self.endian);
        let in_file = |error: ByteError| LineError::new(element.line, format!("in the array: {error}"));
        let inflated;
        let data = if self.is_deflated {
            let wrong = |what: String| LineError::new(element.line, format!("in the array: {what}"));
            let declared = self.declared.map_or(0, |declared| declared.numbers_of(name));
            let most = Most { declared, of_file: self.inflatable, number_bytes: kind.byte_count() as u64 };
            inflated = self.inflated(&mut bytes, most).map_err(in_file)?.map_err(wrong)?;
            self.inflatable -= inflated.len() as u64 / most.number_bytes;
            &inflated[..]
        } else {
            let length = self.length(&mut bytes).map_err(in_file)?;
            bytes.take(usize::try_from(length).unwrap_or(usize::MAX), "an array").map_err(in_file)?
        };
        let mut bytes = Bytes::new(data, self.endian);
        let mut numbers = Vec::with_capacity(data.len() / kind.byte_count());
        while bytes.left() > 0 {
            numbers.push(kind.read(&mut bytes).map_err(in_file)?);
        }
        Ok(numbers)
    }

    /// The blocks of a deflated array, one after the other.
    fn inflated(&self, bytes: &mut Bytes<'_>, most: Most) -> Result<Result<Vec<u8>, String>, ByteError> {
        let [count, whole, last] = [self.length(bytes)?, self.length(bytes)?, self.length(bytes)?];
        let word = if self.wide_head { 8 } else { 4 };
        if count > bytes.left() as u64 / word {
            return Ok(Err(format!("{count} blocks in {} bytes", bytes.left())));
        }
        let short = if last > 0 { last } else { whole };
        let said = count.saturating_sub(1).saturating_mul(whole).saturating_add(if count > 0 { short } else { 0 });
        if let Some(why) = most.refuses(said) {
            return Ok(Err(why));
        }
        let mut lengths = Vec::new();
        for _ in 0..count {
            lengths.push(self.length(bytes)?);
        }
        let mut out = Vec::new();
        for (block, length) in lengths.iter().enumerate() {
            let deflated = bytes.take(usize::try_from(*length).unwrap_or(usize::MAX), "a block of an array")?;
            let is_last = block + 1 == lengths.len();
            match inflate::zlib(deflated, if is_last && last > 0 { last } else { whole }) {
                Ok(inflated) if out.is_empty() => out = inflated,
                Ok(inflated) => out.extend(inflated),
                Err(what) => return Ok(Err(format!("block {block}: {what}"))),
            }
        }
        Ok(Ok(out))
    }
}

fn ascii(text: &[u8], line: usize) -> Result<Vec<f64>, LineError> {
    let rows = text.split(|byte| *byte == b'\n').enumerate();
    rows.flat_map(|(index, row)| {
        let words = row.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
        words.map(move |word| crate::text::number(&String::from_utf8_lossy(word), line + index))
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "<?xml version=\"1.0\"?>\n<!-- one tet -->\n<VTKFile type=\"UnstructuredGrid\" byte_order=\"LittleEndian\">\n\
        <UnstructuredGrid>\n<Piece NumberOfPoints=\"4\" NumberOfCells=\"2\">\n<PointData><DataArray type=\"Float32\" Name=\"types\">\
        9 9</DataArray></PointData>\n<Points><DataArray type=\"Float64\" NumberOfComponents=\"3\" format=\"ascii\">\n0 0 0 1 0 0\n\
        0 1 0 0 0 1\n</DataArray></Points>\n<Cells><DataArray type=\"Int32\" Name=\"connectivity\" format=\"ascii\">0 1 2 3 0 2 1\
        </DataArray>\n<DataArray type=\"Int32\" Name=\"offsets\">4 7</DataArray><DataArray type=\"UInt8\" Name=\"types\">10 5\
        </DataArray></Cells>\n</Piece></UnstructuredGrid></VTKFile>\n";

    #[test]
    fn text_is_read() {
        let file = parse(TEXT.as_bytes()).unwrap();
        assert_eq!((&file.tets[..], &file.triangles[..]), (&[[0, 1, 2, 3]][..], &[[0, 2, 1]][..]));
        assert_eq!(file.positions[3], DVec3::Z);
    }

    #[test]
    fn appended_raw_data_is_read() {
        let mut data = Vec::new();
        let mut add = |bytes: Vec<u8>| {
            let at = data.len();
            data.extend((bytes.len() as u32).to_le_bytes());
            data.extend(bytes);
            at
        };
        let points =
            add([0., 0., 0., 1., 0., 0., 0., 1., 0., 0., 0., 1.0f32].iter().flat_map(|x| x.to_le_bytes()).collect());
        let corners = add([0i64, 1, 2, 3].iter().flat_map(|x| x.to_le_bytes()).collect());
        let offsets = add(4i64.to_le_bytes().to_vec());
        let types = add(vec![10]);
        let array =
            |attributes: &str, at: usize| format!("<DataArray {attributes} format=\"appended\" offset=\"{at}\"/>");
        let head = format!(
            "<VTKFile type=\"UnstructuredGrid\" byte_order=\"LittleEndian\"><UnstructuredGrid><Piece><Points>{}</Points><Cells>{}{}{}\
             </Cells></Piece></UnstructuredGrid><AppendedData encoding=\"raw\">_",
            array("type=\"Float32\"", points),
            array("type=\"Int64\" Name=\"connectivity\"", corners),
            array("type=\"Int64\" Name=\"offsets\"", offsets),
            array("type=\"UInt8\" Name=\"types\"", types)
        );
        let file = parse(&[head.as_bytes(), &data, b"</AppendedData></VTKFile>"].concat()).unwrap();
        assert_eq!((file.positions.len(), file.tets), (4, vec![[0, 1, 2, 3]]));
    }

    /// One tet, each array deflated in blocks of 16 bytes, inline or appended, with heads of four or eight bytes.
    fn deflated(is_appended: bool, is_wide: bool) -> Vec<u8> {
        let word =
            |n: usize| if is_wide { (n as u64).to_le_bytes().to_vec() } else { (n as u32).to_le_bytes().to_vec() };
        let letters = |bytes: &[u8]| base64::encode(bytes).into_bytes();
        let encode = |bytes: &[u8]| {
            let blocks: Vec<Vec<u8>> =
                bytes.chunks(16).map(|block| miniz_oxide::deflate::compress_to_vec_zlib(block, 6)).collect();
            let mut head = [word(blocks.len()), word(16), word(bytes.len() % 16)].concat();
            blocks.iter().for_each(|block| head.extend(word(block.len())));
            [letters(&head), letters(&blocks.concat())].concat()
        };
        let points: Vec<u8> =
            [0., 0., 0., 1., 0., 0., 0., 1., 0., 0., 0., 1.0f32].iter().flat_map(|x| x.to_le_bytes()).collect();
        let corners: Vec<u8> = [0i64, 1, 2, 3].iter().flat_map(|x| x.to_le_bytes()).collect();
        let arrays = [
            ("Float32", "points", points),
            ("Int64", "connectivity", corners),
            ("Int64", "offsets", 4i64.to_le_bytes().to_vec()),
            ("UInt8", "types", vec![10]),
        ];
        let mut data = Vec::new();
        let elements = arrays.map(|(kind, name, bytes)| {
            let encoded = encode(&bytes);
            let (format, inside) = if is_appended {
                (format!("\"appended\" offset=\"{}\"", data.len()), String::new())
            } else {
                ("\"binary\"".to_owned(), String::from_utf8(encoded.clone()).unwrap())
            };
            data.extend(encoded);
            format!("<DataArray type=\"{kind}\" Name=\"{name}\" format={format}>{inside}</DataArray>")
        });
        let [points, cells @ ..] = elements;
        let head = if is_wide { "UInt64" } else { "UInt32" };
        let text = format!(
            "<VTKFile type=\"UnstructuredGrid\" byte_order=\"LittleEndian\" header_type=\"{head}\" \
             compressor=\"vtkZLibDataCompressor\"><UnstructuredGrid><Piece><Points>{points}</Points><Cells>{}</Cells></Piece>\
             </UnstructuredGrid><AppendedData encoding=\"base64\">_",
            cells.concat()
        );
        let data = if is_appended { data } else { Vec::new() };
        [text.as_bytes(), &data, b"</AppendedData></VTKFile>"].concat()
    }

    #[test]
    fn deflated_data_is_read_inline_and_appended() {
        for (is_appended, is_wide) in [(false, false), (false, true), (true, false), (true, true)] {
            let file = parse(&deflated(is_appended, is_wide)).unwrap();
            assert_eq!((file.positions.len(), file.positions[3], file.tets), (4, DVec3::Z, vec![[0, 1, 2, 3]]));
        }
    }

    #[test]
    fn faults_are_named_with_their_line() {
        let fault = |from: &str, to: &str| parse(TEXT.replacen(from, to, 1).as_bytes()).unwrap_err().to_string();
        assert_eq!(fault("0 1 0 0 0 1", "0 1 0 0 0 x"), "line 9: expected a number, found \"x\"");
        assert!(fault("0 1 2 3 0 2 1", "0 1 2 9 0 2 1").contains("cell 0 names point 9 of 4"));
        assert!(fault("4 7", "4 8").contains("offsets that do not ascend from 0 to 7"));
        assert!(fault("byte_order", "compressor=\"vtkLZ4DataCompressor\" byte_order").contains("zlib, or none, is"));
        assert!(fault("=\"UnstructuredGrid\"", "=\"PolyData\"").starts_with("line 3: a VTK file of type"));
    }

    /// A file of a few kilobytes whose points inflate to gigabytes, by what it says or against it.
    #[test]
    fn deflated_arrays_come_to_no_more_than_the_piece_declares() {
        let letters = base64::encode;
        let bomb = |declared: u64, blocks: usize, bytes: usize| {
            let block = miniz_oxide::deflate::compress_to_vec_zlib(&vec![0u8; bytes], 6);
            let mut head: Vec<u32> = vec![blocks as u32, bytes as u32, 0];
            head.extend(vec![block.len() as u32; blocks]);
            let head: Vec<u8> = head.iter().flat_map(|word| word.to_le_bytes()).collect();
            let points = letters(&head) + &letters(&block.repeat(blocks));
            format!(
                "<VTKFile type=\"UnstructuredGrid\" compressor=\"vtkZLibDataCompressor\"><UnstructuredGrid>\
                 <Piece NumberOfPoints=\"{declared}\" NumberOfCells=\"1\"><Points><DataArray type=\"Float64\" format=\"binary\">{points}\
                 </DataArray></Points></Piece></UnstructuredGrid></VTKFile>"
            )
        };
        for (declared, blocks) in [(4, 1), (4, 130), (1 << 40, 130)] {
            let refused = parse(bomb(declared, blocks, 24 << 20).as_bytes()).unwrap_err().to_string();
            assert!(refused.contains("the piece declares"), "{declared} points: {refused}");
        }
        // What the file says of itself agrees, and it is too small for it all the same.
        let refused = parse(bomb(1 << 20, 1, 24 << 20).as_bytes()).unwrap_err().to_string();
        assert!(refused.contains("more than a file of this size holds"), "{refused}");
        // What is declared comes out, and only then something else is missing.
        let read = parse(bomb(1 << 17, 1, 3 << 20).as_bytes()).unwrap_err().to_string();
        assert!(read.contains("no array \"connectivity\""), "{read}");
    }
}
