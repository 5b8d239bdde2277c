//! Catmull–Rom tangents on unequal times, and the Hermite cubics between them.
//!
//! Adams et al. 2009, §6.1, as corrected for unequal frames: the tangent of a frame is the slope of the
//! parabola through it and its two neighbours. The first and last frame take the slope to their only
//! neighbour.

use sinew_math::DVec3;

/// Value and time derivative of a cubic as weights on values at frames.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FrameWeights {
    /// First of the four frames; weights of frames that do not exist are zero.
    pub first: usize,
    pub value: [f64; 4],
    /// Per second.
    pub rate: [f64; 4],
}

/// Weights of frames in the tangent at one frame: those of the frame before, of itself and of the frame
/// after, per second.
pub fn tangent_weights(times_secs: &[f64], frame: usize) -> [f64; 3] {
    let before = frame.checked_sub(1).map(|before| times_secs[frame] - times_secs[before]);
    let after = times_secs.get(frame + 1).map(|after| after - times_secs[frame]);
    match (before, after) {
        (Some(b), Some(a)) => {
            let (forward, backward) = (b / (a * (a + b)), a / (b * (a + b)));
            [-backward, backward - forward, forward]
        }
        (Some(b), None) => [-1.0 / b, 1.0 / b, 0.0],
        (None, Some(a)) => [0.0, -1.0 / a, 1.0 / a],
        (None, None) => [0.0; 3],
    }
}

/// The cubic at a time as weights on frames. Times outside the frames give the nearest end, at rest.
pub fn frame_weights(times_secs: &[f64], at_secs: f64) -> FrameWeights {
    let count = times_secs.len();
    let still = |frame: usize| {
        let first = frame.saturating_sub(1);
        let mut value = [0.0; 4];
        value[frame - first] = 1.0;
        FrameWeights { first, value, rate: [0.0; 4] }
    };
    let after = times_secs.partition_point(|time| *time <= at_secs);
    if after == 0 || count < 2 {
        return still(0);
    }
    if after == count {
        let end = still(count - 1);
        return if at_secs > times_secs[count - 1] { end } else { at_end(times_secs, end) };
    }
    let frame = after - 1;
    let h = times_secs[after] - times_secs[frame];
    let s = (at_secs - times_secs[frame]) / h;
    let (values, rates) = hermite_weights(s, h);
    let (from, to) = (tangent_weights(times_secs, frame), tangent_weights(times_secs, after));
    let first = frame.saturating_sub(1);
    let mut weights = FrameWeights { first, value: [0.0; 4], rate: [0.0; 4] };
    let mut add = |at: isize, n: usize, tangent: f64, start: bool| {
        if tangent != 0.0 || n == 1 {
            let slot = (at - first as isize) as usize;
            let [v, r] = if start { [values[1], rates[1]] } else { [values[3], rates[3]] };
            weights.value[slot] += v * tangent;
            weights.rate[slot] += r * tangent;
        }
    };
    for n in 0..3 {
        add(frame as isize + n as isize - 1, n, from[n], true);
        add(after as isize + n as isize - 1, n, to[n], false);
    }
    for (at, n) in [(frame, 0), (after, 2)] {
        weights.value[at - first] += values[n];
        weights.rate[at - first] += rates[n];
    }
    weights
}

/// At the last frame itself the rate is that of its tangent.
fn at_end(times_secs: &[f64], mut end: FrameWeights) -> FrameWeights {
    let last = times_secs.len() - 1;
    let tangent = tangent_weights(times_secs, last);
    end.rate[last - end.first] = tangent[1];
    end.rate[last - 1 - end.first] = tangent[0];
    end
}

/// Weights of (value, tangent) at the start and (value, tangent) at the end, of a cubic and of its rate, at
/// share `s` of a segment of length `h`.
fn hermite_weights(s: f64, h: f64) -> ([f64; 4], [f64; 4]) {
    let (s2, s3) = (s * s, s * s * s);
    let value = [2.0 * s3 - 3.0 * s2 + 1.0, h * (s3 - 2.0 * s2 + s), 3.0 * s2 - 2.0 * s3, h * (s3 - s2)];
    let rate = [(6.0 * s2 - 6.0 * s) / h, 3.0 * s2 - 4.0 * s + 1.0, (6.0 * s - 6.0 * s2) / h, 3.0 * s2 - 2.0 * s];
    (value, rate)
}

impl FrameWeights {
    /// The value at frames given as a function.
    pub fn value_of(&self, count: usize, at: impl Fn(usize) -> DVec3) -> DVec3 {
        blend(&self.value, self.first, count, at)
    }

    /// The rate at frames given as a function.
    pub fn rate_of(&self, count: usize, at: impl Fn(usize) -> DVec3) -> DVec3 {
        blend(&self.rate, self.first, count, at)
    }
}

fn blend(weights: &[f64; 4], first: usize, count: usize, at: impl Fn(usize) -> DVec3) -> DVec3 {
    let frames = (first..count).take(4);
    frames.zip(weights).filter(|(_, w)| **w != 0.0).fold(DVec3::ZERO, |sum, (frame, w)| sum + at(frame) * *w)
}

/// A cubic by its Bézier control points: it stays within their hull.
pub fn bezier_points(start: DVec3, start_rate: DVec3, end: DVec3, end_rate: DVec3, h_secs: f64) -> [DVec3; 4] {
    [start, start + start_rate * (h_secs / 3.0), end - end_rate * (h_secs / 3.0), end]
}
