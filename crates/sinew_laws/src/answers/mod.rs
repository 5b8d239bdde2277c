//! Known answers: scenes whose outcome a formula gives, played with every solver. docs/book/trust.md is what came of them.

mod contact;
mod elastic;
mod motion;
mod run;

use anyhow::Result;
use run::Run;
use std::fmt::Write;

/// How a body may be stepped, as a scene file writes it.
pub struct Way {
    pub name: &'static str,
    solver: &'static str,
    /// Whether its flesh is a lattice instead of tetrahedra: springs have the modulus that is asked for there.
    is_lattice: bool,
    /// Whether it has a Young's modulus and Poisson's ratio at all.
    is_material: bool,
}

const fn way(name: &'static str, solver: &'static str) -> Way {
    Way { name, solver, is_lattice: false, is_material: true }
}

/// Every solver and option that a user may pick.
pub const WAYS: [Way; 7] = [
    Way { is_material: false, ..way("shape matching", "{ kind = \"shape_matching\", iterations = 6 }") },
    way("FEM, Newton", "{ kind = \"fem\" }"),
    way("FEM, smoothed", "{ kind = \"fem\", elements = \"smoothed\" }"),
    way("FEM, midpoint", "{ kind = \"fem\", time = \"midpoint\" }"),
    way("FEM, descent", "{ kind = \"fem\", method = \"descent\" }"),
    Way { is_lattice: true, ..way("springs", "{ kind = \"springs\" }") },
    Way { is_lattice: true, ..way("springs, adaptive", "{ kind = \"springs\", method = \"adaptive\" }") },
];

/// A scene with a known outcome.
pub struct Answer {
    pub name: &'static str,
    /// The formula, and what the figure is.
    pub theory: &'static str,
    /// How the figure is written.
    kind: Kind,
    /// A change of the figure by less than this is none.
    negligible: f64,
    /// The figure of a way; none where the formula does not speak about it.
    measure: fn(&Way) -> Result<Option<f64>>,
}

/// A figure may be this many times the one on the page, which has one or two digits.
const MOST_WORSE: f64 = 1.25;

/// What a figure is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// A share by which the outcome is off, signed.
    Off,
    /// An amount that would best be 0.
    Amount,
}

/// All of them, in the order of the page.
pub const ANSWERS: [Answer; 16] = [
    Answer {
        name: "fall",
        theory: "speed after 2 s of free fall: g t",
        kind: Kind::Off,
        negligible: 1e-9,
        measure: motion::fall,
    },
    Answer {
        name: "spin",
        theory: "angular momentum after 10 s at 6 rad/s in empty space: what it was",
        kind: Kind::Off,
        negligible: 1e-5,
        measure: motion::spin,
    },
    Answer {
        name: "energy",
        theory: "energy of an undamped clamped bar in 5 s of swinging: never more than it had (its gain)",
        kind: Kind::Amount,
        negligible: 1e-3,
        measure: motion::energy,
    },
    Answer {
        name: "sinking",
        theory: "a rubber cube that sinks in water: √(m g / 2 k A)",
        kind: Kind::Off,
        negligible: 2e-3,
        measure: motion::sinking,
    },
    Answer {
        name: "pendulum",
        theory: "period of a stiff bar that hangs from an edge: 2π √(I / m g d)",
        kind: Kind::Off,
        negligible: 5e-3,
        measure: motion::pendulum,
    },
    Answer {
        name: "stretch",
        theory: "a bar 5:1, pulled by 1 %: F L / E A",
        kind: Kind::Off,
        negligible: 1e-3,
        measure: elastic::stretch,
    },
    Answer {
        name: "muscle",
        theory: "the same bar, drawn together to c = 0.8 by a muscle: F L c² / E A",
        kind: Kind::Off,
        negligible: 5e-3,
        measure: elastic::muscle,
    },
    Answer {
        name: "elastica",
        theory: "tip of a clamped bar 10:1 under P = E I / L²: 0.3017 L (Mattiasson 1981)",
        kind: Kind::Off,
        negligible: 2e-3,
        measure: elastic::elastica,
    },
    Answer {
        name: "torsion",
        theory: "twist of a square bar 10:1 by a couple T: T L / 0.1406 G a⁴ (Saint-Venant)",
        kind: Kind::Off,
        negligible: 2e-3,
        measure: elastic::torsion,
    },
    Answer {
        name: "frequency",
        theory: "first bending of a clamped bar 10:1: 3.516 √(E I / ρ A L⁴)",
        kind: Kind::Off,
        negligible: 2e-3,
        measure: elastic::frequency,
    },
    Answer {
        name: "friction",
        theory: "a slab of 1 MPa on a slope of 0.9 with μ 0.5: g (sin α − μ cos α)",
        kind: Kind::Off,
        negligible: 1e-3,
        measure: contact::friction,
    },
    Answer {
        name: "friction_stiff",
        theory: "the same with ten times the modulus, 10 MPa",
        kind: Kind::Off,
        negligible: 1e-3,
        measure: contact::friction_stiff,
    },
    Answer {
        name: "standing",
        theory: "a box three times as tall as wide on a slope of 10° after 3 s: at rest (fastest point, m/s)",
        kind: Kind::Amount,
        negligible: 3e-4,
        measure: contact::standing,
    },
    Answer {
        name: "rolling",
        theory: "a smooth cylinder on a slope of 10°: ⅔ g sin α",
        kind: Kind::Off,
        negligible: 5e-3,
        measure: contact::rolling,
    },
    Answer {
        name: "stack",
        theory: "three stiff cubes on each other after 5 s: at rest (fastest point, m/s)",
        kind: Kind::Amount,
        negligible: 5e-4,
        measure: contact::stack,
    },
    Answer {
        name: "impact",
        theory: "a rubber cube at 10 m/s on a plate of 1 cm: stays on it (depth over size)",
        kind: Kind::Amount,
        negligible: 2e-3,
        measure: contact::impact,
    },
];

impl Answer {
    /// The figure of every way, in their order.
    pub fn figures(&self) -> Result<Vec<Option<f64>>> {
        WAYS.iter().map(|way| (self.measure)(way)).collect()
    }

    /// Whether a figure is worse than one that was stated.
    pub fn is_worse(&self, figure: f64, stated: f64) -> bool {
        figure.is_nan() || figure.abs() > MOST_WORSE * stated.abs() + self.negligible
    }

    /// A row of the page's table.
    pub fn row(&self, figures: &[Option<f64>]) -> String {
        let mut row = format!("| {} | {} |", self.name, self.theory);
        for figure in figures {
            let text = match figure {
                None => "–".to_owned(),
                Some(figure) if self.kind == Kind::Off && figure.abs() >= 5e-4 => format!("{:+.1} %", 100.0 * figure),
                Some(figure) => format!("{figure:.0e}"),
            };
            let _ = write!(row, " {text} |");
        }
        row
    }
}

/// Measures all answers and prints the table of the page.
pub fn print_table() -> Result<()> {
    let names: Vec<&str> = WAYS.iter().map(|way| way.name).collect();
    println!("| answer | theory | {} |", names.join(" | "));
    println!("| --- | --- |{}", " --- |".repeat(names.len()));
    for answer in &ANSWERS {
        println!("{}", answer.row(&answer.figures()?));
    }
    Ok(())
}

/// What a row of the page says, in the order of ways; none where it says nothing.
pub fn stated(row: &str) -> Vec<Option<f64>> {
    let number = |cell: &str| {
        let cell = cell.trim();
        let share = cell.strip_suffix('%').map(|percent| percent.trim().parse::<f64>().map(|number| number / 100.0));
        share.unwrap_or_else(|| cell.parse()).ok()
    };
    row.split('|').skip(3).take(WAYS.len()).map(number).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_say_what_was_measured() {
        let figures = [Some(-0.0213), Some(3e-13), None, Some(0.4), Some(-2e-4), Some(0.0), Some(1.0)];
        let read = stated(&ANSWERS[0].row(&figures));
        assert_eq!(read, [Some(-0.021), Some(3e-13), None, Some(0.4), Some(-2e-4), Some(0.0), Some(1.0)]);
    }
}
