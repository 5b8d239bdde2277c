//! The parts of a JSON Schema that ours uses, with references followed and alternatives laid out side by side.

use crate::model::{COLOUR_PATTERN, NAME_PATTERN, READER, is_colour, is_name};
use serde_json::Value;

/// One of the shapes that a value may have.
#[derive(Clone, Debug)]
pub(super) enum Shape<'a> {
    Null,
    Bool,
    Number { range: Range, integer: bool },
    Word(&'a str),
    Text { pattern: Option<&'a str>, not_empty: bool },
    List { items: &'a Value, min: usize, max: usize },
    Table(TableShape<'a>),
    Reader(Reader, Range),
}

/// A value with a reader of its own.
#[derive(Clone, Copy, Debug)]
pub(super) enum Reader {
    Channel,
    Chart,
}

#[derive(Clone, Debug, Default)]
pub(super) struct TableShape<'a> {
    pub(super) properties: Vec<(&'a str, &'a Value)>,
    pub(super) required: Vec<&'a str>,
    /// The shape of every value whose key the user chooses.
    others: Option<&'a Value>,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Range {
    pub(super) min: f64,
    pub(super) max: f64,
}

impl Range {
    const ALL: Self = Self { min: f64::NEG_INFINITY, max: f64::INFINITY };

    pub(super) fn contains(&self, value: f64) -> bool {
        self.min <= value && value <= self.max
    }

    /// Narrowed by the bounds that a schema states.
    fn narrowed(self, schema: &Value) -> Self {
        let bound = |key: &str, otherwise: f64| schema.get(key).and_then(Value::as_f64).unwrap_or(otherwise);
        // Whole numbers are read into 32 bits.
        let (low, high) = match schema.get("format").and_then(Value::as_str) {
            Some("uint32") => (0.0, f64::from(u32::MAX)),
            Some("int32") => (f64::from(i32::MIN), f64::from(i32::MAX)),
            _ => (f64::NEG_INFINITY, f64::INFINITY),
        };
        Self { min: self.min.max(bound("minimum", low)).max(low), max: self.max.min(bound("maximum", high)).min(high) }
    }
}

/// Every shape that `schema` allows.
pub(super) fn shapes<'a>(schema: &'a Value, root: &'a Value) -> Vec<Shape<'a>> {
    let mut out = Vec::new();
    collect(schema, root, Range::ALL, &TableShape::default(), &mut out);
    out
}

fn collect<'a>(schema: &'a Value, root: &'a Value, range: Range, base: &TableShape<'a>, out: &mut Vec<Shape<'a>>) {
    let range = range.narrowed(schema);
    if let Some(name) = reference(schema) {
        if let Some(target) = root.get("$defs").and_then(|defs| defs.get(name)) {
            collect(target, root, range, base, out);
        }
        return;
    }
    if let Some(reader) = schema.get(READER) {
        let reader = if reader == "chart" { Reader::Chart } else { Reader::Channel };
        out.push(Shape::Reader(reader, range));
        return;
    }
    let base = base.with(schema);
    let alternatives = ["anyOf", "oneOf"].iter().find_map(|key| schema.get(*key)?.as_array());
    if let Some(alternatives) = alternatives {
        for alternative in alternatives {
            collect(alternative, root, range, &base, out);
        }
        return;
    }
    if let Some(word) = schema.get("const").and_then(Value::as_str) {
        out.push(Shape::Word(word));
    } else if let Some(words) = schema.get("enum").and_then(Value::as_array) {
        out.extend(words.iter().filter_map(Value::as_str).map(Shape::Word));
    } else {
        out.extend(types(schema).into_iter().filter_map(|name| of_type(name, schema, range, &base)));
    }
}

fn of_type<'a>(name: &str, schema: &'a Value, range: Range, base: &TableShape<'a>) -> Option<Shape<'a>> {
    let count = |key: &str| schema.get(key).and_then(Value::as_u64).map(|n| n as usize);
    Some(match name {
        "null" => Shape::Null,
        "boolean" => Shape::Bool,
        "integer" | "number" => Shape::Number { range, integer: name == "integer" },
        "string" => Shape::Text {
            pattern: schema.get("pattern").and_then(Value::as_str),
            not_empty: count("minLength").is_some_and(|n| n > 0),
        },
        "array" => Shape::List {
            items: schema.get("items")?,
            min: count("minItems").unwrap_or(0),
            max: count("maxItems").unwrap_or(usize::MAX),
        },
        "object" => Shape::Table(base.clone()),
        _ => return None,
    })
}

fn types(schema: &Value) -> Vec<&str> {
    match schema.get("type") {
        Some(Value::String(name)) => vec![name],
        Some(Value::Array(names)) => names.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    }
}

fn reference(schema: &Value) -> Option<&str> {
    schema.get("$ref")?.as_str()?.strip_prefix("#/$defs/")
}

impl<'a> Shape<'a> {
    pub(super) fn word(&self) -> Option<&'a str> {
        match self {
            Self::Word(word) => Some(word),
            _ => None,
        }
    }

    /// Shape of the items, least and greatest count.
    pub(super) fn list(&self) -> Option<(&'a Value, usize, usize)> {
        match self {
            Self::List { items, min, max } => Some((items, *min, *max)),
            _ => None,
        }
    }

    pub(super) fn table(&self) -> Option<&TableShape<'a>> {
        match self {
            Self::Table(table) => Some(table),
            _ => None,
        }
    }

    pub(super) fn accepts_text(&self, text: &str) -> bool {
        match self {
            Self::Text { pattern: Some(NAME_PATTERN), .. } => is_name(text),
            Self::Text { pattern: Some(COLOUR_PATTERN), .. } => is_colour(text),
            Self::Text { not_empty, .. } => !(*not_empty && text.is_empty()),
            _ => false,
        }
    }
}

impl<'a> TableShape<'a> {
    /// Joined with what `schema` itself says about a table: alternatives add to what surrounds them.
    fn with(&self, schema: &'a Value) -> Self {
        let mut joined = self.clone();
        if let Some(properties) = schema.get("properties").and_then(Value::as_object) {
            joined.properties.extend(properties.iter().map(|(key, value)| (key.as_str(), value)));
        }
        if let Some(required) = schema.get("required").and_then(Value::as_array) {
            joined.required.extend(required.iter().filter_map(Value::as_str));
        }
        joined.others = schema.get("additionalProperties").filter(|others| others.is_object()).or(joined.others);
        joined
    }

    pub(super) fn value_of(&self, key: &str) -> Option<&'a Value> {
        self.properties.iter().find(|(name, _)| *name == key).map(|(_, value)| *value).or(self.others)
    }

    /// The word that `key` must have in this kind of table, if it tells kinds apart.
    pub(super) fn tag(&self, key: &str) -> Option<&'a str> {
        self.value_of(key)?.get("const")?.as_str()
    }

    /// The key that tells kinds of tables apart by its word.
    pub(super) fn tag_key(&self) -> Option<&'a str> {
        self.properties.iter().map(|(key, _)| *key).find(|key| self.tag(key).is_some())
    }

    /// The key by which a reader knows what kind of table this is.
    pub(super) fn telling_key(&self) -> Option<&'a str> {
        self.tag_key().or_else(|| self.required.first().copied())
    }

    /// What the schema says about a key, and which words it may have.
    pub(super) fn about(&self, key: &str, root: &'a Value) -> Option<String> {
        let schema = self.value_of(key)?;
        let words: Vec<&str> = shapes(schema, root).iter().filter_map(Shape::word).collect();
        let description = schema.get("description").and_then(Value::as_str);
        match (description, words.is_empty()) {
            (Some(text), true) => Some(format!("{key}: {text}")),
            (Some(text), false) => Some(format!("{key}: {text} One of {}.", words.join(", "))),
            (None, false) => Some(format!("{key} is one of {}", words.join(", "))),
            (None, true) => None,
        }
    }
}
