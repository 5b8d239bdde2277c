//! Giving a value to something that already has one, touching as little of the user's text as possible.

use crate::write::{item_for, value_for};
use serde_json::{Map, Value as Json};
use toml_edit::{Array, Item, Value};

/// Gives `item`, which stands under `key`, a new value. Comments stay; numbers that do not change keep their digits.
pub(super) fn overwrite(key: &str, item: &mut Item, new: &Json) {
    match (item, new) {
        (item @ Item::Value(Value::InlineTable(_)), Json::Object(entries)) => overwrite_table(item, entries),
        (Item::Value(old), new) => overwrite_value(old, new),
        (item @ Item::Table(_), Json::Object(entries)) => overwrite_table(item, entries),
        (item, new) => *item = item_for(key, new),
    }
}

/// The entry of a table, if it is there. (`Item::get_mut` would make an empty one.)
pub(super) fn entry<'a>(holder: &'a mut Item, key: &str) -> Option<&'a mut Item> {
    holder.as_table_like_mut()?.get_mut(key).filter(|item| !item.is_none())
}

/// Adds a key to a table of either kind. What stands inside braces has no headers.
pub(super) fn insert_key(holder: &mut Item, key: &str, value: &Json) -> Option<()> {
    if let Some(inline) = holder.as_inline_table_mut() {
        // The space before the brace is the last entry's: a new one takes its place.
        if let Some((_, last)) = inline.iter_mut().last()
            && last.decor().suffix().and_then(|suffix| suffix.as_str()).is_some_and(|text| text.trim().is_empty())
        {
            last.decor_mut().set_suffix("");
        }
        inline.insert(key, value_for(value));
    } else {
        holder.as_table_like_mut()?.insert(key, item_for(key, value));
    }
    Some(())
}

fn overwrite_table(holder: &mut Item, entries: &Map<String, Json>) {
    let Some(table) = holder.as_table_like_mut() else { return };
    let gone: Vec<String> =
        table.iter().map(|(key, _)| key.to_owned()).filter(|key| !entries.contains_key(key)).collect();
    for key in gone {
        table.remove(&key);
    }
    for (key, value) in entries {
        match entry(holder, key) {
            Some(item) => overwrite(key, item, value),
            None => insert_key(holder, key, value).unwrap_or_default(),
        }
    }
}

fn overwrite_value(old: &mut Value, new: &Json) {
    match (old, new) {
        (old @ Value::InlineTable(_), Json::Object(entries)) => {
            let mut item = Item::Value(std::mem::replace(old, Value::from(false)));
            overwrite_table(&mut item, entries);
            if let Ok(value) = item.into_value() {
                *old = value;
            }
        }
        (Value::Array(items), Json::Array(values)) if items.len() == values.len() => {
            for (item, value) in items.iter_mut().zip(values) {
                overwrite_value(item, value);
            }
        }
        (old, new) => {
            let replacement = alike(old, new);
            if !same(old, &replacement) {
                let decor = old.decor().clone();
                *old = replacement;
                *old.decor_mut() = decor;
            }
        }
    }
}

/// The new value written as the old one was: what was 0.5 becomes 1.0 and not 1.
fn alike(old: &Value, new: &Json) -> Value {
    match (old, new.as_i64()) {
        (Value::Float(_), Some(integer)) => Value::from(integer as f64),
        _ => value_for(new),
    }
}

fn same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Integer(a), Value::Integer(b)) => a.value() == b.value(),
        (Value::Float(a), Value::Float(b)) => a.value().to_bits() == b.value().to_bits(),
        (Value::Boolean(a), Value::Boolean(b)) => a.value() == b.value(),
        (Value::String(a), Value::String(b)) => a.value() == b.value(),
        _ => false,
    }
}

/// Puts a value into a list, laid out like its neighbours.
pub(super) fn insert_alike(list: &mut Array, index: usize, mut value: Value) {
    let line_break = list.get(0).and_then(line_break_before);
    let between = line_break.clone().unwrap_or_else(|| " ".into());
    let before = if index == 0 { line_break.unwrap_or_default() } else { between.clone() };
    value.decor_mut().set_prefix(before);
    if let Some(first) = list.get_mut(0)
        && index == 0
        && first.decor().prefix().is_none_or(|prefix| prefix.as_str() == Some(""))
    {
        first.decor_mut().set_prefix(between);
    }
    list.insert_formatted(index, value);
}

/// Takes a value out of a list; a new first one stands where the old one stood.
pub(super) fn remove_alike(list: &mut Array, index: usize) -> Value {
    let removed = list.remove(index);
    if let Some(first) = list.get_mut(0)
        && index == 0
        && line_break_before(first).is_none()
    {
        first.decor_mut().set_prefix(removed.decor().prefix().cloned().unwrap_or_default());
    }
    removed
}

/// The line break and indent in front of a value, without comments above it.
fn line_break_before(value: &Value) -> Option<String> {
    let prefix = value.decor().prefix()?.as_str()?;
    prefix.rfind('\n').map(|at| prefix[at..].to_owned())
}
