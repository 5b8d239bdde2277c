//! The disk fails at every single call of a save: the file holds the old text or the new one, and nothing lies beside it.

use sinew_io::disk::faults::{self, Fault, Plan};
use sinew_scene::{Command, Document, builtin};

#[test]
fn a_save_that_fails_at_any_call_leaves_the_old_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.toml");
    let old = builtin::scenes()[0].toml;
    let save = |plan: Option<Plan>| {
        std::fs::write(&path, old).unwrap();
        let mut document = Document::open(&path).unwrap();
        document.apply(&Command::parse_set("scene.substeps=9").unwrap()).unwrap();
        faults::arm(plan);
        let saved = document.save();
        let calls = faults::disarm();
        assert_eq!(saved.is_ok(), document.is_saved());
        (saved, calls, document)
    };
    let (saved, calls, _) = save(None);
    saved.unwrap();
    assert!(calls >= 4, "{calls} calls");
    for fault in Fault::ALL {
        for nth in 1..=calls {
            let (saved, _, document) = save(Some(Plan { nth, fault }));
            let text = std::fs::read_to_string(&path).unwrap();
            match saved {
                Ok(()) => assert_eq!(text, document.text(), "{fault:?} at call {nth}"),
                Err(error) => {
                    assert!(!fault.is_harmless(), "{fault:?} at call {nth}: {error}");
                    assert!(text == old || text == document.text(), "{fault:?} at call {nth}: a torn file");
                }
            }
            assert_eq!(
                std::fs::read_dir(folder.path()).unwrap().count(),
                1,
                "{fault:?} at call {nth}: something is left"
            );
        }
    }
}

#[test]
fn a_full_disk_is_told_with_what_to_do() {
    let folder = tempfile::tempdir().unwrap();
    let mut document = Document::parse(builtin::scenes()[0].toml, "scene.toml").unwrap();
    faults::arm(Some(Plan { nth: 2, fault: Fault::Full }));
    let saved = document.save_as(&folder.path().join("scene.toml"));
    faults::disarm();
    let said = saved.unwrap_err().to_string();
    assert!(
        said.contains("scene.toml: cannot save") && said.contains("help: ") && said.contains("make room"),
        "{said}"
    );
}
