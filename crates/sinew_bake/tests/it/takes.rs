//! What is recorded comes back, exactly or within the stated bound, however the recording was interrupted.

use crate::fake::{FIRST, SUBSTEPS, first_state, header, record, resume_to_end, score, step, straight};
use sinew_bake::take::{
    FrameView, Resumed, Tail, TakeError, TakeOptions, TakeReader, TakeWriter, state_digest, take_hash,
};
use sinew_math::DVec3;
use sinew_solve::StageState;
use std::path::{Path, PathBuf};

const LAST: i32 = 10;

fn scratch() -> (tempfile::TempDir, PathBuf) {
    let folder = crate::fake::folder();
    let path = folder.path().join("a.take");
    (folder, path)
}

/// The states of all frames, by simulating without any take.
fn all_states(points: &[u32], last: i32) -> Vec<StageState> {
    let score = score();
    let mut state = first_state(&header(points, last));
    let mut states = vec![state.clone()];
    for _ in FIRST..last {
        for _ in 0..SUBSTEPS {
            let input = score.iter().find(|(tick, _)| *tick == state.tick).map_or(&[][..], |(_, input)| input);
            step(&mut state, input);
        }
        states.push(state.clone());
    }
    states
}

#[test]
fn frames_come_back_to_the_rounding_of_f32_and_checkpoints_exactly() {
    let (_folder, path) = scratch();
    straight(&path, &header(&[5, 3], LAST), TakeOptions::default(), LAST);
    let reader = TakeReader::open(&path).unwrap();
    assert_eq!(reader.header(), &header(&[5, 3], LAST));
    assert_eq!((reader.frames(), reader.tail()), (Some(FIRST..=LAST), Tail::Finished));
    let mut view = FrameView::default();
    for (frame, state) in (FIRST..=LAST).zip(all_states(&[5, 3], LAST)) {
        reader.read_frame(frame, &mut view).unwrap();
        assert_eq!((view.frame, view.tick, view.digest), (frame, state.tick, state_digest(&state).unwrap()));
        for (seen, body) in view.bodies.iter().zip(&state.bodies) {
            assert_eq!(seen.origin, body.origin);
            for (x, exact) in seen.positions().zip(&body.x) {
                // Half a unit in the last place of a coordinate below 4 m about the origin.
                assert!((x - *exact).abs().max_element() <= 2f64.powi(-22 - 1), "{x} {exact}");
            }
            let v: Vec<_> = body.v.iter().map(|v| v.to_array().map(|c| c as f32)).collect();
            assert_eq!(seen.velocities, v);
        }
        let (at, exact) = reader.checkpoint_at_or_before(frame).unwrap();
        assert!(at <= frame && at >= frame - 9);
        assert_eq!(exact, all_states(&[5, 3], at)[(at - FIRST) as usize]);
    }
    assert_eq!(reader.checkpoints().last(), Some(LAST));
    assert_eq!(reader.inputs_from(0).unwrap(), score());
    assert_eq!(reader.inputs_from(4).unwrap(), score()[1..]);
    assert_eq!(reader.warnings().unwrap().iter().map(|w| w.tick).collect::<Vec<_>>(), [2, 7, 12, 17]);
}

#[test]
fn quantised_frames_stay_within_their_bound_and_take_less_room() {
    let (_folder, path) = scratch();
    let states = all_states(&[400, 300], LAST);
    let mut sizes = Vec::new();
    for bound_m in [None, Some(1e-3), Some(1e-4), Some(1e-7)] {
        let options = TakeOptions { bound_m, velocities: false };
        straight(&path, &header(&[400, 300], LAST), options, LAST);
        let reader = TakeReader::open(&path).unwrap();
        assert_eq!(*reader.options(), options);
        let mut view = FrameView::default();
        for (frame, state) in (FIRST..=LAST).zip(&states) {
            reader.read_frame(frame, &mut view).unwrap();
            for (seen, body) in view.bodies.iter().zip(&state.bodies) {
                let off = seen.positions().zip(&body.x).map(|(x, exact)| (x - *exact).abs().max_element());
                // 1e-7 m over a metre does not fit into 16 bits: those bodies are stored as f32.
                let bound_m = bound_m.unwrap_or(1e-6).max(1.3e-7);
                assert!(off.fold(0.0, f64::max) <= bound_m);
                assert!(seen.velocities.is_empty());
            }
        }
        sizes.push(std::fs::metadata(&path).unwrap().len());
    }
    // The header is longer by the bound itself.
    assert_eq!(sizes[3], sizes[0] + 8);
    assert!(sizes[1] < sizes[0] && sizes[1] == sizes[2], "{sizes:?}");
}

#[test]
fn the_hash_says_what_was_simulated_not_how_it_is_stored() {
    let (_folder, path) = scratch();
    let digests: Vec<_> = all_states(&[5, 3], LAST).iter().map(|state| state_digest(state).unwrap()).collect();
    for options in [TakeOptions::default(), TakeOptions { bound_m: Some(1e-3), velocities: false }] {
        straight(&path, &header(&[5, 3], LAST), options, LAST);
        let reader = TakeReader::open(&path).unwrap();
        assert_eq!(reader.hash(FIRST..=LAST).unwrap(), take_hash(&digests));
        assert_eq!(reader.hash(1..=3).unwrap(), take_hash(&digests[2..5]));
        assert!(matches!(reader.hash(1..=LAST + 1), Err(TakeError::NoFrame { frame: 11, .. })));
    }
}

/// Cut anywhere, even within the header, a take resumes to the very bytes of a straight run.
#[test]
fn cut_at_any_byte_it_resumes_to_the_bytes_of_a_straight_run() {
    let (folder, path) = scratch();
    let header = header(&[2, 1], LAST);
    straight(&path, &header, TakeOptions::default(), LAST);
    let whole = std::fs::read(&path).unwrap();
    let cut = folder.path().join("cut.take");
    for len in 0..whole.len() {
        std::fs::write(&cut, &whole[..len]).unwrap();
        resume_to_end(&cut, &header, TakeOptions::default(), LAST).unwrap();
        assert!(std::fs::read(&cut).unwrap() == whole, "cut to {len} bytes");
    }
}

/// A flipped byte is cut off with all that follows it, and simulated again; only a damaged header cannot be resumed.
#[test]
fn flipped_at_any_byte_it_resumes_to_the_bytes_of_a_straight_run() {
    let (folder, path) = scratch();
    let header = header(&[2, 1], LAST);
    straight(&path, &header, TakeOptions::default(), LAST);
    let whole = std::fs::read(&path).unwrap();
    let flipped_path = folder.path().join("flipped.take");
    let mut refused = 0;
    for place in 0..whole.len() {
        let mut flipped = whole.clone();
        flipped[place] ^= 1 << (place % 8);
        std::fs::write(&flipped_path, &flipped).unwrap();
        match resume_to_end(&flipped_path, &header, TakeOptions::default(), LAST) {
            Ok(()) => assert!(std::fs::read(&flipped_path).unwrap() == whole, "byte {place}"),
            Err(_) => {
                refused += 1;
                assert!(refused == place + 1, "a record at {place} was refused");
                assert!(std::fs::read(&flipped_path).unwrap() == flipped, "a refused file was changed");
            }
        }
    }
    assert!(refused > 16 && refused < 500, "{refused}");
}

#[test]
fn a_finished_take_can_be_made_longer_and_a_missing_one_is_started() {
    let (folder, path) = scratch();
    let header = header(&[5, 3], LAST);
    resume_to_end(&path, &header, TakeOptions::default(), 4).unwrap();
    resume_to_end(&path, &header, TakeOptions::default(), LAST).unwrap();
    let other = folder.path().join("straight.take");
    straight(&other, &header, TakeOptions::default(), LAST);
    let hash = |path: &Path| TakeReader::open(path).unwrap().hash(FIRST..=LAST).unwrap();
    assert_eq!(hash(&path), hash(&other));
}

#[test]
fn a_take_of_another_scene_is_refused_with_what_differs_and_left_alone() {
    let (_folder, path) = scratch();
    straight(&path, &header(&[5, 3], LAST), TakeOptions::default(), 2);
    let before = std::fs::read(&path).unwrap();
    let mut other = header(&[5, 3], LAST);
    other.scene_text = other.scene_text.replace("24000", "25000");
    let refused = TakeWriter::resume(&path, &other, TakeOptions::default()).err().unwrap();
    assert!(matches!(refused, TakeError::OtherScene { .. }));
    assert!(refused.to_string().contains("line 3"), "{refused}");
    assert_eq!(std::fs::read(&path).unwrap(), before);
}

#[test]
fn going_back_keeps_what_came_before_and_replays_to_the_same_frames() {
    let (_folder, path) = scratch();
    let header = header(&[5, 3], LAST);
    straight(&path, &header, TakeOptions::default(), LAST);
    let whole = std::fs::read(&path).unwrap();
    for back_to in FIRST..=LAST {
        std::fs::write(&path, &whole).unwrap();
        let Resumed { mut writer, from, inputs, .. } = TakeWriter::rewind_to(&path, back_to).unwrap();
        let point = from.clone().unwrap();
        assert!(point.frame <= back_to && writer.frames() == Some(FIRST..=back_to));
        // Exactly the inputs between the checkpoint and the frame are handed out.
        let reached = SUBSTEPS * (back_to - FIRST) as u64;
        let between: crate::fake::Score =
            score().into_iter().filter(|(tick, _)| (point.state.tick..reached).contains(tick)).collect();
        assert_eq!(inputs, between);
        record(&mut writer, from, back_to, &inputs).unwrap();
        let state = record(&mut writer, None, FIRST, &inputs);
        assert!(matches!(state, Err(TakeError::FrameOutOfOrder { .. })));
        writer.finish().unwrap();
        resume_to_end(&path, &header, TakeOptions::default(), LAST).unwrap();
        let reader = TakeReader::open(&path).unwrap();
        assert_eq!(reader.hash(FIRST..=LAST).unwrap(), take_hash(&digests(LAST)));
    }
    assert!(matches!(TakeWriter::rewind_to(&path, LAST + 1), Err(TakeError::NoFrame { .. })));
    assert!(matches!(TakeWriter::rewind_to(path.with_extension("none"), 1), Err(TakeError::Open { .. })));
    assert!(!path.with_extension("none").exists());
}

fn digests(last: i32) -> Vec<[u8; 32]> {
    all_states(&[5, 3], last).iter().map(|state| state_digest(state).unwrap()).collect()
}

#[test]
fn a_replay_that_comes_out_differently_is_noticed() {
    let (_folder, path) = scratch();
    let header = header(&[5, 3], LAST);
    straight(&path, &header, TakeOptions::default(), LAST);
    let Resumed { mut writer, from, .. } = TakeWriter::rewind_to(&path, 4).unwrap();
    let point = from.unwrap();
    assert!(point.frame < 4, "the frame gone back to should not be a checkpoint here");
    let mut wrong = point.state.clone();
    for _ in 0..SUBSTEPS {
        step(&mut wrong, &[]);
    }
    wrong.bodies[0].x[0].x = wrong.bodies[0].x[0].x.next_up();
    let differs = writer.frame(point.frame + 1, &wrong);
    assert!(matches!(differs, Err(TakeError::FrameDiffers { frame }) if frame == point.frame + 1));
    drop(writer);
    let Resumed { mut writer, inputs, .. } = TakeWriter::rewind_to(&path, 4).unwrap();
    let (tick, _) = inputs.first().expect("an input lies between the checkpoint and frame 4");
    assert!(matches!(writer.input(*tick, &score()[0].1), Err(TakeError::InputDiffers { .. })));
}

#[test]
fn checkpoints_cost_about_as_much_as_the_frames_between_and_come_every_240_frames() {
    let (_folder, path) = scratch();
    straight(&path, &header(&[500], 20), TakeOptions::default(), 20);
    let every = |path: &Path| {
        let frames: Vec<i32> = TakeReader::open(path).unwrap().checkpoints().collect();
        frames.windows(2).map(|pair| pair[1] - pair[0]).collect::<Vec<_>>()
    };
    // Shape matching: 48 bytes of state and 16 of rotation a point, against 24 of frame: every third.
    assert!(every(&path)[..6].iter().all(|k| *k == 3), "{:?}", every(&path));
    // No points at all, but more notes than a frame takes in 240 frames.
    let header = header(&[], 600);
    let mut writer = TakeWriter::create(&path, &header, TakeOptions::default()).unwrap();
    let mut state = first_state(&header);
    state.director_states = vec![vec![sinew_solve::DirectorState::Magnitude { value: 0.0, slope: 0.0 }; 2000]];
    for frame in FIRST..=600 {
        writer.frame(frame, &state).unwrap();
    }
    writer.finish().unwrap();
    assert_eq!(every(&path), [240, 240, 121]);
}

#[test]
fn what_cannot_be_recorded_is_refused_by_name() {
    let (folder, path) = scratch();
    let header = header(&[5, 3], LAST);
    let mut writer = TakeWriter::create(&path, &header, TakeOptions::default()).unwrap();
    let state = first_state(&header);
    writer.frame(FIRST, &state).unwrap();
    assert!(matches!(writer.frame(5, &state), Err(TakeError::FrameOutOfOrder { frame: 5, expected: 0 })));
    let mut broken = state.clone();
    broken.bodies[1].x[2] = DVec3::NAN;
    let refused = writer.frame(0, &broken).unwrap_err();
    assert_eq!(refused.to_string(), "body \"worm\" at frame 0: point 2 is not a finite number (or too large to store)");
    broken.bodies[1].x.pop();
    assert!(matches!(writer.frame(0, &broken), Err(TakeError::PointCount { found: 2, expected: 3, .. })));
    broken.bodies.pop();
    assert!(matches!(writer.frame(0, &broken), Err(TakeError::BodyCount { found: 1, expected: 2 })));
    writer.input(6, &score()[0].1).unwrap();
    assert!(matches!(writer.input(6, &score()[0].1), Err(TakeError::InputOutOfOrder { tick: 6, reached: 7 })));
    // None of the refusals left a mark.
    writer.frame(0, &state).unwrap();
    assert!(matches!(TakeWriter::create(&path, &header, TakeOptions::default()), Err(TakeError::InUse { .. })));
    writer.finish().unwrap();
    assert_eq!(TakeReader::open(&path).unwrap().frames(), Some(FIRST..=0));

    let scene = folder.path().join("scene.toml");
    std::fs::write(&scene, "sinew = 1").unwrap();
    assert!(matches!(TakeWriter::create(&scene, &header, TakeOptions::default()), Err(TakeError::NotATake { .. })));
    assert!(matches!(TakeWriter::resume(&scene, &header, TakeOptions::default()), Err(TakeError::NotATake { .. })));
    assert_eq!(std::fs::read(&scene).unwrap(), b"sinew = 1");
    for bound_m in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let options = TakeOptions { bound_m: Some(bound_m), velocities: true };
        assert!(matches!(TakeWriter::create(&path, &header, options), Err(TakeError::Bound { .. })));
    }
    let nowhere = folder.path().join("no/such/folder/a.take");
    assert!(matches!(TakeWriter::create(nowhere, &header, TakeOptions::default()), Err(TakeError::Open { .. })));
}

#[test]
fn a_reader_follows_a_take_that_is_being_written() {
    let (_folder, path) = scratch();
    let header = header(&[5, 3], LAST);
    let mut writer = TakeWriter::create(&path, &header, TakeOptions::default()).unwrap();
    let mut reader = TakeReader::open(&path).unwrap();
    assert_eq!((reader.frames(), reader.tail()), (None, Tail::Unfinished));
    writer.frame(FIRST, &first_state(&header)).unwrap();
    reader.refresh().unwrap();
    assert_eq!(reader.frames(), Some(FIRST..=FIRST));
    assert_eq!(reader.checkpoint_at_or_before(0).unwrap().1, first_state(&header));
    writer.finish().unwrap();
    reader.refresh().unwrap();
    assert_eq!(reader.tail(), Tail::Finished);
}
