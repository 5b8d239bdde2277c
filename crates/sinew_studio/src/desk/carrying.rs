//! Whether shape matching carries a mesh that stands on legs.
//!
//! Its regions hang on each other like a chain: the finer the flesh, the softer the body, whatever its material says. Meshes that were
//! brought in have flesh fine enough for finite elements and a stiffness at which they stand; a cow and a fox of 3,000 points lie flat
//! under shape matching, with 500 points and 30 iterations they stand (decision 0261).

use super::units::MeshSize;
use crate::protocol::{Command, Level, Notice, NoticeAction};
use serde_json::json;
use sinew_scene::model::Grown;
use sinew_scene::{Command as Edit, Flesh, Scene, Solver};

/// Flesh of more points than these sinks.
const MOST_VERTICES: u32 = 700;
/// With these it stands.
const VERTICES: u32 = 500;
const ITERATIONS: u32 = 30;
/// Of 30 iterations, as fast passes.
const PASSES: u32 = 8;
/// Young's modulus over what the body's weight presses on its height with: a stout body needs about 10, one on legs hundreds.
const ON_LEGS: f64 = 50.0;
const PRESSURE_PA_M: f64 = 9.81 * 1050.0;

/// Asks about bodies that will lie down.
pub(super) fn questions(scene: &Scene, sizes: &[MeshSize]) -> Vec<Notice> {
    if scene.obstacles.is_empty() {
        return Vec::new(); // nothing to stand on
    }
    sizes.iter().filter(|mesh| mesh.list == "body").filter_map(|mesh| question(scene, mesh)).collect()
}

fn question(scene: &Scene, mesh: &MeshSize) -> Option<Notice> {
    let body = scene.body(&mesh.name)?;
    let Solver::ShapeMatching { iterations, .. } = body.solver else { return None };
    let Flesh::Grown(Grown::Tets { vertices, .. }) = body.flesh else { return None };
    let is_on_legs = body.material.young_pa? > ON_LEGS * PRESSURE_PA_M * mesh.size_m;
    if !is_on_legs || (vertices <= MOST_VERTICES && iterations >= ITERATIONS) {
        return None;
    }
    let set = |key: &str, value| Edit::Set { path: format!("body.{}.{key}", body.name), value };
    let batch = |name: String, commands| NoticeAction {
        command: Command::Edit { command: Edit::Batch { label: Some(name.to_lowercase()), commands } },
        name,
    };
    let mut stiffer = vec![set("solver.iterations", json!(ITERATIONS)), set("solver.passes", json!(PASSES))];
    let mut name = format!("Use {ITERATIONS} iterations");
    if vertices > MOST_VERTICES {
        stiffer.push(set("flesh.vertices", json!(VERTICES)));
        name = format!("Use {VERTICES} vertices, {ITERATIONS} iterations");
    }
    let fem = json!({ "kind": "fem", "method": "descent", "iterations": 20 });
    Some(Notice {
        level: Level::Warning,
        path: Some(format!("body.{}.solver", body.name)),
        text: format!("{} will not bear its weight under shape matching: make it stiffer?", body.name),
        help: Some(
            "its regions hang on each other like a chain: finer flesh is softer, whatever its material".to_owned(),
        ),
        actions: vec![batch(name, stiffer), batch("Use finite elements".to_owned(), vec![set("solver", fem)])],
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(solver: &str, vertices: u32, young_pa: f64) -> Vec<String> {
        let text = format!(
            "sinew = 1\n[[body]]\nname = \"cow\"\nskin = {{ mesh = \"cow.obj\" }}\nmaterial = {{ young_pa = {young_pa:?} }}\n\
             flesh = {{ kind = \"tets\", vertices = {vertices} }}\nsolver = {solver}\n[[obstacle]]\nshape = \"plane\"\n"
        );
        let scene = Scene::from_toml(&text, "cow.toml").unwrap();
        let sizes = [MeshSize { list: "body", name: "cow".to_owned(), size_m: 12.0 }];
        questions(&scene, &sizes).into_iter().flat_map(|notice| notice.actions).map(|action| action.name).collect()
    }

    #[test]
    fn what_would_lie_down_is_asked_about_with_what_helps() {
        let matching = "{ kind = \"shape_matching\" }";
        assert_eq!(asked(matching, 3000, 3.9e8), ["Use 500 vertices, 30 iterations", "Use finite elements"]);
        assert_eq!(asked(matching, 500, 3.9e8), ["Use 30 iterations", "Use finite elements"]);
        assert!(asked("{ kind = \"shape_matching\", iterations = 30, passes = 8 }", 500, 3.9e8).is_empty());
        assert!(asked("{ kind = \"fem\" }", 3000, 3.9e8).is_empty());
        assert!(asked(matching, 3000, 1.2e6).is_empty(), "a stout body may be soft");
    }
}
