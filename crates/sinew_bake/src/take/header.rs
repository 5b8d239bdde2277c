//! What a take says about itself: which scene it was made of, by what, and how its frames are stored.

use super::TakeError;
use serde::{Deserialize, Serialize};
use sinew_stage::Clock;
use std::collections::BTreeMap;

/// Identifies what was simulated. Two takes with equal headers and inputs hold equal frames.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TakeHeader {
    /// The scene file as it was, changed settings included.
    pub scene_text: String,
    /// BLAKE3 of every mesh file the scene names.
    pub meshes: BTreeMap<String, super::Digest>,
    pub sinew_version: String,
    pub clock: Clock,
    /// In the stage's order.
    pub bodies: Vec<BodyHeader>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BodyHeader {
    pub name: String,
    pub point_count: u32,
    /// Digest of the flesh: rest positions, masses and cells.
    pub model: super::Digest,
}

/// How frames are stored. Exact states and hashes do not depend on it.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct TakeOptions {
    /// Store positions as 16-bit steps, none of them further off than this many metres.
    pub bound_m: Option<f64>,
    /// Store velocities too (half of a frame's size).
    pub velocities: bool,
}

/// What a finished take holds; its end marker says it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct TakeTotals {
    pub frames: u64,
    pub checkpoints: u64,
    /// Ticks with live inputs.
    pub inputs: u64,
    pub warnings: u64,
    /// The hash of all frames.
    pub hash: super::Digest,
}

impl Default for TakeOptions {
    fn default() -> Self {
        Self { bound_m: None, velocities: true }
    }
}

impl TakeOptions {
    pub(super) fn check(&self) -> Result<(), TakeError> {
        /// Below this, rounding of world coordinates in f64 is no longer small against the bound.
        const SMALLEST_BOUND_M: f64 = 1e-9;
        match self.bound_m {
            Some(bound_m) if !(bound_m.is_finite() && bound_m >= SMALLEST_BOUND_M) => Err(TakeError::Bound { bound_m }),
            _ => Ok(()),
        }
    }
}

/// Refuses a clock that a damaged header may hold, before anything divides by it.
pub(super) fn check_clock(clock: &Clock) -> Result<(), TakeError> {
    let (num, den) = clock.fps;
    if num == 0 || den == 0 || clock.substeps == 0 {
        return Err(TakeError::Clock { num, den, substeps: clock.substeps });
    }
    Ok(())
}

impl TakeHeader {
    /// What keeps a recorded take (`self`) from being continued as `wanted`; none if nothing does.
    pub fn difference(&self, wanted: &Self) -> Option<String> {
        if self.sinew_version != wanted.sinew_version {
            let (was, is) = (&self.sinew_version, &wanted.sinew_version);
            return Some(format!("it was made by sinew {was}, this is sinew {is}"));
        }
        if self.scene_text != wanted.scene_text {
            return Some(format!("its scene text differs {}", first_difference(&self.scene_text, &wanted.scene_text)));
        }
        if let Some(difference) = self.mesh_difference(wanted) {
            return Some(difference);
        }
        if self.clock != wanted.clock {
            return Some(format!("its clock differs: {:?}, now {:?}", self.clock, wanted.clock));
        }
        if self.bodies != wanted.bodies {
            let differing = self.bodies.iter().zip(&wanted.bodies).find(|(was, is)| was != is);
            return Some(differing.map_or_else(
                || format!("it has {} bodies, the scene {}", self.bodies.len(), wanted.bodies.len()),
                |(was, is)| {
                    let (a, b) = (was.point_count, is.point_count);
                    format!("its body {:?} of {a} points is now {:?} of {b}", was.name, is.name)
                },
            ));
        }
        None
    }

    fn mesh_difference(&self, wanted: &Self) -> Option<String> {
        for (name, hash) in &wanted.meshes {
            match self.meshes.get(name) {
                Some(was) if was == hash => {}
                Some(_) => return Some(format!("mesh {name:?} has changed since")),
                None => return Some(format!("it did not use mesh {name:?}")),
            }
        }
        let gone = self.meshes.keys().find(|name| !wanted.meshes.contains_key(*name));
        gone.map(|name| format!("it used mesh {name:?}, the scene does not"))
    }
}

/// The first line in which two texts differ.
fn first_difference(was: &str, is: &str) -> String {
    let lines = was.lines().zip(is.lines()).enumerate().find(|(_, (was, is))| was != is);
    match lines {
        Some((line, (was, is))) => format!("from line {} on: {was:?}, now {is:?}", line + 1),
        None => format!("in length: {} lines, now {}", was.lines().count(), is.lines().count()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn header() -> TakeHeader {
        TakeHeader {
            scene_text: "sinew = 1\n[scene]\nfps = 24\n".into(),
            meshes: BTreeMap::from([("a.msh".into(), [1; 32])]),
            sinew_version: "0.1.0".into(),
            clock: Clock { fps: (24000, 1001), substeps: 4, first_frame: 1, last_frame: 96 },
            bodies: vec![BodyHeader { name: "jelly".into(), point_count: 10, model: [0; 32] }],
        }
    }

    #[test]
    fn each_difference_is_named() {
        let recorded = header();
        assert_eq!(recorded.difference(&header()), None);
        let said = |change: &dyn Fn(&mut TakeHeader)| {
            let mut wanted = header();
            change(&mut wanted);
            recorded.difference(&wanted).unwrap()
        };
        assert!(said(&|h| h.sinew_version = "0.2.0".into()).contains("sinew 0.1.0"));
        assert!(said(&|h| h.scene_text = "sinew = 1\n[scene]\nfps = 25\n".into()).contains("line 3"));
        assert!(said(&|h| h.scene_text.push_str("substeps = 2\n")).contains("3 lines, now 4"));
        assert!(said(&|h| h.meshes.extend([("a.msh".into(), [2; 32])])).contains("\"a.msh\" has changed"));
        assert!(said(&|h| h.meshes.extend([("b.msh".into(), [2; 32])])).contains("did not use mesh \"b.msh\""));
        assert!(said(&|h| h.meshes.clear()).contains("used mesh \"a.msh\""));
        assert!(said(&|h| h.clock.substeps = 5).contains("clock"));
        assert!(said(&|h| h.bodies[0].point_count = 11).contains("11"));
        assert!(said(&|h| h.bodies.clear()).contains("1 bodies"));
    }

    #[test]
    fn time_is_derived_from_the_fraction() {
        let clock = header().clock;
        assert_eq!(clock.secs_at(1), 0.0);
        assert_eq!(clock.secs_at(24001), 24000.0 * 1001.0 / 24000.0);
    }
}
