//! Nodes of a glTF scene, flat, each with its way to the root.

use super::Document;
use crate::FormatError;
use serde_json::Value;
use sinew_math::{DMat3, DQuat, DVec3};

/// `x ↦ linear x + shift`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Transform {
    pub(crate) linear: DMat3,
    pub(crate) shift: DVec3,
}

/// How a node stands to its parent: by parts, which can be animated, or by a matrix.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Node {
    pub(crate) index: usize,
    pub(crate) name: String,
    pub(crate) mesh: Option<Value>,
    pub(crate) skin: Option<Value>,
    pub(crate) translation: DVec3,
    pub(crate) rotation: DQuat,
    pub(crate) scale: DVec3,
    pub(crate) matrix: Option<Transform>,
    /// In the list of nodes.
    pub(crate) parent: Option<usize>,
}

impl Transform {
    pub(crate) const IDENTITY: Self = Self { linear: DMat3::IDENTITY, shift: DVec3::ZERO };

    /// Of a matrix column by column; its last row is taken for granted.
    pub(crate) fn of_matrix(m: &[f64; 16]) -> Self {
        Self {
            linear: DMat3::from_cols_array(&[m[0], m[1], m[2], m[4], m[5], m[6], m[8], m[9], m[10]]),
            shift: DVec3::new(m[12], m[13], m[14]),
        }
    }

    pub(crate) fn after(self, inner: Self) -> Self {
        Self { linear: self.linear * inner.linear, shift: self.linear * inner.shift + self.shift }
    }

    pub(crate) fn apply(&self, x: DVec3) -> DVec3 {
        self.linear * x + self.shift
    }
}

impl Node {
    pub(crate) fn parent_from_node(&self) -> Transform {
        let linear = DMat3::from_quat(self.rotation) * DMat3::from_diagonal(self.scale);
        self.matrix.unwrap_or(Transform { linear, shift: self.translation })
    }
}

impl Document {
    /// All nodes of the scene that is shown (of all, if none is), parents first.
    pub(crate) fn nodes(&self) -> Result<Vec<Node>, FormatError> {
        let all = self.list("nodes");
        let mut seen = vec![false; all.len()];
        let mut nodes: Vec<Node> = Vec::new();
        let mut waiting: Vec<(Value, Option<usize>)> = self.roots()?.into_iter().map(|root| (root, None)).collect();
        waiting.reverse();
        while let Some((index, parent)) = waiting.pop() {
            let value = self.entry("nodes", &index)?;
            let place = index.as_u64().unwrap_or_default() as usize;
            // A tree names each node once; a second time would be a circle or a shared part.
            if std::mem::replace(&mut seen[place], true) {
                return Err(self.wrong(format!("node {place} hangs in two places")));
            }
            nodes.push(self.node(place, value, parent)?);
            let here = nodes.len() - 1;
            let children = value["children"].as_array().into_iter().flatten().rev();
            waiting.extend(children.map(|child| (child.clone(), Some(here))));
        }
        Ok(nodes)
    }

    fn roots(&self) -> Result<Vec<Value>, FormatError> {
        let scene = match (&self.json["scene"], self.list("scenes").first()) {
            (Value::Null, Some(first)) => first,
            (Value::Null, None) => {
                let children: Vec<&Value> =
                    self.list("nodes").iter().filter_map(|node| node["children"].as_array()).flatten().collect();
                let roots = (0..self.list("nodes").len()).map(Value::from).filter(|node| !children.contains(&node));
                return Ok(roots.collect());
            }
            (scene, _) => self.entry("scenes", scene)?,
        };
        Ok(scene["nodes"].as_array().cloned().unwrap_or_default())
    }

    fn node(&self, index: usize, value: &Value, parent: Option<usize>) -> Result<Node, FormatError> {
        let matrix = self.numbers::<16>(value, "matrix", index)?;
        let vector = |key: &str, default: f64| -> Result<DVec3, FormatError> {
            Ok(self.numbers::<3>(value, key, index)?.map_or(DVec3::splat(default), DVec3::from_array))
        };
        let rotation = self.numbers::<4>(value, "rotation", index)?.map_or(DQuat::IDENTITY, DQuat::from_array);
        Ok(Node {
            index,
            name: value["name"].as_str().unwrap_or_default().to_owned(),
            // Obstacles of our own exports are no bodies.
            mesh: value.get("mesh").filter(|_| value["extras"]["sinew"] != "obstacle").cloned(),
            skin: value.get("skin").cloned(),
            translation: vector("translation", 0.0)?,
            rotation: if rotation.length_squared() > 0.0 { rotation.normalize() } else { DQuat::IDENTITY },
            scale: vector("scale", 1.0)?,
            matrix: matrix.map(|m| Transform::of_matrix(&m)),
            parent,
        })
    }

    fn numbers<const N: usize>(&self, of: &Value, key: &str, node: usize) -> Result<Option<[f64; N]>, FormatError> {
        let Some(list) = of.get(key) else { return Ok(None) };
        let numbers: Option<Vec<f64>> = list.as_array().and_then(|list| list.iter().map(Value::as_f64).collect());
        let numbers = numbers.and_then(|numbers| <[f64; N]>::try_from(numbers).ok());
        match numbers {
            Some(numbers) => Ok(Some(numbers)),
            None => Err(self.wrong(format!("{key} of node {node} is not {N} numbers"))),
        }
    }
}
