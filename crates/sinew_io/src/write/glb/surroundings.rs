//! Camera and obstacles of a GLB: nodes of their own behind those of the bodies, moved by translations and rotations.

use super::super::usda::linear_of_screen;
use super::Bin;
use crate::clip::{ClipInfo, ClipPose, WriteError};
use serde_json::{Value, json};

/// Nodes whose meshes and motion are in the buffer.
pub(super) struct Surroundings {
    nodes: Vec<Placed>,
}

struct Placed {
    node: Value,
    /// Accessors of positions, normals and triangles, and the colour; none for the camera.
    mesh: Option<([usize; 3], [f32; 3])>,
    /// Accessors of translations and rotations of what moves.
    motion: Option<[usize; 2]>,
}

impl Surroundings {
    pub(super) fn place(info: &ClipInfo, bin: &mut Bin) -> Result<Self, WriteError> {
        let mut nodes = Vec::new();
        for prop in &info.props {
            let normals = crate::clip::smooth_normals(&prop.positions, &prop.triangles);
            let mesh =
                [bin.vectors(&prop.positions, true)?, bin.vectors(&normals, false)?, bin.indices(&prop.triangles)?];
            let node = json!({ "name": prop.name, "extras": { "sinew": "obstacle" } });
            nodes.push(Placed { node, mesh: Some((mesh, prop.colour)), motion: motion(&prop.poses, bin)? });
            set_pose(nodes.last_mut(), prop.poses.first());
        }
        if let Some(camera) = &info.camera {
            nodes.push(Placed {
                node: json!({ "name": "camera", "camera": 0 }),
                mesh: None,
                motion: motion(&camera.poses, bin)?,
            });
            set_pose(nodes.last_mut(), camera.poses.first());
        }
        Ok(Self { nodes })
    }

    /// Adds the nodes to a document that has the bodies.
    pub(super) fn add_to(self, document: &mut Value, info: &ClipInfo, times: Option<usize>) {
        if let Some(camera) = &info.camera {
            // A zoom has no channel in glTF 2.0: it is as wide as in the first frame.
            let yfov = camera.fov_y_deg.first().copied().unwrap_or(40.0).to_radians();
            document["cameras"] = json!([{ "type": "perspective", "name": "camera", "perspective": { "yfov": yfov, "znear": 0.01, "zfar": 10_000.0 } }]);
        }
        for Placed { mut node, mesh, motion } in self.nodes {
            if let Some(([positions, normals, indices], colour)) = mesh {
                let [r, g, b] = colour.map(linear_of_screen);
                let material = push(
                    document,
                    "/materials",
                    json!({
                        "name": node["name"],
                        "pbrMetallicRoughness": { "baseColorFactor": [r, g, b, 1.0], "metallicFactor": 0.0, "roughnessFactor": 0.9 },
                        "doubleSided": true,
                    }),
                );
                let primitive = json!({ "attributes": { "POSITION": positions, "NORMAL": normals }, "indices": indices, "material": material });
                node["mesh"] =
                    json!(push(document, "/meshes", json!({ "name": node["name"], "primitives": [primitive] })));
            }
            let index = push(document, "/nodes", node);
            push(document, "/scenes/0/nodes", json!(index));
            let (Some(motion), Some(times)) = (motion, times) else { continue };
            if document.get("animations").is_none() {
                document["animations"] = json!([{ "name": "take", "samplers": [], "channels": [] }]);
            }
            for (output, path) in motion.into_iter().zip(["translation", "rotation"]) {
                let sampler = json!({ "input": times, "output": output, "interpolation": "LINEAR" });
                let sampler = push(document, "/animations/0/samplers", sampler);
                push(
                    document,
                    "/animations/0/channels",
                    json!({ "sampler": sampler, "target": { "node": index, "path": path } }),
                );
            }
        }
    }
}

/// Appends to a list of the document; gives the place of what was appended.
fn push(document: &mut Value, list: &str, value: Value) -> usize {
    let Some(list) = document.pointer_mut(list).and_then(Value::as_array_mut) else { return 0 };
    list.push(value);
    list.len() - 1
}

fn set_pose(placed: Option<&mut Placed>, pose: Option<&ClipPose>) {
    if let (Some(placed), Some(pose)) = (placed, pose) {
        placed.node["translation"] = json!(pose.at);
        placed.node["rotation"] = json!(pose.turn);
    }
}

/// Keys of what moves. Neighbouring rotations are given on the same side, so that what is between them is the shorter way.
fn motion(poses: &[ClipPose], bin: &mut Bin) -> Result<Option<[usize; 2]>, WriteError> {
    if poses.windows(2).all(|pair| pair[0] == pair[1]) {
        return Ok(None);
    }
    let places: Vec<[f32; 3]> = poses.iter().map(|pose| pose.at).collect();
    let mut turns: Vec<[f32; 4]> = poses.iter().map(|pose| pose.turn).collect();
    for n in 1..turns.len() {
        let along: f32 = (0..4).map(|i| turns[n - 1][i] * turns[n][i]).sum();
        if along < 0.0 {
            turns[n] = turns[n].map(|part| -part);
        }
    }
    Ok(Some([bin.keys(&places)?, bin.keys(&turns)?]))
}
