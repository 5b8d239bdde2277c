//! Scene files of older versions are brought up to date by named steps, each from one version to the next, on the
//! document itself, so that comments and order survive.

use crate::model::FORMAT_VERSION;
use crate::problem::{Problem, Step};
use crate::tree::{Kind, Node};
use toml_edit::{DocumentMut, value};

/// One step, from version `from` to `from + 1`.
pub struct Migration {
    pub from: u32,
    /// What it does, for the log.
    pub name: &'static str,
    pub apply: fn(&mut DocumentMut) -> Result<(), String>,
}

/// Every step there is. Version 1 is the first, so there are none yet.
pub const MIGRATIONS: &[Migration] = &[];

/// A text in the present version, and the steps that were taken to bring it there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Migrated {
    pub text: String,
    pub steps: Vec<&'static str>,
}

/// Brings a text to the present version. None: it is there already.
pub(crate) fn to_present(text: &str, tree: &Node) -> Result<Option<Migrated>, Problem> {
    migrate(text, tree, MIGRATIONS, FORMAT_VERSION)
}

fn migrate(text: &str, tree: &Node, steps: &[Migration], present: u32) -> Result<Option<Migrated>, Problem> {
    let version = version_of(tree, present)?;
    if version == present {
        return Ok(None);
    }
    let at = [Step::Key("sinew".into())];
    let stuck = |message: String| Problem::new(&at, message).with_span(tree.span_of(&at));
    let mut document: DocumentMut = text.parse().map_err(|error| stuck(format!("{error}")))?;
    let mut taken = Vec::new();
    for from in version..present {
        let step = steps.iter().find(|step| step.from == from);
        let step = step.ok_or_else(|| stuck(format!("no step leads from version {from} to {}", from + 1)))?;
        (step.apply)(&mut document).map_err(|error| stuck(format!("cannot {}: {error}", step.name)))?;
        taken.push(step.name);
    }
    let decor = document["sinew"].as_value().map(|old| old.decor().clone());
    document["sinew"] = value(i64::from(present));
    if let (Some(new), Some(decor)) = (document["sinew"].as_value_mut(), decor) {
        *new.decor_mut() = decor;
    }
    Ok(Some(Migrated { text: document.to_string(), steps: taken }))
}

fn version_of(tree: &Node, present: u32) -> Result<u32, Problem> {
    let at = [Step::Key("sinew".into())];
    let Some(entry) = tree.entry("sinew") else {
        let top = tree.span.clone().or(Some(0..0));
        let problem = Problem::new(&[], "this does not say which version of the format it is").with_span(top);
        return Err(problem.with_help(format!("begin the file with: sinew = {present}")));
    };
    let span = entry.value.span.clone().or_else(|| entry.key_span.clone());
    let problem = |message: String| Problem::new(&at, message).with_span(span.clone());
    match entry.value.kind {
        Kind::Integer(version) if version > i64::from(present) => {
            Err(problem(format!("this file is of version {version}; this sinew reads up to version {present}"))
                .with_help("open it with a newer sinew"))
        }
        Kind::Integer(version) if version >= 1 => Ok(version as u32),
        _ => Err(problem(format!("expected a version number, found {}", entry.value.describe()))
            .with_help(format!("write sinew = {present}"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RENAME: Migration = Migration {
        from: 1,
        name: "rename substeps to steps",
        apply: |document| {
            let scene = document["scene"].as_table_mut().ok_or("there is no [scene]")?;
            let old = scene.remove("substeps").ok_or("there are no substeps")?;
            scene.insert("steps", old);
            Ok(())
        },
    };
    const ADD: Migration = Migration {
        from: 2,
        name: "state the frame rate",
        apply: |document| {
            document["scene"]["fps"] = value(24);
            Ok(())
        },
    };

    fn run(text: &str, steps: &[Migration], present: u32) -> Result<Option<Migrated>, Problem> {
        migrate(text, &Node::from_toml(text).unwrap(), steps, present)
    }

    #[test]
    fn v1_steps_run_in_order_and_keep_comments() {
        let text = "# mine\nsinew = 1 # old\n\n[scene]\nsubsteps = 4\n";
        let done = run(text, &[ADD, RENAME], 3).unwrap().unwrap();
        assert_eq!(done.steps, ["rename substeps to steps", "state the frame rate"]);
        assert_eq!(done.text, "# mine\nsinew = 3 # old\n\n[scene]\nsteps = 4\nfps = 24\n");
    }

    #[test]
    fn v2_a_file_of_the_present_version_is_left_alone() {
        assert_eq!(run("sinew = 3", &[RENAME, ADD], 3), Ok(None));
    }

    #[test]
    fn v3_a_newer_file_is_refused_plainly() {
        let problem = run("sinew = 4", &[RENAME, ADD], 3).unwrap_err();
        assert!(problem.message.contains("version 4") && problem.message.contains("up to version 3"));
        assert_eq!(problem.span, Some(8..9));
    }

    #[test]
    fn a_step_that_cannot_run_or_is_missing_says_so() {
        assert!(run("sinew = 1", &[RENAME], 2).unwrap_err().message.contains("there is no [scene]"));
        assert!(run("sinew = 1", &[ADD], 2).unwrap_err().message.contains("no step leads from version 1 to 2"));
    }
}
