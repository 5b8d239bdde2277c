//! A hundred random edits, taken back, give the same bytes at every step (rule U5 of SPEC.md).

mod generate;

use proptest::prelude::*;
use serde_json::{Value, json};
use sinew_scene::{Command, Document, Scene, builtin};

/// An edit made from three random numbers and what the scene holds; it may be one that is refused.
fn command(scene: &Scene, [kind, a, b]: [u32; 3]) -> Value {
    let pick = |count: usize, n: u32| if count == 0 { 0 } else { n as usize % count };
    let body = pick(scene.bodies.len(), a);
    let director = scene.bodies.get(body).map_or(0, |found| pick(found.directors.len(), b));
    let weight = format!("body[{body}].director[{director}].weight");
    let number = f64::from(b % 1000) / 8.0;
    let sets: Vec<&String> = scene.bodies.get(body).map_or(Vec::new(), |found| found.sets.keys().collect());
    let set = sets.get(pick(sets.len(), b)).map_or("none", |name| name.as_str());
    match kind % 19 {
        0 => json!({ "do": "set", "path": "scene.fps", "value": b % 130 }),
        1 => json!({ "do": "set", "path": format!("body[{body}].at[{}]", b % 4), "value": number }),
        2 => json!({ "do": "set", "path": format!("body[{body}].material.young_pa"), "value": number }),
        3 => {
            json!({ "do": "unset", "path": format!("body[{body}].{}", ["colour", "at", "solver", "name"][b as usize % 4]) })
        }
        4 => {
            json!({ "do": "add", "to": "body", "index": a % 4, "value": { "name": format!("new{b}"), "skin": { "model": "bell" },
                     "sets": { "s": { "side": "x" } }, "director": [{ "kind": "pin", "on": "s" }] } })
        }
        // An empty stage leaves little to edit.
        5 if scene.bodies.len() < 2 => json!({ "do": "set", "path": "light.strength", "value": number }),
        5 => json!({ "do": "remove", "path": format!("body[{body}]") }),
        6 => json!({ "do": "rename", "path": format!("body[{body}]"), "to": format!("n{}", b % 5) }),
        7 => json!({ "do": "add", "to": format!("body[{body}].director"), "index": b % 3,
                     "value": { "kind": "force", "on": "all", "newton": [0, [[1, number], [9, 1.5]], 0] } }),
        8 => json!({ "do": "remove", "path": format!("body[{body}].director[{director}]") }),
        9 => {
            json!({ "do": "rename", "path": format!("body[{body}].director[{director}]"), "to": format!("d{}", b % 9) })
        }
        10 => json!({ "do": "insert_key", "path": weight, "at": a % 20, "value": number }),
        11 => json!({ "do": "move_key", "path": weight, "from": a % 20, "to": b % 20 }),
        12 => json!({ "do": "delete_key", "path": weight, "at": a % 20 }),
        13 => {
            json!({ "do": "add", "to": format!("body[{body}].sets"), "name": format!("s{}", b % 4), "value": { "all": true } })
        }
        14 => json!({ "do": "remove", "path": format!("body[{body}].sets.{set}") }),
        15 => json!({ "do": "rename", "path": format!("body[{body}].sets.{set}"), "to": format!("t{}", b % 7) }),
        16 => json!({ "do": "add", "to": "obstacle", "value": { "shape": "sphere", "radius": number } }),
        17 => json!({ "do": "set", "path": "medium", "value": { "normal_drag": number, "wind": [number, 0, 0] } }),
        _ => json!({ "do": "batch", "commands": [
            { "do": "set", "path": "camera.eye[0]", "value": number },
            { "do": "set", "path": "scene.substeps", "value": b % 40 },
        ] }),
    }
}

/// Makes edits until a hundred were taken, then undoes and redoes them all.
fn run(mut document: Document, numbers: &[[u32; 3]]) -> Result<(), TestCaseError> {
    let mut texts = vec![document.text().to_owned()];
    for number in numbers {
        let command: Command = serde_json::from_value(command(document.scene(), *number)).expect("a command");
        let before = document.text().to_owned();
        match document.apply(&command) {
            Ok(edit) if edit.change.is_nothing() => prop_assert_eq!(document.text(), &before),
            Ok(_) => texts.push(document.text().to_owned()),
            Err(error) => {
                prop_assert!(!error.to_string().contains("layout"), "{command:?}: {error}\n{before}");
                prop_assert_eq!(document.text(), &before);
            }
        }
        let read = Scene::from_toml(document.text(), "edited").map_err(|e| TestCaseError::fail(e.to_string()))?;
        prop_assert_eq!(&read, document.scene());
        if texts.len() > 100 {
            break;
        }
    }
    prop_assert_eq!(texts.len(), 101, "too few edits were taken");
    for text in texts.iter().rev().skip(1) {
        prop_assert!(document.undo().is_some());
        prop_assert_eq!(document.text(), text);
    }
    prop_assert_eq!(document.undo(), None);
    for text in &texts[1..] {
        prop_assert!(document.redo().is_some());
        prop_assert_eq!(document.text(), text);
    }
    Ok(())
}

fn numbers() -> impl Strategy<Value = Vec<[u32; 3]>> {
    proptest::collection::vec(any::<[u32; 3]>(), 800)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn u5_a_hundred_edits_of_a_built_in_scene_undone_give_the_same_bytes(numbers in numbers(), which in 0usize..11, dos: bool) {
        let scene = builtin::scenes()[which % builtin::scenes().len()];
        let text = if dos { scene.toml.replace('\n', "\r\n") } else { scene.toml.to_owned() };
        run(Document::parse(&text, scene.name).unwrap(), &numbers)?;
    }

    #[test]
    fn u6_a_hundred_edits_of_any_scene_undone_give_the_same_bytes(numbers in numbers(), scene in generate::scene()) {
        run(Document::parse(&scene.to_toml(), "generated").unwrap(), &numbers)?;
    }
}
