//! What each command does to the document.

use super::command::{Command, refused};
use super::copy::copy_director;
use super::keys;
use super::overwrite::{entry, insert_alike, insert_key, overwrite, remove_alike};
use super::path::{find, resolve, resolve_parent};
use crate::model::is_name;
use crate::problem::{Problem, Step, path_text};
use crate::tree::Node;
use crate::write::{table, value_for};
use serde_json::Value as Json;
use toml_edit::{DocumentMut, Item, Table, Value};

/// Carries out one command. On an error the document may be left half changed: callers work on a copy.
pub(super) fn edit(document: &mut DocumentMut, command: &Command) -> Result<(), Problem> {
    match command {
        Command::Set { path, value: Json::Null } | Command::Unset { path } => unset(document, path),
        Command::Set { path, value } => set(document, path, value),
        Command::Add { to, value, index, name } => match name {
            Some(name) => add_named(document, to, name, value),
            None => add(document, to, value, *index),
        },
        Command::Remove { path } => remove(document, path),
        Command::Rename { path, to } => rename(document, path, to),
        Command::CopyDirector { from, to, mirror } => copy_director(document, from, to, *mirror),
        Command::InsertKey { path, at, value, shape } => keys::insert(document, path, *at, *value, shape.as_ref()),
        Command::MoveKey { path, from, to, value } => keys::move_key(document, path, *from, *to, *value),
        Command::DeleteKey { path, at } => keys::delete(document, path, *at),
        Command::Batch { commands, .. } => commands.iter().try_for_each(|command| edit(document, command)),
    }
}

fn set(document: &mut DocumentMut, path: &str, value: &Json) -> Result<(), Problem> {
    let (parent, last) = resolve_parent(&Node::from_document(document), path)?;
    let holder = make_tables(document, &parent, path)?;
    // An entry with a header of its own cannot become a plain value.
    if holder.is_array_of_tables() && !value.is_object() {
        return Err(refused(format!("{path} is a table, not {value}"), "give a table, or set one of its keys"));
    }
    put(holder, &last, value).ok_or_else(|| holds_nothing(path, &parent))
}

/// Gives the entry at `step` of a table or list a value.
fn put(holder: &mut Item, step: &Step, value: &Json) -> Option<()> {
    match step {
        Step::Key(key) => match entry(holder, key) {
            Some(item) => overwrite(key, item, value),
            None => insert_key(holder, key, value)?,
        },
        Step::Index(index) => overwrite("", holder.get_mut(*index)?, value),
    }
    Some(())
}

/// The item at `steps`, with tables made on the way where they are missing.
fn make_tables<'a>(document: &'a mut DocumentMut, steps: &[Step], path: &str) -> Result<&'a mut Item, Problem> {
    let mut item = document.as_item_mut();
    for (depth, step) in steps.iter().enumerate() {
        item = match step {
            Step::Key(key) => {
                let empty = Json::Object(serde_json::Map::new());
                entry_or(item, key, &empty).ok_or_else(|| holds_nothing(path, &steps[..depth]))?
            }
            Step::Index(index) => item.get_mut(*index).ok_or_else(|| holds_nothing(path, &steps[..=depth]))?,
        };
    }
    Ok(item)
}

/// The entry of a table, made with this value where it is missing.
fn entry_or<'a>(holder: &'a mut Item, key: &str, value: &Json) -> Option<&'a mut Item> {
    if entry(holder, key).is_none() {
        insert_key(holder, key, value)?;
    }
    entry(holder, key)
}

/// The item at `steps`, which is there.
pub(super) fn item_at<'a>(document: &'a mut DocumentMut, steps: &[Step]) -> Option<&'a mut Item> {
    steps.iter().try_fold(document.as_item_mut(), |item, step| match step {
        Step::Key(key) => entry(item, key),
        Step::Index(index) => item.get_mut(*index),
    })
}

pub(super) fn holds_nothing(path: &str, steps: &[Step]) -> Problem {
    let what = path_text(steps);
    let what = if what.is_empty() { "the scene" } else { &what };
    refused(format!("{path}: {what} holds no such entry"), "check the path; indices count from 0")
}

fn unset(document: &mut DocumentMut, path: &str) -> Result<(), Problem> {
    let steps = resolve(&Node::from_document(document), path)?;
    match steps.split_last() {
        Some((Step::Key(_), _)) => take_away(document, &steps, path),
        _ => Err(refused(format!("{path}: a list entry has no default"), "remove it instead")),
    }
}

fn remove(document: &mut DocumentMut, path: &str) -> Result<(), Problem> {
    let steps = resolve(&Node::from_document(document), path)?;
    let is_set = matches!(&steps[..], [.., Step::Key(sets), Step::Key(_)] if sets == "sets");
    match steps.last() {
        Some(Step::Index(_)) => take_away(document, &steps, path),
        _ if is_set => take_away(document, &steps, path),
        _ => Err(refused(format!("{path} is neither in a list nor a set"), "unset takes a key away")),
    }
}

fn take_away(document: &mut DocumentMut, steps: &[Step], path: &str) -> Result<(), Problem> {
    let gone = || holds_nothing(path, steps);
    let (last, parent) = steps.split_last().ok_or_else(gone)?;
    let holder = item_at(document, parent).ok_or_else(gone)?;
    match (last, &mut *holder) {
        (Step::Key(key), holder) => {
            holder.as_table_like_mut().and_then(|table| table.remove(key)).ok_or_else(gone)?;
        }
        (Step::Index(index), Item::ArrayOfTables(tables)) if *index < tables.len() => {
            tables.remove(*index);
        }
        (Step::Index(index), Item::Value(Value::Array(items))) if *index < items.len() => {
            remove_alike(items, *index);
        }
        _ => return Err(gone()),
    }
    Ok(())
}

fn add(document: &mut DocumentMut, to: &str, value: &Json, index: Option<usize>) -> Result<(), Problem> {
    let (parent, last) = resolve_parent(&Node::from_document(document), to)?;
    let holder = make_tables(document, &parent, to)?;
    let list = match (&last, holder) {
        (Step::Key(key), holder) => {
            let empty = Json::Array(Vec::new());
            entry_or(holder, key, &empty).ok_or_else(|| holds_nothing(to, &parent))?
        }
        (Step::Index(index), holder) => holder.get_mut(*index).ok_or_else(|| holds_nothing(to, &parent))?,
    };
    let count =
        list.as_array_of_tables().map(toml_edit::ArrayOfTables::len).or(list.as_array().map(toml_edit::Array::len));
    let Some(count) = count else {
        return Err(refused(format!("{to} is not a list"), "set gives a key a value; a set is added by name"));
    };
    let index = index.unwrap_or(count);
    if index > count {
        return Err(refused(
            format!("{to} has {count} entries, so none can be put at {index}"),
            "indices count from 0",
        ));
    }
    match (list, value) {
        (Item::ArrayOfTables(tables), Json::Object(entries)) => tables.insert(index, table(entries)),
        (Item::Value(Value::Array(items)), value) => insert_alike(items, index, value_for(value)),
        _ => return Err(refused(format!("an entry of {to} is a table"), "give it as { … }")),
    }
    Ok(())
}

fn add_named(document: &mut DocumentMut, to: &str, name: &str, value: &Json) -> Result<(), Problem> {
    if !is_name(name) {
        return Err(refused(format!("{name:?} is no name"), "use letters, digits, _ and -"));
    }
    let path = format!("{to}.{name}");
    let tree = Node::from_document(document);
    let (parent, last) = resolve_parent(&tree, &path)?;
    if !matches!(parent.last(), Some(Step::Key(sets)) if sets == "sets") {
        return Err(refused(format!("{to} does not hold named entries"), "sets are added to body.NAME.sets"));
    }
    if find(&tree, &[parent.as_slice(), &[last]].concat()).is_some() {
        return Err(refused(
            format!("there is already a set called {name:?}"),
            "choose another name, or set its value",
        ));
    }
    set(document, &path, value)
}

fn rename(document: &mut DocumentMut, path: &str, to: &str) -> Result<(), Problem> {
    if !is_name(to) {
        return Err(refused(format!("{to:?} is no name"), "use letters, digits, _ and -"));
    }
    let tree = Node::from_document(document);
    let steps = resolve(&tree, path)?;
    match steps.as_slice() {
        [body @ .., Step::Key(sets), Step::Key(old)] if sets == "sets" => rename_set(document, body, old, to, path),
        [.., Step::Key(list), Step::Index(_)] if ["body", "director", "obstacle"].contains(&list.as_str()) => {
            let holder = item_at(document, &steps).ok_or_else(|| holds_nothing(path, &steps))?;
            put(holder, &Step::Key("name".into()), &Json::from(to)).ok_or_else(|| holds_nothing(path, &steps))
        }
        _ => Err(refused(format!("{path} has no name"), "bodies, directors, obstacles and sets have names")),
    }
}

/// Renames a set where it stands, and in the directors of its body that name it.
fn rename_set(doc: &mut DocumentMut, body: &[Step], old: &str, new: &str, path: &str) -> Result<(), Problem> {
    let gone = || holds_nothing(path, body);
    let body = item_at(doc, body).ok_or_else(gone)?;
    let sets = entry(body, "sets").ok_or_else(gone)?;
    if sets.get(new).is_some() && new != old {
        return Err(refused(format!("there is already a set called {new:?}"), "choose another name"));
    }
    match sets {
        Item::Table(sets) => rename_key(sets, old, new),
        Item::Value(Value::InlineTable(inline)) => {
            let mut sets = std::mem::take(inline).into_table();
            rename_key(&mut sets, old, new);
            *inline = sets.into_inline_table();
        }
        _ => return Err(gone()),
    }
    let count = body.get("director").map_or(0, |list| match list {
        Item::ArrayOfTables(tables) => tables.len(),
        list => list.as_array().map_or(0, toml_edit::Array::len),
    });
    for index in 0..count {
        let director = entry(body, "director").and_then(|list| list.get_mut(index));
        let on = director.and_then(|director| entry(director, "on"));
        if let Some(on) = on.filter(|on| on.as_str() == Some(old)) {
            overwrite("on", on, &Json::from(new));
        }
    }
    Ok(())
}

/// Renames a key without moving it.
fn rename_key(table: &mut Table, old: &str, new: &str) {
    let keys: Vec<String> = table.iter().map(|(key, _)| key.to_owned()).collect();
    for key in keys {
        let Some((formatted, item)) = table.remove_entry(&key) else { continue };
        if key == old {
            let renamed = toml_edit::Key::new(new)
                .with_leaf_decor(formatted.leaf_decor().clone())
                .with_dotted_decor(formatted.dotted_decor().clone());
            table.insert_formatted(&renamed, item);
        } else {
            table.insert_formatted(&formatted, item);
        }
    }
}
