//! A damaged take never panics, never asks for absurd memory, and never passes off wrong data as right.

use crate::fake::{FIRST, header, straight};
use crate::watching::LARGEST;
use sinew_bake::take::{BodyView, Digest, FrameView, Tail, TakeError, TakeHeader, TakeOptions, TakeReader};
use sinew_solve::{Input, StageState, Warning};
use std::path::Path;
use std::sync::atomic::Ordering;

const LAST: i32 = 8;

/// Everything a take can be asked, each answer on its own; none where it was an error.
#[derive(Debug, PartialEq)]
struct Answers {
    header: TakeHeader,
    options: TakeOptions,
    frames: Vec<Option<Shown>>,
    checkpoints: Vec<Option<(i32, StageState)>>,
    inputs: Option<Vec<(u64, Vec<Input>)>>,
    warnings: Option<Vec<Warning>>,
    hash: Option<blake3::Hash>,
    tail: Tail,
}

/// Number, tick, digest and bodies of a frame.
type Shown = (i32, u64, Digest, Vec<BodyView>);

fn ask(path: &Path) -> Result<Answers, TakeError> {
    let reader = TakeReader::open(path)?;
    let view = |frame: i32| {
        let mut view = FrameView::default();
        reader.read_frame(frame, &mut view).ok().map(|()| (view.frame, view.tick, view.digest, view.bodies))
    };
    Ok(Answers {
        header: reader.header().clone(),
        options: *reader.options(),
        frames: (FIRST..=LAST).map(view).collect(),
        checkpoints: (FIRST..=LAST).map(|frame| reader.checkpoint_at_or_before(frame).ok()).collect(),
        inputs: reader.inputs_from(0).ok(),
        warnings: reader.warnings().ok(),
        hash: reader.hash(FIRST..=LAST).ok(),
        tail: reader.tail(),
    })
}

/// Whether what a damaged take answers is true: equal, missing, or (behind a tear) less of it.
fn check(found: &Answers, whole: &Answers, place: usize) {
    assert_eq!((&found.header, found.options), (&whole.header, whole.options), "at {place}");
    let torn = found.tail != Tail::Finished;
    for (seen, right) in found.frames.iter().zip(&whole.frames) {
        assert!(seen.is_none() || seen == right, "frame at {place}");
    }
    for (seen, right) in found.checkpoints.iter().zip(&whole.checkpoints) {
        let earlier = |seen: &(i32, StageState)| torn && whole.checkpoints.iter().flatten().any(|right| right == seen);
        assert!(seen.is_none() || seen == right || seen.as_ref().is_some_and(earlier), "checkpoint at {place}");
    }
    let log = |seen: usize, right: usize| seen == right || torn && seen < right;
    if let (Some(seen), Some(right)) = (&found.inputs, &whole.inputs) {
        assert!(right.starts_with(seen) && log(seen.len(), right.len()), "inputs at {place}");
    }
    if let (Some(seen), Some(right)) = (&found.warnings, &whole.warnings) {
        assert!(right.starts_with(seen) && log(seen.len(), right.len()), "warnings at {place}");
    }
    assert!(found.hash.is_none() || found.hash == whole.hash, "hash at {place}");
}

#[test]
fn every_flipped_byte_and_every_cut_is_an_error_or_leaves_the_truth() {
    let folder = crate::fake::folder();
    let path = folder.path().join("whole.take");
    for options in [TakeOptions::default(), TakeOptions { bound_m: Some(1e-3), velocities: false }] {
        straight(&path, &header(&[2, 1], LAST), options, LAST);
        let bytes = std::fs::read(&path).unwrap();
        let whole = ask(&path).unwrap();
        assert!(whole.frames.iter().all(Option::is_some) && whole.tail == Tail::Finished);
        let damaged = folder.path().join("damaged.take");
        LARGEST.store(0, Ordering::Relaxed);
        let mut noticed = 0;
        for place in 0..bytes.len() {
            for mask in [1 << (place % 8), 0xff] {
                let mut flipped = bytes.clone();
                flipped[place] ^= mask;
                std::fs::write(&damaged, &flipped).unwrap();
                let answers = ask(&damaged);
                noticed += usize::from(answers.as_ref().map_or(true, |found| *found != whole));
                answers.iter().for_each(|found| check(found, &whole, place));
            }
            std::fs::write(&damaged, &bytes[..place]).unwrap();
            if let Ok(found) = ask(&damaged) {
                check(&found, &whole, place);
                assert_ne!(found.tail, Tail::Finished);
            }
        }
        assert_eq!(noticed, 2 * bytes.len(), "some byte can change without anyone noticing");
        let largest = LARGEST.load(Ordering::Relaxed);
        assert!(largest <= 64 * 1024 + 4 * bytes.len(), "{largest} bytes asked for at once");
    }
}

#[test]
fn a_head_that_claims_more_than_the_file_holds_ends_the_take_there() {
    let folder = crate::fake::folder();
    let path = folder.path().join("a.take");
    straight(&path, &header(&[2, 1], LAST), TakeOptions::default(), LAST);
    let mut bytes = std::fs::read(&path).unwrap();
    bytes.truncate(bytes.len() - 1);
    std::fs::write(&path, &bytes).unwrap();
    let reader = TakeReader::open(&path).unwrap();
    let Tail::Torn(tear) = reader.tail() else { panic!("{:?}", reader.tail()) };
    assert!(tear.what.contains("the file ends"), "{}", tear.what);
    assert_eq!(reader.frames(), Some(FIRST..=LAST));
}
