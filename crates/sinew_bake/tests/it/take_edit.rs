//! Finished takes that are edited: the body goes through the edited shape, neighbouring frames follow, and before and after the edit the take
//! is as it was.

use serde_json::json;
use sinew_bake::assets::Assets;
use sinew_bake::keys::{KeyError, KeyedBody, TakeFrame, edit_key, edit_take, motion_of};
use sinew_bake::{Built, build};
use sinew_direct::take_edit::Motion;
use sinew_math::DVec3;
use sinew_math::rotation::mass_centre;
use sinew_scene::{Command, Document, ShapeEdit};
use std::collections::BTreeMap;

/// A soft bar that flies over the ground.
fn scene(solver: &str, more: &str) -> String {
    format!(
        r#"
sinew = 1
[scene]
frames = [1, 40]
[[body]]
name = "bar"
skin = {{ model = "bar", size = [0.6, 0.15, 0.15] }}
at = [0.0, 3.0, 0.0]
velocity = [0.8, 3.5, 0.0]
turn = [0.0, 30.0, 20.0]
material = {{ young_pa = 4.0e4, damping = "light" }}
flesh = {{ kind = "tets", vertices = 120 }}
solver = {solver}
{more}
[[obstacle]]
shape = "plane"
"#
    )
}

struct Project {
    folder: tempfile::TempDir,
    document: Document,
}

/// A run: where the body was at each frame, and what was measured.
struct Played {
    shapes: Vec<(i32, Vec<DVec3>)>,
    measures: BTreeMap<(String, i32), f64>,
    warnings: Vec<String>,
}

impl Played {
    fn at(&self, frame: i32) -> &[DVec3] {
        &self.shapes.iter().find(|(own, _)| *own == frame).unwrap().1
    }

    fn most(&self, name: &str) -> f64 {
        self.measures.iter().filter(|((own, _), _)| own == name).map(|(_, value)| *value).fold(0.0, f64::max)
    }
}

impl Project {
    fn new(text: &str) -> Self {
        Self { folder: tempfile::tempdir().unwrap(), document: Document::parse(text, "take").unwrap() }
    }

    fn built(&self) -> Built {
        build(self.document.scene(), self.folder.path(), 1).unwrap()
    }

    fn assets(&self) -> Assets {
        Assets::of(self.folder.path())
    }

    fn play(&self) -> Played {
        let mut stage = self.built().stage;
        let clock = stage.clock();
        let mut state = stage.first_state();
        let mut played = Played {
            shapes: vec![(clock.first_frame, state.bodies[0].x.clone())],
            measures: BTreeMap::new(),
            warnings: Vec::new(),
        };
        for frame in clock.first_frame + 1..=clock.last_frame {
            let mut measures = Vec::new();
            for _ in 0..clock.substeps {
                let report = stage.step(&mut state, &[]).unwrap();
                played.warnings.extend(report.warnings.iter().map(|warning| warning.what.clone()));
                measures = report.measures.clone();
            }
            played.shapes.push((frame, state.bodies[0].x.clone()));
            for measure in measures {
                played.measures.insert((measure.name.to_string(), frame), measure.value);
            }
        }
        played
    }

    fn grab(&mut self, frame: i32, width: f64, motion: Option<&Motion>, edits: &[ShapeEdit]) -> Result<(), KeyError> {
        let built = self.built();
        let body = KeyedBody::on_stage(&built, 0).unwrap();
        let take = TakeFrame { frame, width, motion };
        let begin = edit_take(self.document.scene(), body, take, &self.assets())?;
        let mut begun = Document::parse(self.document.text(), "take").unwrap();
        begun.apply(&begin).unwrap();
        let edit = edit_key(begun.scene(), body, Some("take"), f64::from(frame), edits, &self.assets())?;
        let both = Command::Batch { label: Some(begin.label()), commands: vec![begin, edit] };
        self.document.apply(&both).unwrap();
        Ok(())
    }

    fn motion(&self, played: &Played) -> Motion {
        motion_of(&self.built().stage.bodies()[0].flesh, &played.shapes).unwrap()
    }
}

/// The right end is pulled up.
fn pull() -> ShapeEdit {
    ShapeEdit::Pull { at: [0.3, 0.0, 0.0], by: [0.0, 0.12, 0.0], radius: 0.45 }
}

fn worst(a: &[DVec3], b: &[DVec3]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a.distance(*b)).fold(0.0, f64::max)
}

const FRAME: i32 = 18;
const WIDTH: f64 = 9.0;

/// What holds for every solver, which says how near the body comes to the edited motion (per cent of its size), and by what acceleration from
/// outside it is kept there (g). Strain of the edit is in the rest shape: goals alone took 18.9 g in finite elements, 7.3 in springs and 3.2 in
/// shape matching.
fn a_grabbed_take_follows(solver: &str, near_percent: f64, unbalanced_g: f64) {
    let mut project = Project::new(&scene(solver, ""));
    let free = project.play();
    let motion = project.motion(&free);
    let before = project.document.text().to_owned();
    project.grab(FRAME, WIDTH, Some(&motion), &[pull()]).unwrap();
    let edited = project.play();
    assert!(edited.warnings.is_empty(), "{solver}: {:?}", edited.warnings);
    for frame in 1..=FRAME - WIDTH as i32 {
        assert_eq!(edited.at(frame), free.at(frame), "{solver}: frame {frame} is the take's, to the bit");
    }
    let moved = |frame: i32| worst(edited.at(frame), free.at(frame));
    assert!(moved(FRAME) > 0.08, "{solver}: {} m at its frame", moved(FRAME));
    assert!(moved(FRAME - 3) > 0.01 && moved(FRAME + 3) > 0.01, "{solver}: neighbours follow");
    // Let go at the end of its width, the body goes on as the take does.
    let after = moved(FRAME + WIDTH as i32 + 1);
    assert!(after < 0.01, "{solver}: {after} m beside the take after the edit");
    let residual = edited.measures[&("key_residual".to_owned(), FRAME)];
    assert!(residual < near_percent, "{solver}: {residual} % from the edited shape");
    assert!(edited.measures.contains_key(&("unbalanced".to_owned(), FRAME)));
    assert!(edited.most("unbalanced") < unbalanced_g, "{solver}: {} g", edited.most("unbalanced"));
    assert!(!edited.measures.contains_key(&("residual".to_owned(), 35)), "nothing is measured where no edit acts");
    project.document.undo().unwrap();
    assert_eq!(project.document.text(), before);
}

#[test]
fn a_grabbed_take_follows_in_newton() {
    a_grabbed_take_follows(r#"{ kind = "fem" }"#, 0.2, 0.8);
}

#[test]
fn a_grabbed_take_follows_in_descent() {
    a_grabbed_take_follows(r#"{ kind = "fem", method = "descent" }"#, 0.2, 0.8);
}

#[test]
fn a_grabbed_take_follows_in_shape_matching() {
    a_grabbed_take_follows(r#"{ kind = "shape_matching" }"#, 0.2, 1.5);
}

#[test]
fn a_grabbed_take_follows_in_springs() {
    a_grabbed_take_follows(r#"{ kind = "springs" }"#, 0.2, 1.8);
}

/// Grabbed on the ground and pushed into it: contact wins, and the residual tells; where the edit holds whatever is in its way, the body goes in.
#[test]
fn contact_keeps_an_edited_body_out_of_the_ground() {
    let text = scene(r#"{ kind = "fem" }"#, "").replace("at = [0.0, 3.0, 0.0]", "at = [0.0, 0.08, 0.0]");
    let text = text.replace("velocity = [0.8, 3.5, 0.0]", "").replace("turn = [0.0, 30.0, 20.0]", "");
    let lowest = |played: &Played| played.at(FRAME).iter().map(|x| x.y).fold(f64::INFINITY, f64::min);
    let mut project = Project::new(&text);
    let motion = project.motion(&project.play());
    let down = ShapeEdit::Pull { at: [0.3, 0.0, 0.0], by: [0.0, -0.05, 0.0], radius: 0.3 };
    project.grab(FRAME, WIDTH, Some(&motion), &[down]).unwrap();
    let played = project.play();
    assert!(lowest(&played) > -0.01, "{} m", lowest(&played));
    assert!(played.most("key_residual") > 1.0, "the residual tells: {} %", played.most("key_residual"));
    let path = "body.bar.director.take.contact".to_owned();
    project.document.apply(&Command::Set { path, value: json!("yields") }).unwrap();
    let played = project.play();
    assert!(lowest(&played) < -0.03, "{} m", lowest(&played));
}

/// A second edit is of the same take; a body that is moved and turned as a whole is so.
#[test]
fn edits_add_up_and_the_whole_body_can_be_moved() {
    let mut project = Project::new(&scene(r#"{ kind = "fem" }"#, ""));
    let free = project.play();
    let motion = project.motion(&free);
    project.grab(FRAME, WIDTH, Some(&motion), &[pull()]).unwrap();
    project.grab(30, 6.0, None, &[]).unwrap();
    let keys = "body.bar.director.take.keys".to_owned();
    let shift = Command::Set { path: format!("{keys}[1].shift"), value: json!([0.0, 0.2, 0.1]) };
    project.document.apply(&shift).unwrap();
    let flesh = project.built().stage.bodies()[0].flesh.clone();
    let played = project.play();
    let moved = mass_centre(played.at(30), &flesh.mass_kg) - mass_centre(free.at(30), &flesh.mass_kg);
    assert!(moved.distance(DVec3::new(0.0, 0.2, 0.1)) < 0.01, "{moved}");
    assert!(worst(played.at(FRAME), free.at(FRAME)) > 0.08);
    // Edited again at the same frame: the same edit, not another one.
    project.grab(FRAME, 5.0, None, &[ShapeEdit::Reset { part: Default::default(), share: 0.0 }]).unwrap();
    let value = project.document.scene().bodies[0].directors[0].clone();
    let sinew_scene::Direction::TakeEdit(edit) = value.direction else { panic!("{value:?}") };
    assert_eq!(edit.keys.iter().map(|key| (key.frame, key.width)).collect::<Vec<_>>(), [(FRAME, 5.0), (30, 6.0)]);
}

#[test]
fn what_is_no_edit_of_the_take_is_refused_and_changes_nothing() {
    let mut project = Project::new(&scene(r#"{ kind = "fem" }"#, ""));
    let mut free = project.play();
    let before = project.document.text().to_owned();
    let none = project.grab(FRAME, WIDTH, None, &[]).unwrap_err();
    assert!(none.to_string().contains("no edited take"), "{none}");
    let motion = project.motion(&free);
    for frame in [1, 41] {
        let error = project.grab(frame, WIDTH, Some(&motion), &[]).unwrap_err();
        assert!(error.to_string().contains("frames 2 to 40 can"), "{error}");
    }
    let wide = project.grab(FRAME, 0.0, Some(&motion), &[]).unwrap_err();
    assert!(wide.to_string().contains("no width"), "{wide}");
    assert_eq!(project.document.text(), before);
    project.grab(FRAME, WIDTH, Some(&motion), &[]).unwrap();
    free.shapes[20].1[0].x += 0.5;
    let other = project.grab(FRAME, WIDTH, Some(&project.motion(&free)), &[]).unwrap_err();
    assert!(other.to_string().contains("another take"), "{other}");
    // A body with another mesh: the take is none of it.
    let vertices = Command::Set { path: "body.bar.flesh.vertices".to_owned(), value: json!(300) };
    project.document.apply(&vertices).unwrap();
    let error = build(project.document.scene(), project.folder.path(), 1).err().unwrap();
    assert!(error.to_string().contains("another mesh"), "{error}");
    assert!(error.help().unwrap().contains("bake the scene again"));
}

/// A scene that was changed before the edit is no longer the take's.
#[test]
fn a_run_with_another_past_is_told() {
    let mut project = Project::new(&scene(r#"{ kind = "fem" }"#, ""));
    let motion = project.motion(&project.play());
    project.grab(FRAME, WIDTH, Some(&motion), &[pull()]).unwrap();
    let at = Command::Set { path: "body.bar.at".to_owned(), value: json!([0.0, 3.4, 0.0]) };
    project.document.apply(&at).unwrap();
    let played = project.play();
    let told: Vec<&String> = played.warnings.iter().filter(|what| what.contains("from the take")).collect();
    assert_eq!(told.len(), 1, "{:?}", played.warnings);
}
