//! From a scene to TOML text as a person would lay it out: tables with headers for what is large, inline for the rest.

use crate::Scene;
use serde_json::{Map, Value as Json};
use toml_edit::{Array, ArrayOfTables, DocumentMut, InlineTable, Item, Table, Value};

impl Scene {
    /// The scene as TOML. Reading it back gives the same scene. (A [`crate::Document`] keeps the user's own text.)
    pub fn to_toml(&self) -> String {
        let mut document = DocumentMut::new();
        if let Json::Object(entries) = self.to_json() {
            fill(document.as_table_mut(), &entries);
        }
        document.to_string()
    }
}

/// Lists whose entries have headers of their own, `[[body]]`.
const LISTS: [&str; 4] = ["body", "director", "event", "obstacle"];
/// Tables with a header of their own, `[scene]`.
const TABLES: [&str; 5] = ["scene", "sets", "medium", "camera", "light"];

/// The item that stands for a value under a key.
pub(crate) fn item_for(key: &str, value: &Json) -> Item {
    match value {
        Json::Array(entries) if LISTS.contains(&key) && entries.iter().all(Json::is_object) => {
            Item::ArrayOfTables(entries.iter().filter_map(Json::as_object).map(table).collect::<ArrayOfTables>())
        }
        Json::Object(entries) if TABLES.contains(&key) => Item::Table(table(entries)),
        other => Item::Value(value_for(other)),
    }
}

/// A table with a header, set off by an empty line.
pub(crate) fn table(entries: &Map<String, Json>) -> Table {
    let mut table = Table::new();
    table.decor_mut().set_prefix("\n");
    fill(&mut table, entries);
    table
}

fn fill(table: &mut Table, entries: &Map<String, Json>) {
    for (key, value) in entries.iter().filter(|(_, value)| !value.is_null()) {
        table.insert(key, item_for(key, value));
    }
}

/// A float, with an exponent where it would be a row of zeros.
fn float(number: f64) -> Value {
    let size = number.abs();
    match format!("{number:e}").parse() {
        Ok(short) if size > 0.0 && !(1e-9..1e15).contains(&size) => short,
        _ => Value::from(number),
    }
}

/// A value on one line. Nulls inside tables are left out.
pub(crate) fn value_for(json: &Json) -> Value {
    match json {
        Json::Null => Value::from(""),
        Json::Bool(truth) => Value::from(*truth),
        Json::Number(number) => match number.as_i64() {
            Some(integer) => Value::from(integer),
            None => float(number.as_f64().unwrap_or(f64::NAN)),
        },
        Json::String(text) => Value::from(text.as_str()),
        Json::Array(items) => Value::Array(items.iter().map(value_for).collect::<Array>()),
        Json::Object(entries) => {
            let mut table = InlineTable::new();
            for (key, value) in entries.iter().filter(|(_, value)| !value.is_null()) {
                table.insert(key, value_for(value));
            }
            Value::InlineTable(table)
        }
    }
}
