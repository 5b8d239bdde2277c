//! Colours as people write them (sRGB bytes) and as light adds up (linear), and the way between them.

use sinew_math::libm::{exp, pow};
use std::ops::{Add, AddAssign, Mul};
use std::sync::LazyLock;

/// An sRGB colour, one byte a channel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Rgb(pub u8, pub u8, pub u8);

impl Rgb {
    /// `0xRRGGBB`, as in a style sheet.
    pub const fn hex(code: u32) -> Self {
        Self((code >> 16) as u8, (code >> 8) as u8, code as u8)
    }

    /// Channels from 0 to 1; what lies outside is moved inside.
    pub fn from_unit(channels: [f64; 3]) -> Self {
        let [r, g, b] = channels.map(|channel| (255.0 * channel.clamp(0.0, 1.0)).round() as u8);
        Self(r, g, b)
    }

    pub fn to_linear(self) -> Linear {
        let channel = |byte: u8| LINEAR_OF_BYTE[usize::from(byte)];
        Linear { r: channel(self.0), g: channel(self.1), b: channel(self.2) }
    }

    /// Between two colours, mixed as CSS gradients are: in sRGB.
    pub fn mix(self, other: Self, share: f64) -> Self {
        let channel = |a: u8, b: u8| (f64::from(a) + (f64::from(b) - f64::from(a)) * share).round() as u8;
        Self(channel(self.0, other.0), channel(self.1, other.1), channel(self.2, other.2))
    }
}

/// A colour in amounts of light: 1 is the white of the page, more is brighter than it.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Linear {
    pub r: f32,
    pub g: f32,
    pub b: f32,
}

impl Linear {
    pub const BLACK: Self = Self::grey(0.0);

    pub const fn grey(value: f32) -> Self {
        Self { r: value, g: value, b: value }
    }

    pub fn mix(self, other: Self, share: f32) -> Self {
        self * (1.0 - share) + other * share
    }

    pub fn luminance(self) -> f32 {
        0.2126 * self.r + 0.7152 * self.g + 0.0722 * self.b
    }

    /// Moves away from grey (`amount` > 0) without changing how bright it is.
    pub(crate) fn saturated(self, amount: f32) -> Self {
        let grey = Self::grey(self.luminance());
        let full = self * (1.0 + amount) + grey * -amount;
        Self { r: full.r.max(0.0), g: full.g.max(0.0), b: full.b.max(0.0) }
    }

    /// sRGB bytes as they would be unrounded, 0 to 255, highlights rolled off.
    pub(crate) fn encode(self) -> [f32; 3] {
        [self.r, self.g, self.b].map(encode)
    }
}

impl Add for Linear {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self { r: self.r + other.r, g: self.g + other.g, b: self.b + other.b }
    }
}

impl AddAssign for Linear {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl Mul<f32> for Linear {
    type Output = Self;
    fn mul(self, scale: f32) -> Self {
        Self { r: self.r * scale, g: self.g * scale, b: self.b * scale }
    }
}

impl Mul for Linear {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        Self { r: self.r * other.r, g: self.g * other.g, b: self.b * other.b }
    }
}

/// Light up to here is shown as it is; brighter light approaches white and never clips to a flat patch.
const SHOULDER: f64 = 0.7;

fn roll_off(light: f64) -> f64 {
    let room = 1.0 - SHOULDER;
    if light <= SHOULDER { light } else { SHOULDER + room * (1.0 - exp((SHOULDER - light) / room)) }
}

static LINEAR_OF_BYTE: LazyLock<[f32; 256]> =
    LazyLock::new(|| std::array::from_fn(|byte| srgb_to_linear(byte as f64 / 255.0) as f32));

/// Steps per unit of light: fine enough that interpolating between them errs by less than 0.02 of a byte.
const ENCODE_STEPS: f32 = 4096.0;
/// Beyond this all light is shown alike: the shoulder is within a hundredth of a byte of white.
const BRIGHTEST: f32 = 4.0;

static ENCODED: LazyLock<Vec<f32>> = LazyLock::new(|| {
    let shown = |step: u32| 255.0 * linear_to_srgb(roll_off(f64::from(step) / f64::from(ENCODE_STEPS)));
    (0..=(BRIGHTEST * ENCODE_STEPS) as u32 + 1).map(|step| shown(step) as f32).collect()
});

fn encode(light: f32) -> f32 {
    let place = light.clamp(0.0, BRIGHTEST) * ENCODE_STEPS;
    let step = place as usize;
    let table = &*ENCODED;
    table[step] + (table[step + 1] - table[step]) * (place - step as f32)
}

fn srgb_to_linear(code: f64) -> f64 {
    if code <= 0.04045 { code / 12.92 } else { pow((code + 0.055) / 1.055, 2.4) }
}

fn linear_to_srgb(light: f64) -> f64 {
    if light <= 0.003_130_8 { light * 12.92 } else { 1.055 * pow(light, 1.0 / 2.4) - 0.055 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_below_the_shoulder_survive_the_way_to_light_and_back() {
        for byte in 0..=217_u8 {
            let [r, _, _] = Rgb(byte, 0, 0).to_linear().encode();
            assert!((r - f32::from(byte)).abs() < 0.02, "{byte} became {r}");
        }
    }

    #[test]
    fn highlights_rise_towards_white_without_clipping() {
        let shown: Vec<f32> = [0.6, 0.8, 1.0, 1.5, 2.0].map(|light| Linear::grey(light).encode()[0]).to_vec();
        assert!(shown.windows(2).all(|pair| pair[0] < pair[1]), "{shown:?}");
        assert!(shown[4] < 255.0);
    }

    #[test]
    fn hex_reads_like_a_style_sheet() {
        assert_eq!(Rgb::hex(0x2b5fd9), Rgb(0x2b, 0x5f, 0xd9));
        assert_eq!(Rgb::from_unit([0.0, 0.2, 7.0]), Rgb(0, 51, 255));
    }
}
