//! What the difference between two scenes means for a stage that runs the first.

use sinew_scene::{FrictionAlong, Scene};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Change {
    /// The stage shows neither camera nor light.
    Nothing,
    /// What hands do: what was simulated before the first of them that is another one stays.
    Events,
    /// Directors, the sets they act on, gravity and the medium: they can change under a body that moves.
    Directors,
    /// What the same bodies are made of, how they are simulated and what is around them: the stage is made anew, and the run
    /// goes on.
    Around,
    /// Everything else: the stage is made anew and begins anew.
    Stage,
}

pub(super) fn between(before: &Scene, after: &Scene) -> Change {
    let [mut before, mut after] = [before, after].map(unlit);
    if before == after {
        return Change::Nothing;
    }
    unplayed(&mut before);
    unplayed(&mut after);
    if before == after {
        return Change::Events;
    }
    // Friction along fibres is fixed when the stage is made, and fibres are a director's.
    let follows_fibres =
        after.bodies.iter().any(|body| matches!(body.friction.along(), Some(FrictionAlong::Fibres(_))));
    undirect(&mut before);
    undirect(&mut after);
    if before == after && !follows_fibres {
        return Change::Directors;
    }
    bare(&mut before);
    bare(&mut after);
    if before == after { Change::Around } else { Change::Stage }
}

/// Leaves of a scene what decides where its bodies begin and what their flesh is.
fn bare(scene: &mut Scene) {
    scene.obstacles.clear();
    scene.shot.frames[1] = scene.shot.frames[0];
    for (number, body) in scene.bodies.iter_mut().enumerate() {
        body.name = format!("body-{number}");
        body.material = Default::default();
        body.friction = Default::default();
        body.restitution = 0.0;
        body.self_contact = false;
        body.colour = None;
        body.solver = Default::default();
    }
}

fn unplayed(scene: &mut Scene) {
    scene.bodies.iter_mut().for_each(|body| body.events.clear());
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
        let touch = "body.jelly.event=[{ kind = \"touch\", frame = 3, at = [0.0, 0.0, 0.0] }]";
        assert_eq!(after("jellyfish", touch), Change::Events);
        for around in [
            "body.jelly.material.density_kg_m3=900",
            "body.jelly.material.preset=fat",
            "body.jelly.solver={ kind = \"fem\" }",
            "body.jelly.name=bell",
            "body.jelly.friction=0.1",
            "body.jelly.colour=\"#ff0000\"",
            "scene.frames=[1, 400]",
        ] {
            assert_eq!(after("jellyfish", around), Change::Around, "{around}");
        }
        assert_eq!(after("bar-drop", "obstacle.ground.at=[0.0, -1.0, 0.0]"), Change::Around);
        assert_eq!(after("jellyfish", "body.jelly.at=[0.0, 1.0, 0.0]"), Change::Stage);
        assert_eq!(after("jellyfish", "scene.frames=[2, 240]"), Change::Stage);
        assert_eq!(after("jellyfish", "scene.substeps=8"), Change::Stage);
        let painted = r#"body.jelly.material.fields.stiffness={ paint = [{ fill = "face", at = [0.0, 0.4, 0.0], value = 0.1 }] }"#;
        assert_eq!(after("jellyfish", painted), Change::Directors);
        assert_eq!(after("jellyfish", &painted.replace("stiffness", "density")), Change::Around);
    }
}
