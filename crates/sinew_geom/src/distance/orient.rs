//! Makes triangles of one surface face the same way, across doubled vertices.

use crate::TriangleMesh;
use crate::adjacency::components;
use sinew_math::DVec3;
use std::collections::{HashMap, HashSet};

/// A surface whose doubled vertices are one and whose triangles agree with their neighbours.
#[derive(Debug, Clone, Default)]
pub(crate) struct Oriented {
    pub positions: Vec<DVec3>,
    /// Triangles with area, in the mesh's order.
    pub triangles: Vec<[u32; 3]>,
    /// Which piece each triangle belongs to, from 0 on.
    pub pieces: Vec<u32>,
    /// Triangles that had to be turned.
    pub turned: usize,
    /// Length of the edges where the surface is open: where its triangles' directed edges do not cancel.
    pub open_length_m: f64,
}

/// Vertices at the same place are one: for each vertex, the first at its place.
pub(crate) fn weld(positions: &[DVec3]) -> Vec<u32> {
    let mut first: HashMap<[u64; 3], u32> = HashMap::with_capacity(positions.len());
    // Adding zero makes −0 and 0 the same place.
    let key = |x: &DVec3| x.to_array().map(|c| (c + 0.0).to_bits());
    positions.iter().enumerate().map(|(n, x)| *first.entry(key(x)).or_insert(n as u32)).collect()
}

/// An edge of a triangle: its ends in rising order, the triangle, and whether it runs upwards in it.
pub(crate) type Side = ([u32; 2], u32, bool);

/// The sides of all triangles, grouped by edge.
pub(crate) fn sides(triangles: &[[u32; 3]]) -> Vec<Side> {
    let mut sides: Vec<Side> = triangles
        .iter()
        .enumerate()
        .flat_map(|(n, &[a, b, c])| [[a, b], [b, c], [c, a]].map(|[p, q]| ([p.min(q), p.max(q)], n as u32, p < q)))
        .collect();
    sides.sort_unstable();
    sides
}

pub(crate) fn orient(mesh: &TriangleMesh) -> Oriented {
    let welded = weld(&mesh.positions);
    // A triangle that is there twice, facing the same way, says nothing new; thousands of them would be searched one by one.
    let mut seen = HashSet::with_capacity(mesh.triangles.len());
    let mut triangles: Vec<[u32; 3]> = mesh
        .triangles
        .iter()
        .map(|t| t.map(|v| welded[v as usize]))
        .filter(|&[a, b, c]| a != b && b != c && c != a)
        .filter(|t| seen.insert(smallest_first(*t)))
        .collect();
    let turned = face_alike(&mesh.positions, &mut triangles);
    let of_vertex = components(mesh.positions.len(), &triangles);
    let mut names: Vec<u32> = triangles.iter().map(|t| of_vertex[t[0] as usize]).collect();
    names.sort_unstable();
    names.dedup();
    let piece = |t: &[u32; 3]| names.binary_search(&of_vertex[t[0] as usize]).unwrap_or(0) as u32;
    Oriented {
        pieces: triangles.iter().map(piece).collect(),
        open_length_m: open_length(&mesh.positions, &triangles),
        positions: mesh.positions.clone(),
        triangles,
        turned,
    }
}

/// The same triangle, facing the same way, begun at its smallest vertex.
fn smallest_first([a, b, c]: [u32; 3]) -> [u32; 3] {
    if a < b && a < c {
        [a, b, c]
    } else if b < c {
        [b, c, a]
    } else {
        [c, a, b]
    }
}

/// Spreads facing over edges of two triangles. A patch keeps the facing that more of its area had; if the whole then
/// encloses a negative volume, it was inside out.
fn face_alike(positions: &[DVec3], triangles: &mut [[u32; 3]]) -> usize {
    let sides = sides(triangles);
    let mut links: Vec<Vec<(u32, bool)>> = vec![Vec::new(); triangles.len()];
    for pair in sides.chunk_by(|a, b| a.0 == b.0) {
        if let [(_, a, a_up), (_, b, b_up)] = *pair {
            // Two triangles that face alike run along their edge in opposite directions.
            links[a as usize].push((b, a_up == b_up));
            links[b as usize].push((a, a_up == b_up));
        }
    }
    let area = |t: &[u32; 3]| {
        let [a, b, c] = t.map(|v| positions[v as usize]);
        (b - a).cross(c - a).length()
    };
    let mut turn: Vec<Option<bool>> = vec![None; triangles.len()];
    for seed in 0..triangles.len() {
        if turn[seed].is_some() {
            continue;
        }
        turn[seed] = Some(false);
        let (mut patch, mut next) = (vec![seed], 0);
        while next < patch.len() {
            let own = turn[patch[next]] == Some(true);
            for &(other, differs) in &links[patch[next]] {
                if turn[other as usize].is_none() {
                    turn[other as usize] = Some(own != differs);
                    patch.push(other as usize);
                }
            }
            next += 1;
        }
        let sum = |turned: bool| -> f64 {
            patch.iter().filter(|t| turn[**t] == Some(turned)).map(|t| area(&triangles[*t])).sum()
        };
        if sum(true) > sum(false) {
            patch.iter().for_each(|t| turn[*t] = turn[*t].map(|turned| !turned));
        }
    }
    let mut turned = 0;
    for (triangle, turn) in triangles.iter_mut().zip(&turn) {
        if *turn == Some(true) {
            triangle.swap(1, 2);
            turned += 1;
        }
    }
    if enclosed_volume(positions, triangles) < 0.0 {
        triangles.iter_mut().for_each(|t| t.swap(1, 2));
        turned = triangles.len() - turned;
    }
    turned
}

/// By the divergence theorem, around the first vertex to keep digits far from the origin.
fn enclosed_volume(positions: &[DVec3], triangles: &[[u32; 3]]) -> f64 {
    let Some(origin) = triangles.first().map(|t| positions[t[0] as usize]) else { return 0.0 };
    let six = |t: &[u32; 3]| {
        let [a, b, c] = t.map(|v| positions[v as usize] - origin);
        a.dot(b.cross(c))
    };
    triangles.iter().map(six).sum::<f64>() / 6.0
}

fn open_length(positions: &[DVec3], triangles: &[[u32; 3]]) -> f64 {
    let mut length = 0.0;
    for same in sides(triangles).chunk_by(|a, b| a.0 == b.0) {
        let balance: i64 = same.iter().map(|(_, _, up)| if *up { 1 } else { -1 }).sum();
        let [a, b] = same[0].0.map(|v| positions[v as usize]);
        length += balance.unsigned_abs() as f64 * a.distance(b);
    }
    length
}
