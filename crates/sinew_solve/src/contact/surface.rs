//! What finding contacts knows about a flesh that never changes; copies of a body share one.
//!
//! Surface vertices, edges and cells (the tets; a sheet has none) stand in chunks of sixteen that lie near each other,
//! because flesh is ordered for locality. Every cell knows its *exits*: a few faces of the surface with clearly
//! different directions, nearest first, through which a point inside it may be pushed out. They are found in the rest
//! shape, so that they stay right however the body is bent (Heidelberger, Teschner, Keiser, Müller, Gross: "Consistent
//! penetration depth estimation for deformable collision response", VMV 2004, ask the same of propagation at run time).

use super::boxes::LANES;
use super::edges::{Edge, all_edges, sharp_edges};
use super::tuning::CONTACT;
use crate::simd::Slot;
use crate::simd::gather::Numbers;
use crate::{Cells, Flesh};
use sinew_math::{DVec3, Vec3A};
use std::collections::HashMap;

/// No face on the other side of an edge.
pub(super) const NO_FACE: u32 = u32::MAX;
/// Most exits of a cell.
const MOST_EXITS: usize = 6;
/// Each round carries exits one tet farther in: so many make thin walls and small bodies complete; large ones go on until
/// every tet has an exit at all.
const ROUNDS: usize = 12;
const MOST_ROUNDS: usize = 1000;

/// The fixed part of contact for one flesh.
#[derive(Debug)]
pub struct ContactSurface {
    /// Degrees of freedom of the surface's vertices, in the order of `surface_rows`.
    pub(super) vertices: Vec<u32>,
    /// Corners of cells.
    pub(super) cells: Vec<[u32; 4]>,
    /// By chunk and corner, heights of cells' corners above the faces opposite, at rest, metres.
    pub(super) heights: Vec<[Slot; 4]>,
    /// Points of each chunk of cells, without repeats.
    chunk_points: Lists,
    /// By chunk, the corners of cells and the ends of edges as lanes read them, all below the number of points; lanes without one name one point only.
    pub(super) cell_corners: Vec<[Numbers; 4]>,
    pub(super) edge_ends: Vec<[Numbers; 2]>,
    /// Faces of the surface, over degrees of freedom, and the faces across the edges that lie opposite their corners.
    pub(super) faces: Vec<[u32; 3]>,
    pub(super) across: Vec<[u32; 3]>,
    /// Those that other bodies' edges may lie across; all of a sheet.
    pub(super) edges: Vec<Edge>,
    exits: Lists,
    /// Faces around each point, and the other corners of these.
    faces_of: Lists,
    neighbours_of: Lists,
    /// Points of a solid body at which faces meet that point in clearly different directions.
    is_corner: Vec<bool>,
    /// Where each point stands among the vertices; 0 for those within.
    surface_number: Vec<u32>,
    size_m: f64,
    pub(super) edge_m: f64,
    /// Distance to keep from the faces: 0 but for sheets.
    pub(super) thickness_m: f64,
    pub(super) is_sheet: bool,
    /// Cells nearer than this in the rest shape are a vertex's own neighbourhood.
    pub(super) own_reach_m: f64,
    pub(super) rest: Vec<DVec3>,
}

impl ContactSurface {
    /// None where a vertex of the surface is a mixture of several degrees of freedom: such flesh only touches obstacles.
    pub fn new(flesh: &Flesh) -> Option<Self> {
        let vertices: Vec<u32> = flesh
            .surface_rows
            .iter()
            .map(|row| flesh.anchors.single(*row).map(|dof| dof as u32))
            .collect::<Option<_>>()?;
        let faces: Vec<[u32; 3]> = flesh.surface_triangles.iter().map(|t| t.map(|i| vertices[i as usize])).collect();
        let (cells, is_sheet) = match &flesh.cells {
            Cells::Tets(tets) => (tets.clone(), false),
            Cells::Shell(_) => (Vec::new(), true),
        };
        let cells = near_each_other(&flesh.rest, &cells);
        let edge_m = mean_edge(&flesh.rest, &faces);
        let thickness_m = if is_sheet { CONTACT.detection.sheet_thickness * edge_m } else { 0.0 };
        let exits = exits(&flesh.rest, &cells, &faces);
        let mut faces_of = vec![Vec::new(); flesh.point_count()];
        for (number, face) in faces.iter().enumerate() {
            face.iter().for_each(|&v| faces_of[v as usize].push(number as u32));
        }
        let of_chunk = |cells: &[[u32; 4]]| {
            let mut points: Vec<u32> = cells.iter().flatten().copied().collect();
            points.sort_unstable();
            points.dedup();
            points
        };
        let across = across(&faces);
        let is_corner = faces_of.iter().map(|around| !is_sheet && is_corner(&flesh.rest, &faces, around)).collect();
        let edges = if is_sheet {
            all_edges(&flesh.rest, &faces, &across)
        } else {
            sharp_edges(&flesh.rest, &faces, &across, flesh.size_m())
        };
        let mut surface_number = vec![0; flesh.point_count()];
        vertices.iter().enumerate().for_each(|(number, &v)| surface_number[v as usize] = number as u32);
        let ends: Vec<[u32; 2]> = edges.iter().map(|edge| edge.ends).collect();
        let point_count = flesh.rest.len() as u32;
        assert!(cells.iter().flatten().chain(ends.iter().flatten()).all(|&v| v < point_count), "no such point");
        Some(Self {
            cell_corners: cells.chunks(LANES).map(in_lanes).collect(),
            edge_ends: ends.chunks(LANES).map(in_lanes).collect(),
            surface_number,
            edges,
            heights: cells.chunks(LANES).map(|chunk| chunk_heights(&flesh.rest, chunk)).collect(),
            chunk_points: cells.chunks(LANES).map(of_chunk).collect(),
            across,
            exits,
            is_corner,
            neighbours_of: faces_of
                .iter()
                .enumerate()
                .map(|(v, around)| neighbours(&faces, v as u32, around))
                .collect(),
            faces_of: faces_of.into_iter().collect(),
            vertices,
            cells,
            faces,
            size_m: flesh.size_m(),
            edge_m,
            thickness_m,
            is_sheet,
            own_reach_m: 2.0 * edge_m,
            rest: flesh.rest.clone(),
        })
    }

    /// How far ahead of touching contacts are found when the body moves by `moved_m` among the others.
    pub(super) fn margin_m(&self, moved_m: f64) -> f64 {
        let least = if self.is_sheet {
            CONTACT.detection.sheet_margin * self.edge_m
        } else {
            CONTACT.detection.margin * self.size_m
        };
        least.max(CONTACT.detection.way_ahead * moved_m).min(CONTACT.detection.max_margin * self.edge_m)
    }

    pub(super) fn exits(&self, cell: usize) -> &[u32] {
        self.exits.of(cell)
    }

    pub(super) fn faces_of(&self, point: usize) -> &[u32] {
        self.faces_of.of(point)
    }

    pub(super) fn neighbours_of(&self, point: usize) -> &[u32] {
        self.neighbours_of.of(point)
    }

    pub(super) fn is_corner(&self, point: u32) -> bool {
        self.is_corner[point as usize]
    }

    pub(super) fn chunk_points(&self, chunk: usize) -> &[u32] {
        self.chunk_points.of(chunk)
    }

    /// Where a point of the surface stands among its vertices.
    pub(super) fn surface_number(&self, point: u32) -> usize {
        self.surface_number[point as usize] as usize
    }

    /// Whether a cell is so near a vertex of the same body, at rest, that meeting it means nothing.
    pub(super) fn is_own(&self, vertex: u32, cell: usize) -> bool {
        let x = self.rest[vertex as usize];
        self.is_near(x, &self.cells[cell])
    }

    /// The same for the ends of an edge.
    pub(super) fn is_beside(&self, vertex: u32, ends: &[u32; 2]) -> bool {
        self.is_near(self.rest[vertex as usize], ends)
    }

    fn is_near(&self, x: DVec3, points: &[u32]) -> bool {
        points.iter().any(|&point| self.rest[point as usize].distance(x) < self.own_reach_m)
    }
}

/// The other corners of the faces around a point, without repeats.
fn neighbours(faces: &[[u32; 3]], point: u32, around: &[u32]) -> Vec<u32> {
    let mut others: Vec<u32> = around.iter().flat_map(|&face| faces[face as usize]).filter(|&v| v != point).collect();
    others.sort_unstable();
    others.dedup();
    others
}

/// Cells in an order in which neighbours stand together.
fn near_each_other(rest: &[DVec3], cells: &[[u32; 4]]) -> Vec<[u32; 4]> {
    let middles: Vec<DVec3> = cells.iter().map(|cell| middle(rest, cell)).collect();
    sinew_geom::order::morton(&middles).into_iter().map(|old| cells[old as usize]).collect()
}

fn middle(rest: &[DVec3], cell: &[u32; 4]) -> DVec3 {
    cell.iter().map(|&v| rest[v as usize]).sum::<DVec3>() / 4.0
}

/// Whether two of these faces differ in direction by more than `CONTACT.detection.corner_cosine`.
fn is_corner(rest: &[DVec3], faces: &[[u32; 3]], around: &[u32]) -> bool {
    let normals = || around.iter().map(|&face| normal(&faces[face as usize].map(|v| small(rest[v as usize]))));
    normals().any(|one| normals().any(|two| one.dot(two) < CONTACT.detection.corner_cosine))
}

/// Numbers of up to sixteen things with `K` each, by place and lane; the other lanes name the first thing's first.
fn in_lanes<const K: usize>(chunk: &[[u32; K]]) -> [Numbers; K] {
    let first = chunk.first().map_or(0, |numbers| numbers[0]);
    let mut lanes = [Numbers([first; LANES]); K];
    for (lane, numbers) in chunk.iter().enumerate() {
        lanes.iter_mut().zip(numbers).for_each(|(lanes, &number)| lanes.0[lane] = number);
    }
    lanes
}

/// Many lists in one table.
#[derive(Debug, Clone, Default)]
struct Lists {
    start: Vec<u32>,
    item: Vec<u32>,
}

impl Lists {
    fn of(&self, number: usize) -> &[u32] {
        &self.item[self.start[number] as usize..self.start[number + 1] as usize]
    }
}

impl FromIterator<Vec<u32>> for Lists {
    fn from_iter<I: IntoIterator<Item = Vec<u32>>>(lists: I) -> Self {
        let mut all = Self { start: vec![0], item: Vec::new() };
        for list in lists {
            all.item.extend(list);
            all.start.push(all.item.len() as u32);
        }
        all
    }
}

/// How far the points of some flesh stay from obstacles: sheets keep a little away, so that what is round does not show between them.
pub fn obstacle_distance_m(flesh: &Flesh) -> f64 {
    match &flesh.cells {
        Cells::Tets(_) => 0.0,
        Cells::Shell(triangles) => CONTACT.detection.sheet_thickness * mean_edge(&flesh.rest, triangles),
    }
}

fn mean_edge(rest: &[DVec3], faces: &[[u32; 3]]) -> f64 {
    let at = |v: u32| rest[v as usize];
    let around = |&[a, b, c]: &[u32; 3]| at(a).distance(at(b)) + at(b).distance(at(c)) + at(c).distance(at(a));
    faces.iter().map(around).sum::<f64>() / (3 * faces.len().max(1)) as f64
}

/// Lanes without a cell get heights of 1, so that nothing divides by 0 there.
fn chunk_heights(rest: &[DVec3], chunk: &[[u32; 4]]) -> [Slot; 4] {
    let mut lanes = [Slot([1.0; LANES]); 4];
    for (lane, cell) in chunk.iter().enumerate() {
        for (slot, height) in lanes.iter_mut().zip(heights(rest, cell)) {
            slot.0[lane] = height;
        }
    }
    lanes
}

/// Heights of corners above the faces opposite.
fn heights(rest: &[DVec3], cell: &[u32; 4]) -> [f32; 4] {
    let x = cell.map(|v| rest[v as usize]);
    [0, 1, 2, 3].map(|corner: usize| {
        let [a, b, c] = [1, 2, 3].map(|k| x[(corner + k) % 4]);
        let normal = (b - a).cross(c - a);
        ((x[corner] - a).dot(normal).abs() / normal.length()) as f32
    })
}

fn across(faces: &[[u32; 3]]) -> Vec<[u32; 3]> {
    let edge = |face: &[u32; 3], corner: usize| {
        let (a, b) = (face[(corner + 1) % 3], face[(corner + 2) % 3]);
        (a.min(b), a.max(b))
    };
    let mut around: HashMap<(u32, u32), Vec<u32>> = HashMap::new();
    for (number, face) in faces.iter().enumerate() {
        (0..3).for_each(|corner| around.entry(edge(face, corner)).or_default().push(number as u32));
    }
    let other = |number: usize, corner: usize| {
        let faces_there = around.get(&edge(&faces[number], corner)).map_or(&[][..], Vec::as_slice);
        faces_there.iter().copied().find(|&face| face != number as u32).unwrap_or(NO_FACE)
    };
    (0..faces.len()).map(|number| [0, 1, 2].map(|corner| other(number, corner))).collect()
}

/// Exits of every tet: its own faces of the surface first, then those its neighbours know, carried inwards until
/// nothing better comes.
fn exits(rest: &[DVec3], cells: &[[u32; 4]], faces: &[[u32; 3]]) -> Lists {
    let face_of = |tri: [u32; 3]| {
        let mut sorted = tri;
        sorted.sort_unstable();
        sorted
    };
    let numbers: HashMap<[u32; 3], u32> =
        faces.iter().enumerate().map(|(number, face)| (face_of(*face), number as u32)).collect();
    let sides = |cell: &[u32; 4]| [0, 1, 2, 3].map(|k: usize| face_of([1, 2, 3].map(|o| cell[(k + o) % 4])));
    let mut touching: HashMap<[u32; 3], Vec<u32>> = HashMap::new();
    for (number, cell) in cells.iter().enumerate() {
        sides(cell).into_iter().for_each(|side| touching.entry(side).or_default().push(number as u32));
    }
    let normals: Vec<Vec3A> = faces.iter().map(|face| normal(&face.map(|v| small(rest[v as usize])))).collect();
    let own = |cell: &[u32; 4]| sides(cell).iter().filter_map(|side| numbers.get(side).copied()).collect::<Vec<u32>>();
    let mut known: Vec<Vec<u32>> = cells.iter().map(own).collect();
    let around = |cell: &[u32; 4]| sides(cell).into_iter().filter_map(|side| touching.get(&side)).flatten().copied();
    let mut news: Vec<bool> = known.iter().map(|exits| !exits.is_empty()).collect();
    for round in 0..MOST_ROUNDS {
        let done = round >= ROUNDS && known.iter().all(|exits| !exits.is_empty());
        if done || !news.contains(&true) {
            break;
        }
        let better = |(number, cell): (usize, &[u32; 4])| {
            if !around(cell).any(|other| news[other as usize]) {
                return None;
            }
            let mut all: Vec<u32> = around(cell).flat_map(|other| known[other as usize].iter().copied()).collect();
            all.extend(&known[number]);
            Some(best_exits(rest, middle(rest, cell), all, faces, &normals)).filter(|found| *found != known[number])
        };
        let found: Vec<Option<Vec<u32>>> = cells.iter().enumerate().map(better).collect();
        for ((known, news), found) in known.iter_mut().zip(&mut news).zip(found) {
            *news = found.is_some();
            if let Some(found) = found {
                *known = found;
            }
        }
    }
    known.into_iter().collect()
}

/// The nearest of `candidates`, without those that lead the same way as a nearer one.
fn best_exits(
    rest: &[DVec3],
    from: DVec3,
    mut candidates: Vec<u32>,
    faces: &[[u32; 3]],
    normals: &[Vec3A],
) -> Vec<u32> {
    candidates.sort_unstable();
    candidates.dedup();
    let distance = |face: u32| {
        let corners = faces[face as usize].map(|v| small(rest[v as usize] - from));
        closest_on(&corners, Vec3A::ZERO).1.length_squared()
    };
    let mut by_distance: Vec<(f32, u32)> = candidates.into_iter().map(|face| (distance(face), face)).collect();
    by_distance.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    let mut kept: Vec<u32> = Vec::new();
    for (_, face) in by_distance {
        let n = normals[face as usize];
        if kept.len() < MOST_EXITS
            && kept.iter().all(|&other| normals[other as usize].dot(n) < CONTACT.detection.same_exit_cosine)
        {
            kept.push(face);
        }
    }
    kept
}

/// Numbers are large here and needed to a millionth of a body only.
pub(super) fn small(x: DVec3) -> Vec3A {
    Vec3A::new(x.x as f32, x.y as f32, x.z as f32)
}

/// The unit normal of a triangle, zero where it has none.
#[inline]
pub(super) fn normal(corners: &[Vec3A; 3]) -> Vec3A {
    (corners[1] - corners[0]).cross(corners[2] - corners[0]).normalize_or_zero()
}

/// Barycentric weights of the point of a triangle that is closest to `p`, and that point (Ericson, "Real-Time Collision
/// Detection", 2005, §5.1.5).
#[inline]
pub(super) fn closest_on(&[a, b, c]: &[Vec3A; 3], p: Vec3A) -> ([f32; 3], Vec3A) {
    let (ab, ac, ap) = (b - a, c - a, p - a);
    let (d1, d2) = (ab.dot(ap), ac.dot(ap));
    let weighted = |w: [f32; 3]| (w, a * w[0] + b * w[1] + c * w[2]);
    if d1 <= 0.0 && d2 <= 0.0 {
        return weighted([1.0, 0.0, 0.0]);
    }
    let bp = p - b;
    let (d3, d4) = (ab.dot(bp), ac.dot(bp));
    if d3 >= 0.0 && d4 <= d3 {
        return weighted([0.0, 1.0, 0.0]);
    }
    let vc = d1 * d4 - d3 * d2;
    if vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0 {
        let t = d1 / (d1 - d3);
        return weighted([1.0 - t, t, 0.0]);
    }
    let cp = p - c;
    let (d5, d6) = (ab.dot(cp), ac.dot(cp));
    if d6 >= 0.0 && d5 <= d6 {
        return weighted([0.0, 0.0, 1.0]);
    }
    let vb = d5 * d2 - d1 * d6;
    if vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0 {
        let t = d2 / (d2 - d6);
        return weighted([1.0 - t, 0.0, t]);
    }
    let va = d3 * d6 - d5 * d4;
    if va <= 0.0 && d4 - d3 >= 0.0 && d5 - d6 >= 0.0 {
        let t = (d4 - d3) / ((d4 - d3) + (d5 - d6));
        return weighted([0.0, 1.0 - t, t]);
    }
    let scale = 1.0 / (va + vb + vc);
    weighted([1.0 - (vb + vc) * scale, vb * scale, vc * scale])
}

#[cfg(test)]
mod tests {
    use super::*;
    use sinew_geom::structured::{bar, bell, cloth};
    use sinew_math::dvec3;

    #[test]
    fn every_tet_of_a_thick_bar_knows_ways_out_and_the_nearest_first() {
        let flesh = Flesh::from_tets(bar(dvec3(1.0, 0.6, 0.6), [10, 6, 6]), 1000.0).unwrap();
        let surface = ContactSurface::new(&flesh).unwrap();
        for (cell, corners) in surface.cells.iter().enumerate() {
            let from = small(middle(&flesh.rest, corners));
            let distance = |face: u32| {
                let corners = surface.faces[face as usize].map(|v| small(flesh.rest[v as usize]));
                closest_on(&corners, from).1.distance(from)
            };
            let nearest = (0..surface.faces.len() as u32).map(distance).fold(f32::MAX, f32::min);
            let exits = surface.exits(cell);
            assert!(exits.len() >= 2, "a bar can be left on several sides, tet {cell} knows {exits:?}");
            assert!(distance(exits[0]) < nearest + 0.06, "tet {cell}: {} instead of {nearest}", distance(exits[0]));
        }
    }

    #[test]
    fn a_thin_wall_has_an_exit_on_each_side_everywhere() {
        let flesh = Flesh::from_tets(bell(0.5, 0.45, 0.08, 6, 2), 1000.0).unwrap();
        let surface = ContactSurface::new(&flesh).unwrap();
        let normals: Vec<Vec3A> =
            surface.faces.iter().map(|f| normal(&f.map(|v| small(flesh.rest[v as usize])))).collect();
        for cell in 0..surface.cells.len() {
            let exits = surface.exits(cell);
            let opposite = |&face: &u32| normals[face as usize].dot(normals[exits[0] as usize]) < -0.5;
            assert!(exits.iter().any(opposite), "tet {cell} knows {exits:?}");
        }
    }

    #[test]
    fn sheets_have_no_inside_and_all_their_edges() {
        let surface = ContactSurface::new(&Flesh::from_shell(&cloth(1.0, 1.0, [5, 5]), 0.2)).unwrap();
        assert!(surface.is_sheet && surface.cells.is_empty() && surface.thickness_m > 0.0);
        // Euler: a disc has as many vertices and faces together as edges, and one more.
        assert_eq!(surface.vertices.len() + surface.faces.len(), surface.edges.len() + 1);
        let border = surface.across.iter().flatten().filter(|&&face| face == NO_FACE).count();
        assert_eq!(border, 20);
    }
}
