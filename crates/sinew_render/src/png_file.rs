//! PNG files, still and animated.

use crate::palette::{Histogram, Palette};
use crate::{FrameRate, Image, WriteError};
use png::{BitDepth, ColorType, Compression, Encoder, SrgbRenderingIntent, Writer};
use std::io::Write;

/// Writes one picture.
pub fn write_png(out: impl Write, image: &Image) -> Result<(), WriteError> {
    image.check_size(image.width, image.height)?;
    let mut writer = encoder(out, image.width, image.height).write_header()?;
    writer.write_image_data(&opaque_bytes(image))?;
    writer.finish()?;
    Ok(())
}

/// Writes one picture with at most 255 colours: about a third of the bytes, for pictures that are looked at small.
pub fn write_small_png(out: impl Write, image: &Image) -> Result<(), WriteError> {
    image.check_size(image.width, image.height)?;
    let histogram = Histogram::of(image.pixels());
    let palette = Palette::for_histogram(&histogram);
    let indices = palette.assign(&histogram).indices(&histogram, image.pixels());
    let mut encoder = encoder(out, image.width, image.height);
    encoder.set_color(ColorType::Indexed);
    encoder.set_compression(Compression::High);
    encoder.set_filter(png::Filter::NoFilter);
    encoder.set_palette(palette.colours.iter().flat_map(|c| [c.0, c.1, c.2]).collect::<Vec<u8>>());
    let mut writer = encoder.write_header()?;
    writer.write_image_data(&indices)?;
    writer.finish()?;
    Ok(())
}

/// An animated PNG, written frame by frame; every pixel is exact. It loops for ever.
pub struct ApngWriter<W: Write> {
    writer: Writer<W>,
    size: [u32; 2],
    frame_count: u32,
    written: u32,
}

impl<W: Write> ApngWriter<W> {
    /// The format states its number of frames first, so `frame_count` must be known.
    pub fn new(out: W, size: [u32; 2], rate: FrameRate, frame_count: u32) -> Result<Self, WriteError> {
        if frame_count == 0 {
            return Err(WriteError::FrameCount { expected: 0, written: 0 });
        }
        let mut encoder = encoder(out, size[0], size[1]);
        encoder.set_animated(frame_count, 0)?;
        let (secs, frames) = rate.delay_fraction();
        encoder.set_frame_delay(secs, frames)?;
        Ok(Self { writer: encoder.write_header()?, size, frame_count, written: 0 })
    }

    pub fn write(&mut self, image: &Image) -> Result<(), WriteError> {
        image.check_size(self.size[0], self.size[1])?;
        if self.written == self.frame_count {
            return Err(WriteError::FrameCount { expected: self.frame_count, written: self.written + 1 });
        }
        self.writer.write_image_data(&opaque_bytes(image))?;
        self.written += 1;
        Ok(())
    }

    /// Ends the file; an error if fewer frames were written than announced.
    pub fn finish(self) -> Result<(), WriteError> {
        if self.written != self.frame_count {
            return Err(WriteError::FrameCount { expected: self.frame_count, written: self.written });
        }
        self.writer.finish()?;
        Ok(())
    }
}

fn encoder<W: Write>(out: W, width: u32, height: u32) -> Encoder<'static, W> {
    let mut encoder = Encoder::new(out, width, height);
    encoder.set_color(ColorType::Rgb);
    encoder.set_depth(BitDepth::Eight);
    encoder.set_compression(Compression::Balanced);
    encoder.set_source_srgb(SrgbRenderingIntent::Perceptual);
    encoder
}

/// Pictures are opaque, and a quarter of the bytes would say so.
fn opaque_bytes(image: &Image) -> Vec<u8> {
    image.pixels().flat_map(|c| [c.0, c.1, c.2]).collect()
}
