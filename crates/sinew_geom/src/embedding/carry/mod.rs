//! An embedding made ready to be applied to a large skin, frame after frame: positions and normals in f32.
//!
//! A row of a skin names the corners of a tet (or of a sheet's triangle) and their weights. Many skin points share a tet,
//! so its part of the work is done once: a *frame* with the place x₀ of its first corner, its edges E = (e₁, e₂, e₃) and
//! their cofactors. A point is then x₀ + E w. A normal n₀ of the rest shape, whose tet had the edges E₀, is carried as an
//! area is: cof(F) n₀ with F = E E₀⁻¹, which is cof(E) (E₀ᵀ n₀) up to length. So a skin point is six numbers and two
//! products of a matrix with a vector. The carrier keeps the points of a frame together (*runs*) and each of the six
//! numbers in a list of its own, so that one instruction serves 8 or 16 points; [`SkinCarrier::file_order`] leads back.
//!
//! A sheet's triangle has its unit normal for e₃. Points far over the flesh move with their triangle and the stretch around
//! it, which is found once a triangle. What hangs on a single vertex (the flesh's own surface) is summed as it is; such
//! normals turn as the mean normal of the skin's triangles around them does, by the shortest way.
//!
//! Same bits at any number of threads and on any machine: every point is worked out alone, by plain multiplications,
//! additions, divisions and square roots, never fused.

mod lanes;
mod others;

use super::Embedding;
use super::patch::Patch;
use crate::order::inverse;
use crate::{Row, TriangleMesh};
use others::Others;
use rayon::prelude::*;
use sinew_math::{DMat3, DVec3};
use std::collections::HashMap;
use std::ops::Range;

/// About how many points one thread takes at once.
const TASK: usize = 8192;
/// Points worked out side by side.
const LANES: usize = 16;
/// In place of a fourth corner: the frame is a triangle's.
const NO_CORNER: u32 = u32::MAX;

/// What carries a skin: see the module.
#[derive(Debug, Clone, PartialEq)]
pub struct SkinCarrier {
    runs: Vec<Run>,
    /// Runs that one thread takes at once.
    tasks: Vec<Range<usize>>,
    points: Points,
    patches: Vec<CarriedPatch>,
    others: Others,
    /// Points in runs come first, then those over patches, then the others.
    file_order: Vec<u32>,
}

/// Points of one frame, which begin where those of the run before end.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Run {
    corners: [u32; 4],
    end: usize,
}

/// Weights of the second, third and fourth corner, and E₀ᵀ n₀: a list for each number.
#[derive(Debug, Clone, PartialEq, Default)]
struct Points([Vec<f32>; 6]);

/// The points over one boundary triangle, which begin where those of the patch before end.
#[derive(Debug, Clone, PartialEq)]
struct CarriedPatch {
    patch: Patch,
    /// Rest normals.
    normals: Vec<DVec3>,
}

/// Where a skin is, in its carrier's order, with the room that carrying it needs.
#[derive(Debug, Clone, Default)]
pub struct CarriedSkin {
    pub positions: Vec<[f32; 3]>,
    /// Of length 1.
    pub normals: Vec<[f32; 3]>,
    /// Flesh about its first point.
    near: Vec<[f32; 3]>,
}

/// A tet as it is now.
#[derive(Debug, Clone, Copy)]
struct Frame {
    origin: [f32; 3],
    edges: [[f32; 3]; 3],
    cofactors: [[f32; 3]; 3],
}

impl Embedding {
    /// Makes the embedding ready for `skin`, whose vertices it binds to flesh that rests at `flesh`. `normals` are the
    /// skin's at rest, one a vertex; without, the smooth ones of its triangles.
    pub fn carrier(&self, flesh: &[DVec3], skin: &TriangleMesh, normals: Option<&[DVec3]>) -> SkinCarrier {
        let smooth = skin.vertex_normals();
        let given = normals.filter(|normals| normals.len() == smooth.len()).unwrap_or(&smooth);
        let mut framed: Vec<Option<Framed>> =
            (0..self.len() as u32).map(|row| Framed::of(self.rows.terms(Row(row)))).collect();
        let mut is_over = vec![false; self.len()];
        for point in self.patches.iter().flat_map(|patch| &patch.points) {
            is_over[point.row as usize] = true;
            framed[point.row as usize] = None;
        }
        let mut file_order = by_frame(&framed);
        let (mut runs, mut points) = (Vec::<Run>::new(), Points::default());
        for &vertex in &file_order {
            let Some(Framed { corners, weights }) = framed[vertex as usize] else { continue };
            points.push(weights, edges_at(corners, flesh).map(|edge| edge.dot(given[vertex as usize])));
            match runs.last_mut() {
                Some(run) if run.corners == corners => run.end += 1,
                _ => runs.push(Run { corners, end: points.len() }),
            }
        }
        file_order.extend(self.patches.iter().flat_map(|patch| &patch.points).map(|point| point.row));
        let carried = |patch: &Patch| {
            let normals = patch.points.iter().map(|point| given[point.row as usize]).collect();
            CarriedPatch { patch: patch.clone(), normals }
        };
        let patches = self.patches.iter().map(carried).collect();
        let first_other = file_order.len();
        let mut others = Others::default();
        for vertex in (0..self.len()).filter(|vertex| framed[*vertex].is_none() && !is_over[*vertex]) {
            let terms = self.rows.terms(Row(vertex as u32));
            others.rows.push(terms.map(|(dof, weight)| (dof as u32, weight as f32)));
            others.normals.push([smooth[vertex], given[vertex].normalize_or(smooth[vertex])]);
            file_order.push(vertex as u32);
        }
        others.gather_fans(skin, &inverse(&file_order), first_other);
        SkinCarrier { tasks: tasks(&runs), runs, points, patches, others, file_order }
    }
}

/// A row of a tet or triangle: its corners and the weights of all but the first.
#[derive(Debug, Clone, Copy)]
struct Framed {
    corners: [u32; 4],
    weights: [f32; 3],
}

impl Framed {
    fn of(terms: impl Iterator<Item = (usize, f64)>) -> Option<Self> {
        let (mut framed, mut count) = (Self { corners: [NO_CORNER; 4], weights: [0.0; 3] }, 0);
        for (dof, weight) in terms {
            *framed.corners.get_mut(count)? = dof as u32;
            if count > 0 {
                framed.weights[count - 1] = weight as f32;
            }
            count += 1;
        }
        (count >= 3).then_some(framed)
    }
}

/// Points with a frame: those of one together, frames in the order in which the file meets them.
fn by_frame(framed: &[Option<Framed>]) -> Vec<u32> {
    let mut met: HashMap<[u32; 4], u32> = HashMap::new();
    let mut keys: Vec<(u32, u32)> = Vec::with_capacity(framed.len());
    for (vertex, framed) in framed.iter().enumerate() {
        let next = met.len() as u32;
        let Some(framed) = framed else { continue };
        keys.push((*met.entry(framed.corners).or_insert(next), vertex as u32));
    }
    keys.sort_unstable();
    keys.into_iter().map(|(_, vertex)| vertex).collect()
}

fn tasks(runs: &[Run]) -> Vec<Range<usize>> {
    let (mut tasks, mut first, mut begin) = (Vec::new(), 0, 0);
    for (number, run) in runs.iter().enumerate() {
        if run.end - begin >= TASK || number + 1 == runs.len() {
            tasks.push(first..number + 1);
            (first, begin) = (number + 1, run.end);
        }
    }
    tasks
}

fn edges_at([a, b, c, d]: [u32; 4], flesh: &[DVec3]) -> [DVec3; 3] {
    let origin = flesh[a as usize];
    let [first, second] = [b, c].map(|corner| flesh[corner as usize] - origin);
    let third = match d {
        NO_CORNER => first.cross(second).normalize_or_zero(),
        corner => flesh[corner as usize] - origin,
    };
    [first, second, third]
}

impl Points {
    fn push(&mut self, [a, b, c]: [f32; 3], normal: [f64; 3]) {
        // Normals of any length are the same normal; kept near 1, so that f32 holds bodies of all sizes.
        let length = DVec3::from_array(normal).length().max(f64::MIN_POSITIVE);
        let [x, y, z] = normal.map(|n| (n / length) as f32);
        self.0.iter_mut().zip([a, b, c, x, y, z]).for_each(|(list, number)| list.push(number));
    }

    fn len(&self) -> usize {
        self.0[0].len()
    }
}

impl Frame {
    /// `near` are the flesh's places about any of its own; `origin` is the first corner's where it is wanted.
    #[inline]
    fn at([a, b, c, d]: [u32; 4], near: &[[f32; 3]], origin: DVec3) -> Self {
        let minus = |p: [f32; 3], q: [f32; 3]| [p[0] - q[0], p[1] - q[1], p[2] - q[2]];
        let cross = |p: [f32; 3], q: [f32; 3]| {
            [p[1] * q[2] - p[2] * q[1], p[2] * q[0] - p[0] * q[2], p[0] * q[1] - p[1] * q[0]]
        };
        let first = near[a as usize];
        let (e, f) = (minus(near[b as usize], first), minus(near[c as usize], first));
        let area = cross(e, f);
        let g = match d {
            NO_CORNER => {
                let squared = area[0] * area[0] + area[1] * area[1] + area[2] * area[2];
                area.map(|part| part / squared.max(f32::MIN_POSITIVE).sqrt())
            }
            corner => minus(near[corner as usize], first),
        };
        let origin = [origin.x as f32, origin.y as f32, origin.z as f32];
        Self { origin, edges: [e, f, g], cofactors: [cross(f, g), cross(g, e), area] }
    }
}

impl SkinCarrier {
    /// Vertices of the skin.
    pub fn len(&self) -> usize {
        self.file_order.len()
    }

    pub fn is_empty(&self) -> bool {
        self.file_order.is_empty()
    }

    /// The vertex of the skin that each carried point is.
    pub fn file_order(&self) -> &[u32] {
        &self.file_order
    }

    /// What [`SkinCarrier::carry`] has to read and write at least: what is kept of each point, and its results.
    pub fn byte_count(&self) -> usize {
        self.len() * (6 * size_of::<f32>() + 2 * size_of::<[f32; 3]>())
    }

    /// Puts the skin where the flesh carries it. Positions are relative to `about`: f32 holds a body far from the
    /// origin only about a place in it.
    pub fn carry(&self, flesh: &[DVec3], about: DVec3, skin: &mut CarriedSkin) {
        let CarriedSkin { positions, normals, near } = skin;
        // Edges are differences of places about the body itself, so that they keep their digits far from the origin.
        let middle = flesh.first().copied().unwrap_or_default();
        near.clear();
        near.extend(flesh.iter().map(|x| (*x - middle).to_array().map(|c| c as f32)));
        positions.resize(self.len(), [0.0; 3]);
        normals.resize(self.len(), [0.0; 3]);
        let mut rest = (&mut positions[..], &mut normals[..]);
        let mut jobs = Vec::with_capacity(self.tasks.len());
        for task in &self.tasks {
            let begin = self.begin(task.start);
            let count = self.runs[task.end - 1].end - begin;
            let (mine, later) = rest.0.split_at_mut(count);
            let (my_normals, later_normals) = rest.1.split_at_mut(count);
            jobs.push((task, begin, mine, my_normals));
            rest = (later, later_normals);
        }
        jobs.into_par_iter().for_each(|(task, begin, positions, normals)| {
            let mut at = begin;
            for run in &self.runs[task.clone()] {
                let frame = Frame::at(run.corners, near, flesh[run.corners[0] as usize] - about);
                let out = at - begin..run.end - begin;
                let run_points = self.points.0.each_ref().map(|list| &list[at..run.end]);
                lanes::carry_run(&frame, run_points, &mut positions[out.clone()], &mut normals[out]);
                at = run.end;
            }
        });
        self.carry_patches(flesh, about, rest);
        let first_other = self.len() - self.others.normals.len();
        self.others.carry(flesh, about, first_other, positions, normals);
    }

    fn carry_patches(&self, flesh: &[DVec3], about: DVec3, mut rest: (&mut [[f32; 3]], &mut [[f32; 3]])) {
        let mut jobs = Vec::with_capacity(self.patches.len());
        for carried in &self.patches {
            let (mine, later) = rest.0.split_at_mut(carried.normals.len());
            let (my_normals, later_normals) = rest.1.split_at_mut(carried.normals.len());
            jobs.push((carried, mine, my_normals));
            rest = (later, later_normals);
        }
        jobs.into_par_iter().with_min_len(64).for_each(|(carried, positions, normals)| {
            carried.carry(flesh, about, positions, normals);
        });
    }

    fn begin(&self, run: usize) -> usize {
        run.checked_sub(1).map_or(0, |before| self.runs[before].end)
    }

    /// Carried points in the order of the skin's file.
    pub fn in_file_order(&self, carried: &[[f32; 3]], out: &mut Vec<[f32; 3]>) {
        out.clear();
        out.resize(carried.len(), [0.0; 3]);
        for (value, &vertex) in carried.iter().zip(&self.file_order) {
            out[vertex as usize] = *value;
        }
    }
}

impl CarriedPatch {
    fn carry(&self, flesh: &[DVec3], about: DVec3, positions: &mut [[f32; 3]], normals: &mut [[f32; 3]]) {
        let single = |v: DVec3| v.to_array().map(|c| c as f32);
        let stretch = self.patch.stretch(flesh);
        let [x, y, z] = [stretch.x_axis, stretch.y_axis, stretch.z_axis];
        let cofactor = DMat3::from_cols(y.cross(z), z.cross(x), x.cross(y));
        let corners = self.patch.corners.map(|corner| flesh[corner as usize] - about);
        for (i, point) in self.patch.points.iter().enumerate() {
            let [a, b, c] = point.shares;
            positions[i] = single(corners[0] * a + corners[1] * b + corners[2] * c + stretch * point.arm);
            normals[i] = single((cofactor * self.normals[i]).normalize_or_zero());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::TetMesh;
    use crate::structured::{bar, cloth};
    use sinew_math::{DMat3, DQuat, dvec3};

    fn bar_and_skin() -> (TetMesh, TriangleMesh) {
        let flesh = bar(dvec3(1.0, 0.3, 0.2), [5, 2, 2]);
        let fine = bar(dvec3(1.02, 0.31, 0.21), [24, 9, 7]);
        let skin = TriangleMesh { triangles: fine.boundary(), positions: fine.positions };
        (flesh, skin)
    }

    fn in_file_order(carrier: &SkinCarrier, carried: &CarriedSkin) -> CarriedSkin {
        let mut sorted = CarriedSkin::default();
        carrier.in_file_order(&carried.positions, &mut sorted.positions);
        carrier.in_file_order(&carried.normals, &mut sorted.normals);
        sorted
    }

    /// cof(A) n for every normal, and A x + b for every point.
    #[test]
    fn points_and_normals_follow_any_affine_motion() {
        let (flesh, skin) = bar_and_skin();
        let carrier = Embedding::in_tets(&skin.positions, &flesh).carrier(&flesh.positions, &skin, None);
        let linear = DMat3::from_cols(dvec3(1.2, 0.1, 0.0), dvec3(0.3, 0.9, -0.5), dvec3(0.0, -0.2, 2.0));
        let now: Vec<DVec3> = flesh.positions.iter().map(|x| linear * *x + dvec3(100.0, 1.0, 2.0)).collect();
        let mut carried = CarriedSkin::default();
        carrier.carry(&now, dvec3(100.0, 0.0, 0.0), &mut carried);
        let carried = in_file_order(&carrier, &carried);
        let cofactor = linear.inverse().transpose() * linear.determinant();
        for (vertex, normal) in skin.vertex_normals().iter().enumerate() {
            let place = linear * skin.positions[vertex] + dvec3(0.0, 1.0, 2.0);
            let error = place.distance(DVec3::from_array(carried.positions[vertex].map(f64::from)));
            assert!(error < 1e-6, "vertex {vertex}: {error}");
            let normal = (cofactor * *normal).normalize();
            let error = normal.distance(DVec3::from_array(carried.normals[vertex].map(f64::from)));
            assert!(error < 1e-5, "normal {vertex}: {error}");
        }
    }

    #[test]
    fn a_bent_skin_is_where_its_rows_put_it_and_threads_do_not_change_a_bit() {
        let (flesh, skin) = bar_and_skin();
        let embedding = Embedding::of_skin(&skin, &flesh);
        let carrier = embedding.carrier(&flesh.positions, &skin, None);
        let bend = |x: &DVec3| dvec3(x.x, x.y + 0.4 * x.x * x.x, x.z + 0.2 * x.x * x.y);
        let now: Vec<DVec3> = flesh.positions.iter().map(bend).collect();
        let run = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let mut carried = CarriedSkin::default();
            pool.install(|| carrier.carry(&now, DVec3::ZERO, &mut carried));
            let carried = in_file_order(&carrier, &carried);
            (carried.positions, carried.normals)
        };
        let one = run(1);
        assert_eq!(one, run(4));
        let mut exact = Vec::new();
        embedding.apply(&now, &mut exact);
        for (exact, carried) in exact.iter().zip(&one.0) {
            assert!(exact.distance(DVec3::from_array(carried.map(f64::from))) < 1e-6);
        }
        let bent = TriangleMesh { positions: exact, triangles: skin.triangles };
        let smooth = bent.vertex_normals();
        let is_near =
            |(smooth, carried): &(&DVec3, &[f32; 3])| smooth.dot(DVec3::from_array(carried.map(f64::from))) > 0.95;
        let near = smooth.iter().zip(&one.1).filter(is_near).count();
        assert!(near * 100 > 97 * bent.positions.len(), "normals are near those of the bent skin");
    }

    #[test]
    fn a_sheet_and_the_flesh_itself_carry_normals_too() {
        let (sheet, skin) = (cloth(1.0, 0.6, [5, 3]), cloth(1.0, 0.6, [17, 11]));
        let on_sheet = Embedding::in_triangles(&skin.positions, &sheet.positions, &sheet.triangles);
        let own: Vec<u32> = (0..sheet.positions.len() as u32).collect();
        let turn = DQuat::from_rotation_x(1.0);
        let now: Vec<DVec3> = sheet.positions.iter().map(|x| turn * *x).collect();
        for (embedding, mesh) in [(on_sheet, &skin), (Embedding::of_vertices(&own), &sheet)] {
            let mut carried = CarriedSkin::default();
            let carrier = embedding.carrier(&sheet.positions, mesh, None);
            carrier.carry(&now, DVec3::ZERO, &mut carried);
            let carried = in_file_order(&carrier, &carried);
            for (x, (position, normal)) in mesh.positions.iter().zip(carried.positions.iter().zip(&carried.normals)) {
                assert!((turn * *x).distance(DVec3::from_array(position.map(f64::from))) < 1e-6);
                assert!((turn * DVec3::Y).distance(DVec3::from_array(normal.map(f64::from))) < 1e-6, "{normal:?}");
            }
        }
    }
}
