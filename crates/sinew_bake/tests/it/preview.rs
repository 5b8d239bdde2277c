//! Previews: what they show is what the run comes to, and the run never notices them.

use sinew_bake::take::state_digest;
use sinew_bake::{Ghost, Preview, PreviewAsk, Previewed, Stage, build, directors};
use sinew_bake::{Seating, StageOutline};
use sinew_math::dvec3;
use sinew_scene::{Command, Document};
use sinew_solve::{BodyId, Input, StageState};
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

const SCENE: &str = r#"
sinew = 1
[scene]
frames = [1, 96]
[[body]]
name = "worm"
skin = { model = "bar", size = [1.0, 0.2, 0.2] }
at = [0.0, 0.3, 0.0]
flesh = { kind = "tets", vertices = 120 }
[[body.director]]
name = "beat"
kind = "muscle"
period = 0.5
primary = [[0.0, 1.0], [0.3, 0.7], [0.8, 1.0]]
fibres = { along = "x" }
respond = { to = ["touch"] }
[[obstacle]]
shape = "plane"
"#;

fn document(settings: &[&str]) -> Document {
    let mut document = Document::parse(SCENE, "preview").unwrap();
    settings.iter().for_each(|setting| drop(document.apply(&Command::parse_set(setting).unwrap()).unwrap()));
    document
}

fn stage(document: &Document) -> Stage {
    build(document.scene(), Path::new("."), 1).unwrap().stage
}

/// A preview and what it says.
fn preview(stage: Stage) -> (Preview, Receiver<Previewed>) {
    let (tell, heard) = channel();
    (Preview::start(stage, move |previewed| drop(tell.send(previewed))).unwrap(), heard)
}

fn ask(state: &StageState, of: &Arc<StageOutline>, ghosts: u32, every: u32) -> PreviewAsk {
    PreviewAsk { state: Arc::new(state.clone()), of: of.clone(), input: Vec::new(), ghosts, every }
}

/// All ghosts of a question.
fn answer(heard: &Receiver<Previewed>, asked: u64) -> Vec<Ghost> {
    let mut ghosts = Vec::new();
    loop {
        match heard.recv_timeout(Duration::from_secs(60)).unwrap() {
            Previewed::Ghost(ghost) if ghost.asked == asked && !ghost.is_on_its_way => ghosts.push(*ghost),
            Previewed::Over { asked: over, failed } if over == asked => {
                assert_eq!(failed, None);
                return ghosts;
            }
            _ => {}
        }
    }
}

fn play(stage: &mut Stage, state: &mut StageState, frames: u32, input: &[Input]) {
    for substep in 0..frames * stage.clock().substeps {
        stage.step(state, if substep == 0 { input } else { &[] }).unwrap();
    }
}

#[test]
fn ghosts_are_the_states_that_the_run_comes_to() {
    let document = document(&[]);
    let mut stage = stage(&document);
    let outline = Arc::new(stage.outline());
    let (mut preview, heard) = preview(self::stage(&document));
    let mut state = stage.first_state();
    play(&mut stage, &mut state, 7, &[]);
    let touch = [Input::Touch { body: BodyId(0), at_rest: dvec3(0.5, 0.0, 0.0) }];
    let asked = preview.ask(PreviewAsk { input: touch.to_vec(), ..ask(&state, &outline, 4, 3) });
    let ghosts = answer(&heard, asked);
    assert_eq!(ghosts.iter().map(|ghost| ghost.frame).collect::<Vec<_>>(), [11, 14, 17, 20]);
    for (number, ghost) in ghosts.iter().enumerate() {
        play(&mut stage, &mut state, 3, if number == 0 { &touch } else { &[] });
        assert!(ghost.state == state, "frame {}", ghost.frame);
    }
}

/// The first ghost is seen after one frame, and goes on to its place frame by frame; later ones come when they are there.
#[test]
fn the_first_ghost_is_seen_on_its_way() {
    let document = document(&[]);
    let mut stage = stage(&document);
    let outline = Arc::new(stage.outline());
    let (mut preview, heard) = preview(self::stage(&document));
    let mut state = stage.first_state();
    let asked = preview.ask(ask(&state, &outline, 2, 4));
    let told: Vec<Ghost> = std::iter::from_fn(|| match heard.recv_timeout(Duration::from_secs(60)).unwrap() {
        Previewed::Ghost(ghost) => Some(*ghost),
        Previewed::Over { asked: over, failed } => {
            assert_eq!((over, failed), (asked, None));
            None
        }
    })
    .collect();
    let seen: Vec<(i32, bool)> = told.iter().map(|ghost| (ghost.frame, ghost.is_on_its_way)).collect();
    assert_eq!(seen, [(2, true), (3, true), (4, true), (5, false), (9, false)]);
    for ghost in &told[..4] {
        play(&mut stage, &mut state, 1, &[]);
        assert!(ghost.state == state, "frame {}", ghost.frame);
    }
}

#[test]
fn a_run_with_previews_has_the_hash_of_one_without() {
    let document = document(&[]);
    let run = |mut preview: Option<(Preview, Receiver<Previewed>)>| {
        let mut stage = stage(&document);
        let outline = Arc::new(stage.outline());
        let mut state = stage.first_state();
        let mut digests = Vec::new();
        for _ in 0..20 {
            if let Some((preview, _)) = &mut preview {
                preview.ask(ask(&state, &outline, 8, 2));
            }
            play(&mut stage, &mut state, 1, &[]);
            digests.push(state_digest(&state).unwrap());
        }
        digests
    };
    assert_eq!(run(None), run(Some(preview(stage(&document)))));
}

#[test]
fn a_new_question_and_an_edit_take_the_place_of_what_is_under_way() {
    let (before, after) = (document(&[]), document(&["body.worm.director.beat.period=0.3"]));
    let mut edited = stage(&after);
    let seating = Seating::of(&build(after.scene(), Path::new("."), 1).unwrap());
    let outline = Arc::new(stage(&before).outline());
    let (mut preview, heard) = preview(stage(&before));
    let first = stage(&before).first_state();
    let endless = preview.ask(ask(&first, &outline, 90, 1));
    let asked = preview.ask(ask(&first, &outline, 3, 4));
    preview.direct(directors(after.scene(), &seating).unwrap());
    let mut ghosts = answer(&heard, asked);
    // The edit may come after the answer, which is then given again, or between its ghosts.
    let right = states_of(&mut edited, &first, 4);
    let is_right = |ghosts: &[Ghost]| {
        let last = &ghosts[ghosts.len().saturating_sub(right.len())..];
        last.iter().map(|ghost| &ghost.state).eq(&right)
    };
    if !is_right(&ghosts) {
        ghosts = answer(&heard, asked);
    }
    assert!(is_right(&ghosts));
    let of_endless = |previewed: &Previewed| matches!(previewed, Previewed::Over { asked, .. } if *asked == endless);
    assert!(!heard.try_iter().any(|previewed| of_endless(&previewed)), "it was given up");
    drop(preview); // ends its thread, also while it works
}

fn states_of(stage: &mut Stage, first: &StageState, every: u32) -> Vec<StageState> {
    let mut state = first.clone();
    let mut next = || {
        play(stage, &mut state, every, &[]);
        state.clone()
    };
    vec![next(), next(), next()]
}
