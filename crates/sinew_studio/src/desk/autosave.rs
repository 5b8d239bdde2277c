//! Unsaved work, kept on disk every few seconds: a run that is cut off loses little, and the next one offers it again.
//!
//! The work of a scene file lies beside it, that of a built-in scene in the user's state folder. A slot is locked as long as a
//! studio uses it, so that two studios on one scene do not take each other's work for lost.

use sinew_scene::Document;
use sinew_scene::document::write_atomically;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

pub(super) struct Autosave {
    slot: Option<Slot>,
    /// Work of an earlier run that nobody has answered for yet.
    found: Option<String>,
    /// What is in the slot now.
    kept: Option<String>,
    kept_at: Instant,
    /// When work was last written.
    written_at: Option<SystemTime>,
    /// The text as it was opened: no work.
    opened: String,
}

struct Slot {
    file: PathBuf,
    /// Held until the studio ends or opens another scene.
    _lock: File,
}

impl Autosave {
    /// Work is kept at least this often.
    const EVERY: Duration = Duration::from_secs(8);

    /// The slot of a document, with what an earlier run left in it.
    pub(super) fn of(document: &Document, builtin: Option<&str>, state_folder: Option<&Path>) -> Self {
        let slot = base(document, builtin, state_folder).and_then(|base| Slot::take(&base));
        let found = slot.as_ref().and_then(|slot| fs::read_to_string(&slot.file).ok());
        let found = found.filter(|text| text != document.text());
        let opened = document.text().to_owned();
        Self { slot, kept: found.clone(), found, kept_at: Instant::now(), written_at: None, opened }
    }

    pub(super) fn has_found(&self) -> bool {
        self.found.is_some()
    }

    /// What was found; it is nobody's from then on.
    pub(super) fn take_found(&mut self) -> Option<String> {
        self.found.take()
    }

    /// When the unsaved work that is kept was written, seconds since 1970; none where there is none.
    pub(super) fn written_unix_secs(&self) -> Option<f64> {
        let since = self.written_at?.duration_since(UNIX_EPOCH).ok()?;
        Some(since.as_secs_f64())
    }

    /// Keeps unsaved work, now and then. What was found stays until it was answered for, or there is newer work. Whether
    /// what is kept changed.
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
            if write_atomically(&slot.file, document.text().as_bytes()).is_ok() {
                self.kept = Some(document.text().to_owned());
                self.written_at = Some(SystemTime::now());
            }
        } else if !is_work && self.found.is_none() {
            self.discard();
        }
    }

    /// There is no unsaved work.
    pub(super) fn discard(&mut self) {
        if let Some(slot) = self.slot.as_ref().filter(|_| self.kept.is_some()) {
            let _ = fs::remove_file(&slot.file);
        }
        self.kept = None;
        self.written_at = None;
    }
}

impl Slot {
    /// The first free slot of a name.
    fn take(base: &Path) -> Option<Self> {
        const SLOTS: u32 = 8;
        fs::create_dir_all(base.parent()?).ok()?;
        (1..=SLOTS).find_map(|number| {
            let name = base.file_name()?.to_string_lossy().into_owned();
            let name = if number == 1 { name } else { format!("{name}-{number}") };
            let lock = File::create(base.with_file_name(format!("{name}.lock"))).ok()?;
            lock.try_lock().ok()?;
            Some(Self { file: base.with_file_name(format!("{name}.autosave")), _lock: lock })
        })
    }
}

/// Where work of a document is kept: `.NAME` beside its file, or in the user's state folder.
fn base(document: &Document, builtin: Option<&str>, state_folder: Option<&Path>) -> Option<PathBuf> {
    match (document.path(), builtin) {
        (Some(path), _) => {
            let name = path.file_name()?.to_string_lossy();
            Some(path.with_file_name(format!(".{name}")))
        }
        (None, Some(builtin)) => Some(state_folder?.join(builtin)),
        (None, None) => None,
    }
}
