//! The disk fails at every single call of a bake, in every way it can: the take stays readable, what was there before stays what
//! it was, and going on gives the bits of a run without faults.

use sinew_bake::take::{FrameView, TakeOptions, TakeReader, TakeWriter};
use sinew_bake::{Bake, BakeError, Baked, bake, build};
use sinew_io::disk::faults::{self, Fault, Plan};
use sinew_scene::Scene;
use std::ops::ControlFlow;
use std::path::Path;

const SCENE: &str = "sinew = 1\n[scene]\nframes = [1, 6]\n[[body]]\nname = \"bar\"\nskin = { model = \"bar\" }\n\
    flesh = { kind = \"tets\", vertices = 60 }\n";

fn run(path: &Path, text: &str, resume: bool) -> Result<Baked, BakeError> {
    let scene = Scene::from_toml(text, "scene").unwrap();
    let mut built = build(&scene, Path::new("."), 1).unwrap();
    let asked = Bake { frames: 1..=6, resume, options: TakeOptions::default(), dump: None };
    bake(&mut built, text, path, &asked, |_| ControlFlow::Continue(()))
}

/// With the n-th call failing. What came of it, and how many calls there were.
fn with_fault(plan: Option<Plan>, work: impl FnOnce() -> Result<Baked, BakeError>) -> (Result<Baked, BakeError>, u64) {
    faults::arm(plan);
    let outcome = work();
    (outcome, faults::disarm())
}

fn frames(path: &Path) -> i32 {
    let Ok(reader) = TakeReader::open(path) else { return 0 };
    let mut view = FrameView::default();
    let held = reader.frames();
    held.clone().into_iter().flatten().for_each(|frame| reader.read_frame(frame, &mut view).unwrap());
    held.map_or(0, |held| *held.end())
}

#[test]
fn a_bake_that_fails_at_any_call_can_be_gone_on_with() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.take");
    let (straight, calls) = with_fault(None, || run(&path, SCENE, false));
    let hash = straight.unwrap().hash;
    assert!(calls > 10, "{calls} calls");
    for fault in Fault::ALL {
        for nth in 1..=calls {
            std::fs::remove_file(&path).unwrap();
            let (outcome, _) = with_fault(Some(Plan { nth, fault }), || run(&path, SCENE, false));
            if let Err(error) = &outcome {
                assert!(!fault.is_harmless(), "{fault:?} at call {nth}: {error}");
                assert!(error.to_string().contains("a.take"), "{error}");
            }
            frames(&path);
            let resumed = run(&path, SCENE, true).unwrap_or_else(|error| panic!("{fault:?} at call {nth}: {error}"));
            assert_eq!(resumed.hash, hash, "{fault:?} at call {nth}");
            assert_eq!(frames(&path), 6);
        }
    }
}

#[test]
fn a_take_that_is_baked_anew_is_the_old_one_or_the_new_one() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.take");
    let other = SCENE.replace("[scene]\n", "[scene]\ngravity = [0.0, -2.0, 0.0]\n");
    let old = run(&path, SCENE, false).unwrap().hash;
    let old_bytes = std::fs::read(&path).unwrap();
    let (straight, calls) = with_fault(None, || run(&path, &other, false));
    let new = straight.unwrap().hash;
    for fault in Fault::ALL {
        for nth in 1..=calls {
            let _ = std::fs::remove_file(folder.path().join("a.take.rebake"));
            std::fs::write(&path, &old_bytes).unwrap();
            let (outcome, _) = with_fault(Some(Plan { nth, fault }), || run(&path, &other, false));
            let held = TakeReader::open(&path).unwrap();
            let hash = held.hash(1..=6).unwrap().to_hex().to_string();
            match outcome {
                Ok(_) => assert_eq!(hash, new, "{fault:?} at call {nth}"),
                Err(error) => {
                    assert!(!fault.is_harmless(), "{fault:?} at call {nth}: {error}");
                    assert!(hash == old || hash == new, "{fault:?} at call {nth}");
                    assert!(matches!(error, BakeError::Rebake { .. } | BakeError::Take(_)), "{error}");
                }
            }
            assert_eq!(run(&path, &other, true).unwrap().hash, new, "{fault:?} at call {nth}");
        }
    }
}

/// As the studio keeps a run under a name.
#[test]
fn a_take_that_is_kept_is_whole_or_not_there() {
    use crate::fake::{FIRST, first_state, header, step};
    let header = header(&[30, 20], 4);
    let keep = |dir: &sinew_io::Dir| {
        let mut writer = TakeWriter::create_in(dir, "kept.take", &header, TakeOptions::default())?;
        let mut state = first_state(&header);
        for frame in FIRST..=4 {
            writer.frame(frame, &state)?;
            (0..crate::fake::SUBSTEPS).for_each(|_| step(&mut state, &[]));
        }
        writer.finish()
    };
    let folder = tempfile::tempdir().unwrap();
    let dir = sinew_io::Dir::open(folder.path()).unwrap();
    faults::arm(None);
    keep(&dir).unwrap();
    let calls = faults::disarm();
    let whole = std::fs::read(folder.path().join("kept.take")).unwrap();
    for fault in Fault::ALL {
        for nth in 1..=calls {
            for before in [None, Some("old")] {
                let _ = std::fs::remove_file(folder.path().join("kept.take"));
                before.iter().for_each(|old| std::fs::write(folder.path().join("kept.take"), old).unwrap());
                faults::arm(Some(Plan { nth, fault }));
                let kept = keep(&dir);
                faults::disarm();
                assert!(kept.is_ok() || !fault.is_harmless(), "{fault:?} at call {nth}");
                let found = std::fs::read(folder.path().join("kept.take")).ok();
                let is_whole = found.as_ref() == Some(&whole);
                assert!(
                    is_whole || kept.is_err() && found.as_deref() == before.map(str::as_bytes),
                    "{fault:?} at call {nth}"
                );
                let left = std::fs::read_dir(folder.path()).unwrap().count();
                assert_eq!(left, usize::from(found.is_some()), "{fault:?} at call {nth}: something is left");
            }
        }
    }
}
