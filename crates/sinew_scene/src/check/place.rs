//! Where in the document a check is looking.

use crate::conform::MOST_PROBLEMS;
use crate::problem::{Problem, Step};
use std::collections::HashSet;

pub(super) type Found = Vec<(Vec<Step>, Problem)>;

#[derive(Clone)]
pub(super) struct Place(Vec<Step>);

impl Place {
    pub(super) fn top() -> Self {
        Self(Vec::new())
    }

    pub(super) fn key(&self, key: &str) -> Self {
        self.then(Step::Key(key.into()))
    }

    pub(super) fn index(&self, index: usize) -> Self {
        self.then(Step::Index(index))
    }

    fn then(&self, step: Step) -> Self {
        Self([self.0.as_slice(), &[step]].concat())
    }

    /// Notes a problem here, unless there are more than anybody reads.
    pub(super) fn wrong(&self, found: &mut Found, message: impl Into<String>, help: impl Into<String>) {
        if found.len() >= MOST_PROBLEMS {
            return;
        }
        found.push((self.0.clone(), Problem::new(&self.0, message).with_help(help)));
    }
}

/// Notes every name that was used before. `names` are (index, name) in order.
pub(super) fn check_unique<'a>(
    names: impl Iterator<Item = (usize, &'a str)>,
    what: &str,
    list: &Place,
    found: &mut Found,
) {
    let mut seen: HashSet<&str> = HashSet::new();
    for (place, (index, name)) in names.enumerate() {
        if !seen.insert(name) {
            let help = format!("give each {what} its own name, such as \"{name}-{}\"", place + 1);
            list.index(index).key("name").wrong(found, format!("there is already a {what} called {name:?}"), help);
        }
    }
}
