//! Contact between two bodies: a vertex of one against a face of the other, or an edge against an edge, with one impulse for both.

use super::{ContactPoint, Friction, Other, Rub};
use crate::{BodyId, Row};
use sinew_math::DVec3;

/// A material point of a body: a mixture of up to three degrees of freedom.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Spot {
    pub body: BodyId,
    pub dofs: [u32; 3],
    pub weights: [f64; 3],
}

impl Spot {
    /// So far along an edge.
    pub(crate) fn on_edge(body: BodyId, [a, b]: [u32; 2], along: f64) -> Self {
        Self { body, dofs: [a, b, b], weights: [1.0 - along, along, 0.0] }
    }

    /// So on a face; weights that add up to 1 in f64, so that what the face takes is exactly what the other gives.
    pub(crate) fn on_face(body: BodyId, dofs: [u32; 3], [_, v, w]: [f64; 3]) -> Self {
        Self { body, dofs, weights: [1.0 - v - w, v, w] }
    }

    pub fn of_point(body: BodyId, dof: u32) -> Self {
        Self { body, dofs: [dof; 3], weights: [1.0, 0.0, 0.0] }
    }

    /// Its place or velocity where the body's degrees of freedom have the values `of`. In place, because whether a spot is a vertex is foretold by who asks.
    #[inline(always)]
    pub fn at(&self, of: &[DVec3]) -> DVec3 {
        let ([a, b, c], [u, v, w]) = (self.dofs.map(|dof| dof as usize), self.weights);
        if v == 0.0 && w == 0.0 { of[a] * u } else { of[a] * u + of[b] * v + of[c] * w }
    }

    pub fn terms(&self) -> impl Iterator<Item = (usize, f64)> + Clone + use<> {
        let used = if self.weights[1] == 0.0 && self.weights[2] == 0.0 { 1 } else { 3 };
        self.dofs.into_iter().zip(self.weights).take(used).map(|(dof, weight)| (dof as usize, weight))
    }

    /// Σ w²/m: how easily an impulse moves it, 1/kg.
    pub fn inverse_mass(&self, inverse_mass: impl Fn(usize) -> f64) -> f64 {
        self.terms().map(|(dof, weight)| weight * weight * inverse_mass(dof)).sum()
    }

    /// The degree of freedom with the largest share in it.
    pub fn nearest_dof(&self) -> u32 {
        let heaviest = (1..3).fold(0, |best, k| if self.weights[k] > self.weights[best] { k } else { best });
        self.dofs[heaviest]
    }
}

/// A vertex of one body near a face of another (or of its own), or a place on an edge of one near one on an edge of another.
///
/// The gap is linear in both bodies' positions, so that solvers of any kind can use it: an impulse J n on `vertex` is −J n on
/// `face`, and no momentum is made.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BodyContact {
    pub vertex: Spot,
    pub face: Spot,
    /// Out of the face, towards the vertex.
    pub normal: DVec3,
    /// The distance they keep.
    pub thickness_m: f64,
    /// The gap where both are expected at the interval's end.
    pub gap_m: f64,
    /// Where it is expected, in the world.
    pub point: DVec3,
    /// Of the vertex's body and of the face's, with the forward direction (unit, or zero) of each.
    pub friction: [Friction; 2],
    pub along: [DVec3; 2],
}

impl BodyContact {
    /// The four degrees of freedom that it moves: of `vertex`'s body as many as the number says, the others of `face`'s. Weights are those in the gap.
    pub(crate) fn corners(&self) -> (usize, [u32; 4], [f64; 4]) {
        let ([a, b, _], [p, q, r]) = (self.vertex.dofs, self.face.dofs);
        let ([s, t, _], [u, v, w]) = (self.vertex.weights, self.face.weights);
        if t == 0.0 {
            (1, [a, p, q, r], [s, -u, -v, -w])
        } else if w == 0.0 {
            (2, [a, b, p, q], [s, t, -u, -v])
        } else {
            // An edge through a face: of the face's corners the two that take most of it.
            let mut corners = [(p, u), (q, v), (r, w)];
            corners.sort_by(|one, two| two.1.total_cmp(&one.1));
            let [(p, u), (q, v), _] = corners;
            (2, [a, b, p, q], [s, t, -u / (u + v), -v / (u + v)])
        }
    }

    /// The gap when the vertex is at one place and the face's point at another.
    pub fn gap_at(&self, vertex: DVec3, face: DVec3) -> f64 {
        self.normal.dot(vertex - face) - self.thickness_m
    }

    /// Coulomb's coefficient when the vertex slides over the face with velocity `slide`: the geometric mean of both bodies'.
    pub fn friction_against(&self, slide: DVec3) -> f64 {
        let [vertex, face] = self.friction;
        if let (Some(vertex), Some(face)) = (vertex.even_coefficient(), face.even_coefficient()) {
            return (vertex * face).sqrt();
        }
        (vertex.against(slide, self.along[0]) * face.against(-slide, self.along[1])).sqrt()
    }

    /// Friction under a force `pressed_n` as a drag on slides; see [`super::Contact::rub`].
    pub fn rub(&self, slide: DVec3, pressed_n: f64, least_speed: f64) -> Rub {
        Rub::even(self.normal, slide, self.friction_against(slide) * pressed_n, least_speed)
    }

    /// The points of `body` that it is about: none, one, or two where a body touches itself.
    pub fn contact_points_on(&self, body: BodyId) -> impl Iterator<Item = ContactPoint> + use<> {
        let rows = [self.vertex, self.face].map(|spot| Row(spot.nearest_dof()));
        let touched = |mine: usize, other: BodyId, normal: DVec3| ContactPoint {
            at: rows[mine],
            other: Other::Body(other, rows[1 - mine]),
            normal,
            gap_m: self.gap_m,
        };
        let on_vertex = (self.vertex.body == body).then(|| touched(0, self.face.body, self.normal));
        let on_face = (self.face.body == body).then(|| touched(1, self.vertex.body, -self.normal));
        on_vertex.into_iter().chain(on_face)
    }
}
