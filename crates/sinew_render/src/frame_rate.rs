//! Frames per second as a fraction, and how long each frame stays on screen in formats that count otherwise.

use crate::WriteError;

/// A rational number of frames per second, 24/1 or 24000/1001.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FrameRate {
    frames: u32,
    secs: u32,
}

impl FrameRate {
    /// `frames` in `secs` seconds; both at least 1.
    pub fn new(frames: u32, secs: u32) -> Result<Self, WriteError> {
        if frames == 0 || secs == 0 {
            return Err(WriteError::FrameRate { frames, secs });
        }
        let divisor = greatest_common_divisor(frames, secs);
        Ok(Self { frames: frames / divisor, secs: secs / divisor })
    }

    /// Frames and the seconds they take, in lowest terms.
    pub fn as_fraction(self) -> (u32, u32) {
        (self.frames, self.secs)
    }

    /// When frame `index` begins, in hundredths of a second, rounded: delays are differences of these, so that
    /// rounding never adds up.
    pub(crate) fn centiseconds_at(self, index: u64) -> u64 {
        let (frames, secs) = (u128::from(self.frames), u128::from(self.secs));
        ((u128::from(index) * 100 * secs * 2 + frames) / (2 * frames)) as u64
    }

    /// Seconds per frame as a fraction of 16-bit numbers: exact where it fits, else the nearest such fraction found
    /// by halving both, a relative error below 1/32768.
    pub(crate) fn delay_fraction(self) -> (u16, u16) {
        let (mut secs, mut frames) = (self.secs, self.frames);
        while secs > u32::from(u16::MAX) || frames > u32::from(u16::MAX) {
            secs = secs.div_ceil(2);
            frames = frames.div_ceil(2);
        }
        (secs as u16, frames as u16)
    }
}

fn greatest_common_divisor(mut a: u32, mut b: u32) -> u32 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn centiseconds_never_drift() {
        for (frames, secs) in [(24, 1), (24_000, 1001), (30, 1), (60, 1), (7, 3)] {
            let rate = FrameRate::new(frames, secs).unwrap();
            for index in 0..10_000_u64 {
                let exact = index as f64 * 100.0 * f64::from(secs) / f64::from(frames);
                assert!((rate.centiseconds_at(index) as f64 - exact).abs() <= 0.5);
            }
        }
    }

    #[test]
    fn ntsc_fits_a_png_delay_exactly_and_odd_rates_nearly() {
        assert_eq!(FrameRate::new(24_000, 1001).unwrap().delay_fraction(), (1001, 24_000));
        let (num, den) = FrameRate::new(1_000_003, 41_667).unwrap().delay_fraction();
        let error = f64::from(num) / f64::from(den) / (41_667.0 / 1_000_003.0) - 1.0;
        assert!(error.abs() < 1e-3, "{error}");
    }

    #[test]
    fn zero_is_refused() {
        assert!(FrameRate::new(0, 1).is_err() && FrameRate::new(24, 0).is_err());
    }
}
