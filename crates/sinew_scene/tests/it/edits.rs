//! Edits change what they name and nothing else, and can be taken back (rules E and U of SPEC.md).

use serde_json::{Value, json};
use sinew_scene::{Channel, Command, Document, Solver, builtin};

const TEXT: &str = r#"# My jelly.
sinew = 1   # do not touch

[scene]
fps = 24    # film
frames = [1, 96]

[[body]]
name = "jelly"          # the hero
skin = { model = "bell" }
solver = { kind = "shape_matching", iterations = 2 }   # soft
sets.left = { side = "-x" }

# It swims.
[[body.director]]
name = "swim"
kind = "muscle"
period = 1.20
primary = [
    [0.0, 1.0],   # rest
    [0.3, 0.65],  # squeeze
]
fibres = { around = "y" }

[[body.director]]
kind = "force"
on = "left"
newton = [0.0, [[1, 0.0], [12, 1.0]], 0.0]

[camera]
eye = [0.0, 1.0, 3.0]
"#;

fn document() -> Document {
    Document::parse(TEXT, "jelly.toml").expect("a scene")
}

fn command(json: Value) -> Command {
    serde_json::from_value(json).expect("a command")
}

/// The text after a command on [`TEXT`].
fn after(json: Value) -> String {
    let mut document = document();
    document.apply(&command(json)).unwrap_or_else(|error| panic!("{error}"));
    document.text().to_owned()
}

#[test]
fn e1_a_set_changes_only_the_value() {
    let set = |path: &str, value: Value| after(json!({ "do": "set", "path": path, "value": value }));
    assert_eq!(set("scene.fps", json!(30)), TEXT.replace("fps = 24", "fps = 30"));
    assert_eq!(set("body.jelly.solver.iterations", json!(3)), TEXT.replace("iterations = 2", "iterations = 3"));
    assert_eq!(set("body[0].director.swim.period", json!(2)), TEXT.replace("1.20", "2.0"));
    assert_eq!(set("body.jelly.director.swim.period", json!(1.2)), TEXT);
    assert_eq!(set("camera.eye[1]", json!(4.5)), TEXT.replace("[0.0, 1.0, 3.0]", "[0.0, 4.5, 3.0]"));
    let primary = json!([[0.0, 1.0], [0.4, 0.65]]);
    assert_eq!(set("body.jelly.director.swim.primary", primary), TEXT.replace("[0.3, 0.65]", "[0.4, 0.65]"));
    let solver = json!({ "kind": "fem", "newton_iterations": 4 });
    let expected = "solver = { kind = \"fem\", newton_iterations = 4 }   # soft";
    assert!(set("body.jelly.solver", solver).contains(expected));
}

#[test]
fn e2_tables_on_the_way_are_made() {
    let text = after(json!({ "do": "set", "path": "body.jelly.material.young_pa", "value": 3.0e4 }));
    assert!(text.contains("material = { young_pa = 30000.0 }"), "{text}");
    let text = after(json!({ "do": "set", "path": "medium.normal_drag", "value": 400.0 }));
    assert!(text.ends_with("\n[medium]\nnormal_drag = 400.0\n"), "{text}");
    let text = after(json!({ "do": "set", "path": "light.strength", "value": 2 }));
    assert!(text.contains("[light]\nstrength = 2\n"), "{text}");
}

#[test]
fn e3_unset_gives_the_default_back() {
    let mut document = document();
    document.apply(&command(json!({ "do": "unset", "path": "body.jelly.solver" }))).unwrap();
    assert_eq!(document.scene().bodies[0].solver, Solver::default());
    assert!(!document.text().contains("solver"));
    let error = document.apply(&command(json!({ "do": "unset", "path": "body.jelly.name" }))).unwrap_err();
    assert!(error.to_string().contains("`name` is missing"), "{error}");
}

#[test]
fn e4_bodies_directors_obstacles_and_sets_come_and_go() {
    let mut document = document();
    let ball = json!({ "name": "ball", "skin": { "model": "cylinder" }, "sets": { "top": { "side": "y" } },
                       "director": [{ "kind": "pin", "on": "top" }] });
    for step in [
        json!({ "do": "add", "to": "body", "value": ball }),
        json!({ "do": "add", "to": "obstacle", "value": { "name": "ground", "shape": "plane" } }),
        json!({ "do": "add", "to": "body.jelly.director", "index": 0, "value": { "kind": "path", "at": [0, 1, 0] } }),
        json!({ "do": "add", "to": "body.jelly.sets", "name": "right", "value": { "side": "x" } }),
        json!({ "do": "add", "to": "body.ball.director", "value": { "kind": "material", "stiffness": 2.0 } }),
    ] {
        document.apply(&command(step.clone())).unwrap_or_else(|error| panic!("{step}: {error}"));
    }
    let scene = document.scene();
    let kinds = |body: usize| scene.bodies[body].directors.iter().map(|d| d.direction.kind()).collect::<Vec<_>>();
    assert_eq!((kinds(0), kinds(1)), (vec!["path", "muscle", "force"], vec!["pin", "material"]));
    assert_eq!(scene.bodies[0].sets.keys().collect::<Vec<_>>(), ["left", "right"]);
    assert!(document.text().contains("[[body]]\nname = \"ball\"\nskin = { model = \"cylinder\" }\n\n[body.sets]"));

    for path in ["body.jelly.director.path", "body.jelly.sets.right", "obstacle.ground", "body.ball"] {
        document.apply(&command(json!({ "do": "remove", "path": path }))).unwrap_or_else(|e| panic!("{path}: {e}"));
    }
    assert_eq!(document.text(), TEXT);
}

#[test]
fn e5_a_renamed_set_is_followed_by_its_directors() {
    let text = after(json!({ "do": "rename", "path": "body.jelly.sets.left", "to": "wing" }));
    assert_eq!(text, TEXT.replace("sets.left", "sets.wing").replace("on = \"left\"", "on = \"wing\""));
    let text = after(json!({ "do": "rename", "path": "body.jelly", "to": "medusa" }));
    assert_eq!(text, TEXT.replace("\"jelly\"", "\"medusa\""));
    let text = after(json!({ "do": "rename", "path": "body.jelly.director.force", "to": "push" }));
    assert!(text.contains("kind = \"force\"") && text.contains("name = \"push\""));
}

#[test]
fn e6_keys_are_put_in_moved_and_deleted() {
    let newton = "body.jelly.director.force.newton[1]";
    let key = |json: Value| {
        let mut document = document();
        document.apply(&command(json)).unwrap_or_else(|error| panic!("{error}"));
        document.text().to_owned()
    };
    let replaced = |new: &str| TEXT.replace("[[1, 0.0], [12, 1.0]]", new);
    assert_eq!(
        key(json!({ "do": "insert_key", "path": newton, "at": 6, "value": 0.5, "shape": "smooth" })),
        replaced("[[1, 0.0], [6, 0.5, \"smooth\"], [12, 1.0]]")
    );
    assert_eq!(
        key(json!({ "do": "insert_key", "path": newton, "at": 0, "value": 0.5 })),
        replaced("[[0, 0.5], [1, 0.0], [12, 1.0]]")
    );
    assert_eq!(
        key(json!({ "do": "insert_key", "path": newton, "at": 12, "value": 3 })),
        replaced("[[1, 0.0], [12, 3.0]]")
    );
    assert_eq!(
        key(json!({ "do": "move_key", "path": newton, "from": 1, "to": 20, "value": 7 })),
        replaced("[[12, 1.0], [20, 7.0]]")
    );
    assert_eq!(key(json!({ "do": "delete_key", "path": newton, "at": 1 })), replaced("[[12, 1.0]]"));
    let primary = "body.jelly.director.swim.primary";
    let text = key(json!({ "do": "insert_key", "path": primary, "at": 0.2, "value": 0.8 }));
    assert!(text.contains("# squeeze") && text.contains("# rest") && text.contains("\n    [0.2, 0.8],"), "{text}");
}

#[test]
fn e7_a_constant_becomes_a_curve_and_a_last_key_a_constant() {
    let mut document = document();
    let eye = "camera.eye[2]";
    document.apply(&command(json!({ "do": "insert_key", "path": eye, "at": 5, "value": 2.5 }))).unwrap();
    assert!(document.text().contains("eye = [0.0, 1.0, [[5, 2.5]]]"));
    document.apply(&command(json!({ "do": "delete_key", "path": eye, "at": 5 }))).unwrap();
    assert_eq!(document.scene().camera.eye.0[2], Channel::constant(2.5));
}

#[test]
fn e8_what_would_break_the_scene_is_refused_and_changes_nothing() {
    let mut document = document();
    for (refused, why) in [
        (json!({ "do": "set", "path": "scene.fps", "value": 0 }), "from 1 to 1000"),
        (json!({ "do": "set", "path": "scene.fsp", "value": 30 }), "known here: fps"),
        (json!({ "do": "set", "path": "body.jely.at", "value": [0, 0, 0] }), "`jelly`"),
        (json!({ "do": "set", "path": "body[4].at", "value": [0, 0, 0] }), "no such entry"),
        (json!({ "do": "remove", "path": "body.jelly.sets.left" }), "no set called \"left\""),
        (json!({ "do": "remove", "path": "scene.fps" }), "unset"),
        (json!({ "do": "add", "to": "body", "value": { "name": "jelly", "skin": { "model": "bar" } } }), "already"),
        (json!({ "do": "add", "to": "body", "value": 3 }), "is a table"),
        (json!({ "do": "add", "to": "body", "index": 9, "value": {} }), "has 1 entries"),
        (json!({ "do": "add", "to": "scene", "value": {} }), "not a list"),
        (json!({ "do": "add", "to": "body.jelly.sets", "name": "left", "value": { "all": true } }), "already"),
        (json!({ "do": "rename", "path": "body.jelly", "to": "a b" }), "letters"),
        (json!({ "do": "insert_key", "path": "body.jelly.name", "at": 1, "value": 1 }), "no curve"),
        (json!({ "do": "delete_key", "path": "body.jelly.director.force.newton[1]", "at": 3 }), "keys are at 1, 12"),
        (
            json!({ "do": "move_key", "path": "body.jelly.director.force.newton[1]", "from": 1, "to": 12 }),
            "already has",
        ),
        (
            json!({ "do": "batch", "commands": [
            { "do": "set", "path": "scene.fps", "value": 30 },
            { "do": "set", "path": "scene.frames", "value": [3, 1] },
        ] }),
            "backwards",
        ),
    ] {
        let error = document.apply(&command(refused.clone())).expect_err(&refused.to_string()).to_string();
        assert!(error.contains(why), "{refused}: {error}");
        assert_eq!((document.text(), document.undo_labels().count()), (TEXT, 0), "{refused}");
    }
}

#[test]
fn e9_a_set_from_the_command_line_is_the_same_edit() {
    let mut document = document();
    document.apply(&Command::parse_set("body.jelly.solver.iterations=3").unwrap()).unwrap();
    assert_eq!(document.text(), TEXT.replace("iterations = 2", "iterations = 3"));
}

#[test]
fn e10_line_ends_of_the_file_are_kept() {
    let mut document = Document::parse(&TEXT.replace('\n', "\r\n"), "dos.toml").unwrap();
    document.apply(&Command::parse_set("scene.fps=30").unwrap()).unwrap();
    assert_eq!(document.text(), TEXT.replace("fps = 24", "fps = 30").replace('\n', "\r\n"));
}

#[test]
fn u2_undo_and_redo_walk_the_same_texts() {
    let mut document = document();
    let mut texts = vec![TEXT.to_owned()];
    for set in ["scene.fps=30", "body.jelly.at=[0, 1, 0]", "camera.fov_deg=35"] {
        document.apply(&Command::parse_set(set).unwrap()).unwrap();
        texts.push(document.text().to_owned());
    }
    for before in texts.iter().rev().skip(1) {
        assert!(document.undo().is_some());
        assert_eq!(document.text(), before);
    }
    assert_eq!(document.undo(), None);
    assert_eq!(document.redo().as_deref(), Some("set scene.fps"));
    assert_eq!(document.text(), texts[1]);
    document.apply(&Command::parse_set("scene.substeps=8").unwrap()).unwrap();
    assert_eq!(document.redo_labels().count(), 0, "a new edit ends what could be redone");
    assert_eq!(document.redo(), None);
}

#[test]
fn u3_a_gesture_is_one_step_or_none() {
    let mut document = document();
    let fps = |value: u32| Command::parse_set(&format!("scene.fps={value}")).unwrap();
    document.begin("drag fps").unwrap();
    for value in 25..40 {
        document.preview(&fps(value)).unwrap();
        assert_eq!(document.scene().shot.fps.numerator, value);
    }
    assert!(document.preview(&fps(0)).is_err());
    assert_eq!(document.scene().shot.fps.numerator, 39, "a refused preview leaves the last one");
    assert!(document.apply(&fps(50)).is_err() && document.undo().is_none() && document.begin("x").is_err());
    assert_eq!(document.commit().unwrap().unwrap().label, "drag fps");
    assert_eq!(document.undo_labels().collect::<Vec<_>>(), ["drag fps"]);
    document.undo();
    assert_eq!(document.text(), TEXT);

    document.begin("drag again").unwrap();
    document.preview(&fps(30)).unwrap();
    document.cancel().unwrap();
    assert_eq!((document.text(), document.scene().shot.fps.numerator), (TEXT, 24));
    assert_eq!(document.redo().as_deref(), Some("drag fps"), "a cancelled gesture leaves the history alone");
    document.begin("nothing").unwrap();
    assert_eq!(document.commit().unwrap(), None);
    assert!(document.commit().is_err() && document.cancel().is_err());
}

#[test]
fn u4_an_edit_that_changes_nothing_is_no_step() {
    let mut document = document();
    document.apply(&Command::parse_set("scene.fps=24").unwrap()).unwrap();
    assert_eq!(document.undo_labels().count(), 0);
}

#[test]
fn every_built_in_scene_can_be_edited_and_taken_back() {
    for scene in builtin::scenes() {
        let mut document = Document::parse(scene.toml, scene.name).unwrap();
        let name = document.scene().bodies[0].name.clone();
        for set in ["scene.substeps=9", &format!("body.{name}.material.young_pa=12345.0"), "camera.lens_mm=35"] {
            document.apply(&Command::parse_set(set).unwrap()).unwrap_or_else(|e| panic!("{}: {e}", scene.name));
        }
        assert_eq!(document.scene().bodies[0].material.young_pa, Some(12345.0));
        while document.undo().is_some() {}
        assert_eq!(document.text(), scene.toml);
    }
}

#[test]
fn e11_bodies_written_inline_can_be_edited_alike() {
    let text = "sinew = 1\nbody = [{ name = \"a\", skin = { model = \"bar\" } }]  # all\nscene = { fps = 25 }\n";
    let mut document = Document::parse(text, "inline.toml").unwrap();
    for step in [
        json!({ "do": "set", "path": "scene.substeps", "value": 3 }),
        json!({ "do": "add", "to": "body", "value": { "name": "b", "skin": { "model": "bell" }, "sets": { "s": { "side": "x" } } } }),
        json!({ "do": "add", "to": "body.a.sets", "name": "left", "value": { "side": "x" } }),
        json!({ "do": "add", "to": "body.a.director", "value": { "kind": "pin", "on": "left" } }),
        json!({ "do": "add", "to": "body.a.director", "index": 0, "value": { "kind": "force", "on": "all", "newton": [0, 1, 0] } }),
        json!({ "do": "rename", "path": "body.a.sets.left", "to": "wing" }),
        json!({ "do": "insert_key", "path": "body.a.director.force.newton[1]", "at": 4, "value": 2.0 }),
        json!({ "do": "remove", "path": "body.b" }),
    ] {
        document.apply(&command(step.clone())).unwrap_or_else(|error| panic!("{step}: {error}\n{}", document.text()));
    }
    let body = &document.scene().bodies[0];
    let kinds: Vec<_> = body.directors.iter().map(|director| director.direction.kind()).collect();
    assert_eq!((document.scene().bodies.len(), kinds), (1, vec!["force", "pin"]));
    assert_eq!(body.directors[1].direction.on(), Some("wing"));
    assert!(document.text().contains("# all") && document.text().contains("{ fps = 25, substeps = 3 }"));
    while document.undo().is_some() {}
    assert_eq!(document.text(), text);
}

/// From [0, 1, 0] to [3, 1, 2]; mirrored along x it goes the other way there, handles and turns included.
#[test]
fn a_path_is_carried_from_body_to_body_and_mirrored() {
    let text = r#"sinew = 1
[[body]]
name = "a"
skin = { model = "ball" }
at = [0.0, 1.0, 0.0]
[[body.director]]
name = "way"
kind = "path"
at = [[[1, 0.5, { leave = [3, 0.25], arrive = [-3, 0.5] }], [10, 1.5]], { keys = [[1, 1.0], [10, 2.0]], shape = "smooth" }, 0.25]
turn = [10.0, [[1, 0.0], [10, 20.0]], 30.0]
turns = []
[[body]]
name = "b"
skin = { model = "ball" }
at = [3.0, 1.0, 2.0]
[[body.director]]
name = "push"
kind = "force"
on = "all"
newton = [0.0, 1.0, 0.0]
"#;
    let mut document = Document::parse(text, "two").unwrap();
    let copy = |from: &str, to: &str, mirror| Command::CopyDirector { from: from.into(), to: to.into(), mirror };
    document.apply(&copy("body.a.director.way", "body.b", None)).unwrap();
    let way = |document: &Document| serde_json::to_value(&document.scene().bodies[1].directors[1]).unwrap();
    assert_eq!(way(&document)["at"][2], json!(2.25));
    assert_eq!((&way(&document)["at"][0][0][1], &way(&document)["at"][0][1][1]), (&json!(3.5), &json!(4.5)));
    document.apply(&copy("body.a.director.way", "body.b", Some(sinew_scene::Axis::X))).unwrap();
    assert_eq!(document.scene().bodies[1].directors.len(), 2, "one of its name is replaced");
    let mirrored = way(&document);
    assert_eq!((&mirrored["at"][0][0][1], &mirrored["at"][0][1][1]), (&json!(2.5), &json!(1.5)));
    assert_eq!(mirrored["at"][0][0][2], json!({ "leave": [3.0, -0.25], "arrive": [-3.0, -0.5] }));
    assert_eq!(
        (&mirrored["turn"][0], &mirrored["turn"][1][1][1], &mirrored["turn"][2]),
        (&json!(10.0), &json!(-20.0), &json!(-30.0))
    );
    assert_eq!(document.undo_labels().last(), Some("mirror body.a.director.way to body.b"));
    for (from, to, what) in [
        ("body.b.director.push", "body.a", "is a force director"),
        ("body.a", "body.b", "no director"),
        ("body.a.director.way", "body.b.director.push", "is no body"),
    ] {
        let error = document.apply(&copy(from, to, None)).unwrap_err().to_string();
        assert!(error.contains(what), "{error}");
    }
    assert!(document.undo().is_some() && document.undo().is_some());
    assert_eq!(document.text(), text, "undo gives the same bytes");
}
