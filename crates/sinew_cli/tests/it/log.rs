//! `--log`, `SINEW_LOG` and `--log-file`: told on request, beside what commands answer.

use std::path::Path;
use std::process::{Command, Output};

fn bake(folder: &Path, more: &[&str], env: &[(&str, &str)]) -> Output {
    let take = folder.join("bar.take");
    let mut command = Command::new(env!("CARGO_BIN_EXE_sinew"));
    command.env_remove("SINEW_LOG").env_remove("SINEW_LOG_FILE").envs(env.iter().copied());
    command.args(["bake", "bar-stretch", "--frames", "1..2", "--json", "-o"]).arg(&take).args(more);
    command.output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

#[test]
fn nothing_is_told_unless_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let output = bake(folder.path(), &[], &[]);
    assert!(output.status.success());
    assert!(!text(&output.stderr).contains("INFO"), "{}", text(&output.stderr));
}

#[test]
fn levels_come_from_the_option_or_the_environment_and_answers_stay_whole() {
    let folder = tempfile::tempdir().unwrap();
    for (more, env) in [(&["--log", "info"][..], &[][..]), (&[][..], &[("SINEW_LOG", "info")][..])] {
        let output = bake(folder.path(), more, env);
        let told = text(&output.stderr);
        assert!(told.contains("INFO sinew_bake::bake: baked hash="), "{told}");
        assert!(!told.contains("DEBUG"), "{told}");
        let answer: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        assert!(told.contains(answer["hash"].as_str().unwrap()), "{told}");
    }
    let output = bake(folder.path(), &["--log", "warn,sinew_bake=debug"], &[]);
    assert!(text(&output.stderr).contains("DEBUG sinew_bake::build: flesh and skin are ready body="));
}

#[test]
fn a_file_gets_all_that_a_bug_report_needs() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("bug.log");
    let output = bake(folder.path(), &["--log-file", log.to_str().unwrap()], &[]);
    assert!(output.status.success() && !text(&output.stderr).contains("INFO"));
    let told = std::fs::read_to_string(&log).unwrap();
    for part in ["sinew log\n", env!("CARGO_PKG_VERSION"), "bar-stretch", "the stage is set", "baked hash="] {
        assert!(told.contains(part), "no {part:?} in\n{told}");
    }
    // What fails is told with its reason.
    let mut command = Command::new(env!("CARGO_BIN_EXE_sinew"));
    command.args(["check", "no-such-scene", "--log-file"]).arg(&log);
    assert!(!command.output().unwrap().status.success());
    assert!(std::fs::read_to_string(&log).unwrap().contains("ERROR sinew: error: "));
}

/// Whatever a command calls its own arguments.
#[test]
fn every_command_takes_the_options() {
    let sinew = |arguments: &[&str]| Command::new(env!("CARGO_BIN_EXE_sinew")).args(arguments).output().unwrap();
    let help = text(&sinew(&["--help"]).stdout);
    let commands = help.lines().skip_while(|line| *line != "Commands:").skip(1).take_while(|line| !line.is_empty());
    let names: Vec<&str> =
        commands.filter_map(|line| line.split_whitespace().next()).filter(|name| *name != "help").collect();
    assert!(names.len() > 10, "{help}");
    for name in names {
        let help = text(&sinew(&[name, "--help"]).stdout);
        assert!(help.contains("--log <LEVELS>") && help.contains("--log-file <FILE>"), "{name}:\n{help}");
    }
}

#[test]
fn words_that_are_no_levels_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let output = bake(folder.path(), &["--log", "loud"], &[]);
    assert_eq!(output.status.code(), Some(2));
    assert!(!folder.path().join("bar.take").exists());
}
