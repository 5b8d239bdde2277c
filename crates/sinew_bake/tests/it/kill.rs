//! `kill -9` at random moments of a recording: what was recorded is readable, and resuming gives the hash of a
//! straight run. The recording runs in a child process: this test binary, started again for one of its tests.

use crate::fake::{FIRST, header, record, resume_to_end, score};
use sinew_bake::take::{FrameView, Resumed, TakeHeader, TakeOptions, TakeReader, TakeWriter};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

const PATH_VARIABLE: &str = "SINEW_TAKE_OF_CHILD";
/// Of each kind; `cargo xtask kills` asks for more.
fn kills(usually: u32) -> u32 {
    std::env::var("SINEW_KILLS").ok().and_then(|kills| kills.parse().ok()).unwrap_or(usually)
}

const LAST: i32 = 60;

fn big_header() -> TakeHeader {
    header(&[900, 300], LAST)
}

#[test]
#[ignore = "the child of the test below; without a path it has nothing to do"]
fn child_records_a_take() {
    let Some(path) = std::env::var_os(PATH_VARIABLE).map(PathBuf::from) else { return };
    let resumed = TakeWriter::resume(&path, &big_header(), TakeOptions::default()).unwrap();
    let Resumed { mut writer, from, .. } = resumed;
    record(&mut writer, from, LAST, &score()).unwrap();
    writer.finish().unwrap();
}

/// Keeps takes under one name, as the studio does, for as long as it lives.
#[test]
#[ignore = "the child of the last test; without a path it has nothing to do"]
fn child_keeps_takes() {
    let Some(path) = std::env::var_os(PATH_VARIABLE).map(PathBuf::from) else { return };
    let dir = sinew_io::Dir::open(path).unwrap();
    loop {
        let mut writer = TakeWriter::create_in(&dir, "kept.take", &big_header(), TakeOptions::default()).unwrap();
        record(&mut writer, None, LAST, &score()).unwrap();
        writer.finish().unwrap();
    }
}

fn start_child(path: &Path) -> Child {
    start(path, "kill::child_records_a_take")
}

fn start(path: &Path, child: &str) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["--ignored", "--exact", child])
        .env(PATH_VARIABLE, path)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

#[test]
fn killed_at_random_moments_nothing_recorded_is_lost_and_the_hash_stays() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("killed.take");
    let started = Instant::now();
    assert!(start_child(&path).wait().unwrap().success());
    let run = started.elapsed();
    let straight = TakeReader::open(&path).unwrap();
    let hash = straight.hash(FIRST..=LAST).unwrap();
    let whole_bytes = size(&path);
    std::fs::remove_file(&path).unwrap();

    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let (mut before, mut midway) = (None, 0);
    let asked = kills(50);
    for kill in 0..asked {
        let mut child = start_child(&path);
        // By the clock, half of a run on average, so that starting and finishing are hit too; or by how far it got,
        // which hits the recording itself however busy the machine is.
        if kill % 2 == 0 {
            std::thread::sleep(run.mul_f64(random.next()).min(Duration::from_secs(2)));
        } else {
            let bytes = (random.next() * whole_bytes as f64) as u64;
            while size(&path) < bytes && child.try_wait().unwrap().is_none() {
                std::thread::sleep(Duration::from_micros(100));
            }
        }
        child.kill().unwrap();
        child.wait().unwrap();
        before = check_readable(&path, &straight, before);
        midway += u32::from(before.is_some_and(|frame| frame < LAST));
        check_resumable(&path, folder.path(), hash);
        if before == Some(LAST) {
            std::fs::remove_file(&path).unwrap();
            before = None;
        }
    }
    assert!(midway > asked / 4, "only {midway} kills hit a running recording");
}

/// All frames from the first on are there and right; none that was there before the last kill is gone.
fn check_readable(path: &Path, straight: &TakeReader, before: Option<i32>) -> Option<i32> {
    if size(path) < 1000 {
        // Killed before the header was whole.
        assert_eq!(before, None);
        return None;
    }
    let reader = TakeReader::open(path).unwrap();
    let last = reader.frames().map(|frames| *frames.end());
    assert!(last >= before, "frame {before:?} was recorded, now the last is {last:?}");
    let (mut seen, mut right) = (FrameView::default(), FrameView::default());
    for frame in FIRST..=last.unwrap_or(FIRST - 1) {
        reader.read_frame(frame, &mut seen).unwrap();
        straight.read_frame(frame, &mut right).unwrap();
        assert!(seen.digest == right.digest && seen.bodies == right.bodies);
    }
    last
}

/// A copy of the killed take, resumed here, comes to the hash of the straight run.
fn check_resumable(path: &Path, folder: &Path, hash: blake3::Hash) {
    let copy = folder.join("copy.take");
    let _ = std::fs::remove_file(&copy);
    if path.exists() {
        std::fs::copy(path, &copy).unwrap();
    }
    resume_to_end(&copy, &big_header(), TakeOptions::default(), LAST).unwrap();
    assert_eq!(TakeReader::open(&copy).unwrap().hash(FIRST..=LAST).unwrap(), hash);
}

fn size(path: &Path) -> u64 {
    std::fs::metadata(path).map_or(0, |file| file.len())
}

/// xorshift64*, from 0 to 1.
struct Random(u64);

impl Random {
    fn next(&mut self) -> f64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 11) as f64 / (1u64 << 53) as f64
    }
}

#[test]
fn a_take_whose_keeping_is_killed_is_whole() {
    let folder = crate::fake::folder();
    let path = folder.path().join("kept.take");
    let mut random = Random(0x51_7c_c1_b7_27_22_0a_95);
    let mut found = 0;
    for kill in 0..kills(50) {
        let mut child = start(folder.path(), "kill::child_keeps_takes");
        // The first one keeps a whole take, however busy the machine is.
        while kill == 0 && !path.exists() {
            std::thread::sleep(Duration::from_millis(1));
        }
        std::thread::sleep(Duration::from_secs_f64(0.01 + 0.15 * random.next()));
        child.kill().unwrap();
        child.wait().unwrap();
        if path.exists() {
            let reader = TakeReader::open(&path).unwrap();
            assert_eq!((reader.frames(), reader.tail()), (Some(FIRST..=LAST), sinew_bake::take::Tail::Finished));
            found += 1;
        }
        // What was half written goes at the next start.
        sinew_io::disk::remove_abandoned_parts(&sinew_io::Dir::open(folder.path()).unwrap());
        let left = std::fs::read_dir(folder.path()).unwrap().count();
        assert_eq!(left, usize::from(path.exists()), "something is left");
    }
    assert!(found > 0, "no take was ever kept");
}
