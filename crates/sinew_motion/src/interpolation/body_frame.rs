//! The place and turn of a body in a pose: its centre, and the best-fitting rotation of its rest shape.
//!
//! Adams et al. 2009, §6.1: `R_j` by closed-form shape matching (Horn 1987), centres as means. Both are
//! linear functions of the nodal places `y = x + u`: the centre `c = Σ bᵢ yᵢ` and the moment `A = Σ yᵢ gᵢᵀ`.
//! With
//! [`BodyFrame::of_nodes`] all nodes weigh the same, as printed; [`BodyFrame::of_mass`] takes integrals over
//! the body instead, so that `c` is the centre of mass.

use sinew_geom::meshless::Quadrature;
use sinew_math::rotation::{nearest_rotation, outer};
use sinew_math::{DMat3, DQuat, DVec3};

/// Weights that make a centre and a moment of nodal places.
#[derive(Debug, Clone, PartialEq)]
pub struct BodyFrame {
    pub rest: Vec<DVec3>,
    pub rest_centre: DVec3,
    /// `bᵢ`; they sum to 1.
    pub centre_weights: Vec<f64>,
    /// `gᵢ`; they sum to 0.
    pub moment_weights: Vec<DVec3>,
}

impl BodyFrame {
    /// Means over nodes.
    pub fn of_nodes(rest: &[DVec3]) -> Self {
        let share = 1.0 / rest.len() as f64;
        let centre = rest.iter().fold(DVec3::ZERO, |sum, x| sum + *x) * share;
        Self {
            rest: rest.to_vec(),
            rest_centre: centre,
            centre_weights: vec![share; rest.len()],
            moment_weights: rest.iter().map(|x| (*x - centre) * share).collect(),
        }
    }

    /// Means over the body's volume.
    pub fn of_mass(rest: &[DVec3], quadrature: &Quadrature) -> Self {
        let total: f64 = quadrature.volume_m3.iter().sum();
        let shares = || quadrature.points.iter().zip(quadrature.volume_m3.iter().map(|v| v / total));
        let centre = shares().fold(DVec3::ZERO, |sum, (x, share)| sum + *x * share);
        let mut frame = Self {
            rest: rest.to_vec(),
            rest_centre: centre,
            centre_weights: vec![0.0; rest.len()],
            moment_weights: vec![DVec3::ZERO; rest.len()],
        };
        for (point, (x, share)) in shares().enumerate() {
            let row = quadrature.functions.row(point);
            for (node, value) in row.nodes.iter().zip(row.values) {
                frame.centre_weights[*node as usize] += share * value;
                frame.moment_weights[*node as usize] += (*x - centre) * (share * value);
            }
        }
        frame
    }

    /// Means over points that are their own nodes, such as those of flesh, by their masses.
    pub fn of_points(rest: &[DVec3], mass_kg: &[f64]) -> Self {
        let total: f64 = mass_kg.iter().sum();
        let centre = rest.iter().zip(mass_kg).fold(DVec3::ZERO, |sum, (x, m)| sum + *x * (m / total));
        Self {
            rest: rest.to_vec(),
            rest_centre: centre,
            centre_weights: mass_kg.iter().map(|m| m / total).collect(),
            moment_weights: rest.iter().zip(mass_kg).map(|(x, m)| (*x - centre) * (m / total)).collect(),
        }
    }

    pub fn centre(&self, places: &[DVec3]) -> DVec3 {
        places.iter().zip(&self.centre_weights).fold(DVec3::ZERO, |sum, (y, b)| sum + *y * *b)
    }

    /// `A`, of which the rotation is the nearest one.
    pub fn moment(&self, places: &[DVec3]) -> DMat3 {
        places.iter().zip(&self.moment_weights).fold(DMat3::ZERO, |sum, (y, g)| sum + outer(*y, *g))
    }

    pub fn rotation(&self, places: &[DVec3]) -> DQuat {
        nearest_rotation(self.moment(places))
    }

    /// Nodal places of the rest shape turned about its centre and carried to a place.
    pub fn rigid(&self, centre: DVec3, turn: DQuat) -> Vec<DVec3> {
        self.rest.iter().map(|x| centre + turn * (*x - self.rest_centre)).collect()
    }
}
