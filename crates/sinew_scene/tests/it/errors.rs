//! What is wrong with a scene is said with its place, what it is, and what would be right (rules P1 to P7 of SPEC.md).

use sinew_scene::{Problem, Scene, SceneError};

const BASE: &str = r#"sinew = 1

[scene]
fps = 24
frames = [1, 96]

[[body]]
name = "jelly"
skin = { model = "bar", size = [1.0, 0.2, 0.2] }
at = [0.0, 1.0, 0.0]
material = { preset = "jelly", young_pa = 2.0e4 }
friction = 0.5
flesh = { kind = "tets", vertices = 315 }
solver = { kind = "shape_matching", iterations = 2 }
sets.left = { side = "-x", within = 0.05 }

[[body.director]]
name = "swim"
kind = "muscle"
period = 1.2
primary = [[0.0, 1.0], [0.3, 0.65]]
fibres = { around = "y" }
weight = [[1, 0.0], [12, 1.0]]

[[body.director]]
name = "pull"
kind = "goal"
on = "left"
move = [0.0, 0.1, 0.0]

[camera]
eye = [0.0, 1.0, 3.0]
"#;

/// The problems of the base scene with one piece of text replaced.
fn problems(old: &str, new: &str) -> Vec<Problem> {
    assert!(BASE.contains(old), "{old:?}");
    match Scene::from_toml(&BASE.replacen(old, new, 1), "test.toml") {
        Ok(_) => panic!("{new:?} was accepted"),
        Err(error) => error.problems,
    }
}

#[test]
fn the_base_scene_is_fine() {
    Scene::from_toml(BASE, "test.toml").unwrap();
}

/// (text to replace, its replacement, part of the message, part of the help, the text that is underlined)
const CASES: &[(&str, &str, &str, &str, &str)] = &[
    // Unknown and misspelt names.
    ("fps = 24", "fsp = 24", "unknown key `fsp`", "`fps`", "fsp"),
    ("friction", "frction", "unknown key `frction`", "`friction`", "frction"),
    ("young_pa", "youngs", "unknown key `youngs`", "`young_pa`", "youngs"),
    ("[camera]", "[kamera]", "unknown key `kamera`", "`camera`", "kamera"),
    ("iterations", "iteration", "unknown key `iteration`", "`iterations`", "iteration"),
    ("on = \"left\"", "on = \"left\"\nwieght = 1.0", "unknown key `wieght`", "`weight`", "wieght"),
    ("model = \"bar\"", "model = \"brr\"", "unknown model \"brr\"", "`bar`", "\"brr\""),
    ("model = \"bar\"", "mdoel = \"bar\"", "unknown key `mdoel`", "`model`", "mdoel"),
    ("preset = \"jelly\"", "preset = \"jello\"", "unknown preset", "`jelly`", "\"jello\""),
    ("\"shape_matching\"", "\"shape_maching\"", "unknown kind", "`shape_matching`", "\"shape_maching\""),
    ("kind = \"goal\"", "kind = \"gaol\"", "unknown kind", "`goal`", "\"gaol\""),
    ("on = \"left\"", "on = \"lfet\"", "no set called \"lfet\"", "`left`", "\"lfet\""),
    ("around = \"y\"", "around = \"up\"", "unknown around", "x, -x, y, -y, z, -z", "\"up\""),
    ("side = \"-x\"", "sdie = \"-x\"", "unknown key `sdie`", "`side`", "sdie"),
    // What comes later is said plainly.
    ("kind = \"tets\", vertices = 315", "kind = \"nodes\", count = 60", "\"nodes\" comes later", "tets", "\"nodes\""),
    ("\"shape_matching\", iterations = 2", "\"meshless\"", "\"meshless\" comes later", "fem", "\"meshless\""),
    ("kind = \"goal\"", "kind = \"rig\"", "\"rig\" comes later", "pin", "\"rig\""),
    // Copies.
    ("friction = 0.5", "copies = { count = 3 }", "not said where copies stand", "`box`", "{ count = 3 }"),
    (
        "friction = 0.5",
        "copies = { grid = [2, 1, 1], spacing = 1.0, box = [1, 1, 1] }",
        "said twice",
        "one of",
        "{ grid = [2, 1, 1], spacing = 1.0, box = [1, 1, 1] }",
    ),
    ("friction = 0.5", "copies = { grid = [2, 1, 1] }", "needs a spacing", "spacing = 0.5", "{ grid = [2, 1, 1] }"),
    ("friction = 0.5", "copies = { box = [1, 1, 1] }", "how many copies", "count = 12", "{ box = [1, 1, 1] }"),
    ("friction = 0.5", "copies = { count = 2, box = [1, 1, 1], shift = [1, 0, 0] }", "no effect", "`box`", "[1, 0, 0]"),
    ("friction = 0.5", "copies = { places = [[0, 0, 0]], gap = 0.1 }", "no effect", "`ring`", "0.1"),
    (
        "friction = 0.5",
        "copies = { count = 2, ring = { inner = 2.0, outer = 1.0 } }",
        "inside out",
        "at most `outer`",
        "{ inner = 2.0, outer = 1.0 }",
    ),
    // Responses.
    ("period = 1.2", "period = 1.2\nrespond = {}", "`to` is missing", "responds to", "{}"),
    (
        "period = 1.2",
        "period = 1.2\nrespond = { to = [\"contact\"], touches = [{ frame = 3, at = [0, 0, 0] }] }",
        "touches have no effect",
        "to = [\"touch\"]",
        "[{ frame = 3, at = [0, 0, 0] }]",
    ),
    ("period = 1.2", "period = 1.2\nrespond = { to = [\"poke\"] }", "unknown to \"poke\"", "touch", "\"poke\""),
    // Paint.
    (
        "period = 1.2",
        "period = 1.2\nlayer = [{ fill = \"flat\", at = [0, 0, 0], value = 1.5 }]",
        "1.5 is out of bounds",
        "from 0 to 1",
        "1.5",
    ),
    (
        "period = 1.2",
        "period = 1.2\nlayer = [{ fill = \"face\", at = [0, 0, 0], angle = 3, value = 1 }]",
        "one face has no angle",
        "flat",
        "3",
    ),
    (
        "period = 1.2",
        "period = 1.2\nlayer = [{ stroke = [[0, 0]], value = 1 }]",
        "a list of 3, found a list of 2",
        "",
        "[0, 0]",
    ),
    ("period = 1.2", "period = 1.2\nlayer = [{ value = 1 }]", "`stroke` is missing", "line", "{ value = 1 }"),
    (
        "around = \"y\"",
        "strokes = [[[0, 0, 0], [0, 0, 0]]]",
        "no direction",
        "two different points",
        "[[0, 0, 0], [0, 0, 0]]",
    ),
    ("around = \"y\"", "around = \"y\", stroke = []", "unknown key `stroke`", "`strokes`", "stroke"),
    (
        "period = 1.2",
        "period = 1.2\nphase = { along = \"x\", paint = [{ stroke = [[0, 0, 0]], value = 0, to = 2 }] }",
        "2 is out of bounds",
        "from 0 to 1",
        "2",
    ),
    (
        "period = 1.2",
        "period = 1.2\namplitude = { paint = [{ fill = \"flt\", at = [0, 0, 0], value = -1 }] }",
        "unknown fill \"flt\"",
        "`flat`",
        "\"flt\"",
    ),
    // Wrong types and counts.
    ("fps = 24", "fps = \"24\"", "expected a whole number", "", "\"24\""),
    ("fps = 24", "fps = -24", "from 1 to 1000, found -24", "", "-24"),
    ("fps = 24", "fps = [24000, 0]", "found 0", "", "0"),
    ("vertices = 315", "vertices = -3", "from 4 to", "", "-3"),
    ("vertices = 315", "vertices = 3.5", "whole number", "", "3.5"),
    ("iterations = 2", "iterations = 99999999999", "from 0 to 1000", "", "99999999999"),
    ("at = [0.0, 1.0, 0.0]", "at = [0.0, 1.0]", "a list of 3, found a list of 2", "", "[0.0, 1.0]"),
    ("at = [0.0, 1.0, 0.0]", "at = 3", "expected a list of 3", "", "3"),
    ("name = \"jelly\"", "name = 1979-05-27", "found a date", "", "1979-05-27"),
    ("name = \"jelly\"", "name = \"je lly\"", "letters, digits, _ and -", "", "\"je lly\""),
    ("fps = 24", "fps = 24\n[scene.substeps]", "expected a whole number", "", "[scene.substeps]"),
    (
        "solver = { kind = \"shape_matching\", iterations = 2 }",
        "solver = { iterations = 2 }",
        "`kind` is missing",
        "fem",
        "{ iterations = 2 }",
    ),
    ("kind = \"goal\"\n", "", "`kind` is missing", "muscle, rest_shape", "[[body.director]]"),
    ("name = \"jelly\"\n", "", "`name` is missing", "", "[[body]]"),
    ("period = 1.2\n", "", "`period` is missing", "Seconds", "[[body.director]]"),
    // Numbers.
    ("at = [0.0, 1.0, 0.0]", "at = [0.0, nan, 0.0]", "NaN is not a finite number", "", "nan"),
    ("at = [0.0, 1.0, 0.0]", "at = [0.0, -inf, 0.0]", "not a finite number", "", "-inf"),
    ("at = [0.0, 1.0, 0.0]", "at = [0.0, 1e300, 0.0]", "1e300 is too large", "1e15", "1e300"),
    ("eye = [0.0, 1.0, 3.0]", "eye = [0.0, [[1, nan]], 3.0]", "not a finite", "", "nan"),
    ("young_pa = 2.0e4", "young_pa = 0", "at least 1, found 0", "", "0"),
    ("friction = 0.5", "friction = -0.5", "found -0.5", "", "-0.5"),
    // Curves and charts.
    ("[12, 1.0]]", "[1, 1.0]]", "keys must rise", "order", "[1, 1.0]"),
    ("[12, 1.0]]", "[12]]", "expected a key", "[frame, value]", "[12]"),
    ("[12, 1.0]]", "[12, 1.0, \"smoth\"]]", "unknown shape", "`smooth`", "\"smoth\""),
    ("[12, 1.0]]", "[12, -1.0]]", "at least 0, found -1", "", "[[1, 0.0], [12, -1.0]]"),
    ("weight = [[1, 0.0], [12, 1.0]]", "weight = []", "at least one key", "", "[]"),
    (
        "weight = [[1, 0.0], [12, 1.0]]",
        "weight = { keys = [[1, 0]], outside = { cycle = 0 } }",
        "positive length",
        "",
        "{ cycle = 0 }",
    ),
    ("period = 1.2", "period = [[1, 1.2], [24, 0.0]]", "from 0.001 to 1000000, found 0", "", "[[1, 1.2], [24, 0.0]]"),
    (
        "period = 1.2",
        "period = { keys = [[1, 1.2]], outside = \"zero\" }",
        "0 outside its keys",
        "cycle",
        "{ keys = [[1, 1.2]], outside = \"zero\" }",
    ),
    ("period = 1.2", "period = 1.2\namplitude = { alog = \"x\" }", "unknown key `alog`", "`along`", "alog"),
    (
        "period = 1.2",
        "period = 1.2\namplitude = [[1, 0.0], [9, 2.0]]",
        "from -1 to 1, found 2",
        "",
        "[[1, 0.0], [9, 2.0]]",
    ),
    ("[0.3, 0.65]]", "[1.3, 0.65]]", "outside the period", "", "[1.3, 0.65]"),
    ("[0.3, 0.65]]", "[0.3, 0.0]]", "the rate 0 is out of bounds", "rate_limit", "[0.3, 0.0]"),
    ("[0.3, 0.65]]", "[0.3, 9.0]]", "the rate 9 is out of bounds", "rate_limit", "[0.3, 9.0]"),
    // Meaning.
    ("frames = [1, 96]", "frames = [96, 1]", "backwards", "[1, 96]", "[96, 1]"),
    ("frames = [1, 96]", "frames = [7, 7]", "no motion", "", "[7, 7]"),
    ("frames = [1, 96]", "frames = [1, 2000000000]", "too many", "", "[1, 2000000000]"),
    ("name = \"pull\"", "name = \"swim\"", "already a director called \"swim\"", "its own name", "\"swim\""),
    ("move = [0.0, 0.1, 0.0]", "", "needs `move` or `to`", "move =", "[[body.director]]"),
    (
        "friction = 0.5",
        "friction = { forward = 0.1, backward = 0.9, along = \"fibers\" }",
        "unknown along",
        "`fibres`",
        "\"fibers\"",
    ),
    ("period = 1.2", "period = 1.2\nsecondary = [[0.0, 1.0]]", "no effect", "volume", "[[0.0, 1.0]]"),
    (
        "fibres = { around = \"y\" }",
        "fibres = { around = \"y\" }\nphase = { along = \"y\", to = 2.0 }",
        "out of bounds",
        "from 0 to 1",
        "2.0",
    ),
    ("eye = [0.0, 1.0, 3.0]", "fov_deg = 40\nlens_mm = 50", "both given", "keep one", "50"),
    ("eye = [0.0, 1.0, 3.0]", "eye = [0.0, 0.5, 0.0]", "looks at itself", "", ""),
    (
        "within = 0.05 }",
        "within = 0.05 }\nsets.all = { all = true }",
        "without saying so",
        "another name",
        "{ all = true }",
    ),
    // Versions and syntax.
    ("sinew = 1", "sinew = 2", "version 2", "newer sinew", "2"),
    ("sinew = 1", "sinew = 0", "expected a version number", "sinew = 1", "0"),
    ("sinew = 1\n", "", "which version", "sinew = 1", ""),
    ("[scene]", "[scene", "not TOML", "", ""),
];

#[test]
fn p1_every_problem_says_what_where_and_what_would_be_right() {
    let mut wrong = String::new();
    for (old, new, message, help, underlined) in CASES {
        let text = BASE.replacen(old, new, 1);
        let found = problems(old, new);
        let told = found.len() == 1 && {
            let problem = &found[0];
            let span = problem.span.clone().unwrap_or_default();
            let shown = underlined.is_empty() || &text[span.clone()] == *underlined;
            problem.message.contains(message)
                && problem.help.as_deref().unwrap_or("").contains(help)
                && problem.line == Some(text[..span.start].matches('\n').count() as u32 + 1)
                && shown
        };
        if !told {
            wrong += &format!("{old:?} → {new:?} gave {found:#?}\n");
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn p9_what_comes_later_is_said_with_what_to_use_today() {
    let later: Vec<_> = CASES.iter().filter(|case| case.2.contains("comes later")).collect();
    assert!(later.len() >= 2);
    for (old, new, ..) in later {
        let found = problems(old, new);
        assert!(found[0].help.as_deref().is_some_and(|help| help.contains("not there yet")), "{new}: {found:?}");
    }
}

#[test]
fn p2_several_mistakes_are_reported_at_once_in_the_order_of_the_text() {
    let text = BASE.replace("fps", "fsp").replace("\"jelly\", young", "\"jely\", young").replace("\"-x\"", "\"w\"");
    let error = Scene::from_toml(&text, "three.toml").unwrap_err();
    let lines: Vec<_> = error.problems.iter().filter_map(|problem| problem.line).collect();
    assert_eq!(lines, [4, 11, 15]);
    let text = BASE.replace("[1, 96]", "[96, 1]").replace("on = \"left\"", "on = \"right\"");
    assert_eq!(Scene::from_toml(&text, "two.toml").unwrap_err().problems.len(), 2);
}

#[test]
fn p3_two_bodies_of_one_name_are_refused() {
    let text = format!("{BASE}\n[[body]]\nname = \"jelly\"\nskin = {{ model = \"bell\" }}\n");
    let error = Scene::from_toml(&text, "twins.toml").unwrap_err();
    assert!(error.to_string().contains("already a body called \"jelly\""), "{error}");
    assert_eq!(error.problems[0].path, "body[1].name");
}

#[test]
fn p4_flesh_that_a_solver_cannot_use_is_refused_with_the_right_kind() {
    let cloth = |flesh: &str, solver: &str| {
        let body = format!("name = \"c\"\nskin = {{ model = \"cloth\" }}\n{flesh}\nsolver = {{ kind = \"{solver}\" }}");
        Scene::from_toml(&format!("sinew = 1\n[[body]]\n{body}\n"), "cloth.toml")
    };
    let shell = "flesh = { kind = \"shell\", vertices = 100 }";
    assert!(cloth(shell, "shape_matching").is_ok());
    assert!(cloth(shell, "fem").unwrap_err().to_string().contains("fem needs flesh of tets"));
    assert!(cloth("", "shape_matching").unwrap_err().to_string().contains("kind = \"shell\""));
}

#[test]
fn p5_the_renderer_shows_the_line_and_underlines_the_place() {
    let error = Scene::from_toml(&BASE.replace("iterations", "iteratoins"), "wobble.toml").unwrap_err();
    let expected = "\
wobble.toml:14:37: unknown key `iteratoins`
 14 | solver = { kind = \"shape_matching\", iteratoins = 2 }
    |                                     ^^^^^^^^^^
  help: did you mean `iterations`?
";
    assert_eq!(error.to_string(), expected);
}

#[test]
fn p6_errors_are_json_as_well() {
    let error: SceneError = Scene::from_toml(&BASE.replace("fps = 24", "fps = 0"), "zero.toml").unwrap_err();
    let json = serde_json::to_value(&error).unwrap();
    assert_eq!(json["file"], "zero.toml");
    assert_eq!(json["problems"][0]["path"], "scene.fps");
    assert_eq!((json["problems"][0]["line"].as_u64(), json["problems"][0]["column"].as_u64()), (Some(4), Some(7)));
}

#[test]
fn p7_no_text_makes_the_reader_panic() {
    // Every prefix, and every byte of the base scene replaced by each of a few troublesome ones.
    for end in 0..BASE.len() {
        let _ = Scene::from_toml(&BASE[..end], "cut.toml").map_err(|error| error.to_string());
    }
    for at in 0..BASE.len() {
        for wrong in ["\"", "[", "}", "=", "\n", "-", "é", "\0", "9"] {
            let text = format!("{}{wrong}{}", &BASE[..at], &BASE[at + 1..]);
            let _ = Scene::from_toml(&text, "bent.toml").map_err(|error| error.to_string());
        }
    }
}

#[test]
fn p8_deep_nesting_is_an_error_and_no_overflow() {
    let deep = format!("sinew = 1\nx = {}{}", "[".repeat(100_000), "]".repeat(100_000));
    assert!(Scene::from_toml(&deep, "deep.toml").is_err());
}
