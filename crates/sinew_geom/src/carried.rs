//! Directions that were drawn on the rest shape, as the moved material carries them.
//!
//! Where a point's neighbours have gone tells the deformation there, F = (Σ (x_j − x_i) r_jᵀ) B⁻¹ with r_j = X_j − X_i and
//! B = Σ r_j r_jᵀ (Müller et al., "Point Based Animation of Elastic, Plastic and Melting Objects", SCA 2004, Eq. 4–6, without its weights). So a
//! direction d goes to F d = Σ c_j (x_j − x_i), whose c_j = r_jᵀ B⁻¹ d never change.

use sinew_math::{DMat3, DVec3, Sym3};

/// Lines through points of a mesh, ready to be asked where they lead now.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct CarriedDirections {
    points: Vec<u32>,
    /// Where the terms of each direction begin, and where the last ends.
    start: Vec<u32>,
    terms: Vec<(u32, f64)>,
}

impl CarriedDirections {
    /// Directions at points of the rest shape, whose neighbours `rings` lists. A ring without thickness carries what lies in its plane.
    pub fn new(rest: &[DVec3], rings: &[Vec<u32>], directions: impl IntoIterator<Item = (u32, DVec3)>) -> Self {
        let mut carried = Self { points: Vec::new(), start: vec![0], terms: Vec::new() };
        for (point, direction) in directions {
            let ring = &rings[point as usize];
            let spokes = ring.iter().map(|other| (*other, rest[*other as usize] - rest[point as usize]));
            carried.terms.extend(coefficients(spokes.collect(), direction));
            carried.points.push(point);
            carried.start.push(carried.terms.len() as u32);
        }
        carried
    }

    pub fn len(&self) -> usize {
        self.points.len()
    }

    pub fn is_empty(&self) -> bool {
        self.points.is_empty()
    }

    /// Where direction `n` leads when the points are at `x`, as long as it has become; zero where nothing carries it, or there is none.
    #[inline]
    pub fn now(&self, n: usize, x: &[DVec3]) -> DVec3 {
        if n >= self.points.len() {
            return DVec3::ZERO;
        }
        let own = x[self.points[n] as usize];
        let terms = &self.terms[self.start[n] as usize..self.start[n + 1] as usize];
        terms.iter().fold(DVec3::ZERO, |sum, (j, weight)| sum + (x[*j as usize] - own) * *weight)
    }
}

/// c_j of every spoke. What lies across a flat ring is told by nothing.
fn coefficients(spokes: Vec<(u32, DVec3)>, direction: DVec3) -> impl Iterator<Item = (u32, f64)> {
    /// Directions in which a ring is thinner than this share of its width do not count.
    const FLAT: f64 = 1e-4;
    let spread: Sym3 = spokes.iter().fold(Sym3::ZERO, |sum, (_, r)| sum + Sym3::along(*r, 1.0));
    let (widths, axes) = spread.eigen();
    let least = widths.max_element() * FLAT;
    let inverse = |width: f64| if width > least { 1.0 / width } else { 0.0 };
    let spread = DVec3::new(inverse(widths.x), inverse(widths.y), inverse(widths.z));
    let to = axes * (DMat3::from_diagonal(spread) * (axes.transpose() * direction));
    spokes.into_iter().map(move |(other, r)| (other, r.dot(to)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::adjacency::one_rings;
    use crate::structured::{bar, cloth};
    use sinew_math::{DQuat, dvec3};

    /// Any linear motion carries a direction to exactly where it takes it, also far from the origin.
    #[test]
    fn a_linear_motion_carries_directions_exactly() {
        let mesh = bar(dvec3(1.0, 0.3, 0.2), [6, 2, 2]);
        let motion = DMat3::from_quat(DQuat::from_rotation_z(1.1)) * DMat3::from_diagonal(dvec3(1.5, 0.7, 1.0));
        let now: Vec<DVec3> = mesh.positions.iter().map(|x| motion * *x + DVec3::splat(100.0)).collect();
        let direction = dvec3(0.6, 0.0, 0.8);
        let rings = one_rings(mesh.positions.len(), &mesh.tets);
        let points = 0..mesh.positions.len() as u32;
        let carried = CarriedDirections::new(&mesh.positions, &rings, points.map(|point| (point, direction)));
        for n in 0..carried.len() {
            assert!(carried.now(n, &now).distance(motion * direction) < 1e-9, "point {n}: {}", carried.now(n, &now));
        }
    }

    /// A bar bent to a half circle: directions along it follow the arc, a quarter turn to each side of the middle.
    #[test]
    fn a_bend_turns_directions_with_the_place() {
        let mesh = bar(dvec3(2.0, 0.1, 0.1), [40, 2, 2]);
        let radius = 2.0 / std::f64::consts::PI;
        let bent = |x: &DVec3| {
            let angle = x.x / radius;
            dvec3(angle.sin() * (radius - x.y), radius - angle.cos() * (radius - x.y), x.z)
        };
        let now: Vec<DVec3> = mesh.positions.iter().map(bent).collect();
        let rings = one_rings(mesh.positions.len(), &mesh.tets);
        let points = 0..mesh.positions.len() as u32;
        let carried = CarriedDirections::new(&mesh.positions, &rings, points.map(|point| (point, DVec3::X)));
        for (n, rest) in mesh.positions.iter().enumerate().filter(|(_, rest)| rest.x.abs() < 0.95) {
            let angle = rest.x / radius;
            let off = carried.now(n, &now).normalize().distance(dvec3(angle.cos(), angle.sin(), 0.0));
            assert!(off < 0.02, "at {rest}: {off}");
        }
    }

    #[test]
    fn a_sheet_carries_what_lies_in_it() {
        let sheet = cloth(1.0, 1.0, [4, 4]);
        let rings = one_rings(sheet.positions.len(), &sheet.triangles);
        let carried = CarriedDirections::new(&sheet.positions, &rings, [(12, DVec3::X), (12, DVec3::Y)]);
        let stood: Vec<DVec3> = sheet.positions.iter().map(|x| dvec3(0.0, 2.0 * x.x, x.z)).collect();
        assert!(carried.now(0, &stood).distance(dvec3(0.0, 2.0, 0.0)) < 1e-6);
        assert!(carried.now(1, &stood).length() < 1e-6, "nothing carries what leads out of the sheet");
    }
}
