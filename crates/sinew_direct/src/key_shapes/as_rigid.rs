//! As rigid as possible: between two shapes every element turns evenly while it stretches.
//!
//! Alexa, Cohen-Or, Levin, "As-Rigid-as-Possible Shape Interpolation", SIGGRAPH 2000: with F = R S of each element, stretches go from those of key p to
//! those of key q, rotations from R_p to R_q, and the shape at s is the one whose gradients come closest to these. Departures:
//! stretches go by their logarithms, so that volume runs evenly and stays where both keys have it; and rotations go by differences.
//!
//! A rotation is known up to whole turns, and one beyond half a turn has no even way of its own: its axis wanders off as the angle nears 360°.
//! Neighbours turn against each other by little, so that it is these differences that go evenly (Kircher, Garland, "Free-form motion processing",
//! TOG 2008), along a tree that spans the elements: R_e(s) = R_parent(s) D_e(s). A bar twisted by 420° untwists the way it was
//! twisted. Elements that are sheared are turned to and fro beside their neighbours; the differences are of rotations smoothed over the
//! mesh, R = R̄ T, and what is left, T, is small and goes evenly for each element alone.

use super::cells::ShapeCells;
use sinew_math::libm::{cbrt, ceil};
use sinew_math::rotation::nearest_rotation;
use sinew_math::rotation_curve::{exp, log};
use sinew_math::{DMat3, DQuat, DVec3, Sym3};
use std::collections::VecDeque;

/// Stretches are taken no smaller than this: a flat element has no logarithm.
const LEAST_STRETCH: f64 = 1e-3;
/// Rounds of smoothing at most. They reach about as far as a limb of the body is thick: a quarter of the elements in a row, squared.
const MOST_ROUNDS: f64 = 60.0;
const THICK: f64 = 0.25;

/// The way of every element from one shape to another.
pub(super) struct AsRigid<'a> {
    cells: &'a ShapeCells,
    from: &'a [DVec3],
    to: &'a [DVec3],
    /// In an order in which parents come first.
    tree: Vec<Node>,
    ways: Vec<Way>,
}

/// How an element's smoothed rotation follows from its parent's.
#[derive(Debug, Clone, Copy)]
struct Node {
    element: u32,
    parent: Option<u32>,
    by: Turning,
}

/// From one rotation evenly to another.
#[derive(Debug, Clone, Copy)]
struct Turning {
    from: DQuat,
    by: DVec3,
}

#[derive(Debug, Clone, Copy)]
struct Way {
    /// What smoothing leaves.
    left: Turning,
    ln_from: Sym3,
    ln_to: Sym3,
}

impl Turning {
    fn new(from: DQuat, to: DQuat) -> Self {
        Self { from, by: log(from.inverse() * to) }
    }

    fn at(&self, share: f64) -> DQuat {
        self.from * exp(self.by * share)
    }
}

impl<'a> AsRigid<'a> {
    pub(super) fn new(cells: &'a ShapeCells, from: &'a [DVec3], to: &'a [DVec3]) -> Self {
        let parts = |x: &[DVec3]| -> (Vec<DQuat>, Vec<Sym3>) { cells.gradients(x).into_iter().map(polar).unzip() };
        let ((turn_from, ln_from), (turn_to, ln_to)) = (parts(from), parts(to));
        let [even_from, even_to] = [&turn_from, &turn_to].map(|turns| smoothed(turns, &cells.neighbours));
        let way = |e: usize| Way {
            left: Turning::new(even_from[e].inverse() * turn_from[e], even_to[e].inverse() * turn_to[e]),
            ln_from: ln_from[e],
            ln_to: ln_to[e],
        };
        let ways = (0..cells.elements.len()).map(way).collect();
        Self { cells, from, to, tree: tree(&even_from, &even_to, &cells.neighbours), ways }
    }

    /// The longest way that an element turns, radians.
    pub(super) fn largest_turn(&self) -> f64 {
        const PARTS: usize = 8;
        let at = |part: usize| self.rotations(part as f64 / PARTS as f64);
        let mut sums = vec![0.0; self.ways.len()];
        let mut before = at(0);
        for part in 1..=PARTS {
            let now = at(part);
            for ((sum, a), b) in sums.iter_mut().zip(&before).zip(&now) {
                *sum += log(a.inverse() * *b).length();
            }
            before = now;
        }
        sums.into_iter().fold(0.0, f64::max)
    }

    /// The shape at a share of the way.
    pub(super) fn shape(&self, share: f64) -> Vec<DVec3> {
        let wished = |(way, turn): (&Way, DQuat)| {
            let stretch = (way.ln_from * (1.0 - share) + way.ln_to * share).exp();
            DMat3::from_quat(turn) * stretch.to_mat()
        };
        let wished: Vec<DMat3> = self.ways.iter().zip(self.rotations(share)).map(wished).collect();
        let near: Vec<DVec3> = self.from.iter().zip(self.to).map(|(p, q)| *p + (*q - *p) * share).collect();
        self.cells.without_rigid_motion(&self.cells.shape(&wished, &near))
    }

    fn rotations(&self, share: f64) -> Vec<DQuat> {
        let mut even = vec![DQuat::IDENTITY; self.ways.len()];
        for Node { element, parent, by } in &self.tree {
            let parent = parent.map_or(DQuat::IDENTITY, |parent| even[parent as usize]);
            even[*element as usize] = (parent * by.at(share)).normalize();
        }
        even.iter().zip(&self.ways).map(|(even, way)| *even * way.left.at(share)).collect()
    }
}

/// Rotation and logarithm of the stretch of a gradient.
fn polar(gradient: DMat3) -> (DQuat, Sym3) {
    let turn = nearest_rotation(gradient);
    let (s, axes) = Sym3::from_mat(DMat3::from_quat(turn).transpose() * gradient).eigen();
    let ln = |i: usize| Sym3::along(axes.col(i), sinew_math::libm::log(s[i].max(LEAST_STRETCH)));
    (turn, ln(0) + ln(1) + ln(2))
}

/// Rotations averaged with those of neighbours, again and again.
fn smoothed(turns: &[DQuat], neighbours: &[Vec<u32>]) -> Vec<DQuat> {
    let rounds = ceil((THICK * cbrt(turns.len() as f64)).powi(2)).min(MOST_ROUNDS) as usize;
    let mut now = turns.to_vec();
    for _ in 0..rounds {
        let mean = |(own, others): (&DQuat, &Vec<u32>)| {
            let beside = |other: &u32| {
                let other = now[*other as usize];
                if other.dot(*own) < 0.0 { -other } else { other }
            };
            let sum = others.iter().map(beside).fold(*own, |sum, other| sum + other);
            if sum.length_squared() > 1e-6 { sum.normalize() } else { *own }
        };
        now = now.iter().zip(neighbours).map(mean).collect();
    }
    now
}

/// Breadth first from the element of each part that turns least.
fn tree(from: &[DQuat], to: &[DQuat], neighbours: &[Vec<u32>]) -> Vec<Node> {
    let turned: Vec<f64> = from.iter().zip(to).map(|(from, to)| log(from.inverse() * *to).length()).collect();
    let mut roots: Vec<u32> = (0..from.len() as u32).collect();
    roots.sort_by(|a, b| turned[*a as usize].total_cmp(&turned[*b as usize]));
    let mut is_done = vec![false; from.len()];
    let mut tree = Vec::with_capacity(from.len());
    let mut queue = VecDeque::new();
    for root in roots {
        if std::mem::replace(&mut is_done[root as usize], true) {
            continue;
        }
        tree.push(Node { element: root, parent: None, by: Turning::new(from[root as usize], to[root as usize]) });
        queue.push_back(root);
        while let Some(parent) = queue.pop_front() {
            let p = parent as usize;
            for &element in &neighbours[p] {
                let e = element as usize;
                if !std::mem::replace(&mut is_done[e], true) {
                    let by = Turning::new(from[p].inverse() * from[e], to[p].inverse() * to[e]);
                    tree.push(Node { element, parent: Some(parent), by });
                    queue.push_back(element);
                }
            }
        }
    }
    tree
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A chain of elements, each turned by 40° against the one before: 800° in all, halfway 400°.
    #[test]
    fn turns_add_up_along_the_mesh() {
        let count = 21;
        let axis = DVec3::new(1.0, 2.0, -2.0) / 3.0;
        let neighbours: Vec<Vec<u32>> = (0..count)
            .map(|e: i32| [e - 1, e + 1].into_iter().filter(|n| (0..count).contains(n)).map(|n| n as u32).collect())
            .collect();
        let from = vec![DQuat::IDENTITY; count as usize];
        let to: Vec<DQuat> =
            (0..count).map(|e| DQuat::from_axis_angle(axis, f64::from(e) * 40f64.to_radians())).collect();
        let tree = tree(&from, &to, &neighbours);
        let mut half = vec![DQuat::IDENTITY; count as usize];
        for Node { element, parent, by } in &tree {
            half[*element as usize] = parent.map_or(DQuat::IDENTITY, |p| half[p as usize]) * by.at(0.5);
        }
        for (e, half) in half.iter().enumerate() {
            let wanted = DQuat::from_axis_angle(axis, e as f64 * 20f64.to_radians());
            assert!(half.dot(wanted).abs() > 1.0 - 1e-12, "element {e}: {half} instead of {wanted}");
        }
    }
}
