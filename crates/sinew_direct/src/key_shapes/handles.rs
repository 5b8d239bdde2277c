//! Shapes edited by handles: places of the body that are put somewhere, and flesh that follows as rigidly as it can.
//!
//! Sorkine, Alexa, "As-Rigid-As-Possible Surface Modeling", SGP 2007, over the elements of the flesh: turns of elements and a linear solve
//! alternate. The matrix depends on which places are held and not on where, so that a drag needs no new factor.

use super::cells::{ShapeCells, gradient_of, solve, stiffness};
use sinew_math::rotation::nearest_rotation;
use sinew_math::sparse::{Analysis, Factor, FactorError};
use sinew_math::{DMat3, DVec3};
use std::sync::Arc;

/// How much stiffer a handle is than the flesh at a point.
const GRIP: f64 = 30.0;

/// A place of the body: points and their weights, which sum to 1.
pub type Place = Vec<(usize, f64)>;

/// Places that are held.
pub struct Handles {
    cells: Arc<ShapeCells>,
    places: Vec<Place>,
    grip: f64,
    factor: Factor,
}

impl Handles {
    pub fn new(cells: Arc<ShapeCells>, places: Vec<Place>) -> Result<Self, FactorError> {
        let points = cells.rest.len();
        let weight: f64 = cells.elements.iter().map(|e| e.volume * e.gradient[0].length_squared()).sum();
        let grip = GRIP * 4.0 * weight / points.max(1) as f64;
        let mut matrix = stiffness(points, &cells.elements, &cells.mass_kg, cells.hold);
        let pairs = places.iter().flat_map(|place| {
            let one = move |(n, (a, wa)): (usize, &(usize, f64))| {
                let (a, wa) = (*a, *wa);
                place[..=n].iter().map(move |(b, wb)| (a as u32, *b as u32, grip * wa * wb))
            };
            place.iter().enumerate().flat_map(one)
        });
        matrix = matrix.plus(pairs);
        let factor = Analysis::new(&matrix)?.factor(&matrix)?;
        Ok(Self { cells, places, grip, factor })
    }

    /// The shape near `x` with the handles at their places.
    ///
    /// # Panics
    /// If there is not one place for each handle.
    pub fn drag(&self, x: &[DVec3], to: &[DVec3], sweeps: usize) -> Vec<DVec3> {
        assert_eq!(to.len(), self.places.len(), "one place for each handle");
        let mut shape = x.to_vec();
        for _ in 0..sweeps {
            let held = x.iter().zip(&self.cells.mass_kg);
            let mut right: Vec<DVec3> = held.map(|(x, m)| *x * (self.cells.hold * m)).collect();
            for (place, to) in self.places.iter().zip(to) {
                place.iter().for_each(|(point, weight)| right[*point] += *to * (self.grip * weight));
            }
            for element in &self.cells.elements {
                let turn = DMat3::from_quat(nearest_rotation(gradient_of(element, &shape)));
                for (corner, gradient) in element.corners().zip(element.gradient) {
                    right[corner] += turn * gradient * element.volume;
                }
            }
            shape = solve(&self.factor, &right);
        }
        shape
    }

    /// The shape `x` moved so that every handle goes by its displacement and flesh between follows as smoothly as it can: the displacement is
    /// harmonic, and that of an affine map is the map's.
    ///
    /// # Panics
    /// If there is not one displacement for each handle.
    pub fn spread(&self, x: &[DVec3], by: &[DVec3]) -> Vec<DVec3> {
        assert_eq!(by.len(), self.places.len(), "one displacement for each handle");
        let mut right = vec![DVec3::ZERO; x.len()];
        for (place, by) in self.places.iter().zip(by) {
            place.iter().for_each(|(point, weight)| right[*point] += *by * (self.grip * weight));
        }
        x.iter().zip(solve(&self.factor, &right)).map(|(x, by)| *x + by).collect()
    }

    /// The largest distance of a handle from its place.
    pub fn residual_m(&self, x: &[DVec3], to: &[DVec3]) -> f64 {
        let place = |place: &Place| place.iter().map(|(point, weight)| x[*point] * *weight).sum::<DVec3>();
        self.places.iter().zip(to).map(|(own, to)| place(own).distance(*to)).fold(0.0, f64::max)
    }
}
