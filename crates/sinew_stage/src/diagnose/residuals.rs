//! Implicit steps that ended far from equilibrium.
//!
//! Bodies that touch are solved as one, and what does not balance is told of all of them together: one warning for a solve, not one for each of its bodies.

use crate::StageBody;
use sinew_solve::contact::IslandMap;
use sinew_solve::{BodyContact, BodyId, Residual, Warning};

/// So many of the bodies that are solved together are named.
const NAMED: usize = 3;

/// A warning for each solve that did not converge, of which every body is told once in a tick; its first body has it.
pub(crate) fn warnings(
    bodies: &[StageBody],
    residuals: &[Residual],
    touching: &[BodyContact],
    tick: u64,
) -> Vec<Warning> {
    let mut islands = IslandMap::default();
    islands.find(bodies.len(), touching, |_| true);
    // Contacts are those of the last part of an interval. Bodies that were solved together in an earlier one are told by their residuals, which are one and the same number.
    let is_mate = |a: &Residual, b: &Residual| {
        a.share == b.share || islands.of(a.body.0 as usize) == islands.of(b.body.0 as usize)
    };
    let far: Vec<&Residual> = residuals.iter().filter(|residual| residual.share > Residual::FAR).collect();
    let mut told: Vec<BodyId> = Vec::new();
    let mut warnings = Vec::new();
    for residual in &far {
        if told.contains(&residual.body) {
            continue;
        }
        let mut mates: Vec<BodyId> =
            far.iter().filter(|other| is_mate(residual, other)).map(|mate| mate.body).collect();
        mates.sort_unstable_by_key(|body| body.0);
        mates.dedup();
        mates.retain(|mate| *mate != residual.body && !told.contains(mate));
        let names: Vec<&str> = mates.iter().map(|mate| &*bodies[mate.0 as usize].name).collect();
        warnings.push(Warning { body: residual.body, tick, what: what(&names) });
        told.push(residual.body);
        told.extend(mates);
    }
    warnings
}

/// In words, with the names of those that were solved together with the body.
fn what(mates: &[&str]) -> String {
    let with = match mates {
        [] => String::new(),
        few if few.len() <= NAMED => format!(", solved together with that of {},", few.join(", ")),
        many => format!(
            ", solved together with that of {} and {} other bodies,",
            many[..NAMED].join(", "),
            many.len() - NAMED
        ),
    };
    format!(
        "its step{with} did not converge: more than a third of the forces on it do not balance; more substeps or iterations, or \
         smaller forces, help"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_mates_are_counted() {
        assert!(what(&[]).starts_with("its step did not converge"));
        assert!(what(&["a", "b"]).starts_with("its step, solved together with that of a, b, did not converge"));
        assert!(what(&["a", "b", "c", "d", "e"]).contains("that of a, b, c and 2 other bodies,"));
    }
}
