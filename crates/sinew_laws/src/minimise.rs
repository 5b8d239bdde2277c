//! Shrinks a scene that breaks a law: what can be left out, made smaller or put back to its default, while the same law still fails (delta debugging;
//! Zeller, Hildebrandt, 2002).

use crate::{Breach, Case, Law, judge};
use serde_json::{Value, json};
use sinew_scene::Scene;
use std::path::Path;

/// Scenes that are tried at the most.
const MOST_TRIES: usize = 150;
/// A shot is made shorter as long as it has so many frames.
const LEAST_FRAMES: i64 = 2;

/// The smallest case found in which `law` fails, and how it does there.
pub fn minimise(case: &Case, law: Law, folder: &Path) -> Option<(Case, Breach)> {
    let fails = |case: &Case| judge(case, folder).ok()?.fault(law).cloned();
    let mut best = (case.clone(), fails(case)?);
    if Some(law) != best.0.twin.map(crate::Twin::law) {
        best.0.twin = None;
    }
    let mut tries = 0;
    // Each pass begins with what helps most; passes go on until none of them changes anything.
    loop {
        let mut is_smaller = false;
        let mut number = 0;
        loop {
            let candidates = smaller(&best.0);
            let Some(candidate) = candidates.into_iter().nth(number) else { break };
            tries += 1;
            if tries > MOST_TRIES {
                return Some(best);
            }
            match fails(&candidate) {
                // The next candidate has moved to this number.
                Some(breach) => (best, is_smaller) = ((candidate, breach), true),
                None => number += 1,
            }
        }
        if !is_smaller {
            return Some(best);
        }
    }
}

/// Every case that is a step smaller, those that save most first. Only scenes that can be read are among them.
fn smaller(case: &Case) -> Vec<Case> {
    let scene = case.scene.to_json();
    let mut all: Vec<Case> = Vec::new();
    let mut add = |changed: Value, tugs: Vec<crate::Tug>| {
        if (changed != scene || tugs != case.tugs)
            && let Ok(scene) = Scene::from_json(&changed)
            && !scene.bodies.is_empty()
        {
            let tugs = tugs.into_iter().filter(|tug| scene.body(&tug.body).is_some()).collect();
            all.push(Case { scene, tugs, ..case.clone() });
        }
    };
    for number in 0..case.tugs.len() {
        let mut tugs = case.tugs.clone();
        tugs.remove(number);
        add(scene.clone(), tugs);
    }
    for changed in fewer(&scene).into_iter().chain(shorter(&scene)).chain(coarser(&scene)).chain(plainer(&scene)) {
        add(changed, case.tugs.clone());
    }
    all
}

/// Without a body, an obstacle, a director or the medium.
fn fewer(scene: &Value) -> Vec<Value> {
    let mut all = Vec::new();
    for list in ["body", "obstacle"] {
        for number in 0..length(&scene[list]) {
            let mut changed = scene.clone();
            changed[list].as_array_mut().into_iter().for_each(|list| drop(list.remove(number)));
            all.push(changed);
        }
    }
    for body in 0..length(&scene["body"]) {
        for number in 0..length(&scene["body"][body]["director"]) {
            let mut changed = scene.clone();
            let list = changed["body"][body]["director"].as_array_mut();
            list.into_iter().for_each(|list| drop(list.remove(number)));
            all.push(changed);
        }
    }
    all.push(without(scene, &["medium"]));
    all
}

fn length(list: &Value) -> usize {
    list.as_array().map_or(0, Vec::len)
}

/// With fewer frames.
fn shorter(scene: &Value) -> Vec<Value> {
    let frames = &scene["scene"]["frames"];
    let (Some(first), Some(last)) = (frames[0].as_i64(), frames[1].as_i64()) else { return Vec::new() };
    let to = |count: i64| {
        let mut changed = scene.clone();
        changed["scene"]["frames"] = json!([first, first + count]);
        changed
    };
    let count = last - first;
    [count / 2, count * 3 / 4].into_iter().filter(|fewer| *fewer >= LEAST_FRAMES && *fewer < count).map(to).collect()
}

/// With fewer points.
fn coarser(scene: &Value) -> Vec<Value> {
    let mut all = Vec::new();
    for body in 0..length(&scene["body"]) {
        let flesh = &scene["body"][body]["flesh"];
        if let Some(vertices) = flesh["vertices"].as_u64().filter(|vertices| *vertices > 8) {
            let mut changed = scene.clone();
            changed["body"][body]["flesh"]["vertices"] = json!((vertices / 2).max(8));
            all.push(changed);
        }
        for axis in 0..length(&flesh["size"]) {
            if flesh["size"][axis].as_u64().is_some_and(|points| points > 2) {
                let mut changed = scene.clone();
                changed["body"][body]["flesh"]["size"][axis] = json!(2);
                all.push(changed);
            }
        }
    }
    all
}

/// With defaults in place of what was drawn.
fn plainer(scene: &Value) -> Vec<Value> {
    let mut all = Vec::new();
    for key in ["gravity", "substeps", "fps"] {
        all.push(without(scene, &["scene", key]));
    }
    for body in 0..length(&scene["body"]) {
        let number = body.to_string();
        for key in ["turn", "velocity", "friction", "restitution", "material"] {
            all.push(without(scene, &["body", &number, key]));
        }
        for (table, keys) in [
            ("material", &["law", "poisson", "density_kg_m3", "young_pa", "damping", "preset"][..]),
            (
                "solver",
                &[
                    "stiffness",
                    "passes",
                    "region_damping",
                    "iterations",
                    "tolerance",
                    "newton_iterations",
                    "opposite",
                    "bend",
                    "elements",
                    "time",
                ],
            ),
        ] {
            all.extend(keys.iter().map(|key| without(scene, &["body", &number, table, key])));
        }
    }
    all
}

/// Without one key; members of lists are named by number.
fn without(scene: &Value, path: &[&str]) -> Value {
    let mut changed = scene.clone();
    let Some((last, to)) = path.split_last() else { return changed };
    let mut at = &mut changed;
    for key in to {
        let inner = match key.parse::<usize>() {
            Ok(number) => at.get_mut(number),
            Err(_) => at.get_mut(*key),
        };
        let Some(inner) = inner else { return scene.clone() };
        at = inner;
    }
    at.as_object_mut().into_iter().for_each(|table| drop(table.remove(*last)));
    changed
}
