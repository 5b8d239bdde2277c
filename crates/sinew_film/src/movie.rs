//! MP4 by way of ffmpeg, which is asked to encode what comes down a pipe.

use crate::{ELSEWHERE, FilmError};
use sinew_io::AtomicFile;
use sinew_render::{FrameRate, Image};
use std::ffi::OsString;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};

/// A film on its way to a file. It appears whole, or not at all.
pub(crate) struct Movie {
    path: PathBuf,
    /// What ffmpeg writes to, beside the file that is to be; none once that has its name.
    part: Option<AtomicFile>,
    encoder: Child,
    pipe: Option<ChildStdin>,
}

impl Movie {
    pub(crate) fn create(path: &Path, [width, height]: [u32; 2], rate: FrameRate) -> Result<Self, FilmError> {
        let part = AtomicFile::create(path).map_err(|error| {
            let what = format!("cannot write {}: {error}", path.display());
            FilmError::failed(what, sinew_io::disk::remedy(&error).unwrap_or(ELSEWHERE))
        })?;
        // Without the name of a protocol, a folder called `-x` would be an option and `http:` an address.
        let mut target = OsString::from("file:");
        target.push(part.part_path());
        let (numerator, denominator) = rate.as_fraction();
        let mut command = Command::new("ffmpeg");
        command.args(["-v", "error", "-y", "-f", "rawvideo", "-pix_fmt", "rgba"]);
        command.args(["-s", &format!("{width}x{height}"), "-r", &format!("{numerator}/{denominator}"), "-i", "-"]);
        // Players want 4:2:0, which needs even sizes; the odd row is doubled.
        command.args(["-an", "-vf", "pad=ceil(iw/2)*2:ceil(ih/2)*2", "-c:v", "libx264", "-crf", "18"]);
        command.args(["-pix_fmt", "yuv420p", "-movflags", "+faststart", "-bitexact"]);
        command.args(["-f", "mp4"]).arg(target);
        let started = command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn();
        let mut encoder = started.map_err(|error| {
            let help =
                "install ffmpeg (apt install ffmpeg, brew install ffmpeg), or write .gif or .apng, which need nothing";
            FilmError::failed(
                format!("cannot write {}: .mp4 needs ffmpeg, which does not start: {error}", path.display()),
                help,
            )
        })?;
        let pipe = encoder.stdin.take();
        Ok(Self { path: path.to_owned(), part: Some(part), encoder, pipe })
    }

    pub(crate) fn write(&mut self, image: &Image) -> Result<(), FilmError> {
        let written = match &mut self.pipe {
            Some(pipe) => pipe.write_all(&image.rgba),
            None => Ok(()),
        };
        written.map_err(|error| self.failed(&error.to_string()))
    }

    pub(crate) fn finish(mut self) -> Result<(), FilmError> {
        self.pipe = None;
        match self.encoder.wait() {
            Ok(status) if status.success() => {}
            Ok(status) => return Err(self.failed(&status.to_string())),
            Err(error) => return Err(self.failed(&error.to_string())),
        }
        let committed = self.part.take().map_or(Ok(()), AtomicFile::commit);
        committed.map_err(|error| self.failed(&error.to_string()))
    }

    /// What went wrong, in ffmpeg's own words where it has some.
    fn failed(&mut self, otherwise: &str) -> FilmError {
        self.pipe = None;
        let mut said = String::new();
        if let Some(mut stderr) = self.encoder.stderr.take() {
            // What cannot be read is left to the other message.
            let _ = stderr.read_to_string(&mut said);
        }
        let why = said.lines().last().filter(|line| !line.trim().is_empty()).unwrap_or(otherwise);
        let help = "choose a file in a folder that you may write to, or write .gif or .apng";
        FilmError::failed(format!("ffmpeg cannot write {}: {why}", self.path.display()), help)
    }
}

impl Drop for Movie {
    fn drop(&mut self) {
        self.pipe = None;
        // Nothing is left of a film that did not end well: the part goes once nobody writes to it.
        let _ = self.encoder.kill();
        let _ = self.encoder.wait();
    }
}
