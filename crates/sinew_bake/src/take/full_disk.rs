//! Tests of a disk that runs full: the error is clear, and the file stays a readable, resumable take.

use super::bench::{small_header, small_state};
use super::disk::{Sink, open_for_writing};
use super::{FrameView, Resumed, Tail, TakeError, TakeOptions, TakeReader, TakeWriter};
use sinew_io::disk::DiskFile;
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A file on a disk with `room` bytes left; what does not fit is written in part, as a real disk does it.
struct FullDisk {
    file: DiskFile,
    room: Arc<AtomicUsize>,
    can_cut: bool,
}

impl Sink for FullDisk {
    fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        let fits = bytes.len().min(self.room.load(Ordering::Relaxed));
        self.room.fetch_sub(fits, Ordering::Relaxed);
        self.file.append(&bytes[..fits])?;
        if fits < bytes.len() { Err(io::ErrorKind::StorageFull.into()) } else { Ok(()) }
    }

    fn cut(&mut self, len: u64) -> io::Result<()> {
        if self.can_cut || len == 0 { self.file.cut(len) } else { Err(io::Error::other("the disk is gone")) }
    }

    fn sync(&mut self) -> io::Result<()> {
        self.file.sync()
    }
}

const LAST: i32 = 6;

/// Records until something fails; gives the frames that were accepted.
fn record_on(path: &Path, room: usize, can_cut: bool) -> (i32, Result<(), TakeError>) {
    let room = Arc::new(AtomicUsize::new(room));
    let sink = Box::new(FullDisk { file: DiskFile::new(open_for_writing(path).unwrap()), room, can_cut });
    let mut recorded = 0;
    let run = || {
        let mut writer = TakeWriter::begin(sink, path, &small_header(), TakeOptions::default())?;
        for frame in 1..=LAST {
            writer.frame(frame, &small_state(frame))?;
            recorded = frame;
        }
        writer.finish().map(|_| ())
    };
    let outcome = run();
    (recorded, outcome)
}

#[test]
fn a_disk_that_is_full_at_any_byte_leaves_a_readable_take() {
    // In memory where there is such a folder: thousands of syncs to a busy disk would take minutes.
    let memory = Path::new("/dev/shm");
    let folder = if memory.is_dir() { tempfile::tempdir_in(memory) } else { tempfile::tempdir() }.unwrap();
    let path = folder.path().join("full.take");
    record_on(&path, usize::MAX, true).1.unwrap();
    let whole = std::fs::read(&path).unwrap();
    for room in 0..whole.len() {
        for can_cut in [true, false] {
            std::fs::remove_file(&path).unwrap();
            let (recorded, outcome) = record_on(&path, room, can_cut);
            let error = outcome.unwrap_err();
            assert!(matches!(&error, TakeError::Write { source, .. } if source.kind() == io::ErrorKind::StorageFull));
            assert!(error.to_string().contains("full.take") && error.to_string().contains("kept"), "{error}");
            if let Ok(reader) = TakeReader::open(&path) {
                assert!(reader.frames().map_or(0, |frames| *frames.end()) >= recorded);
                assert!(!can_cut || reader.tail() == Tail::Unfinished, "a torn record was left");
                let mut view = FrameView::default();
                (1..=recorded).for_each(|frame| reader.read_frame(frame, &mut view).unwrap());
            } else {
                assert_eq!(recorded, 0);
            }
            finish(&path);
            assert!(std::fs::read(&path).unwrap() == whole, "with room for {room} bytes");
        }
    }
}

/// There is room again: the take is resumed and finished.
fn finish(path: &Path) {
    let resumed = TakeWriter::resume(path, &small_header(), TakeOptions::default()).unwrap();
    let Resumed { mut writer, from, .. } = resumed;
    for frame in from.map_or(1, |point| point.frame + 1)..=LAST {
        writer.frame(frame, &small_state(frame)).unwrap();
    }
    writer.finish().unwrap();
}

#[test]
fn a_failed_frame_can_be_given_again_once_there_is_room() {
    for can_cut in [true, false] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("full.take");
        let room = Arc::new(AtomicUsize::new(usize::MAX));
        let file = DiskFile::new(open_for_writing(&path).unwrap());
        let sink = Box::new(FullDisk { file, room: Arc::clone(&room), can_cut });
        let mut writer = TakeWriter::begin(sink, &path, &small_header(), TakeOptions::default()).unwrap();
        room.store(10, Ordering::Relaxed);
        writer.frame(1, &small_state(1)).unwrap_err();
        room.store(usize::MAX, Ordering::Relaxed);
        if can_cut {
            writer.frame(1, &small_state(1)).unwrap();
            writer.finish().unwrap();
            assert_eq!(TakeReader::open(&path).unwrap().frames(), Some(1..=1));
        } else {
            // The torn record could not be cut off, so nothing may be written behind it.
            let again = writer.frame(1, &small_state(1)).unwrap_err();
            assert!(again.to_string().contains("could not be undone"), "{again}");
        }
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_device_is_no_place_for_a_take() {
    let error = TakeWriter::create("/dev/full", &small_header(), TakeOptions::default()).err().unwrap();
    assert!(matches!(&error, TakeError::Open { source, .. } if source.to_string().contains("device")), "{error}");
}
