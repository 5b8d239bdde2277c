//! Opening and saving (rule F of SPEC.md).

use sinew_scene::{Command, Document, builtin};
use std::fs;

fn edited(path: &std::path::Path) -> Document {
    let mut document = Document::open(path).expect("a scene");
    let command = Command::parse_set("scene.fps=30").expect("a command");
    document.apply(&command).expect("a valid edit");
    document
}

#[test]
fn f1_a_save_writes_the_text_and_leaves_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("scene.toml");
    fs::write(&path, builtin::scenes()[0].toml).unwrap();
    let mut document = Document::open(folder.path()).unwrap();
    assert!(document.is_saved() && document.path() == Some(&path));
    document.apply(&Command::parse_set("scene.fps=30").unwrap()).unwrap();
    assert!(!document.is_saved());
    document.save().unwrap();
    assert!(document.is_saved());
    assert_eq!(fs::read_to_string(&path).unwrap(), document.text());
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    document.undo();
    assert!(!document.is_saved(), "undo past a save is a change");
}

#[test]
fn f5_a_file_that_changed_since_it_was_read_is_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("scene.toml");
    fs::write(&path, builtin::scenes()[0].toml).unwrap();
    let (mut first, mut second) = (edited(folder.path()), edited(&path));
    second.apply(&Command::parse_set("scene.substeps=9").unwrap()).unwrap();
    first.save_unless_changed().unwrap();
    let error = second.save_unless_changed().unwrap_err().to_string();
    assert!(error.contains("another program changed the file") && error.contains("try again"), "{error}");
    assert_eq!(fs::read_to_string(&path).unwrap(), first.text());
    first.undo();
    first.save_unless_changed().unwrap();
}

#[cfg(unix)]
#[test]
fn f2_permissions_and_links_are_kept() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let folder = tempfile::tempdir().unwrap();
    let (real, link) = (folder.path().join("real.toml"), folder.path().join("link.toml"));
    fs::write(&real, builtin::scenes()[0].toml).unwrap();
    fs::set_permissions(&real, fs::Permissions::from_mode(0o640)).unwrap();
    symlink(&real, &link).unwrap();
    let mut document = edited(&link);
    document.save().unwrap();
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    assert_eq!(fs::read_to_string(&real).unwrap(), document.text());
    assert_eq!(fs::metadata(&real).unwrap().permissions().mode() & 0o777, 0o640);

    let fresh = folder.path().join("fresh.toml");
    document.save_as(&fresh).unwrap();
    let plain = folder.path().join("plain");
    fs::write(&plain, "").unwrap();
    let mode = |path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&fresh), mode(&plain), "a new scene is as readable as any new file");
}

#[test]
fn f3_what_cannot_be_written_is_said_and_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.toml");
    fs::write(&path, builtin::scenes()[0].toml).unwrap();
    let mut document = edited(&path);

    let mut readonly = fs::metadata(&path).unwrap().permissions();
    readonly.set_readonly(true);
    fs::set_permissions(&path, readonly).unwrap();
    let error = document.save().unwrap_err().to_string();
    assert!(error.contains("a.toml: cannot save: the file is read-only"), "{error}");
    assert_eq!(fs::read_to_string(&path).unwrap(), builtin::scenes()[0].toml);

    let error = document.save_as(&folder.path().join("no/such/folder.toml")).unwrap_err().to_string();
    assert!(error.contains("cannot save"), "{error}");
    let error = document.save_as(folder.path()).unwrap_err().to_string();
    assert!(error.contains("a folder is there"), "{error}");
    assert_eq!(document.path(), Some(path.as_path()), "a failed save does not move the document");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "nothing is left behind");

    let mut unsaved = Document::parse(builtin::scenes()[0].toml, "jellyfish").unwrap();
    assert!(unsaved.save().unwrap_err().to_string().contains("never been saved"));
}

#[test]
fn f4_what_cannot_be_read_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let open = |path: &std::path::Path| Document::open(path).unwrap_err().to_string();
    assert!(open(&folder.path().join("none.toml")).contains("none.toml: cannot read it"));
    assert!(open(folder.path()).contains("scene.toml: cannot read it"));
    let path = folder.path().join("binary.toml");
    fs::write(&path, b"sinew = 1\n\xff\xfe").unwrap();
    assert!(open(&path).contains("byte 10 is not UTF-8"));
    fs::write(&path, "sinew = 1\n[scene]\nfps = 0\n").unwrap();
    assert!(open(&path).contains("binary.toml:3:7: expected a whole number"));
}
