//! What the solution of a metaphor's goal was found for: a hash of all that its performance depends on.

use serde_json::Value;
use sinew_scene::Scene;
use std::collections::BTreeMap;

/// Of the metaphor that is director `number` of a body, as it is written: 16 hexadecimal digits. What others with a goal were solved to is left out,
/// what is asked of them is not: of two that are solved one after the other the first stays solved. Mesh files count by their bytes.
pub(crate) fn goal_stamp(scene: &Scene, mesh_hashes: &BTreeMap<String, [u8; 32]>, body: &str, number: usize) -> String {
    let mut json = serde_json::to_value(scene).unwrap_or_default();
    if let Value::Object(all) = &mut json {
        ["camera", "light"].iter().for_each(|key| drop(all.shift_remove(*key)));
    }
    if let Some(frames) = json.pointer_mut("/scene/frames").and_then(Value::as_array_mut) {
        frames.truncate(1);
    }
    for each in json.get_mut("body").and_then(Value::as_array_mut).into_iter().flatten() {
        let is_own_body = each["name"] == body;
        remove(each, &["colour"]);
        for (n, director) in each.get_mut("director").and_then(Value::as_array_mut).into_iter().flatten().enumerate() {
            if director.get("goal").is_some_and(Value::is_object) {
                let is_own = is_own_body && n == number;
                remove(director, if is_own { &["solved_for"] } else { &["solved_for", "newton", "contraction"] });
            }
        }
    }
    let text = serde_json::to_string(&json).unwrap_or_default();
    let mut hash = blake3::Hasher::new();
    hash.update(text.as_bytes());
    for (file, content) in mesh_hashes {
        hash.update(file.as_bytes()).update(content);
    }
    hash.finalize().to_hex()[..16].to_owned()
}

fn remove(table: &mut Value, keys: &[&str]) {
    if let Value::Object(table) = table {
        keys.iter().for_each(|key| drop(table.shift_remove(*key)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TWO: &str = r#"
sinew = 1
[[body]]
name = "bar"
skin = { model = "bar" }
[[body.director]]
name = "a"
kind = "metaphor"
act = { bend = { arm = 0.3, radius = 0.1 } }
newton = 2.0
goal = { amount = 20.0, from = 1, at = 20 }
[[body.director]]
name = "b"
kind = "metaphor"
act = { bend = { arm = 0.3, radius = 0.1 } }
newton = 3.0
goal = { amount = 10.0, from = 1, at = 20 }
"#;

    #[test]
    fn a_stamp_changes_with_what_counts_and_with_nothing_else() {
        let stamp = |text: &str| goal_stamp(&Scene::from_toml(text, "two").unwrap(), &BTreeMap::new(), "bar", 0);
        let was = stamp(TWO);
        assert!(was.len() == 16 && was.bytes().all(|byte| byte.is_ascii_hexdigit()), "{was}");
        let same = [
            TWO.replace("newton = 3.0", "newton = 4.0\nsolved_for = \"0123456789abcdef\""),
            TWO.replace("newton = 2.0", "newton = 2.0\nsolved_for = \"0123456789abcdef\""),
            format!("{TWO}\n[camera]\neye = [1.0, 2.0, 3.0]\nlook_at = [0.0, 0.0, 0.0]\n"),
            TWO.replace("[[body]]", "[scene]\nframes = [1, 50]\n[[body]]"),
        ];
        same.iter().for_each(|text| assert_eq!(stamp(text), was, "{text}"));
        let other = [
            TWO.replace("newton = 2.0", "newton = 2.5"),
            TWO.replace("amount = 10.0", "amount = 11.0"),
            TWO.replace("amount = 20.0", "amount = 21.0"),
            TWO.replace("[[body]]", "[scene]\nsubsteps = 7\n[[body]]"),
            TWO.replace("{ model = \"bar\" }", "{ model = \"bar\", size = [1.0, 0.3, 0.3] }"),
        ];
        other.iter().for_each(|text| assert_ne!(stamp(text), was, "{text}"));
    }
}
