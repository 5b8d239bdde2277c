//! GLB: animated morph targets, all bodies in one file (glTF 2.0, Khronos).
//!
//! Few frames are exact: the first is the mesh, every other one a target, and weights go from one to the next. Many frames
//! would be many targets, which viewers hold all at once, so there each body's rigid motion goes to its node and what
//! remains in the body's frame to principal components ([`reduced`]); the error that leaves is measured on the numbers in
//! the file and stated in `asset.extras`. Second 0 is the clip's first frame. Camera and obstacles are nodes behind the bodies.

mod bin;
mod eigen;
mod exact;
mod layout;
mod materials;
mod reduced;
mod surroundings;

use super::{Out, Written};
use crate::clip::{Clip, ClipInfo, WriteError};
use bin::Bin;
use layout::Layout;
use materials::Materials;
use serde_json::{Map, Value, json};
use std::path::Path;
use surroundings::Surroundings;

/// Programs read lengths into signed 32-bit numbers.
const LIMIT_BYTES: u64 = (1 << 31) - 1;

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct GlbOptions {
    /// Up to this many frames, every frame is a target and exact.
    pub exact_frames: usize,
    /// Beyond, at most this many targets a body: WebGL 2 promises textures of 256 layers.
    pub max_targets: usize,
    /// The largest error that is aimed at, as a share of the body's size (the diagonal of its box in the first frame).
    pub bound: f64,
    /// Normals move with the targets. Without, shading keeps the first frame's, and the file is half as large.
    pub normals: bool,
}

impl Default for GlbOptions {
    fn default() -> Self {
        Self { exact_frames: 64, max_targets: 256, bound: 1e-3, normals: true }
    }
}

/// One body as it was put into the buffer.
struct Placed {
    /// Of all the mesh's primitives.
    attributes: Map<String, Value>,
    parts: Vec<Part>,
    targets: Vec<Value>,
    target_names: Vec<String>,
    /// Accessors of the animation: weights, translation, rotation.
    weights: Option<usize>,
    rigid: Option<[usize; 2]>,
    /// How the body stands in the first frame.
    first_weights: Vec<f32>,
    first_pose: Option<([f32; 3], [f32; 4])>,
    /// What `asset.extras` says of it.
    extras: Value,
    note: Option<String>,
}

/// A primitive: the triangles of one material.
struct Part {
    material: Option<u32>,
    /// An accessor.
    indices: usize,
}

pub(super) fn write(clip: &mut dyn Clip, path: &Path, options: &GlbOptions) -> Result<Written, WriteError> {
    let mut bin = Bin::create(path)?;
    let times = time_accessor(clip.info(), &mut bin)?;
    let mut placed = Vec::new();
    for body in 0..clip.info().bodies.len() {
        let layout = Layout::of(&clip.info().bodies[body]);
        placed.push(if clip.info().frame_count <= options.exact_frames.max(1) {
            exact::place(clip, body, &layout, options, &mut bin)?
        } else {
            reduced::place(clip, body, &layout, options, &mut bin)?
        });
    }
    let mut materials = Materials::default();
    let mut of_parts = Vec::new();
    for (body, placed) in clip.info().bodies.iter().zip(&placed) {
        of_parts.push(materials.add(body, &placed.parts, &mut bin)?);
    }
    let around = Surroundings::place(clip.info(), &mut bin)?;
    let mut document = document(clip.info(), &placed, &bin, times, (&materials, &of_parts));
    around.add_to(&mut document, clip.info(), times);
    let file = assemble(path, &document, bin)?;
    Ok(Written { files: vec![file], notes: placed.into_iter().filter_map(|body| body.note).collect() })
}

fn time_accessor(info: &ClipInfo, bin: &mut Bin) -> Result<Option<usize>, WriteError> {
    if info.frame_count < 2 {
        return Ok(None);
    }
    let times: Vec<f32> = (0..info.frame_count).map(|frame| info.secs(frame) as f32).collect();
    if times.windows(2).any(|pair| pair[0] >= pair[1]) {
        return Err(WriteError::Clip { what: "so many frames a second that f32 cannot tell their times apart".into() });
    }
    bin.scalars(&times, true).map(Some)
}

fn document(
    info: &ClipInfo,
    placed: &[Placed],
    bin: &Bin,
    times: Option<usize>,
    (materials, of_parts): (&Materials, &[Vec<usize>]),
) -> Value {
    let mut nodes = Vec::new();
    let (mut meshes, mut samplers, mut channels) = (Vec::new(), Vec::new(), Vec::new());
    for (index, (body, placed)) in info.bodies.iter().zip(placed).enumerate() {
        let mut node = json!({ "name": body.name, "mesh": index });
        if let Some((translation, rotation)) = placed.first_pose {
            node["translation"] = json!(translation);
            node["rotation"] = json!(rotation);
        }
        nodes.push(node);
        let mut mesh = json!({ "name": body.name });
        let primitive = |(part, material): (&Part, &usize)| {
            let mut primitive =
                json!({ "attributes": placed.attributes, "indices": part.indices, "material": material });
            if !placed.targets.is_empty() {
                primitive["targets"] = json!(placed.targets);
            }
            primitive
        };
        if !placed.targets.is_empty() {
            mesh["weights"] = json!(placed.first_weights);
            mesh["extras"] = json!({ "targetNames": placed.target_names });
        }
        mesh["primitives"] = placed.parts.iter().zip(&of_parts[index]).map(primitive).collect();
        meshes.push(mesh);
        let mut animate = |output: usize, what: &str| {
            channels.push(json!({ "sampler": samplers.len(), "target": { "node": index, "path": what } }));
            samplers.push(json!({ "input": times, "output": output, "interpolation": "LINEAR" }));
        };
        if let Some(weights) = placed.weights {
            animate(weights, "weights");
        }
        if let Some([translation, rotation]) = placed.rigid {
            animate(translation, "translation");
            animate(rotation, "rotation");
        }
    }
    let bodies: Map<String, Value> =
        info.bodies.iter().zip(placed).map(|(body, placed)| (body.name.clone(), placed.extras.clone())).collect();
    let extras = json!({
        "first_frame": info.first_frame,
        "frames": info.frame_count,
        "fps": [info.fps.0, info.fps.1],
        "bodies": bodies,
    });
    let mut document = json!({
        "asset": { "version": "2.0", "generator": "sinew", "extras": { "sinew": extras } },
        "scene": 0,
        "scenes": [{ "nodes": (0..nodes.len()).collect::<Vec<_>>() }],
        "nodes": nodes,
        "meshes": meshes,
        "materials": materials.materials,
        "accessors": bin.accessors,
        "bufferViews": bin.views,
        "buffers": [{ "byteLength": bin.byte_count }],
    });
    if !materials.images.is_empty() {
        document["images"] = json!(materials.images);
        document["textures"] = json!(materials.textures);
    }
    if !channels.is_empty() {
        document["animations"] = json!([{ "name": "take", "samplers": samplers, "channels": channels }]);
    }
    document
}

/// Header, JSON padded with spaces, and the buffer behind it.
fn assemble(path: &Path, document: &Value, bin: Bin) -> Result<std::path::PathBuf, WriteError> {
    let mut text = document.to_string().into_bytes();
    text.resize(text.len().next_multiple_of(4), b' ');
    let total = 12 + 8 + text.len() as u64 + 8 + bin.byte_count;
    check_size(path, total, "export fewer frames or bodies")?;
    let mut out = Out::create(path)?;
    out.bytes(b"glTF")?;
    out.words([2, total as u32, text.len() as u32], u32::to_le_bytes)?;
    out.bytes(b"JSON")?;
    out.bytes(&text)?;
    out.words([bin.byte_count as u32], u32::to_le_bytes)?;
    out.bytes(b"BIN\0")?;
    bin.copy_to(&mut out)?;
    out.commit()
}

/// Refuses what would be too large before it is made.
fn check_size(path: &Path, bytes: u64, reduce: &str) -> Result<(), WriteError> {
    if bytes <= LIMIT_BYTES {
        return Ok(());
    }
    Err(WriteError::TooLarge { path: path.to_owned(), bytes, limit: LIMIT_BYTES, reduce: reduce.to_owned() })
}
