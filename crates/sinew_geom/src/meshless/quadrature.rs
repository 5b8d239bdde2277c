//! Points with volumes, at which energies of a body are summed.
//!
//! [AWO09] (see [`super`]) Eq. 12 measures strain at the nodes, each with the volume of its ball. Two
//! departures. The volumes are a partition of the body: each piece of each tet goes to the point that is
//! nearest through the material, so that they sum to the body's volume. The points are others than the nodes,
//! and more: measured at the nodes alone, some motions cost nothing.
//!
//! Points start as a farthest-point sampling and move to the centroids of what they were given (Lloyd), where
//! linear integrands are exact.

use super::error::MeshlessError;
use super::functions::ShapeFunctions;
use super::material::{Material, Spot};
use super::nodes::Nodes;
use super::sampling::Sampling;
use sinew_math::DVec3;

/// Pieces of tets for every point, at least.
const PIECES_PER_POINT: usize = 12;
const LLOYD_STEPS: usize = 2;

/// Points with volumes that sum to the body's volume, and the functions there.
#[derive(Debug, Clone, PartialEq)]
pub struct Quadrature {
    pub points: Vec<DVec3>,
    pub volume_m3: Vec<f64>,
    pub functions: ShapeFunctions,
}

/// A part of a tet.
struct Piece {
    middle: Spot,
    volume_m3: f64,
}

impl Nodes {
    /// About `per_node` points for every node; four do.
    pub fn quadrature(&self, per_node: usize) -> Result<Quadrature, MeshlessError> {
        let count = (per_node * self.len()).max(1);
        let pieces = pieces(&self.material, PIECES_PER_POINT * count);
        let mut sampling = Sampling::new(&self.material, 10 * count);
        sampling.take_seeded(count as u64);
        sampling.take_farthest(count);
        let mut points = std::mem::take(&mut sampling.samples);
        let mut reach_m = sampling.covering_m();
        for _ in 0..LLOYD_STEPS {
            let owner = nearest(&self.material, &points, &pieces, &mut reach_m);
            points = centroids(&self.material, &points, &pieces, &owner);
        }
        let owner = nearest(&self.material, &points, &pieces, &mut reach_m);
        let mut volume_m3 = vec![0.0; points.len()];
        pieces.iter().zip(&owner).for_each(|(piece, owner)| volume_m3[*owner as usize] += piece.volume_m3);
        // A point that nothing is nearest to weighs nothing.
        let mut is_used = volume_m3.iter().map(|volume| *volume > 0.0).collect::<Vec<_>>().into_iter();
        points.retain(|_| is_used.next().unwrap_or(true));
        volume_m3.retain(|volume| *volume > 0.0);
        let functions = self.functions_at(&points)?;
        Ok(Quadrature { points, volume_m3, functions })
    }
}

/// The tets, each cut into eight until there are `count` pieces.
fn pieces(material: &Material, count: usize) -> Vec<Piece> {
    let mesh = material.mesh();
    let mut parts = vec![[DVec3::X, DVec3::Y, DVec3::Z, DVec3::ZERO]];
    while parts.len() * mesh.tets.len() < count {
        parts = parts.into_iter().flat_map(eighths).collect();
    }
    let mut pieces = Vec::with_capacity(parts.len() * mesh.tets.len());
    for tet in mesh.tet_ids() {
        let [a, b, c, d] = mesh.places(tet);
        let volume_m3 = mesh.tet_volume(tet) / parts.len() as f64;
        for part in &parts {
            let share = part.iter().sum::<DVec3>() / 4.0;
            let middle = a * share.x + b * share.y + c * share.z + d * (1.0 - share.element_sum());
            pieces.push(Piece { middle: material.spot(middle), volume_m3 });
        }
    }
    pieces
}

/// A tet in eight of the same volume: four at its corners, and four of the octahedron between.
fn eighths([a, b, c, d]: [DVec3; 4]) -> [[DVec3; 4]; 8] {
    let mid = |p: DVec3, q: DVec3| 0.5 * (p + q);
    let (ab, ac, ad, bc, bd, cd) = (mid(a, b), mid(a, c), mid(a, d), mid(b, c), mid(b, d), mid(c, d));
    let corners = [[a, ab, ac, ad], [ab, b, bc, bd], [ac, bc, c, cd], [ad, bd, cd, d]];
    let inner = [[ac, bd, ab, ad], [ac, bd, ad, cd], [ac, bd, cd, bc], [ac, bd, bc, ab]];
    let [e, f, g, h] = corners;
    let [i, j, k, l] = inner;
    [e, f, g, h, i, j, k, l]
}

/// For each piece the point that is nearest through the material; points' reach grows until every piece knows
/// one.
fn nearest(material: &Material, points: &[DVec3], pieces: &[Piece], reach_m: &mut f64) -> Vec<u32> {
    loop {
        let sources = material.sources(points, *reach_m);
        let owner = |piece: &Piece| {
            let near = sources.near(&piece.middle, *reach_m);
            near.iter().min_by(|a, b| a.distance_m.total_cmp(&b.distance_m).then(a.node.cmp(&b.node))).map(|n| n.node)
        };
        if let Some(owner) = pieces.iter().map(owner).collect() {
            return owner;
        }
        *reach_m = (1.5 * *reach_m).max(1e-3 * material.size_m);
    }
}

/// The centroid of each point's pieces, or the piece nearest to it, where that lies outside the body.
fn centroids(material: &Material, points: &[DVec3], pieces: &[Piece], owner: &[u32]) -> Vec<DVec3> {
    let mut sums = vec![(0.0, DVec3::ZERO); points.len()];
    for (piece, owner) in pieces.iter().zip(owner) {
        let sum = &mut sums[*owner as usize];
        sum.0 += piece.volume_m3;
        sum.1 += piece.middle.point * piece.volume_m3;
    }
    let centroid = |n: usize| if sums[n].0 > 0.0 { sums[n].1 / sums[n].0 } else { points[n] };
    let mut moved: Vec<DVec3> = (0..points.len()).map(centroid).collect();
    let outside: Vec<bool> = moved.iter().map(|place| !material.is_inside(*place)).collect();
    let mut best = vec![f64::INFINITY; points.len()];
    let targets = moved.clone();
    for (piece, owner) in pieces.iter().zip(owner) {
        let owner = *owner as usize;
        let away = piece.middle.point.distance_squared(targets[owner]);
        if outside[owner] && away < best[owner] {
            (best[owner], moved[owner]) = (away, piece.middle.point);
        }
    }
    moved
}
