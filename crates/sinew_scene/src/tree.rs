//! A document as a tree that remembers where each value stands in the text; made from TOML or from JSON.

use crate::problem::{Problem, Step};
use crate::size;
use serde_json::{Map, Value};
use sinew_math::shown;
use std::ops::Range;
use toml_edit::{Document, DocumentMut, Item, TableLike};

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Node {
    pub(crate) kind: Kind,
    pub(crate) span: Option<Range<usize>>,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Kind {
    Null,
    Bool(bool),
    Integer(i64),
    Float(f64),
    Text(String),
    /// TOML has dates; scenes do not.
    Date,
    List(Vec<Node>),
    Table(Vec<Entry>),
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Entry {
    pub(crate) key: String,
    pub(crate) key_span: Option<Range<usize>>,
    pub(crate) value: Node,
}

impl Node {
    /// Parses TOML. A syntax error is one problem with its place.
    pub(crate) fn from_toml(text: &str) -> Result<Self, Problem> {
        if let Some(at) = size::exceeded(text) {
            let what = "this is too much for a scene: more than 250,000 keys, or a million numbers";
            let help = "meshes, fields and recorded motion lie in files of their own, which a scene names";
            return Err(Problem::new(&[], what).with_help(help).with_span(Some(at..at + 1)));
        }
        match Document::parse(text) {
            Ok(document) => Ok(from_table(document.as_table(), None)),
            Err(error) => {
                let message = error.message().lines().map(str::trim).collect::<Vec<_>>().join(", ");
                Err(Problem::new(&[], format!("this is not TOML: {message}")).with_span(error.span()))
            }
        }
    }

    pub(crate) fn from_json(value: &Value) -> Self {
        let kind = match value {
            Value::Null => Kind::Null,
            Value::Bool(value) => Kind::Bool(*value),
            Value::Number(number) => match number.as_i64() {
                Some(integer) => Kind::Integer(integer),
                None => Kind::Float(number.as_f64().unwrap_or(f64::NAN)),
            },
            Value::String(text) => Kind::Text(text.clone()),
            Value::Array(items) => Kind::List(items.iter().map(Self::from_json).collect()),
            Value::Object(table) => Kind::Table(
                table
                    .iter()
                    .map(|(key, value)| Entry { key: key.clone(), key_span: None, value: Self::from_json(value) })
                    .collect(),
            ),
        };
        Self { kind, span: None }
    }

    /// The same without places. What JSON cannot say (dates, numbers that are not finite) becomes null.
    pub(crate) fn to_json(&self) -> Value {
        match &self.kind {
            Kind::Null | Kind::Date => Value::Null,
            Kind::Bool(value) => Value::from(*value),
            Kind::Integer(value) => Value::from(*value),
            Kind::Float(value) => Value::from(*value),
            Kind::Text(text) => Value::from(text.as_str()),
            Kind::List(items) => items.iter().map(Self::to_json).collect(),
            Kind::Table(entries) => {
                Value::Object(entries.iter().map(|e| (e.key.clone(), e.value.to_json())).collect::<Map<_, _>>())
            }
        }
    }

    /// A document that is being edited; its values may stand nowhere.
    pub(crate) fn from_document(document: &DocumentMut) -> Self {
        from_table(document.as_table(), None)
    }

    pub(crate) fn from_toml_value(value: &toml_edit::Value) -> Self {
        from_value(value)
    }

    pub(crate) fn text(&self) -> Option<&str> {
        match &self.kind {
            Kind::Text(text) => Some(text),
            _ => None,
        }
    }

    pub(crate) fn has_one_entry(&self) -> bool {
        matches!(&self.kind, Kind::Table(entries) if entries.len() == 1)
    }

    /// Whether every number in it is finite and nothing is a date: whether JSON can say it.
    pub(crate) fn is_finite(&self) -> bool {
        match &self.kind {
            Kind::Float(value) => value.is_finite(),
            Kind::Date => false,
            Kind::List(items) => items.iter().all(Self::is_finite),
            Kind::Table(entries) => entries.iter().all(|entry| entry.value.is_finite()),
            _ => true,
        }
    }

    pub(crate) fn entry(&self, key: &str) -> Option<&Entry> {
        match &self.kind {
            Kind::Table(entries) => entries.iter().find(|entry| entry.key == key),
            _ => None,
        }
    }

    /// Where the value at `path` stands, or the nearest value around it that stands anywhere.
    pub(crate) fn span_of(&self, path: &[Step]) -> Option<Range<usize>> {
        let (mut node, mut span) = (self, self.span.clone());
        for step in path {
            let next = match (step, &node.kind) {
                (Step::Key(key), _) => node.entry(key).map(|e| (&e.value, e.value.span.clone().or(e.key_span.clone()))),
                (Step::Index(index), Kind::List(items)) => items.get(*index).map(|item| (item, item.span.clone())),
                (Step::Index(_), _) => None,
            };
            let Some((inner, inner_span)) = next else { break };
            node = inner;
            span = inner_span.or(span);
        }
        span
    }

    /// What it is, in a few words.
    pub(crate) fn describe(&self) -> String {
        match &self.kind {
            Kind::Null => "nothing".into(),
            Kind::Bool(value) => format!("{value}"),
            Kind::Integer(value) => format!("the number {value}"),
            Kind::Float(value) => format!("the number {}", shown(*value)),
            Kind::Text(text) if text.chars().count() > 40 => "a text".into(),
            Kind::Text(text) => format!("the text {text:?}"),
            Kind::Date => "a date".into(),
            Kind::List(items) => format!("a list of {}", items.len()),
            Kind::Table(_) => "a table".into(),
        }
    }
}

fn from_table(table: &dyn TableLike, span: Option<Range<usize>>) -> Node {
    let entries = table.iter().filter(|(_, item)| leaves_a_trace(item)).map(|(key, item)| Entry {
        key: key.to_owned(),
        key_span: table.key(key).and_then(toml_edit::Key::span),
        value: from_item(item),
    });
    Node { kind: Kind::Table(entries.collect()), span }
}

/// An empty list of tables, or a table that only dotted keys made, is not written at all.
fn leaves_a_trace(item: &Item) -> bool {
    match item {
        Item::None => false,
        Item::Table(table) => !(table.is_empty() && (table.is_dotted() || table.is_implicit())),
        Item::ArrayOfTables(tables) => !tables.is_empty(),
        Item::Value(_) => true,
    }
}

fn from_item(item: &Item) -> Node {
    match item {
        Item::None => Node { kind: Kind::Null, span: None },
        Item::Value(value) => from_value(value),
        Item::Table(table) => from_table(table, table.span()),
        Item::ArrayOfTables(tables) => Node {
            kind: Kind::List(tables.iter().map(|table| from_table(table, table.span())).collect()),
            span: tables.span(),
        },
    }
}

fn from_value(value: &toml_edit::Value) -> Node {
    use toml_edit::Value as Toml;
    let kind = match value {
        Toml::String(text) => Kind::Text(text.value().clone()),
        Toml::Integer(number) => Kind::Integer(*number.value()),
        Toml::Float(number) => Kind::Float(*number.value()),
        Toml::Boolean(truth) => Kind::Bool(*truth.value()),
        Toml::Datetime(_) => Kind::Date,
        Toml::Array(items) => Kind::List(items.iter().map(from_value).collect()),
        Toml::InlineTable(table) => return from_table(table, table.span()),
    };
    Node { kind, span: value.span() }
}
