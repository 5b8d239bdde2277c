//! Directions of the rest shape carried along by flesh as it bends: a snake's scales point along its body wherever that turns.
//!
//! Where a vertex's neighbours have gone tells the deformation there, F = (Σ (x_j − x_i) r_jᵀ) B⁻¹ with r_j = X_j − X_i and
//! B = Σ r_j r_jᵀ (Müller et al., "Point Based Animation of Elastic, Plastic and Melting Objects", SCA 2004, Eq. 4–6, without its weights). So a
//! direction d goes to F d = Σ c_j (x_j − x_i), whose c_j = r_jᵀ B⁻¹ d never change.

use sinew_geom::{Row, Rows};
use sinew_math::{DMat3, DVec3, Sym3};
use sinew_solve::Flesh;

/// One direction for each vertex of a body's surface, or none at all.
#[derive(Debug, Clone, Default)]
pub struct Forward {
    rows: Rows,
    /// The point that each row is about.
    point: Vec<u32>,
}

impl Forward {
    /// `directions` are those of the rest shape, one per surface row.
    pub fn new(flesh: &Flesh, directions: &[DVec3]) -> Self {
        let rings = flesh.one_rings();
        let mut forward = Self::default();
        for (row, direction) in flesh.surface_rows.iter().zip(directions) {
            // A row of several terms moves as its heaviest point does.
            let heaviest = flesh.anchors.terms(*row).max_by(|a, b| a.1.total_cmp(&b.1));
            let point = heaviest.map_or(0, |(dof, _)| dof);
            let spokes: Vec<(u32, DVec3)> =
                rings[point].iter().map(|&other| (other, flesh.rest[other as usize] - flesh.rest[point])).collect();
            forward.rows.push(coefficients(&spokes, *direction));
            forward.point.push(point as u32);
        }
        forward
    }

    pub fn is_empty(&self) -> bool {
        self.point.is_empty()
    }

    /// Where the direction of a surface vertex points now (unit), or zero where that cannot be said.
    pub(super) fn at(&self, vertex: usize, x: &[DVec3]) -> DVec3 {
        let Some(&point) = self.point.get(vertex) else { return DVec3::ZERO };
        let about = x[point as usize];
        let terms = self.rows.terms(Row(vertex as u32));
        terms.fold(DVec3::ZERO, |sum, (dof, weight)| sum + (x[dof] - about) * weight).normalize_or_zero()
    }
}

/// c_j of every spoke. What lies across a flat ring is told by nothing and stays as it is.
fn coefficients(spokes: &[(u32, DVec3)], direction: DVec3) -> Vec<(u32, f32)> {
    /// Directions in which a ring is thinner than this share of its width do not count.
    const FLAT: f64 = 1e-4;
    let spread: Sym3 = spokes.iter().fold(Sym3::ZERO, |sum, (_, r)| sum + Sym3::along(*r, 1.0));
    let (widths, axes) = spread.eigen();
    let least = widths.max_element() * FLAT;
    let inverse = |width: f64| if width > least { 1.0 / width } else { 0.0 };
    let spread = DVec3::new(inverse(widths.x), inverse(widths.y), inverse(widths.z));
    let to = axes * (DMat3::from_diagonal(spread) * (axes.transpose() * direction));
    spokes.iter().map(|(other, r)| (*other, r.dot(to) as f32)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use sinew_geom::structured::bar;
    use sinew_math::dvec3;

    fn flesh() -> Flesh {
        Flesh::from_tets(bar(dvec3(2.0, 0.2, 0.2), [20, 2, 2]), 1000.0).unwrap_or_else(|error| panic!("{error}"))
    }

    #[test]
    fn turns_with_the_body_and_with_each_bend() {
        let flesh = flesh();
        let forward = Forward::new(&flesh, &vec![DVec3::X; flesh.surface_rows.len()]);
        // Bent to half a circle of radius r about z, far from the origin.
        let r = 2.0 / std::f64::consts::PI;
        let place = |x: DVec3| {
            let (sin, cos) = (x.x / r).sin_cos();
            dvec3(1000.0, 5.0, -300.0) + dvec3(sin * (r - x.y), r - cos * (r - x.y), x.z)
        };
        let now: Vec<DVec3> = flesh.rest.iter().map(|x| place(*x)).collect();
        for (vertex, row) in flesh.surface_rows.iter().enumerate() {
            let (sin, cos) = (flesh.rest[row.0 as usize].x / r).sin_cos();
            let off = forward.at(vertex, &now).angle_between(dvec3(cos, sin, 0.0)).to_degrees();
            assert!(off < 5.0, "{off} degrees at {}", flesh.rest[row.0 as usize]);
        }
    }

    #[test]
    fn where_nothing_tells_it_is_zero() {
        let flesh = flesh();
        let forward = Forward::new(&flesh, &vec![DVec3::X; flesh.surface_rows.len()]);
        assert_eq!(forward.at(3, &vec![DVec3::ONE; flesh.point_count()]), DVec3::ZERO);
        assert_eq!(Forward::default().at(3, &flesh.rest), DVec3::ZERO);
        assert!(coefficients(&[], DVec3::X).is_empty());
    }
}
