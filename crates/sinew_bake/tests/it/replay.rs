//! A run that was played by hand, kept as a take, bakes again from the take alone to the same hash: in every
//! solver, across edits of the scene under way, and also when the bake is cut off anywhere and resumed.

use sinew_bake::take::{TakeError, TakeOptions, TakeReader};
use sinew_bake::{Bake, BakeError, Built, Rebake, Run, RunLimits, Staging, bake, build, take_header};
use sinew_io::Dir;
use sinew_math::dvec3;
use sinew_scene::{Command, Document};
use sinew_solve::{BodyId, Input};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

const SOLVERS: [(&str, &str); 5] = [
    ("shape_matching", r#"{ kind = "shape_matching", iterations = 4 }"#),
    ("fem", r#"{ kind = "fem" }"#),
    ("fem_descent", r#"{ kind = "fem", method = "descent", iterations = 10 }"#),
    ("springs", r#"{ kind = "springs" }"#),
    ("adaptive_springs", r#"{ kind = "springs", method = "adaptive" }"#),
];

/// A worm that beats, answers touches and lies on the ground.
fn document(solver: &str) -> Document {
    let text = format!(
        r#"
sinew = 1
[scene]
frames = [1, 40]
[[body]]
name = "worm"
skin = {{ model = "bar", size = [1.0, 0.2, 0.2] }}
at = [0.0, 0.25, 0.0]
material = {{ preset = "rubber", young_pa = 2.0e5, damping = {{ rayleigh_stiffness_secs = 0.002 }} }}
flesh = {{ kind = "tets", vertices = 100 }}
solver = {solver}
[[body.director]]
name = "beat"
kind = "muscle"
period = 0.5
primary = [[0.0, 1.0], [0.3, 0.8], [0.8, 1.0]]
fibres = {{ along = "x" }}
phase = {{ along = "x" }}
[[body.director]]
name = "flinch"
kind = "muscle"
period = 0.5
primary = [[0.0, 1.0], [0.5, 0.8]]
fibres = {{ along = "y" }}
respond = {{ to = ["touch"] }}
[[obstacle]]
shape = "plane"
"#
    );
    Document::parse(&text, "replay").unwrap_or_else(|error| panic!("{error}"))
}

fn edited(document: &Document, setting: &str) -> Document {
    let mut document = Document::parse(document.text(), "replay").unwrap();
    document.apply(&Command::parse_set(setting).unwrap()).unwrap();
    document
}

/// What a person does with mouse and finger.
fn hand(frame: i32) -> Vec<Input> {
    let body = BodyId(0);
    let drag = |up: f64| Input::Drag { body, at_rest: dvec3(0.4, 0.0, 0.0), to: dvec3(0.45, up, 0.1) };
    match frame {
        2..=5 => vec![drag(0.3 + 0.05 * f64::from(frame))],
        6 => vec![Input::LetGo { body }, Input::Touch { body, at_rest: dvec3(-0.5, 0.0, 0.0) }],
        9 => vec![Input::Touch { body, at_rest: dvec3(0.3, 0.1, 0.0) }, drag(0.5)],
        13 => vec![Input::LetGo { body }],
        _ => Vec::new(),
    }
}

/// A scene on stage, as the studio has it.
struct Played {
    built: Built,
    run: Run,
}

fn staged(document: &Document) -> (Built, Staging) {
    let built = build(document.scene(), Path::new("."), 1).unwrap();
    let made_of = Arc::new(take_header(&built.stage, &built.mesh_hashes, document.text()));
    let staging = Staging { made_of, outline: Some(Arc::new(built.stage.outline())) };
    (built, staging)
}

impl Played {
    fn begin(document: &Document) -> Self {
        let (built, staging) = staged(document);
        let first = built.stage.clock().first_frame;
        let run = Run::begin(staging, first, built.stage.first_state(), RunLimits { state_bytes: 1 << 30 });
        Self { built, run }
    }

    fn play_to(&mut self, frame: i32) {
        while self.run.at() < frame {
            self.run.give(&hand(self.run.at()));
            self.run.step_frame(&mut self.built.stage).unwrap();
        }
    }

    fn edit(&mut self, at: i32, document: &Document) {
        self.run.seek(at, &mut self.built.stage).unwrap();
        let (built, staging) = staged(document);
        assert_eq!(self.run.edit(at, staging, &built.stage), Some(at));
        self.built = built;
    }

    fn keep(&self, folder: &Path) -> PathBuf {
        self.run.write(&Dir::open(folder).unwrap(), "kept.take", TakeOptions::default()).unwrap();
        folder.join("kept.take")
    }
}

fn asked(take: &TakeReader, resume: bool) -> Bake {
    Bake { frames: take.frames().unwrap(), resume, options: TakeOptions::default(), dump: None }
}

/// Another program writes into the file while it is recorded.
#[test]
fn a_take_that_is_overwritten_meanwhile_is_not_told_as_baked() {
    let folder = tempfile::tempdir().unwrap();
    let bake_to = |name: &str, (solver, last): (&str, i32), meanwhile: &dyn Fn()| {
        let document = document(solver);
        let mut built = staged(&document).0;
        let asked = Bake { frames: 1..=last, resume: false, options: TakeOptions::default(), dump: None };
        let path = folder.path().join(name);
        bake(&mut built, document.text(), &path, &asked, |frame| {
            if frame == 3 {
                meanwhile();
            }
            ControlFlow::Continue(())
        })
    };
    bake_to("other.take", (SOLVERS[3].1, 6), &|| {}).unwrap();
    let copy = || {
        std::fs::copy(folder.path().join("other.take"), folder.path().join("a.take")).unwrap();
    };
    let told = bake_to("a.take", (SOLVERS[0].1, 12), &copy).unwrap_err();
    assert!(matches!(told, BakeError::Take(TakeError::Overwritten { .. })), "{told}");
    assert!(told.help().is_some_and(|help| help.contains("bake again")), "{told}");
}

fn hash_of(take: &Path) -> String {
    let take = TakeReader::open(take).unwrap();
    take.hash(take.frames().unwrap()).unwrap().to_hex().to_string()
}

/// Bakes `kept` again, straight and cut off after every few frames, and compares hashes.
fn bakes_again(kept: &Path, name: &str) {
    let (folder, wanted) = (tempfile::tempdir().unwrap(), hash_of(kept));
    let again = folder.path().join("again.take");
    for threads in [1, 2] {
        let rebake = Rebake::open(kept, None, threads).unwrap();
        let baked = rebake.bake(&again, &asked(rebake.source(), false), |_| ControlFlow::Continue(())).unwrap();
        assert_eq!(baked.hash, wanted, "{name}, {threads} threads");
    }
    // A take that is baked again holds all that it was baked from.
    let rebake = Rebake::open(&again, None, 1).unwrap();
    let once_more = folder.path().join("once-more.take");
    let asked_to_resume = asked(rebake.source(), true);
    for stop_at in [4, 8, 9, 12, 13, 16] {
        let stopped = rebake.bake(&once_more, &asked_to_resume, |frame| {
            if frame >= stop_at { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        assert!(matches!(stopped, Err(BakeError::Stopped)), "{name}: {stopped:?}");
        // As a kill leaves it: not even the last record is whole.
        let file = std::fs::OpenOptions::new().write(true).open(&once_more).unwrap();
        let len = file.metadata().unwrap().len();
        file.set_len(len - 100).unwrap();
    }
    let baked = rebake.bake(&once_more, &asked_to_resume, |_| ControlFlow::Continue(())).unwrap();
    assert!(baked.resumed_from.is_some());
    assert_eq!(baked.hash, wanted, "{name}, cut off and resumed");
    let texts = |path: &Path| TakeReader::open(path).unwrap().spans().unwrap();
    assert_eq!(texts(&once_more), texts(kept), "{name}");
    let inputs = |path: &Path| TakeReader::open(path).unwrap().inputs_from(0).unwrap();
    assert_eq!(inputs(&once_more), inputs(kept), "{name}");
}

#[test]
fn what_a_hand_did_is_in_the_take_of_every_solver() {
    for (name, solver) in SOLVERS {
        let folder = tempfile::tempdir().unwrap();
        let mut played = Played::begin(&document(solver));
        played.play_to(18);
        let kept = played.keep(folder.path());
        // Without its inputs it is another performance.
        let mut alone = build(document(solver).scene(), Path::new("."), 1).unwrap();
        let take = TakeReader::open(&kept).unwrap();
        let straight = folder.path().join("straight.take");
        let document = document(solver);
        let baked = bake(&mut alone, document.text(), &straight, &asked(&take, false), |_| ControlFlow::Continue(()));
        assert_ne!(baked.unwrap().hash, hash_of(&kept), "{name}: the hand did nothing");
        bakes_again(&kept, name);
    }
}

#[test]
fn a_take_of_a_scene_that_was_edited_under_way_bakes_again_in_every_solver() {
    for (name, solver) in SOLVERS {
        let folder = tempfile::tempdir().unwrap();
        let first = document(solver);
        let second = edited(&first, "body.worm.director.beat.period=0.3");
        let third = edited(&second, "body.worm.material.young_pa=4.0e5");
        let mut played = Played::begin(&first);
        played.play_to(11);
        played.edit(11, &second); // while the hand holds the worm
        played.play_to(14);
        played.edit(12, &third); // back in time
        played.play_to(18);
        let kept = played.keep(folder.path());
        let spans = TakeReader::open(&kept).unwrap().spans().unwrap();
        let told: Vec<(i32, &str)> = spans.iter().map(|span| (span.from, &*span.header.scene_text)).collect();
        assert_eq!(told, [(1, first.text()), (11, second.text()), (12, third.text())], "{name}");
        bakes_again(&kept, name);
    }
}

/// Going back into frames of an earlier text goes on from there by the present one, and forgets the texts
/// between.
#[test]
fn frames_before_an_edit_stay_what_their_own_text_made_them() {
    let folder = tempfile::tempdir().unwrap();
    let first = document(SOLVERS[0].1);
    let second = edited(&first, "body.worm.director.beat.period=0.3");
    let mut played = Played::begin(&first);
    played.play_to(15);
    let kept = played.keep(folder.path());
    let before = TakeReader::open(&kept).unwrap().hash(1..=7).unwrap();
    played.edit(10, &second);
    played.play_to(15);
    assert_eq!(played.run.rewind(7, &mut played.built.stage).unwrap(), 7);
    played.play_to(18);
    let kept = played.keep(folder.path());
    let take = TakeReader::open(&kept).unwrap();
    assert_eq!(take.hash(1..=7).unwrap(), before);
    assert_eq!(take.spans().unwrap().iter().map(|span| span.from).collect::<Vec<_>>(), [1, 7]);
    bakes_again(&kept, "gone back");
    // An edit that is taken back where it was made leaves no trace.
    played.run.seek(9, &mut played.built.stage).unwrap();
    let (built, staging) = staged(&first);
    played.run.edit(9, staging, &built.stage).unwrap();
    let (built, staging) = staged(&second);
    played.run.edit(9, staging, &built.stage).unwrap();
    played.built = built;
    played.play_to(12);
    let take = TakeReader::open(played.keep(folder.path())).unwrap();
    assert_eq!(take.spans().unwrap().iter().map(|span| span.from).collect::<Vec<_>>(), [1, 7]);
}

#[test]
fn a_take_goes_on_under_its_last_text_only() {
    let folder = tempfile::tempdir().unwrap();
    let first = document(SOLVERS[0].1);
    let second = edited(&first, "body.worm.director.beat.period=0.3");
    let mut played = Played::begin(&first);
    played.play_to(10);
    played.edit(10, &second);
    played.play_to(12);
    let kept = played.keep(folder.path());
    let asked = Bake { frames: 1..=16, resume: true, options: TakeOptions::default(), dump: None };
    let resume = |document: &Document| {
        let mut built = build(document.scene(), Path::new("."), 1).unwrap();
        bake(&mut built, document.text(), &kept, &asked, |_| ControlFlow::Continue(()))
    };
    let refused = resume(&first).unwrap_err();
    assert!(refused.to_string().contains("not of this scene"), "{refused}");
    let gone_on = resume(&second).unwrap();
    assert_eq!(gone_on.resumed_from, Some(12));
    played.play_to(16);
    assert_eq!(gone_on.hash, hash_of(&played.keep(folder.path())), "nobody touched it after frame 12");
}
