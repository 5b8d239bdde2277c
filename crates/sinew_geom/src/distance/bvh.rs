//! A tree of boxes over triangles, and the nearest point of them.
//!
//! Built by splitting at the middle of the centroids' longest extent (or in two halves where that separates nothing).
//! Children lie one behind the other, triangles in the order of leaves.

use sinew_math::DVec3;

const LEAF_TRIANGLES: usize = 4;
/// Deeper than any tree over 2³² triangles that halves when it must.
const STACK: usize = 96;

/// The nearest place on a surface.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Hit {
    /// The triangle's number in the mesh.
    pub triangle: u32,
    pub place: DVec3,
    pub distance_squared: f64,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Node {
    pub low: DVec3,
    pub high: DVec3,
    /// The first triangle of a leaf, or the first of two children.
    pub first: u32,
    /// Triangles of a leaf; 0 for inner nodes.
    pub count: u32,
}

/// A triangle as its first corner and two edges.
#[derive(Debug, Clone, Copy)]
pub(super) struct Facet {
    pub corner: DVec3,
    pub edges: [DVec3; 2],
}

/// Triangles sorted into a tree.
#[derive(Debug, Clone)]
pub struct TriangleTree {
    pub(super) nodes: Vec<Node>,
    pub(super) facets: Vec<Facet>,
    pub(super) numbers: Vec<u32>,
}

impl TriangleTree {
    /// Indices must be within range.
    pub fn new(positions: &[DVec3], triangles: &[[u32; 3]]) -> Self {
        let corners: Vec<[DVec3; 3]> = triangles.iter().map(|t| t.map(|v| positions[v as usize])).collect();
        let mut entries: Vec<(DVec3, u32)> =
            corners.iter().enumerate().map(|(n, [a, b, c])| ((*a + *b + *c) / 3.0, n as u32)).collect();
        // Nothing has no root: a node without triangles would be an inner one.
        let (mut nodes, mut open) = (Vec::new(), Vec::new());
        if !entries.is_empty() {
            nodes.push(bounding(&corners, &entries, 0));
            open.push(0usize);
        }
        while let Some(parent) = open.pop() {
            let Node { first, count, .. } = nodes[parent];
            if count as usize <= LEAF_TRIANGLES {
                continue;
            }
            let range = first as usize..(first + count) as usize;
            let half = range.start + split(&mut entries[range.clone()]);
            let children = nodes.len();
            nodes.push(bounding(&corners, &entries[range.start..half], range.start));
            nodes.push(bounding(&corners, &entries[half..range.end], half));
            (nodes[parent].first, nodes[parent].count) = (children as u32, 0);
            open.extend([children, children + 1]);
        }
        let facet = |(_, n): &(DVec3, u32)| {
            let [a, b, c] = corners[*n as usize];
            Facet { corner: a, edges: [b - a, c - a] }
        };
        Self { nodes, facets: entries.iter().map(facet).collect(), numbers: entries.iter().map(|e| e.1).collect() }
    }

    /// The nearest place on any triangle; `None` where there are none.
    pub fn nearest(&self, point: DVec3) -> Option<Hit> {
        self.nearest_within(point, f64::INFINITY, |_| true)
    }

    /// The nearest place on the triangles that are `wanted`, closer than the root of `reach_squared`.
    pub fn nearest_within(&self, point: DVec3, reach_squared: f64, wanted: impl Fn(u32) -> bool) -> Option<Hit> {
        let mut best: Option<Hit> = None;
        let mut best_squared = reach_squared;
        let mut stack = [(0u32, 0.0f64); STACK];
        let mut open = 0;
        if !self.facets.is_empty() {
            stack[0] = (0, self.nodes[0].distance_squared(point));
            open = 1;
        }
        while open > 0 {
            open -= 1;
            let (node, node_squared) = stack[open];
            if node_squared >= best_squared {
                continue;
            }
            let Node { first, count, .. } = self.nodes[node as usize];
            for n in first as usize..(first + count) as usize {
                let place = self.facets[n].nearest(point);
                let squared = place.distance_squared(point);
                if squared < best_squared && wanted(self.numbers[n]) {
                    best_squared = squared;
                    best = Some(Hit { triangle: self.numbers[n], place, distance_squared: squared });
                }
            }
            if count == 0 {
                let [near, far] = [first, first + 1].map(|n| (n, self.nodes[n as usize].distance_squared(point)));
                let (near, far) = if near.1 <= far.1 { (near, far) } else { (far, near) };
                for child in [far, near] {
                    if child.1 < best_squared && open < STACK {
                        stack[open] = child;
                        open += 1;
                    }
                }
            }
        }
        best
    }
}

impl TriangleTree {
    /// Triangles that are measured to find the nearest to a point: a handful, unless many lie on each other.
    pub fn measured_for(&self, point: DVec3) -> usize {
        let Some(hit) = self.nearest(point) else { return 0 };
        let (mut open, mut count) = (vec![0u32], 0);
        while let Some(n) = open.pop() {
            let node = &self.nodes[n as usize];
            if node.distance_squared(point) < hit.distance_squared {
                count += node.count as usize;
                if node.count == 0 {
                    open.extend([node.first, node.first + 1]);
                }
            }
        }
        count
    }

    /// Every triangle whose box overlaps a box.
    pub fn each_in(&self, low: DVec3, high: DVec3, mut tell: impl FnMut([DVec3; 3])) {
        let overlaps = |from: DVec3, to: DVec3| !from.cmpgt(high).any() && !to.cmplt(low).any();
        let mut open = if self.nodes.is_empty() { Vec::new() } else { vec![0u32] };
        while let Some(n) = open.pop() {
            let node = &self.nodes[n as usize];
            if !overlaps(node.low, node.high) {
                continue;
            }
            for facet in &self.facets[node.first as usize..][..node.count as usize] {
                let [b, c] = facet.edges.map(|edge| facet.corner + edge);
                if overlaps(facet.corner.min(b).min(c), facet.corner.max(b).max(c)) {
                    tell([facet.corner, b, c]);
                }
            }
            if node.count == 0 {
                open.extend([node.first + 1, node.first]);
            }
        }
    }

    /// Where a segment cuts one of the triangles that are `wanted`; the first found, not the nearest. Looks at no more nodes than
    /// `budget` has left, and takes them off it: where triangles lie in one spot, a tree finds nothing faster than a list.
    pub fn cut_by(&self, from: DVec3, to: DVec3, budget: &mut u64, wanted: impl Fn(u32) -> bool) -> Option<DVec3> {
        let (low, high) = (from.min(to), from.max(to));
        let mut open = vec![0u32];
        while let Some(n) = open.pop() {
            let node = self.nodes.get(n as usize)?;
            *budget = budget.checked_sub(1)?;
            if node.low.cmpgt(high).any() || node.high.cmplt(low).any() {
                continue;
            }
            for n in node.first as usize..(node.first + node.count) as usize {
                if let Some(place) = self.facets[n].cut_by(from, to)
                    && wanted(self.numbers[n])
                {
                    return Some(place);
                }
            }
            if node.count == 0 {
                open.extend([node.first + 1, node.first]);
            }
        }
        None
    }
}

impl Node {
    fn distance_squared(&self, point: DVec3) -> f64 {
        (self.low - point).max(point - self.high).max(DVec3::ZERO).length_squared()
    }
}

fn bounding(corners: &[[DVec3; 3]], entries: &[(DVec3, u32)], first: usize) -> Node {
    let (mut low, mut high) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
    for (_, n) in entries {
        for corner in corners[*n as usize] {
            (low, high) = (low.min(corner), high.max(corner));
        }
    }
    Node { low, high, first: first as u32, count: entries.len() as u32 }
}

/// Puts the entries into two groups and gives the size of the first.
fn split(entries: &mut [(DVec3, u32)]) -> usize {
    let (low, high) =
        entries.iter().fold((DVec3::INFINITY, DVec3::NEG_INFINITY), |(low, high), (c, _)| (low.min(*c), high.max(*c)));
    let extent = high - low;
    let axis = if extent.x >= extent.y && extent.x >= extent.z {
        0
    } else if extent.y >= extent.z {
        1
    } else {
        2
    };
    let middle = 0.5 * (low + high)[axis];
    // Stable, so that the tree depends only on the mesh.
    entries.sort_by_key(|(centre, _)| centre[axis] >= middle);
    let half = entries.partition_point(|(centre, _)| centre[axis] < middle);
    // A lopsided split of many triangles in one spot would make the tree deep.
    if half.min(entries.len() - half) * 16 >= entries.len() {
        return half;
    }
    let half = entries.len() / 2;
    entries.select_nth_unstable_by(half, |a, b| a.0[axis].total_cmp(&b.0[axis]).then(a.1.cmp(&b.1)));
    half
}

impl Facet {
    fn cut_by(&self, from: DVec3, to: DVec3) -> Option<DVec3> {
        let ray = to - from;
        self.met(from, ray).filter(|(along, _)| *along <= 1.0).map(|(along, _)| from + ray * along)
    }

    /// How many times `ray` from `from` to this triangle, and the shares of its second and third corner there.
    ///
    /// Möller, Trumbore. "Fast, Minimum Storage Ray/Triangle Intersection". 1997.
    pub(super) fn met(&self, from: DVec3, ray: DVec3) -> Option<(f64, [f64; 2])> {
        let side = ray.cross(self.edges[1]);
        let scale = self.edges[0].dot(side);
        if scale == 0.0 {
            return None;
        }
        let arm = from - self.corner;
        let u = arm.dot(side) / scale;
        let turned = arm.cross(self.edges[0]);
        let v = ray.dot(turned) / scale;
        let along = self.edges[1].dot(turned) / scale;
        (u >= 0.0 && v >= 0.0 && u + v <= 1.0 && along >= 0.0).then_some((along, [u, v]))
    }

    /// Nearest point of a triangle (Ericson, "Real-Time Collision Detection", 2005, section 5.1.5).
    fn nearest(&self, point: DVec3) -> DVec3 {
        let (a, [ab, ac]) = (self.corner, self.edges);
        let ap = point - a;
        let (d1, d2) = (ab.dot(ap), ac.dot(ap));
        if d1 <= 0.0 && d2 <= 0.0 {
            return a;
        }
        let bp = ap - ab;
        let (d3, d4) = (ab.dot(bp), ac.dot(bp));
        if d3 >= 0.0 && d4 <= d3 {
            return a + ab;
        }
        let vc = d1 * d4 - d3 * d2;
        if vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0 {
            return a + ab * share(d1, d1 - d3);
        }
        let cp = ap - ac;
        let (d5, d6) = (ab.dot(cp), ac.dot(cp));
        if d6 >= 0.0 && d5 <= d6 {
            return a + ac;
        }
        let vb = d5 * d2 - d1 * d6;
        if vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0 {
            return a + ac * share(d2, d2 - d6);
        }
        let va = d3 * d6 - d5 * d4;
        if va <= 0.0 && d4 >= d3 && d5 >= d6 {
            return a + ab + (ac - ab) * share(d4 - d3, (d4 - d3) + (d5 - d6));
        }
        let sum = va + vb + vc;
        a + ab * share(vb, sum) + ac * share(vc, sum)
    }
}

/// The place on a triangle nearest to a point.
pub fn nearest_on_triangle([a, b, c]: [DVec3; 3], point: DVec3) -> DVec3 {
    Facet { corner: a, edges: [b - a, c - a] }.nearest(point)
}

/// A quotient that stays a number where a triangle has no area.
fn share(part: f64, whole: f64) -> f64 {
    if whole == 0.0 { 0.0 } else { part / whole }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::primitive::capsule;
    use sinew_math::dvec3;

    #[test]
    fn the_tree_finds_what_looking_at_every_triangle_finds() {
        let mesh = capsule(0.5, 0.7, 24);
        let tree = TriangleTree::new(&mesh.positions, &mesh.triangles);
        for n in 0..500u32 {
            let at = |k: u32| f64::from((n * 7919 + k * 104_729) % 2003) / 2003.0 * 4.0 - 2.0;
            let point = dvec3(at(0), at(1), at(2));
            let least = tree.facets.iter().map(|f| f.nearest(point).distance_squared(point)).fold(f64::MAX, f64::min);
            let hit = tree.nearest(point).unwrap();
            assert_eq!(hit.distance_squared, least);
            assert!(tree.nearest_within(point, 0.99 * least, |_| true).is_none());
            let other = tree.nearest_within(point, f64::INFINITY, |t| t != hit.triangle).unwrap();
            assert!(other.triangle != hit.triangle && other.distance_squared >= least);
        }
    }

    #[test]
    fn triangles_without_area_are_still_near_or_far() {
        let positions = [DVec3::ZERO, DVec3::X, DVec3::X * 2.0];
        let tree = TriangleTree::new(&positions, &[[0, 1, 2], [0, 0, 0], [1, 1, 2]]);
        let hit = tree.nearest(dvec3(1.5, 1.0, 0.0)).unwrap();
        assert!((hit.distance_squared - 1.0).abs() < 1e-12 && hit.place.is_finite(), "{hit:?}");
        assert!(TriangleTree::new(&[], &[]).nearest(DVec3::ZERO).is_none());
    }
}
