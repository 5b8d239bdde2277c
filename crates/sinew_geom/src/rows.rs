//! Sparse rows over a body's degrees of freedom.

use serde::{Deserialize, Serialize};
use sinew_math::DVec3;

/// Names one row of a [`Rows`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Row(pub u32);

/// Material points as weighted sums of degrees of freedom, one row each: a tet vertex is a single weight of 1, a skin
/// point its four barycentric weights, a meshless point its Φ. Stored as one compressed table.
#[derive(Debug, Clone, PartialEq)]
pub struct Rows {
    start: Vec<u32>,
    dof: Vec<u32>,
    weight: Vec<f32>,
    /// So many rows from the first on are the degree of freedom of their own number. Nearly all rows of nearly every flesh are, and need no look into the table.
    plain: u32,
}

impl Default for Rows {
    fn default() -> Self {
        Self { start: vec![0], dof: Vec::new(), weight: Vec::new(), plain: 0 }
    }
}

impl Rows {
    /// Row `i` is degree of freedom `i`.
    pub fn identity(count: usize) -> Self {
        let count = count as u32;
        Self {
            start: (0..=count).collect(),
            dof: (0..count).collect(),
            weight: vec![1.0; count as usize],
            plain: count,
        }
    }

    /// Adds a row and names it.
    pub fn push(&mut self, terms: impl IntoIterator<Item = (u32, f32)>) -> Row {
        let first = self.dof.len();
        for (dof, weight) in terms {
            self.dof.push(dof);
            self.weight.push(weight);
        }
        self.start.push(self.dof.len() as u32);
        let row = self.len() as u32 - 1;
        if self.plain == row && self.dof[first..] == [row] && self.weight[first] == 1.0 {
            self.plain += 1;
        }
        Row(row)
    }

    pub fn len(&self) -> usize {
        self.start.len() - 1
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn range(&self, row: Row) -> std::ops::Range<usize> {
        self.start[row.0 as usize] as usize..self.start[row.0 as usize + 1] as usize
    }

    /// The degrees of freedom of a row with their weights.
    #[inline]
    pub fn terms(&self, row: Row) -> impl Iterator<Item = (usize, f64)> + Clone + '_ {
        let range = self.range(row);
        self.dof[range.clone()].iter().zip(&self.weight[range]).map(|(&dof, &weight)| (dof as usize, f64::from(weight)))
    }

    /// The degree of freedom that this row simply is, if it is one.
    #[inline]
    pub fn single(&self, row: Row) -> Option<usize> {
        if row.0 < self.plain {
            return Some(row.0 as usize);
        }
        let range = self.range(row);
        (range.len() == 1 && self.weight[range.start] == 1.0).then(|| self.dof[range.start] as usize)
    }

    /// The row's point (or velocity) where the degrees of freedom have the values `of`.
    #[inline(always)]
    pub fn at(&self, row: Row, of: &[DVec3]) -> DVec3 {
        if row.0 < self.plain {
            // To the bits of the sum that others are.
            return DVec3::ZERO + of[row.0 as usize];
        }
        let range = self.range(row);
        if range.len() == 1 {
            let (dof, weight) = (self.dof[range.start] as usize, f64::from(self.weight[range.start]));
            return DVec3::ZERO + of[dof] * weight;
        }
        self.sum_at(row, of)
    }

    #[inline(never)]
    fn sum_at(&self, row: Row, of: &[DVec3]) -> DVec3 {
        self.terms(row).fold(DVec3::ZERO, |sum, (dof, weight)| sum + of[dof] * weight)
    }

    /// A field's value at every row, where the degrees of freedom have the values `of`.
    pub fn values(&self, of: &[f64]) -> Vec<f64> {
        let value = |row: u32| self.terms(Row(row)).map(|(dof, weight)| weight * of[dof]).sum();
        (0..self.len() as u32).map(value).collect()
    }

    /// Raw table: row starts (one more than rows), degrees of freedom, weights.
    pub fn as_parts(&self) -> (&[u32], &[u32], &[f32]) {
        (&self.start, &self.dof, &self.weight)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sinew_math::dvec3;

    #[test]
    fn a_row_is_the_weighted_sum_of_its_degrees_of_freedom() {
        let mut rows = Rows::identity(3);
        let middle = rows.push([(0, 0.25), (2, 0.75)]);
        let x = [dvec3(4.0, 0.0, 0.0), dvec3(9.0, 9.0, 9.0), dvec3(0.0, 8.0, 0.0)];
        assert_eq!(rows.at(middle, &x), dvec3(1.0, 6.0, 0.0));
        assert_eq!(rows.at(Row(1), &x), x[1]);
        assert_eq!(rows.values(&[4.0, 9.0, 8.0]), [4.0, 9.0, 8.0, 7.0]);
        assert_eq!((rows.single(Row(1)), rows.single(middle)), (Some(1), None));
    }

    /// Rows that are plain degrees of freedom are answered without the table, to the bits that it gives, wherever the first other row stands.
    #[test]
    fn plain_rows_are_what_the_table_says() {
        let x: Vec<DVec3> = (0..6).map(|i| dvec3(0.1 * f64::from(i), -0.0, 1.0 / f64::from(i + 3))).collect();
        let kinds: [&[(u32, f32)]; 5] = [&[(0, 1.0)], &[(1, 1.0)], &[(3, 1.0)], &[(3, 0.5)], &[(0, 0.5), (4, 0.5)]];
        for other in kinds {
            let mut rows = Rows::identity(2);
            rows.push([(2, 1.0)]);
            rows.push(other.iter().copied());
            rows.push([(4, 1.0)]);
            for row in (0..5).map(Row) {
                let summed = rows.terms(row).fold(DVec3::ZERO, |sum, (dof, weight)| sum + x[dof] * weight);
                assert_eq!(rows.at(row, &x).to_array().map(f64::to_bits), summed.to_array().map(f64::to_bits));
                let terms: Vec<(usize, f64)> = rows.terms(row).collect();
                let single = if let [(dof, 1.0)] = terms[..] { Some(dof) } else { None };
                assert_eq!(rows.single(row), single, "{other:?}");
            }
        }
    }
}
