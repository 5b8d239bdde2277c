//! `sinew key`: key shapes and paths of a body, from what a take or a mesh shows.

use crate::args::{Key, KeyAddArgs, KeyCommon, KeyEditArgs, KeyPathArgs, KeyTakeArgs, KeyTask};
use crate::failure::Failure;
use crate::output::Output;
use crate::scene_arg::{self, OpenScene};
use serde_json::json;
use sinew::bake::assets::Assets;
use sinew::bake::keys::{
    KeyError, KeyedBody, NewKey, TakeFrame, edit_key, edit_take, key_command, motion_of, path_command,
    plan_key_command, shape_of_mesh,
};
use sinew::bake::{Built, Playback, StageBody};
use sinew::math::DVec3;
use sinew::scene::{Command, Direction, Director, Document, Scene, ShapeEdit, Unit};
use std::path::Path;

pub(crate) fn run(args: &Key, output: Output) -> Result<(), Failure> {
    let common = args.task.common();
    let mut open = scene_arg::open(&common.scene)?;
    if open.document.path().is_none() {
        let what = format!("{} is built in and cannot be edited", open.name);
        return Err(Failure::new(what, "copy its text from examples/ into a file, and name that"));
    }
    let built = open.build(1)?;
    let command = match &args.task {
        KeyTask::Add(args) => add(args, &open, &built)?,
        KeyTask::Path(args) => path(args, &open, &built)?,
        KeyTask::Edit(args) => edit(args, &open, &built)?,
        KeyTask::Take(args) => take(args, &open, &built)?,
    };
    let label = command.label();
    open.document.apply(&command)?;
    open.document.save_unless_changed()?;
    output.finish(&json!({ "applied": label, "command": command }), || label.clone())
}

/// The body on the stage, and what keys need of it.
fn find<'a>(common: &KeyCommon, built: &'a Built) -> Result<(&'a StageBody, KeyedBody<'a>), Failure> {
    let bodies = built.stage.bodies();
    let known = || bodies.iter().map(|body| body.name.as_str()).collect::<Vec<_>>().join(", ");
    let named = |name: &str| bodies.iter().position(|body| body.name == name);
    let number = named(&common.body).or_else(|| named(&format!("{}-1", common.body)));
    let found = number.and_then(|number| Some((&bodies[number], KeyedBody::on_stage(built, number)?)));
    Ok(found.ok_or_else(|| KeyError::NoBody { body: common.body.clone(), known: known() })?)
}

fn add(args: &KeyAddArgs, open: &OpenScene, built: &Built) -> Result<Command, Failure> {
    let (body, keyed) = find(&args.common, built)?;
    let shape = match (&args.take, &args.mesh) {
        (Some(take), _) => {
            let frame = args.take_frame.unwrap_or(args.frame.round() as i32);
            Some(Recorded::open(take, &open.folder, body)?.shape(frame)?)
        }
        (None, Some(mesh)) => {
            let unit: Unit = serde_json::from_value(json!(args.unit))?;
            Some(shape_of_mesh(body, mesh, unit.metres())?)
        }
        (None, None) => None,
    };
    let key = NewKey { frame: args.frame, name: args.name.clone(), shape };
    let make = if args.plan { plan_key_command } else { key_command };
    Ok(make(open.document.scene(), keyed, None, key, &Assets::of(&open.folder))?)
}

fn edit(args: &KeyEditArgs, open: &OpenScene, built: &Built) -> Result<Command, Failure> {
    let (_, keyed) = find(&args.common, built)?;
    let edits = edits_of(&args.edits)?;
    let (director, assets) = (args.director.as_deref(), Assets::of(&open.folder));
    Ok(edit_key(open.document.scene(), keyed, director, args.frame, &edits, &assets)?)
}

fn edits_of(texts: &[String]) -> Result<Vec<ShapeEdit>, Failure> {
    let read = |text: &String| -> Result<ShapeEdit, Failure> {
        let help = r#"an edit looks like {"do":"scale","part":{},"by":[1.2,0.7,1.2]}"#;
        serde_json::from_str(text).map_err(|error| Failure::new(format!("{text} is no edit: {error}"), help))
    };
    texts.iter().map(read).collect()
}

/// Makes a frame of a take editable and carries edits out there, as one change of the scene.
fn take(args: &KeyTakeArgs, open: &OpenScene, built: &Built) -> Result<Command, Failure> {
    let (body, keyed) = find(&args.common, built)?;
    let edits = edits_of(&args.edits)?;
    let motion = match &args.take {
        Some(take) => {
            let mut take = Recorded::open(take, &open.folder, body)?;
            let mut seen = Vec::new();
            for frame in take.playback.frames()? {
                seen.push((frame, take.shape(frame)?));
            }
            motion_of(&body.flesh, &seen)
        }
        None => None,
    };
    let assets = Assets::of(&open.folder);
    let frame = TakeFrame { frame: args.frame, width: args.width, motion: motion.as_ref() };
    let begin = edit_take(open.document.scene(), keyed, frame, &assets)?;
    if edits.is_empty() {
        return Ok(begin);
    }
    let mut begun = Document::parse(open.document.text(), &open.name)?;
    begun.apply(&begin)?;
    let track = take_track(begun.scene(), &args.common.body).map(str::to_owned);
    let edit = edit_key(begun.scene(), keyed, track.as_deref(), f64::from(args.frame), &edits, &assets)?;
    Ok(Command::Batch { label: Some(begin.label()), commands: vec![begin, edit] })
}

/// The name of the body's director of edits.
fn take_track<'a>(scene: &'a Scene, body: &str) -> Option<&'a str> {
    let body = scene.bodies.iter().find(|own| own.name == body)?;
    let is_it = |own: &&Director| matches!(own.direction, Direction::TakeEdit(_));
    body.directors.iter().find(is_it)?.name.as_deref()
}

fn path(args: &KeyPathArgs, open: &OpenScene, built: &Built) -> Result<Command, Failure> {
    let (body, _) = find(&args.common, built)?;
    let scene_body = open.document.scene().bodies.iter().find(|own| own.name == body.name);
    let scene_body = scene_body.ok_or_else(|| {
        let what = format!("{:?} is a copy; copies share the directors of their body", body.name);
        Failure::new(what, "give a path to a body without copies")
    })?;
    let mut take = Recorded::open(&args.take, &open.folder, body)?;
    let frames = take.playback.frames()?;
    let mut seen = Vec::new();
    for frame in frames.clone().step_by(usize::from(args.every)).chain([*frames.end()]) {
        if seen.last().is_none_or(|(last, _)| *last < frame) {
            seen.push((frame, take.shape(frame)?));
        }
    }
    Ok(path_command(scene_body, &body.flesh, &seen, args.turns))
}

/// A body in a take.
struct Recorded {
    playback: Playback,
    number: usize,
}

impl Recorded {
    /// Refused where the take's body has other flesh than the scene's.
    fn open(take: &Path, folder: &Path, body: &StageBody) -> Result<Self, Failure> {
        let playback = Playback::open(take, None).or_else(|_| Playback::open(take, Some(folder)))?;
        let bodies = playback.built.stage.bodies();
        let number = bodies.iter().position(|own| own.name == body.name).ok_or_else(|| KeyError::NoBody {
            body: body.name.clone(),
            known: bodies.iter().map(|body| body.name.as_str()).collect::<Vec<_>>().join(", "),
        })?;
        if !bodies[number].flesh.has_points_of(&body.flesh) {
            let what = format!("body {:?} had other flesh when {} was made", body.name, take.display());
            return Err(Failure::new(what, "bake the scene again and use that take"));
        }
        Ok(Self { playback, number })
    }

    /// World positions of its points at a frame.
    fn shape(&mut self, frame: i32) -> Result<Vec<DVec3>, Failure> {
        self.playback.show(frame)?;
        Ok(self.playback.flesh(self.number))
    }
}
