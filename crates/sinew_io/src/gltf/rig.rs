//! Bones of a glTF scene, and meshes as their bones hold them at rest.

use super::{Document, Node, Transform};
use crate::{FormatError, Joint, Rig};
use serde_json::Value;
use sinew_math::{DMat3, DVec3};

/// One skin: for each of its joints the number in the rig, and the transform that takes a point to where the joint
/// holds it.
pub(crate) struct Bones {
    joints: Vec<(u32, Transform)>,
}

impl Document {
    /// Adds the joints of a node's skin to the rig. A mesh without a skin has no bones.
    pub(crate) fn bones(
        &self,
        skin: &Value,
        nodes: &[Node],
        world: &[Transform],
        rig: &mut Rig,
    ) -> Result<Bones, FormatError> {
        let skin = self.entry("skins", skin)?;
        let list = skin["joints"].as_array().cloned().unwrap_or_default();
        let inverse = match skin.get("inverseBindMatrices") {
            Some(index) => self.vectors::<16>(index)?,
            None => Vec::new(),
        };
        let place = |joint: &Value| nodes.iter().position(|node| Some(node.index as u64) == joint.as_u64());
        let places: Vec<Option<usize>> = list.iter().map(place).collect();
        let first = rig.joints.len() as u32;
        let mut joints = Vec::new();
        for (number, (joint, place)) in list.iter().zip(&places).enumerate() {
            let Some(place) = *place else { return Err(self.wrong(format!("joint {joint} is not in the scene"))) };
            // A joint's parent may be a node between bones; the next bone up counts.
            let mut above = nodes[place].parent;
            let parent = loop {
                match above {
                    None => break None,
                    Some(node) => match places.iter().position(|other| *other == Some(node)) {
                        Some(found) => break Some(first + found as u32),
                        None => above = nodes[node].parent,
                    },
                }
            };
            let rest = world[place];
            let name = nodes[place].name.clone();
            let axes = rest.linear.to_cols_array_2d();
            rig.joints.push(Joint { name, parent, at: rest.shift.to_array(), axes });
            let bind = inverse.get(number).map_or(Transform::IDENTITY, |m| Transform::of_matrix(&m.map(f64::from)));
            joints.push((first + number as u32, rest.after(bind)));
        }
        Ok(Bones { joints })
    }

    /// Four joints with weights of each vertex of a primitive.
    pub(crate) fn vertex_weights(
        &self,
        primitive: &Value,
        vertex_count: usize,
    ) -> Result<Vec<[(u32, f32); 4]>, FormatError> {
        let attributes = &primitive["attributes"];
        let (Some(joints), Some(weights)) = (attributes.get("JOINTS_0"), attributes.get("WEIGHTS_0")) else {
            return Ok(vec![[(0, 0.0); 4]; vertex_count]);
        };
        let (joints, weights) = (self.vectors::<4>(joints)?, self.vectors::<4>(weights)?);
        let vertex = |vertex: usize| {
            let joints = joints.get(vertex).copied().unwrap_or_default();
            let weights = weights.get(vertex).copied().unwrap_or_default().map(|weight: f32| weight.max(0.0));
            let sum: f32 = weights.iter().sum();
            let share = if sum > 0.0 { 1.0 / sum } else { 0.0 };
            std::array::from_fn(|i| (joints[i] as u32, weights[i] * share))
        };
        Ok((0..vertex_count).map(vertex).collect())
    }
}

impl Bones {
    /// Where the bones hold a vertex; the weights' joints become numbers of the rig.
    pub(crate) fn hold(&self, weights: &mut [(u32, f32); 4]) -> Option<Transform> {
        let (mut linear, mut shift, mut sum) = (DMat3::ZERO, DVec3::ZERO, 0.0);
        for (joint, weight) in weights.iter_mut().filter(|(_, weight)| *weight > 0.0) {
            let (number, held) = self.joints.get(*joint as usize)?;
            let share = f64::from(*weight);
            linear += held.linear * share;
            shift += held.shift * share;
            sum += share;
            *joint = *number;
        }
        (sum > 0.0).then_some(Transform { linear, shift })
    }
}
