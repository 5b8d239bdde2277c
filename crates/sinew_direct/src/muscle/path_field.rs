//! Fields about a polyline through the rest shape: rings around a bent tube, waves along it.

use sinew_math::{DMat3, DVec3};

/// A polyline in rest coordinates, with at least one point.
#[derive(Debug, Clone, PartialEq)]
pub struct PathLine {
    points: Vec<DVec3>,
    /// Length up to each point.
    lengths: Vec<f64>,
}

/// The place of a path that is nearest to a point.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Nearest {
    at: DVec3,
    along: DVec3,
    /// Share of the path's length up to there.
    share: f64,
}

impl PathLine {
    /// None for a path without points.
    pub fn new(points: Vec<DVec3>) -> Option<Self> {
        let mut lengths = vec![0.0];
        for pair in points.windows(2) {
            lengths.push(lengths.last().copied().unwrap_or(0.0) + pair[0].distance(pair[1]));
        }
        (!points.is_empty()).then_some(Self { points, lengths })
    }

    /// Share of the path's length at its place nearest to a point, 0 to 1.
    pub fn share(&self, x: DVec3) -> f64 {
        self.nearest(x).share
    }

    /// How far a point is from the path.
    pub fn distance(&self, x: DVec3) -> f64 {
        self.nearest(x).at.distance(x)
    }

    /// Rings about the path: around it, away from it, along it. Directions along the path change smoothly from the middle
    /// of one piece to the middle of the next.
    pub fn ring_frame(&self, x: DVec3) -> DMat3 {
        let nearest = self.nearest(x);
        let along = nearest.along;
        let arm = x - nearest.at;
        let out = (arm - along * arm.dot(along)).try_normalize().unwrap_or_else(|| along.any_orthonormal_vector());
        let around = along.cross(out);
        DMat3::from_cols(around, out, around.cross(out))
    }

    fn nearest(&self, x: DVec3) -> Nearest {
        let mut best = (f64::INFINITY, 0, 0.0);
        for (n, pair) in self.points.windows(2).enumerate() {
            let piece = pair[1] - pair[0];
            let t = ((x - pair[0]).dot(piece) / piece.length_squared().max(f64::MIN_POSITIVE)).clamp(0.0, 1.0);
            let squared = (pair[0] + piece * t).distance_squared(x);
            if squared < best.0 {
                best = (squared, n, t);
            }
        }
        let (_, n, t) = best;
        let Some(pair) = self.points.get(n..n + 2) else {
            return Nearest { at: self.points[0], along: DVec3::X, share: 0.0 };
        };
        let total = self.lengths.last().copied().unwrap_or(0.0).max(f64::MIN_POSITIVE);
        let share = (self.lengths[n] + t * (self.lengths[n + 1] - self.lengths[n])) / total;
        Nearest { at: pair[0].lerp(pair[1], t), along: self.direction(n, t), share }
    }

    fn direction(&self, n: usize, t: f64) -> DVec3 {
        let of = |n: usize| (self.points[n + 1] - self.points[n]).normalize_or_zero();
        let last = self.points.len() - 2;
        let (from, to, t) = if t < 0.5 { (n.saturating_sub(1), n, t + 0.5) } else { (n, (n + 1).min(last), t - 0.5) };
        of(from).lerp(of(to), t).try_normalize().unwrap_or(DVec3::X)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sinew_math::dvec3;

    fn bend() -> PathLine {
        PathLine::new(vec![DVec3::ZERO, dvec3(1.0, 0.0, 0.0), dvec3(1.0, 1.0, 0.0)]).unwrap()
    }

    #[test]
    fn shares_count_length_around_the_corner() {
        assert!((bend().share(dvec3(0.5, 0.1, 0.0)) - 0.25).abs() < 1e-12);
        assert!((bend().share(dvec3(1.2, 0.5, 0.3)) - 0.75).abs() < 1e-12);
        assert_eq!(bend().share(dvec3(1.0, 9.0, 0.0)), 1.0);
    }

    #[test]
    fn rings_run_around_the_path_and_frames_are_orthonormal() {
        for x in [dvec3(0.5, 0.1, 0.0), dvec3(1.1, 0.5, 0.2), dvec3(0.9, 0.2, -0.1), DVec3::ZERO] {
            let frame = bend().ring_frame(x);
            let off = (frame.transpose() * frame - DMat3::IDENTITY).to_cols_array();
            assert!(off.iter().all(|c| c.abs() < 1e-12), "{x}");
        }
        let frame = bend().ring_frame(dvec3(0.5, 0.1, 0.0));
        assert!(frame.x_axis.dot(DVec3::X).abs() < 1e-12 && frame.y_axis.distance(DVec3::Y) < 1e-12);
    }

    #[test]
    fn a_path_needs_a_point_and_one_is_enough() {
        assert!(PathLine::new(Vec::new()).is_none());
        assert_eq!(PathLine::new(vec![DVec3::ONE]).unwrap().share(DVec3::ZERO), 0.0);
    }
}
