//! What a plan was found for: a hash of all that it depends on.

use serde_json::{Value, json};
use sinew_scene::{Direction, Scene};
use std::collections::BTreeMap;

/// Of the plans of the given directors, (body, director) by number, that are solved together: 16 hexadecimal
/// digits. How a plan is followed (`secondary`, `parts`), names and locks are left out. Mesh files count by
/// their bytes.
pub(crate) fn plan_stamp(scene: &Scene, mesh_hashes: &BTreeMap<String, [u8; 32]>, group: &[(usize, usize)]) -> String {
    let bodies: Vec<Value> = group.iter().map(|&(body, director)| body_of(scene, body, director)).collect();
    let all = json!({ "fps": scene.shot.fps, "obstacles": scene.obstacles, "bodies": bodies });
    let mut hash = blake3::Hasher::new();
    hash.update(all.to_string().as_bytes());
    for (file, content) in mesh_hashes {
        hash.update(file.as_bytes()).update(content);
    }
    hash.finalize().to_hex()[..16].to_owned()
}

/// What a body brings to a plan.
fn body_of(scene: &Scene, body: usize, director: usize) -> Value {
    let body = &scene.bodies[body];
    let mut plan = match &body.directors[director].direction {
        Direction::Plan(plan) => serde_json::to_value(plan).unwrap_or_default(),
        _ => Value::Null,
    };
    remove(&mut plan, &["plan", "solved_for", "secondary", "parts"]);
    for key in plan.get_mut("keys").and_then(Value::as_array_mut).into_iter().flatten() {
        remove(key, &["name", "locked"]);
    }
    json!({
        "skin": body.skin, "flesh": body.flesh, "scale": body.scale, "at": body.at, "turn": body.turn,
        "copies": body.copies, "sets": body.sets, "plan": plan,
    })
}

fn remove(table: &mut Value, keys: &[&str]) {
    if let Value::Object(table) = table {
        keys.iter().for_each(|key| drop(table.shift_remove(*key)));
    }
}
