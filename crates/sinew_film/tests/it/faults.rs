//! The disk fails at every single call of an export: each file is whole, old or new, and nothing lies beside them.

use sinew_bake::take::TakeOptions;
use sinew_bake::{Bake, Playback, bake, build};
use sinew_film::{EXPORT_EXTENSIONS, ExportAsked, FilmAsked, FilmError, GO_ON, export, film};
use sinew_io::disk::faults::{self, Fault, Plan};
use sinew_scene::Scene;
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

const SCENE: &str = "sinew = 1\n[scene]\nframes = [1, 2]\n[[body]]\nname = \"bar\"\nskin = { model = \"bar\", vertices = 60 }\n\
    flesh = { kind = \"tets\", vertices = 60 }\n";

fn take(path: &Path) -> Playback {
    let scene = Scene::from_toml(SCENE, "scene").unwrap();
    let mut built = build(&scene, Path::new("."), 1).unwrap();
    let asked = Bake { frames: 1..=2, resume: false, options: TakeOptions::default(), dump: None };
    bake(&mut built, SCENE, path, &asked, |_| ControlFlow::Continue(())).unwrap();
    Playback::open(path, None).unwrap()
}

/// Every file below a folder, with its bytes.
fn files(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut all = BTreeMap::new();
    for entry in std::fs::read_dir(folder).unwrap().flatten() {
        if entry.path().is_dir() {
            all.extend(files(&entry.path()));
        } else {
            all.insert(entry.path(), std::fs::read(entry.path()).unwrap());
        }
    }
    all
}

fn write(playback: &mut Playback, path: &Path) -> Result<(), FilmError> {
    let extension = path.extension().unwrap().to_str().unwrap();
    if EXPORT_EXTENSIONS.contains(&extension) {
        let asked = ExportAsked { overwrite: true, ..ExportAsked::default() };
        export(playback, path, &asked, &mut |_, _| GO_ON).map(drop)
    } else {
        let asked = FilmAsked { size: [32, 24], ..FilmAsked::default() };
        film(playback, path, &asked, &mut |_, _| GO_ON).map(drop)
    }
}

#[test]
fn an_export_that_fails_at_any_call_leaves_whole_files() {
    let home = tempfile::tempdir().unwrap();
    let mut playback = take(&home.path().join("a.take"));
    for extension in EXPORT_EXTENSIONS.into_iter().chain(["png", "gif", "apng"]) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(format!("out.{extension}"));
        faults::arm(None);
        write(&mut playback, &path).unwrap();
        let calls = faults::disarm();
        let whole = files(folder.path());
        assert!(calls >= 4, "{extension}: {calls} calls");
        for fault in Fault::ALL {
            // Every call of small exports, and enough of large ones.
            for nth in (1..=calls).step_by((calls as usize).div_ceil(60)) {
                for file in whole.keys() {
                    std::fs::write(file, "old").unwrap();
                }
                faults::arm(Some(Plan { nth, fault }));
                let outcome = write(&mut playback, &path);
                faults::disarm();
                if let Err(error) = &outcome {
                    assert!(!fault.is_harmless(), "{extension}, {fault:?} at call {nth}: {error}");
                }
                let found = files(folder.path());
                assert!(found.keys().eq(whole.keys()), "{extension}, {fault:?} at call {nth}: {:?}", found.keys());
                for (file, bytes) in &found {
                    let is_whole = bytes == &whole[file] || (outcome.is_err() && bytes == b"old");
                    assert!(is_whole, "{extension}, {fault:?} at call {nth}: {} is torn", file.display());
                }
            }
        }
    }
}
