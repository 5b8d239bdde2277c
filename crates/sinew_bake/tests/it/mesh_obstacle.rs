//! Obstacles from mesh files: they hold, carry and turn bodies as shapes do.

use sinew_bake::{BuildError, build};
use sinew_math::DVec3;
use sinew_scene::Document;
use std::fmt::Write as _;
use std::path::Path;

/// A box as an OBJ file, every length in centimetres.
fn box_obj(half_cm: [f64; 3]) -> String {
    let mut obj = String::new();
    for n in 0..8 {
        let side = |bit: usize| if n >> bit & 1 == 1 { 1.0 } else { -1.0 };
        let [x, y, z] = [0, 1, 2].map(|axis| side(axis) * half_cm[axis]);
        let _ = writeln!(obj, "v {x} {y} {z}");
    }
    for [a, b, c, d] in [[1, 3, 4, 2], [5, 6, 8, 7], [1, 2, 6, 5], [3, 7, 8, 4], [1, 5, 7, 3], [2, 4, 8, 6]] {
        let _ = writeln!(obj, "f {a} {b} {c}\nf {a} {c} {d}");
    }
    obj
}

/// Where a soft cube is after two seconds over an obstacle: its lowest and its middle height.
#[allow(clippy::unwrap_used, reason = "a test's own scene")]
fn settled(obstacle: &str, solver: &str, folder: &Path) -> (f64, DVec3) {
    let text = format!(
        "sinew = 1\n[scene]\nframes = [1, 48]\n[[body]]\nname = \"cube\"\nskin = {{ model = \"bar\", size = [0.3, 0.3, 0.3] }}\n\
         flesh = {{ kind = \"tets\", vertices = 60 }}\nmaterial = {{ preset = \"rubber\" }}\nat = [0.0, 0.4, 0.0]\nsolver = {{ kind = \"{solver}\" }}\n\
         [[obstacle]]\n{obstacle}\n"
    );
    let document = Document::parse(&text, "mesh").unwrap();
    let mut built = build(document.scene(), folder, 1).unwrap();
    let mut state = built.stage.first_state();
    for _ in 0..47 * 4 {
        built.stage.step(&mut state, &[]).unwrap();
    }
    let x = &state.bodies[0].x;
    let lowest = x.iter().map(|x| x.y).fold(f64::INFINITY, f64::min);
    (lowest, x.iter().sum::<DVec3>() / x.len() as f64)
}

#[test]
fn a_box_from_a_file_carries_what_the_box_carries() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("box.obj"), box_obj([40.0, 10.0, 40.0])).unwrap();
    for solver in ["shape_matching", "fem", "springs"] {
        let (exact, _) = settled("shape = \"box\"\nsize = [0.8, 0.2, 0.8]", solver, folder.path());
        let (meshed, _) = settled("shape = \"mesh\"\nmesh = \"box.obj\"\nunit = \"cm\"", solver, folder.path());
        assert!((exact - 0.1).abs() < 0.01, "{solver}: it lies on the box: {exact}");
        assert!((meshed - exact).abs() < 2e-3, "{solver}: {meshed} m for {exact} m");
    }
}

#[test]
fn a_keyed_mesh_lifts_what_lies_on_it() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("box.obj"), box_obj([40.0, 10.0, 40.0])).unwrap();
    let lift = "shape = \"mesh\"\nmesh = \"box.obj\"\nunit = \"cm\"\nat = [0.0, [[1, 0.0], [24, 0.0], [44, 0.6]], 0.0]";
    let (lowest, _) = settled(lift, "shape_matching", folder.path());
    assert!((lowest - 0.7).abs() < 0.02, "{lowest} m");
}

/// A spike between the vertices of a body: only its own edges can find the body.
#[test]
fn a_spike_of_a_mesh_does_not_run_through_a_face() {
    let folder = tempfile::tempdir().unwrap();
    let spike =
        "v -0.2 -0.5 -0.2\nv 0.2 -0.5 -0.2\nv 0.0 -0.5 0.25\nv 0.017 0.1 0.013\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n";
    std::fs::write(folder.path().join("spike.obj"), spike).unwrap();
    let text = "sinew = 1\n[scene]\nframes = [1, 20]\n[[body]]\nname = \"plate\"\nskin = { model = \"bar\", size = [1.2, 0.2, 1.2] }\n\
         flesh = { kind = \"tets\", vertices = 30 }\nmaterial = { preset = \"rubber\", young_pa = 1e6 }\nat = [0.0, 0.4, 0.0]\nsolver = { kind = \"fem\" }\n\
         [[obstacle]]\nshape = \"mesh\"\nmesh = \"spike.obj\"\n";
    let document = Document::parse(text, "spike").unwrap();
    let mut built = build(document.scene(), folder.path(), 1).unwrap();
    let mut state = built.stage.first_state();
    let mut lowest = f64::INFINITY;
    for _ in 0..19 * 4 {
        built.stage.step(&mut state, &[]).unwrap();
        let x = &state.bodies[0].x;
        lowest = lowest.min((x.iter().sum::<DVec3>() / x.len() as f64).y);
    }
    // In free fall it would be 3 m lower.
    assert!(lowest > 0.1, "its middle came down to {lowest} m over a spike that ends at 0.1 m");
}

#[test]
fn a_file_that_is_missing_is_named() {
    let text = "sinew = 1\n[[body]]\nname = \"cube\"\nskin = { model = \"bar\" }\n[[obstacle]]\nshape = \"mesh\"\nmesh = \"no.obj\"\n";
    let document = Document::parse(text, "missing").unwrap();
    let Err(BuildError::Scene { at, what, .. }) = build(document.scene(), Path::new("."), 1) else { panic!("built") };
    assert!(at == "obstacle[0].mesh" && what.contains("no.obj"), "{at}: {what}");
}
