//! Morph targets and node motion of glTF files, played at the times of their keys.

use super::{Cache, CacheMotion};
use crate::Dir;
use crate::FormatError;
use crate::gltf::{Document, Node, Transform, primitive_triangles};
use serde_json::Value;
use sinew_math::{DQuat, DVec3};

/// A mesh at a node: its targets, and all that moves it.
#[derive(Debug, Clone, PartialEq)]
pub struct MorphMotion {
    base: Vec<[f32; 3]>,
    /// By how much each target moves the vertices.
    targets: Vec<Vec<[f32; 3]>>,
    /// Where no channel gives them.
    weights: Vec<f32>,
    weight_keys: Option<Keys>,
    /// From the node to its root.
    way: Vec<Link>,
}

type Morph = (MorphMotion, Vec<[u32; 3]>);

/// One node on the way to the root.
#[derive(Debug, Clone, PartialEq)]
struct Link {
    node: Node,
    translation: Option<Keys>,
    rotation: Option<Keys>,
    scale: Option<Keys>,
}

/// A channel: values at ascending times.
#[derive(Debug, Clone, PartialEq)]
struct Keys {
    times: Vec<f32>,
    /// So many numbers a key (three times as many of a cubic: tangent, value, tangent).
    width: usize,
    values: Vec<f32>,
    kind: Kind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Step,
    Linear,
    Cubic,
}

/// What is animated, of one node.
#[derive(Default)]
struct Channels {
    weights: Option<Keys>,
    translation: Option<Keys>,
    rotation: Option<Keys>,
    scale: Option<Keys>,
}

pub(super) fn parse(bytes: &[u8], folder: Option<&Dir>) -> Result<Vec<Cache>, FormatError> {
    let document = Document::parse(bytes, folder)?;
    let nodes = document.nodes()?;
    let extras = &document.json["asset"]["extras"]["sinew"];
    let first_frame = extras["first_frame"].as_i64().and_then(|frame| i32::try_from(frame).ok());
    let mut caches = Vec::new();
    // What is made of the file altogether: a mesh may hang at many nodes.
    let mut made = 0usize;
    for (place, node) in nodes.iter().enumerate() {
        let Some(mesh) = &node.mesh else { continue };
        let mesh = document.entry("meshes", mesh)?;
        let Some((motion, triangles)) = morph_motion(&document, mesh, &nodes, place)? else { continue };
        made = made.saturating_add(motion.base.len() * (motion.targets.len() + 1) + motion.key_count());
        if made > 4 * document.byte_count {
            return Err(document.wrong("the same meshes are repeated more often than a file of this size may"));
        }
        caches.push(Cache {
            name: node.name.clone(),
            vertex_count: motion.base.len(),
            triangles,
            times_secs: motion.times(),
            first_frame,
            motion: CacheMotion::Morph(Box::new(motion)),
        });
    }
    if caches.is_empty() {
        return Err(document.wrong("the scene has no triangles"));
    }
    Ok(caches)
}

fn morph_motion(document: &Document, mesh: &Value, nodes: &[Node], place: usize) -> Result<Option<Morph>, FormatError> {
    let (mut base, mut triangles) = (Vec::new(), Vec::new());
    let mut targets: Vec<Vec<[f32; 3]>> = Vec::new();
    for primitive in mesh["primitives"].as_array().into_iter().flatten() {
        let points = document.vectors::<3>(&primitive["attributes"]["POSITION"])?;
        let Some(corners) = primitive_triangles(document, primitive, points.len())? else { continue };
        let begin = base.len() as u32;
        triangles.extend(corners.iter().map(|corners| corners.map(|corner| corner + begin)));
        let given = primitive["targets"].as_array().map_or(&[][..], Vec::as_slice);
        if !base.is_empty() && given.len() != targets.len() {
            return Err(document.wrong("parts of a mesh with different numbers of targets"));
        }
        targets.resize(given.len(), Vec::new());
        for (target, moved) in given.iter().zip(&mut targets) {
            match target.get("POSITION") {
                Some(index) => moved.extend(document.vectors::<3>(index)?),
                None => moved.resize(moved.len() + points.len(), [0.0; 3]),
            }
            if moved.len() != base.len() + points.len() {
                return Err(document.wrong("a target with another number of vertices than its mesh"));
            }
        }
        base.extend(points);
    }
    if base.is_empty() {
        return Ok(None);
    }
    let given = document.list("nodes")[nodes[place].index].get("weights").unwrap_or(&mesh["weights"]);
    let mut weights: Vec<f32> =
        given.as_array().into_iter().flatten().map(|weight| weight.as_f64().unwrap_or_default() as f32).collect();
    weights.resize(targets.len(), 0.0);
    let mut way = Vec::new();
    let mut weight_keys = None;
    let mut at = Some(place);
    while let Some(here) = at {
        let node = &nodes[here];
        let channels = channels(document, node.index, targets.len())?;
        if here == place {
            weight_keys = channels.weights;
        }
        let Channels { translation, rotation, scale, .. } = channels;
        way.push(Link { node: node.clone(), translation, rotation, scale });
        at = node.parent;
    }
    Ok(Some((MorphMotion { base, targets, weights, weight_keys, way }, triangles)))
}

/// The channels of the first animation that move a node.
fn channels(document: &Document, node: usize, target_count: usize) -> Result<Channels, FormatError> {
    let mut found = Channels::default();
    let Some(animation) = document.list("animations").first() else { return Ok(found) };
    for channel in animation["channels"].as_array().into_iter().flatten() {
        if channel["target"]["node"].as_u64() != Some(node as u64) {
            continue;
        }
        let index = channel["sampler"].as_u64().unwrap_or(u64::MAX) as usize;
        let sampler = animation["samplers"].get(index).ok_or_else(|| document.wrong("a channel without sampler"))?;
        match channel["target"]["path"].as_str() {
            Some("weights") if target_count > 0 => found.weights = Some(keys::<1>(document, sampler, target_count)?),
            Some("translation") => found.translation = Some(keys::<3>(document, sampler, 3)?),
            Some("rotation") => found.rotation = Some(keys::<4>(document, sampler, 4)?),
            Some("scale") => found.scale = Some(keys::<3>(document, sampler, 3)?),
            _ => {}
        }
    }
    Ok(found)
}

fn keys<const N: usize>(document: &Document, sampler: &Value, width: usize) -> Result<Keys, FormatError> {
    let times: Vec<f32> = document.vectors::<1>(&sampler["input"])?.into_iter().map(|[time]| time).collect();
    let values = document.vectors::<N>(&sampler["output"])?.into_flattened();
    let kind = match sampler["interpolation"].as_str() {
        Some("STEP") => Kind::Step,
        Some("CUBICSPLINE") => Kind::Cubic,
        _ => Kind::Linear,
    };
    let per_key = if kind == Kind::Cubic { 3 * width } else { width };
    if times.is_empty() || Some(values.len()) != times.len().checked_mul(per_key) || !times.is_sorted() {
        let what = format!("an animation of {} times and {} numbers, {per_key} a time", times.len(), values.len());
        return Err(document.wrong(what));
    }
    Ok(Keys { times, width, values, kind })
}

impl MorphMotion {
    /// Every time at which something has a key.
    fn times(&self) -> Vec<f64> {
        let of_way = self.way.iter().flat_map(|link| [&link.translation, &link.rotation, &link.scale]);
        let keys = of_way.chain([&self.weight_keys]).flatten();
        let mut times: Vec<f64> = keys.flat_map(|keys| &keys.times).map(|time| f64::from(*time)).collect();
        times.sort_by(f64::total_cmp);
        times.dedup();
        if times.is_empty() { vec![0.0] } else { times }
    }

    fn key_count(&self) -> usize {
        let of_way = self.way.iter().flat_map(|link| [&link.translation, &link.rotation, &link.scale]);
        of_way.chain([&self.weight_keys]).flatten().map(|keys| keys.times.len() + keys.values.len() / 3).sum()
    }

    pub(super) fn points(&self, secs: Option<&f64>, out: &mut Vec<[f32; 3]>) {
        let secs = secs.copied().unwrap_or_default();
        out.extend_from_slice(&self.base);
        let weights = self.weight_keys.as_ref().map_or_else(|| self.weights.clone(), |keys| keys.at(secs));
        for (target, weight) in self.targets.iter().zip(weights).filter(|(_, weight)| *weight != 0.0) {
            for (x, moved) in out.as_flattened_mut().iter_mut().zip(target.as_flattened()) {
                *x += weight * moved;
            }
        }
        let world = self.way.iter().fold(Transform::IDENTITY, |inner, link| link.at(secs).after(inner));
        if world != Transform::IDENTITY {
            for x in out {
                *x = world.apply(DVec3::from_array(x.map(f64::from))).to_array().map(|number| number as f32);
            }
        }
    }
}

impl Link {
    fn at(&self, secs: f64) -> Transform {
        let mut node = self.node.clone();
        let vector = |keys: &Keys| {
            let v = keys.at(secs);
            DVec3::new(f64::from(v[0]), f64::from(v[1]), f64::from(v[2]))
        };
        if let Some(keys) = &self.translation {
            node.translation = vector(keys);
        }
        if let Some(keys) = &self.scale {
            node.scale = vector(keys);
        }
        if let Some(keys) = &self.rotation {
            node.rotation = keys.turn_at(secs);
        }
        node.parent_from_node()
    }
}

impl Keys {
    /// The key at or before a time, the next one, and how far between them it is (0 to 1), with the seconds of that way.
    fn between(&self, secs: f64) -> (usize, usize, f64, f64) {
        let after = self.times.partition_point(|time| f64::from(*time) <= secs);
        let (a, b) = (after.saturating_sub(1), after.min(self.times.len() - 1));
        let (from, to) = (f64::from(self.times[a]), f64::from(self.times[b]));
        let share = if to > from { ((secs - from) / (to - from)).clamp(0.0, 1.0) } else { 0.0 };
        (a, b, share, to - from)
    }

    fn at(&self, secs: f64) -> Vec<f32> {
        let (a, b, share, way) = self.between(secs);
        let value = |key: usize, part: usize| {
            let at = if self.kind == Kind::Cubic { (3 * key + part) * self.width } else { key * self.width };
            &self.values[at..at + self.width]
        };
        match self.kind {
            Kind::Step => value(a, 1).to_vec(),
            Kind::Linear => {
                let mix = |(a, b): (&f32, &f32)| (f64::from(*a) * (1.0 - share) + f64::from(*b) * share) as f32;
                value(a, 1).iter().zip(value(b, 1)).map(mix).collect()
            }
            Kind::Cubic => {
                // Hermite, tangents per second (glTF 2.0, appendix C).
                let (t, t2, t3) = (share, share * share, share * share * share);
                let factors =
                    [2.0 * t3 - 3.0 * t2 + 1.0, way * (t3 - 2.0 * t2 + t), 3.0 * t2 - 2.0 * t3, way * (t3 - t2)];
                let parts = [value(a, 1), value(a, 2), value(b, 1), value(b, 0)];
                (0..self.width)
                    .map(|i| (0..4).map(|k| factors[k] * f64::from(parts[k][i])).sum::<f64>() as f32)
                    .collect()
            }
        }
    }

    fn turn_at(&self, secs: f64) -> DQuat {
        let quaternion = |v: &[f32]| {
            let q = DQuat::from_xyzw(f64::from(v[0]), f64::from(v[1]), f64::from(v[2]), f64::from(v[3]));
            if q.length_squared() > 0.0 { q.normalize() } else { DQuat::IDENTITY }
        };
        if self.kind != Kind::Linear {
            return quaternion(&self.at(secs));
        }
        let (a, b, share, _) = self.between(secs);
        let key = |key: usize| quaternion(&self.values[4 * key..4 * key + 4]);
        key(a).slerp(key(b), share)
    }
}
