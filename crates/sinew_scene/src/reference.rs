//! The reference page of the scene format, made from the schema and so from the doc comments of the model.

use crate::schema;
use serde_json::Value;
use std::fmt::Write;

/// Headings in the order of a file: the definition in the schema, and how it stands in a file.
const SECTIONS: [(&str, &str); 61] = [
    ("Shot", "`[scene]`"),
    ("Body", "`[[body]]`"),
    ("Model", "Built-in models: `skin = { model = … }`"),
    ("MeshSkin", "Mesh files: `skin = { mesh = … }`"),
    ("Part", "Parts: `skin = { parts = [ … ] }`"),
    ("Start", "`start` of a body"),
    ("Copies", "`copies` of a body"),
    ("Ring", "`ring` of copies"),
    ("Material", "`material` of a body"),
    ("MaterialPreset", "Presets of materials"),
    ("DampingPreset", "`damping` in a word"),
    ("DampingValues", "`damping` in numbers"),
    ("StretchLaw", "`law` of a material"),
    ("MaterialFields", "`fields` of a material"),
    ("DirectedFriction", "`friction` with a direction"),
    ("Grown", "`flesh` of a body"),
    ("MeshFlesh", "`flesh` from a file"),
    ("Solver", "`solver` of a body"),
    ("FemMethod", "`method` of fem"),
    ("FemElements", "`elements` of fem"),
    ("FemTime", "`time` of fem"),
    ("SpringsMethod", "`method` of springs"),
    ("VertexSet", "`[body.sets]`"),
    ("Bounds", "`box` of a set"),
    ("SphereRegion", "`sphere` of a set"),
    ("Director", "`[[body.director]]`"),
    ("KeyShape", "`keys` of key shapes"),
    ("Between", "`between` key shapes"),
    ("TurnKey", "`turn` of a path"),
    ("TakeKey", "`keys` of an edited take"),
    ("PlanKey", "`keys` of a plan"),
    ("PlanEnergy", "`energy` of a plan"),
    ("PlanLaw", "`law` of a plan's energy"),
    ("WidgetFrame", "`frame` of a metaphor"),
    ("Act", "`act` of a metaphor"),
    ("Cylinders", "`stretch` and `compress`"),
    ("Twist", "`twist`"),
    ("Joint", "`bend`"),
    ("Pushed", "`custom`"),
    ("PushedRegion", "`region` of a custom push"),
    ("CylinderRegion", "`cylinder` of a region"),
    ("Push", "`push` of a custom metaphor"),
    ("Arrow", "`field` of a push"),
    ("MetaphorGoal", "`goal` of a metaphor"),
    ("GoalBy", "`by` of a goal"),
    ("Event", "`[[body.event]]`"),
    ("Volume", "`volume` of a muscle"),
    ("Fibres", "`fibres` of a muscle"),
    ("Spiral", "`spiral` of fibres"),
    ("Respond", "`respond` of a muscle"),
    ("Stimulus", "What a muscle responds to"),
    ("ScriptedTouch", "`touches` of a response"),
    ("Field", "Fields: `phase` and `amplitude` of a muscle"),
    ("Paint", "Paint: `layer` of a muscle and `paint` of its fields"),
    ("FillTool", "`fill` of paint"),
    ("PaintSettings", "`paint` of a muscle"),
    ("PaintMethod", "`method` of paint"),
    ("Obstacle", "`[[obstacle]]`"),
    ("Medium", "`[medium]`"),
    ("Camera", "`[camera]`"),
    ("Light", "`[light]`"),
];

/// The page in Markdown.
pub fn page() -> String {
    let schema = schema::shared();
    let mut page = String::from(INTRODUCTION);
    table(&mut page, schema);
    for (name, heading) in SECTIONS {
        let definition = &schema["$defs"][name];
        let _ = writeln!(page, "\n## {heading}\n\n{}", description(definition));
        keys(&mut page, definition);
        alternatives(&mut page, definition);
    }
    page
}

const INTRODUCTION: &str = "\
# The scene format

A scene is a TOML file (the same model is JSON on the wire; its schema is `docs/scene.schema.json`, printed by
`sinew schema`). Lengths are metres, masses kilograms, times seconds, angles degrees; Y is up. Unknown keys are errors.
This page is made from the source: `cargo xtask bless`.

## Numbers that change over time

Where a table below says *number or keys*, the value is a constant or a curve over frames:

| written | meaning |
| --- | --- |
| `0.5` | constant |
| `[[1, 0.0], [12, 1.0]]` | keys of [frame, value]: straight lines, held before the first and after the last |
| `[[1, 0.0, \"smooth\"], [12, 1.0]]` | how it runs from that key to the next: `linear`, `smooth` or `step` |
| `[[1, 0.0, { leave = [3, 0], arrive = [-3, 0] }], [12, 1.0]]` | a Bézier: offsets of its two handles |
| `{ keys = [[1, 0.0], [12, 1.0]], shape = \"smooth\", outside = \"zero\" }` | one shape for all keys; `outside` is `hold`, `zero` or `{ cycle = 12 }` |
| `{ keys = [[1, 0.0], [12, 1.0]], wiggle = { period = 8, damping = 0.2 } }` | swings through its keys (a wiggly spline): frames of a swing, 0 for ever to 1 without |

A *chart* is a list of `[phase, rate]` with phases from 0 to 1; its ends are joined.

## The file
";

/// The keys that a definition has whatever its kind.
fn keys(page: &mut String, definition: &Value) {
    if definition.get("properties").is_some() {
        table(page, definition);
    }
}

/// The kinds of a definition: words in one table, tables each under a heading of its own.
fn alternatives(page: &mut String, definition: &Value) {
    let kinds = ["oneOf", "anyOf"].iter().find_map(|key| definition.get(*key)?.as_array());
    let Some(kinds) = kinds else { return };
    if kinds.iter().all(|kind| kind.get("const").is_some()) {
        page.push_str("\n| word | meaning |\n| --- | --- |\n");
        for kind in kinds {
            let _ = writeln!(page, "| `{}` | {} |", kind["const"].as_str().unwrap_or(""), description(kind));
        }
        return;
    }
    for kind in kinds {
        let _ = writeln!(page, "\n### {}\n\n{}", title(kind), description(kind));
        keys(page, kind);
    }
}

/// What tells this kind from the others: `kind = "muscle"`, or its first key.
fn title(kind: &Value) -> String {
    let properties = kind["properties"].as_object();
    let tag = properties.into_iter().flatten().find_map(|(key, value)| Some((key, value.get("const")?.as_str()?)));
    match tag {
        Some((key, word)) => format!("`{key} = \"{word}\"`"),
        None => format!("`{}`", kind["required"][0].as_str().unwrap_or("")),
    }
}

fn table(page: &mut String, definition: &Value) {
    let required: Vec<&str> =
        definition["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let properties = definition["properties"].as_object().into_iter().flatten();
    let rows: Vec<_> = properties.filter(|(_, value)| value.get("const").is_none()).collect();
    if rows.is_empty() {
        return;
    }
    page.push_str("\n| key | value | if left out | meaning |\n| --- | --- | --- | --- |\n");
    for (key, value) in rows {
        let default = match value.get("default") {
            _ if required.contains(&key.as_str()) => "*needed*".into(),
            Some(default) if !default.is_object() => format!("`{default}`"),
            _ => String::new(),
        };
        let _ = writeln!(page, "| `{key}` | {} | {default} | {} |", kind_of(value), description(value));
    }
}

/// On one line: a table's row ends with its line.
fn description(schema: &Value) -> String {
    schema.get("description").and_then(Value::as_str).unwrap_or("").replace('\n', " ")
}

/// What a value is, in a few words.
fn kind_of(schema: &Value) -> String {
    if let Some(name) = schema.get("$ref").and_then(Value::as_str).and_then(|name| name.strip_prefix("#/$defs/")) {
        return with_range(&named(name), schema);
    }
    if let Some(kinds) = ["anyOf", "oneOf"].iter().find_map(|key| schema.get(*key)?.as_array()) {
        let kinds: Vec<String> = kinds.iter().filter(|kind| kind["type"] != "null").map(kind_of).collect();
        return with_range(&kinds.join(" or "), schema);
    }
    if let Some(words) = schema.get("enum").and_then(Value::as_array) {
        let words: Vec<String> = words.iter().filter_map(Value::as_str).map(|word| format!("`{word}`")).collect();
        return words.join(", ");
    }
    let name = match &schema["type"] {
        Value::Array(names) => names.iter().filter_map(Value::as_str).find(|name| *name != "null").unwrap_or(""),
        name => name.as_str().unwrap_or(""),
    };
    match name {
        "integer" => with_range("whole number", schema),
        "number" => with_range("number", schema),
        "boolean" => "true or false".into(),
        "string" => "text".into(),
        "array" => match schema.get("maxItems").filter(|max| Some(*max) == schema.get("minItems")) {
            Some(count) => format!("{count} × {}", kind_of(&schema["items"])),
            None => match kind_of(&schema["items"]).split_once(',') {
                Some((what, _)) => format!("list of {what}s"),
                None => format!("list of {}", kind_of(&schema["items"]).replace("table", "tables")),
            },
        },
        _ => "table".into(),
    }
}

fn named(name: &str) -> String {
    match name {
        "Channel" => "number or keys".into(),
        "Channel3" => "3 × number or keys".into(),
        "Chart" => "chart".into(),
        "Fps" | "Scale" | "Colour" | "Axis" | "Friction" | "FrictionAlong" | "Amplitude" | "Damping" | "FibresWord"
        | "Unit" | "Up" | "Line" | "Keys" => kind_of(&schema::shared()["$defs"][name]),
        _ => words(&schema::shared()["$defs"][name]).unwrap_or_else(|| "table".into()),
    }
}

/// What may be written where a definition is one of several words.
fn words(definition: &Value) -> Option<String> {
    let kinds = definition.get("oneOf")?.as_array()?;
    let words: Option<Vec<String>> = kinds.iter().map(|kind| Some(format!("`{}`", kind["const"].as_str()?))).collect();
    Some(words?.join(", "))
}

fn with_range(what: &str, schema: &Value) -> String {
    match (schema.get("minimum"), schema.get("maximum")) {
        (Some(min), Some(max)) => format!("{what}, {min} to {max}"),
        (Some(min), None) => format!("{what}, at least {min}"),
        (None, Some(max)) => format!("{what}, at most {max}"),
        (None, None) => what.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Where a key's value is another table or one of several words, the page has a section for it.
    #[test]
    fn every_table_and_every_word_has_a_section() {
        /// A body's skin, flesh and parts are told by the sections of their kinds.
        const TOLD_BY_KIND: [&str; 4] = ["Skin", "Flesh", "PartsSkin", "PartSkin"];
        let definitions = schema::shared()["$defs"].as_object().unwrap();
        let is_told = |name: &str| SECTIONS.iter().any(|(section, _)| *section == name) || TOLD_BY_KIND.contains(&name);
        let wants_one = |name: &str| named(name) == "table" || words(&definitions[name]).is_some();
        let missing: Vec<&String> = definitions.keys().filter(|name| wants_one(name) && !is_told(name)).collect();
        let inline = ["ContactRule", "Unit", "Up"];
        let missing: Vec<_> = missing.into_iter().filter(|name| !inline.contains(&name.as_str())).collect();
        assert!(missing.is_empty(), "no section for {missing:?}");
        let gone: Vec<_> = SECTIONS.iter().filter(|(name, _)| !definitions.contains_key(*name)).collect();
        assert!(gone.is_empty(), "sections of nothing: {gone:?}");
    }

    #[test]
    fn rows_of_tables_stay_on_their_line() {
        let page = page();
        let broken: Vec<&str> = page.lines().filter(|line| line.starts_with('|') && !line.ends_with('|')).collect();
        assert!(broken.is_empty(), "{broken:?}");
    }
}
