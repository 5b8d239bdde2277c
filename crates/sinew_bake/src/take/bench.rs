//! How long a seek takes, next to reading the same numbers from a plain file per frame.

use super::{BodyHeader, Clock, FrameView, TakeError, TakeHeader, TakeOptions, TakeReader, TakeWriter};
use sinew_math::DVec3;
use sinew_solve::{BodyState, Memory, StageState};
use std::collections::BTreeMap;
use std::hint::black_box;
use std::path::Path;
use std::time::Instant;

const BODIES: usize = 100;
const POINTS: usize = 1000;
const FRAMES: i32 = 32;

/// Medians over all frames of a take, visited out of order; files are in the system's cache for both.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SeekTimes {
    /// Reading, checking and decoding one frame of 100 bodies of 1000 points, positions and velocities.
    pub seek_ms: f64,
    pub slowest_seek_ms: f64,
    /// Recording one frame, checkpoints included (the mean).
    pub record_ms: f64,
    /// Opening the take and finding its records.
    pub open_ms: f64,
    /// The peer: one raw array file per frame with the same positions and velocities as f32, read into memory.
    pub raw_file_ms: f64,
}

/// Measures in a folder of its own under the system's temporary one.
pub fn bench_seek() -> Result<SeekTimes, TakeError> {
    let folder = tempfile::tempdir().map_err(|source| TakeError::Open { path: std::env::temp_dir(), source })?;
    let path = folder.path().join("seek.take");
    let record_ms = record(&path, folder.path())?;
    let started = Instant::now();
    let reader = TakeReader::open(&path)?;
    let open_ms = millis(started);
    let (mut view, mut raw) = (FrameView::default(), Vec::new());
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    // 13 and 32 have no common factor: every frame is visited, none after its neighbour. The first round warms up.
    for visit in 0..2 * FRAMES {
        let frame = 1 + (visit * 13) % FRAMES;
        let started = Instant::now();
        reader.read_frame(frame, &mut view)?;
        black_box(&view);
        ours.push(millis(started));
        let started = Instant::now();
        read_raw(&raw_path(folder.path(), frame), &mut raw)?;
        black_box(&raw);
        theirs.push(millis(started));
    }
    let (ours, theirs) = (sorted(&ours[FRAMES as usize..]), sorted(&theirs[FRAMES as usize..]));
    let middle = ours.len() / 2;
    let (seek_ms, slowest_seek_ms, raw_file_ms) = (ours[middle], ours[ours.len() - 1], theirs[middle]);
    Ok(SeekTimes { seek_ms, slowest_seek_ms, record_ms, open_ms, raw_file_ms })
}

/// Records a take and the peer's files; gives the mean milliseconds of a frame.
fn record(path: &Path, folder: &Path) -> Result<f64, TakeError> {
    let mut record_ms = 0.0;
    let mut writer = TakeWriter::create(path, &header(BODIES, POINTS), TakeOptions::default())?;
    for frame in 1..=FRAMES {
        let state = state(frame, BODIES, POINTS);
        let started = Instant::now();
        writer.frame(frame, &state)?;
        record_ms += millis(started) / f64::from(FRAMES);
        let numbers = state.bodies.iter().flat_map(|body| body.x.iter().chain(&body.v)).flat_map(DVec3::to_array);
        let bytes: Vec<u8> = numbers.flat_map(|c| (c as f32).to_le_bytes()).collect();
        let path = raw_path(folder, frame);
        std::fs::write(&path, bytes).map_err(|source| TakeError::Open { path, source })?;
    }
    writer.finish().map(|_| record_ms)
}

fn read_raw(path: &Path, numbers: &mut Vec<f32>) -> Result<(), TakeError> {
    let bytes = std::fs::read(path).map_err(|source| TakeError::Open { path: path.to_owned(), source })?;
    numbers.clear();
    numbers.extend(bytes.as_chunks::<4>().0.iter().map(|b| f32::from_le_bytes(*b)));
    Ok(())
}

fn raw_path(folder: &Path, frame: i32) -> std::path::PathBuf {
    folder.join(format!("{frame}.raw"))
}

fn header(bodies: usize, points: usize) -> TakeHeader {
    let body = |i| BodyHeader { name: format!("body{i}"), point_count: points as u32, model: [0; 32] };
    TakeHeader {
        scene_text: String::new(),
        meshes: BTreeMap::new(),
        sinew_version: env!("CARGO_PKG_VERSION").to_owned(),
        clock: Clock { fps: (24, 1), substeps: 4, first_frame: 1, last_frame: FRAMES },
        bodies: (0..bodies).map(body).collect(),
    }
}

fn state(frame: i32, bodies: usize, points: usize) -> StageState {
    let body = |i: usize| {
        let origin = DVec3::new(i as f64, f64::from(frame), 0.0);
        let point = |p: usize| origin + DVec3::new(p as f64, -(p as f64), 0.5) * 1e-3;
        let memory = Memory::ShapeMatching { rotation: vec![[0.0, 0.0, 0.0, 1.0]; points] };
        BodyState { origin, x: (0..points).map(point).collect(), v: vec![DVec3::Y; points], memory }
    };
    StageState { tick: 4 * (frame as u64 - 1), bodies: (0..bodies).map(body).collect(), director_states: Vec::new() }
}

fn millis(started: Instant) -> f64 {
    started.elapsed().as_secs_f64() * 1e3
}

fn sorted(times: &[f64]) -> Vec<f64> {
    let mut times = times.to_vec();
    times.sort_by(f64::total_cmp);
    times
}

#[cfg(test)]
pub(super) fn small_header() -> TakeHeader {
    header(1, 2)
}

#[cfg(test)]
pub(super) fn small_state(frame: i32) -> StageState {
    state(frame, 1, 2)
}

#[cfg(test)]
mod tests {
    #[test]
    fn any_frame_of_100_bodies_of_1000_points_is_there_within_5_ms() {
        let times = super::bench_seek().unwrap();
        println!("{times:?}");
        assert!(times.seek_ms < 5.0, "{times:?}");
    }
}
