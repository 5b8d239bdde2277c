//! `sinew apply`: the same commands that the studio sends, from a file.

use crate::args::Apply;
use crate::failure::Failure;
use crate::output::Output;
use serde::Deserialize;
use serde_json::json;
use sinew::scene::{Command, Document};
use std::io::Read;

/// One command or a list of them.
#[derive(Deserialize)]
#[serde(untagged)]
enum Commands {
    Many(Vec<Command>),
    One(Command),
}

pub(crate) fn run(args: &Apply, output: Output) -> Result<(), Failure> {
    let mut text = String::new();
    if args.commands.as_os_str() == "-" {
        std::io::stdin().read_to_string(&mut text)?;
    } else {
        text = std::fs::read_to_string(&args.commands).map_err(|error| {
            Failure::new(format!("cannot read {}: {error}", args.commands.display()), "name a file of JSON commands")
        })?;
    }
    let commands = match serde_json::from_str(&text) {
        Ok(Commands::Many(commands)) => commands,
        Ok(Commands::One(command)) => vec![command],
        Err(error) => {
            let help = r#"a command looks like {"do":"set","path":"body.jelly.solver.iterations","value":3}"#;
            return Err(Failure::new(format!("these are no commands: {error}"), help));
        }
    };
    let mut document = Document::open(&args.scene)?;
    let labels: Vec<String> = commands.iter().map(Command::label).collect();
    // All or none: a list that fails half way must not leave half a scene behind.
    document.apply(&Command::Batch { label: None, commands })?;
    document.save()?;
    output.finish(&json!({ "applied": labels }), || labels.join("\n"))
}
