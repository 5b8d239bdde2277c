//! Which nodes are neighbours, with the way between them through the material: to draw (figures 3 and 4 of
//! [AWO09], see [`super`]).

use super::nodes::Nodes;
use crate::adjacency::one_rings;
use sinew_math::DVec3;

/// Two nodes one of which moves the place of the other, and the way between them through the material.
#[derive(Debug, Clone, PartialEq)]
pub struct Link {
    pub nodes: [u32; 2],
    /// From the first to the second: straight where they see one another, else along edges to where the first
    /// is seen.
    pub path: Vec<DVec3>,
    /// The distance through the material, by which they are neighbours.
    pub length_m: f64,
}

impl Nodes {
    /// Pairs of nodes nearer to one another through the material than a node reaches, in ascending order.
    pub fn links(&self) -> Vec<Link> {
        let flesh = self.flesh();
        let rings = one_rings(flesh.positions.len(), &flesh.tets);
        let mut links = Vec::new();
        for second in 0..self.len() as u32 {
            let spot = self.material.spot(self.rest[second as usize]);
            for near in self.sources.near(&spot, self.radius_m).iter().filter(|near| near.node < second) {
                let mut path = self.way_to(near.node, second, &spot.vertices(), &rings);
                path.reverse();
                links.push(Link { nodes: [near.node, second], path, length_m: near.distance_m });
            }
        }
        links.sort_by_key(|link| link.nodes);
        links
    }

    /// From node `from` over ever nearer vertices until `to` is seen.
    fn way_to(&self, to: u32, from: u32, around: &[u32], rings: &[Vec<u32>]) -> Vec<DVec3> {
        let positions = &self.flesh().positions;
        let goal = self.rest[to as usize];
        let excess = |vertex: u32| {
            let (sources, excess) = self.sources.at_vertex(vertex);
            sources.binary_search(&to).ok().map(|slot| excess[slot])
        };
        let mut path = vec![self.rest[from as usize]];
        if around.iter().all(|vertex| excess(*vertex) == Some(0.0)) {
            path.push(goal);
            return path;
        }
        let (mut next, mut left_m) = (around.to_vec(), f64::INFINITY);
        loop {
            let here = path[path.len() - 1];
            let step = next.iter().filter_map(|vertex| {
                let (place, bent_m) = (positions[*vertex as usize], excess(*vertex)?);
                let left = bent_m + place.distance(goal);
                (left < left_m).then_some((here.distance(place) + left, left, bent_m, *vertex))
            });
            let best = step.min_by(|a, b| a.0.total_cmp(&b.0).then(a.3.cmp(&b.3)));
            let Some((_, left, bent_m, vertex)) = best else { break };
            path.push(positions[vertex as usize]);
            left_m = left;
            if bent_m == 0.0 {
                break;
            }
            next.clone_from(&rings[vertex as usize]);
        }
        path.push(goal);
        path
    }
}
