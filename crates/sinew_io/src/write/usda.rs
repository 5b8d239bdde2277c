//! USDA: one `Mesh` a body, its points and normals sampled at every frame, time codes as frame numbers.
//!
//! OpenUSD, "UsdGeomMesh" and "Usd.Stage" metadata. A body's attribute is written frame by frame, so that each of points
//! and normals is one pass over the clip; extents are kept from the first.

use super::usda_looks::UsdLooks;
use super::usda_surroundings;
use super::{Out, Written};
use crate::clip::{self, Clip, ClipBody, ClipInfo, WriteError};
use std::fmt;
use std::path::Path;

pub(super) fn write(clip: &mut dyn Clip, path: &Path) -> Result<Written, WriteError> {
    let mut out = Out::create(path)?;
    write_stage(clip.info(), &mut out)?;
    let names = identifiers(clip.info().bodies.iter().map(|body| body.name.as_str()));
    let looks = UsdLooks::of(clip.info(), &names, path);
    for (body, name) in names.iter().enumerate() {
        write_body(clip, body, name, &looks, &mut out)?;
    }
    usda_surroundings::write(clip.info(), &names, &mut out)?;
    looks.write_materials(&mut out)?;
    out.text(format_args!("}}\n"))?;
    let mut files = vec![out.commit()?];
    files.extend(looks.write_images(clip.info())?);
    Ok(Written { files, notes: Vec::new() })
}

fn write_stage(info: &ClipInfo, out: &mut Out) -> Result<(), WriteError> {
    let (fps, first, last) = (info.fps(), info.number(0), info.number(info.frame_count - 1));
    out.text(format_args!(
        "#usda 1.0\n(\n    defaultPrim = \"Take\"\n    doc = \"Written by sinew\"\n    endTimeCode = {last}\n    \
         framesPerSecond = {fps}\n    metersPerUnit = 1\n    startTimeCode = {first}\n    timeCodesPerSecond = {fps}\n    \
         upAxis = \"Y\"\n)\n\ndef Xform \"Take\" (\n    kind = \"component\"\n)\n{{\n"
    ))
}

fn write_body(clip: &mut dyn Clip, body: usize, name: &str, looks: &UsdLooks, out: &mut Out) -> Result<(), WriteError> {
    let ClipBody { name: shown, triangles, corner_uvs, colour, .. } = clip.info().bodies[body].clone();
    let schemas = if looks.is_bound(body) { "        prepend apiSchemas = [\"MaterialBindingAPI\"]\n" } else { "" };
    out.text(format_args!("    def Mesh \"{name}\" (\n{schemas}        displayName = \"{shown}\"\n    )\n    {{\n"))?;
    let count = triangles.len();
    out.text(format_args!("        uniform bool doubleSided = 1\n"))?;
    out.text(format_args!("        int[] faceVertexCounts = [{}]\n", List((0..count).map(|_| 3))))?;
    out.text(format_args!("        int[] faceVertexIndices = [{}]\n", List(triangles.iter().flatten())))?;
    let extents = write_samples(clip, body, out, Sampled::Points)?;
    write_samples(clip, body, out, Sampled::Normals)?;
    out.text(format_args!(
        "        uniform token subdivisionScheme = \"none\"\n        float3[] extent.timeSamples = {{\n"
    ))?;
    for (frame, [low, high]) in extents.iter().enumerate() {
        let number = clip.info().number(frame);
        out.text(format_args!("            {number}: [{}, {}],\n", Tuple(*low), Tuple(*high)))?;
    }
    out.text(format_args!("        }}\n"))?;
    if let Some(colour) = colour {
        let linear = colour.map(linear_of_screen);
        out.text(format_args!("        color3f[] primvars:displayColor = [{}] (\n", Tuple(linear)))?;
        out.text(format_args!("            interpolation = \"constant\"\n        )\n"))?;
    }
    if !corner_uvs.is_empty() {
        let uvs = corner_uvs.as_flattened().iter().map(|uv| Tuple(*uv));
        out.text(format_args!("        texCoord2f[] primvars:st = [{}] (\n", List(uvs)))?;
        out.text(format_args!("            interpolation = \"faceVarying\"\n        )\n"))?;
    }
    looks.write_bindings(body, out)?;
    out.text(format_args!("    }}\n"))
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Sampled {
    Points,
    Normals,
}

/// One attribute over all frames, made of the points; gives the bounds of each frame's points.
fn write_samples(
    clip: &mut dyn Clip,
    body: usize,
    out: &mut Out,
    sampled: Sampled,
) -> Result<Vec<[[f32; 3]; 2]>, WriteError> {
    let attribute = match sampled {
        Sampled::Points => "point3f[] points",
        Sampled::Normals => "normal3f[] normals",
    };
    out.text(format_args!("        {attribute}.timeSamples = {{\n"))?;
    let mut extents = Vec::new();
    for frame in 0..clip.info().frame_count {
        let mut points = Vec::new();
        clip::skin(clip, body, frame, &mut points)?;
        extents.push(clip::bounds(&points));
        let values = match sampled {
            Sampled::Points => points,
            Sampled::Normals => clip::normals(clip, body, frame, &points)?,
        };
        out.text(format_args!("            {}: [", clip.info().number(frame)))?;
        out.text(format_args!("{}],\n", List(values.iter().map(|value| Tuple(*value)))))?;
    }
    let end = if sampled == Sampled::Normals {
        // Metadata of a sampled attribute goes with a statement of its own.
        "        }\n        normal3f[] normals (\n            interpolation = \"vertex\"\n        )\n"
    } else {
        "        }\n"
    };
    out.text(format_args!("{end}"))?;
    Ok(extents)
}

/// Names as USD allows them: letters, digits and `_`, no digit first, each once.
pub(super) fn identifiers<'a>(given: impl Iterator<Item = &'a str>) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for name in given {
        let mut name: String = name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
        if name.is_empty() || name.starts_with(|c: char| c.is_ascii_digit()) {
            name.insert(0, '_');
        }
        while names.contains(&name) {
            name.push('_');
        }
        names.push(name);
    }
    names
}

/// A colour of a screen (sRGB) in light.
pub(super) fn linear_of_screen(part: f32) -> f32 {
    if part <= 0.04045 { part / 12.92 } else { ((part + 0.055) / 1.055).powf(2.4) }
}

/// `(a, b, c)`.
#[derive(Clone, Copy)]
pub(super) struct Tuple<const N: usize>(pub(super) [f32; N]);

impl<const N: usize> fmt::Display for Tuple<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, number) in self.0.iter().enumerate() {
            write!(f, "{}{number:?}", if i == 0 { "(" } else { ", " })?;
        }
        f.write_str(")")
    }
}

/// `a, b, c`, without a string of the whole.
pub(super) struct List<I>(pub(super) I);

impl<I: Iterator<Item: fmt::Display> + Clone> fmt::Display for List<I> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, item) in self.0.clone().enumerate() {
            if i > 0 {
                f.write_str(", ")?;
            }
            write!(f, "{item}")?;
        }
        Ok(())
    }
}
