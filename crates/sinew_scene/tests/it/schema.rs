//! The published schema is the one that the types give. `cargo xtask bless` writes it anew.

use serde_json::Value;
use std::path::PathBuf;

fn published(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs").join(name)
}

fn compare(name: &str, current: &str) {
    let path = published(name);
    if std::env::var_os("SINEW_BLESS").is_some() {
        std::fs::write(&path, current).expect("docs can be written");
    }
    let checked_in = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(checked_in == current, "docs/{name} is out of date: run cargo xtask bless");
}

#[test]
fn s1_the_checked_in_schema_is_current() {
    let text = serde_json::to_string_pretty(&sinew_scene::schema()).unwrap() + "\n";
    compare("scene.schema.json", &text);
}

#[test]
fn s2_the_reference_page_is_current() {
    compare("book/scene-format.md", &sinew_scene::reference::page());
}

#[test]
fn s3_every_key_is_described() {
    fn visit(schema: &Value, path: &str, bare: &mut Vec<String>) {
        if let Some(properties) = schema.get("properties").and_then(Value::as_object) {
            for (key, value) in properties {
                let is_tag = value.get("const").is_some();
                if value.get("description").is_none() && !is_tag {
                    bare.push(format!("{path}.{key}"));
                }
            }
        }
        for key in ["oneOf", "anyOf"] {
            for alternative in schema.get(key).and_then(Value::as_array).into_iter().flatten() {
                visit(alternative, path, bare);
            }
        }
    }
    let (schema, mut bare) = (sinew_scene::schema(), Vec::new());
    visit(&schema, "scene", &mut bare);
    for (name, definition) in schema["$defs"].as_object().unwrap() {
        if !["Channel", "Chart", "Keys"].contains(&name.as_str()) {
            visit(definition, name, &mut bare);
        }
    }
    assert_eq!(bare, Vec::<String>::new());
}
