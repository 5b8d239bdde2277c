//! Loads on points of one body over time: forces and stiffnesses at contact times, as gradient and Hessian of
//! nodal movements.
//!
//! Between frames a point follows the Catmull–Rom curve through its places at frames, which is linear in
//! nodal places. A contact time so couples up to four neighbouring frames.

use super::body_energy::FreeFrames;
use super::posture::Posture;
use crate::block_banded::BlockBanded;
use crate::interpolation::{FrameWeights, frame_weights};
use crate::shape::BodyPoints;
use rayon::prelude::*;
use sinew_math::{DMat3, DVec3};

/// A time at which a body is held clear.
#[derive(Debug, Clone, Copy)]
pub(super) struct ContactTime {
    pub secs: f64,
    /// Time share, s.
    pub share_secs: f64,
    pub weights: FrameWeights,
}

impl ContactTime {
    pub(super) fn new(times_secs: &[f64], secs: f64, share_secs: f64) -> Self {
        Self { secs, share_secs, weights: frame_weights(times_secs, secs) }
    }

    /// Frames and weights that differ from zero.
    pub(super) fn terms(&self) -> impl Iterator<Item = (usize, f64)> + '_ {
        let terms = self.weights.value.iter().enumerate().filter(|(_, w)| **w != 0.0);
        terms.map(|(n, w)| (self.weights.first + n, *w))
    }

    pub(super) fn place(&self, by_frame: &[Vec<DVec3>], point: usize) -> DVec3 {
        self.terms().fold(DVec3::ZERO, |sum, (frame, w)| sum + by_frame[frame][point] * w)
    }
}

/// Places of points at frames.
pub(super) fn places_by_frame(points: &BodyPoints, y: &[Vec<DVec3>]) -> Vec<Vec<DVec3>> {
    y.par_iter().map(|y| (0..points.len()).map(|point| points.place(point, y)).collect()).collect()
}

/// One contact of a point at a contact time.
#[derive(Debug, Clone, Copy)]
pub(super) struct PointLoad {
    pub time: u32,
    pub point: u32,
    /// Derivative of the energy by the point's place.
    pub force: DVec3,
    /// Second derivative along `normal`.
    pub stiffness: f64,
    pub normal: DVec3,
}

/// Adds derivatives of loads to a gradient in the axes of frames.
pub(super) fn add_gradient(
    points: &BodyPoints,
    times: &[ContactTime],
    loads: &[PointLoad],
    postures: &[Posture],
    gradient: &mut [Vec<DVec3>],
) {
    for load in loads {
        let row = points.functions.row(load.point as usize);
        for (frame, w) in times[load.time as usize].terms() {
            let force = postures[frame].r.transpose() * load.force * w;
            for (node, value) in row.nodes.iter().zip(row.values) {
                gradient[frame][*node as usize] += force * *value;
            }
        }
    }
}

/// Adds second derivatives of loads to a Hessian.
pub(super) fn add_hessian(
    points: &BodyPoints,
    times: &[ContactTime],
    loads: &[PointLoad],
    postures: &[Posture],
    free: &FreeFrames,
    matrix: &mut BlockBanded,
    band: usize,
) {
    let stride = (band + 1) * matrix.size();
    let panels: Vec<&mut [f64]> = matrix.panels_mut().collect();
    panels.into_par_iter().zip(&free.frames).enumerate().for_each(|(column, (panel, frame))| {
        // By point and distance of the later frame: all its contacts together.
        let mut sums: Vec<Option<[DMat3; 4]>> = vec![None; points.len()];
        for load in loads {
            let time = &times[load.time as usize];
            let Some((_, own)) = time.terms().find(|(f, _)| f == frame) else { continue };
            let sum = sums[load.point as usize].get_or_insert([DMat3::ZERO; 4]);
            let square = sinew_math::rotation::outer(load.normal, load.normal) * (load.stiffness * own);
            for (later, w) in time.terms().filter(|(later, _)| later >= frame) {
                sum[later - frame] += square * w;
            }
        }
        for (point, sum) in sums.iter().enumerate() {
            let Some(sum) = sum else { continue };
            let row = points.functions.row(point);
            for (away, stiffness) in sum.iter().enumerate() {
                let Some(position) = free.position.get(frame + away).copied().flatten() else { continue };
                if *stiffness == DMat3::ZERO || position - column > band {
                    continue;
                }
                let turned = postures[frame + away].r.transpose() * *stiffness * postures[*frame].r;
                let block = &mut panel[(position - column) * 3 * postures[*frame].places.len()..];
                for (b, vb) in row.nodes.iter().zip(row.values) {
                    let scaled = turned * *vb;
                    for (a, va) in row.nodes.iter().zip(row.values) {
                        if away == 0 && a < b {
                            continue;
                        }
                        for s in 0..3 {
                            let target = &mut block[(3 * *b as usize + s) * stride + 3 * *a as usize..][..3];
                            let e = scaled.col(s) * *va;
                            target[0] += e.x;
                            target[1] += e.y;
                            target[2] += e.z;
                        }
                    }
                }
            }
        }
    });
}

/// Penalty of a gap below zero and its two derivatives by the depth `g`: `g³/3h`, from `g = h` on its
/// parabola.
pub(super) fn penalty(g: f64, h: f64) -> [f64; 3] {
    if g <= 0.0 {
        [0.0; 3]
    } else if g < h {
        [g * g * g / (3.0 * h), g * g / h, 2.0 * g / h]
    } else {
        [g * g - g * h + h * h / 3.0, 2.0 * g - h, 2.0]
    }
}
