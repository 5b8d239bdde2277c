//! Colours for scalar fields; the stops are those of the studio's tokens, so a picture and the page agree.

use crate::Rgb;

/// How a value becomes a colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ColourMap {
    /// Painted layers, 0 blue to 1 red; exactly 0 and exactly 1 have colours of their own.
    Layer,
    /// −1 … 1 as 0 … 1: blue, dark in the middle, red.
    Amplitude,
    /// Dark to green.
    Phase,
    /// Even steps for the eye, readable in grey: for magnitudes.
    Viridis,
    /// Black through red to pale yellow, even steps.
    Inferno,
    /// Blue, pale grey in the middle, red: for signed values about zero.
    Signed,
    /// Tissue: contracted red, at rest pale, expanded light blue.
    Contraction,
}

impl ColourMap {
    pub const ALL: [Self; 7] =
        [Self::Layer, Self::Amplitude, Self::Phase, Self::Viridis, Self::Inferno, Self::Signed, Self::Contraction];

    /// The colour of `value`, 0 to 1; values outside are shown as the nearest end, what is not a number as grey.
    pub fn at(self, value: f64) -> Rgb {
        if value.is_nan() {
            return NOT_A_NUMBER;
        }
        if self == Self::Layer && value == 0.0 {
            return LAYER_ZERO;
        }
        if self == Self::Layer && value == 1.0 {
            return LAYER_ONE;
        }
        between(self.stops(), value.clamp(0.0, 1.0))
    }

    /// The colour of `value` where `range` holds the values of both ends.
    pub fn within(self, value: f64, range: [f64; 2]) -> Rgb {
        let [low, high] = range;
        // An empty range has one value, and it lies in the middle.
        if high == low { self.at(0.5) } else { self.at((value - low) / (high - low)) }
    }

    fn stops(self) -> &'static [(f64, Rgb)] {
        match self {
            Self::Layer => &LAYER,
            Self::Amplitude => &AMPLITUDE,
            Self::Phase => &PHASE,
            Self::Viridis => &VIRIDIS,
            Self::Inferno => &INFERNO,
            Self::Signed => &SIGNED,
            Self::Contraction => &CONTRACTION,
        }
    }
}

fn between(stops: &[(f64, Rgb)], value: f64) -> Rgb {
    let after = stops.partition_point(|(place, _)| *place <= value);
    if after == 0 {
        return stops[0].1;
    }
    let (low, colour) = stops[after - 1];
    match stops.get(after) {
        Some((high, next)) => colour.mix(*next, (value - low) / (high - low)),
        None => colour,
    }
}

const NOT_A_NUMBER: Rgb = Rgb::hex(0x7f7f7f);
const LAYER_ZERO: Rgb = Rgb::hex(0x1a2fae);
const LAYER_ONE: Rgb = Rgb::hex(0xff3d6e);

const LAYER: [(f64, Rgb); 6] = [
    (0.0, Rgb::hex(0x2b5fd9)),
    (0.22, Rgb::hex(0x3fa3e6)),
    (0.42, Rgb::hex(0x59cfa8)),
    (0.60, Rgb::hex(0xc9d65a)),
    (0.78, Rgb::hex(0xf2a63f)),
    (1.0, Rgb::hex(0xe0382f)),
];
const AMPLITUDE: [(f64, Rgb); 3] = [(0.0, Rgb::hex(0x3b7df0)), (0.5, Rgb::hex(0x16181c)), (1.0, Rgb::hex(0xee4f43))];
const PHASE: [(f64, Rgb); 3] = [(0.0, Rgb::hex(0x101215)), (0.45, Rgb::hex(0x1f5a3d)), (1.0, Rgb::hex(0x46e08b))];
const VIRIDIS: [(f64, Rgb); 5] = [
    (0.0, Rgb::hex(0x440154)),
    (0.25, Rgb::hex(0x3b528b)),
    (0.5, Rgb::hex(0x21918c)),
    (0.75, Rgb::hex(0x5ec962)),
    (1.0, Rgb::hex(0xfde725)),
];
const INFERNO: [(f64, Rgb); 5] = [
    (0.0, Rgb::hex(0x000004)),
    (0.25, Rgb::hex(0x57106e)),
    (0.5, Rgb::hex(0xbc3754)),
    (0.75, Rgb::hex(0xf98e09)),
    (1.0, Rgb::hex(0xfcffa4)),
];
const SIGNED: [(f64, Rgb); 5] = [
    (0.0, Rgb::hex(0x3b4cc0)),
    (0.25, Rgb::hex(0x8db0fe)),
    (0.5, Rgb::hex(0xdddddd)),
    (0.75, Rgb::hex(0xf49a7b)),
    (1.0, Rgb::hex(0xb40426)),
];
const CONTRACTION: [(f64, Rgb); 5] = [
    (0.0, Rgb::hex(0xd92b2b)),
    (0.25, Rgb::hex(0xee8a78)),
    (0.5, Rgb::hex(0xf0e9e2)),
    (0.75, Rgb::hex(0xa9d8f2)),
    (1.0, Rgb::hex(0x58b4ea)),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stops_are_met_and_ends_hold() {
        for map in ColourMap::ALL {
            for (place, colour) in map.stops() {
                if map != ColourMap::Layer || (*place != 0.0 && *place != 1.0) {
                    assert_eq!(map.at(*place), *colour, "{map:?} at {place}");
                }
            }
            assert_eq!(map.at(-3.0), map.stops()[0].1);
            assert_eq!(map.at(9.0), map.stops()[map.stops().len() - 1].1);
            assert_eq!(map.at(f64::NAN), NOT_A_NUMBER);
        }
    }

    #[test]
    fn exact_ends_of_a_layer_can_be_told_from_almost() {
        assert_ne!(ColourMap::Layer.at(0.0), ColourMap::Layer.at(1e-9));
        assert_ne!(ColourMap::Layer.at(1.0), ColourMap::Layer.at(1.0 - 1e-9));
    }

    #[test]
    fn viridis_and_inferno_brighten_all_the_way() {
        for map in [ColourMap::Viridis, ColourMap::Inferno] {
            let light: Vec<f32> = (0..=40).map(|i| map.at(f64::from(i) / 40.0).to_linear().luminance()).collect();
            assert!(light.windows(2).all(|pair| pair[0] < pair[1]), "{map:?} {light:?}");
        }
    }

    #[test]
    fn a_range_maps_its_ends_and_survives_being_empty() {
        assert_eq!(ColourMap::Signed.within(0.0, [-2.0, 2.0]), ColourMap::Signed.at(0.5));
        assert_eq!(ColourMap::Signed.within(7.0, [7.0, 7.0]), ColourMap::Signed.at(0.5));
    }
}
