//! Surfaces that users bring and that are wrong, thin, tiny, huge or odd: `sinew mesh` and `sinew bake` say so clearly, or do
//! the right thing; never a panic.

use crate::beside::within_processor_secs;
use crate::program::{fails, json, write};
use std::path::Path;
use tempfile::tempdir;

/// A closed box from `low` to `high` as OBJ, its vertices counted from `first`.
fn cuboid(low: [f64; 3], high: [f64; 3], first: usize) -> String {
    let mut text = String::new();
    for corner in 0..8usize {
        let at = |axis: usize| if corner >> axis & 1 == 1 { high[axis] } else { low[axis] };
        text.push_str(&format!("v {:e} {:e} {:e}\n", at(0), at(1), at(2)));
    }
    const FACES: [[usize; 4]; 6] = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    for [a, b, c, d] in FACES.map(|face| face.map(|corner| corner + first)) {
        text.push_str(&format!("f {a} {b} {c}\nf {a} {c} {d}\n"));
    }
    text
}

fn scene(mesh: &str, vertices: u32) -> String {
    format!(
        "sinew = 1\n[scene]\nframes = [1, 3]\n[[body]]\nname = \"a\"\nskin = {{ mesh = \"{mesh}\" }}\nflesh = {{ kind = \"tets\", vertices = {vertices} }}\n"
    )
}

/// Both commands refuse the file, name it, and say `why`.
fn refused(folder: &Path, name: &str, content: &str, why: &str) {
    write(folder, name, content);
    write(folder, "scene.toml", &scene(name, 200));
    for words in [&["mesh", name, "-o", "a.msh"][..], &["bake", "scene.toml", "-o", "a.take"]] {
        let said = fails(folder, 1, words);
        assert!(said.contains(name) && said.contains(why) && said.contains("help:"), "{words:?}: {said}");
    }
    assert!(!folder.join("a.msh").exists() && !folder.join("a.take").exists(), "nothing is left behind");
}

#[test]
fn files_without_a_body_are_refused_with_the_reason() {
    let folder = tempdir().unwrap();
    let path = folder.path();
    refused(path, "empty.obj", "", "no faces");
    refused(path, "empty.off", "", "OFF");
    refused(path, "cut.off", "OFF\n4 4 0\n0 0 0\n1 0 0\n", "line");
    refused(path, "nan.obj", "v 0 0 0\nv 1 nan 0\nv 0 1 0\nf 1 2 3\n", "line 2");
    refused(path, "range.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 9\n", "vertex 9");
    refused(path, "triangle.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n", "thinner than a cell, or encloses nothing");
    refused(path, "point.obj", "v 1 1 1\nv 1 1 1\nv 1 1 1\nf 1 2 3\n", "no size");
    refused(path, "wrong.stl", "OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n", "an OFF file");
}

#[test]
fn a_micrometre_and_a_thousand_kilometres_are_bodies_like_any_other() {
    let folder = tempdir().unwrap();
    for size in [1e-6, 1e6] {
        write(folder.path(), "box.obj", &cuboid([0.0; 3], [size, 2.0 * size, size], 1));
        for graded in [None, Some("--graded")] {
            let words: Vec<&str> =
                ["mesh", "box.obj", "-o", "a.msh", "--vertices", "600", "--json"].into_iter().chain(graded).collect();
            let made = json(folder.path(), &words);
            let held = json(folder.path(), &["info", "a.msh", "--json"]);
            let volume = held["volume"].as_f64().unwrap() / (2.0 * size.powi(3));
            assert!((volume - 1.0).abs() < 0.06, "{size}: {volume} of the volume");
            assert!(made["dihedral_deg"]["min"].as_f64().unwrap() >= 10.7, "{made}");
            let count = held["vertices"].as_u64().unwrap();
            assert!(count.abs_diff(600) <= 60, "{count}");
        }
    }
}

/// Faces without area, a hole, a doubled wall: a body all the same, and the report says what was done.
#[test]
fn dirty_surfaces_become_bodies_and_the_report_says_so() {
    let folder = tempdir().unwrap();
    let whole = cuboid([0.0; 3], [1.0; 3], 1);
    let without_last = whole.trim_end().rsplit_once('\n').unwrap().0;
    write(folder.path(), "dirty.obj", &format!("{without_last}\nf 1 2 2\nf 3 3 3\n"));
    let made = json(folder.path(), &["mesh", "dirty.obj", "-o", "a.msh", "--vertices", "500", "--json"]);
    let surface = &made["report"]["surface"];
    assert_eq!((surface["holes"].as_u64(), surface["flat_triangles"]["count"].as_u64()), (Some(1), Some(2)), "{made}");
    assert!((made["volume"].as_f64().unwrap() - 1.0).abs() < 0.1, "{made}");
}

#[test]
fn what_is_lost_between_cells_is_a_warning_of_mesh_check_and_bake() {
    let folder = tempdir().unwrap();
    let path = folder.path();
    // A block with a thin fin on it, which `mesh` loses and the flesh of a scene keeps.
    let fin = cuboid([0.0; 3], [1.0; 3], 1) + &cuboid([0.4, 0.9, 0.498], [0.6, 2.0, 0.502], 9);
    write(path, "fin.obj", &fin);
    let made = json(path, &["mesh", "fin.obj", "-o", "a.msh", "--vertices", "300", "--json"]);
    let warnings = made["warnings"].as_array().unwrap();
    assert!(warnings.iter().any(|w| w["kind"] == "thin" && w["first"].is_array()), "{made}");
    write(path, "scene.toml", &scene("fin.obj", 300));
    assert_eq!(json(path, &["check", "scene.toml", "--json"])["warnings"].as_array().unwrap().len(), 0);
    // A block with a slit, which closes in both.
    let halves = [cuboid([0.0; 3], [0.498, 1.0, 1.0], 1), cuboid([0.502, 0.0, 0.0], [1.0; 3], 9)].concat();
    write(path, "slit.obj", &(halves + &cuboid([0.0, -0.3, 0.0], [1.0, 0.05, 1.0], 17)));
    write(path, "scene.toml", &scene("slit.obj", 300));
    for words in [&["check", "scene.toml", "--json"][..], &["bake", "scene.toml", "-o", "a.take", "--json"]] {
        let said = json(path, words);
        let gap = said["warnings"].as_array().unwrap().iter().find(|w| w["at"] == "body.a.skin").unwrap();
        assert!(gap["what"].as_str().unwrap().contains("gaps narrower than a cell"), "{said}");
    }
    write(path, "box.obj", &cuboid([0.0; 3], [1.0; 3], 1));
    write(path, "scene.toml", &scene("box.obj", 300));
    assert_eq!(json(path, &["check", "scene.toml", "--json"])["warnings"].as_array().unwrap().len(), 0);
}

#[test]
fn graded_flesh_is_a_key_of_the_scene() {
    let folder = tempdir().unwrap();
    let path = folder.path();
    write(path, "box.obj", &cuboid([0.0; 3], [1.0; 3], 1));
    let tets = |graded: &str| {
        let text = scene("box.obj", 4000).replace("vertices = 4000", &format!("vertices = 4000{graded}"));
        write(path, "scene.toml", &text);
        let held = json(path, &["info", "scene.toml", "--json"]);
        let points = held["bodies"][0]["points"].as_u64().unwrap();
        assert!(points.abs_diff(4000) <= 400, "{points}");
        held["bodies"][0]["cells"].as_u64().unwrap()
    };
    assert_ne!(tets(""), tets(", graded = true"));
}

/// Small files that are made to be slow: a face of many corners, triangles on each other, keys that nobody knows.
#[test]
fn small_files_take_little_time() {
    let folder = tempdir().unwrap();
    let path = folder.path();
    // A prism: two faces of 16,000 corners, and the wall between them.
    const CORNERS: u32 = 16_000;
    let angle = |n: u32| std::f64::consts::TAU * f64::from(n) / f64::from(CORNERS);
    let ring = |z: u32| (0..CORNERS).map(move |n| format!("v {} {} {z}\n", angle(n).cos(), angle(n).sin()));
    let mut face: String = ring(0).chain(ring(1)).collect();
    let corners = |numbers: &mut dyn Iterator<Item = u32>| numbers.map(|n| format!(" {n}")).collect::<String>();
    face.push_str(&format!("f{}\n", corners(&mut (1..=CORNERS).rev())));
    face.push_str(&format!("f{}\n", corners(&mut (CORNERS + 1..=2 * CORNERS))));
    for n in 0..CORNERS {
        let next = (n + 1) % CORNERS;
        face.push_str(&format!("f {} {} {} {}\n", n + 1, next + 1, CORNERS + next + 1, CORNERS + n + 1));
    }
    write(path, "face.obj", &face);
    write(
        path,
        "same.obj",
        &format!(
            "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n{}",
            "f 1 3 2\n".repeat(24_000)
        ),
    );
    let near: String = (0..6_000)
        .map(|n| {
            format!("v 0 0 0\nv 1 0 0\nv 0 1 {:e}\nf {} {} {}\n", f64::from(n) * 1e-9, 3 * n + 1, 3 * n + 2, 3 * n + 3)
        })
        .collect();
    write(path, "near.obj", &near);
    let keys: String = (0..48_000).map(|n| format!("key{n} = 1\n")).collect();
    write(path, "keys.toml", &format!("sinew = 1\n[scene]\n{keys}"));
    for (words, succeeds) in [
        (&["info", "face.obj"][..], true),
        (&["mesh", "face.obj", "-o", "a.msh", "--vertices", "300"], true),
        (&["info", "same.obj"], true),
        (&["mesh", "same.obj", "-o", "a.msh", "--vertices", "300"], true),
        (&["info", "near.obj"], true),
        (&["mesh", "near.obj", "-o", "a.msh", "--vertices", "300"], false),
        (&["check", "keys.toml"], false),
    ] {
        // Tens of seconds to minutes before.
        let output = within_processor_secs(20.0, &format!("{words:?}"), || crate::program::run(path, words));
        assert_eq!(output.status.success(), succeeds, "{words:?}: {}", crate::program::text(&output.stderr));
    }
}

/// A sheet of half a million vertices, bent to a closed tube with lids.
#[test]
fn half_a_million_vertices_become_a_body() {
    let folder = tempdir().unwrap();
    const AROUND: usize = 1000;
    const ALONG: usize = 500;
    let mut bytes = format!(
        "ply\nformat binary_little_endian 1.0\nelement vertex {}\nproperty float x\nproperty float y\nproperty float z\nelement face {}\n\
         property list uchar int vertex_indices\nend_header\n",
        AROUND * ALONG + 2,
        2 * AROUND * ALONG
    )
    .into_bytes();
    let mut point = |x: f64, y: f64, z: f64| [x, y, z].iter().for_each(|c| bytes.extend((*c as f32).to_le_bytes()));
    for n in 0..AROUND * ALONG {
        let angle = std::f64::consts::TAU * (n % AROUND) as f64 / AROUND as f64;
        point(0.3 * angle.cos(), (n / AROUND) as f64 / (ALONG - 1) as f64, 0.3 * angle.sin());
    }
    point(0.0, 0.0, 0.0);
    point(0.0, 1.0, 0.0);
    let at = |ring: usize, i: usize| (ring * AROUND + i % AROUND) as u32;
    let lids = [(AROUND * ALONG) as u32, (AROUND * ALONG + 1) as u32];
    let mut face = |corners: [u32; 3]| {
        bytes.push(3);
        corners.iter().for_each(|corner| bytes.extend(corner.to_le_bytes()));
    };
    for i in 0..AROUND {
        face([lids[0], at(0, i), at(0, i + 1)]);
        face([lids[1], at(ALONG - 1, i + 1), at(ALONG - 1, i)]);
        for ring in 0..ALONG - 1 {
            face([at(ring, i), at(ring + 1, i), at(ring, i + 1)]);
            face([at(ring, i + 1), at(ring + 1, i), at(ring + 1, i + 1)]);
        }
    }
    std::fs::write(folder.path().join("tube.ply"), &bytes).unwrap();
    let made = json(folder.path(), &["mesh", "tube.ply", "-o", "a.msh", "--vertices", "3000", "--json"]);
    let volume = made["volume"].as_f64().unwrap() / (std::f64::consts::PI * 0.09);
    assert!((volume - 1.0).abs() < 0.05, "{volume} of the volume");
}
