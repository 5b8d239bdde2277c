//! `sinew apply`: the same commands that the studio sends, from a file.

use crate::args::Apply;
use crate::failure::Failure;
use crate::output::Output;
use serde_json::{Value, json};
use sinew::scene::{Command, Document};
use std::io::Read;
use std::path::Path;

pub(crate) fn run(args: &Apply, output: Output) -> Result<(), Failure> {
    let mut text = String::new();
    if args.commands.as_os_str() == "-" {
        std::io::stdin().read_to_string(&mut text)?;
    } else {
        text = std::fs::read_to_string(&args.commands).map_err(|error| {
            Failure::new(format!("cannot read {}: {error}", args.commands.display()), "name a file of JSON commands")
        })?;
    }
    let commands = parse(&text, &args.commands)?;
    let mut document = Document::open(&args.scene)?;
    let labels: Vec<String> = commands.iter().map(Command::label).collect();
    // All or none: a list that fails half way must not leave half a scene behind.
    document.apply(&Command::Batch { label: None, commands })?;
    document.save()?;
    output.finish(&json!({ "applied": labels }), || labels.join("\n"))
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
