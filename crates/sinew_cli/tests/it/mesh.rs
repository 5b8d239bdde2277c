//! `sinew mesh`: real surfaces become good tetrahedra, bad ones a clear error.

use crate::beside::model;
use crate::program::{fails, json, write};
use tempfile::tempdir;

#[test]
fn real_surfaces_become_tets_within_the_promised_angles() {
    let folder = tempdir().unwrap();
    for (name, vertices) in
        [("armadillo.obj", 5000), ("bunny.off", 2000), ("spot.obj", 3000), ("cow.obj", 8000), ("snail.obj", 2000)]
    {
        let Some(path) = model(name) else { continue };
        let count = vertices.to_string();
        for output in ["a.msh", "a.mesh"] {
            let made =
                json(folder.path(), &["mesh", &path.to_string_lossy(), "-o", output, "--vertices", &count, "--json"]);
            let held = json(folder.path(), &["info", output, "--json"]);
            for key in ["vertices", "tets"] {
                assert_eq!(made[key], held[key], "{name}: {key}");
            }
            let found = held["vertices"].as_u64().unwrap();
            assert!(found.abs_diff(vertices) * 10 <= vertices, "{name}: {found} for {vertices}");
            let (low, high) =
                (held["dihedral_deg"]["min"].as_f64().unwrap(), held["dihedral_deg"]["max"].as_f64().unwrap());
            assert!(low >= 10.7 && high <= 164.8, "{name}: {low} to {high}");
            assert_eq!((held["turned_tets"].as_u64(), held["dropped_vertices"].as_u64()), (Some(0), Some(0)), "{name}");
            assert!((made["volume"].as_f64().unwrap() / held["volume"].as_f64().unwrap() - 1.0).abs() < 1e-9);
        }
    }
}

#[test]
fn a_surface_is_a_body_to_bake() {
    let folder = tempdir().unwrap();
    let path = folder.path();
    // A box of twelve triangles, as a user would write it.
    write(path, "box.obj", BOX);
    json(path, &["new", "project", "--mesh", "box.obj", "--json"]);
    let scene = json(path, &["info", "project", "--json"]);
    let body = &scene["bodies"][0];
    assert_eq!(body["skin_vertices"], 8, "the skin stays the user's: {scene}");
    let points = body["points"].as_u64().unwrap();
    assert!(points.abs_diff(500) <= 50, "the starter asks for 500, the flesh has {points}");
    let baked = json(path, &["bake", "project", "-o", "a.take", "--frames", "1..4", "--json"]);
    assert_eq!(baked["warnings"], serde_json::json!([]));
}

const BOX: &str = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1\nv 1 0 1\nv 1 1 1\nv 0 1 1\n\
    f 1 4 3 2\nf 5 6 7 8\nf 1 2 6 5\nf 4 8 7 3\nf 1 5 8 4\nf 2 3 7 6\n";

#[test]
fn what_cannot_be_filled_is_said() {
    let folder = tempdir().unwrap();
    let path = folder.path();
    let mesh =
        |name: &str, code: i32, more: &[&str]| fails(path, code, &[&["mesh", name, "-o", "out.msh"], more].concat());
    write(path, "empty.obj", "");
    assert!(mesh("empty.obj", 1, &[]).contains("empty.obj"));
    write(path, "one.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    assert!(mesh("one.obj", 1, &[]).contains("encloses nothing"), "{}", mesh("one.obj", 1, &[]));
    write(path, "flat.obj", "v 0 0 0\nv 0 0 0\nv 0 0 0\nf 1 2 3\n");
    assert!(mesh("flat.obj", 1, &[]).contains("no size"));
    write(path, "nan.obj", "v 0 0 nan\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    assert!(mesh("nan.obj", 1, &[]).contains("line 1"));
    write(path, "range.off", "OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 7\n");
    assert!(mesh("range.off", 1, &[]).contains("line 6"));
    write(path, "wrong.off", BOX);
    assert!(mesh("wrong.off", 1, &[]).contains("wrong.off, line 1"));
    assert!(mesh("none.obj", 1, &[]).contains("none.obj"));
    write(path, "box.obj", BOX);
    assert!(mesh("box.obj", 1, &["--cell", "1e-9"]).contains("lattice points"));
    assert!(mesh("box.obj", 1, &["--cell=-1"]).contains("positive"));
    assert!(mesh("box.obj", 1, &["--cell", "9"]).contains("nothing of the body is left"));
    assert!(fails(path, 2, &["mesh", "box.obj", "-o", "out.stl"]).contains(".msh"));
    assert!(fails(path, 1, &["mesh", "box.obj", "-o", "no/such/out.msh"]).contains("no/such"));
    assert!(!path.join("out.msh").exists());
}

#[test]
fn size_does_not_matter_and_holes_are_reported() {
    let folder = tempdir().unwrap();
    let path = folder.path();
    // The lid is missing.
    let open = BOX.replace("f 4 8 7 3\n", "");
    for scale in ["e-6", "e6", ""] {
        let scaled: Vec<String> = open
            .lines()
            .map(|line| match line.strip_prefix("v ") {
                Some(place) => format!("v {}", place.split(' ').map(|n| format!("{n}{scale} ")).collect::<String>()),
                None => line.to_owned(),
            })
            .collect();
        write(path, "open.obj", &scaled.join("\n"));
        let made = json(path, &["mesh", "open.obj", "-o", "out.msh", "--vertices", "1500", "--json"]);
        let size: f64 = format!("1{scale}").parse().unwrap();
        let filled = made["volume"].as_f64().unwrap() / size.powi(3);
        // Winding numbers close the missing lid by a dent: half the solid angle is the surface there.
        assert!((0.6..1.05).contains(&filled), "{filled} of a box of {size}");
        assert_eq!(made["report"]["surface"]["holes"], 1);
        assert!(made["dihedral_deg"]["min"].as_f64().unwrap() >= 10.7);
    }
}
