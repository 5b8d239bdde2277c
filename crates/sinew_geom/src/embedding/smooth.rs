//! Carrying skin points smoothly over the borders of tets: see [`super`].

use super::Stretches;
use crate::{Row, Rows, TetMesh};
use rayon::prelude::*;
use sinew_math::DVec3;

/// What a smooth map knows besides the rows: how the flesh is stretched, and where all of it rests.
#[derive(Debug, Clone, PartialEq)]
pub struct SmoothMap {
    pub stretches: Stretches,
    /// X_k of the flesh.
    pub(super) rest: Vec<DVec3>,
    /// X − ½ p of each skin point: x = Σ b_k (x_k + F_k (X − ½ p − ½ X_k)).
    pub(super) levers: Vec<DVec3>,
}

impl SmoothMap {
    pub(super) fn new(points: &[DVec3], rows: &Rows, flesh: &TetMesh) -> Self {
        let mut arms_m = vec![None; flesh.positions.len()];
        let mut levers = Vec::with_capacity(points.len());
        for (row, point) in points.iter().enumerate() {
            let hung = rows.at(Row(row as u32), &flesh.positions);
            levers.push(*point - 0.5 * hung);
            let arm_m = point.distance(hung);
            for (k, _) in rows.terms(Row(row as u32)) {
                arms_m[k] = Some(arms_m[k].map_or(arm_m, |longest: f64| longest.max(arm_m)));
            }
        }
        Self { stretches: Stretches::new(flesh, &arms_m), rest: flesh.positions.clone(), levers }
    }

    pub(super) fn apply(&self, rows: &Rows, flesh: &[DVec3], skin: &mut Vec<DVec3>) {
        let stretches = self.stretches.all(flesh);
        let place = |point: usize| {
            rows.terms(Row(point as u32)).fold(DVec3::ZERO, |sum, (k, share)| {
                sum + share * (flesh[k] + stretches[k] * (self.levers[point] - 0.5 * self.rest[k]))
            })
        };
        (0..self.levers.len()).into_par_iter().with_min_len(1024).map(place).collect_into_vec(skin);
    }

    /// A skin point as a sum of flesh points, in rising order of these.
    pub(super) fn terms(&self, point: usize, row: impl Iterator<Item = (usize, f64)>) -> Vec<(usize, f64)> {
        let mut terms = Vec::new();
        for (k, share) in row {
            let arm = self.levers[point] - 0.5 * self.rest[k];
            let own = terms.len();
            terms.push((k, share));
            for (neighbour, slope) in self.stretches.terms(k) {
                let weight = share * slope.dot(arm);
                terms.push((neighbour, weight));
                terms[own].1 -= weight;
            }
        }
        // Stable, so that sums have the same order and bits every time.
        terms.sort_by_key(|term| term.0);
        let sum = |same: &[(usize, f64)]| (same[0].0, same.iter().map(|term| term.1).sum());
        terms.chunk_by(|a, b| a.0 == b.0).map(sum).collect()
    }
}
