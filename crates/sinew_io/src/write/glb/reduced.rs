//! Many frames: rigid motion on the node, principal components of the rest as targets.
//!
//! Per frame f the body's pose `(R_f, c_f)` is the best fit of the first frame's shape (Horn, in `sinew_math`), rounded to
//! the f32 that the file holds. What remains is `d_f = R_fᵀ(x_f − c_f) − mean`, and `D`, whose rows are the `d_f`, is cut
//! to `U Uᵀ D` with U the main directions of the Gram matrix `D Dᵀ`: targets are the rows of `Uᵀ D`, weights those of U. The
//! number of targets is the smallest whose largest error over all vertices and frames is within the bound. Weights are
//! moved and scaled into 0 to 1, where the sliders of other programs end (Blender 5.0 cuts off what is beyond); the mesh
//! makes up for it, so that it is one of the shapes' corners and not their mean.
//!
//! D is held in vertex ranges of at most [`HELD_BYTES`]; a clip larger than that is played once more per range. Targets
//! themselves are held whole.

use super::eigen::{Columns, dot, main_directions};
use super::{Bin, GlbOptions, Layout, Placed};
use crate::clip::{self, Clip, WriteError};
use serde_json::json;
use sinew_math::{DMat3, DQuat, DVec3, rotation};
use std::ops::Range;

const HELD_BYTES: usize = 512 << 20;
/// Coordinates worked on at once, so that all frames of them stay in the cache.
const BLOCK: usize = 768;

pub(super) fn place(
    clip: &mut dyn Clip,
    body: usize,
    layout: &Layout,
    options: &GlbOptions,
    bin: &mut Bin,
) -> Result<Placed, WriteError> {
    let motion = Motion::of(clip, body, options.normals)?;
    let mut held = Held::new(clip, body, &motion);
    let directions = main_directions(&held.gram()?, options.max_targets);
    let allowed = options.bound * motion.size;
    let count = held.count_needed(&directions, allowed)?;
    let sliders: Vec<Slider> = directions[..count].iter().map(|direction| Slider::of(direction)).collect();
    let reduce = "export fewer frames or coarser skins, leave out normals, or allow a larger error";
    bin.reserve(layout.target_bytes(count + 1, options.normals), reduce)?;
    let shapes = held.shapes(&sliders, Which::Points)?;
    // Rotating and moving adds what f32 cannot hold.
    let error = held.largest_error(&sliders, &shapes)? + 4.0 * f64::from(f32::EPSILON) * motion.reach;
    let normal_shapes =
        if options.normals { Some(held.shapes(&sliders, Which::Normals)?.with_unit_base()) } else { None };

    let normals = normal_shapes.as_ref().map_or(&motion.mean_normals, |shapes| &shapes.base);
    let (attributes, parts) = layout.place(&shapes.base, normals, bin)?;
    let mut targets = Vec::new();
    for (k, target) in shapes.targets.iter().enumerate() {
        let normals = normal_shapes.as_ref().map(|shapes| &shapes.targets[k][..]);
        targets.push(layout.place_target(target, normals, bin)?);
    }
    let weights: Vec<f32> =
        (0..motion.poses.len()).flat_map(|f| sliders.iter().map(move |slider| slider.weights[f])).collect();
    let (translations, rotations): (Vec<_>, Vec<_>) = motion.poses.iter().map(|pose| (pose.at, pose.turn)).unzip();
    let name = &clip.info().bodies[body].name;
    let note = (error > allowed).then(|| {
        format!("body {name:?}: {count} morph targets leave an error of {error:.2e} m; the bound was {allowed:.2e} m")
    });
    Ok(Placed {
        attributes,
        parts,
        targets,
        target_names: (1..=count).map(|k| format!("shape {k}")).collect(),
        weights: if count == 0 { None } else { Some(bin.scalars(&weights, false)?) },
        rigid: Some([bin.keys(&translations)?, bin.keys(&rotations)?]),
        first_weights: weights[..count].to_vec(),
        first_pose: Some((translations[0], rotations[0])),
        extras: json!({
            "exact": false,
            "targets": count,
            "error_m": error,
            "error_of_size": error / motion.size,
            "size_m": motion.size,
        }),
        note,
    })
}

/// Where a body is and how it is turned, as the file has it.
struct Pose {
    at: [f32; 3],
    turn: [f32; 4],
    body_from_world: DMat3,
}

/// The rigid part, and the mean of the rest.
struct Motion {
    poses: Vec<Pose>,
    /// In the body's frame.
    mean: Vec<[f32; 3]>,
    mean_normals: Vec<[f32; 3]>,
    /// The diagonal of the first frame's box.
    size: f64,
    /// The largest coordinate there is.
    reach: f64,
}

impl Motion {
    fn of(clip: &mut dyn Clip, body: usize, with_normals: bool) -> Result<Self, WriteError> {
        let frame_count = clip.info().frame_count;
        let mut points = Vec::new();
        clip::skin(clip, body, 0, &mut points)?;
        let first: Vec<DVec3> = points.iter().map(|point| wide(*point)).collect();
        let [low, high] = clip::bounds(&points).map(wide);
        let even = vec![1.0; first.len()];
        let mut poses: Vec<Pose> = Vec::new();
        let (mut sum, mut normal_sum) = (vec![DVec3::ZERO; first.len()], vec![DVec3::ZERO; first.len()]);
        let mut reach = 0.0;
        for frame in 0..frame_count {
            clip::skin(clip, body, frame, &mut points)?;
            let now: Vec<DVec3> = points.iter().map(|point| wide(*point)).collect();
            let mut turn = rotation::best_fit_rotation(&first, &now, &even);
            if let Some(before) = poses.last() {
                // The near one of the two that mean the same, or the way between frames is the long one.
                let before = DQuat::from_array(before.turn.map(f64::from));
                turn = if turn.dot(before) < 0.0 { -turn } else { turn };
            }
            let pose = Pose::rounded(rotation::mass_centre(&now, &even), turn);
            now.iter().zip(&mut sum).for_each(|(x, sum)| *sum += pose.to_body(*x));
            reach = now.iter().fold(reach, |reach: f64, x| reach.max(x.abs().max_element()));
            if with_normals || frame == 0 {
                for (normal, sum) in clip::normals(clip, body, frame, &points)?.iter().zip(&mut normal_sum) {
                    *sum += pose.body_from_world * wide(*normal);
                }
            }
            poses.push(pose);
        }
        let mean = sum.iter().map(|sum| narrow(*sum / frame_count as f64)).collect();
        let mean_normals = normal_sum.iter().map(|sum| narrow(sum.try_normalize().unwrap_or(DVec3::Y))).collect();
        // A body without extent has no share to speak of.
        let size = (high - low).length().max(f64::MIN_POSITIVE);
        Ok(Self { poses, mean, mean_normals, size, reach })
    }
}

impl Pose {
    fn rounded(centre: DVec3, turn: DQuat) -> Self {
        let turn = turn.to_array().map(|number| number as f32);
        let exact = DQuat::from_array(turn.map(f64::from)).normalize();
        Self { at: narrow(centre), turn, body_from_world: DMat3::from_quat(exact).transpose() }
    }

    fn to_body(&self, x: DVec3) -> DVec3 {
        self.body_from_world * (x - wide(self.at))
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Which {
    Points,
    Normals,
}

/// The rows of D over a range of vertices; played again when another range is asked for.
struct Held<'a> {
    clip: &'a mut dyn Clip,
    body: usize,
    motion: &'a Motion,
    ranges: Vec<Range<usize>>,
    /// What `rows` holds.
    loaded: Option<(usize, Which)>,
    /// A frame each, three numbers a vertex.
    rows: Vec<Vec<f32>>,
}

impl<'a> Held<'a> {
    fn new(clip: &'a mut dyn Clip, body: usize, motion: &'a Motion) -> Self {
        let vertex_count = motion.mean.len();
        let width = (HELD_BYTES / (12 * motion.poses.len())).max(1);
        let ranges = (0..vertex_count).step_by(width).map(|from| from..(from + width).min(vertex_count)).collect();
        Self { clip, body, motion, ranges, loaded: None, rows: vec![Vec::new(); motion.poses.len()] }
    }

    fn load(&mut self, range: usize, which: Which) -> Result<(), WriteError> {
        if self.loaded == Some((range, which)) {
            return Ok(());
        }
        self.loaded = None;
        let mut points = Vec::new();
        for (frame, (pose, row)) in self.motion.poses.iter().zip(&mut self.rows).enumerate() {
            clip::skin(self.clip, self.body, frame, &mut points)?;
            row.clear();
            let vertices = self.ranges[range].clone();
            if which == Which::Points {
                let mean = &self.motion.mean[vertices.clone()];
                let rest = points[vertices].iter().zip(mean).map(|(x, mean)| pose.to_body(wide(*x)) - wide(*mean));
                row.extend(rest.flat_map(narrow));
            } else {
                let normals = clip::normals(self.clip, self.body, frame, &points)?;
                let mean = &self.motion.mean_normals[vertices.clone()];
                let turned = normals[vertices].iter().map(|normal| pose.body_from_world * wide(*normal));
                row.extend(turned.zip(mean).flat_map(|(normal, mean)| narrow(normal - wide(*mean))));
            }
        }
        self.loaded = Some((range, which));
        Ok(())
    }

    /// Calls `work` with all rows of one block of coordinates after the other, and the first coordinate's place in the body.
    fn blocks(
        &mut self,
        which: Which,
        mut work: impl FnMut(usize, &[&[f32]]) -> Result<(), WriteError>,
    ) -> Result<(), WriteError> {
        for range in 0..self.ranges.len() {
            self.load(range, which)?;
            let before = 3 * self.ranges[range].start;
            let width = 3 * self.ranges[range].len();
            for from in (0..width).step_by(BLOCK) {
                let to = (from + BLOCK).min(width);
                let rows: Vec<&[f32]> = self.rows.iter().map(|row| &row[from..to]).collect();
                work(before + from, &rows)?;
            }
        }
        Ok(())
    }

    /// `D Dᵀ`, in f64: what is small beside the largest motion must not drown.
    fn gram(&mut self) -> Result<Vec<Vec<f64>>, WriteError> {
        let n = self.rows.len();
        let mut gram = vec![vec![0.0; n]; n];
        self.blocks(Which::Points, |_, rows| {
            let rows: Vec<Vec<f64>> = rows.iter().map(|row| row.iter().map(|x| f64::from(*x)).collect()).collect();
            for i in 0..n {
                for j in 0..=i {
                    gram[i][j] += dot(&rows[i], &rows[j]);
                }
            }
            Ok(())
        })?;
        let mirrored = (0..n).map(|i| (0..n).map(|j| gram[i.max(j)][i.min(j)]).collect());
        Ok(mirrored.collect())
    }

    /// How many of the directions bring the largest error of a vertex within `allowed`; all if none does.
    fn count_needed(&mut self, directions: &Columns, allowed: f64) -> Result<usize, WriteError> {
        let mut errors2 = vec![0.0f32; directions.len() + 1];
        // Far enough below that it stays so when further directions are taken away.
        let settled2 = (0.25 * allowed * allowed) as f32;
        self.blocks(Which::Points, |_, rows| {
            let mut left: Vec<Vec<f32>> = rows.iter().map(|row| row.to_vec()).collect();
            for k in 0..=directions.len() {
                let worst = largest_square(&left);
                errors2[k] = errors2[k].max(worst);
                if k == directions.len() || worst <= settled2 {
                    errors2[k + 1..].iter_mut().for_each(|error| *error = error.max(worst));
                    break;
                }
                let base = combined(&left, &directions[k]);
                for (row, weight) in left.iter_mut().zip(&directions[k]) {
                    let weight = *weight as f32;
                    row.iter_mut().zip(&base).for_each(|(x, base)| *x -= weight * *base as f32);
                }
            }
            Ok(())
        })?;
        let enough = errors2.iter().position(|error| f64::from(*error).sqrt() <= 0.98 * allowed);
        Ok(enough.unwrap_or(directions.len()))
    }

    /// The mesh with all sliders at 0, and what each of them adds.
    fn shapes(&mut self, sliders: &[Slider], which: Which) -> Result<Shapes, WriteError> {
        let mean = if which == Which::Points { &self.motion.mean } else { &self.motion.mean_normals };
        let mut base = mean.clone();
        let mut targets = vec![vec![[0.0f32; 3]; mean.len()]; sliders.len()];
        self.blocks(which, |from, rows| {
            let base = &mut base.as_flattened_mut()[from..from + rows[0].len()];
            let mut sums: Vec<f64> = base.iter().map(|x| f64::from(*x)).collect();
            for (slider, target) in sliders.iter().zip(&mut targets) {
                let component = combined(rows, &slider.direction);
                let target = &mut target.as_flattened_mut()[from..from + component.len()];
                for ((into, sum), x) in target.iter_mut().zip(&mut sums).zip(component) {
                    *into = (slider.span * x) as f32;
                    *sum += slider.low * x;
                }
            }
            base.iter_mut().zip(sums).for_each(|(into, sum)| *into = sum as f32);
            Ok(())
        })?;
        Ok(Shapes { base, targets })
    }

    /// The largest error of a vertex when the numbers of the file are put together again in f32.
    fn largest_error(&mut self, sliders: &[Slider], shapes: &Shapes) -> Result<f64, WriteError> {
        let mut largest2 = 0.0f32;
        let mean = self.motion.mean.as_flattened();
        self.blocks(Which::Points, |from, rows| {
            let part = from..from + rows[0].len();
            let mut left: Vec<Vec<f32>> = rows.iter().map(|row| row.to_vec()).collect();
            let base = &shapes.base.as_flattened()[part.clone()];
            for row in &mut left {
                for ((x, mean), base) in row.iter_mut().zip(&mean[part.clone()]).zip(base) {
                    *x += mean - base;
                }
            }
            for (slider, target) in sliders.iter().zip(&shapes.targets) {
                let target = &target.as_flattened()[part.clone()];
                for (row, weight) in left.iter_mut().zip(&slider.weights) {
                    row.iter_mut().zip(target).for_each(|(x, target)| *x -= weight * target);
                }
            }
            largest2 = largest2.max(largest_square(&left));
            Ok(())
        })?;
        Ok(f64::from(largest2).sqrt())
    }
}

/// A direction as a slider from 0 to 1: `direction = low + span · weights`.
struct Slider {
    direction: Vec<f64>,
    low: f64,
    span: f64,
    weights: Vec<f32>,
}

impl Slider {
    fn of(direction: &[f64]) -> Self {
        let (low, high) = direction.iter().fold((f64::MAX, f64::MIN), |(low, high), x| (low.min(*x), high.max(*x)));
        let span = (high - low).max(f64::MIN_POSITIVE);
        let weights = direction.iter().map(|x| ((x - low) / span) as f32).collect();
        Self { direction: direction.to_vec(), low, span, weights }
    }
}

struct Shapes {
    base: Vec<[f32; 3]>,
    targets: Vec<Vec<[f32; 3]>>,
}

impl Shapes {
    /// The same directions with a base of length 1, as glTF wants normals: base and targets of a vertex are scaled alike.
    fn with_unit_base(mut self) -> Self {
        /// Below, a base points nowhere, and scaling would blow up its targets.
        const SHORT: f64 = 1e-3;
        for (vertex, base) in self.base.iter_mut().enumerate() {
            let length = wide(*base).length();
            if length < SHORT {
                *base = [0.0, 1.0, 0.0];
                continue;
            }
            *base = narrow(wide(*base) / length);
            for target in &mut self.targets {
                target[vertex] = narrow(wide(target[vertex]) / length);
            }
        }
        self
    }
}

/// `Σ weight_f row_f`.
fn combined<R: AsRef<[f32]>>(rows: &[R], weights: &[f64]) -> Vec<f64> {
    let mut sums = vec![0.0; rows[0].as_ref().len()];
    for (row, weight) in rows.iter().zip(weights) {
        sums.iter_mut().zip(row.as_ref()).for_each(|(sum, x)| *sum += weight * f64::from(*x));
    }
    sums
}

/// The square of the longest vector.
fn largest_square(rows: &[Vec<f32>]) -> f32 {
    let square = |v: &[f32; 3]| v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
    rows.iter().flat_map(|row| row.as_chunks::<3>().0).map(square).fold(0.0, f32::max)
}

fn wide(x: [f32; 3]) -> DVec3 {
    DVec3::from_array(x.map(f64::from))
}

fn narrow(x: DVec3) -> [f32; 3] {
    x.to_array().map(|number| number as f32)
}
