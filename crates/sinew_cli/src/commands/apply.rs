//! `sinew apply`: the same commands that the studio sends, from a file.

use crate::args::Apply;
use crate::failure::Failure;
use crate::output::Output;
use serde_json::{Value, json};
use sinew::io::disk::{as_private_as, read_regular};
use sinew::scene::{Command, Document};
use std::io::Read;
use std::path::Path;

/// What is larger is no list of commands that anybody wrote.
const LARGEST_BYTES: u64 = 16 << 20;

pub(crate) fn run(args: &Apply, output: Output) -> Result<(), Failure> {
    let commands = parse(&read(&args.commands)?, &args.commands)?;
    let mut document = Document::open(&args.scene)?;
    as_private_as(document.path());
    let labels: Vec<String> = commands.iter().map(Command::label).collect();
    // All or none: a list that fails half way must not leave half a scene behind.
    document.apply(&Command::Batch { label: None, commands })?;
    document.save_unless_changed()?;
    output.finish(&json!({ "applied": labels }), || labels.join("\n"))
}

/// What a file, or standard input as `-`, holds.
fn read(file: &Path) -> Result<String, Failure> {
    let cannot = |error: &dyn std::fmt::Display| {
        Failure::new(format!("cannot read {}: {error}", file.display()), "name a file of JSON commands")
    };
    let bytes = if file.as_os_str() == "-" {
        let mut bytes = Vec::new();
        std::io::stdin().take(LARGEST_BYTES + 1).read_to_end(&mut bytes)?;
        if bytes.len() as u64 > LARGEST_BYTES {
            let what = format!("standard input holds more than {} MB", LARGEST_BYTES >> 20);
            return Err(Failure::new(what, "apply the commands in several lists"));
        }
        bytes
    } else {
        read_regular(file, LARGEST_BYTES).map_err(|error| cannot(&error))?
    };
    String::from_utf8(bytes).map_err(|error| cannot(&error))
}

/// One command or a list of them.
fn parse(text: &str, file: &Path) -> Result<Vec<Command>, Failure> {
    let help = r#"a command looks like {"do":"set","path":"body.jelly.solver.iterations","value":3}"#;
    let shown = if file.as_os_str() == "-" { "standard input".to_owned() } else { file.display().to_string() };
    let value: Value =
        serde_json::from_str(text).map_err(|error| Failure::new(format!("{shown} is not JSON: {error}"), help))?;
    let commands = match value {
        Value::Array(commands) => commands,
        command => vec![command],
    };
    let read = |(number, command): (usize, Value)| {
        serde_json::from_value(command)
            .map_err(|error| Failure::new(format!("{shown}: command {} is none: {error}", number + 1), help))
    };
    commands.into_iter().enumerate().map(read).collect()
}
