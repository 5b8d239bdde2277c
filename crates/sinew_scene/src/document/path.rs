//! The ways to values as people and pages write them: `body.jelly.director.swim.newton[1]`.
//!
//! In a list of named things the name stands for its index; a director without a name answers to its kind while it is
//! the only one of it. Indices count from 0.

use crate::nearest::did_you_mean;
use crate::problem::{Problem, Step};
use crate::tree::{Kind, Node};

/// Splits a path into keys (or names) and indices.
pub(super) fn split(path: &str) -> Result<Vec<Step>, Problem> {
    let wrong = |why: &str| {
        Problem::new(&[], format!("{path:?} is no path: {why}"))
            .with_help("write keys and names with dots between them, such as body.jelly.at[1]")
    };
    let mut steps = Vec::new();
    for part in path.split('.') {
        let (name, mut rest) = part.split_at(part.find('[').unwrap_or(part.len()));
        if name.is_empty() || !name.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '-') {
            return Err(wrong(&format!("{name:?} is no name")));
        }
        steps.push(Step::Key(name.to_owned()));
        while let Some(inner) = rest.strip_prefix('[') {
            let (digits, after) = inner.split_once(']').ok_or_else(|| wrong("a ] is missing"))?;
            steps.push(Step::Index(digits.parse().map_err(|_| wrong(&format!("{digits:?} is no index")))?));
            rest = after;
        }
        if !rest.is_empty() {
            return Err(wrong(&format!("{rest:?} follows a ]")));
        }
    }
    Ok(steps)
}

/// The way to an existing value, with names turned into indices.
pub(super) fn resolve(tree: &Node, path: &str) -> Result<Vec<Step>, Problem> {
    let (parent, last) = resolve_parent(tree, path)?;
    let steps = [parent.as_slice(), &[last]].concat();
    match find(tree, &steps) {
        Some(_) => Ok(steps),
        None => Err(nothing_at(tree, path, &steps)),
    }
}

/// The way to the table or list that holds a value, which may itself not be there yet, and the last step to it. Where
/// the tables on the way are not there yet either, the way is the one they will have.
pub(super) fn resolve_parent(tree: &Node, path: &str) -> Result<(Vec<Step>, Step), Problem> {
    let mut steps: Vec<Step> = Vec::new();
    for step in split(path)? {
        let here = find(tree, &steps);
        let step = match (&step, here.map(|node| &node.kind)) {
            (Step::Key(name), Some(Kind::List(items))) => match index_of(items, name) {
                Some(index) => Step::Index(index),
                None => return Err(nobody_called(name, items, path)),
            },
            _ => step,
        };
        steps.push(step);
    }
    match steps.pop() {
        Some(last) => Ok((steps, last)),
        None => Err(Problem::new(&[], "an empty path leads nowhere")),
    }
}

/// As much of the way to a value as there is.
pub(super) fn resolve_nearest(tree: &Node, path: &str) -> Vec<Step> {
    let mut steps = Vec::new();
    for step in split(path).unwrap_or_default() {
        let kind = find(tree, &steps).map(|node| &node.kind);
        let step = match (step, kind) {
            (Step::Key(name), Some(Kind::List(items))) => index_of(items, &name).map(Step::Index),
            (step, _) => Some(step),
        };
        steps.extend(step);
        if find(tree, &steps).is_none() {
            steps.pop();
            break;
        }
    }
    steps
}

pub(super) fn find<'a>(tree: &'a Node, steps: &[Step]) -> Option<&'a Node> {
    steps.iter().try_fold(tree, |node, step| match (step, &node.kind) {
        (Step::Key(key), _) => node.entry(key).map(|entry| &entry.value),
        (Step::Index(index), Kind::List(items)) => items.get(*index),
        (Step::Index(_), _) => None,
    })
}

fn index_of(items: &[Node], name: &str) -> Option<usize> {
    let word = |item: &Node, key: &str| item.entry(key).and_then(|entry| entry.value.text().map(str::to_owned));
    let named = items.iter().position(|item| word(item, "name").as_deref() == Some(name));
    named.or_else(|| {
        let kind = |item: &Node| word(item, "name").is_none() && word(item, "kind").as_deref() == Some(name);
        let mut alike = (0..items.len()).filter(|index| kind(&items[*index]));
        alike.next().filter(|_| alike.next().is_none())
    })
}

fn nobody_called(name: &str, items: &[Node], path: &str) -> Problem {
    let names: Vec<&str> =
        items.iter().filter_map(|item| item.entry("name").or(item.entry("kind"))?.value.text()).collect();
    let help = if names.is_empty() { "give an index in [ ]".into() } else { did_you_mean(name, &names) };
    Problem::new(&[], format!("{path}: there is nothing called {name:?}")).with_help(help)
}

fn nothing_at(tree: &Node, path: &str, steps: &[Step]) -> Problem {
    let depth = (0..steps.len()).rev().find(|depth| find(tree, &steps[..*depth]).is_some()).unwrap_or(0);
    let known: Vec<&str> = match find(tree, &steps[..depth]).map(|node| &node.kind) {
        Some(Kind::Table(entries)) => entries.iter().map(|entry| entry.key.as_str()).collect(),
        _ => Vec::new(),
    };
    let problem = Problem::new(&[], format!("{path}: there is nothing there"));
    match &steps[depth] {
        Step::Key(key) => problem.with_help(did_you_mean(key, &known)),
        Step::Index(_) => problem.with_help("indices count from 0"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::problem::path_text;

    fn tree() -> Node {
        Node::from_toml(
            "[[body]]\nname = \"a\"\n[[body]]\nname = \"jelly\"\nat = [0, 1, 2]\n\
             [[body.director]]\nkind = \"pin\"\n[[body.director]]\nkind = \"force\"\nname = \"push\"\n",
        )
        .unwrap()
    }

    #[test]
    fn names_kinds_and_indices_lead_to_the_same_place() {
        let tree = tree();
        for (path, steps) in [
            ("body.jelly.at[1]", "body[1].at[1]"),
            ("body[1].at[2]", "body[1].at[2]"),
            ("body.jelly.director.pin.kind", "body[1].director[0].kind"),
            ("body.jelly.director.push.kind", "body[1].director[1].kind"),
        ] {
            assert_eq!(path_text(&resolve(&tree, path).unwrap()), steps);
        }
    }

    #[test]
    fn wrong_paths_say_what_is_near() {
        let tree = tree();
        let help = |path: &str| resolve(&tree, path).unwrap_err().help.unwrap();
        assert_eq!(help("body.jely.at"), "did you mean `jelly`?");
        assert_eq!(help("body.jelly.att"), "did you mean `at`?");
        assert_eq!(help("body.jelly.at[3]"), "indices count from 0");
        for path in ["", ".", "body..at", "body[x]", "body[0", "body[0]x", "a b"] {
            assert!(resolve(&tree, path).unwrap_err().message.contains("is no path"), "{path}");
        }
    }
}
