//! Unsaved work, kept on disk every few seconds: a run that is cut off loses little, and the next one offers it again.
//!
//! The work of a scene file lies beside it, that of a built-in scene in the user's state folder. A slot is locked as long as a
//! studio uses it, so that two studios on one scene do not take each other's work for lost. Work that an earlier run left stays in
//! its slot until someone answers for it; new work goes to another. Slots are opened relative to their folder and no link is
//! followed: what a received project holds under these names does not matter.

use sinew_io::Dir;
use sinew_scene::Document;
use sinew_scene::document::write_in;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// Scenes are small; what is larger is nobody's work.
const LARGEST_BYTES: u64 = 64 << 20;

pub(super) struct Autosave {
    slot: Option<Slot>,
    /// Work of earlier runs that nobody has answered for yet, the newest last.
    found: Vec<Found>,
    /// What is in the slot now.
    kept: Option<String>,
    kept_at: Instant,
    /// When work was last written.
    written_at: Option<SystemTime>,
    /// The text as it was opened: no work.
    opened: String,
}

struct Slot {
    dir: Arc<Dir>,
    name: PathBuf,
    /// Held until the studio ends or opens another scene.
    _lock: File,
}

struct Found {
    slot: Slot,
    text: String,
    written_at: SystemTime,
}

impl Autosave {
    /// Work is kept at least this often.
    const EVERY: Duration = Duration::from_secs(8);

    /// The slots of a document, with what earlier runs left in them.
    pub(super) fn of(document: &Document, builtin: Option<&str>, state_folder: Option<&Path>) -> Self {
        let (slot, found) = base(document, builtin, state_folder)
            .map(|(dir, stem)| look(&dir, &stem, document.text()))
            .unwrap_or_default();
        let opened = document.text().to_owned();
        Self { slot, found, kept: None, kept_at: Instant::now(), written_at: None, opened }
    }

    /// Gives the slots back.
    pub(super) fn release(&mut self) {
        (self.slot, self.found) = (None, Vec::new());
    }

    pub(super) fn has_found(&self) -> bool {
        !self.found.is_empty()
    }

    /// The newest work that was found.
    pub(super) fn found(&self) -> Option<&str> {
        self.found.last().map(|found| found.text.as_str())
    }

    /// It was answered for: what is in its slot is gone.
    pub(super) fn drop_found(&mut self) {
        if let Some(Found { slot, .. }) = self.found.pop() {
            let _ = slot.dir.remove(&slot.name);
        }
    }

    /// When the unsaved work that is kept was written, seconds since 1970; none where there is none.
    pub(super) fn written_unix_secs(&self) -> Option<f64> {
        let since = self.written_at?.duration_since(UNIX_EPOCH).ok()?;
        Some(since.as_secs_f64())
    }

    /// Keeps unsaved work, now and then. Whether what is kept changed.
    pub(super) fn keep(&mut self, document: &Document) -> bool {
        let before = self.written_at;
        if self.kept_at.elapsed() >= Self::EVERY {
            self.keep_now(document);
        }
        self.written_at != before
    }

    pub(super) fn keep_now(&mut self, document: &Document) {
        let Some(slot) = &self.slot else { return };
        self.kept_at = Instant::now();
        let is_work = !document.is_saved() && document.text() != self.opened;
        if is_work && self.kept.as_deref() != Some(document.text()) {
            // A full disk must not end the studio; the next try may succeed.
            if write_in(&slot.dir, &slot.name, document.text().as_bytes()).is_ok() {
                self.kept = Some(document.text().to_owned());
                self.written_at = Some(SystemTime::now());
            }
        } else if !is_work {
            self.discard();
        }
    }

    /// There is no unsaved work.
    pub(super) fn discard(&mut self) {
        if let Some(slot) = self.slot.as_ref().filter(|_| self.kept.is_some()) {
            let _ = slot.dir.remove(&slot.name);
        }
        self.kept = None;
        self.written_at = None;
    }
}

/// The first free slot without work, and those that hold work which is not the document's text, the newest last.
fn look(dir: &Arc<Dir>, stem: &str, text: &str) -> (Option<Slot>, Vec<Found>) {
    const SLOTS: u32 = 16;
    let (mut own, mut found) = (None, Vec::new());
    for number in 1..=SLOTS {
        let stem = if number == 1 { stem.to_owned() } else { format!("{stem}-{number}") };
        let name = PathBuf::from(format!("{stem}.autosave"));
        let (is_taken, is_file) = (dir.has(&name), dir.file(&name).is_ok());
        // A link or a pipe of that name is nobody's work, and nothing is written there.
        if (own.is_some() && !is_taken) || (is_taken && !is_file) {
            continue;
        }
        let Some(slot) = Slot::take(dir, &stem, name) else { continue };
        match slot.work() {
            Some((work, written_at)) if work != text => found.push(Found { slot, text: work, written_at }),
            _ if own.is_none() => own = Some(slot),
            _ => {}
        }
    }
    found.sort_by_key(|found| found.written_at);
    (own, found)
}

impl Slot {
    fn take(dir: &Arc<Dir>, stem: &str, name: PathBuf) -> Option<Self> {
        let lock = dir.writable(format!("{stem}.lock")).ok()?;
        lock.try_lock().ok()?;
        Some(Self { dir: dir.clone(), name, _lock: lock })
    }

    /// What is in it, and since when.
    fn work(&self) -> Option<(String, SystemTime)> {
        let written_at = self.dir.file(&self.name).and_then(|file| file.metadata()?.modified()).ok()?;
        let text = String::from_utf8(self.dir.read(&self.name, LARGEST_BYTES).ok()?).ok()?;
        Some((text, written_at))
    }
}

/// Where work of a document is kept: `.NAME` beside its file, or in the user's state folder.
fn base(document: &Document, builtin: Option<&str>, state_folder: Option<&Path>) -> Option<(Arc<Dir>, String)> {
    match (document.path(), builtin) {
        (Some(path), _) => {
            let (dir, name) = Dir::of(path).ok()?;
            Some((Arc::new(dir), format!(".{}", name.display())))
        }
        (None, Some(builtin)) => {
            let folder = state_folder?;
            std::fs::create_dir_all(folder).ok()?;
            Some((Arc::new(Dir::open(folder).ok()?), builtin.to_owned()))
        }
        (None, None) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sinew_io::disk::faults::{self, Fault, Plan};
    use sinew_scene::Command;

    /// The disk fails at every single call: what was kept before stays, or the newer work is there; never half of it.
    #[test]
    fn work_that_is_kept_is_whole_whatever_the_disk_does() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("scene.toml");
        std::fs::write(&path, sinew_scene::builtin::find("bar-pin").unwrap().toml).unwrap();
        let set = |document: &mut Document, substeps: u32| {
            document.apply(&Command::parse_set(&format!("scene.substeps={substeps}")).unwrap()).unwrap();
            document.text().to_owned()
        };
        let mut calls = 0;
        for fault in Fault::ALL {
            for nth in 1.. {
                let mut document = Document::open(&path).unwrap();
                let mut autosave = Autosave::of(&document, None, None);
                let first = set(&mut document, 7);
                autosave.keep_now(&document);
                let second = set(&mut document, 9);
                faults::arm(Some(Plan { nth, fault }));
                autosave.keep_now(&document);
                calls = faults::disarm();
                let kept = std::fs::read_to_string(folder.path().join(".scene.toml.autosave")).unwrap();
                let is_new = kept == second;
                assert!(is_new || kept == first, "{fault:?} at call {nth}: torn");
                assert!(is_new || !fault.is_harmless(), "{fault:?} at call {nth}: lost");
                assert_eq!(autosave.kept.as_deref() == Some(&*second), is_new, "{fault:?} at call {nth}: a lie");
                // There is room again: the newest is kept at the next turn.
                autosave.keep_now(&document);
                let kept = std::fs::read_to_string(folder.path().join(".scene.toml.autosave")).unwrap();
                assert_eq!(kept, second, "{fault:?} at call {nth}");
                autosave.discard();
                if nth > calls {
                    break;
                }
            }
        }
        assert!(calls >= 4, "{calls} calls");
    }
}
