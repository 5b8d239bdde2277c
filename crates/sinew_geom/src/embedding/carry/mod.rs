//! An embedding made ready to be applied to a large skin, frame after frame: positions and normals in f32.
//!
//! Many skin points hang on the corners of one tet, so its part of the work is done once, as a *frame*. With X₀ the first
//! corner's rest, r_k = X_k − X₀ and F̄ = Σ b_k F_k, the smooth map is x = Σ b_k (x_k − ½ F_k r_k) + F̄ q, q = X − X₀ − ½ Σ b_k r_k.
//! A normal n₀ of the rest shape is carried as an area is, by cof(F̄) n₀. So a skin point is nine numbers: its weights,
//! q and n₀. On a sheet's triangle, with edges E = (e₁, e₂) and its unit normal for e₃, a point is x₀ + E w and a normal cof(E) (E₀ᵀ n₀) up
//! to length: six numbers. The carrier keeps the points of a frame together (*runs*) and each of the
//! numbers in a list of its own, so that one instruction serves 8 or 16 points; [`SkinCarrier::file_order`] leads back.
//!
//! What hangs on a single vertex (the flesh's own surface) is summed as it is; such normals turn as the mean normal of the
//! skin's triangles around them does, by the shortest way.
//!
//! Same bits at any number of threads and on any machine: every point is worked out alone, by plain multiplications,
//! additions, divisions and square roots, never fused.

mod lanes;
mod others;
mod sheet;
mod tets;

use super::Embedding;
use crate::order::inverse;
use crate::{Row, TriangleMesh};
use lanes::PointFrame;
use others::Others;
use rayon::prelude::*;
use sheet::Sheet;
use sinew_math::DVec3;
use std::collections::HashMap;
use std::ops::Range;
use tets::Tets;

/// About how many points one thread takes at once.
const TASK: usize = 8192;
/// Points worked out side by side.
const LANES: usize = 16;
/// In place of a fourth corner: the frame is a triangle's.
const NO_CORNER: u32 = u32::MAX;

/// What carries a skin: see the module.
#[derive(Debug, Clone, PartialEq)]
pub struct SkinCarrier {
    framed: Framing,
    others: Others,
    /// Points in runs come first, then the others.
    file_order: Vec<u32>,
}

#[derive(Debug, Clone, PartialEq)]
enum Framing {
    Tets(Tets),
    Sheet(Sheet),
}

/// Points frame by frame, with `N` numbers each: a list for each number.
#[derive(Debug, Clone, PartialEq)]
struct Runs<const N: usize> {
    runs: Vec<Run>,
    /// Runs that one thread takes at once.
    tasks: Vec<Range<usize>>,
    points: [Vec<f32>; N],
}

/// Points of one frame, which begin where those of the run before end.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Run {
    corners: [u32; 4],
    end: usize,
}

/// Where a skin is, in its carrier's order, with the room that carrying it needs.
#[derive(Debug, Clone, Default)]
pub struct CarriedSkin {
    pub positions: Vec<[f32; 3]>,
    /// Of length 1.
    pub normals: Vec<[f32; 3]>,
    /// Flesh about its first point.
    near: Vec<[f32; 3]>,
    /// F of the flesh's vertices, by columns.
    stretches: Vec<[[f32; 3]; 3]>,
}

impl Embedding {
    /// Makes the embedding ready for `skin`, whose vertices it binds to flesh that rests at `flesh`. `normals` are the
    /// skin's at rest, one a vertex; without, the smooth ones of its triangles.
    pub fn carrier(&self, flesh: &[DVec3], skin: &TriangleMesh, normals: Option<&[DVec3]>) -> SkinCarrier {
        let smooth = skin.vertex_normals();
        let given = normals.filter(|normals| normals.len() == smooth.len()).unwrap_or(&smooth);
        let framed: Vec<Option<Framed>> =
            (0..self.len() as u32).map(|row| Framed::of(self.rows.terms(Row(row)))).collect();
        let mut file_order = by_frame(&framed);
        let in_runs = || file_order.iter().filter_map(|vertex| Some((*vertex as usize, framed[*vertex as usize]?)));
        let runs = match &self.smooth {
            Some(map) => Framing::Tets(Tets::new(map, in_runs(), given)),
            None => Framing::Sheet(Sheet::new(flesh, in_runs(), given)),
        };
        let first_other = file_order.len();
        let mut others = Others::default();
        for vertex in (0..self.len()).filter(|vertex| framed[*vertex].is_none()) {
            let terms = self.rows.terms(Row(vertex as u32));
            others.rows.push(terms.map(|(dof, weight)| (dof as u32, weight as f32)));
            others.normals.push([smooth[vertex], given[vertex].normalize_or(smooth[vertex])]);
            file_order.push(vertex as u32);
        }
        others.gather_fans(skin, &inverse(&file_order), first_other);
        SkinCarrier { framed: runs, others, file_order }
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

impl<const N: usize> Runs<N> {
    /// Of points in the order of their frames.
    fn new(points: impl Iterator<Item = ([u32; 4], [f32; N])>) -> Self {
        let mut made = Self { runs: Vec::new(), tasks: Vec::new(), points: std::array::from_fn(|_| Vec::new()) };
        for (corners, numbers) in points {
            made.points.iter_mut().zip(numbers).for_each(|(list, number)| list.push(number));
            match made.runs.last_mut() {
                Some(run) if run.corners == corners => run.end += 1,
                _ => made.runs.push(Run { corners, end: made.points[0].len() }),
            }
        }
        let (mut first, mut begin) = (0, 0);
        for (number, run) in made.runs.iter().enumerate() {
            if run.end - begin >= TASK || number + 1 == made.runs.len() {
                made.tasks.push(first..number + 1);
                (first, begin) = (number + 1, run.end);
            }
        }
        made
    }

    fn carry<F: PointFrame<N>>(
        &self,
        frame_at: impl Fn([u32; 4]) -> F + Sync,
        mut rest: (&mut [[f32; 3]], &mut [[f32; 3]]),
    ) {
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
                let out = at - begin..run.end - begin;
                let run_points = self.points.each_ref().map(|list| &list[at..run.end]);
                lanes::carry_run(&frame_at(run.corners), run_points, &mut positions[out.clone()], &mut normals[out]);
                at = run.end;
            }
        });
    }

    fn begin(&self, run: usize) -> usize {
        run.checked_sub(1).map_or(0, |before| self.runs[before].end)
    }
}

/// Normals of any length are the same normal; kept near 1, so that f32 holds bodies of all sizes.
fn unit(normal: DVec3) -> [f32; 3] {
    single(normal / normal.length().max(f64::MIN_POSITIVE))
}

fn single(v: DVec3) -> [f32; 3] {
    v.to_array().map(|c| c as f32)
}

#[inline]
fn minus(p: [f32; 3], q: [f32; 3]) -> [f32; 3] {
    [p[0] - q[0], p[1] - q[1], p[2] - q[2]]
}

#[inline]
fn cross(p: [f32; 3], q: [f32; 3]) -> [f32; 3] {
    [p[1] * q[2] - p[2] * q[1], p[2] * q[0] - p[0] * q[2], p[0] * q[1] - p[1] * q[0]]
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
        let numbers = match &self.framed {
            Framing::Tets(_) => tets::NUMBERS,
            Framing::Sheet(_) => sheet::NUMBERS,
        };
        self.len() * (numbers * size_of::<f32>() + 2 * size_of::<[f32; 3]>())
    }

    /// Puts the skin where the flesh carries it. Positions are relative to `about`: f32 holds a body far from the
    /// origin only about a place in it.
    pub fn carry(&self, flesh: &[DVec3], about: DVec3, skin: &mut CarriedSkin) {
        let CarriedSkin { positions, normals, near, stretches } = skin;
        // Edges are differences of places about the body itself, so that they keep their digits far from the origin.
        let middle = flesh.first().copied().unwrap_or_default();
        near.clear();
        near.extend(flesh.iter().map(|x| single(*x - middle)));
        positions.resize(self.len(), [0.0; 3]);
        normals.resize(self.len(), [0.0; 3]);
        let origin = |corners: [u32; 4]| single(flesh[corners[0] as usize] - about);
        match &self.framed {
            Framing::Tets(tets) => tets.carry(near, stretches, origin, (&mut positions[..], &mut normals[..])),
            Framing::Sheet(sheet) => sheet.carry(near, origin, (&mut positions[..], &mut normals[..])),
        }
        let first_other = self.len() - self.others.normals.len();
        self.others.carry(flesh, about, first_other, positions, normals);
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
        // Points within the bar have no normal to compare with.
        let mut is_seen = vec![false; bent.positions.len()];
        bent.triangles.as_flattened().iter().for_each(|v| is_seen[*v as usize] = true);
        let seen = || smooth.iter().zip(&one.1).zip(&is_seen).filter(|(_, seen)| **seen).map(|(pair, _)| pair);
        let (near, all) = (seen().filter(is_near).count(), seen().count());
        assert!(near * 100 > 97 * all, "{near} of {all} normals are near those of the bent skin");
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
