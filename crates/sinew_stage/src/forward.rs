//! Directions of the rest shape carried along by flesh as it bends: a snake's scales point along its body wherever that turns.

use sinew_geom::CarriedDirections;
use sinew_math::DVec3;
use sinew_solve::Flesh;

/// One direction for each vertex of a body's surface, or none at all.
#[derive(Debug, Clone, Default)]
pub struct Forward(CarriedDirections);

impl Forward {
    /// `directions` are those of the rest shape, one per surface row.
    pub fn new(flesh: &Flesh, directions: &[DVec3]) -> Self {
        let of_rows = flesh.surface_rows.iter().zip(directions).map(|(row, direction)| {
            // A row of several terms moves as its heaviest point does.
            let heaviest = flesh.anchors.terms(*row).max_by(|a, b| a.1.total_cmp(&b.1));
            (heaviest.map_or(0, |(dof, _)| dof as u32), *direction)
        });
        Self(CarriedDirections::new(&flesh.rest, &flesh.one_rings(), of_rows))
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Where the direction of a surface vertex points now (unit), or zero where that cannot be said.
    pub(crate) fn at(&self, vertex: usize, x: &[DVec3]) -> DVec3 {
        self.0.now(vertex, x).normalize_or_zero()
    }
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
    }
}
