//! What the difference between two scenes means for a stage that runs the first.

use sinew_scene::{FrictionAlong, Scene};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Change {
    /// The stage shows neither camera nor light.
    Nothing,
    /// Directors, the sets they act on, gravity and the medium: they can change under a body that moves.
    Directors,
    /// Everything else: the stage is made anew.
    Stage,
}

pub(super) fn between(before: &Scene, after: &Scene) -> Change {
    let [mut before, mut after] = [before, after].map(unlit);
    if before == after {
        return Change::Nothing;
    }
    // Friction along fibres is fixed when the stage is made, and fibres are a director's.
    let follows_fibres =
        after.bodies.iter().any(|body| matches!(body.friction.along(), Some(FrictionAlong::Fibres(_))));
    undirect(&mut before);
    undirect(&mut after);
    if before == after && !follows_fibres { Change::Directors } else { Change::Stage }
}

fn unlit(scene: &Scene) -> Scene {
    Scene { camera: Default::default(), light: Default::default(), ..scene.clone() }
}

fn undirect(scene: &mut Scene) {
    scene.shot.gravity = Default::default();
    scene.medium = None;
    for body in &mut scene.bodies {
        body.directors.clear();
        body.sets.clear();
        // Density alone is weighed into the flesh.
        let fields = &mut body.material.fields;
        (fields.stiffness, fields.damping, fields.poisson) = (None, None, None);
        if fields.density.is_none() {
            fields.paint = Default::default();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sinew_scene::{Command, Document};

    fn after(scene: &str, set: &str) -> Change {
        let mut document = Document::parse(sinew_scene::builtin::find(scene).unwrap().toml, scene).unwrap();
        let before = document.scene().clone();
        document.apply(&Command::parse_set(set).unwrap()).unwrap();
        between(&before, document.scene())
    }

    #[test]
    fn an_edit_touches_no_more_of_the_stage_than_it_must() {
        assert_eq!(after("jellyfish", "camera.fov_deg=40"), Change::Nothing);
        assert_eq!(after("jellyfish", "light.strength=2.0"), Change::Nothing);
        assert_eq!(after("jellyfish", "body.jelly.director.swim.period=2.0"), Change::Directors);
        assert_eq!(after("jellyfish", "scene.gravity=[0.0, -1.0, 0.0]"), Change::Directors);
        assert_eq!(after("jellyfish", "body.jelly.material.density_kg_m3=900"), Change::Stage);
        assert_eq!(after("jellyfish", "scene.substeps=8"), Change::Stage);
        let painted = r#"body.jelly.material.fields.stiffness={ paint = [{ fill = "face", at = [0.0, 0.4, 0.0], value = 0.1 }] }"#;
        assert_eq!(after("jellyfish", painted), Change::Directors);
        assert_eq!(after("jellyfish", &painted.replace("stiffness", "density")), Change::Stage);
    }
}
