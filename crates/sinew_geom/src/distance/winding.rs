//! How often a surface winds around a point: about 1 inside, about 0 outside, also where the surface has holes, crosses
//! itself or lies twice in one place.
//!
//! Barill, Dickson, Schmidt, Levin, Jacobson. "Fast Winding Numbers for Soups and Clouds". SIGGRAPH 2018. Cited below as
//! [BDSLJ18]. The number is the sum of the triangles' solid angles over 4π; far groups of triangles are replaced by one
//! dipole and its second-order term, near ones are summed exactly (van Oosterom and Strackee 1983).

use super::bvh::{Facet, TriangleTree};
use sinew_math::{DMat3, DVec3};
use std::f64::consts::PI;

/// A group is far when the point is more than this many radii away (β of [BDSLJ18]).
const FAR_RADII: f64 = 2.0;

/// Sums over the triangles below each node of the tree.
#[derive(Debug, Clone)]
pub(super) struct Winding {
    groups: Vec<Group>,
}

#[derive(Debug, Clone, Copy)]
struct Group {
    /// Area-weighted mean of the triangles' centroids.
    centre: DVec3,
    far_squared: f64,
    /// Sum of the area vectors.
    dipole: DVec3,
    /// Sum of (centroid − centre) ⊗ area vector; column j belongs to component j of the area vector.
    spread: DMat3,
}

impl Winding {
    pub(super) fn new(tree: &TriangleTree) -> Self {
        let mut groups = vec![
            Group { centre: DVec3::ZERO, far_squared: 0.0, dipole: DVec3::ZERO, spread: DMat3::ZERO };
            tree.nodes.len()
        ];
        let mut weights = vec![0.0; tree.nodes.len()];
        // Children come after their parents.
        for n in (0..tree.nodes.len()).rev() {
            let node = &tree.nodes[n];
            let parts: Vec<(f64, DVec3, DVec3, DMat3)> = if node.count > 0 {
                tree.facets[node.first as usize..(node.first + node.count) as usize].iter().map(of_facet).collect()
            } else {
                [node.first as usize, node.first as usize + 1]
                    .map(|c| (weights[c], groups[c].centre, groups[c].dipole, groups[c].spread))
                    .to_vec()
            };
            let weight: f64 = parts.iter().map(|part| part.0).sum();
            let middle = 0.5 * (node.low + node.high);
            let centre =
                if weight > 0.0 { parts.iter().map(|part| part.0 * part.1).sum::<DVec3>() / weight } else { middle };
            let dipole = parts.iter().map(|part| part.2).sum();
            let spread = parts.iter().fold(DMat3::ZERO, |sum, (_, at, dipole, spread)| {
                let arm = *at - centre;
                sum + *spread + DMat3::from_cols(arm * dipole.x, arm * dipole.y, arm * dipole.z)
            });
            let radius = (centre - node.low).max(node.high - centre).length();
            weights[n] = weight;
            groups[n] = Group { centre, far_squared: (FAR_RADII * radius).powi(2), dipole, spread };
        }
        Self { groups }
    }

    pub(super) fn at(&self, tree: &TriangleTree, point: DVec3) -> f64 {
        let mut angle = 0.0;
        if tree.facets.is_empty() {
            return angle;
        }
        let mut stack = [0u32; 96];
        let mut open = 1;
        while open > 0 {
            open -= 1;
            let n = stack[open] as usize;
            let group = &self.groups[n];
            let arm = group.centre - point;
            let squared = arm.length_squared();
            if squared > group.far_squared {
                angle += group.solid_angle(arm, squared);
                continue;
            }
            let node = &tree.nodes[n];
            for facet in &tree.facets[node.first as usize..(node.first + node.count) as usize] {
                angle += solid_angle(facet, point);
            }
            if node.count == 0 {
                stack[open] = node.first + 1;
                stack[open + 1] = node.first;
                open += 2;
            }
        }
        angle / (4.0 * PI)
    }
}

impl Group {
    /// The expansion of [BDSLJ18] up to second order: ∇G · dipole + ∇²G : spread, with G = −1/r and without its 1/4π.
    fn solid_angle(&self, arm: DVec3, squared: f64) -> f64 {
        let inverse = 1.0 / squared.sqrt();
        let inverse_cubed = inverse / squared;
        let first = arm.dot(self.dipole) * inverse_cubed;
        let trace = self.spread.x_axis.x + self.spread.y_axis.y + self.spread.z_axis.z;
        let second = (trace - 3.0 * arm.dot(self.spread * arm) / squared) * inverse_cubed;
        first + second
    }
}

fn of_facet(facet: &Facet) -> (f64, DVec3, DVec3, DMat3) {
    let area = 0.5 * facet.edges[0].cross(facet.edges[1]);
    let centroid = facet.corner + (facet.edges[0] + facet.edges[1]) / 3.0;
    (area.length(), centroid, area, DMat3::ZERO)
}

fn solid_angle(facet: &Facet, point: DVec3) -> f64 {
    let a = facet.corner - point;
    let (b, c) = (a + facet.edges[0], a + facet.edges[1]);
    let (la, lb, lc) = (a.length(), b.length(), c.length());
    let volume = a.dot(b.cross(c));
    let below = la * lb * lc + a.dot(b) * lc + b.dot(c) * la + c.dot(a) * lb;
    2.0 * sinew_math::libm::atan2(volume, below)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::primitive::capsule;
    use sinew_math::dvec3;

    #[test]
    fn groups_agree_with_the_sum_over_all_triangles() {
        let mesh = capsule(0.5, 0.7, 48);
        let open = &mesh.triangles[..mesh.triangles.len() * 9 / 10];
        for triangles in [&mesh.triangles[..], open] {
            let tree = TriangleTree::new(&mesh.positions, triangles);
            let winding = Winding::new(&tree);
            for n in 0..500u32 {
                let at = |k: u32| f64::from((n * 7919 + k * 104_729) % 2003) / 2003.0 * 4.0 - 2.0;
                let point = dvec3(at(0), at(1), at(2));
                let exact: f64 = tree.facets.iter().map(|f| solid_angle(f, point)).sum::<f64>() / (4.0 * PI);
                let fast = winding.at(&tree, point);
                assert!((fast - exact).abs() < 0.01, "{point}: {fast} for {exact}");
            }
        }
    }
}
