//! Harmonic fields: how far a place is on the way from some vertices to others, through the material.
//!
//! ∇²f = 0 with values given at vertices, by linear elements. Where no way leads from one given value to another, such as along a limb
//! beside the way, the field is constant: nothing flows there.

use super::smooth::{Slopes, tet_slopes, triangle_slopes};
use sinew_math::DVec3;
use sinew_math::sparse::{Analysis, FactorError, SymmetricMatrix};

/// How strongly given values hold, over the largest diagonal entry.
const HOLD: f64 = 1e8;
/// Decides values where nothing is connected to any that is given, over the largest diagonal entry.
const REST: f64 = 1e-12;

/// The harmonic field in a tetrahedral mesh through `given` values.
pub fn harmonic_in_tets(positions: &[DVec3], tets: &[[u32; 4]], given: &[(u32, f64)]) -> Result<Vec<f64>, FactorError> {
    harmonic(positions, tets, tet_slopes, given)
}

/// The same on a sheet.
pub fn harmonic_on_sheet(
    positions: &[DVec3],
    triangles: &[[u32; 3]],
    given: &[(u32, f64)],
) -> Result<Vec<f64>, FactorError> {
    harmonic(positions, triangles, triangle_slopes, given)
}

fn harmonic<const K: usize>(
    positions: &[DVec3],
    cells: &[[u32; K]],
    slopes: impl Fn([DVec3; K]) -> Slopes<K>,
    given: &[(u32, f64)],
) -> Result<Vec<f64>, FactorError> {
    let mut entries: Vec<(u32, u32, f64)> = Vec::with_capacity(cells.len() * K * (K + 1) / 2);
    let mut diagonal = vec![0.0; positions.len()];
    for cell in cells {
        let (slope, measure) = slopes(cell.map(|v| positions[v as usize]));
        for i in 0..K {
            diagonal[cell[i] as usize] += measure * slope[i].length_squared();
            entries.extend((0..=i).map(|j| (cell[i], cell[j], measure * slope[i].dot(slope[j]))));
        }
    }
    let largest = diagonal.iter().fold(f64::MIN_POSITIVE, |most: f64, value| most.max(*value));
    entries.extend((0..positions.len() as u32).map(|v| (v, v, REST * largest)));
    let mut field = vec![0.0; positions.len()];
    for &(vertex, value) in given {
        entries.push((vertex, vertex, HOLD * largest));
        field[vertex as usize] += HOLD * largest * value;
    }
    let matrix = SymmetricMatrix::from_entries(positions.len(), entries);
    Analysis::new(&matrix)?.factor(&matrix)?.solve(&mut field);
    let (low, high) = given.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), g| (l.min(g.1), h.max(g.1)));
    // Cells with obtuse angles may step over the ends.
    field.iter_mut().for_each(|value| *value = value.max(low.min(high)).min(high.max(low)));
    Ok(field)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::structured::{bar, cloth};
    use sinew_math::dvec3;

    fn given(positions: &[DVec3], is_end: impl Fn(DVec3) -> Option<f64>) -> Vec<(u32, f64)> {
        positions.iter().enumerate().filter_map(|(v, x)| Some((v as u32, is_end(*x)?))).collect()
    }

    /// Along a bar or a sheet it is linear.
    #[test]
    fn it_is_linear_along_a_bar_and_a_sheet() {
        let ends = |x: DVec3| (x.x.abs() > 0.499).then_some(x.x.signum());
        let mesh = bar(dvec3(1.0, 0.3, 0.2), [10, 3, 2]);
        let field = harmonic_in_tets(&mesh.positions, &mesh.tets, &given(&mesh.positions, ends)).unwrap();
        assert!(field.iter().zip(&mesh.positions).all(|(f, x)| (f - 2.0 * x.x).abs() < 1e-6));
        let sheet = cloth(1.0, 0.4, [10, 4]);
        let field = harmonic_on_sheet(&sheet.positions, &sheet.triangles, &given(&sheet.positions, ends)).unwrap();
        assert!(field.iter().zip(&sheet.positions).all(|(f, x)| (f - 2.0 * x.x).abs() < 1e-6));
    }

    /// Beyond the last given value, and along a limb beside the way, nothing changes.
    #[test]
    fn it_is_constant_beyond_the_ends() {
        let mesh = bar(dvec3(1.0, 0.2, 0.2), [20, 2, 2]);
        let ends = |x: DVec3| ((x.x.abs() - 0.25).abs() < 1e-9).then_some(x.x.signum());
        let field = harmonic_in_tets(&mesh.positions, &mesh.tets, &given(&mesh.positions, ends)).unwrap();
        let beyond = field.iter().zip(&mesh.positions).filter(|(_, x)| x.x.abs() > 0.25);
        assert!(beyond.clone().count() > 20 && beyond.into_iter().all(|(f, x)| (f - x.x.signum()).abs() < 1e-6));
    }
}
