//! A body's matrix factored as L Lᵀ: for systems on which conjugate gradients take too long.
//!
//! The factor serves as preconditioner. Alone a body is solved by it at once; contacts between bodies and rows of several weights, which
//! the matrix of a body has no place for, take a few iterations more.

use super::matrix::BlockMatrix;
use sinew_math::sparse::{Analysis, Factor, FactorError, SymmetricMatrix};
use sinew_math::{DMat3, DVec3};

pub(crate) struct Direct {
    analysis: Analysis,
    matrix: SymmetricMatrix,
    /// For each block of the lower triangle, row after row: where its numbers are, column by column.
    slots: Vec<[u32; 9]>,
    factor: Option<Factor>,
}

/// A number of a diagonal block that is stored as its mirror image.
const MIRRORED: u32 = u32::MAX;

impl Direct {
    pub(crate) fn new(blocks: &BlockMatrix) -> Result<Self, FactorError> {
        let lower = || (0..blocks.size() as u32).flat_map(|i| blocks.blocks_of(i as usize).map(move |(j, _)| (i, j)));
        let places = |(i, j): (u32, u32)| {
            (0..9u32).map(move |k| (3 * i + k % 3, 3 * j + k / 3)).filter(|(row, column)| row >= column)
        };
        let entries = lower().flat_map(places).map(|(row, column)| (row, column, 0.0));
        let matrix = SymmetricMatrix::from_entries(3 * blocks.size(), entries);
        let slot = |(row, column): (u32, u32)| {
            if row < column { MIRRORED } else { matrix.slot(row, column).map_or(MIRRORED, |slot| slot as u32) }
        };
        let slots = lower()
            .map(|(i, j)| [0, 1, 2, 3, 4, 5, 6, 7, 8].map(|k: u32| slot((3 * i + k % 3, 3 * j + k / 3))))
            .collect();
        Ok(Self { analysis: Analysis::new(&matrix)?, matrix, slots, factor: None })
    }

    /// Factors the matrix with the pinned points taken out.
    pub(crate) fn factor(
        &mut self,
        blocks: &BlockMatrix,
        is_pinned: impl Fn(usize) -> bool,
    ) -> Result<(), FactorError> {
        let values = self.matrix.values_mut();
        let mut slots = self.slots.iter();
        for i in 0..blocks.size() {
            for (j, block) in blocks.blocks_of(i) {
                let block = match (is_pinned(i) || is_pinned(j as usize), i == j as usize) {
                    (false, _) => *block,
                    (true, true) => DMat3::IDENTITY,
                    (true, false) => DMat3::ZERO,
                };
                let Some(slots) = slots.next() else { break };
                for (slot, value) in slots.iter().zip(block.to_cols_array()) {
                    if *slot != MIRRORED {
                        values[*slot as usize] = value;
                    }
                }
            }
        }
        self.factor = None;
        self.factor = Some(self.analysis.factor(&self.matrix)?);
        Ok(())
    }

    /// A⁻¹ times `of`, in place.
    pub(crate) fn solve(&self, of: &mut [DVec3]) {
        let Some(factor) = &self.factor else { return };
        let mut numbers: Vec<f64> = of.iter().flat_map(DVec3::to_array).collect();
        factor.solve(&mut numbers);
        for (of, solved) in of.iter_mut().zip(numbers.chunks_exact(3)) {
            *of = DVec3::from_slice(solved);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sinew_math::dvec3;

    #[test]
    fn a_factored_matrix_undoes_its_product_and_leaves_pinned_points() {
        let rings: Vec<Vec<u32>> =
            (0..40u32).map(|i| [i.wrapping_sub(1), i + 1].into_iter().filter(|&j| j < 40).collect()).collect();
        let mut matrix = BlockMatrix::new(&rings);
        let own: Vec<u32> = (0..40).map(|i| matrix.slot(i, i as u32).unwrap()).collect();
        let off = DMat3::from_cols(dvec3(-1.0, 0.2, 0.0), dvec3(0.1, -0.5, 0.0), dvec3(0.0, 0.0, -0.2));
        matrix.fill_rows(|i, row| {
            for (slot, block) in row.iter_mut().enumerate() {
                debug_assert!(slot as u32 <= own[i]);
                *block = off;
            }
            row[own[i] as usize] = DMat3::from_cols(dvec3(3.0, 0.5, 0.0), dvec3(0.5, 2.0, 0.1), dvec3(0.0, 0.1, 1.0));
        });
        let mut planted: Vec<DVec3> = (0..40).map(|i| dvec3(f64::from(i), 1.0 - f64::from(i), 0.5)).collect();
        planted[7] = DVec3::ZERO;
        let mut b = vec![DVec3::ZERO; 40];
        matrix.multiply(&planted, &mut b);
        b[7] = DVec3::ZERO;
        let mut direct = Direct::new(&matrix).unwrap();
        direct.factor(&matrix, |i| i == 7).unwrap();
        direct.solve(&mut b);
        assert!(b.iter().zip(&planted).all(|(x, planted)| x.distance(*planted) < 1e-10));
    }
}
