//! Every animation that is written comes back by our own readers, at its first, a middle and its last frame.

use crate::wobble::{Wobble, largest_gap, write};
use sinew_io::{Cache, Clip, GlbOptions, WriteOptions, read_cache, write_clip};
use tempfile::tempdir;

fn check(cache: &Cache, clip: &Wobble, body: usize, frame_count: usize, allowed: f64) -> f64 {
    let info = &clip.info().bodies[body];
    assert_eq!(cache.frame_count(), frame_count);
    let mut worst = 0.0f64;
    for frame in [0, frame_count / 2, frame_count - 1] {
        let mut points = Vec::new();
        cache.frame(frame, &mut points);
        // Further sides of seams come after the body's own vertices.
        let gap = largest_gap(&points[..info.vertex_count], &clip.points(body, frame));
        assert!(gap <= allowed, "{} frame {frame}: {gap} m", info.name);
        assert!(
            (cache.times_secs[frame] - cache.times_secs[0] - clip.info().secs(frame)).abs()
                < 2e-3 * (1.0 + frame as f64 / 24.0)
        );
        worst = worst.max(gap);
    }
    worst
}

#[test]
fn mdd_and_pc2_come_back_exactly_with_a_mesh_beside_each() {
    let folder = tempdir().unwrap();
    for extension in ["mdd", "pc2"] {
        let mut clip = Wobble::new(40);
        let written = write(&mut clip, &folder.path().join(format!("a.{extension}")));
        assert_eq!(written.files.len(), 4);
        for (body, name) in ["ball-1", "sheet"].iter().enumerate() {
            let path = folder.path().join(format!("a-{name}.{extension}"));
            let caches = read_cache(&path).unwrap();
            check(&caches[0], &clip, body, 40, 0.0);
            let mesh = sinew_io::read_surface(path.with_extension("obj")).unwrap();
            assert_eq!(mesh.triangles, clip.info().bodies[body].triangles);
            assert_eq!(mesh.corner_uvs, clip.info().bodies[body].corner_uvs);
        }
        let mut one = Wobble::new(3).only(0);
        write(&mut one, &folder.path().join(format!("one.{extension}")));
        assert!(folder.path().join(format!("one.{extension}")).exists() && folder.path().join("one.obj").exists());
    }
}

#[test]
fn usda_comes_back_with_names_triangles_and_frames() {
    let folder = tempdir().unwrap();
    let mut clip = Wobble::new(30);
    let path = folder.path().join("a.usda");
    write(&mut clip, &path);
    let caches = read_cache(&path).unwrap();
    assert_eq!(caches.iter().map(|cache| cache.name.as_str()).collect::<Vec<_>>(), ["ball_1", "sheet"]);
    for (body, cache) in caches.iter().enumerate() {
        check(cache, &clip, body, 30, 0.0);
        assert_eq!((cache.first_frame, &cache.triangles), (Some(1), &clip.info().bodies[body].triangles));
    }
}

#[test]
fn a_short_glb_is_exact() {
    let folder = tempdir().unwrap();
    for frame_count in [1, 2, 48] {
        let mut clip = Wobble::new(frame_count);
        let path = folder.path().join("a.glb");
        write(&mut clip, &path);
        for (body, cache) in read_cache(&path).unwrap().iter().enumerate() {
            check(cache, &clip, body, frame_count, 1e-6 * clip.size(body));
            assert_eq!(cache.name, clip.info().bodies[body].name);
        }
    }
}

#[test]
fn a_long_glb_keeps_the_bound_that_it_states() {
    let folder = tempdir().unwrap();
    let path = folder.path().join("a.glb");
    for (bound, normals) in [(1e-3, true), (1e-4, false)] {
        let mut clip = Wobble::new(150);
        let options = WriteOptions { glb: GlbOptions { bound, normals, ..GlbOptions::default() } };
        let written = write_clip(&mut clip, &path, &options).unwrap();
        assert!(written.notes.is_empty(), "{:?}", written.notes);
        let bytes = std::fs::read(&path).unwrap();
        let length = u32::from_le_bytes(bytes[12..16].try_into().unwrap()) as usize;
        let json: serde_json::Value = serde_json::from_slice(&bytes[20..20 + length]).unwrap();
        for (body, cache) in read_cache(&path).unwrap().iter().enumerate() {
            let stated = &json["asset"]["extras"]["sinew"]["bodies"][&clip.info().bodies[body].name];
            let (error, size) = (stated["error_m"].as_f64().unwrap(), stated["size_m"].as_f64().unwrap());
            let targets = stated["targets"].as_u64().unwrap();
            assert!(error <= bound * size && (3..60).contains(&targets), "{stated}");
            let mut worst = 0.0f64;
            for frame in 0..150 {
                let mut points = Vec::new();
                cache.frame(frame, &mut points);
                let vertices = clip.info().bodies[body].vertex_count;
                worst = worst.max(largest_gap(&points[..vertices], &clip.points(body, frame)));
            }
            assert!(worst <= error, "{worst} m, stated {error} m");
            assert!(worst > 0.1 * error, "the stated error {error} m is far from the real one, {worst} m");
        }
    }
}

#[test]
fn too_few_targets_are_said_and_still_stated_truly() {
    let folder = tempdir().unwrap();
    let path = folder.path().join("a.glb");
    let mut clip = Wobble::new(100).only(0);
    let options = WriteOptions { glb: GlbOptions { max_targets: 2, ..GlbOptions::default() } };
    let written = write_clip(&mut clip, &path, &options).unwrap();
    assert!(written.notes[0].contains("2 morph targets leave an error of"), "{:?}", written.notes);
    let cache = &read_cache(&path).unwrap()[0];
    assert!(check(cache, &clip, 0, 100, 0.5) > 1e-3);
}

/// Claims to be large, and is never asked for a point.
struct Large(sinew_io::ClipInfo);

impl Clip for Large {
    fn info(&self) -> &sinew_io::ClipInfo {
        &self.0
    }

    fn skin(&mut self, _: usize, _: usize, _: &mut Vec<[f32; 3]>) -> Result<(), sinew_io::clip::SourceError> {
        panic!("the size is known before any frame is");
    }
}

#[test]
fn a_glb_beyond_2_gib_is_refused_before_it_is_made() {
    let folder = tempdir().unwrap();
    let mut info = Wobble::new(64).only(0).info().clone();
    info.bodies[0].vertex_count = 3_000_000;
    let refused = write_clip(&mut Large(info), &folder.path().join("a.glb"), &WriteOptions::default()).unwrap_err();
    let said = refused.to_string();
    assert!(said.contains("would have 46") && said.contains("export fewer frames or coarser skins"), "{said}");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn a_point_that_is_not_finite_is_named_and_leaves_no_file() {
    struct Broken(Wobble);
    impl Clip for Broken {
        fn info(&self) -> &sinew_io::ClipInfo {
            self.0.info()
        }

        fn skin(
            &mut self,
            body: usize,
            frame: usize,
            out: &mut Vec<[f32; 3]>,
        ) -> Result<(), sinew_io::clip::SourceError> {
            self.0.skin(body, frame, out)?;
            if frame == 2 {
                out[5][1] = f32::NAN;
            }
            Ok(())
        }
    }
    for extension in ["glb", "usda", "mdd", "pc2"] {
        let folder = tempdir().unwrap();
        let mut clip = Broken(Wobble::new(4).only(0));
        let path = folder.path().join(format!("a.{extension}"));
        let refused = write_clip(&mut clip, &path, &WriteOptions::default()).unwrap_err();
        assert_eq!(refused.to_string(), "body \"ball-1\", frame 3: vertex 5 is not a finite number");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0, "{extension}");
    }
}

#[test]
fn what_cannot_be_written_is_named() {
    let folder = tempdir().unwrap();
    let mut clip = Wobble::new(2);
    let refused = |clip: &mut Wobble, name: &str| {
        let options = WriteOptions::default();
        write_clip(clip, &folder.path().join(name), &options).unwrap_err().to_string()
    };
    assert!(refused(&mut clip, "a.fbx").contains(".glb, .usda"));
    assert!(refused(&mut clip, "none/a.glb").contains("cannot write"));
    assert!(refused(&mut Wobble::new(0), "a.glb").contains("no frames"));
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}
