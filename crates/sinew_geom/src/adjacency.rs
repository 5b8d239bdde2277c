//! Who neighbours whom: 1-rings, edges, boundary faces.

use crate::ids::{Id, PerVertex, TetId, VertexId};

/// For each vertex its neighbours over edges of any cell, in rising order, without itself.
pub fn one_rings<const K: usize>(vertex_count: usize, cells: &[[u32; K]]) -> Vec<Vec<u32>> {
    let mut rings = vec![Vec::new(); vertex_count];
    for cell in cells {
        for &a in cell {
            rings[a as usize].extend(cell.iter().copied().filter(|&b| b != a));
        }
    }
    for ring in &mut rings {
        ring.sort_unstable();
        ring.dedup();
    }
    rings
}

/// Every edge once, as (lower, higher), in rising order.
pub fn edges<const K: usize>(vertex_count: usize, cells: &[[u32; K]]) -> Vec<[u32; 2]> {
    let rings = one_rings(vertex_count, cells);
    let upward = |(a, ring): (usize, &Vec<u32>)| -> Vec<[u32; 2]> {
        ring.iter().filter(|&&b| b as usize > a).map(|&b| [a as u32, b]).collect()
    };
    rings.iter().enumerate().flat_map(upward).collect()
}

/// Faces with one tet behind them, counter-clockwise seen from outside, in the order of their tets.
pub fn boundary_triangles(tets: &[[u32; 4]]) -> Vec<[u32; 3]> {
    boundary_faces(tets).into_iter().map(|(face, _)| face).collect()
}

/// The same faces, each with the tet behind it.
pub fn boundary_faces(tets: &[[u32; 4]]) -> Vec<([u32; 3], TetId)> {
    let faces: Vec<[u32; 3]> = tets.iter().flat_map(|tet| outward_faces(*tet)).collect();
    let mut keys: Vec<([u32; 3], u32)> = faces.iter().enumerate().map(|(n, face)| (sorted(*face), n as u32)).collect();
    keys.sort_unstable();
    let mut single: Vec<u32> = keys
        .chunk_by(|a, b| a.0 == b.0)
        .filter_map(|same| if let [(_, face)] = same { Some(*face) } else { None })
        .collect();
    single.sort_unstable();
    single.into_iter().map(|n| (faces[n as usize], TetId(n / 4))).collect()
}

/// Tets at each vertex, in rising order.
pub fn tets_at_vertices(vertex_count: usize, tets: &[[u32; 4]]) -> PerVertex<Vec<TetId>> {
    let mut at: PerVertex<Vec<TetId>> = PerVertex::filled(Vec::new(), vertex_count);
    for (tet, corners) in tets.iter().enumerate() {
        corners.iter().for_each(|vertex| at[VertexId(*vertex)].push(TetId::new(tet)));
    }
    at
}

/// How many parts the cells form that share no vertex. Vertices without a cell do not count.
pub fn component_count<const K: usize>(vertex_count: usize, cells: &[[u32; K]]) -> usize {
    let components = components(vertex_count, cells);
    let mut roots: Vec<u32> = cells.iter().filter_map(|cell| cell.first()).map(|v| components[*v as usize]).collect();
    roots.sort_unstable();
    roots.dedup();
    roots.len()
}

/// For each vertex the lowest vertex that cells connect it to.
pub fn components<const K: usize>(vertex_count: usize, cells: &[[u32; K]]) -> Vec<u32> {
    fn root(parent: &mut [u32], mut v: u32) -> u32 {
        while parent[v as usize] != v {
            parent[v as usize] = parent[parent[v as usize] as usize];
            v = parent[v as usize];
        }
        v
    }
    let mut parent: Vec<u32> = (0..vertex_count as u32).collect();
    for cell in cells {
        for pair in cell.windows(2) {
            let (a, b) = (root(&mut parent, pair[0]), root(&mut parent, pair[1]));
            // The lower one stays the root, so that the result does not depend on the order of cells.
            parent[a.max(b) as usize] = a.min(b);
        }
    }
    (0..vertex_count as u32).map(|v| root(&mut parent, v)).collect()
}

fn outward_faces([a, b, c, d]: [u32; 4]) -> [[u32; 3]; 4] {
    [[b, c, d], [a, d, c], [a, b, d], [a, c, b]]
}

fn sorted(mut face: [u32; 3]) -> [u32; 3] {
    face.sort_unstable();
    face
}

#[cfg(test)]
mod tests {
    use super::*;

    const TWO_TETS: [[u32; 4]; 2] = [[0, 1, 2, 3], [1, 2, 3, 4]];

    #[test]
    fn rings_are_symmetric_and_sorted() {
        let rings = one_rings(5, &TWO_TETS);
        assert_eq!(rings[0], [1, 2, 3]);
        assert_eq!(rings[1], [0, 2, 3, 4]);
        for (a, ring) in rings.iter().enumerate() {
            assert!(ring.iter().all(|&b| rings[b as usize].contains(&(a as u32))));
        }
    }

    #[test]
    fn a_shared_face_is_not_boundary() {
        let faces = boundary_triangles(&TWO_TETS);
        assert_eq!(faces.len(), 6);
        assert!(faces.iter().all(|face| sorted(*face) != [1, 2, 3]));
        assert_eq!(edges(5, &TWO_TETS).len(), 9);
    }
}
