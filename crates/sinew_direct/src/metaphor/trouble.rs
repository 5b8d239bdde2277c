//! What is wrong with a metaphor before it hurts (CM-27, fig. 14): empty regions, forces that do not balance or cancel, more than the material bears.

use super::{Metaphor, Net, Sharing, Strength, balancing, bound};
use sinew_solve::Flesh;

/// Share of all forces that may be left over before it shows as drift.
const UNBALANCED: f64 = 0.05;
/// The same for the torque, over all forces times the body's size.
const TURNING: f64 = 0.02;
/// Forces of which less than this share is left deform nothing.
const CANCELLED: f64 = 1e-6;
/// A bounded force is as much as is borne, to rounding.
const ROUNDING: f64 = 1e-9;

/// Something about a metaphor that will not work, and what would.
#[derive(Debug, Clone, PartialEq)]
pub enum Trouble {
    /// No point lies in a region, by its number.
    Empty { region: usize },
    /// Nothing is left of its forces: they cancel, or all of them would move the body as a whole and are balanced.
    Nothing { is_balanced: bool },
    /// Net force, as a share of all forces: the body drifts.
    Drifts { share: f64, is_paper: bool },
    /// Net torque, over all forces times the body's size: the body spins. Cylinders off the body's axis do that.
    Spins { share: f64, is_paper: bool },
    /// The largest magnitude is more than the flesh bears.
    TooStrong { newton: f64, bears_n: f64, is_paper: bool },
    /// The same, and what acts is cut to what it bears.
    Cut { newton: f64, bears_n: f64 },
}

impl Trouble {
    pub fn what(&self) -> String {
        match self {
            Self::Empty { region } => format!("region {} holds no point of the body", region + 1),
            Self::Nothing { is_balanced: true } => {
                "all of its forces move or turn the body as a whole: balanced, nothing is left of them".to_owned()
            }
            Self::Nothing { is_balanced: false } => "its forces cancel: nothing is pushed".to_owned(),
            Self::Drifts { share, .. } => {
                format!("its regions are uneven: {:.0} % of its forces move the body as a whole", 100.0 * share)
            }
            Self::Spins { share, .. } => {
                format!("it is off the body's axis: its forces turn the body as a whole ({:.0} %)", 100.0 * share)
            }
            Self::TooStrong { newton, bears_n, .. } => {
                let [newton, bears] = [newton, bears_n].map(|newton| in_words(*newton));
                format!("{newton} is more than the material bears there, some {bears}")
            }
            Self::Cut { newton, bears_n } => {
                let [newton, bears] = [newton, bears_n].map(|newton| in_words(*newton));
                format!("{newton} is more than the material bears there: no more than {bears} acts")
            }
        }
    }

    /// What helps. Paper mode is neither balanced nor bounded.
    pub fn help(&self) -> &'static str {
        match self {
            Self::Empty { .. } => "make the region larger, or move it onto the body",
            Self::Nothing { is_balanced: true } => "push another region the other way, or set balanced = false",
            Self::Nothing { is_balanced: false } => "give its pushes a direction",
            Self::Drifts { is_paper: false, .. } | Self::Spins { is_paper: false, .. } => {
                "move it onto the body's axis, or set balanced = true"
            }
            Self::Drifts { .. } | Self::Spins { .. } => "move it onto the body's axis, or leave out `paper`",
            Self::TooStrong { is_paper: false, .. } => {
                "lower the curve or the weight, make the regions larger, or set bounded = true"
            }
            Self::TooStrong { .. } => "lower the curve or the weight, make the regions larger, or leave out `paper`",
            Self::Cut { .. } => "lower the curve or the weight, make the regions larger, or set bounded = false",
        }
    }
}

/// What a user reads: three digits after the point, or a power of ten.
fn in_words(newton: f64) -> String {
    let size = newton.abs();
    if (0.01..1e6).contains(&size) { format!("{newton:.3} N") } else { format!("{newton:.3e} N") }
}

/// What is wrong with it on this body, where its curve times its weight asks for magnitudes from `asked_n[0]` to `asked_n[1]`.
pub fn troubles(metaphor: &Metaphor, flesh: &Flesh, strength: &Strength, asked_n: [f64; 2]) -> Vec<Trouble> {
    let empty = metaphor.regions().enumerate().filter(|(_, points)| points.is_empty());
    let mut found: Vec<Trouble> = empty.map(|(region, _)| Trouble::Empty { region }).collect();
    let net = metaphor.net_at_rest(flesh);
    let (is_paper, is_balanced) = (metaphor.sharing == Sharing::PerNode, metaphor.is_balanced);
    if net.total_n > 0.0 && !is_balanced {
        let drift = net.force_n.length() / net.total_n;
        let spin = net.torque_nm.length() / (net.total_n * flesh.size_m());
        found.extend((drift > UNBALANCED).then_some(Trouble::Drifts { share: drift, is_paper }));
        found.extend((spin > TURNING).then_some(Trouble::Spins { share: spin, is_paper }));
    }
    let holds_something = metaphor.regions().any(|points| !points.is_empty());
    let left_n = if is_balanced { left_over_n(metaphor, flesh, &net) } else { net.total_n };
    if holds_something && left_n <= CANCELLED * net.total_n {
        found.push(Trouble::Nothing { is_balanced: net.total_n > 0.0 });
    }
    let bears = bound(metaphor, flesh, strength);
    let beyond = |newton: &f64| newton.abs() > (1.0 + ROUNDING) * bears.towards(*newton);
    let strongest = asked_n.into_iter().filter(beyond).max_by(|a, b| {
        let over = |newton: &f64| newton.abs() / bears.towards(*newton);
        over(a).total_cmp(&over(b))
    });
    found.extend(strongest.map(|newton| {
        let (newton, bears_n) = (newton.abs(), bears.towards(newton));
        let is_cut = metaphor.bound.towards(newton).is_finite();
        if is_cut { Trouble::Cut { newton, bears_n } } else { Trouble::TooStrong { newton, bears_n, is_paper } }
    }));
    found
}

/// Σ|f| of one newton, balanced, on the body at rest.
fn left_over_n(metaphor: &Metaphor, flesh: &Flesh, net: &Net) -> f64 {
    let mut forces = balancing(&flesh.rest, &flesh.mass_kg, net);
    let unit = metaphor.unit_forces(metaphor.widget.at_rest(), &flesh.rest);
    unit.for_each(|(point, force)| forces[point] += force);
    forces.iter().map(|force| force.length()).sum()
}
