//! The `sinew` command: every workflow of the studio that needs no screen, and the studio itself.

mod args;
mod bench;
mod commands;
mod failure;
mod interrupt;
mod kind;
mod log;
mod output;
mod progress;
mod scene_arg;

use args::{Cli, Task};
use clap::Parser;
use failure::Failure;
use output::Output;
use std::io::Write;
use std::process::ExitCode;

fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) if error.kind() == clap::error::ErrorKind::InvalidUtf8 => {
            let failure = not_text();
            Output { json: false }.fail(&failure);
            return ExitCode::from(failure.exit_code());
        }
        Err(error) => wrong_usage(error),
    };
    let output = Output { json: cli.task.as_ref().is_some_and(Task::wants_json) };
    output::note_streams();
    let files = cli.task.as_ref().map(Task::files).unwrap_or_default();
    interrupt::outlive_full_files();
    // The studio has its own way to end.
    if !matches!(cli.task, None | Some(Task::Studio(_))) {
        interrupt::watch();
    }
    match cli.log.start(&files).and_then(|()| run(cli.task, output)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            tracing::error!("{}", failure.to_text());
            output.fail(&failure);
            ExitCode::from(failure.exit_code())
        }
    }
}

/// What clap says, also as an object where one was asked for.
fn wrong_usage(mut error: clap::Error) -> ! {
    use clap::error::{ContextKind, ContextValue};
    // Its own tip, to put `--` before, does not help the value of an option.
    let words: Vec<String> = std::env::args_os().map(|word| word.to_string_lossy().into_owned()).collect();
    if let Some(ContextValue::String(given)) = error.get(ContextKind::InvalidArg)
        && let Some([option, value]) = words.windows(2).find(|two| is_option(&two[0]) && two[1].starts_with(given))
        && error.kind() == clap::error::ErrorKind::UnknownArgument
        && given.starts_with('-')
        && !given.starts_with("--")
    {
        let option = if option == "-o" { "--output" } else { option };
        let tip = format!("a value that begins with - is written {option}={value}");
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip.into()]));
    }
    if error.use_stderr() && std::env::args_os().any(|argument| argument == "--json") {
        let text = error.render().to_string();
        let (what, help) = text.split_once("\n\n").unwrap_or((&text, ""));
        let failure = Failure::usage(what.trim_start_matches("error: ").trim(), help.trim());
        let _ = writeln!(std::io::stdout(), "{}", failure.to_json());
    }
    error.exit()
}

/// One that a value may follow.
fn is_option(word: &str) -> bool {
    word.starts_with('-') && !word.contains('=')
}

/// Files may be called anything; options and names are text.
fn not_text() -> Failure {
    let wrong = std::env::args_os().enumerate().find(|(_, argument)| argument.to_str().is_none());
    let (place, argument) = wrong.unwrap_or_default();
    let what = format!("argument {place}, {:?}, is not UTF-8 text", argument.to_string_lossy());
    Failure::usage(what, "only the names of files may be something else; write options as text")
}

fn run(task: Option<Task>, output: Output) -> Result<(), Failure> {
    match task {
        None => commands::studio::run(&args::Studio::default()),
        Some(Task::Studio(args)) => commands::studio::run(&args),
        Some(Task::List(_)) => commands::list::run(output),
        Some(Task::New(args)) => commands::new::run(&args, output),
        Some(Task::Check(args)) => commands::check::run(&args, output),
        Some(Task::Schema) => commands::schema::run(),
        Some(Task::Apply(args)) => commands::apply::run(&args, output),
        Some(Task::Bake(args)) => commands::bake::run(&args, output),
        Some(Task::Refine(args)) => commands::refine::run(&args, output),
        Some(Task::Key(args)) => commands::key::run(&args, output),
        Some(Task::Tidy(args)) => commands::tidy::run(&args, output),
        Some(Task::Info(args)) => commands::info::run(&args, output),
        Some(Task::Mesh(args)) => commands::mesh::run(&args, output),
        Some(Task::Export(args)) => commands::export::run(&args, output),
        Some(Task::Render(args)) => commands::render::run(&args, output),
        Some(Task::Bench(args)) => commands::bench::run(&args, output),
    }
}
