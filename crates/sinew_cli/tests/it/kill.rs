//! A bake killed at random moments: what was recorded stays readable, and resuming gives the straight run's hash at
//! 1, 2 and 8 threads.

use crate::program::{json, sinew, small_scene, write};
use sinew::bake::take::{FrameView, TakeReader};
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;
use tempfile::tempdir;

/// Of each kind; `cargo xtask kills` asks for more.
fn kills(usually: u32) -> u32 {
    std::env::var("SINEW_KILLS").ok().and_then(|kills| kills.parse().ok()).unwrap_or(usually)
}

const BAKE: [&str; 6] = ["bake", "bar-goal", "--set", "scene.frames=[1, 600]", "--resume", "--json"];

/// The numbers of a linear congruential generator (Knuth, MMIX), so that a failure can be repeated.
struct Moments(u64);

impl Moments {
    fn next(&mut self, below: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % below
    }
}

#[test]
fn a_bake_killed_again_and_again_ends_with_the_hash_of_a_straight_one() {
    let folder = tempdir().unwrap();
    let straight =
        json(folder.path(), &[&BAKE[..], &["-o", "straight.take", "--threads", "1"]].concat())["hash"].clone();
    let mut moments = Moments(20_261_115);
    let asked = kills(50);
    let (mut kills, mut takes) = (0, 0);
    while kills < asked {
        let take = folder.path().join(format!("{takes}.take"));
        takes += 1;
        while kills < asked {
            let mut child = sinew()
                .args(BAKE)
                .arg("-o")
                .arg(&take)
                .current_dir(folder.path())
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .spawn()
                .unwrap();
            std::thread::sleep(Duration::from_micros(2_000 + moments.next(60_000)));
            let finished = child.try_wait().unwrap().is_some();
            child.kill().unwrap();
            child.wait().unwrap();
            if finished {
                break;
            }
            kills += 1;
            every_recorded_frame_is_readable(&take);
        }
        let threads = ["1", "2", "8"][takes % 3];
        let name = take.to_string_lossy().into_owned();
        let resumed = json(folder.path(), &[&BAKE[..], &["-o", &name, "--threads", threads]].concat());
        assert_eq!(resumed["hash"], straight, "take {takes} after {kills} kills, {threads} threads");
        std::fs::remove_file(&take).unwrap();
    }
}

/// A bar driven by each cue: killed once, resumed with other numbers of threads, and the hash is the straight run's.
#[test]
fn a_bar_driven_by_each_cue_resumes_to_the_same_hash() {
    let folder = tempdir().unwrap();
    let mut moments = Moments(7);
    for scene in
        ["bar-pin", "bar-goal", "bar-force", "bar-stretch", "bar-rest", "bar-path", "bar-soft", "bar-drag", "bar-drop"]
    {
        let bake = ["bake", scene, "--frames", "1..10", "--resume", "--json"];
        let straight =
            json(folder.path(), &[&bake[..], &["-o", "straight.take", "--threads", "1"]].concat())["hash"].clone();
        for threads in ["2", "8"] {
            let words = [&bake[..], &["-o", "killed.take", "--threads", threads]].concat();
            let mut child = sinew()
                .args(&words)
                .current_dir(folder.path())
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .spawn()
                .unwrap();
            std::thread::sleep(Duration::from_micros(5_000 + moments.next(300_000)));
            child.kill().unwrap();
            child.wait().unwrap();
            assert_eq!(json(folder.path(), &words)["hash"], straight, "{scene}, {threads} threads");
            std::fs::remove_file(folder.path().join("killed.take")).unwrap();
        }
        std::fs::remove_file(folder.path().join("straight.take")).unwrap();
    }
}

/// A take that a hand played is performed again, killed at random moments, and ends with its hash.
#[test]
fn a_played_take_is_baked_again_to_its_hash_however_often_it_is_killed() {
    let folder = tempdir().unwrap();
    let path = folder.path();
    let text = small_scene("").replace("frames = [1, 8]", "frames = [1, 90]");
    keep_played_take(path, &text);
    let played = json(path, &["info", "played.take", "--json"]);
    assert_eq!((&played["inputs"], &played["scenes"][0]["frames"]), (&3.into(), &serde_json::json!([1, 80])));
    let words = ["bake", "played.take", "--again", "--resume", "--json", "--threads", "2", "-o", "again.take"];
    let mut moments = Moments(11);
    let (mut kills, asked) = (0, kills(20));
    while kills < asked {
        if kill_at(path, &words, Duration::from_micros(2_000 + moments.next(40_000))) {
            let _ = std::fs::remove_file(path.join("again.take"));
        } else {
            kills += 1;
        }
    }
    let again = json(path, &words);
    assert_eq!((&again["hash"], &again["same"]), (&played["hash"], &true.into()));
    write(path, "scene.toml", &text);
    let alone = json(path, &["bake", "scene.toml", "--frames", "1..80", "--json", "-o", "alone.take"]);
    assert_ne!(alone["hash"], played["hash"], "the hand did nothing");
}

/// A run with a drag of half a second.
fn keep_played_take(folder: &Path, text: &str) {
    use sinew::bake::{Run, RunLimits, Staging, take_header};
    use sinew::prelude::{DVec3, Input, Scene, TakeOptions, build, dvec3};
    let mut built = build(&Scene::from_toml(text, "played").unwrap(), folder, 1).unwrap();
    let made_of = take_header(&built.stage, &built.mesh_hashes, text).into();
    let staging = Staging { made_of, outline: None };
    let mut run = Run::begin(staging, 1, built.stage.first_state(), RunLimits { state_bytes: 1 << 30 });
    let body = sinew::solve::BodyId(0);
    for frame in 1..80 {
        match frame {
            5 | 9 => {
                run.give(&[Input::Drag { body, at_rest: DVec3::ZERO, to: dvec3(0.1, f64::from(frame) * 0.1, 0.0) }]);
            }
            17 => run.give(&[Input::LetGo { body }]),
            _ => {}
        }
        run.step_frame(&mut built.stage).unwrap();
    }
    run.write(&sinew::io::Dir::open(folder).unwrap(), "played.take", TakeOptions::default()).unwrap();
}

fn every_recorded_frame_is_readable(take: &Path) {
    // Killed before the header was whole, there is nothing to read yet; resuming starts it.
    let Ok(reader) = TakeReader::open(take) else { return };
    let mut view = FrameView::default();
    for frame in reader.frames().into_iter().flatten() {
        reader.read_frame(frame, &mut view).unwrap_or_else(|error| panic!("frame {frame}: {error}"));
    }
}

/// Runs until a moment and kills it. Whether it had ended before.
fn kill_at(folder: &Path, words: &[&str], after: Duration) -> bool {
    let mut child =
        sinew().args(words).current_dir(folder).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    std::thread::sleep(after);
    let finished = child.try_wait().unwrap().is_some();
    child.kill().unwrap();
    child.wait().unwrap();
    finished
}

/// How long a run takes here and now, roughly.
fn time_of(folder: &Path, words: &[&str]) -> Duration {
    let began = std::time::Instant::now();
    assert!(crate::program::run(folder, words).status.success());
    began.elapsed()
}

#[test]
fn a_scene_whose_save_is_killed_is_the_old_one_or_the_new_one() {
    let folder = tempdir().unwrap();
    let path = folder.path();
    let text = |substeps: u32| small_scene("").replace("[scene]\n", &format!("[scene]\nsubsteps = {substeps}\n"));
    write(path, "scene.toml", &text(1));
    write(path, "set.json", r#"{"do":"set","path":"scene.substeps","value":2}"#);
    let words = ["apply", "scene.toml", "set.json"];
    let whole = time_of(path, &words);
    let mut moments = Moments(3);
    let asked = kills(50);
    let (mut kills, mut tries) = (0, 0);
    while kills < asked {
        write(path, "scene.toml", &text(1));
        let after = Duration::from_micros(moments.next(whole.as_micros() as u64));
        kills += u32::from(!kill_at(path, &words, after));
        tries += 1;
        let found = std::fs::read_to_string(path.join("scene.toml")).unwrap();
        assert!(found == text(1) || found == text(2), "torn after {tries} tries: {found}");
        assert!(tries < asked * 50, "no kill hits");
    }
}

#[test]
fn an_export_that_is_killed_leaves_whole_files() {
    let folder = tempdir().unwrap();
    let path = folder.path();
    write(path, "scene.toml", &small_scene(""));
    json(path, &["bake", "scene.toml", "-o", "t.take", "--json"]);
    let mut moments = Moments(5);
    let asked = kills(50);
    for (format, share) in [("glb", 3), ("npz", 3), ("usda", 3)] {
        let name = format!("out.{format}");
        let words = ["export", "t.take", "-o", &name];
        let usual = time_of(path, &words);
        let whole = std::fs::read(path.join(&name)).unwrap();
        let (mut kills, mut tries) = (0, 0);
        while kills < asked.div_ceil(share) {
            std::fs::write(path.join(&name), "old").unwrap();
            let after = Duration::from_micros(moments.next(usual.as_micros() as u64));
            kills += u32::from(!kill_at(path, &words, after));
            tries += 1;
            let found = std::fs::read(path.join(&name)).unwrap();
            assert!(found == whole || found == b"old", "{name} is torn after {tries} tries");
            assert!(tries < asked * 50, "no kill hits");
        }
    }
}
