//! Touches and pulls that are part of the scene: the same bits as a live hand gives, and edits of them that leave
//! alone what came before.

use sinew_bake::take::{TakeHeader, TakeReader};
use sinew_bake::{Run, RunLimits, Scripts, Stage, Staging, build, script, take_header};
use sinew_math::{DVec3, dvec3};
use sinew_scene::Document;
use sinew_solve::{BodyId, Input, StageState};
use std::sync::Arc;

const BAR: &str = r#"
sinew = 1
[scene]
frames = [1, 24]
[[body]]
name = "bar"
skin = { model = "bar", size = [0.6, 0.2, 0.2] }
flesh = { kind = "tets", vertices = 60 }
at = [0.0, 0.4, 0.0]
[[obstacle]]
shape = "plane"
"#;

/// Held from frame 5 to 9 and pulled up.
const PULL: &str = r#"
[[body.event]]
kind = "pull"
frame = 5
at = [0.3, 0.0, 0.0]
path = [[0, 0.3, 0.5, 0.0], [1, 0.3, 0.6, 0.0], [2, 0.3, 0.7, 0.0], [3, 0.3, 0.8, 0.1], [4, 0.3, 0.8, 0.1]]
"#;

fn pull_at(frame: i32) -> String {
    PULL.replace("frame = 5", &format!("frame = {frame}"))
}

#[allow(clippy::unwrap_used, reason = "a test's own scene")]
fn with(event: &str) -> String {
    let (head, obstacle) = BAR.split_once("[[obstacle]]").unwrap();
    format!("{head}{event}\n[[obstacle]]{obstacle}")
}

#[allow(clippy::unwrap_used, reason = "a test's own scene")]
fn stage(text: &str) -> (Stage, Staging) {
    let document = Document::parse(text, "events").unwrap();
    let built = build(document.scene(), ".".as_ref(), 1).unwrap();
    let made_of: TakeHeader = take_header(&built.stage, &built.mesh_hashes, text);
    let outline = Some(Arc::new(built.stage.outline()));
    (built.stage, Staging { made_of: Arc::new(made_of), outline })
}

fn begin(text: &str) -> (Stage, Run) {
    let (stage, staging) = stage(text);
    let first = stage.first_state();
    (stage, Run::begin(staging, 1, first, RunLimits { state_bytes: 1 << 30 }))
}

#[allow(clippy::unwrap_used, reason = "steps of a test's own scene")]
fn play(run: &mut Run, stage: &mut Stage, to: i32) -> StageState {
    while run.at() < to {
        run.step_frame(stage).unwrap();
    }
    run.state().clone()
}

fn straight(text: &str, to: i32) -> StageState {
    let (mut stage, mut run) = begin(text);
    play(&mut run, &mut stage, to)
}

/// A hand that does live what [`PULL`] says, until frame 14.
fn by_hand() -> (Stage, Run) {
    let (mut stage, mut run) = begin(&with(""));
    let at_rest = dvec3(0.3, 0.0, 0.0);
    let path = [[0.3, 0.5, 0.0], [0.3, 0.6, 0.0], [0.3, 0.7, 0.0], [0.3, 0.8, 0.1]];
    play(&mut run, &mut stage, 5);
    for (frame, to) in (5..).zip(path) {
        run.give(&[Input::Drag { body: BodyId(0), at_rest, to: DVec3::from_array(to) }]);
        play(&mut run, &mut stage, frame + 1);
    }
    run.give(&[Input::LetGo { body: BodyId(0) }]);
    play(&mut run, &mut stage, 14);
    (stage, run)
}

/// The run under a text with other events.
fn reschedule(run: &mut Run, stage: &mut Stage, text: &str) -> i32 {
    let before = stage.script().clone();
    let scene = Document::parse(text, "events").unwrap().scene().clone();
    let after = script(&scene, stage.clock(), stage.bodies().iter().map(|body| body.name.as_str()));
    stage.set_script(after.clone());
    let (_, staging) = self::stage(text);
    run.reschedule(staging, Scripts { before: &before, after: &after }, stage).unwrap()
}

#[test]
fn a_pull_of_the_scene_gives_the_bits_of_a_live_one() {
    let (_, run) = by_hand();
    let alone = straight(&with(""), 14);
    let written = straight(&with(PULL), 14);
    assert!(written.bodies[0].x[0].distance(alone.bodies[0].x[0]) > 0.02, "it is pulled somewhere else");
    assert_eq!(run.state(), &written);
}

#[test]
fn what_a_hand_did_stays_when_the_text_says_the_same() {
    let (mut stage, mut run) = by_hand();
    assert_eq!(reschedule(&mut run, &mut stage, &with(PULL)), 14, "nothing has to be performed again");
    assert!(!run.is_edited(), "one text made all of it");
    let folder = tempfile::tempdir().unwrap();
    let dir = sinew_io::Dir::open(folder.path()).unwrap();
    run.write(&dir, "kept.take", Default::default()).unwrap();
    let take = TakeReader::open(folder.path().join("kept.take")).unwrap();
    let logged = take.inputs_from(0).unwrap();
    assert!(logged.iter().all(|(_, inputs)| inputs.is_empty()), "the log is the text's: {logged:?}");
    assert_eq!(play(&mut run, &mut stage, 20), straight(&with(PULL), 20));
}

#[test]
fn a_moved_event_leaves_what_came_before_both_of_its_places() {
    let (mut stage, mut run) = begin(&with(PULL));
    play(&mut run, &mut stage, 20);
    assert_eq!(reschedule(&mut run, &mut stage, &with(&pull_at(8))), 5);
    assert_eq!((run.at(), run.reached(), run.is_edited()), (5, 5, false));
    assert_eq!(play(&mut run, &mut stage, 20), straight(&with(&pull_at(8)), 20));
    assert_eq!(reschedule(&mut run, &mut stage, &with(&pull_at(3))), 3);
    assert_eq!(play(&mut run, &mut stage, 20), straight(&with(&pull_at(3)), 20));
    assert_eq!(reschedule(&mut run, &mut stage, &with("")), 3, "taken away");
    assert_eq!(play(&mut run, &mut stage, 20), straight(&with(""), 20));
    assert_eq!(reschedule(&mut run, &mut stage, &with(&pull_at(30))), 20, "what is yet to come changes nothing");
}

#[test]
fn a_hand_that_differs_from_the_text_is_performed_again_from_there() {
    let (mut stage, mut run) = by_hand();
    let other = PULL.replace("[2, 0.3, 0.7, 0.0]", "[2, 0.3, 0.9, 0.0]");
    assert_eq!(reschedule(&mut run, &mut stage, &with(&other)), 7);
    assert_eq!(play(&mut run, &mut stage, 14), straight(&with(&other), 14));
}

#[test]
fn a_pull_across_an_edit_stays_as_it_was_performed() {
    let lighter = |event: &str| with(event).replace("[scene]\n", "[scene]\ngravity = [0.0, -5.0, 0.0]\n");
    let (mut stage, mut run) = begin(&with(""));
    let drag = |y: f64, z: f64| Input::Drag { body: BodyId(0), at_rest: dvec3(0.3, 0.0, 0.0), to: dvec3(0.3, y, z) };
    play(&mut run, &mut stage, 5);
    for (frame, y) in [(5, 0.5), (6, 0.6)] {
        run.give(&[drag(y, 0.0)]);
        play(&mut run, &mut stage, frame + 1);
    }
    let (mut stage, staging) = self::stage(&lighter(""));
    assert_eq!(run.edit(7, staging, &stage), Some(7));
    for (frame, y, z) in [(7, 0.7, 0.0), (8, 0.8, 0.1)] {
        run.give(&[drag(y, z)]);
        play(&mut run, &mut stage, frame + 1);
    }
    run.give(&[Input::LetGo { body: BodyId(0) }]);
    let performed = play(&mut run, &mut stage, 12);
    assert_eq!(reschedule(&mut run, &mut stage, &lighter(PULL)), 12, "nothing has to be performed again");
    let folder = tempfile::tempdir().unwrap();
    let dir = sinew_io::Dir::open(folder.path()).unwrap();
    run.write(&dir, "kept.take", Default::default()).unwrap();
    let kept = folder.path().join("kept.take");
    let logged = TakeReader::open(&kept).unwrap().inputs_from(0).unwrap();
    assert_eq!(logged.len(), 2, "what the hand did before the edit is no part of that text: {logged:?}");
    // What it holds performs it again.
    run.seek(8, &mut stage).unwrap();
    run.seek(12, &mut stage).unwrap();
    assert_eq!(run.state(), &performed);
    assert_eq!(reschedule(&mut run, &mut stage, &lighter("")), 5, "taken away, it is missed from where it began");
}
