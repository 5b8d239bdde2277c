//! PLY, binary and little endian: a file a frame. The format knows no objects, so that all bodies make one mesh, in their
//! order; vertices carry normals, and colours where a body has one.

use super::files::frame_suffix;
use super::{Out, Written, beside};
use crate::clip::{self, Clip, ClipInfo, WriteError};
use std::path::Path;

pub(super) fn write_sequence(clip: &mut dyn Clip, path: &Path) -> Result<Written, WriteError> {
    let mut written = Written::default();
    for frame in 0..clip.info().frame_count {
        let mut out = Out::create(&beside(path, &frame_suffix(clip.info().number(frame)), "ply"))?;
        write_frame(clip, frame, &mut out)?;
        written.files.push(out.commit()?);
    }
    Ok(written)
}

fn write_frame(clip: &mut dyn Clip, frame: usize, out: &mut Out) -> Result<(), WriteError> {
    write_head(clip.info(), frame, out)?;
    let coloured = is_coloured(clip.info());
    let mut points = Vec::new();
    for body in 0..clip.info().bodies.len() {
        clip::skin(clip, body, frame, &mut points)?;
        let normals = clip::normals(clip, body, frame, &points)?;
        let body = &clip.info().bodies[body];
        // White is what a viewer shows of a mesh without colours.
        let colour = body.colour.unwrap_or([1.0; 3]).map(|part| (part.clamp(0.0, 1.0) * 255.0).round() as u8);
        for (point, normal) in points.iter().zip(&normals) {
            out.words(point.iter().chain(normal).copied(), f32::to_le_bytes)?;
            if coloured {
                out.bytes(&colour)?;
            }
        }
    }
    let mut before = 0;
    for body in &clip.info().bodies {
        for corners in &body.triangles {
            out.bytes(&[3])?;
            out.words(corners.map(|vertex| vertex + before), u32::to_le_bytes)?;
        }
        before += body.vertex_count as u32;
    }
    Ok(())
}

fn write_head(info: &ClipInfo, frame: usize, out: &mut Out) -> Result<(), WriteError> {
    let vertices: usize = info.bodies.iter().map(|body| body.vertex_count).sum();
    let triangles: usize = info.bodies.iter().map(|body| body.triangles.len()).sum();
    if i32::try_from(vertices).is_err() {
        return Err(WriteError::Clip { what: format!("{vertices} vertices in one PLY file; export fewer bodies") });
    }
    let number = info.number(frame);
    out.text(format_args!("ply\nformat binary_little_endian 1.0\ncomment sinew: frame {number}, metres, Y up\n"))?;
    out.text(format_args!("element vertex {vertices}\n"))?;
    for property in ["x", "y", "z", "nx", "ny", "nz"] {
        out.text(format_args!("property float {property}\n"))?;
    }
    if is_coloured(info) {
        out.text(format_args!("property uchar red\nproperty uchar green\nproperty uchar blue\n"))?;
    }
    // Blender and others read signed indices only.
    out.text(format_args!("element face {triangles}\nproperty list uchar int vertex_indices\nend_header\n"))
}

fn is_coloured(info: &ClipInfo) -> bool {
    info.bodies.iter().any(|body| body.colour.is_some())
}
