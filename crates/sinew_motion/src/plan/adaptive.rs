//! Frames where a motion needs them.
//!
//! Adams et al. 2009, §6.4: begin with the keys as frames, solve, look at ten times in every interval, insert
//! a frame where the error is worst, begin there with the interpolated pose, and solve again. Departures: the
//! error is the excess of the elastic energy over that of the neighbouring frames, because by its value alone
//! frames gather at strained keys until the system is singular; all intervals at least half as bad as the
//! worst get a frame at once; and no interval becomes shorter than a share of the mean.

use crate::energy::Elastic;
use crate::interpolation::{BodyMotion, MotionCurve};
use crate::shape::PlanShape;
use rayon::prelude::*;

/// Times looked at in an interval.
const TIMES: usize = 10;

/// Excess of the mean elastic energy in every interval, and where it is largest.
pub(super) fn interval_errors(
    shape: &PlanShape,
    elastic: &Elastic,
    motion: &BodyMotion,
    curve: &MotionCurve,
) -> Vec<(f64, f64)> {
    let energy = |secs: f64| -> f64 {
        let [strain, volume] = shape.elastic.values(elastic, &curve.places_at(secs));
        strain + volume
    };
    let at_frames: Vec<f64> = motion.times_secs.iter().map(|secs| energy(*secs)).collect();
    (0..motion.times_secs.len().saturating_sub(1))
        .into_par_iter()
        .map(|n| {
            let (from, to) = (motion.times_secs[n], motion.times_secs[n + 1]);
            let level = at_frames[n].max(at_frames[n + 1]);
            let errors = (1..=TIMES).map(|k| {
                let secs = from + (to - from) * k as f64 / (TIMES + 1) as f64;
                (energy(secs) - level, secs)
            });
            errors.fold((f64::NEG_INFINITY, from), |worst, now| if now.0 > worst.0 { now } else { worst })
        })
        .collect()
}

/// Times with frames inserted where the error exceeds the tolerance; none where it does nowhere or there are
/// enough.
pub(super) fn with_frames(times: &[f64], errors: &[(f64, f64)], tolerance: f64, most: usize) -> Option<Vec<f64>> {
    let room = most.saturating_sub(times.len());
    let duration = times[times.len() - 1] - times[0];
    // A quarter of the mean interval of a plan with all its frames.
    let shortest = 0.25 * duration / most.max(2) as f64;
    let worst = errors.iter().map(|error| error.0).fold(0.0, f64::max);
    let mut wanted: Vec<(f64, f64)> = Vec::new();
    for (n, (error, secs)) in errors.iter().enumerate() {
        let (from, to) = (times[n], times[n + 1]);
        if *error > tolerance && *error >= 0.5 * worst && to - from > 2.0 * shortest {
            let middle = secs.clamp(from + 0.3 * (to - from), to - 0.3 * (to - from));
            wanted.push((*error, middle));
        }
    }
    wanted.sort_by(|a, b| b.0.total_cmp(&a.0));
    wanted.truncate(room);
    if wanted.is_empty() {
        return None;
    }
    let mut all = times.to_vec();
    all.extend(wanted.iter().map(|(_, secs)| *secs));
    all.sort_by(f64::total_cmp);
    Some(all)
}
