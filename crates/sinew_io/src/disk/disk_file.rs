//! A file that is written to. Every write, cut, sync and rename of sinew's own files passes here, where faults are injected.

use super::faults::{self, Call};
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};

#[derive(Debug)]
pub struct DiskFile(File);

impl DiskFile {
    pub fn new(file: File) -> Self {
        Self(file)
    }

    pub fn file(&self) -> &File {
        &self.0
    }

    /// Cuts the file to `len` bytes and goes on there.
    pub fn cut(&mut self, len: u64) -> io::Result<()> {
        faults::check(Call::Cut)?;
        self.0.set_len(len)?;
        self.0.seek(SeekFrom::Start(len)).map(|_| ())
    }

    /// Returns once the data is on the disk.
    pub fn sync(&self) -> io::Result<()> {
        faults::check(Call::Sync)?;
        self.0.sync_data()
    }

    /// The same for all that is known of the file.
    pub fn sync_all(&self) -> io::Result<()> {
        faults::check(Call::Sync)?;
        self.0.sync_all()
    }
}

impl Write for DiskFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let allowed = faults::before_write(bytes.len())?;
        self.0.write(&bytes[..allowed])
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

impl Read for DiskFile {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        self.0.read(bytes)
    }
}

impl Seek for DiskFile {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.0.seek(to)
    }
}
