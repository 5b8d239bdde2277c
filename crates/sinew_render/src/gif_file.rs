//! Animated GIFs: few colours well chosen, only what changes written, time kept without drift.

use crate::palette::{Histogram, MOST_COLOURS, Palette};
use crate::{FrameRate, Image, Rgb, WriteError};
use gif::{DisposalMethod, Encoder, Frame, Repeat};
use std::io::Write;

/// "As before", one past the last colour of a full palette.
const UNCHANGED: u8 = MOST_COLOURS as u8;

/// Browsers play anything shorter at a tenth of a second instead.
const SHORTEST_CENTISECONDS: u64 = 2;

/// A palette serves later frames until their mean squared error is this many times what it was for its own frame …
const PALETTE_PATIENCE: f64 = 1.5;
/// … but differences below this are not seen (about one byte in one channel).
const UNSEEN_ERROR: f64 = 4.0;

/// Writes a GIF frame by frame. It loops for ever.
///
/// Delays are whole hundredths of a second, spread so that the film keeps its length. Above 50 frames a second,
/// which browsers do not play, frames are left out and the speed stays right.
pub struct GifWriter<W: Write> {
    out: Output<W>,
    size: [u16; 2],
    rate: FrameRate,
    /// Frames given so far, whether written or left out.
    given: u64,
    shown: Vec<Rgb>,
    chosen: Option<Chosen>,
    /// A frame is written when its end is known.
    waiting: Option<(Frame<'static>, u64)>,
}

/// A palette in use, its error on the frame it was made for, and whether it is the file's own.
struct Chosen {
    palette: Palette,
    own_error: f64,
    is_global: bool,
}

enum Output<W: Write> {
    /// The file begins with the first frame's palette, so nothing is written before it.
    Unstarted(Option<W>),
    Started(Encoder<W>),
}

impl<W: Write> GifWriter<W> {
    pub fn new(out: W, size: [u32; 2], rate: FrameRate) -> Result<Self, WriteError> {
        let [width, height] = size;
        let refused = || WriteError::GifSize { width, height };
        if width == 0 || height == 0 {
            return Err(refused());
        }
        let size = [u16::try_from(width).map_err(|_| refused())?, u16::try_from(height).map_err(|_| refused())?];
        Ok(Self {
            out: Output::Unstarted(Some(out)),
            size,
            rate,
            given: 0,
            shown: Vec::new(),
            chosen: None,
            waiting: None,
        })
    }

    pub fn write(&mut self, image: &Image) -> Result<(), WriteError> {
        image.check_size(u32::from(self.size[0]), u32::from(self.size[1]))?;
        let begin = self.rate.centiseconds_at(self.given);
        self.given += 1;
        if self.waiting.as_ref().is_some_and(|(_, before)| begin - before < SHORTEST_CENTISECONDS) {
            return Ok(());
        }
        self.write_waiting(begin)?;
        let frame = self.changed_part(image)?;
        self.waiting = Some((frame, begin));
        Ok(())
    }

    /// Writes the last frame and ends the file; gives back the writer.
    pub fn finish(mut self) -> Result<W, WriteError> {
        let end = self.rate.centiseconds_at(self.given);
        self.write_waiting(end)?;
        match self.out {
            Output::Started(encoder) => Ok(encoder.into_inner()?),
            Output::Unstarted(_) => Err(WriteError::FrameCount { expected: 1, written: 0 }),
        }
    }

    fn write_waiting(&mut self, end: u64) -> Result<(), WriteError> {
        if let (Some((mut frame, begin)), Output::Started(encoder)) = (self.waiting.take(), &mut self.out) {
            let delay = (end - begin).max(SHORTEST_CENTISECONDS);
            frame.delay = u16::try_from(delay).unwrap_or(u16::MAX);
            encoder.write_frame(&frame)?;
        }
        Ok(())
    }

    /// The smallest rectangle that changes, pixels that do not change left as they are.
    fn changed_part(&mut self, image: &Image) -> Result<Frame<'static>, WriteError> {
        let histogram = Histogram::of(image.pixels());
        let (chosen, mut indices) = self.choose_colours(image, &histogram)?;
        let width = usize::from(self.size[0]);
        let mut part = [0, 0, width, usize::from(self.size[1])];
        let colours = indices.iter().map(|&index| chosen.palette.colours[usize::from(index)]).collect();
        let shown = std::mem::replace(&mut self.shown, colours);
        if !shown.is_empty() {
            for (index, (before, now)) in indices.iter_mut().zip(shown.iter().zip(&self.shown)) {
                if before == now {
                    *index = UNCHANGED;
                }
            }
            part = changed_rectangle(&indices, width);
        }
        let [left, top, right, bottom] = part;
        let rows = (top..bottom).map(|row| &indices[row * width + left..row * width + right]);
        let frame = Frame {
            dispose: DisposalMethod::Keep,
            transparent: Some(UNCHANGED),
            left: left as u16,
            top: top as u16,
            width: (right - left) as u16,
            height: (bottom - top) as u16,
            palette: (!chosen.is_global).then(|| padded_bytes(&chosen.palette)),
            buffer: rows.collect::<Vec<_>>().concat().into(),
            ..Frame::default()
        };
        self.chosen = Some(chosen);
        Ok(frame)
    }

    /// The palette for this image, and its index for every pixel: the last one while it serves, else a new one.
    fn choose_colours(&mut self, image: &Image, histogram: &Histogram) -> Result<(Chosen, Vec<u8>), WriteError> {
        if let Some(last) = self.chosen.take() {
            let assignment = last.palette.assign(histogram);
            if assignment.mean_error <= UNSEEN_ERROR.max(PALETTE_PATIENCE * last.own_error) {
                return Ok((last, assignment.indices(histogram, image.pixels())));
            }
        }
        let palette = Palette::for_histogram(histogram);
        let assignment = palette.assign(histogram);
        let is_global = self.start(&palette)?;
        let chosen = Chosen { palette, own_error: assignment.mean_error, is_global };
        Ok((chosen, assignment.indices(histogram, image.pixels())))
    }

    /// Begins the file with `palette` unless it has begun; says whether it did.
    fn start(&mut self, palette: &Palette) -> Result<bool, WriteError> {
        let Output::Unstarted(out) = &mut self.out else { return Ok(false) };
        let Some(out) = out.take() else { return Ok(false) };
        let mut encoder = Encoder::new(out, self.size[0], self.size[1], &padded_bytes(palette))?;
        encoder.set_repeat(Repeat::Infinite)?;
        self.out = Output::Started(encoder);
        Ok(true)
    }
}

/// Left, top, right, bottom (the last two excluded) of all pixels that change; one pixel where none does, since an
/// empty frame is not allowed.
fn changed_rectangle(indices: &[u8], width: usize) -> [usize; 4] {
    let mut part = [usize::MAX, usize::MAX, 0, 0];
    for (row, line) in indices.chunks_exact(width).enumerate() {
        let Some(first) = line.iter().position(|&index| index != UNCHANGED) else { continue };
        let last = line.iter().rposition(|&index| index != UNCHANGED).unwrap_or(first);
        part = [part[0].min(first), part[1].min(row), part[2].max(last + 1), row + 1];
    }
    if part[2] == 0 { [0, 0, 1, 1] } else { part }
}

/// All 256 colours: the index for "as before" needs an entry too.
fn padded_bytes(palette: &Palette) -> Vec<u8> {
    let mut bytes: Vec<u8> = palette.colours.iter().flat_map(|c| [c.0, c.1, c.2]).collect();
    bytes.resize(3 * (MOST_COLOURS + 1), 0);
    bytes
}
