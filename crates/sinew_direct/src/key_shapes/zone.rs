//! A part of a shape that follows what is done beside it: points that are put somewhere, points that stay, and flesh between them.
//!
//! As rigid as possible (Sorkine, Alexa, "As-Rigid-As-Possible Surface Modeling", SGP 2007) over the elements of the flesh, with the shape
//! at the start as reference, so that nothing moves before something is pulled. Turns of elements and a linear solve alternate; turns
//! begin with those of the step before, so that one or two rounds follow a hand. The matrix is that of the free points alone and is
//! factored when the gesture begins, in single precision: every round solves for what is missing still, so that nothing is lost.
//!
//! Limits: elements that are pulled inside out do not find back by themselves; `check_shape` names them.

use super::ShapeCells;
use super::cells::Element;
use super::turning::TurningElements;
use sinew_math::DVec3;
use sinew_math::sparse::{FactorError, SingleFactor, SymmetricMatrix};

/// Keeps points that nothing reaches where they are, against the stiffness of an element.
const HOLD: f64 = 1e-9;

/// Free points among others that are given.
pub struct ElasticZone {
    x: Vec<DVec3>,
    /// Free points, and where each point is among them: behind all of them if it is not free.
    free: Vec<u32>,
    place: Vec<u32>,
    /// Elements with a free corner, measured in the shape at the start, and their turns since.
    elements: TurningElements,
    /// None where no point is free.
    factor: Option<SingleFactor>,
}

impl ElasticZone {
    /// Of the shape `start`, whose points are free where `is_free` says so.
    pub fn new(cells: &ShapeCells, start: &[DVec3], is_free: &[bool]) -> Result<Self, FactorError> {
        let free: Vec<u32> = (0..start.len() as u32).filter(|point| is_free[*point as usize]).collect();
        let mut place = vec![free.len() as u32; start.len()];
        for (at, point) in free.iter().enumerate() {
            place[*point as usize] = at as u32;
        }
        let touches = |element: &&Element| element.corners().any(|corner| is_free[corner]);
        // What is flat at the start has no turn; its neighbours carry its points.
        let elements: Vec<Element> =
            cells.elements.iter().filter(touches).filter_map(|element| element.at(start)).collect();
        let factor = (!free.is_empty()).then(|| factor(&elements, &place, free.len())).transpose()?;
        Ok(Self { x: start.to_vec(), free, place, elements: TurningElements::new(&elements), factor })
    }

    /// Puts points that are not free somewhere and lets the free ones follow, `rounds` times.
    pub fn pull(&mut self, given: impl IntoIterator<Item = (usize, DVec3)>, rounds: usize) -> &[DVec3] {
        for (point, to) in given {
            debug_assert_eq!(self.place[point] as usize, self.free.len(), "a point that is given is not free");
            self.x[point] = to;
        }
        for _ in 0..rounds {
            self.follow();
        }
        &self.x
    }

    /// One round: `K δ = Σ V (R − F) g` over the free points.
    fn follow(&mut self) {
        let Self { x, free, place, elements, factor } = self;
        let Some(factor) = factor else { return };
        // The last is for all points that are not free.
        let mut right = vec![DVec3::ZERO; free.len() + 1];
        elements.pull(x, place, &mut right);
        for (point, by) in free.iter().zip(factor.solve(&right[..free.len()])) {
            x[*point as usize] += by;
        }
    }
}

/// `Σ V g_a·g_b` over pairs of free corners.
fn factor(elements: &[Element], place: &[u32], count: usize) -> Result<SingleFactor, FactorError> {
    let weight: f64 = elements.iter().map(|e| e.volume.abs() * e.gradient[1].length_squared()).sum();
    let hold = HOLD * weight / elements.len().max(1) as f64;
    let free = count as u32;
    let pairs = elements.iter().flat_map(|element| {
        element.corners().enumerate().flat_map(move |(i, a)| {
            let entry = move |(j, b): (usize, usize)| {
                let value = element.volume.abs() * element.gradient[i].dot(element.gradient[j]);
                (place[a] < free && place[b] < free).then_some((place[a], place[b], value))
            };
            element.corners().enumerate().take(i + 1).filter_map(entry)
        })
    });
    let held = (0..count as u32).map(|point| (point, point, hold));
    let matrix = SymmetricMatrix::from_entries(count, pairs.chain(held));
    SingleFactor::new(&matrix)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::key_shapes::check_shape;
    use sinew_geom::structured::bar;
    use sinew_math::{DQuat, dvec3};
    use sinew_solve::Flesh;

    fn cells() -> (ShapeCells, Vec<DVec3>) {
        let flesh = Flesh::from_tets(bar(dvec3(1.0, 0.2, 0.2), [16, 3, 3]), 1000.0).unwrap();
        let rest = flesh.rest.clone();
        (ShapeCells::new(&flesh).unwrap(), rest)
    }

    fn ends(rest: &[DVec3]) -> (Vec<usize>, Vec<bool>) {
        let right = (0..rest.len()).filter(|i| rest[*i].x > 0.49).collect();
        (right, rest.iter().map(|x| x.x.abs() < 0.49).collect())
    }

    /// A turned end carries the bar along: bent, not sheared, and as long as it was.
    #[test]
    fn flesh_between_a_turned_and_a_fixed_end_bends_and_keeps_its_volume() {
        let (cells, rest) = cells();
        let (end, is_free) = ends(&rest);
        let mut zone = ElasticZone::new(&cells, &rest, &is_free).unwrap();
        let turn = DQuat::from_rotation_z(0.8);
        let at = |share: f64| {
            let (turn, middle) = (DQuat::IDENTITY.slerp(turn, share), dvec3(0.5, 0.0, 0.0));
            end.iter().map(|i| (*i, middle + dvec3(-0.07, 0.35, 0.0) * share + turn * (rest[*i] - middle))).collect()
        };
        let targets: Vec<Vec<(usize, DVec3)>> = [0.25, 0.5, 0.75, 1.0].map(at).into();
        for target in &targets {
            zone.pull(target.iter().copied(), 2);
        }
        let shape = zone.pull([], 60).to_vec();
        check_shape(&cells, &shape).unwrap();
        let volume: f64 =
            cells.gradients(&shape).iter().zip(&cells.elements).map(|(f, e)| f.determinant() * e.volume).sum();
        assert!((volume / 0.04 - 1.0).abs() < 0.05, "volume {volume}");
        let worst = targets[3].iter().map(|(i, to)| shape[*i].distance(*to)).fold(0.0, f64::max);
        assert!(worst < 1e-12 && zone.x[0] == rest[0], "given points are where they are put");
    }

    #[test]
    fn nothing_moves_before_something_is_pulled_even_on_a_bent_shape() {
        let (cells, rest) = cells();
        let bent: Vec<DVec3> = rest.iter().map(|x| *x + dvec3(0.0, 0.4 * x.x * x.x, 0.0)).collect();
        let (_, is_free) = ends(&rest);
        let mut zone = ElasticZone::new(&cells, &bent, &is_free).unwrap();
        let moved = zone.pull([], 5).iter().zip(&bent).map(|(a, b)| a.distance(*b)).fold(0.0, f64::max);
        assert!(moved < 1e-12, "{moved}");
        let mut none = ElasticZone::new(&cells, &rest, &vec![false; rest.len()]).unwrap();
        assert_eq!(none.pull([(0, DVec3::ZERO)], 1)[0], DVec3::ZERO);
    }
}
