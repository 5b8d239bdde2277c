//! Tissue painted soft: regions that count less.
//!
//! A pass moves every vertex to the mean of what its regions want. With weights w_r from 0 to 1,
//! `g_i = Σ w_r g_ir / |N_i| + (1 − Σ w_r / |N_i|) x_i`: what soft regions do not ask for is left as it is. A region pulls at all its
//! vertices with the same weight, so that soft and stiff tissue pull at each other equally, and a push does not run through
//! a soft place as it does through a stiff one. With α alone, which acts after all passes, both sides of a soft place would
//! hold each other as before.

use super::ShapeMatchingParams;
use super::matcher::Soft;
use super::model::Model;
use crate::simd::{BLOCK, Slot};

/// Weights for the factors they were made for.
#[derive(Default)]
pub(super) struct Softening {
    factors: Vec<f64>,
    h_secs: f64,
    weight: Vec<Slot>,
    stay: Vec<Slot>,
}

impl Softening {
    pub(super) fn soft(&self) -> Soft<'_> {
        Soft { weight: &self.weight, stay: &self.stay }
    }

    /// Weights for stiffness factors over a step; those above 1 count as 1. Made anew only where they changed.
    pub(super) fn follow(&mut self, model: &Model, factors: &[f64], h_secs: f64) {
        if self.factors == factors && self.h_secs == h_secs {
            return;
        }
        self.factors.clear();
        self.factors.extend_from_slice(factors);
        self.h_secs = h_secs;
        self.weight.clear();
        self.stay.clear();
        if factors.iter().all(|factor| *factor >= 1.0) {
            return;
        }
        let all = ShapeMatchingParams { pull: 1.0, ..ShapeMatchingParams::default() };
        let weight = |region: usize| all.pull_over(h_secs, factors[region].min(1.0));
        // A vertex lies in the regions of its neighbours, and in its own.
        let stay = |vertex: usize| {
            let ring = &model.rings[vertex];
            1.0 - ring.iter().map(|&region| weight(region as usize)).sum::<f64>() / ring.len() as f64
        };
        in_blocks(&mut self.weight, factors.len(), weight);
        in_blocks(&mut self.stay, factors.len(), stay);
    }
}

fn in_blocks(slots: &mut Vec<Slot>, count: usize, value: impl Fn(usize) -> f64) {
    slots.resize(count.div_ceil(BLOCK), Slot::ZERO);
    (0..count).for_each(|i| slots[i / BLOCK].0[i % BLOCK] = value(i) as f32);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Flesh;
    use sinew_geom::structured::bar;
    use sinew_math::dvec3;
    use std::sync::Arc;

    #[test]
    fn what_regions_do_not_ask_for_is_left() {
        let flesh = Arc::new(Flesh::from_tets(bar(dvec3(1.0, 0.2, 0.2), [10, 2, 2]), 1000.0).unwrap());
        let (model, count) = (Model::new(&flesh), flesh.point_count());
        let mut softening = Softening::default();
        let h_secs = super::super::REFERENCE_STEP_SECS;
        softening.follow(&model, &vec![0.25; count], h_secs);
        let lane = |slots: &[Slot], i: usize| slots[i / BLOCK].0[i % BLOCK];
        assert!((0..count).all(|i| lane(&softening.weight, i) == 0.25 && lane(&softening.stay, i) == 0.75));
        softening.follow(&model, &vec![3.0; count], h_secs);
        assert!(softening.weight.is_empty() && softening.stay.is_empty());
        softening.follow(&model, &[], h_secs);
        assert!(softening.weight.is_empty());
    }
}
