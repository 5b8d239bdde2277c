//! Key shapes edited by hand, from words to assets: what is asked for is what the body gets, and what no body can have is refused.

use serde_json::json;
use sinew_bake::assets::Assets;
use sinew_bake::keys::{KeyError, KeyedBody, NewKey, edit_key, key_command, shape_of_mesh, shown_keys};
use sinew_bake::{Built, Seating, build};
use sinew_direct::key_shapes::{Handles, ShapeCells, check_shape};
use sinew_math::DVec3;
use sinew_scene::{Axis, Command, Document, ShapeEdit, ShapePart};
use std::sync::Arc;

const SCENE: &str = r#"
sinew = 1
[scene]
frames = [1, 20]
[[body]]
name = "bar"
skin = { model = "bar", size = [1.0, 0.2, 0.2] }
flesh = { kind = "tets", vertices = 300 }
[[body]]
name = "other"
at = [0.0, 2.0, 1.0]
skin = { model = "bar", size = [1.0, 0.2, 0.2] }
flesh = { kind = "tets", vertices = 200 }
"#;

struct Project {
    folder: tempfile::TempDir,
    document: Document,
    built: Built,
}

impl Project {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let document = Document::parse(SCENE, "bar").unwrap();
        let built = build(document.scene(), folder.path(), 1).unwrap();
        let mut project = Self { folder, document, built };
        let key = NewKey { frame: 10.0, name: None, shape: None };
        let body = KeyedBody::on_stage(&project.built, 0).unwrap();
        let command = key_command(project.document.scene(), body, None, key, &project.assets()).unwrap();
        project.document.apply(&command).unwrap();
        project
    }

    fn assets(&self) -> Assets {
        Assets::of(self.folder.path())
    }

    fn edit(&mut self, edits: &[ShapeEdit]) -> Result<(), KeyError> {
        let body = KeyedBody::on_stage(&self.built, 0).unwrap();
        let command = edit_key(self.document.scene(), body, None, 10.0, edits, &self.assets())?;
        self.document.apply(&command).unwrap();
        Ok(())
    }

    /// Rest places of a body and how far its key at frame 10 moves each.
    fn moved(&self, body: usize) -> Vec<(DVec3, DVec3)> {
        let seating = &Seating::of(&self.built)[body];
        let keys = shown_keys(self.document.scene(), &self.document.scene().bodies[body], seating).unwrap();
        let key = keys.iter().find(|key| key.frame == 10.0).unwrap();
        seating.canvas.flesh().rest.iter().zip(key.shape.iter()).map(|(x0, x)| (*x0, *x - *x0)).collect()
    }

    /// The key's extent along an axis.
    fn extent(&self, axis: usize) -> f64 {
        let all: Vec<f64> = self.moved(0).iter().map(|(x0, by)| (*x0 + *by)[axis]).collect();
        all.iter().fold(f64::MIN, |a, b| a.max(*b)) - all.iter().fold(f64::MAX, |a, b| a.min(*b))
    }
}

fn whole() -> ShapePart {
    ShapePart::default()
}

fn end() -> ShapePart {
    ShapePart { within: Some([[0.2, -1.0, -1.0], [1.0, 1.0, 1.0]]), falloff: 0.2, ..ShapePart::default() }
}

#[test]
fn a_body_is_scaled_as_told_and_its_key_is_one_asset() {
    let mut project = Project::new();
    let before = project.extent(1);
    project.edit(&[ShapeEdit::Scale { part: whole(), by: [1.2, 0.7, 1.2] }]).unwrap();
    assert!((project.extent(1) / before - 0.7).abs() < 1e-9, "{} of {before}", project.extent(1));
    let keys = serde_json::to_value(&project.document.scene().bodies[0].directors[0]).unwrap();
    assert_eq!(keys["keys"].as_array().unwrap().len(), 2, "at rest at the first frame, and the key: {keys}");
    assert!(keys["keys"][1]["asset"].as_str().unwrap().starts_with("assets/key-"));
    assert_eq!(project.document.undo_labels().last(), Some("scale key 10 of bar"));
    project.edit(&[ShapeEdit::Reset { part: whole(), share: 1.0 }]).unwrap();
    assert!(project.moved(0).iter().all(|(_, by)| by.length() < 1e-12));
}

#[test]
fn a_side_that_is_mirrored_looks_like_the_other() {
    let mut project = Project::new();
    project
        .edit(&[
            ShapeEdit::Bend { part: end(), along: [1.0, 0.0, 0.0], about: [0.0, 0.0, 1.0], deg: 40.0 },
            ShapeEdit::Mirror { from: Axis::X },
        ])
        .unwrap();
    let moved = project.moved(0);
    let high = |side: f64| moved.iter().filter(|(x0, _)| x0.x * side > 0.48).map(|(_, by)| by.y).sum::<f64>();
    let count = |side: f64| moved.iter().filter(|(x0, _)| x0.x * side > 0.48).count() as f64;
    let [right, left] = [1.0, -1.0].map(|side| high(side) / count(side));
    assert!(right > 0.02 && (right - left).abs() < 0.1 * right, "{right} and {left}");
}

#[test]
fn a_track_is_copied_mirrored_and_a_path_from_start_to_start() {
    let mut project = Project::new();
    project.edit(&[ShapeEdit::Turn { part: end(), about: [0.0, 0.0, 1.0], deg: 20.0 }]).unwrap();
    let copy =
        |mirror| Command::CopyDirector { from: "body.bar.director.shape".into(), to: "body.other".into(), mirror };
    // The right end of the one is up, and of its mirror image the left one.
    let tilt = |project: &Project, body: usize| {
        let moved = project.moved(body);
        let mean = |side: f64| {
            let own: Vec<f64> = moved.iter().filter(|(x0, _)| x0.x * side > 0.45).map(|(_, by)| by.y).collect();
            own.iter().sum::<f64>() / own.len() as f64
        };
        mean(1.0) - mean(-1.0)
    };
    project.document.apply(&copy(None)).unwrap();
    let (own, other) = (tilt(&project, 0), tilt(&project, 1));
    assert!(own.abs() > 0.01 && (own - other).abs() < 0.15 * own.abs(), "{own} and {other}");
    project.document.apply(&copy(Some(Axis::X))).unwrap();
    assert_eq!(project.document.scene().bodies[1].directors.len(), 1, "the one of that name is replaced");
    let mirrored = tilt(&project, 1);
    assert!((own + mirrored).abs() < 0.15 * own.abs(), "{own} and {mirrored}");
}

#[test]
fn what_cannot_be_is_refused_by_name_and_nothing_is_lost() {
    let mut project = Project::new();
    let text = project.document.text().to_owned();
    let pull = |by: f64| ShapeEdit::Nudge { at: [0.5, 0.0, 0.0], by: [by, 0.0, 0.0], radius: 0.1 };
    let said = project.edit(&[pull(-2.0)]).unwrap_err();
    assert!(matches!(said, KeyError::Trouble(_)) && said.to_string().contains("inside out"), "{said}");
    let refused = |edit: ShapeEdit, what: &str| {
        let error = Project::new().edit(&[edit]).unwrap_err();
        assert!(error.to_string().contains(what) && !error.help().is_empty(), "{error}");
    };
    refused(ShapeEdit::Scale { part: whole(), by: [1.0, 0.0, 1.0] }, "0.01 to 100");
    // Places that are none of the body: far off it, or nowhere.
    let by = [0.0, 0.05, 0.0];
    refused(
        ShapeEdit::Pull { at: [0.9, 0.0, 0.0], by, radius: 0.2 },
        "m from the body at rest, and 0.2 m around it are moved",
    );
    refused(
        ShapeEdit::Nudge { at: [0.0, -3.0, 0.0], by, radius: 0.5 },
        "m from the body at rest, and 0.5 m around it are moved",
    );
    refused(ShapeEdit::Pull { at: [f64::NAN, 0.0, 0.0], by, radius: 0.2 }, "a radius above 0");
    refused(ShapeEdit::Pull { at: [0.5, 0.0, 0.0], by, radius: 0.0 }, "a radius above 0");
    Project::new().edit(&[ShapeEdit::Pull { at: [0.55, 0.0, 0.0], by, radius: 0.3 }]).unwrap();
    refused(ShapeEdit::Turn { part: whole(), about: [0.0; 3], deg: 3.0 }, "an axis and an angle");
    let far = ShapePart { within: Some([[7.0; 3], [8.0; 3]]), ..ShapePart::default() };
    refused(ShapeEdit::Smooth { part: far, rounds: 3 }, "holds no point");
    let many = ShapePart { points: Some(vec![100_000]), ..ShapePart::default() };
    refused(ShapeEdit::Reset { part: many, share: 1.0 }, "the body has points 0 to");
    let body = KeyedBody::on_stage(&project.built, 0).unwrap();
    let none = edit_key(project.document.scene(), body, None, 11.0, &[], &project.assets()).unwrap_err();
    assert!(none.to_string().contains("it has them at 1, 10"), "{none}");
    assert_eq!(project.document.text(), text);
    assert!(serde_json::from_value::<ShapeEdit>(json!({ "do": "melt" })).is_err());
}

/// A cow of few elements. Leant over far, its flesh follows as rigidly as it can. Squashed to a tenth it would fold over where it
/// is thin, and follows by a smooth map instead.
#[test]
fn a_mesh_that_would_fold_the_flesh_is_followed_by_a_smooth_map() {
    let Some(mesh) = crate::beside::model("cow.obj") else { return };
    let text = format!(
        "sinew = 1\n[[body]]\nname = \"pet\"\nskin = {{ mesh = {:?} }}\nflesh = {{ kind = \"tets\", vertices = 500 }}\n",
        mesh.to_string_lossy()
    );
    let folder = tempfile::tempdir().unwrap();
    let document = Document::parse(&text, "pet").unwrap();
    let built = build(document.scene(), folder.path(), 1).unwrap();
    let body = &built.stage.bodies()[0];
    let skin = &body.skin.mesh;
    let heights = || skin.positions.iter().map(|x| x.y);
    let (low, high) = (heights().fold(f64::MAX, f64::min), heights().fold(f64::MIN, f64::max));
    let leant = |x: &DVec3| *x + DVec3::X * (2.0 * (x.y - low).powi(2) / (high - low));
    let squashed = |x: &DVec3| DVec3::new(x.x, low + 0.1 * (x.y - low), x.z);
    let cells = Arc::new(ShapeCells::new(&body.flesh).unwrap());
    let moves = [("leant", &leant as &dyn Fn(&DVec3) -> DVec3, false), ("squashed", &squashed, true)];
    for (name, moved, folds) in moves {
        let to: Vec<DVec3> = skin.positions.iter().map(moved).collect();
        let vertex = |x: &DVec3| format!("v {} {} {}\n", x.x, x.y, x.z);
        let triangle = |t: &[u32; 3]| format!("f {} {} {}\n", t[0] + 1, t[1] + 1, t[2] + 1);
        let obj: String = to.iter().map(vertex).chain(skin.triangles.iter().map(triangle)).collect();
        let file = folder.path().join("moved.obj");
        std::fs::write(&file, obj).unwrap();
        let places = (0..to.len()).map(|vertex| body.skin.embedding.terms(vertex)).collect();
        let rigid = Handles::new(cells.clone(), places).unwrap().drag(&body.flesh.rest, &to, 120);
        assert_eq!(check_shape(&cells, &rigid).is_err(), folds, "{name}");
        let shape = shape_of_mesh(body, &file, 1.0).unwrap();
        check_shape(&cells, &shape).unwrap();
        let off = shape.iter().zip(&body.flesh.rest).map(|(x, x0)| x.distance(moved(x0))).fold(0.0, f64::max);
        assert!(off < 0.03 * cells.size_m(), "{name}: {off} m from the map that the skin has");
    }
}
