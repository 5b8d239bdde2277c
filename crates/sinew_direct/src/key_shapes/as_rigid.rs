//! As rigid as possible: between two shapes every element turns evenly about one axis while it stretches.
//!
//! Alexa, Cohen-Or, Levin, "As-Rigid-as-Possible Shape Interpolation", SIGGRAPH 2000: with F = R S of each element, the way from
//! key p to key q is `exp(s ω) R_p exp((1−s) ln S_p + s ln S_q)`, ω the turn from R_p to R_q; the shape at s is the one whose
//! gradients come closest to these. Departures: stretches go by their logarithms, so that volume runs evenly and stays where both
//! keys have it; and a turn is known from R_p and R_q up to whole turns only, so that ω is chosen next to that of a neighbour. A bar
//! twisted by 300° untwists the way it was twisted.

use super::cells::ShapeCells;
use sinew_math::rotation::nearest_rotation;
use sinew_math::rotation_curve::{exp, log};
use sinew_math::{DMat3, DQuat, DVec3, Sym3};
use std::collections::VecDeque;
use std::f64::consts::TAU;

/// Stretches are taken no smaller than this: a flat element has no logarithm.
const LEAST_STRETCH: f64 = 1e-3;

/// The way of every element from one shape to another.
pub(super) struct AsRigid<'a> {
    cells: &'a ShapeCells,
    from: &'a [DVec3],
    to: &'a [DVec3],
    ways: Vec<Way>,
}

#[derive(Debug, Clone, Copy)]
struct Way {
    turn: DQuat,
    /// ω, in fixed axes.
    by: DVec3,
    ln_from: Sym3,
    ln_to: Sym3,
}

impl<'a> AsRigid<'a> {
    pub(super) fn new(cells: &'a ShapeCells, from: &'a [DVec3], to: &'a [DVec3]) -> Self {
        let pairs = cells.gradients(from).into_iter().zip(cells.gradients(to));
        let mut ways: Vec<Way> = pairs.map(|(from, to)| way(from, to)).collect();
        choose_whole_turns(&mut ways, &cells.neighbours);
        Self { cells, from, to, ways }
    }

    /// The largest turn of an element, radians.
    pub(super) fn largest_turn(&self) -> f64 {
        self.ways.iter().map(|way| way.by.length()).fold(0.0, f64::max)
    }

    /// The shape at a share of the way.
    pub(super) fn shape(&self, share: f64) -> Vec<DVec3> {
        let wished = |way: &Way| {
            let stretch = (way.ln_from * (1.0 - share) + way.ln_to * share).exp();
            DMat3::from_quat(exp(way.by * share) * way.turn) * stretch.to_mat()
        };
        let wished: Vec<DMat3> = self.ways.iter().map(wished).collect();
        let near: Vec<DVec3> = self.from.iter().zip(self.to).map(|(p, q)| *p + (*q - *p) * share).collect();
        self.cells.without_rigid_motion(&self.cells.shape(&wished, &near))
    }
}

fn way(from: DMat3, to: DMat3) -> Way {
    let (turn, turn_to) = (nearest_rotation(from), nearest_rotation(to));
    let ln = |f: DMat3, turn: DQuat| {
        let (s, axes) = Sym3::from_mat(DMat3::from_quat(turn).transpose() * f).eigen();
        let ln = |i: usize| Sym3::along(axes.col(i), sinew_math::libm::log(s[i].max(LEAST_STRETCH)));
        ln(0) + ln(1) + ln(2)
    };
    Way { turn, by: log(turn_to * turn.inverse()), ln_from: ln(from, turn), ln_to: ln(to, turn_to) }
}

/// Adds whole turns so that neighbours turn alike, outwards from the element of each part that turns least.
fn choose_whole_turns(ways: &mut [Way], neighbours: &[Vec<u32>]) {
    let mut by_turn: Vec<usize> = (0..ways.len()).collect();
    by_turn.sort_by(|a, b| ways[*a].by.length().total_cmp(&ways[*b].by.length()));
    let mut is_done = vec![false; ways.len()];
    let mut queue = VecDeque::new();
    for start in by_turn {
        if std::mem::replace(&mut is_done[start], true) {
            continue;
        }
        queue.push_back(start);
        while let Some(one) = queue.pop_front() {
            for &other in &neighbours[one] {
                let other = other as usize;
                if !std::mem::replace(&mut is_done[other], true) {
                    ways[other].by = nearest_turn(ways[other].by, ways[one].by);
                    queue.push_back(other);
                }
            }
        }
    }
}

/// The same turn with as many whole ones more as bring it next to `beside`.
fn nearest_turn(by: DVec3, beside: DVec3) -> DVec3 {
    let angle = by.length();
    let axis = if angle > 1e-9 { by / angle } else { beside.normalize_or_zero() };
    by + axis * (TAU * ((beside.dot(axis) - angle) / TAU).round())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_turns_are_chosen_beside_a_neighbour() {
        let axis = DVec3::new(1.0, 2.0, -2.0) / 3.0;
        for (angle, beside) in [(-2.9, 3.3), (0.1, 6.2), (0.0, 6.0), (1.0, 0.5), (-0.2, -6.5), (3.0, 12.9)] {
            let chosen = nearest_turn(axis * angle, axis * beside);
            assert!((chosen - axis * beside).length() < 3.15, "{angle} beside {beside}: {chosen}");
            let whole = (chosen - axis * angle).length() / TAU;
            assert!((whole - whole.round()).abs() < 1e-12, "{angle} beside {beside}: {chosen}");
        }
    }
}
