//! Whether a document has the shape that the schema of [`crate::Scene`] asks for, with every departure named at once.
//!
//! The schema is derived from the model's types, so this and the published JSON Schema cannot disagree. What a schema
//! cannot say (names that must exist, ranges that depend on one another) is checked afterwards in [`crate::check`].

mod expect;
mod later;
mod shape;

use crate::model::{Channel, Chart};
use crate::nearest::{did_you_mean, nearest};
use crate::problem::{Problem, Step};
use crate::tree::{Entry, Kind, Node};
use expect::expected;
use serde_json::Value;
use shape::{Range, Reader, Shape, TableShape, shapes};
use sinew_math::shown;
use std::collections::HashSet;
use std::ops::Range as Span;

/// Everything about `document` that departs from `schema`.
pub(crate) fn conform(document: &Node, schema: &Value) -> Vec<Problem> {
    let mut walk = Walk { root: schema, path: Vec::new(), problems: Vec::new() };
    walk.visit(document, None, &shapes(schema, schema));
    walk.problems
}

/// Whether only a table that is no curve can be meant.
fn is_table_without_keys(node: &Node) -> bool {
    matches!(&node.kind, Kind::Table(entries) if entries.iter().all(|entry| entry.key != "keys"))
}

/// Departures that are named. A file of another kind has one in every line, and nobody reads on.
pub(crate) const MOST_PROBLEMS: usize = 100;

/// Numbers beyond this are slips of the keyboard: no length, force or stiffness of a scene is near it.
const HUGE: f64 = 1.0e15;

struct Walk<'a> {
    root: &'a Value,
    path: Vec<Step>,
    problems: Vec<Problem>,
}

impl<'a> Walk<'a> {
    /// `key` is where the value's key stands, for values that stand nowhere themselves.
    fn visit(&mut self, node: &Node, key: Option<&Span<usize>>, shapes: &[Shape<'a>]) {
        let span = node.span.clone().or_else(|| key.cloned());
        let reader = shapes.iter().find(|shape| matches!(shape, Shape::Reader(..)));
        if let Some(Shape::Reader(reader, range)) = reader
            && !(is_table_without_keys(node) && shapes.iter().any(|shape| shape.table().is_some()))
        {
            if self.numbers_are_finite(node, span.as_ref()) {
                self.visit_reader(node, span, *reader, *range);
            }
            return;
        }
        match &node.kind {
            Kind::Null if shapes.iter().any(|shape| matches!(shape, Shape::Null)) => {}
            Kind::Bool(_) if shapes.iter().any(|shape| matches!(shape, Shape::Bool)) => {}
            Kind::Integer(value) => self.visit_number(node, span, *value as f64, true, shapes),
            Kind::Float(value) => self.visit_number(node, span, *value, false, shapes),
            Kind::Text(text) => self.visit_text(node, span, text, shapes),
            Kind::List(items) => self.visit_list(node, span, items, shapes),
            Kind::Table(entries) => self.visit_table(node, span, entries, shapes),
            Kind::Null | Kind::Bool(_) | Kind::Date => self.wrong_kind(node, span, shapes),
        }
    }

    fn visit_number(&mut self, node: &Node, span: Option<Span<usize>>, value: f64, whole: bool, shapes: &[Shape<'a>]) {
        let found = shapes.iter().find_map(|shape| match shape {
            Shape::Number { range, integer } => Some((*range, *integer)),
            _ => None,
        });
        let Some((range, integer)) = found else { return self.wrong_kind(node, span, shapes) };
        if !self.numbers_are_finite(node, span.as_ref()) {
            return;
        }
        if (integer && !whole) || !range.contains(value) {
            let asked = expected(&[Shape::Number { range, integer }]);
            self.report(span, format!("expected {asked}, found {}", shown(value)), None);
        }
    }

    fn visit_text(&mut self, node: &Node, span: Option<Span<usize>>, text: &str, shapes: &[Shape<'a>]) {
        let words: Vec<&str> = shapes.iter().filter_map(Shape::word).collect();
        let texts: Vec<&Shape<'_>> = shapes.iter().filter(|shape| matches!(shape, Shape::Text { .. })).collect();
        if words.contains(&text) || texts.iter().any(|shape| shape.accepts_text(text)) {
            return;
        }
        match texts.first() {
            Some(shape) => self.report(span, format!("{text:?} is not {}", expected(&[(*shape).clone()])), None),
            None if words.is_empty() => self.wrong_kind(node, span, shapes),
            None => self.unknown_word(span, text, &words),
        }
    }

    fn visit_list(&mut self, node: &Node, span: Option<Span<usize>>, items: &[Node], shapes: &[Shape<'a>]) {
        let Some((asked, min, max)) = shapes.iter().find_map(Shape::list) else {
            return self.wrong_kind(node, span, shapes);
        };
        if items.len() < min || items.len() > max {
            let found = items.len();
            let list: Vec<Shape<'a>> = shapes.iter().filter(|shape| shape.list().is_some()).cloned().collect();
            let help =
                (found < min && max > min).then(|| "add what is missing, or leave out what holds the list".into());
            self.report(span, format!("expected {}, found a list of {found}", expected(&list)), help);
            return;
        }
        let inner = shape::shapes(asked, self.root);
        for (index, item) in items.iter().enumerate() {
            if self.is_full() {
                return;
            }
            self.path.push(Step::Index(index));
            self.visit(item, node.span.as_ref(), &inner);
            self.path.pop();
        }
    }

    fn visit_table(&mut self, node: &Node, span: Option<Span<usize>>, entries: &[Entry], shapes: &[Shape<'a>]) {
        let tables: Vec<&TableShape<'a>> = shapes.iter().filter_map(Shape::table).collect();
        if tables.is_empty() {
            return self.wrong_kind(node, span, shapes);
        }
        let Some(table) = self.choose(span.clone(), entries, &tables) else { return };
        let table = table.clone();
        let present: HashSet<&str> = entries.iter().map(|entry| entry.key.as_str()).collect();
        // What is already there was not misspelt.
        let free: Vec<&str> = table.properties.iter().map(|(name, _)| *name).filter(|n| !present.contains(n)).collect();
        let mut telling: Vec<&str> = tables.iter().filter_map(|table| table.telling_key()).collect();
        telling.dedup();
        for entry in entries {
            if self.is_full() {
                return;
            }
            self.path.push(Step::Key(entry.key.clone()));
            match table.value_of(&entry.key) {
                Some(asked) => self.visit(&entry.value, entry.key_span.as_ref(), &shape::shapes(asked, self.root)),
                None if telling.contains(&entry.key.as_str()) => self.second_kind(entry, &table, &telling),
                None => self.unknown_key(entry, &table, &free),
            }
            self.path.pop();
        }
        // What was misspelt is not missing as well.
        let unknown = entries.iter().map(|entry| entry.key.as_str()).filter(|key| table.value_of(key).is_none());
        let meant: HashSet<&str> = unknown.filter_map(|key| nearest(key, &table.required)).collect();
        for missing in table.required.iter().filter(|key| !present.contains(*key) && !meant.contains(*key)) {
            self.report(span.clone(), format!("`{missing}` is missing here"), table.about(missing, self.root));
        }
    }

    /// Which of several kinds of table is meant: by its tag (`kind = "…"`), else by the keys that are there.
    fn choose<'t>(
        &mut self,
        span: Option<Span<usize>>,
        entries: &[Entry],
        tables: &[&'t TableShape<'a>],
    ) -> Option<&'t TableShape<'a>> {
        if let [only] = tables {
            return Some(only);
        }
        for entry in entries {
            let words: Vec<&str> = tables.iter().filter_map(|table| table.tag(&entry.key)).collect();
            if words.is_empty() {
                continue;
            }
            if let Kind::Text(text) = &entry.value.kind
                && let Some(table) = tables.iter().find(|table| table.tag(&entry.key) == Some(text))
            {
                return Some(table);
            }
            self.path.push(Step::Key(entry.key.clone()));
            let at = entry.value.span.clone().or_else(|| entry.key_span.clone());
            match &entry.value.kind {
                Kind::Text(text) => self.unknown_word(at, text, &words),
                _ => self.report(at, format!("expected {}, found {}", words.join(", "), entry.value.describe()), None),
            }
            self.path.pop();
            return None;
        }
        let has = |key: &&str| entries.iter().any(|entry| entry.key == **key);
        // A table that needs a tag and has none cannot be that kind.
        let score = |table: &TableShape<'_>| match table.tag_key() {
            Some(_) => 0,
            None => table.required.iter().filter(|key| has(key)).count(),
        };
        let best = tables.iter().copied().filter(|table| score(table) > 0).max_by_key(|table| score(table));
        if best.is_none() {
            self.undecided(span, entries, tables);
        }
        best
    }

    /// Nothing in a table says which kind it is.
    fn undecided(&mut self, span: Option<Span<usize>>, entries: &[Entry], tables: &[&TableShape<'a>]) {
        let mut telling: Vec<&str> = tables.iter().filter_map(|table| table.telling_key()).collect();
        telling.dedup();
        let words: Vec<&str> = tables.iter().filter_map(|table| table.tag(table.tag_key()?)).collect();
        let misspelt = entries.iter().find_map(|entry| Some((entry, nearest(&entry.key, &telling)?)));
        if let Some((entry, meant)) = misspelt {
            self.path.push(Step::Key(entry.key.clone()));
            let help = format!("did you mean `{meant}`?");
            self.report(entry.key_span.clone(), format!("unknown key `{}`", entry.key), Some(help));
            self.path.pop();
        } else if let [tag] = telling[..] {
            let help = (!words.is_empty()).then(|| format!("{tag} is one of {}", words.join(", ")));
            self.report(span, format!("`{tag}` is missing here"), help);
        } else {
            let help = format!("give one of {}", telling.join(", "));
            self.report(span, "this says nothing about what it is".into(), Some(help));
        }
    }

    fn visit_reader(&mut self, node: &Node, span: Option<Span<usize>>, reader: Reader, range: Range) {
        let json = node.to_json();
        let read = match reader {
            Reader::Channel => {
                Channel::from_json(&json).map(|channel| (channel.written_values(), channel.is_cut_off()))
            }
            Reader::Chart => {
                Chart::from_json(&json).map(|chart| (chart.keys().iter().map(|key| key.value).collect(), false))
            }
        };
        match read {
            Err(error) => {
                let at = node.span_of(&error.at).or(span);
                let depth = self.path.len();
                self.path.extend(error.at);
                self.report(at, error.message, error.help);
                self.path.truncate(depth);
            }
            Ok((_, true)) if !range.contains(0.0) => {
                let asked = expected(&[Shape::Number { range, integer: false }]);
                let help = "leave out `outside`, or give it a cycle".to_owned();
                self.report(span, format!("expected {asked}, and this curve is 0 outside its keys"), Some(help));
            }
            Ok((values, _)) => {
                if let Some(value) = values.into_iter().find(|value| !range.contains(*value)) {
                    let asked = expected(&[Shape::Number { range, integer: false }]);
                    self.report(span, format!("expected {asked}, found {}", shown(value)), None);
                }
            }
        }
    }

    /// Reports numbers that are not finite or too large, however deep.
    fn numbers_are_finite(&mut self, node: &Node, around: Option<&Span<usize>>) -> bool {
        let span = node.span.as_ref().or(around);
        match &node.kind {
            Kind::Float(value) if !value.is_finite() => {
                self.report(span.cloned(), format!("{value} is not a finite number"), None);
                false
            }
            Kind::Float(value) if value.abs() > HUGE => self.too_large(span, *value),
            Kind::Integer(value) if *value as f64 > HUGE || (*value as f64) < -HUGE => {
                self.too_large(span, *value as f64)
            }
            Kind::List(items) => self.all_finite(items.iter(), span),
            Kind::Table(entries) => self.all_finite(entries.iter().map(|entry| &entry.value), span),
            _ => true,
        }
    }

    fn all_finite<'n>(&mut self, nodes: impl Iterator<Item = &'n Node>, around: Option<&Span<usize>>) -> bool {
        // Every one is looked at, so that every one is reported.
        let mut fine = true;
        for node in nodes {
            fine &= self.numbers_are_finite(node, around);
        }
        fine
    }

    fn too_large(&mut self, span: Option<&Span<usize>>, value: f64) -> bool {
        self.report(span.cloned(), format!("{value:e} is too large"), Some(format!("stay within ±{HUGE:e}")));
        false
    }

    /// A table that says what it is twice: `act = { bend = …, stretch = … }`.
    fn second_kind(&mut self, entry: &Entry, table: &TableShape<'a>, telling: &[&str]) {
        let span = entry.key_span.clone().or_else(|| entry.value.span.clone());
        let first = table.telling_key().unwrap_or_default();
        let help = format!("give one of {}", telling.join(", "));
        self.report(span, format!("`{}` cannot stand beside `{first}`", entry.key), Some(help));
    }

    fn unknown_key(&mut self, entry: &Entry, table: &TableShape<'a>, free: &[&str]) {
        let key = &entry.key;
        let span = entry.key_span.clone().or_else(|| entry.value.span.clone());
        if let Some(note) = later::key(&self.path) {
            self.report(span, format!("`{key}` comes later"), Some(note.into()));
            return;
        }
        let help = match self.table_with(key, table).or_else(|| nearest(key, free).map(str::to_owned)) {
            Some(name) => format!("did you mean `{name}`?"),
            None => {
                let known: Vec<&str> = table.properties.iter().map(|(name, _)| *name).collect();
                format!("known here: {}", known.join(", "))
            }
        };
        self.report(span, format!("unknown key `{key}`"), Some(help));
    }

    /// Where a key belongs that stands one table too far out: `scene.fps` for `fps`.
    fn table_with(&self, key: &str, table: &TableShape<'a>) -> Option<String> {
        let knows = |schema: &'a Value| {
            let shapes = shapes(schema, self.root);
            shapes.iter().filter_map(Shape::table).any(|inner| inner.properties.iter().any(|(name, _)| *name == key))
        };
        let (outer, _) = table.properties.iter().find(|(_, schema)| knows(schema))?;
        Some(format!("{outer}.{key}"))
    }

    fn unknown_word(&mut self, span: Option<Span<usize>>, word: &str, words: &[&str]) {
        match later::word(&self.path, word) {
            Some(note) => self.report(span, format!("{word:?} comes later"), Some(note.into())),
            None => {
                let what = self.path.iter().rev().find_map(|step| match step {
                    Step::Key(key) => Some(key.as_str()),
                    Step::Index(_) => None,
                });
                let message = format!("unknown {} {word:?}", what.unwrap_or("word"));
                self.report(span, message, Some(did_you_mean(word, words)));
            }
        }
    }

    fn wrong_kind(&mut self, node: &Node, span: Option<Span<usize>>, shapes: &[Shape<'a>]) {
        self.report(span, format!("expected {}, found {}", expected(shapes), node.describe()), None);
    }

    fn is_full(&self) -> bool {
        self.problems.len() >= MOST_PROBLEMS
    }

    fn report(&mut self, span: Option<Span<usize>>, message: String, help: Option<String>) {
        if self.is_full() {
            return;
        }
        self.problems.push(Problem { help, ..Problem::new(&self.path, message).with_span(span) });
    }
}
