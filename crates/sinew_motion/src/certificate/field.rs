//! One body and one obstacle.

use super::path::{BodyPath, Segment, Window};
use super::surface::Content;
use super::{
    Certificate, CertificateError, CertificateOptions, CertifiedObstacle, Met, Objection, ObstacleTravel, Verdict,
    depth,
};
use rayon::prelude::*;
use sinew_math::DVec3;
use std::collections::VecDeque;

/// An interval, and the clusters that are not clear in it.
struct Open {
    from_secs: f64,
    to_secs: f64,
    halvings: u32,
    clusters: Vec<u32>,
}

/// What a triangle is before a field.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Facing {
    Clear,
    /// Nearer than what can be travelled.
    Close,
    Inside {
        depth_m: f64,
    },
}

struct FieldProof<'a> {
    path: &'a BodyPath<'a>,
    obstacle: &'a CertifiedObstacle<'a>,
    tolerance_m: f64,
    tests: u32,
    not_a_number: Option<(DVec3, f64)>,
}

pub(super) fn certify(
    paths: &[BodyPath<'_>],
    body: usize,
    number: usize,
    obstacle: &CertifiedObstacle<'_>,
    options: &CertificateOptions,
) -> Result<Certificate, CertificateError> {
    let path = &paths[body];
    let tolerance_m = options.tolerance * path.surface.size_m;
    let part = |(from, to): (f64, f64)| {
        let mut proof = FieldProof { path, obstacle, tolerance_m, tests: 0, not_a_number: None };
        let verdict = proof.prove(from, to, options);
        if let Some((place, secs)) = proof.not_a_number {
            return Err(CertificateError::NotANumber { obstacle: number, place, secs });
        }
        let (secs, found_m, undecided) = match verdict {
            Verdict::Clear => return Ok((None, proof.tests)),
            Verdict::Hit { secs, depth_m } => (secs, depth_m, false),
            Verdict::Undecided { secs } => (secs, 0.0, true),
        };
        let (secs, depth_m) = depth::in_obstacle(path, obstacle, (secs, found_m), [from, to]);
        let undecided = undecided && depth_m <= tolerance_m;
        Ok((Some(Objection { secs, body, other: Met::Obstacle(number), depth_m, undecided }), proof.tests))
    };
    let parts: Vec<(Option<Objection>, u32)> = path.intervals().into_par_iter().map(part).collect::<Result<_, _>>()?;
    Ok(Certificate::of(parts))
}

impl FieldProof<'_> {
    /// Coarse intervals first, so that what is deep inside is found before what is close is cut fine.
    fn prove(&mut self, from_secs: f64, to_secs: f64, options: &CertificateOptions) -> Verdict {
        if self.path.surface.clusters.is_empty() {
            return Verdict::Clear;
        }
        let segment = self.path.segment_of(from_secs, to_secs);
        let mut queue = VecDeque::from([Open { from_secs, to_secs, halvings: 0, clusters: vec![0] }]);
        while let Some(open) = queue.pop_front() {
            let secs = 0.5 * (open.from_secs + open.to_secs);
            let travel = self.obstacle.travel.map_or(ObstacleTravel::default(), |of| of(open.from_secs, open.to_secs));
            let late = match self.not_clear(segment, &open, &travel) {
                Ok(late) => late,
                Err(depth_m) => return Verdict::Hit { secs, depth_m },
            };
            if self.not_a_number.is_some() {
                return Verdict::Undecided { secs };
            }
            if late.is_empty() {
                continue;
            }
            if open.halvings >= options.most_halvings || self.tests >= options.most_tests || from_secs == to_secs {
                return Verdict::Undecided { secs };
            }
            let halvings = open.halvings + 1;
            queue.push_back(Open { from_secs: open.from_secs, to_secs: secs, halvings, clusters: late.clone() });
            queue.push_back(Open { from_secs: secs, to_secs: open.to_secs, halvings, clusters: late });
        }
        Verdict::Clear
    }

    /// Of an interval's clusters those, or parts of them, that may reach the obstacle within it; a depth if
    /// one is inside in the middle.
    fn not_clear(&mut self, segment: &Segment, open: &Open, travel: &ObstacleTravel) -> Result<Vec<u32>, f64> {
        if open.clusters == [0] {
            // The ball about the whole body needs no places of vertices.
            let window = self.path.window(segment, open.from_secs, open.to_secs, false);
            let distance = self.distance(window.centre, window.secs);
            let need_m = self.need(window.shift_m(), window.centre, segment.ball_m, travel);
            if distance + self.tolerance_m > segment.ball_m + need_m {
                return Ok(Vec::new());
            }
            if need_m > segment.ball_m && distance > -self.tolerance_m && open.to_secs > open.from_secs {
                return Ok(vec![0]);
            }
        }
        let window = self.path.window(segment, open.from_secs, open.to_secs, true);
        let Some(detail) = window.detail else { return Ok(open.clusters.clone()) };
        let shift_m = window.shift_m();
        let mut work: Vec<u32> = open.clusters.iter().rev().copied().collect();
        let mut late = Vec::new();
        while let Some(number) = work.pop() {
            let cluster = &self.path.surface.clusters[number as usize];
            let radius_m = detail.radius_m[number as usize];
            let (place, own_m) = window.place_and_travel(cluster.vertex);
            let need_m = self.need(shift_m + own_m, place, radius_m, travel);
            let distance = self.distance(place, window.secs);
            if distance + self.tolerance_m > radius_m + need_m {
                continue;
            }
            if distance < -self.tolerance_m {
                return Err(-distance);
            }
            match cluster.content {
                Content::Clusters(children) if radius_m > need_m => work.extend([children[1], children[0]]),
                Content::Clusters(_) => late.push(number),
                Content::Triangle(triangle) => match self.face(&window, triangle, shift_m, travel) {
                    Facing::Clear => {}
                    Facing::Close => late.push(number),
                    Facing::Inside { depth_m } => return Err(depth_m),
                },
            }
        }
        Ok(late)
    }

    /// What must be left of a distance at a place: movement of the body there, of the obstacle, and of the
    /// obstacle where the body moves to.
    fn need(&self, own_m: f64, place: DVec3, radius_m: f64, travel: &ObstacleTravel) -> f64 {
        own_m + travel.shift_m + travel.angle_rad * (place.distance(travel.about) + radius_m + own_m)
    }

    /// A triangle cut in four until its parts are smaller than what can be travelled.
    fn face(&mut self, window: &Window<'_>, triangle: u32, shift_m: f64, travel: &ObstacleTravel) -> Facing {
        let corners = self.path.surface.triangles[triangle as usize].map(|vertex| window.place_and_travel(vertex));
        let own_m = shift_m + corners.iter().map(|(_, travel_m)| *travel_m).fold(0.0, f64::max);
        let places = corners.map(|(place, _)| place);
        let far_m = places.iter().map(|place| place.distance(travel.about)).fold(0.0, f64::max);
        let need_m = own_m + travel.shift_m + travel.angle_rad * (far_m + own_m);
        let mut work = vec![places];
        let mut facing = Facing::Clear;
        while let Some([a, b, c]) = work.pop() {
            let middle = (a + b + c) / 3.0;
            let radius_m = a.distance(middle).max(b.distance(middle)).max(c.distance(middle));
            let distance = self.distance(middle, window.secs);
            if distance + self.tolerance_m > radius_m + need_m {
                continue;
            }
            if distance < -self.tolerance_m {
                return Facing::Inside { depth_m: -distance };
            }
            if radius_m <= need_m.max(0.25 * self.tolerance_m) {
                facing = Facing::Close;
                continue;
            }
            let (ab, bc, ca) = (0.5 * (a + b), 0.5 * (b + c), 0.5 * (c + a));
            work.extend([[ab, bc, ca], [ca, bc, c], [ab, b, bc], [a, ab, ca]]);
        }
        facing
    }

    fn distance(&mut self, place: DVec3, secs: f64) -> f64 {
        self.tests += 1;
        let distance = (self.obstacle.distance)(place, secs);
        if distance.is_nan() && self.not_a_number.is_none() {
            self.not_a_number = Some((place, secs));
        }
        distance
    }
}
