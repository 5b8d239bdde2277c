//! A picture in memory and what can go wrong when it is written.

use crate::{RenderError, Rgb};

/// Rows from the top, four bytes a pixel: red, green, blue in sRGB, and opacity.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Image {
    pub width: u32,
    pub height: u32,
    pub rgba: Vec<u8>,
}

impl Image {
    pub fn filled(width: u32, height: u32, colour: Rgb) -> Self {
        let pixel = [colour.0, colour.1, colour.2, 255];
        Self { width, height, rgba: pixel.repeat(width as usize * height as usize) }
    }

    /// The same in black, or an error where there is not so much memory.
    pub(crate) fn black(width: u32, height: u32) -> Result<Self, RenderError> {
        let bytes = 4 * width as usize * height as usize;
        let mut rgba = Vec::new();
        let mb = (bytes as u64).div_ceil(1_000_000);
        rgba.try_reserve_exact(bytes).map_err(|_| RenderError::Memory { width, height, mb })?;
        rgba.resize(bytes, 0);
        Ok(Self { width, height, rgba })
    }

    pub fn pixel(&self, x: u32, y: u32) -> Rgb {
        let at = 4 * (y as usize * self.width as usize + x as usize);
        Rgb(self.rgba[at], self.rgba[at + 1], self.rgba[at + 2])
    }

    /// Colours row by row, opacity left out.
    pub fn pixels(&self) -> impl Iterator<Item = Rgb> + '_ {
        self.rgba.chunks_exact(4).map(|p| Rgb(p[0], p[1], p[2]))
    }

    pub(crate) fn set_pixel(&mut self, x: u32, y: u32, colour: Rgb) {
        let at = 4 * (y as usize * self.width as usize + x as usize);
        self.rgba[at..at + 4].copy_from_slice(&[colour.0, colour.1, colour.2, 255]);
    }

    /// Refuses an image of another size than the file's, or whose bytes do not match its own.
    pub(crate) fn check_size(&self, width: u32, height: u32) -> Result<(), WriteError> {
        let bytes = 4 * self.width as usize * self.height as usize;
        if (self.width, self.height) != (width, height) || self.rgba.len() != bytes {
            return Err(WriteError::Size {
                width: self.width,
                height: self.height,
                bytes: self.rgba.len(),
                expected: [width, height],
            });
        }
        Ok(())
    }
}

/// Why a picture could not be written.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    #[error("the image is {width}×{height} with {bytes} bytes, but the file's images are {}×{} with four bytes a pixel", expected[0], expected[1])]
    Size { width: u32, height: u32, bytes: usize, expected: [u32; 2] },
    #[error("a GIF is at most 65535×65535 pixels, and at least 1×1; asked for {width}×{height}")]
    GifSize { width: u32, height: u32 },
    #[error("{frames} frames in {secs} seconds is no frame rate: both must be at least 1")]
    FrameRate { frames: u32, secs: u32 },
    #[error("the animation was announced with {expected} frames, but {written} were written")]
    FrameCount { expected: u32, written: u32 },
    #[error("cannot write the PNG")]
    Png(#[from] png::EncodingError),
    #[error("cannot write the GIF")]
    Gif(#[from] gif::EncodingError),
    #[error("cannot write the picture")]
    Io(#[from] std::io::Error),
}
