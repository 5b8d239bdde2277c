//! Where the surface of a body may be within an interval of time.
//!
//! | here | meaning |
//! |------|---------|
//! | `centre` | Bézier points of c(t) over a frame interval |
//! | `arms` | of a(t) for each vertex: c(t) + R(t) a(t) + e(t) is its place |
//! | `drift` | of e(t); zero where the detail is kept in the body's frame, as it usually is |
//! | `first`, `middle`, `last` | angles of the three turns that R is made of |
//!
//! Kim, Kim, Shin 1995: R(t) = R₀ exp(ω₁β₁) exp(ω₂β₂) exp(ω₃β₃), so that |ω(t)| ≤ Σ |ωₖ| β̇ₖ(t).

use super::surface::SurfaceTree;
use super::{CertificateError, CertifiedBody};
use crate::interpolation::{DetailFrame, MotionCurve};
use sinew_math::rotation::outer;
use sinew_math::rotation_curve::{exp, log, turn_angle};
use sinew_math::{DMat3, DVec3};
use std::sync::OnceLock;

/// A cubic by its Bézier points.
pub(super) type Cubic = [DVec3; 4];

/// A body's surface over all time.
pub(super) struct BodyPath<'a> {
    pub surface: &'a SurfaceTree,
    pub curve: &'a MotionCurve,
    /// One for each interval between frames, and the ends, at which the body stands still.
    segments: Vec<Segment>,
}

/// Between two frames.
pub(super) struct Segment {
    /// A still segment has no end, or no beginning.
    pub from_secs: f64,
    pub to_secs: f64,
    centre: Cubic,
    /// Radii of the ball about the centre that holds the surface. No more than that.
    pub ball_m: f64,
    node_arms: Vec<Cubic>,
    node_drift: Option<Vec<Cubic>>,
    angles: [f64; 3],
    detail: OnceLock<Detail>,
}

/// What is computed where a body comes near something.
pub(super) struct Detail {
    arms: Vec<Cubic>,
    drift: Option<Vec<Cubic>>,
    /// For each cluster the distance of its points from its vertex, at any time.
    pub radius_m: Vec<f64>,
}

/// A body in the middle of an interval, and what its frame may travel from there.
pub(super) struct Window<'a> {
    pub secs: f64,
    pub segment: &'a Segment,
    pub detail: Option<&'a Detail>,
    pub centre: DVec3,
    /// Of the interval alone.
    pub centre_cubic: Cubic,
    turn: DMat3,
    angle_rad: f64,
    share: f64,
    half_share: f64,
}

impl<'a> BodyPath<'a> {
    pub(super) fn new(number: usize, body: &CertifiedBody<'a>) -> Result<Self, CertificateError> {
        let (surface, curve) = (body.surface, body.curve);
        let motion = curve.places_at(curve.times_secs()[0]).len();
        if motion != surface.node_count {
            return Err(CertificateError::NodeCount { body: number, surface: surface.node_count, motion });
        }
        let times = curve.times_secs();
        let (first, last) = (times[0], times[times.len() - 1]);
        let mut segments = vec![Segment::still(surface, curve, f64::NEG_INFINITY, first)];
        for frame in 0..times.len() - 1 {
            segments.push(
                Segment::between(surface, curve, frame)
                    .map_err(|secs| CertificateError::OtherTurnCurve { body: number, secs })?,
            );
        }
        segments.push(Segment::still(surface, curve, last, f64::INFINITY));
        Ok(Self { surface, curve, segments })
    }

    /// From frame to frame; the one time there is, where there is only one frame.
    pub(super) fn intervals(&self) -> Vec<(f64, f64)> {
        let times = self.curve.times_secs();
        if let [only] = times {
            vec![(*only, *only)]
        } else {
            times.windows(2).map(|pair| (pair[0], pair[1])).collect()
        }
    }

    /// The segment that an interval lies in, which has no frame within it.
    pub(super) fn segment_of(&self, from_secs: f64, to_secs: f64) -> &Segment {
        let secs = if to_secs > from_secs { 0.5 * (from_secs + to_secs) } else { from_secs };
        let after = self.segments.partition_point(|segment| segment.from_secs <= secs);
        &self.segments[after.max(1) - 1]
    }

    pub(super) fn window<'b>(&self, segment: &'b Segment, from_secs: f64, to_secs: f64, fine: bool) -> Window<'b> {
        let secs = 0.5 * (from_secs + to_secs);
        let share_of = |secs: f64| segment.share(secs);
        let (from, to) = (share_of(from_secs), share_of(to_secs));
        let share = 0.5 * (from + to);
        let half_share = 0.5 * (to - from);
        Window {
            secs,
            segment,
            detail: fine.then(|| segment.detail.get_or_init(|| Detail::of(self.surface, segment))),
            centre: at(&segment.centre, share),
            centre_cubic: restricted(&segment.centre, from, to),
            turn: DMat3::from_quat(self.curve.rigid_at(secs).turn),
            angle_rad: segment.angle_rate(from, to) * half_share,
            share,
            half_share,
        }
    }

    /// Places of all vertices at a time.
    pub(super) fn places_at(&self, secs: f64) -> Vec<DVec3> {
        let nodes = self.curve.places_at(secs);
        (0..self.surface.rest.len()).map(|vertex| self.surface.sum(vertex, &nodes)).collect()
    }
}

impl Segment {
    fn still(surface: &SurfaceTree, curve: &MotionCurve, from_secs: f64, to_secs: f64) -> Self {
        let secs = if from_secs.is_finite() { from_secs } else { to_secs };
        let rigid = curve.rigid_at(secs);
        let back = rigid.turn.conjugate();
        let node_arms: Vec<Cubic> = curve.places_at(secs).iter().map(|y| [back * (*y - rigid.centre); 4]).collect();
        let ball_m = ball(surface, &node_arms);
        let centre = [rigid.centre; 4];
        let (node_drift, detail) = (None, OnceLock::new());
        Self { from_secs, to_secs, centre, ball_m, node_arms, node_drift, angles: [0.0; 3], detail }
    }

    /// Between a frame and the next. Fails with a time at which the rotation is not the curve that is bounded
    /// here.
    fn between(surface: &SurfaceTree, curve: &MotionCurve, frame: usize) -> Result<Self, f64> {
        let (from_secs, to_secs) = (curve.times_secs()[frame], curve.times_secs()[frame + 1]);
        let (centre, details) = curve.segment_control_points(frame);
        let (node_arms, node_drift) = match curve.detail_frame() {
            DetailFrame::Body => (details, None),
            DetailFrame::World => {
                let mean = rest_centre(surface, curve, frame);
                (surface.node_rest.iter().map(|x| [*x - mean; 4]).collect(), Some(details))
            }
        };
        let drift_m = node_drift.as_ref().map_or(0.0, |drift| ball(surface, drift));
        let ball_m = ball(surface, &node_arms) + drift_m;
        let angles = angles(curve, frame)?;
        Ok(Self { from_secs, to_secs, centre, ball_m, node_arms, node_drift, angles, detail: OnceLock::new() })
    }

    fn share(&self, secs: f64) -> f64 {
        let length = self.to_secs - self.from_secs;
        if length.is_finite() { ((secs - self.from_secs) / length).clamp(0.0, 1.0) } else { 0.0 }
    }

    /// Radians per share of the segment, at most, between two shares of it.
    fn angle_rate(&self, from: f64, to: f64) -> f64 {
        let [first, middle, last] = self.angles;
        let most_middle = 0.5f64.clamp(from, to);
        3.0 * first * (1.0 - from).powi(2) + 6.0 * middle * most_middle * (1.0 - most_middle) + 3.0 * last * to.powi(2)
    }
}

/// The mean of the rest shape about which a motion in the world's frame turns: y = c + R (x − c0) + d.
fn rest_centre(surface: &SurfaceTree, curve: &MotionCurve, frame: usize) -> DVec3 {
    let secs = curve.times_secs()[frame];
    let (rigid, places) = (curve.rigid_at(secs), curve.places_at(secs));
    let (_, details) = curve.segment_control_points(frame);
    surface.node_rest[0] - rigid.turn.conjugate() * (places[0] - rigid.centre - details[0][0])
}

/// |ω₁|, |ω₂|, |ω₃| of a segment of [`sinew_math::RotationCurve`], which is checked to be the curve.
fn angles(curve: &MotionCurve, frame: usize) -> Result<[f64; 3], f64> {
    /// The spin of a frame is read from the curve just before it, which is off by so much at most.
    const READING: f64 = 1e-6;
    let (from, to) = (curve.times_secs()[frame], curve.times_secs()[frame + 1]);
    let length = to - from;
    let (start, end) = (curve.turns()[frame], curve.turns()[frame + 1]);
    let spin = |secs: f64| curve.rigid_at(secs).spin;
    let first = start.conjugate() * spin(from) * (length / 3.0);
    let last = end.conjugate() * spin(to - 1e-9 * length) * (length / 3.0);
    let middle = log(exp(-first) * start.conjugate() * end * exp(-last));
    for t in [0.25, 0.5, 0.75] {
        let s = 1.0 - t;
        let [b1, b2, b3] = [1.0 - s * s * s, t * t * (3.0 - 2.0 * t), t * t * t];
        let turn = start * exp(first * b1) * exp(middle * b2) * exp(last * b3);
        let secs = from + t * length;
        if turn_angle(turn.conjugate() * curve.rigid_at(secs).turn) > READING {
            return Err(secs);
        }
    }
    Ok([first, middle, last].map(|turn| turn.length() * (1.0 + READING) + READING * READING))
}

impl Detail {
    fn of(surface: &SurfaceTree, segment: &Segment) -> Self {
        let of_all = |nodes: &Vec<Cubic>| -> Vec<Cubic> {
            (0..surface.rest.len()).map(|vertex| surface.cubic(vertex, nodes)).collect()
        };
        let arms = of_all(&segment.node_arms);
        let drift = segment.node_drift.as_ref().map(of_all);
        let squared = |cubics: &[Cubic], a: u32, b: u32| {
            let (a, b) = (&cubics[a as usize], &cubics[b as usize]);
            (0..4).map(|n| a[n].distance_squared(b[n])).fold(0.0, f64::max)
        };
        let radius = |number: usize| {
            let vertex = surface.clusters[number].vertex;
            let farthest = |cubics: &[Cubic]| {
                let members = surface.members(number).iter();
                members.map(|member| squared(cubics, vertex, *member)).fold(0.0, f64::max).sqrt()
            };
            farthest(&arms) + drift.as_ref().map_or(0.0, |drift| farthest(drift))
        };
        let radius_m = (0..surface.clusters.len()).map(radius).collect();
        Self { arms, drift, radius_m }
    }
}

impl Window<'_> {
    /// Place of a vertex in the middle of the interval, and what it may travel from there besides the centre.
    pub(super) fn place_and_travel(&self, vertex: u32) -> (DVec3, f64) {
        let Some(detail) = self.detail else { return (self.centre, self.segment.ball_m) };
        let cubic = &detail.arms[vertex as usize];
        let arm = at(cubic, self.share);
        let mut place = self.centre + self.turn * arm;
        let mut travel_m = self.angle_rad.min(2.0) * arm.length() + self.half_share * rate(cubic);
        if let Some(drift) = &detail.drift {
            let cubic = &drift[vertex as usize];
            place += at(cubic, self.share);
            travel_m += self.half_share * rate(cubic);
        }
        (place, travel_m)
    }

    /// What the centre may travel from the middle.
    pub(super) fn shift_m(&self) -> f64 {
        shift(&self.centre_cubic)
    }
}

/// Farthest that a cubic gets from its middle.
pub(super) fn shift(cubic: &Cubic) -> f64 {
    let middle = at(cubic, 0.5);
    let halves = [restricted(cubic, 0.0, 0.5), restricted(cubic, 0.5, 1.0)];
    halves.iter().flatten().map(|point| point.distance(middle)).fold(0.0, f64::max)
}

/// The longest of the vertices' Bézier points, or more. The functions carry linear fields exactly: with the
/// linear fit F x + b of the nodes' points, a vertex has F x + b and Σ Φᵢ times what the fit leaves over.
fn ball(surface: &SurfaceTree, nodes: &[Cubic]) -> f64 {
    let share = 1.0 / nodes.len() as f64;
    let middle = surface.node_rest.iter().sum::<DVec3>() * share;
    let square = surface.node_rest.iter().fold(DMat3::ZERO, |sum, x| sum + outer(*x - middle, *x - middle));
    let inverse = square.inverse();
    let point_m = |n: usize| {
        let mean = nodes.iter().map(|points| points[n]).sum::<DVec3>() * share;
        let terms = surface.node_rest.iter().zip(nodes);
        let slope = terms.fold(DMat3::ZERO, |sum, (x, points)| sum + outer(points[n], *x - middle)) * inverse;
        let fit = |x: &DVec3| mean + slope * (*x - middle);
        let left =
            surface.node_rest.iter().zip(nodes).map(|(x, points)| points[n].distance(fit(x))).fold(0.0, f64::max);
        surface.rest.iter().map(|x| fit(x).length()).fold(0.0, f64::max) + surface.amplification * left
    };
    (0..4).map(point_m).fold(0.0, f64::max)
}

/// A cubic's rate per share, at most.
fn rate(cubic: &Cubic) -> f64 {
    3.0 * (0..3).map(|n| cubic[n].distance(cubic[n + 1])).fold(0.0, f64::max)
}

fn at(cubic: &Cubic, t: f64) -> DVec3 {
    blossom(cubic, t, t, t)
}

/// The part of a cubic between two shares of it.
fn restricted(cubic: &Cubic, from: f64, to: f64) -> Cubic {
    [(from, from, from), (from, from, to), (from, to, to), (to, to, to)].map(|(a, b, c)| blossom(cubic, a, b, c))
}

/// The polar form of a cubic.
fn blossom(cubic: &Cubic, a: f64, b: f64, c: f64) -> DVec3 {
    let [p, q, r, s] = *cubic;
    let (pq, qr, rs) = (p.lerp(q, a), q.lerp(r, a), r.lerp(s, a));
    pq.lerp(qr, b).lerp(qr.lerp(rs, b), c)
}
