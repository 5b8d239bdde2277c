//! Two bodies.
//!
//! Surfaces that are apart at one time, and whose triangles never touch after it, stay apart.

use super::path::{BodyPath, Cubic, Segment, Window, shift};
use super::surface::Content;
use super::triangle_gap::triangle_gap;
use super::{Certificate, CertificateOptions, Met, Objection, Verdict, depth};
use rayon::prelude::*;
use std::collections::VecDeque;

/// An interval, and the pairs of clusters that are not clear in it.
struct Open {
    from_secs: f64,
    to_secs: f64,
    halvings: u32,
    pairs: Vec<[u32; 2]>,
}

struct PairProof<'a> {
    paths: [&'a BodyPath<'a>; 2],
    tolerance_m: f64,
    tests: u32,
}

pub(super) fn certify(all: &[BodyPath<'_>], bodies: [usize; 2], options: &CertificateOptions) -> Certificate {
    let paths = bodies.map(|body| &all[body]);
    let size_m = paths[0].surface.size_m.min(paths[1].surface.size_m);
    let tolerance_m = options.tolerance * size_m;
    let objection = |secs: f64, interval: [f64; 2], is_open: bool| {
        let (secs, depth_m) = depth::between_bodies(paths, secs, interval);
        let undecided = is_open && depth_m <= tolerance_m;
        Objection { secs, body: bodies[0], other: Met::Body(bodies[1]), depth_m, undecided }
    };
    let times = times(paths);
    let within = is_within(paths, times[0]).then(|| objection(times[0], [times[0]; 2], false));
    let ends = if times.len() == 1 { vec![times[0]; 2] } else { times };
    let part = |interval: &[f64]| {
        let mut proof = PairProof { paths, tolerance_m, tests: 0 };
        let interval = [interval[0], interval[1]];
        let found = match proof.prove(interval[0], interval[1], options) {
            Verdict::Clear => None,
            Verdict::Hit { secs, .. } => Some(objection(secs, interval, false)),
            Verdict::Undecided { secs } => Some(objection(secs, interval, true)),
        };
        (found, proof.tests)
    };
    let mut parts = vec![(within, 0)];
    parts.extend(ends.par_windows(2).map(part).collect::<Vec<_>>());
    Certificate::of(parts)
}

/// Frames of both, in order. Before its first and after its last a body stands still.
fn times(paths: [&BodyPath<'_>; 2]) -> Vec<f64> {
    let mut times: Vec<f64> = paths.iter().flat_map(|path| path.curve.times_secs()).copied().collect();
    times.sort_by(f64::total_cmp);
    times.dedup();
    times
}

/// Whether one body's surface lies in the other.
fn is_within(paths: [&BodyPath<'_>; 2], secs: f64) -> bool {
    let [a, b] = paths.map(|path| path.window(path.segment_of(secs, secs), secs, secs, false));
    let is_near = a.centre.distance(b.centre) < a.segment.ball_m + b.segment.ball_m;
    is_near && depth::vertex_depth(paths, secs) > 0.0
}

impl PairProof<'_> {
    fn prove(&mut self, from_secs: f64, to_secs: f64, options: &CertificateOptions) -> Verdict {
        if self.paths.iter().any(|path| path.surface.clusters.is_empty()) {
            return Verdict::Clear;
        }
        let segments = self.paths.map(|path| path.segment_of(from_secs, to_secs));
        let mut queue = VecDeque::from([Open { from_secs, to_secs, halvings: 0, pairs: vec![[0, 0]] }]);
        while let Some(open) = queue.pop_front() {
            let secs = 0.5 * (open.from_secs + open.to_secs);
            let Ok(late) = self.not_clear(segments, &open) else { return Verdict::Hit { secs, depth_m: 0.0 } };
            if late.is_empty() {
                continue;
            }
            if open.halvings >= options.most_halvings || self.tests >= options.most_tests || from_secs == to_secs {
                return Verdict::Undecided { secs };
            }
            let halvings = open.halvings + 1;
            queue.push_back(Open { from_secs: open.from_secs, to_secs: secs, halvings, pairs: late.clone() });
            queue.push_back(Open { from_secs: secs, to_secs: open.to_secs, halvings, pairs: late });
        }
        Verdict::Clear
    }

    fn windows<'b>(&self, segments: [&'b Segment; 2], open: &Open, fine: bool) -> [Window<'b>; 2] {
        [0, 1].map(|n| self.paths[n].window(segments[n], open.from_secs, open.to_secs, fine))
    }

    /// Of an interval's pairs those, or parts of them, that may meet within it; an error if triangles cross
    /// in the middle.
    fn not_clear(&mut self, segments: [&Segment; 2], open: &Open) -> Result<Vec<[u32; 2]>, ()> {
        if open.pairs == [[0, 0]] {
            self.tests += 1;
            let [a, b] = self.windows(segments, open, false);
            let (apart_m, balls_m) = (a.centre.distance(b.centre), segments[0].ball_m + segments[1].ball_m);
            let need_m = relative_shift(&a, &b);
            if apart_m > balls_m + need_m {
                return Ok(Vec::new());
            }
            if need_m > balls_m {
                return Ok(vec![[0, 0]]);
            }
        }
        let windows = self.windows(segments, open, true);
        let [Some(detail_a), Some(detail_b)] = [windows[0].detail, windows[1].detail] else {
            return Ok(open.pairs.clone());
        };
        let shift_m = relative_shift(&windows[0], &windows[1]);
        let mut work: Vec<[u32; 2]> = open.pairs.iter().rev().copied().collect();
        let mut late = Vec::new();
        while let Some([a, b]) = work.pop() {
            self.tests += 1;
            let clusters = [&self.paths[0].surface.clusters[a as usize], &self.paths[1].surface.clusters[b as usize]];
            let radius_m = [detail_a.radius_m[a as usize], detail_b.radius_m[b as usize]];
            let (place_a, own_a) = windows[0].place_and_travel(clusters[0].vertex);
            let (place_b, own_b) = windows[1].place_and_travel(clusters[1].vertex);
            let need_m = shift_m + own_a + own_b;
            if place_a.distance(place_b) + self.tolerance_m > radius_m[0] + radius_m[1] + need_m {
                continue;
            }
            match (clusters[0].content, clusters[1].content) {
                (Content::Triangle(first), Content::Triangle(second)) => {
                    match self.gap(&windows, [first, second], shift_m) {
                        Gap::Clear => {}
                        Gap::Close => late.push([a, b]),
                        Gap::Crossing => return Err(()),
                    }
                }
                _ if radius_m[0] + radius_m[1] <= need_m => late.push([a, b]),
                (Content::Clusters(children), other) if radius_m[0] >= radius_m[1] || is_triangle(other) => {
                    work.extend([[children[1], b], [children[0], b]]);
                }
                (_, Content::Clusters(children)) => work.extend([[a, children[1]], [a, children[0]]]),
                (Content::Clusters(children), _) => work.extend([[children[1], b], [children[0], b]]),
            }
        }
        Ok(late)
    }

    fn gap(&self, windows: &[Window<'_>; 2], triangles: [u32; 2], shift_m: f64) -> Gap {
        let corners = [0, 1].map(|n| {
            self.paths[n].surface.triangles[triangles[n] as usize].map(|vertex| windows[n].place_and_travel(vertex))
        });
        let own_m = corners.map(|corners| corners.iter().map(|(_, travel_m)| *travel_m).fold(0.0, f64::max));
        let [a, b] = corners.map(|corners| corners.map(|(place, _)| place));
        let gap_m = triangle_gap(&a, &b);
        if gap_m <= 0.0 {
            Gap::Crossing
        } else if gap_m > shift_m + own_m[0] + own_m[1] {
            Gap::Clear
        } else {
            Gap::Close
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Gap {
    Clear,
    Close,
    Crossing,
}

fn is_triangle(content: Content) -> bool {
    matches!(content, Content::Triangle(_))
}

/// Farthest that the centres get from where they are to one another in the middle.
fn relative_shift(a: &Window<'_>, b: &Window<'_>) -> f64 {
    let between: Cubic = std::array::from_fn(|n| b.centre_cubic[n] - a.centre_cubic[n]);
    shift(&between)
}
