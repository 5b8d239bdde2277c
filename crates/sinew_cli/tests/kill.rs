//! A bake killed at 200 random moments: what was recorded stays readable, and resuming gives the straight run's hash at
//! 1, 2 and 8 threads.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

mod program;

use program::{json, sinew};
use sinew::bake::take::{FrameView, TakeReader};
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;
use tempfile::tempdir;

const KILLS: u32 = 200;
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
fn a_bake_killed_200_times_ends_with_the_hash_of_a_straight_one() {
    let folder = tempdir().unwrap();
    let straight =
        json(folder.path(), &[&BAKE[..], &["-o", "straight.take", "--threads", "1"]].concat())["hash"].clone();
    let mut moments = Moments(20_261_115);
    let (mut kills, mut takes) = (0, 0);
    while kills < KILLS {
        let take = folder.path().join(format!("{takes}.take"));
        takes += 1;
        while kills < KILLS {
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

fn every_recorded_frame_is_readable(take: &Path) {
    // Killed before the header was whole, there is nothing to read yet; resuming starts it.
    let Ok(reader) = TakeReader::open(take) else { return };
    let mut view = FrameView::default();
    for frame in reader.frames().into_iter().flatten() {
        reader.read_frame(frame, &mut view).unwrap_or_else(|error| panic!("frame {frame}: {error}"));
    }
}
