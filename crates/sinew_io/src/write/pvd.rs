//! PVD: a list of VTU files, one a body and frame, as ParaView plays them. The files lie in a folder named as the list.
//!
//! Kitware, "VTK XML Formats". Numbers are inline base64, uncompressed, little endian, each array behind its length in
//! bytes (UInt64). Bodies with flesh are written as their tetrahedra, the others as triangles.

use super::files::frame_suffix;
use super::{Out, Written};
use crate::base64;
use crate::clip::{self, Clip, WriteError};
use std::path::Path;

const TRIANGLE: u8 = 5;
const TETRA: u8 = 10;

pub(super) fn write(clip: &mut dyn Clip, path: &Path) -> Result<Written, WriteError> {
    let folder = path.with_extension("");
    std::fs::create_dir_all(&folder).map_err(|source| WriteError::Write { path: folder.clone(), source })?;
    let folder_name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let mut list = Out::create(path)?;
    let head = "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"1.0\" byte_order=\"LittleEndian\" \
                header_type=\"UInt64\">\n<Collection>\n";
    list.text(format_args!("{head}"))?;
    let mut written = Written::default();
    for frame in 0..clip.info().frame_count {
        for body in 0..clip.info().bodies.len() {
            let name = clip.info().bodies[body].name.clone();
            let file = file_name(&name, clip.info().number(frame));
            let mut out = Out::create(&folder.join(&file))?;
            write_vtu(clip, body, frame, &mut out)?;
            written.files.push(out.commit()?);
            let secs = clip.info().secs(frame);
            list.text(format_args!(
                "<DataSet timestep=\"{secs}\" group=\"\" part=\"{body}\" name=\"{name}\" file=\"{}/{file}\"/>\n",
                escaped(&folder_name)
            ))?;
        }
    }
    list.text(format_args!("</Collection>\n</VTKFile>\n"))?;
    written.files.push(list.commit()?);
    Ok(written)
}

/// What the file of a body and frame is called.
pub(super) fn file_name(body: &str, number: i64) -> String {
    format!("{body}{}.vtu", frame_suffix(number))
}

fn write_vtu(clip: &mut dyn Clip, body: usize, frame: usize, out: &mut Out) -> Result<(), WriteError> {
    let mut points = Vec::new();
    let has_flesh = clip.info().bodies[body].flesh.is_some();
    if has_flesh {
        clip::flesh(clip, body, frame, &mut points)?;
    } else {
        clip::skin(clip, body, frame, &mut points)?;
    }
    let body = &clip.info().bodies[body];
    let (corners, per_cell, kind): (&[u32], usize, u8) = match &body.flesh {
        Some(flesh) => (flesh.tets.as_flattened(), 4, TETRA),
        None => (body.triangles.as_flattened(), 3, TRIANGLE),
    };
    let cells = corners.len() / per_cell;
    out.text(format_args!(
        "<?xml version=\"1.0\"?>\n<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" byte_order=\"LittleEndian\" \
         header_type=\"UInt64\">\n<UnstructuredGrid>\n<Piece NumberOfPoints=\"{}\" NumberOfCells=\"{cells}\">\n<Points>\n",
        points.len()
    ))?;
    let coordinates = points.as_flattened().iter().flat_map(|number| number.to_le_bytes());
    write_array(out, "type=\"Float32\" Name=\"Points\" NumberOfComponents=\"3\"", points.len() * 12, coordinates)?;
    out.text(format_args!("</Points>\n<Cells>\n"))?;
    let signed = corners.iter().flat_map(|corner| i64::from(*corner).to_le_bytes());
    write_array(out, "type=\"Int64\" Name=\"connectivity\"", corners.len() * 8, signed)?;
    let ends = (1..=cells).flat_map(|cell| ((cell * per_cell) as i64).to_le_bytes());
    write_array(out, "type=\"Int64\" Name=\"offsets\"", cells * 8, ends)?;
    write_array(out, "type=\"UInt8\" Name=\"types\"", cells, (0..cells).map(|_| kind))?;
    out.text(format_args!("</Cells>\n</Piece>\n</UnstructuredGrid>\n</VTKFile>\n"))
}

fn write_array(
    out: &mut Out,
    attributes: &str,
    byte_count: usize,
    bytes: impl Iterator<Item = u8>,
) -> Result<(), WriteError> {
    out.text(format_args!("<DataArray {attributes} format=\"binary\">\n"))?;
    let head = (byte_count as u64).to_le_bytes();
    let mut piece = Vec::with_capacity(base64::PIECE);
    for byte in head.into_iter().chain(bytes) {
        piece.push(byte);
        if piece.len() == base64::PIECE {
            out.bytes(base64::encode(&piece).as_bytes())?;
            piece.clear();
        }
    }
    out.bytes(base64::encode(&piece).as_bytes())?;
    out.text(format_args!("\n</DataArray>\n"))
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('"', "&quot;").replace('<', "&lt;")
}
