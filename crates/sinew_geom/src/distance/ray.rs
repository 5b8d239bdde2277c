//! Rays against triangles that move: the tree keeps its shape while its boxes follow.

use super::bvh::{Facet, Node, TriangleTree};
use sinew_math::DVec3;

/// Where a ray meets a surface first.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RayHit {
    /// The triangle's number in the mesh.
    pub triangle: u32,
    pub place: DVec3,
    /// From the ray's start.
    pub distance: f64,
    /// Weights of the triangle's corners.
    pub weights: [f64; 3],
}

impl TriangleTree {
    /// Follows the same triangles to new positions. As fast as reading them; a body that folds itself differently gets looser boxes but no wrong answers.
    pub fn refit(&mut self, positions: &[DVec3], triangles: &[[u32; 3]]) {
        for (facet, number) in self.facets.iter_mut().zip(&self.numbers) {
            let [a, b, c] = triangles[*number as usize].map(|v| positions[v as usize]);
            *facet = Facet { corner: a, edges: [b - a, c - a] };
        }
        // Children lie behind their parents.
        for n in (0..self.nodes.len()).rev() {
            let Node { first, count, .. } = self.nodes[n];
            let (low, high) = if count == 0 {
                let [a, b] = [first as usize, first as usize + 1].map(|child| self.nodes[child]);
                (a.low.min(b.low), a.high.max(b.high))
            } else {
                let facets = &self.facets[first as usize..(first + count) as usize];
                let corners = facets.iter().flat_map(|f| [f.corner, f.corner + f.edges[0], f.corner + f.edges[1]]);
                corners.fold((DVec3::INFINITY, DVec3::NEG_INFINITY), |(low, high), x| (low.min(x), high.max(x)))
            };
            (self.nodes[n].low, self.nodes[n].high) = (low, high);
        }
    }

    /// The first place that a ray meets, from either side. `direction` need not have length 1; none meets a ray without one.
    pub fn cast(&self, from: DVec3, direction: DVec3) -> Option<RayHit> {
        let direction = direction.try_normalize()?;
        let inverse = direction.recip();
        let mut best: Option<RayHit> = None;
        let mut open: Vec<(u32, f64)> = Vec::new();
        if let Some(root) = self.nodes.first()
            && let Some(enter) = root.entered(from, inverse)
        {
            open.push((0, enter));
        }
        while let Some((node, enter)) = open.pop() {
            let reach = best.map_or(f64::INFINITY, |hit| hit.distance);
            if enter > reach {
                continue;
            }
            let Node { first, count, .. } = self.nodes[node as usize];
            for n in first as usize..(first + count) as usize {
                if let Some((distance, [u, v])) = self.facets[n].met(from, direction)
                    && best.is_none_or(|hit| (distance, self.numbers[n]) < (hit.distance, hit.triangle))
                {
                    let place = from + direction * distance;
                    best = Some(RayHit { triangle: self.numbers[n], place, distance, weights: [1.0 - u - v, u, v] });
                }
            }
            if count == 0 {
                let child = |n: u32| self.nodes[n as usize].entered(from, inverse).map(|enter| (n, enter));
                let (near, far) = match (child(first), child(first + 1)) {
                    (Some(a), Some(b)) if b.1 < a.1 => (Some(b), Some(a)),
                    pair => pair,
                };
                open.extend(far);
                open.extend(near);
            }
        }
        best
    }
}

impl Node {
    /// How far along the ray the box begins; none where it is missed or lies behind.
    fn entered(&self, from: DVec3, inverse: DVec3) -> Option<f64> {
        // A ray along a face of a flat box gives 0·∞: such a box counts as entered on that axis.
        let slab = |axis: usize| {
            let (a, b) = ((self.low - from)[axis] * inverse[axis], (self.high - from)[axis] * inverse[axis]);
            if a.is_nan() || b.is_nan() { (f64::NEG_INFINITY, f64::INFINITY) } else { (a.min(b), a.max(b)) }
        };
        let (mut enter, mut leave) = (0.0f64, f64::INFINITY);
        for axis in 0..3 {
            let (near, far) = slab(axis);
            (enter, leave) = (enter.max(near), leave.min(far));
        }
        // Rounding must not lose a triangle that lies in the face of its box.
        (enter <= leave * (1.0 + 1e-12)).then_some(enter)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::primitive::capsule;
    use sinew_math::dvec3;
    use sinew_math::libm::sin;

    fn at(n: u32, k: u32) -> f64 {
        f64::from((n + 1).wrapping_mul([7919, 6311, 4817, 3571, 2221, 1301][k as usize]) % 2003) / 2003.0 * 2.0 - 1.0
    }

    #[test]
    fn a_refitted_tree_finds_what_looking_at_every_triangle_finds() {
        let mesh = capsule(0.5, 0.7, 32);
        let mut tree = TriangleTree::new(&mesh.positions, &mesh.triangles);
        let mut hits = 0;
        for bend in [0.0, 0.4, 1.1] {
            let moved: Vec<DVec3> =
                mesh.positions.iter().map(|x| *x + dvec3(bend * sin(2.0 * x.y), bend * 0.3 * x.x, 0.0)).collect();
            tree.refit(&moved, &mesh.triangles);
            let fresh = TriangleTree::new(&moved, &mesh.triangles);
            for n in 0..400 {
                let from = dvec3(at(n, 0), at(n, 1), at(n, 2)).normalize() * 3.0;
                let direction = dvec3(at(n, 3), 1.5 * at(n, 4), at(n, 5)) * 0.6 - from;
                let least = fresh.facets.iter().filter_map(|f| f.met(from, direction.normalize())).map(|hit| hit.0);
                let least = least.fold(f64::INFINITY, f64::min);
                match tree.cast(from, direction) {
                    Some(hit) => {
                        hits += 1;
                        assert_eq!(hit.distance, least);
                        let corners = mesh.triangles[hit.triangle as usize].map(|v| moved[v as usize]);
                        let sum: DVec3 = corners.iter().zip(hit.weights).map(|(x, w)| *x * w).sum();
                        assert!(sum.distance(hit.place) < 1e-9);
                    }
                    None => assert_eq!(least, f64::INFINITY),
                }
            }
        }
        assert!(hits > 400, "{hits}");
    }

    #[test]
    fn rays_along_axes_and_into_nothing() {
        let positions = [DVec3::ZERO, DVec3::X, DVec3::Y];
        let tree = TriangleTree::new(&positions, &[[0, 1, 2]]);
        let hit = tree.cast(dvec3(0.25, 0.25, 2.0), DVec3::NEG_Z).unwrap();
        assert_eq!((hit.distance, hit.weights), (2.0, [0.5, 0.25, 0.25]));
        assert!(tree.cast(dvec3(0.25, 0.25, 2.0), DVec3::Z).is_none());
        assert!(tree.cast(dvec3(0.25, 0.25, 2.0), DVec3::ZERO).is_none());
        assert!(TriangleTree::new(&[], &[]).cast(DVec3::ZERO, DVec3::X).is_none());
    }
}
