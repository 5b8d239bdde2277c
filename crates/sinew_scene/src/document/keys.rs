//! Commands on the keys of channels and charts.

use super::command::refused;
use super::edit::{holds_nothing, item_at};
use super::overwrite::{entry, insert_alike, overwrite, remove_alike};
use super::path::resolve;
use crate::problem::{Problem, Step, path_text};
use crate::tree::Node;
use crate::write::value_for;
use serde_json::{Value as Json, json};
use toml_edit::{Array, DocumentMut, Item, Value};

/// Puts a key at `at`, or gives the one there a new value.
pub(super) fn insert(
    doc: &mut DocumentMut,
    path: &str,
    at: f64,
    value: f64,
    shape: Option<&Json>,
) -> Result<(), Problem> {
    finite(path, &[at, value])?;
    let steps = resolve(&Node::from_document(doc), path)?;
    let item = item_at(doc, &steps).ok_or_else(|| holds_nothing(path, &steps))?;
    let key = match shape {
        Some(shape) => json!([tidy(at), value, shape]),
        None => json!([tidy(at), value]),
    };
    if matches!(item, Item::Value(Value::Integer(_) | Value::Float(_))) {
        overwrite("", item, &json!([key]));
        return Ok(());
    }
    let keys = keys_of(item).ok_or_else(|| no_curve(path, &steps))?;
    match position(keys, at) {
        Ok(index) => change(keys, index, at, Some(value), shape),
        Err(index) => insert_alike(keys, index, value_for(&key)),
    }
    Ok(())
}

pub(super) fn move_key(
    doc: &mut DocumentMut,
    path: &str,
    from: f64,
    to: f64,
    value: Option<f64>,
) -> Result<(), Problem> {
    finite(path, &[from, to, value.unwrap_or(0.0)])?;
    let steps = resolve(&Node::from_document(doc), path)?;
    let item = item_at(doc, &steps).ok_or_else(|| holds_nothing(path, &steps))?;
    let keys = keys_of(item).ok_or_else(|| no_curve(path, &steps))?;
    let index = position(keys, from).map_err(|_| no_key(path, from, keys))?;
    if from != to && position(keys, to).is_ok() {
        return Err(refused(format!("{path} already has a key at {to}"), "delete it first, or move beside it"));
    }
    change(keys, index, to, value, None);
    let before = |i: usize| keys.get(i).and_then(key_at);
    let in_order =
        index.checked_sub(1).and_then(before).is_none_or(|a| a < to) && before(index + 1).is_none_or(|b| to < b);
    if !in_order {
        let key = remove_alike(keys, index);
        let index = position(keys, to).unwrap_or_else(|index| index);
        insert_alike(keys, index, key);
    }
    Ok(())
}

pub(super) fn delete(doc: &mut DocumentMut, path: &str, at: f64) -> Result<(), Problem> {
    let steps = resolve(&Node::from_document(doc), path)?;
    let item = item_at(doc, &steps).ok_or_else(|| holds_nothing(path, &steps))?;
    let keys = keys_of(item).ok_or_else(|| no_curve(path, &steps))?;
    let index = position(keys, at).map_err(|_| no_key(path, at, keys))?;
    if keys.len() > 1 {
        remove_alike(keys, index);
        return Ok(());
    }
    let last = keys.get(0).and_then(Value::as_array).and_then(|key| key.get(1)).cloned();
    let value = last.map(|value| Node::from_toml_value(&value).to_json()).unwrap_or_default();
    overwrite("", item, &value);
    Ok(())
}

/// The list of keys in either form: the list itself, or `keys` of a table.
fn keys_of(item: &mut Item) -> Option<&mut Array> {
    if item.is_array() { item.as_array_mut() } else { entry(item, "keys")?.as_array_mut() }
}

fn key_at(key: &Value) -> Option<f64> {
    let at = key.as_array()?.get(0)?;
    at.as_float().or_else(|| at.as_integer().map(|integer| integer as f64))
}

/// Where the key at `at` is, or where it would go.
fn position(keys: &Array, at: f64) -> Result<usize, usize> {
    let places: Vec<f64> = keys.iter().filter_map(key_at).collect();
    match places.iter().position(|place| *place == at) {
        Some(index) => Ok(index),
        None => Err(places.iter().filter(|place| **place < at).count()),
    }
}

fn change(keys: &mut Array, index: usize, at: f64, value: Option<f64>, shape: Option<&Json>) {
    let Some(key) = keys.get_mut(index).and_then(Value::as_array_mut) else { return };
    let entries = [(0, Some(tidy(at))), (1, value.map(Json::from)), (2, shape.cloned())];
    for (entry, new) in entries {
        let Some(new) = new else { continue };
        match key.get(entry).cloned() {
            Some(old) => {
                let mut item = Item::Value(old);
                overwrite("", &mut item, &new);
                if let Ok(value) = item.into_value() {
                    key.replace_formatted(entry, value);
                }
            }
            None => insert_alike(key, key.len(), value_for(&new)),
        }
    }
}

/// Frames are whole as a rule, and are written so.
fn tidy(at: f64) -> Json {
    if at.fract() == 0.0 && at.abs() < 1e9 { Json::from(at as i64) } else { Json::from(at) }
}

fn finite(path: &str, numbers: &[f64]) -> Result<(), Problem> {
    match numbers.iter().find(|number| !number.is_finite()) {
        Some(number) => Err(refused(format!("{path}: {number} is not a finite number"), "give a finite number")),
        None => Ok(()),
    }
}

fn no_curve(path: &str, steps: &[Step]) -> Problem {
    refused(format!("{path}: {} is no curve", path_text(steps)), "keys belong to numbers and charts")
}

fn no_key(path: &str, at: f64, keys: &Array) -> Problem {
    let places: Vec<String> = keys.iter().filter_map(key_at).map(|place| place.to_string()).collect();
    refused(format!("{path} has no key at {at}"), format!("its keys are at {}", places.join(", ")))
}
