//! What is wrong with a metaphor before it hurts (CM-27, fig. 14): empty regions, forces that do not balance, more than the material bears.

use super::Metaphor;
use sinew_solve::Flesh;

/// Share of all forces that may be left over before it shows as drift.
const UNBALANCED: f64 = 0.05;
/// The same for the torque, over all forces times the body's size.
const TURNING: f64 = 0.02;
/// Strain beyond which flesh is torn rather than bent.
const MOST_STRAIN: f64 = 1.0;
/// Share of its own size by which a force may move a region in one step of a solver without a modulus.
const MOST_STEP: f64 = 0.25;

/// Something about a metaphor that will not work, and what would.
#[derive(Debug, Clone, PartialEq)]
pub enum Trouble {
    /// No point lies in a region, by its number.
    Empty { region: usize },
    /// Net force, as a share of all forces: the body drifts.
    Drifts { share: f64 },
    /// Net torque, over all forces times the body's size: the body spins. Cylinders off the body's axis do that.
    Spins { share: f64 },
    /// The largest magnitude is more than stretches the region by its own length.
    TooStrong { newton: f64, bears_n: f64 },
}

impl Trouble {
    pub fn what(&self) -> String {
        match self {
            Self::Empty { region } => format!("region {} holds no point of the body", region + 1),
            Self::Drifts { share } => {
                format!("its regions are uneven: {:.0} % of its forces move the body as a whole", 100.0 * share)
            }
            Self::Spins { share } => {
                format!("it is off the body's axis: its forces turn the body as a whole ({:.0} %)", 100.0 * share)
            }
            Self::TooStrong { newton, bears_n } => {
                format!("{newton:.3} N is more than the material bears there, some {bears_n:.3} N")
            }
        }
    }

    pub fn help(&self) -> &'static str {
        match self {
            Self::Empty { .. } => "make the region larger, or move it onto the body",
            Self::Drifts { .. } | Self::Spins { .. } => "move it onto the body's axis, or set balanced = true",
            Self::TooStrong { .. } => "lower the curve, make the regions larger, or set bounded = true",
        }
    }
}

/// What is wrong with it on this body, where its magnitude is at most `most_n`.
pub fn troubles(metaphor: &Metaphor, flesh: &Flesh, strength: &Strength, most_n: f64) -> Vec<Trouble> {
    let empty = metaphor.regions().enumerate().filter(|(_, points)| points.is_empty());
    let mut found: Vec<Trouble> = empty.map(|(region, _)| Trouble::Empty { region }).collect();
    let net = metaphor.net_at_rest(flesh);
    if !metaphor.is_balanced && net.total_n > 0.0 {
        let drift = net.force_n.length() / net.total_n;
        let spin = net.torque_nm.length() / (net.total_n * flesh.size_m());
        found.extend((drift > UNBALANCED).then_some(Trouble::Drifts { share: drift }));
        found.extend((spin > TURNING).then_some(Trouble::Spins { share: spin }));
    }
    let bears_n = bears_n(metaphor, flesh, strength);
    let newton = most_n.min(metaphor.most_newton);
    found.extend((newton > bears_n).then_some(Trouble::TooStrong { newton, bears_n }));
    found
}

/// What holds flesh together.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Strength {
    pub young_pa: f64,
    pub density_kg_m3: f64,
    /// Seconds of a step, for a solver that knows no modulus (shape matching): it takes back what one step displaces, whatever the material.
    pub step_secs: Option<f64>,
}

/// The force that strains the smallest region by [`MOST_STRAIN`]: Young's modulus times the section of a cube of its volume; without a modulus
/// also what moves the region's mass by [`MOST_STEP`] of its size in one step.
pub fn bears_n(metaphor: &Metaphor, flesh: &Flesh, strength: &Strength) -> f64 {
    let bears = |points: &[u32]| {
        let mass_kg: f64 = points.iter().map(|&point| flesh.mass_kg[point as usize]).sum();
        let size_m = (mass_kg / strength.density_kg_m3).cbrt();
        let strained = MOST_STRAIN * strength.young_pa * size_m * size_m;
        let moved = |secs: f64| MOST_STEP * mass_kg * size_m / (secs * secs);
        strength.step_secs.map_or(strained, |secs| strained.min(moved(secs)))
    };
    metaphor.regions().filter(|points| !points.is_empty()).map(bears).fold(f64::INFINITY, f64::min)
}
