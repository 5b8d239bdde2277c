//! How the flesh is stretched at each of its vertices: the gradient of its motion, from the vertices around.
//!
//! Gradients of linear tets jump from tet to tet. Here each vertex has one, of the quadratic that fits the motion of its
//! neighbours best: with d the way to a neighbour at rest and x its way now, F and Q minimise
//! Σ w |x − F d − ½ Q(d, d)|² + λ W h⁴ |Q|², w = h²/|d|², W = Σ w, h the mean length to the neighbours. The sum is linear in
//! the places x, so that F = Σ x gᵀ with vectors g known at rest. An affine motion has no residual at Q = 0: F is exact
//! for it, whatever the mesh. For a quadratic one it is nearly so; λ keeps Q quiet where the neighbours cannot tell it
//! (flesh one cell thick).

use crate::TetMesh;
use crate::adjacency::one_rings;
use rayon::prelude::*;
use sinew_math::{DMat3, DVec3};

/// λ, of 0.1 to 0.0005 on bent and twisted bars one and three cells thick: a smaller one fits no better.
const QUIET: f64 = 0.003;
/// Neighbours to fit to, by whole rings: F and Q have nine vectors.
const ENOUGH: usize = 12;
/// Σ |g| times the length that skin takes it over: above this a fit makes too much of small motions, and another ring is asked.
/// Tets at the vertex are flat, or skin stands far over them.
const CALM: f64 = 8.0;
/// Squared, of h: what is nearer counts no more than this.
const CLOSEST: f64 = 0.01;
const MOST_RINGS: usize = 6;
/// Of F and Q together.
const UNKNOWNS: usize = 9;

/// The vectors g of each vertex: see the module. One compressed table, with empty rows where nobody asks.
#[derive(Debug, Clone, PartialEq)]
pub struct Stretches {
    starts: Vec<u32>,
    points: Vec<u32>,
    slopes: Vec<DVec3>,
}

impl Stretches {
    /// For the vertices of the flesh that skin hangs on, with how far over the flesh it stands there.
    pub(super) fn new(flesh: &TetMesh, arms_m: &[Option<f64>]) -> Self {
        let rings = one_rings(flesh.positions.len(), &flesh.tets);
        let fits: Vec<Vec<(u32, DVec3)>> = (0..flesh.positions.len())
            .into_par_iter()
            .map(|vertex| match arms_m[vertex] {
                Some(arm_m) => calm_fit(vertex as u32, arm_m, &flesh.positions, &rings),
                None => Vec::new(),
            })
            .collect();
        let mut stretches = Self { starts: vec![0], points: Vec::new(), slopes: Vec::new() };
        for fit in fits {
            stretches.points.extend(fit.iter().map(|(point, _)| *point));
            stretches.slopes.extend(fit.iter().map(|(_, slope)| *slope));
            stretches.starts.push(stretches.points.len() as u32);
        }
        stretches
    }

    /// Neighbours of a vertex, each with its g; none where nobody asked.
    pub(super) fn terms(&self, vertex: usize) -> impl Iterator<Item = (usize, DVec3)> + '_ {
        let range = self.starts[vertex] as usize..self.starts[vertex + 1] as usize;
        self.points[range.clone()].iter().zip(&self.slopes[range]).map(|(point, slope)| (*point as usize, *slope))
    }

    /// F at a vertex where the flesh is at `flesh`.
    pub(super) fn at(&self, vertex: usize, flesh: &[DVec3]) -> DMat3 {
        let here = flesh[vertex];
        self.terms(vertex).fold(DMat3::ZERO, |sum, (point, slope)| {
            let way = flesh[point] - here;
            sum + DMat3::from_cols(way * slope.x, way * slope.y, way * slope.z)
        })
    }

    /// The same in f32, by columns.
    pub(super) fn at_single(&self, vertex: usize, flesh: &[[f32; 3]]) -> [[f32; 3]; 3] {
        let here = flesh[vertex];
        let mut sum = [[0.0; 3]; 3];
        for (point, slope) in self.terms(vertex) {
            let there = flesh[point];
            for (column, part) in sum.iter_mut().zip(slope.to_array()) {
                (0..3).for_each(|i| column[i] += (there[i] - here[i]) * part as f32);
            }
        }
        sum
    }

    /// F at every vertex.
    pub(super) fn all(&self, flesh: &[DVec3]) -> Vec<DMat3> {
        (0..flesh.len()).into_par_iter().with_min_len(512).map(|vertex| self.at(vertex, flesh)).collect()
    }

    /// Raw table: starts (one more than vertices), neighbours, their g.
    pub fn as_parts(&self) -> (&[u32], &[u32], &[DVec3]) {
        (&self.starts, &self.points, &self.slopes)
    }
}

/// Fits over more and more rings until one is calm; the calmest, if none is.
fn calm_fit(vertex: u32, arm_m: f64, positions: &[DVec3], rings: &[Vec<u32>]) -> Vec<(u32, DVec3)> {
    let here = positions[vertex as usize];
    let ring = &rings[vertex as usize];
    let reach = |v: &u32| positions[*v as usize].distance_squared(here);
    let h = (ring.iter().map(reach).sum::<f64>() / ring.len().max(1) as f64).sqrt();
    let (mut found, mut outermost) = (vec![vertex], vec![vertex]);
    let mut best: Option<(f64, Vec<(u32, DVec3)>)> = None;
    for _ in 0..MOST_RINGS {
        let mut next: Vec<u32> = outermost.iter().flat_map(|v| &rings[*v as usize]).copied().collect();
        next.sort_unstable();
        next.dedup();
        next.retain(|v| !found.contains(v));
        let is_all = next.is_empty();
        found.extend(&next);
        outermost = next;
        if found.len() <= ENOUGH && !is_all {
            continue;
        }
        if let Some(fitted) = fit(&found[1..], here, h, positions) {
            let loudness = h.max(arm_m) * fitted.iter().map(|(_, slope)| slope.length()).sum::<f64>();
            if best.as_ref().is_none_or(|(before, _)| loudness < *before) {
                best = Some((loudness, fitted));
            }
        }
        if is_all || best.as_ref().is_some_and(|(loudness, _)| *loudness <= CALM) {
            break;
        }
    }
    best.map_or_else(Vec::new, |(_, fitted)| fitted)
}

/// The g of these neighbours; none where they lie in a plane.
fn fit(neighbours: &[u32], here: DVec3, h: f64, positions: &[DVec3]) -> Option<Vec<(u32, DVec3)>> {
    let unknowns = |v: &u32| {
        let d = (positions[*v as usize] - here) / h;
        let weight = 1.0 / d.length_squared().max(CLOSEST);
        let row = [d.x, d.y, d.z, 0.5 * d.x * d.x, 0.5 * d.y * d.y, 0.5 * d.z * d.z, d.x * d.y, d.y * d.z, d.z * d.x];
        (row, weight)
    };
    let mut matrix = [[0.0; UNKNOWNS]; UNKNOWNS];
    let mut whole = 0.0;
    for (row, weight) in neighbours.iter().map(unknowns) {
        whole += weight;
        for (line, a) in matrix.iter_mut().zip(row) {
            line.iter_mut().zip(row).for_each(|(entry, b)| *entry += weight * a * b);
        }
    }
    for (n, line) in matrix.iter_mut().enumerate().skip(3) {
        line[n] += QUIET * whole;
    }
    let inverse = first_rows_of_inverse(matrix)?;
    let slope = |v: &u32| {
        let (row, weight) = unknowns(v);
        let part = |n: usize| inverse[n].iter().zip(row).map(|(a, b)| a * b).sum::<f64>() * weight / h;
        (*v, DVec3::new(part(0), part(1), part(2)))
    };
    Some(neighbours.iter().map(slope).collect())
}

/// The rows of F in the inverse of a symmetric positive matrix, by Cholesky's factors; none where it has none.
fn first_rows_of_inverse(mut matrix: [[f64; UNKNOWNS]; UNKNOWNS]) -> Option<[[f64; UNKNOWNS]; 3]> {
    /// Of a pivot against its diagonal entry: less is rounding.
    const PIVOT: f64 = 1e-10;
    for i in 0..UNKNOWNS {
        let diagonal = matrix[i][i];
        for j in 0..=i {
            let sum = matrix[i][j] - (0..j).map(|k| matrix[i][k] * matrix[j][k]).sum::<f64>();
            if i > j {
                matrix[i][j] = sum / matrix[j][j];
            } else if sum > PIVOT * diagonal {
                matrix[i][i] = sum.sqrt();
            } else {
                return None;
            }
        }
    }
    let solve = |unit: usize| {
        let mut y = [0.0; UNKNOWNS];
        for i in 0..UNKNOWNS {
            let right = if i == unit { 1.0 } else { 0.0 };
            y[i] = (right - (0..i).map(|k| matrix[i][k] * y[k]).sum::<f64>()) / matrix[i][i];
        }
        for i in (0..UNKNOWNS).rev() {
            y[i] = (y[i] - (i + 1..UNKNOWNS).map(|k| matrix[k][i] * y[k]).sum::<f64>()) / matrix[i][i];
        }
        y
    };
    Some([solve(0), solve(1), solve(2)])
}
