//! Unsaved work, kept on disk every few seconds: a run that is cut off loses little, and the next one offers it again.
//!
//! The work of a scene file lies beside it, that of a built-in scene in the user's state folder; so does that of a file whose
//! folder takes none. What the state folder does not take of a built-in scene goes to the opened folder. Where it can be kept
//! nowhere, the page and the terminal say so. A slot is locked as long as a studio uses it, so that two studios on one scene
//! do not take each other's work for lost. Work that an earlier run left stays in its slot until someone answers for it; new
//! work goes to another. Slots are opened relative to their folder and no link is followed: what a received project holds
//! under these names does not matter. Kept work can be read by nobody who cannot read the scene.

use crate::protocol::{Level, Notice};
use sinew_bake::assets::Assets;
use sinew_io::{AtomicFile, Dir};
use sinew_scene::Document;
use std::fs::{File, Permissions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// Scenes are small; what is larger is nobody's work.
const LARGEST_BYTES: u64 = 16 << 20;

pub(super) struct Autosave {
    /// Where work may be kept, the first choice first.
    places: Vec<Place>,
    /// Work of earlier runs that nobody has answered for yet, the newest last.
    found: Vec<Found>,
    /// What is in a slot now.
    kept: Option<Kept>,
    kept_at: Instant,
    /// When work was last written.
    written_at: Option<SystemTime>,
    /// Why the work that there is could not be kept.
    failed: Option<String>,
    /// The text as it was opened: no work.
    opened: String,
    /// The project whose assets the work names.
    project: PathBuf,
}

/// A folder with slots of one scene.
struct Place {
    folder: PathBuf,
    stem: String,
    /// Whether it is the studio's own, and is made where it is missing.
    is_ours: bool,
    /// Taken when it is needed first.
    slot: Option<Slot>,
}

struct Kept {
    /// By number.
    place: usize,
    text: String,
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
    ///
    /// The work of a built-in scene lies in the user's state folder; where that takes none, in the opened one.
    pub(super) fn of(
        document: &Document,
        builtin: Option<&str>,
        state_folder: Option<&Path>,
        opened_folder: &Path,
    ) -> Self {
        let mut places = places(document, builtin, state_folder, opened_folder);
        let mut found: Vec<Found> = places.iter().flat_map(|place| place.find(document.text())).collect();
        found.sort_by_key(|found| found.written_at);
        // A second studio that starts now leaves this slot alone.
        if let Some(first) = places.first_mut() {
            let _ = first.take();
        }
        let opened = document.text().to_owned();
        let folder = document.path().and_then(Path::parent);
        let project = folder.unwrap_or(opened_folder).to_owned();
        Self { project, places, found, kept: None, kept_at: Instant::now(), written_at: None, failed: None, opened }
    }

    /// Gives the slots back.
    pub(super) fn release(&mut self) {
        (self.places, self.found) = (Vec::new(), Vec::new());
    }

    pub(super) fn has_found(&self) -> bool {
        !self.found.is_empty()
    }

    /// When the newest work that was found was written.
    pub(super) fn found_at(&self) -> Option<SystemTime> {
        self.found.last().map(|found| found.written_at)
    }

    /// Brings the assets that found work names from where they were kept with it.
    pub(super) fn bring_assets(&self, text: &str) {
        if let Some(found) = self.found.last() {
            // What is missing is told when the scene is made.
            let _ = Assets::of(&self.project).copy_named(text, &Assets::of(found.slot.dir.path()));
        }
    }

    /// The newest work that was found.
    pub(super) fn found(&self) -> Option<&str> {
        self.found.last().map(|found| found.text.as_str())
    }

    /// It was answered for: what is in its slot goes, unless it was taken back and could not be kept elsewhere.
    pub(super) fn drop_found(&mut self) {
        let answered = self.found.pop().filter(|_| self.failed.is_none());
        if let Some(Found { slot, .. }) = answered {
            let _ = slot.dir.remove(&slot.name);
        }
    }

    /// When the unsaved work that is kept was written, seconds since 1970; none where there is none.
    pub(super) fn written_unix_secs(&self) -> Option<f64> {
        let since = self.written_at?.duration_since(UNIX_EPOCH).ok()?;
        Some(since.as_secs_f64())
    }

    /// That unsaved work is not being kept, if so.
    pub(super) fn notice(&self) -> Option<Notice> {
        let why = self.failed.as_ref()?;
        Some(Notice {
            level: Level::Warning,
            path: None,
            text: format!("unsaved work is not being kept: {why}"),
            help: Some("save the scene, or free some room; what is not saved is lost when the studio ends".to_owned()),
            actions: Vec::new(),
        })
    }

    /// Keeps unsaved work, now and then. Whether what is kept changed.
    pub(super) fn keep(&mut self, document: &Document) -> bool {
        let before = (self.written_at, self.failed.is_some());
        if self.kept_at.elapsed() >= Self::EVERY {
            self.keep_now(document);
        }
        (self.written_at, self.failed.is_some()) != before
    }

    pub(super) fn keep_now(&mut self, document: &Document) {
        self.kept_at = Instant::now();
        if document.is_saved() || document.text() == self.opened {
            return self.discard();
        }
        if self.kept.as_ref().is_some_and(|kept| kept.text == document.text()) {
            return;
        }
        match self.write(document) {
            Ok(place) => {
                let text = document.text().to_owned();
                let before = self.kept.replace(Kept { place, text });
                self.written_at = Some(SystemTime::now());
                self.failed = None;
                // It moved: what is in the old place is outdated.
                before.filter(|before| before.place != place).iter().for_each(|before| self.empty(before.place));
            }
            // That must not end the studio; the next try may succeed.
            Err(why) => {
                if self.failed.is_none() {
                    tracing::warn!(%why, "unsaved work could not be kept");
                    eprintln!("warning: unsaved work is not being kept: {why}");
                }
                self.failed = Some(why);
            }
        }
    }

    /// Writes to the first place that takes it. Its number, or why none does.
    fn write(&mut self, document: &Document) -> Result<usize, String> {
        let mut why = "there is no folder for it".to_owned();
        for (number, place) in self.places.iter_mut().enumerate() {
            let (folder, is_ours) = (place.folder.clone(), place.is_ours);
            let written = place.take().and_then(|slot| {
                // Whoever takes the work up again may be in another folder.
                if is_ours {
                    let kept = Assets::of(&folder).copy_named(document.text(), &Assets::of(&self.project));
                    kept.map_err(io::Error::other)?;
                }
                slot.write(document)
            });
            match written {
                Ok(()) => return Ok(number),
                Err(error) => why = format!("{} takes no files: {error}", place.folder.display()),
            }
        }
        Err(why)
    }

    /// There is no unsaved work.
    pub(super) fn discard(&mut self) {
        if let Some(kept) = self.kept.take() {
            self.empty(kept.place);
        }
        (self.written_at, self.failed) = (None, None);
    }

    fn empty(&self, place: usize) {
        if let Some(slot) = self.places.get(place).and_then(|place| place.slot.as_ref()) {
            let _ = slot.dir.remove(&slot.name);
        }
    }
}

impl Place {
    const SLOTS: u32 = 16;

    fn stems(&self) -> impl Iterator<Item = (String, PathBuf)> {
        (1..=Self::SLOTS).map(|number| {
            let stem = if number == 1 { self.stem.clone() } else { format!("{}-{number}", self.stem) };
            let name = PathBuf::from(format!("{stem}.autosave"));
            (stem, name)
        })
    }

    /// Work in slots that nobody uses, and that is not the document's text.
    fn find(&self, text: &str) -> Vec<Found> {
        let Ok(dir) = Dir::open(&self.folder).map(Arc::new) else { return Vec::new() };
        let work = |(stem, name): (String, PathBuf)| {
            // A link or a pipe of that name is nobody's work.
            dir.file(&name).ok()?;
            let slot = Slot::take(&dir, &stem, name).ok()?;
            let (work, written_at) = slot.work()?;
            if work == text {
                let _ = dir.remove(&slot.name); // nothing would be lost
                return None;
            }
            Some(Found { slot, text: work, written_at })
        };
        self.stems().filter_map(work).collect()
    }

    /// Its slot; the first free one where it has none yet.
    fn take(&mut self) -> io::Result<&Slot> {
        let slot = match self.slot.take() {
            Some(slot) => slot,
            None => self.free_slot()?,
        };
        Ok(self.slot.insert(slot))
    }

    fn free_slot(&self) -> io::Result<Slot> {
        if self.is_ours {
            make_private(&self.folder)?;
        }
        let dir = Arc::new(Dir::open(&self.folder)?);
        let mut why = io::Error::other("all its places for unsaved work are taken");
        for (stem, name) in self.stems() {
            // Someone's work, or a link or a pipe of that name.
            if dir.has(&name) {
                continue;
            }
            match Slot::take(&dir, &stem, name) {
                Ok(slot) => return Ok(slot),
                Err(error) => why = error,
            }
        }
        Err(why)
    }
}

impl Slot {
    fn take(dir: &Arc<Dir>, stem: &str, name: PathBuf) -> io::Result<Self> {
        let lock = dir.writable(format!("{stem}.lock"))?;
        lock.try_lock().map_err(io::Error::from)?;
        Ok(Self { dir: dir.clone(), name, _lock: lock })
    }

    /// What is in it, and since when.
    fn work(&self) -> Option<(String, SystemTime)> {
        let written_at = self.dir.file(&self.name).and_then(|file| file.metadata()?.modified()).ok()?;
        let text = String::from_utf8(self.dir.read(&self.name, LARGEST_BYTES).ok()?).ok()?;
        Some((text, written_at))
    }

    /// Puts a document's text in it, whole or not at all.
    fn write(&self, document: &Document) -> io::Result<()> {
        let mut new = AtomicFile::create_in(self.dir.try_clone()?, &self.name)?;
        // Before there is anything to read in it.
        let of_scene = document.path().and_then(|path| path.metadata().ok()).map(|found| found.permissions());
        narrow(new.file(), of_scene)?;
        new.write_all(document.text().as_bytes())?;
        new.commit_and_sync()
    }
}

/// Takes the rights from a new file that the scene gives nobody. Without a scene it is the user's own.
#[cfg(unix)]
pub(super) fn narrow(file: &File, of_scene: Option<Permissions>) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    const OWN: u32 = 0o600;
    let allowed = of_scene.map_or(OWN, |scene| scene.mode());
    let mode = file.metadata()?.permissions().mode();
    file.set_permissions(Permissions::from_mode((mode & allowed & 0o666) | OWN))
}

#[cfg(not(unix))]
pub(super) fn narrow(_: &File, _: Option<Permissions>) -> io::Result<()> {
    Ok(())
}

/// Makes a folder that only the user can look into, where there is none.
pub(super) fn make_private(folder: &Path) -> io::Result<()> {
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

/// Where work of a document is kept: `.NAME` beside its file, then in the user's state folder.
fn places(document: &Document, builtin: Option<&str>, state_folder: Option<&Path>, opened_folder: &Path) -> Vec<Place> {
    let place =
        |folder: &Path, stem: String, is_ours: bool| Place { folder: folder.to_owned(), stem, is_ours, slot: None };
    let mut places = Vec::new();
    let stem = match (document.path(), builtin) {
        (Some(path), _) => {
            let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
            let name = Path::new(path.file_name().unwrap_or_default());
            places.push(place(folder, format!(".{}", name.display()), false));
            // One place for each path, whatever the project is called.
            let real = path.canonicalize().unwrap_or_else(|_| path.to_owned());
            let hash = blake3::hash(real.as_os_str().as_encoded_bytes()).to_hex();
            Some(format!("file-{}", &hash.as_str()[..32]))
        }
        (None, builtin) => builtin.map(str::to_owned),
    };
    places.extend(state_folder.zip(stem).map(|(folder, stem)| place(folder, stem, true)));
    if let Some(name) = builtin.filter(|_| document.path().is_none()) {
        places.push(place(opened_folder, format!(".{name}"), false));
    }
    places
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
                let mut autosave = Autosave::of(&document, None, None, folder.path());
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
                assert_eq!(
                    autosave.kept.as_ref().is_some_and(|kept| kept.text == second),
                    is_new,
                    "{fault:?} at call {nth}: a lie"
                );
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
