//! `sinew refine NAME`: numbers of a scene found by performing it.

use crate::args::{Refine, RefineTask};
use crate::commands::bake::all_cores;
use crate::failure::Failure;
use crate::output::Output;
use crate::scene_arg::OpenScene;
use crate::{interrupt, kind, progress, scene_arg};
use serde_json::{Value, json};
use sinew::bake::assets::Assets;
use sinew::bake::refine::{
    AutoKeys, ExactKeys, Reach, ReachGoal, RefineProgress, Refined, Refinement, Refiner, Rehearsal, SolvePlans, search,
};
use sinew::io::disk::{FileId, Inputs, Outputs, check_outputs};
use sinew::solve::StopFlag;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

pub(crate) fn run(args: &Refine, output: Output) -> Result<(), Failure> {
    let (scene, refiner) = task(&args.task);
    let wish = args.task.answer();
    let open = scene_arg::open(scene)?;
    if let Some(path) = &wish.output {
        check_output(&open, path)?;
    }
    let bar = progress::bar(&refiner.label(), 100);
    let threads = wish.threads.map_or_else(all_cores, usize::from);
    let stop = StopFlag::default();
    interrupt::stop_first(&stop);
    let progress = |told: RefineProgress| {
        bar.set_position((told.fraction * 100.0) as u64);
        ControlFlow::Continue(())
    };
    let mut rehearsal = Rehearsal::stopped_by(stop, &open.document, &open.folder, threads, progress);
    let Refined { alternatives: found, is_whole } =
        search(&*refiner, &mut rehearsal).map_err(|error| match error.help() {
            Some(help) => Failure::new(format!("{}: {error}", open.file()), help.to_owned()),
            None => error.into(),
        })?;
    let runs = rehearsal.runs();
    drop(rehearsal);
    // From here on Ctrl-C ends the process as ever.
    interrupt::stop_nothing();
    bar.finish_and_clear();
    let chosen = found.get(usize::from(wish.choose).saturating_sub(1)).ok_or_else(|| {
        let what = format!("there is no alternative {}", wish.choose);
        Failure::usage(what, format!("{} were found; choose one of them", found.len()))
    })?;
    if let Some(path) = &wish.output {
        let mut document = open.document;
        let open_text = document.text().to_owned();
        document.apply(&chosen.command)?;
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let assets = Assets::of(folder);
        assets.copy_named(open_text.as_str(), &Assets::of(&open.folder))?;
        chosen.store_assets(&assets)?;
        // The scene itself may have been edited while the search ran.
        let same = |a: &Path, b: &Path| FileId::of(a).ok().zip(FileId::of(b).ok()).is_some_and(|(a, b)| a == b);
        match document.path().is_some_and(|own| same(own, path)) {
            true => document.save_unless_changed()?,
            false => document.save_as(path)?,
        }
    }
    let alternatives: Vec<Value> = found.iter().map(told).collect();
    let told = json!({ "alternatives": alternatives, "runs": runs, "stopped": !is_whole });
    output.finish(&told, || {
        let mut lines: Vec<String> = Vec::new();
        if !is_whole {
            lines.push("stopped before its end; the best so far:".to_owned());
        }
        for (number, Refinement { label, notes, .. }) in found.iter().enumerate() {
            lines.push(format!("{}. {label}", number + 1));
            lines.extend(notes.iter().map(|note| format!("   {note}")));
        }
        match &wish.output {
            Some(path) => lines.push(format!("{}: written with alternative {}", path.display(), wish.choose)),
            None if !chosen.assets.is_empty() => {
                lines.push("-o SCENE writes it, with the shapes that it names".to_owned());
            }
            None => lines.push(format!("apply it: echo '{}' | sinew apply SCENE -", json!(chosen.command))),
        }
        lines.join("\n")
    })
}

/// Whether the changed scene may be written there. The scene itself may be: it is what is edited.
fn check_output(open: &OpenScene, path: &Path) -> Result<(), Failure> {
    if kind::extension(path) != "toml" {
        let help = format!("scenes end in .toml: -o {}", path.with_extension("toml").display());
        return Err(Failure::usage(
            format!("{} is not named as a scene, and a scene is written", path.display()),
            help,
        ));
    }
    let built = open.build(1)?;
    let mut inputs = Inputs::default();
    built.mesh_hashes.keys().for_each(|mesh| inputs.add_mesh(&open.folder.join(mesh)));
    check_outputs(&inputs, &Outputs { named: vec![path.to_owned()], beside: Vec::new() }, true)?;
    let folder = |path: &Path| if path.as_os_str().is_empty() { PathBuf::from(".") } else { path.to_owned() };
    let is_there =
        folder(&open.folder).canonicalize().ok() == path.parent().and_then(|parent| folder(parent).canonicalize().ok());
    if !built.mesh_hashes.is_empty() && !is_there {
        let what =
            format!("{} would not find the meshes of the scene, which are named from its folder", path.display());
        let name = path.file_name().map_or(path, Path::new);
        return Err(Failure::usage(what, format!("write it there: -o {}", open.folder.join(name).display())));
    }
    Ok(())
}

/// The scene, and what searches it.
fn task(task: &RefineTask) -> (&Path, Box<dyn Refiner>) {
    match task {
        RefineTask::Reach(wish) => {
            let reach = Reach {
                change: wish.change.clone(),
                measure: wish.measure.clone(),
                goal: wish.goal,
                frame: wish.frame,
                between: wish.between.0..=wish.between.1,
                tolerance: wish.within,
            };
            (&wish.scene, Box::new(reach))
        }
        RefineTask::Keys(wish) => {
            let exact = ExactKeys { director: wish.director.clone(), within_percent: wish.within };
            (&wish.scene, Box::new(exact))
        }
        RefineTask::Contacts(wish) => {
            let keys = AutoKeys { body: wish.body.clone(), margin: i32::from(wish.margin) };
            (&wish.scene, Box::new(keys))
        }
        RefineTask::Plan(wish) => {
            let plans = SolvePlans { group: wish.group.clone(), alternatives: usize::from(wish.alternatives) };
            (&wish.scene, Box::new(plans))
        }
        RefineTask::Goal(wish) => (&wish.scene, Box::new(ReachGoal { director: wish.director.clone() })),
    }
}

fn told(refinement: &Refinement) -> Value {
    let outcome =
        refinement.outcome.iter().map(|(name, unit, value)| json!({ "name": name, "unit": unit, "value": value }));
    let outcome = outcome.collect::<Vec<_>>();
    json!({ "label": refinement.label, "command": refinement.command, "outcome": outcome, "notes": refinement.notes })
}
