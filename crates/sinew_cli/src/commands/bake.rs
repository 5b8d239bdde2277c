//! `sinew bake`.

use super::check::{build_warnings, warning_lines};
use crate::args::Bake;
use crate::failure::Failure;
use crate::output::Output;
use crate::{kind, progress, scene_arg};
use serde_json::{Value, json};
use sinew::bake::take::{TakeOptions, rebake_path};
use sinew::bake::{Baked, Clock, bake};
use sinew::io::disk::{Outputs, check_outputs};
use sinew::solve::Warning;
use std::ops::ControlFlow;

pub(crate) fn run(args: &Bake, output: Output) -> Result<(), Failure> {
    kind::expect_take_name(&args.output)?;
    if let Some(dump) = args.dump.as_ref().filter(|dump| kind::extension(dump) != "npz") {
        let help = format!("name it {}", dump.with_extension("npz").display());
        return Err(Failure::usage(format!("--dump writes .npz, and {} is called otherwise", dump.display()), help));
    }
    if args.again {
        return super::bake_again::run(args, output);
    }
    let mut open = scene_arg::open(&args.scene)?;
    open.set(&args.set)?;
    let threads = args.threads.map_or_else(all_cores, usize::from);
    let mut built = open.build(threads)?;
    // Who names a link means the file it leads to.
    let output_file = args.output.canonicalize().unwrap_or_else(|_| args.output.clone());
    let named = [output_file.clone(), rebake_path(&output_file)].into_iter().chain(args.dump.clone()).collect();
    check_outputs(&open.inputs(&built), &Outputs { named, beside: Vec::new() }, true)?;
    let clock = built.stage.clock();
    let (first, last) = args.frames.unwrap_or((clock.first_frame, clock.last_frame));
    let asked = sinew::bake::Bake {
        frames: first..=last,
        resume: args.resume,
        options: TakeOptions { bound_m: args.within, ..TakeOptions::default() },
        dump: args.dump.clone(),
    };
    let bar = progress::bar("baking", u64::from(clock.first_frame.abs_diff(last)));
    let baked = bake(&mut built, open.document.text(), &output_file, &asked, |frame| {
        bar.set_position(u64::from(clock.first_frame.abs_diff(frame)));
        ControlFlow::Continue(())
    })
    .map_err(|error| match error.is_of_scene() {
        true => Failure::from(error).of_file(&open.file()),
        false => error.into(),
    })?;
    bar.finish_and_clear();
    let names: Vec<&str> = built.stage.bodies().iter().map(|body| body.name.as_str()).collect();
    let mut warnings = warnings(&names, clock, &baked);
    let of_steps = warnings.len();
    warnings.extend(build_warnings(&built));
    output.finish(&json_of(&baked, &warnings), || {
        let mut text = format!(
            "{}: frames {first} to {last}, {:.3} ms a substep, hash {}",
            args.output.display(),
            baked.step_ms.0,
            &baked.hash[..16]
        );
        text.push_str(&step_warnings(&warnings[..of_steps]));
        text + &warning_lines(&built)
    })
}

/// A line for every kind of trouble of every body: when it came first, and in how many frames.
pub(super) fn step_warnings(warnings: &[Value]) -> String {
    let mut kinds: Vec<(&Value, u32)> = Vec::new();
    for warning in warnings {
        let is_same =
            |(known, _): &&mut (&Value, u32)| known["body"] == warning["body"] && known["what"] == warning["what"];
        match kinds.iter_mut().find(is_same) {
            Some((_, times)) => *times += 1,
            None => kinds.push((warning, 1)),
        }
    }
    let line = |(warning, times): (&Value, u32)| {
        let again = if times > 1 { format!(" (and {} times more)", times - 1) } else { String::new() };
        format!("\nwarning: body {}, frame {}: {}{again}", warning["body"], warning["frame"], warning["what"])
    };
    kinds.into_iter().map(line).collect()
}

pub(super) fn json_of(baked: &Baked, warnings: &[Value]) -> Value {
    json!({
        "frames": baked.frames.end() - baked.frames.start() + 1,
        "first_frame": baked.frames.start(),
        "last_frame": baked.frames.end(),
        "substeps": baked.substeps,
        "step_ms": { "median": baked.step_ms.0, "max": baked.step_ms.1 },
        "hash": baked.hash,
        "resumed_from": baked.resumed_from,
        "warnings": warnings,
    })
}

/// What steps warned of, by the frame that they led to.
pub(super) fn warnings(names: &[&str], clock: Clock, baked: &Baked) -> Vec<Value> {
    let name = |body: u32| names.get(body as usize);
    let told = |warning: &Warning| {
        let frame = clock.frame_before(warning.tick) + 1;
        json!({ "body": name(warning.body.0), "frame": frame, "tick": warning.tick, "what": warning.what })
    };
    baked.warnings.iter().map(told).collect()
}

pub(crate) fn all_cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}
