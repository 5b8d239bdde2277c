//! The laws, their bounds and the reason for each bound: the one place where they stand.

use serde::{Deserialize, Serialize};

/// A law of motion that holds whatever the scene.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Law {
    Finishes,
    Momentum,
    Path,
    Spin,
    Energy,
    Extent,
    Side,
    Overlap,
    Still,
    Load,
    Wobble,
    Stretch,
    Moved,
    Turned,
    Units,
    Finer,
    OtherSolver,
}

/// A law, what its figure is, the largest that is allowed, and why that much.
struct Entry {
    law: Law,
    word: &'static str,
    figure: &'static str,
    bound: f64,
    reason: &'static str,
    /// Whether a warning that the solver did not converge excuses it. Nothing excuses a body that blows up.
    is_of_accuracy: bool,
}

const fn hard(law: Law, word: &'static str, figure: &'static str, bound: f64, reason: &'static str) -> Entry {
    Entry { law, word, figure, bound, reason, is_of_accuracy: false }
}

const fn soft(law: Law, word: &'static str, figure: &'static str, bound: f64, reason: &'static str) -> Entry {
    Entry { law, word, figure, bound, reason, is_of_accuracy: true }
}

const LAWS: [Entry; 17] = [
    hard(
        Law::Finishes,
        "finishes",
        "1 where the shot ended early",
        0.0,
        "a scene within the format's ranges plays to its end, but where forces tear a body",
    ),
    hard(
        Law::Momentum,
        "momentum",
        "momentum beyond what gravity and forces gave, while nothing is near, over m · max(speed, g t)",
        1e-6,
        "inner forces add up to zero; 1e-6 is ten times the rounding of f32, whose steps are summed in f64",
    ),
    hard(
        Law::Path,
        "path",
        "distance of the centre of mass from its parabola, over a h t / 2",
        1.01,
        "Euler's steps, implicit or symplectic, are off by exactly this; better schemes by less",
    ),
    hard(
        Law::Spin,
        "spin",
        "change of angular momentum without torque, of a body alone and of all together, over itself · (1 + radians turned)",
        5e-3,
        "half a per cent per radian: a spinning top loses 3 % a turn, which nobody sees",
    ),
    hard(
        Law::Energy,
        "energy",
        "energy beyond that of the start and the work of forces, over what was available",
        1e-2,
        "implicit schemes lose energy; midpoint is allowed to swing by a per cent",
    ),
    hard(
        Law::Extent,
        "extent",
        "longest side over what forces, impact and muscles can stretch the body to, with a factor of 3 to spare",
        1.0,
        "strain is force over stiffness, or the root of energy over stiffness",
    ),
    hard(
        Law::Side,
        "side",
        "depth in or behind an obstacle over the body's size",
        2e-2,
        "the bar of the contact tests",
    ),
    hard(
        Law::Overlap,
        "overlap",
        "depth of a vertex or a cell's middle in another body, over the smaller one's size",
        2e-2,
        "the same",
    ),
    hard(
        Law::Still,
        "still",
        "fastest point after settling, m/s, over √(size / 0.2 m)",
        1e-3,
        "1 mm/s on a body the size of a hand; speeds under gravity grow with the root of size",
    ),
    hard(
        Law::Load,
        "load",
        "how much taller a body stands with another on most of it than without, over its height",
        1e-3,
        "what is pressed gets shorter; a thousandth is for what had not quite settled before",
    ),
    hard(
        Law::Wobble,
        "wobble",
        "energy left of a plucked bar, over that of its start times e^(−r t) (1 + ζ)/(1 − ζ)",
        1.5,
        "`wobble_per_sec` r is documented as e^(−r t) on motion, so that energy falls twice as fast; half of it is asked for",
    ),
    soft(
        Law::Stretch,
        "stretch",
        "end of a pulled bar, off F L / E A, as a share of it",
        0.15,
        "clamped ends, few cells and a strain of up to 5 % make a bar up to a tenth stiffer or softer",
    ),
    soft(
        Law::Moved,
        "moved",
        "distance between the points of the scene and of the same 1 km away, over size and the way it has come",
        1e-3,
        "f64 keeps 1e-13 m at 1 km; motion within a second or two does not blow that up a billion times",
    ),
    soft(
        Law::Turned,
        "turned",
        "the same for the scene turned about the vertical",
        1e-2,
        "kernels of f32 and sweeps over axes round differently in another frame; 1 % is not seen",
    ),
    soft(
        Law::Units,
        "units",
        "the same in other units (lengths × 2ᵃ, masses × 2ᵇ)",
        1e-3,
        "powers of two change no digit: what differs is a tolerance in metres or newton",
    ),
    soft(
        Law::Finer,
        "finer",
        "what is at rest at the end, against the same with half the step, over size",
        1e-2,
        "an equilibrium does not depend on the step",
    ),
    soft(
        Law::OtherSolver,
        "other_solver",
        "centre and box of a body under descent against Newton's, over size and the way it has come",
        2e-2,
        "both look for the same minimum; 2 % is where one begins to see it",
    ),
];

impl Law {
    pub const ALL: [Self; 17] = {
        let mut all = [Self::Finishes; 17];
        let mut number = 0;
        while number < all.len() {
            all[number] = LAWS[number].law;
            number += 1;
        }
        all
    };

    fn entry(self) -> &'static Entry {
        &LAWS[LAWS.iter().position(|entry| entry.law == self).unwrap_or(0)]
    }

    /// Its name in files and tables.
    pub fn word(self) -> &'static str {
        self.entry().word
    }

    pub fn bound(self) -> f64 {
        self.entry().bound
    }

    /// What its figure is.
    pub fn figure(self) -> &'static str {
        self.entry().figure
    }

    /// Why the bound is what it is.
    pub fn reason(self) -> &'static str {
        self.entry().reason
    }

    /// Its row in the book's table.
    pub fn row(self) -> String {
        let Entry { word, figure, bound, reason, .. } = self.entry();
        let bound = if *bound < 1e-3 && *bound > 0.0 { format!("{bound:e}") } else { bound.to_string() };
        format!("| {word} | {figure} | {bound} | {reason} |")
    }

    pub fn is_of_accuracy(self) -> bool {
        self.entry().is_of_accuracy
    }

    pub fn from_word(word: &str) -> Option<Self> {
        LAWS.iter().find(|entry| entry.word == word).map(|entry| entry.law)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_law_has_an_entry_of_its_own() {
        for law in Law::ALL {
            assert_eq!(law.entry().law, law);
            assert_eq!(Law::from_word(law.word()), Some(law));
        }
    }
}
