//! A hundred random edits, taken back, give the same bytes at every step (rule U5 of SPEC.md).

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

/// Any JSON, with the words of scenes among it.
fn any_json() -> impl Strategy<Value = Value> {
    let word = proptest::sample::select(vec!["x", "muscle", "bar", "all", "jelly", "smooth", "", "é\u{0}\"", "tets"]);
    let key = proptest::sample::select(vec!["kind", "name", "keys", "model", "skin", "on", "at", "side", "é"]);
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        (-9i64..99).prop_map(Value::from),
        word.prop_map(Value::from)
    ];
    leaf.prop_recursive(3, 12, 3, move |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            proptest::collection::btree_map(key.clone(), inner, 0..4)
                .prop_map(|entries| entries.into_iter().map(|(key, value)| (key.to_owned(), value)).collect()),
        ]
    })
}

/// Paths that mostly lead somewhere.
fn any_path() -> impl Strategy<Value = String> {
    let words = vec![
        "body",
        "jelly",
        "[0]",
        "director",
        "swim",
        "[1]",
        "sets",
        "skin",
        "model",
        "primary",
        "weight",
        "camera",
        "eye",
        "[2]",
        "scene",
        "fps",
        "solver",
        "iterations",
        "medium",
        "obstacle",
        "name",
        "",
        "é",
        "keys",
        "sinew",
        "frames",
    ];
    proptest::collection::vec(proptest::sample::select(words), 0..6)
        .prop_map(|parts| parts.join(".").replace(".[", "["))
}

fn any_command() -> impl Strategy<Value = Value> {
    (0u32..9, any_path(), any_json(), any::<f64>(), -9i32..30, any_path()).prop_map(|(kind, path, value, number, n, to)| match kind {
        0 | 1 => json!({ "do": "set", "path": path, "value": value }),
        2 => json!({ "do": "unset", "path": path }),
        3 => json!({ "do": "add", "to": path, "value": value }),
        4 => json!({ "do": "add", "to": path, "value": value, "name": to }),
        5 => json!({ "do": "remove", "path": path }),
        6 => json!({ "do": "rename", "path": path, "to": to }),
        7 => json!({ "do": "insert_key", "path": path, "at": n, "value": if number.is_finite() { number } else { 0.0 }, "shape": value }),
        _ => json!({ "do": "move_key", "path": path, "from": n, "to": 1 }),
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn e12_any_command_is_taken_or_refused_whole(command in any_command()) {
        let scene = builtin::scenes()[0];
        let mut document = Document::parse(scene.toml, scene.name).unwrap();
        let command: Command = serde_json::from_value(command).map_err(|error| TestCaseError::reject(error.to_string()))?;
        match document.apply(&command) {
            Ok(_) => {
                let read = Scene::from_toml(document.text(), "edited").map_err(|e| TestCaseError::fail(e.to_string()))?;
                prop_assert_eq!(&read, document.scene());
                document.undo();
            }
            Err(error) => prop_assert!(!error.problems.is_empty() && !error.to_string().contains("layout"), "{}", error),
        }
        prop_assert_eq!(document.text(), scene.toml);
    }
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
    fn u6_a_hundred_edits_of_any_scene_undone_give_the_same_bytes(numbers in numbers(), scene in crate::generate::scene()) {
        run(Document::parse(&scene.to_toml(), "generated").unwrap(), &numbers)?;
    }
}
