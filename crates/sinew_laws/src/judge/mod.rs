//! The judge: what was measured, held against every law that applies to the scene.

mod energy;
mod flight;
mod law;
mod load;
mod room;
mod statics;
mod twins;

pub use law::Law;
pub(crate) use twins::off_by_frame;

use crate::{Case, Played, play};
use anyhow::Result;
use std::path::Path;

/// What warnings say of a body that collapses under its own weight, or by what it runs into.
const COLLAPSED: [&str; 4] = [
    "cannot carry its own weight",
    "is crushed by what it runs into",
    "is pressed flat by the weight of what lies on it",
    "where the law of St. Venant and Kirchhoff loses its strength",
];

fn has_collapsed(warning: &str) -> bool {
    COLLAPSED.iter().any(|said| warning.contains(said))
}

/// A law that does not hold: what was found, and what is allowed.
#[derive(Debug, Clone, PartialEq)]
pub struct Breach {
    pub law: Law,
    pub figure: f64,
    pub body: String,
    pub solver: &'static str,
    pub frame: f64,
    /// The stage said that it did not converge, which excuses a lack of accuracy.
    pub is_excused: bool,
}

/// What the judge says of a case.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Verdict {
    /// Laws that were looked at, with the solvers of the bodies they were looked at for.
    pub checked: Vec<(Law, &'static str)>,
    /// At most one per law: the worst.
    pub breaches: Vec<Breach>,
    pub warnings: Vec<String>,
}

impl Verdict {
    /// What is not excused.
    pub fn faults(&self) -> impl Iterator<Item = &Breach> {
        self.breaches.iter().filter(|breach| !breach.is_excused)
    }

    pub fn fault(&self, law: Law) -> Option<&Breach> {
        self.faults().find(|breach| breach.law == law)
    }
}

/// Plays a case and, if it is sound so far, its twin, and judges both.
pub fn judge(case: &Case, folder: &Path) -> Result<Verdict> {
    let played = play(case, folder)?;
    let mut findings = Findings::default();
    room::finishes(&played, &mut findings);
    room::extents(&played, &mut findings);
    room::sides(&played, &mut findings);
    room::overlaps(&played, &mut findings);
    flight::momentum(&played, &mut findings);
    flight::path(&played, &mut findings);
    flight::spin(&played, &mut findings);
    flight::together(&played, &mut findings);
    energy::energy(&played, &mut findings);
    statics::stillness(&played, &mut findings);
    statics::stretch(&played, &mut findings);
    load::load(&played, &mut findings);
    energy::wobble(&played, &mut findings);
    // A body that blew up does so in every twin.
    if findings.breaches.is_empty()
        && let Some(twin) = case.twin
    {
        twins::agree(case, twin, &played, folder, &mut findings)?;
    }
    Ok(findings.verdict(&played))
}

/// What laws found so far.
#[derive(Default)]
struct Findings {
    checked: Vec<(Law, &'static str)>,
    breaches: Vec<Breach>,
    has_warned_twin: bool,
}

impl Findings {
    /// A law was looked at for a body and gave a figure.
    fn note(&mut self, law: Law, figure: f64, played: &Played, body: usize, tick: usize) {
        let facts = &played.facts.bodies[body];
        if !self.checked.contains(&(law, facts.solver)) {
            self.checked.push((law, facts.solver));
        }
        if figure <= law.bound() {
            return;
        }
        let breach = Breach {
            law,
            figure,
            body: facts.name.clone(),
            solver: facts.solver,
            frame: played.facts.frame_at(tick),
            is_excused: false,
        };
        match self.breaches.iter_mut().find(|known| known.law == law) {
            Some(known) if figure > known.figure || figure.is_nan() => *known = breach,
            Some(_) => {}
            None => self.breaches.push(breach),
        }
    }

    fn verdict(mut self, played: &Played) -> Verdict {
        let (collapsed, others): (Vec<_>, Vec<_>) = played.warnings.iter().partition(|warning| has_collapsed(warning));
        let (has_warned, has_collapsed) = (!others.is_empty() || self.has_warned_twin, !collapsed.is_empty());
        for breach in &mut self.breaches {
            let is_of_room = matches!(breach.law, Law::Side | Law::Overlap);
            breach.is_excused = has_warned && breach.law.is_of_accuracy() || has_collapsed && is_of_room;
        }
        Verdict { checked: self.checked, breaches: self.breaches, warnings: played.warnings.clone() }
    }
}
