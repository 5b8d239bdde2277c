//! The surface of a body as a tree of triangles, at rest.

use sinew_geom::TriangleMesh;
use sinew_geom::meshless::{MeshlessError, Nodes, ShapeFunctions};
use sinew_math::DVec3;

/// A surface that nodes move. Bodies of the same shape share one.
#[derive(Debug, Clone)]
pub struct SurfaceTree {
    pub(super) rest: Vec<DVec3>,
    pub(super) functions: ShapeFunctions,
    pub(super) triangles: Vec<[u32; 3]>,
    /// Parents before their children; the first is the whole surface.
    pub(super) clusters: Vec<Cluster>,
    /// Vertices of each cluster, one cluster after the other.
    members: Vec<u32>,
    first_member: Vec<u32>,
    /// Largest Σ |Φᵢ| over the vertices.
    pub(super) amplification: f64,
    pub(super) node_count: usize,
    pub(super) node_rest: Vec<DVec3>,
    pub(super) size_m: f64,
}

/// Triangles that lie together.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Cluster {
    /// The vertex that stands for all.
    pub vertex: u32,
    pub content: Content,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Content {
    Clusters([u32; 2]),
    Triangle(u32),
}

impl SurfaceTree {
    /// The boundary of the flesh.
    pub fn of_flesh(nodes: &Nodes) -> Result<Self, MeshlessError> {
        let flesh = nodes.flesh();
        let boundary = flesh.boundary();
        let mut number = vec![u32::MAX; flesh.positions.len()];
        let mut positions = Vec::new();
        for vertex in boundary.iter().flatten() {
            if number[*vertex as usize] == u32::MAX {
                number[*vertex as usize] = positions.len() as u32;
                positions.push(flesh.positions[*vertex as usize]);
            }
        }
        let triangles = boundary.iter().map(|triangle| triangle.map(|vertex| number[vertex as usize])).collect();
        let functions = nodes.functions_at(&positions)?;
        Ok(Self::with(nodes, positions, triangles, functions))
    }

    /// Another surface, such as a skin.
    pub fn of_skin(nodes: &Nodes, skin: &TriangleMesh) -> Result<Self, MeshlessError> {
        let functions = nodes.functions_on_skin(skin)?;
        Ok(Self::with(nodes, skin.positions.clone(), skin.triangles.clone(), functions))
    }

    fn with(nodes: &Nodes, rest: Vec<DVec3>, triangles: Vec<[u32; 3]>, functions: ShapeFunctions) -> Self {
        let sums = functions.rows().map(|row| row.values.iter().map(|value| value.abs()).sum::<f64>());
        let amplification = sums.fold(1.0, f64::max);
        let (low, high) = rest.iter().fold((DVec3::INFINITY, DVec3::NEG_INFINITY), |(l, h), x| (l.min(*x), h.max(*x)));
        let size_m = if rest.is_empty() { 0.0 } else { low.distance(high) };
        let clusters = clusters(&rest, &triangles);
        let (members, first_member) = members(&clusters, &triangles);
        let (node_count, node_rest) = (nodes.len(), nodes.rest.clone());
        Self {
            rest,
            functions,
            triangles,
            clusters,
            members,
            first_member,
            amplification,
            node_count,
            node_rest,
            size_m,
        }
    }

    pub fn triangle_count(&self) -> usize {
        self.triangles.len()
    }

    /// The vertices of a cluster's triangles.
    pub(super) fn members(&self, cluster: usize) -> &[u32] {
        &self.members[self.first_member[cluster] as usize..self.first_member[cluster + 1] as usize]
    }

    /// Sum of nodal values at a vertex.
    pub(super) fn sum(&self, vertex: usize, values: &[DVec3]) -> DVec3 {
        let row = self.functions.row(vertex);
        let terms = row.nodes.iter().zip(row.values);
        terms.fold(DVec3::ZERO, |sum, (node, value)| sum + values[*node as usize] * *value)
    }

    /// The same of Bézier points.
    pub(super) fn cubic(&self, vertex: usize, nodes: &[[DVec3; 4]]) -> [DVec3; 4] {
        let row = self.functions.row(vertex);
        row.nodes.iter().zip(row.values).fold([DVec3::ZERO; 4], |sum, (node, value)| {
            let points = &nodes[*node as usize];
            std::array::from_fn(|n| sum[n] + points[n] * *value)
        })
    }
}

/// The vertices of each cluster, each once.
fn members(clusters: &[Cluster], triangles: &[[u32; 3]]) -> (Vec<u32>, Vec<u32>) {
    let mut of: Vec<Vec<u32>> = vec![Vec::new(); clusters.len()];
    for (number, cluster) in clusters.iter().enumerate().rev() {
        of[number] = match cluster.content {
            Content::Triangle(triangle) => triangles[triangle as usize].to_vec(),
            Content::Clusters(children) => children.iter().flat_map(|child| of[*child as usize].clone()).collect(),
        };
        of[number].sort_unstable();
        of[number].dedup();
    }
    let mut first = vec![0];
    let mut all = Vec::new();
    for list in of {
        all.extend(list);
        first.push(all.len() as u32);
    }
    (all, first)
}

/// Halves of halves, by the middles of triangles along their longest extent.
fn clusters(rest: &[DVec3], triangles: &[[u32; 3]]) -> Vec<Cluster> {
    let middle = |triangle: u32| triangles[triangle as usize].iter().map(|v| rest[*v as usize]).sum::<DVec3>() / 3.0;
    let mut order: Vec<u32> = (0..triangles.len() as u32).collect();
    let mut clusters: Vec<Cluster> = Vec::with_capacity(2 * triangles.len());
    let mut open = vec![(0, triangles.len(), None)];
    while let Some((first, end, parent)) = open.pop() {
        if first == end {
            break;
        }
        let number = clusters.len() as u32;
        if let Some((above, side)) = parent
            && let Content::Clusters(children) = &mut clusters[above as usize].content
        {
            children[side as usize] = number;
        }
        let part = &mut order[first..end];
        let vertex = nearest_vertex(rest, triangles, part);
        if let [triangle] = part {
            clusters.push(Cluster { vertex, content: Content::Triangle(*triangle) });
            continue;
        }
        let middles = part.iter().map(|triangle| middle(*triangle));
        let (low, high) = middles.fold((DVec3::INFINITY, DVec3::NEG_INFINITY), |(l, h), x| (l.min(x), h.max(x)));
        let extent = high - low;
        let axis = (1..3).fold(0, |best, n| if extent[n] > extent[best] { n } else { best });
        let key = |triangle: &u32| middle(*triangle)[axis];
        part.sort_unstable_by(|a, b| key(a).total_cmp(&key(b)).then(a.cmp(b)));
        clusters.push(Cluster { vertex, content: Content::Clusters([0; 2]) });
        let half = first + (end - first) / 2;
        open.push((half, end, Some((number, 1u8))));
        open.push((first, half, Some((number, 0u8))));
    }
    clusters
}

/// Of some triangles' vertices, the one nearest to the middle of their box.
fn nearest_vertex(rest: &[DVec3], triangles: &[[u32; 3]], part: &[u32]) -> u32 {
    let vertices = || part.iter().flat_map(|triangle| triangles[*triangle as usize]);
    let bounds = vertices().map(|v| rest[v as usize]);
    let (low, high) = bounds.fold((DVec3::INFINITY, DVec3::NEG_INFINITY), |(l, h), x| (l.min(x), h.max(x)));
    let away = |vertex: u32| rest[vertex as usize].distance_squared(0.5 * (low + high));
    vertices().min_by(|a, b| away(*a).total_cmp(&away(*b)).then(a.cmp(b))).unwrap_or(0)
}
