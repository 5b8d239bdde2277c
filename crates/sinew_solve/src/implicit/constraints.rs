//! Hard pins: degrees of freedom taken out, and rows of several weights held by projection.

use crate::{Cues, Flesh, Pin, Row};
use sinew_math::DVec3;

/// The pins of one body over one interval, prepared for projecting.
#[derive(Debug, Clone, Default)]
pub(crate) struct Constraints {
    pinned: Vec<bool>,
    /// Rows of several degrees of freedom: terms without the pinned ones.
    rows: Vec<Vec<(usize, f64)>>,
    /// Lower Cholesky factor of the rows' Gram matrix C Cᵀ, row by row.
    factor: Vec<f64>,
    row_pins: Vec<Pin>,
}

impl Constraints {
    /// Prepares for `cues`, keeping buffers. A second pin on the same point, or a row that depends on the others,
    /// is dropped: the first one holds.
    pub(crate) fn prepare(&mut self, flesh: &Flesh, cues: &Cues) {
        self.pinned.clear();
        self.pinned.resize(flesh.point_count(), false);
        self.rows.clear();
        self.row_pins.clear();
        for pin in &cues.pins {
            if let Some(dof) = flesh.anchors.single(pin.at) {
                self.pinned[dof] = true;
            }
        }
        for pin in &cues.pins {
            if flesh.anchors.single(pin.at).is_none() {
                let free: Vec<(usize, f64)> =
                    flesh.anchors.terms(pin.at).filter(|(dof, _)| !self.pinned[*dof]).collect();
                self.rows.push(free);
                self.row_pins.push(*pin);
                if !self.extend_factor() {
                    self.rows.pop();
                    self.row_pins.pop();
                }
            }
        }
        if self.rows.is_empty() {
            self.factor.clear();
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.rows.is_empty() && !self.pinned.contains(&true)
    }

    /// Whether a point is held by a pin of its own.
    pub(crate) fn is_pinned(&self, point: usize) -> bool {
        self.pinned[point]
    }

    /// Whether rows of several degrees of freedom are pinned.
    pub(crate) fn has_rows(&self) -> bool {
        !self.rows.is_empty()
    }

    /// Grows the Cholesky factor by the newest row; false where that row depends on the others.
    fn extend_factor(&mut self) -> bool {
        let n = self.rows.len() - 1;
        if n == 0 {
            self.factor.clear();
        }
        let (newest, older) = (&self.rows[n], &self.rows[..n]);
        let gram = |a: &[(usize, f64)], b: &[(usize, f64)]| -> f64 {
            a.iter().map(|(dof, w)| b.iter().filter(|(other, _)| other == dof).map(|(_, u)| w * u).sum::<f64>()).sum()
        };
        let mut line = Vec::with_capacity(n + 1);
        for (j, row) in older.iter().enumerate() {
            let start = j * (j + 1) / 2;
            let before: f64 = (0..j).map(|k| line[k] * self.factor[start + k]).sum();
            line.push((gram(newest, row) - before) / self.factor[start + j]);
        }
        let square = gram(newest, newest);
        let left = square - line.iter().map(|l: &f64| l * l).sum::<f64>();
        if left <= 1e-12 * square || square == 0.0 {
            return false;
        }
        self.factor.extend(line);
        self.factor.push(left.sqrt());
        true
    }

    /// Solves C Cᵀ y = right, in place.
    fn solve_gram(&self, right: &mut [DVec3]) {
        let at = |i: usize, j: usize| self.factor[i * (i + 1) / 2 + j];
        for i in 0..right.len() {
            let sum = (0..i).fold(right[i], |sum, j| sum - right[j] * at(i, j));
            right[i] = sum / at(i, i);
        }
        for i in (0..right.len()).rev() {
            let sum = (i + 1..right.len()).fold(right[i], |sum, j| sum - right[j] * at(j, i));
            right[i] = sum / at(i, i);
        }
    }

    fn row_values(&self, of: &[DVec3]) -> Vec<DVec3> {
        self.rows.iter().map(|row| row.iter().fold(DVec3::ZERO, |sum, (dof, w)| sum + of[*dof] * *w)).collect()
    }

    /// Takes out what the pins forbid: the projection onto motions that leave every pin where it is.
    pub(crate) fn project(&self, motion: &mut [DVec3]) {
        for (m, pinned) in motion.iter_mut().zip(&self.pinned) {
            if *pinned {
                *m = DVec3::ZERO;
            }
        }
        if !self.rows.is_empty() {
            let mut y = self.row_values(motion);
            self.solve_gram(&mut y);
            self.spread(&y, -1.0, motion);
        }
    }

    fn spread(&self, y: &[DVec3], sign: f64, out: &mut [DVec3]) {
        for (row, y) in self.rows.iter().zip(y) {
            for (dof, w) in row {
                out[*dof] += *y * (*w * sign);
            }
        }
    }

    /// Changes `values` as little as possible so that every pinned row has its `wanted` value.
    pub(crate) fn meet(&self, flesh: &Flesh, cues: &Cues, wanted: impl Fn(&Pin) -> DVec3, values: &mut [DVec3]) {
        for pin in &cues.pins {
            if let Some(dof) = flesh.anchors.single(pin.at) {
                values[dof] = wanted(pin);
            }
        }
        if !self.rows.is_empty() {
            let mut gap: Vec<DVec3> =
                self.row_pins.iter().map(|pin| wanted(pin) - flesh.anchors.at(pin.at, values)).collect();
            self.solve_gram(&mut gap);
            self.spread(&gap, 1.0, values);
        }
    }

    /// Pinned points move as they are told; what that takes at the end of a step is the pins' too.
    pub(crate) fn hold_velocities(
        &self,
        flesh: &Flesh,
        cues: &Cues,
        h_secs: f64,
        v: &mut [DVec3],
        reactions: &mut [(Row, DVec3)],
    ) {
        if self.is_empty() {
            return;
        }
        let momentum = |v: &[DVec3]| v.iter().zip(&flesh.mass_kg).fold(DVec3::ZERO, |sum, (v, m)| sum + *v * *m);
        let before = momentum(v);
        self.meet(flesh, cues, |pin| pin.velocity, v);
        let force = (momentum(v) - before) / h_secs;
        share_force(flesh, force, reactions);
    }

    /// The forces of the pins that balance `unbalanced` (mass times acceleration minus all other forces).
    pub(crate) fn reactions(
        &self,
        flesh: &Flesh,
        cues: &Cues,
        unbalanced: &[DVec3],
        mut report: impl FnMut(Row, DVec3),
    ) {
        for pin in &cues.pins {
            if let Some(dof) = flesh.anchors.single(pin.at) {
                report(pin.at, unbalanced[dof]);
            }
        }
        let mut y = self.row_values(unbalanced);
        self.solve_gram(&mut y);
        for (pin, force) in self.row_pins.iter().zip(&y) {
            report(pin.at, *force);
        }
    }
}

/// Adds a force that pins hold with together to those that they are told to have.
pub(crate) fn share_force(flesh: &Flesh, force: DVec3, reactions: &mut [(Row, DVec3)]) {
    let reach: f64 = reactions.iter().flat_map(|(row, _)| flesh.anchors.terms(*row)).map(|(_, weight)| weight).sum();
    if reach > 0.0 {
        reactions.iter_mut().for_each(|(_, told)| *told += force / reach);
    }
}
