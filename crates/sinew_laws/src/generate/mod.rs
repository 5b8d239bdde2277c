//! From a seed to a case. Every case is a plain scene that a user could bake: at most some 200 points and 160 substeps, so that a hundred of them
//! play within two minutes on one core.

mod body;
mod family;

use crate::{Case, Random, Twin};
use body::BodyKind;
use serde_json::{Value, json};
use sinew_scene::Scene;

/// A name and what draws a scene of it.
type Family = (&'static str, fn(&mut Draft));

/// Kinds of scenes, each drawn as often as the others.
const FAMILIES: [Family; 12] = [
    ("flight", family::flight),
    ("spin", family::spin),
    ("rest", family::rest),
    ("stack", family::stack),
    ("impact", family::impact),
    ("meet", family::meet),
    ("pull", family::pull),
    ("hang", family::hang),
    ("pluck", family::pluck),
    ("push", family::push),
    ("swim", family::swim),
    ("hand", family::hand),
];

/// A mesh of a user: a file in the folder that scenes are built in.
#[derive(Debug, Clone)]
pub struct MeshFile {
    pub name: String,
    /// The side of the cube about its origin that it fits into, in its own unit.
    pub size: f64,
}

/// The case of a seed. Without `meshes` it is the same everywhere.
pub fn generate(seed: u64, meshes: &[MeshFile]) -> Case {
    let mut random = Random::new(seed);
    let (family, draw) = FAMILIES[(seed % FAMILIES.len() as u64) as usize];
    let mesh =
        (!meshes.is_empty() && random.chance(0.15)).then(|| meshes[random.bits() as usize % meshes.len()].clone());
    let mut draft = Draft::new(random, mesh);
    draw(&mut draft);
    draft.finish(family)
}

/// A scene in the making.
struct Draft {
    random: Random,
    mesh: Option<MeshFile>,
    bodies: Vec<Value>,
    obstacles: Vec<Value>,
    tugs: Vec<Value>,
    medium: Option<Value>,
    gravity: [f64; 3],
    fps: u32,
    frames: u32,
    substeps: u32,
    kind: BodyKind,
    /// Points that all bodies may have together.
    points: u32,
}

/// Substeps of a shot at the most.
const MOST_SUBSTEPS: u32 = 160;
const MOST_FRAMES: u32 = 48;

impl Draft {
    fn new(mut random: Random, mesh: Option<MeshFile>) -> Self {
        let substeps = random.pick(&[1, 2, 4, 4, 4, 8, 16]);
        let fps = random.pick(&[24, 24, 24, 30, 60]);
        let kind = BodyKind::draw(&mut random);
        let points = random.whole(30, 110);
        Self {
            mesh,
            bodies: Vec::new(),
            obstacles: Vec::new(),
            tugs: Vec::new(),
            medium: None,
            gravity: [0.0, -9.81, 0.0],
            fps,
            frames: (MOST_SUBSTEPS / substeps).min(MOST_FRAMES),
            substeps,
            kind,
            points,
            random,
        }
    }

    /// Seconds of one substep.
    fn h_secs(&self) -> f64 {
        1.0 / f64::from(self.fps * self.substeps)
    }

    fn ground(&mut self) {
        self.obstacles.push(json!({ "shape": "plane" }));
    }

    fn finish(mut self, family: &str) -> Case {
        let mut scene = json!({
            "sinew": 1,
            "scene": {
                "fps": self.fps,
                "frames": [1, self.frames + 1],
                "substeps": self.substeps,
                "gravity": self.gravity,
            },
            "body": self.bodies,
            "obstacle": self.obstacles,
        });
        if let Some(medium) = self.medium {
            scene["medium"] = medium;
        }
        let has_descent = scene.to_string().contains("\"descent\"");
        let twin =
            if has_descent && self.random.chance(0.4) { Twin::OtherSolver } else { self.random.pick(&Twin::ALL) };
        // Every draft is written to be valid; the test of this module reads some of each family.
        let scene = Scene::from_json(&scene).unwrap_or_else(|error| panic!("{error}\n{scene:#}"));
        let tugs = self.tugs.into_iter().filter_map(|tug| serde_json::from_value(tug).ok()).collect();
        Case { family: family.to_owned(), scene, tugs, twin: Some(twin) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_seed_is_a_scene_that_survives_its_text() {
        for seed in 0..150 {
            let case = generate(seed, &[]);
            assert!(case.scene.bodies.len() <= 4);
            let read = Scene::from_toml(&case.scene.to_toml(), "drawn");
            assert_eq!(read.ok().as_ref(), Some(&case.scene), "seed {seed}");
        }
    }
}
