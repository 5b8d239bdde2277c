//! Flesh that cannot carry its own weight.
//!
//! A column of height H stands on its base with the pressure ρ g H, a strain of ρ g H / E. From a half on cells at the base are pressed flat and turn inside out: what is left has no
//! inside that contact could keep others out of, and lies in what it lies on. No step is short enough to help; a stiffer, lighter or smaller body does.

use crate::{Method, StageBody};
use sinew_math::DVec3;
use sinew_solve::{BodyId, Cells, Warning};

/// Pressure at the base over Young's modulus from which on flesh collapses.
const COLLAPSES: f64 = 0.5;

/// A warning for each body of a material that collapses under `gravity_m_s2`, whichever side it lies on. Sheets are carried by what they lie on, and matched shapes have no modulus.
pub(crate) fn warnings(bodies: &[StageBody], gravity_m_s2: f64, tick: u64) -> impl Iterator<Item = Warning> {
    bodies.iter().enumerate().filter_map(move |(number, body)| {
        let is_solid = matches!(body.flesh.cells, Cells::Tets(_)) && !matches!(body.method, Method::ShapeMatching(_));
        let pressure_pa = body.material.density_kg_m3 * gravity_m_s2 * least_side_m(&body.flesh.rest);
        let share = pressure_pa / body.material.young_pa;
        let what = format!(
            "it cannot carry its own weight: the pressure at its base is {share:.1} times its Young's modulus, and it collapses where it lies; \
             a stiffer, lighter or smaller body stands"
        );
        (is_solid && share > COLLAPSES).then_some(Warning { body: BodyId(number as u32), tick, what })
    })
}

/// The shortest side of the box about the rest shape.
fn least_side_m(rest: &[DVec3]) -> f64 {
    let low = rest.iter().fold(DVec3::INFINITY, |low, x| low.min(*x));
    let high = rest.iter().fold(DVec3::NEG_INFINITY, |high, x| high.max(*x));
    (high - low).min_element()
}
