//! Whether a surface is a closed manifold: two triangles at every edge, one fan of them around every vertex.

/// Edges and vertices where a surface is no closed manifold.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Faults {
    /// Edges that do not have exactly two triangles, facing the same way; (lower, higher).
    pub edges: Vec<[u32; 2]>,
    /// Vertices where several fans of triangles meet, of those at no faulty edge.
    pub vertices: Vec<u32>,
}

impl Faults {
    pub fn is_empty(&self) -> bool {
        self.edges.is_empty() && self.vertices.is_empty()
    }
}

/// Finds all faults of a triangulated surface. Vertices may be numbered with gaps.
pub fn faults(triangles: &[[u32; 3]]) -> Faults {
    // A half-edge with the third corner of its triangle, in the order of where it starts.
    let mut halves: Vec<[u32; 3]> = triangles.iter().flat_map(|&[a, b, c]| [[a, b, c], [b, c, a], [c, a, b]]).collect();
    halves.sort_unstable();
    let edges = faulty_edges(&halves);
    let mut ends: Vec<u32> = edges.iter().flatten().copied().collect();
    ends.sort_unstable();
    let on_faulty_edge = |vertex: u32| ends.binary_search(&vertex).is_ok();
    let vertices = halves
        .chunk_by(|a, b| a[0] == b[0])
        .filter(|fan| !(on_faulty_edge(fan[0][0]) || is_one_fan(fan)))
        .map(|fan| fan[0][0])
        .collect();
    Faults { edges, vertices }
}

fn faulty_edges(halves: &[[u32; 3]]) -> Vec<[u32; 2]> {
    let count = |from: u32, to: u32| {
        let begin = halves.partition_point(|half| (half[0], half[1]) < (from, to));
        halves[begin..].iter().take_while(|half| half[0] == from && half[1] == to).count()
    };
    let mut faulty: Vec<[u32; 2]> = Vec::new();
    for same in halves.chunk_by(|a, b| a[..2] == b[..2]) {
        let [a, b, _] = same[0];
        if same.len() != 1 || count(b, a) != 1 {
            faulty.push([a.min(b), a.max(b)]);
        }
    }
    faulty.sort_unstable();
    faulty.dedup();
    faulty
}

/// Whether walking from triangle to triangle around a vertex meets all of its half-edges.
fn is_one_fan(fan: &[[u32; 3]]) -> bool {
    let mut at = 0;
    for step in 1..=fan.len() {
        match fan.binary_search_by_key(&fan[at][2], |half| half[1]) {
            Ok(0) => return step == fan.len(),
            Ok(next) => at = next,
            Err(_) => return false,
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    const TET: [[u32; 3]; 4] = [[1, 2, 3], [0, 3, 2], [0, 1, 3], [0, 2, 1]];

    fn another(shared: &[u32]) -> Vec<[u32; 3]> {
        let own = |v: u32| if shared.contains(&v) { v } else { v + 10 };
        TET.iter().chain(&TET.map(|t| t.map(own))).copied().collect()
    }

    #[test]
    fn a_closed_surface_has_no_faults_and_a_hole_has_three() {
        assert!(faults(&TET).is_empty());
        assert_eq!(faults(&TET[..3]).edges, [[0, 1], [0, 2], [1, 2]]);
    }

    #[test]
    fn bodies_that_touch_in_a_vertex_or_an_edge_are_found() {
        assert_eq!(faults(&another(&[2])), Faults { edges: vec![], vertices: vec![2] });
        assert_eq!(faults(&another(&[1, 2])), Faults { edges: vec![[1, 2]], vertices: vec![] });
        assert!(faults(&another(&[])).is_empty());
    }
}
