//! Flesh beyond what its law of stretch is good for.
//!
//! St. Venant and Kirchhoff's law is linear in Green's strain. A bar that is pressed to the share s of its length pushes back with E (s − s³) / 2, which grows only down to s = 1/√3: from there on it gives way, and
//! turns inside out under any load (Sifakis, Barbič: "FEM Simulation of 3D Deformable Solids", SIGGRAPH 2012 course, §3.3). No step is short enough to help; another law does.

use crate::drive::Drive;
use crate::{Method, StageBody};
use sinew_math::{DMat3, DVec3};
use sinew_solve::{BodyId, BodyState, Cells, Cues, StretchLaw, Warning};

/// Squared, the share of its length down to which flesh of that law pushes back.
const LEAST_SQUARE: f64 = 1.0 / 3.0;

/// A warning where cells of a body are pressed farther than its law holds; shapes that muscles and keys change are left out.
pub(crate) fn warning(number: usize, body: &StageBody, state: &BodyState, cues: &Cues, tick: u64) -> Option<Warning> {
    let is_of_that_law = matches!(body.method, Method::Fem(_)) && body.material.law == StretchLaw::StVenantKirchhoff;
    let is_reshaped = Drive::of(body, cues).is_rest_changed();
    let Cells::Tets(tets) = &body.flesh.cells else { return None };
    if !is_of_that_law || is_reshaped {
        return None;
    }
    let gives_way = tets.iter().any(|tet| is_beyond(tet, &body.flesh.rest, &state.x));
    let what = "it is pressed to less than 58 % of its length, where the law of St. Venant and Kirchhoff loses its strength: it turns inside out \
                and may overlap what it touches; another law (neo_hookean, corotated) holds";
    gives_way.then(|| Warning { body: BodyId(number as u32), tick, what: what.to_owned() })
}

/// Whether a cell is turned over, or pressed in some direction by more than the law bears.
fn is_beyond(tet: &[u32; 4], rest: &[DVec3], x: &[DVec3]) -> bool {
    let edges = |of: &[DVec3]| {
        let [a, b, c, d] = tet.map(|corner| of[corner as usize]);
        DMat3::from_cols(b - a, c - a, d - a)
    };
    let f = edges(x) * edges(rest).inverse();
    let right = f.transpose() * f;
    // No eigenvalue is farther from 1 than the length of what differs from the identity.
    let off = right - DMat3::IDENTITY;
    let length_square: f64 = off.to_cols_array().iter().map(|entry| entry * entry).sum();
    if length_square < (1.0 - LEAST_SQUARE).powi(2) && f.determinant() > 0.0 {
        return false;
    }
    f.determinant() <= 0.0 || !is_positive(right - DMat3::from_diagonal(DVec3::splat(LEAST_SQUARE)))
}

/// Whether a symmetric matrix is positive definite, by its leading minors.
fn is_positive(m: DMat3) -> bool {
    let minor = m.x_axis.x * m.y_axis.y - m.x_axis.y * m.y_axis.x;
    m.x_axis.x > 0.0 && minor > 0.0 && m.determinant() > 0.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use sinew_math::dvec3;

    #[test]
    fn cells_beyond_the_turning_point_of_the_law_are_found_in_any_direction() {
        let rest = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
        let tet = [0, 1, 2, 3];
        let axis = dvec3(1.0, 2.0, -0.5).normalize();
        let pressed = |share: f64| rest.map(|x| dvec3(3.0, 1.0, 2.0) + x + axis * (share - 1.0) * x.dot(axis));
        assert!(!is_beyond(&tet, &rest, &pressed(1.0)) && !is_beyond(&tet, &rest, &pressed(0.59)));
        assert!(is_beyond(&tet, &rest, &pressed(0.56)) && is_beyond(&tet, &rest, &pressed(-0.9)));
        assert!(!is_beyond(&tet, &rest, &pressed(3.0)));
    }
}
