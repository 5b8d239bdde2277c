//! Ground and obstacles: shapes with a pose that may move, and the contacts of flesh with them.

use super::clearance::{CHUNK, Clearance, SweptBalls, Way, Ways};
use super::tuning::CONTACT;
use super::{Contact, Other, Shape};
use crate::{BodyState, Cells, Flesh, Friction, Row};
use sinew_math::{DQuat, DVec3};

/// A shape at one instant: the end of the present interval.
#[derive(Debug, Clone, PartialEq)]
pub struct Obstacle {
    pub shape: Shape,
    pub at: DVec3,
    pub turn: DQuat,
    pub velocity: DVec3,
    pub spin: DVec3,
    pub friction: Friction,
}

impl Obstacle {
    /// Signed distance of a world point and the outward normal there.
    pub fn distance(&self, x: DVec3) -> (f64, DVec3) {
        let (distance, gradient) = self.shape.distance(self.turn.inverse() * (x - self.at));
        (distance, self.turn * gradient)
    }

    /// The distance alone.
    pub(super) fn gap_m(&self, x: DVec3) -> f64 {
        self.shape.gap_m(self.turn.inverse() * (x - self.at))
    }

    /// The velocity of its surface at a world point.
    pub fn velocity_at(&self, x: DVec3) -> DVec3 {
        self.velocity + self.spin.cross(x - self.at)
    }
}

/// How an obstacle meets a point on its way.
#[derive(Debug, Clone, Copy)]
struct ObstacleHit {
    gap_m: f64,
    normal: DVec3,
    /// How deep inside it began.
    was_inside_m: f64,
}

impl Obstacle {
    /// Gap and normal at `to` for a point that comes from `from`, if it is or comes within `margin_m`. A point on its way
    /// through a thin obstacle is held by the side it entered (sphere tracing: Hart, The Visual Computer 1996), and one that was inside already by the side that was
    /// nearest then.
    fn meets(&self, from: DVec3, to: DVec3, margin_m: f64) -> Option<ObstacleHit> {
        const MARCHES: usize = 32;
        let length = to.distance(from);
        // Distances change no faster than places: it was not near before either.
        if self.is_outside_ball(to, margin_m + length) {
            return None;
        }
        if self.gap_m(to) > margin_m + length {
            return None;
        }
        let (gap_m, normal) = self.distance(to);
        let ((start_gap, start_normal), way) = (self.distance(from), (to - from).normalize_or_zero());
        if start_gap > 0.0 && length > start_gap {
            let mut gone = start_gap;
            for _ in 0..MARCHES {
                let place = from + way * gone;
                let (gap, entered) = self.distance(place);
                if gap <= 1e-3 * margin_m {
                    return Some(ObstacleHit {
                        gap_m: gap + entered.dot(to - place),
                        normal: entered,
                        was_inside_m: 0.0,
                    });
                }
                gone += gap;
                if gone >= length {
                    break;
                }
            }
        }
        let was_inside_m = -start_gap.min(0.0);
        if start_gap <= 0.0 && start_normal.dot(normal) < CONTACT.obstacles.same_side_cosine {
            return Some(ObstacleHit {
                gap_m: start_gap + start_normal.dot(to - from),
                normal: start_normal,
                was_inside_m,
            });
        }
        (gap_m <= margin_m || start_gap <= margin_m).then_some(ObstacleHit { gap_m, normal, was_inside_m })
    }

    /// The same for a point that began so deep inside that the nearest side need not be the one it came through: a body's surface comes in through a side that
    /// faces it. `own` is the outward normal of the body there.
    fn leaves(&self, from: DVec3, to: DVec3, own: DVec3) -> Option<(f64, DVec3)> {
        let back = self.turn.inverse();
        let [from, to] = [from, to].map(|x| back * (x - self.at));
        let (gap_m, normal) = self.shape.way_out(from, back * own)?;
        Some((gap_m + normal.dot(to - from), self.turn * normal))
    }
}

/// A body that may touch obstacles in an interval.
pub struct NearObstacles<'a> {
    pub flesh: &'a Flesh,
    /// [`Flesh::size_m`], which takes a while to find.
    pub size_m: f64,
    /// Distance that its points keep: [`obstacle_distance_m`].
    pub keep_m: f64,
    /// Points within the body that obstacles hold too ([`Flesh::inner_points`]), for methods in which nothing else keeps them behind the surface.
    pub inner: &'a [Row],
    pub friction: Friction,
    pub state: &'a BodyState,
    pub h_secs: f64,
    /// How strong gravity is.
    pub gravity_m_s2: f64,
}

impl NearObstacles<'_> {
    /// Surface points of the body that are in, or may come into, an obstacle within the interval, in order of rows.
    /// A body that presses deep into an obstacle thinner than that may still come out on its other side.
    /// `along` gives a point's forward direction (zero where it has none).
    pub fn find(&self, obstacles: &[Obstacle], along: impl Fn(usize) -> DVec3, out: &mut Vec<Contact>) {
        if obstacles.is_empty() {
            return;
        }
        let (first, ways) = (out.len(), Ways::new(self.flesh, self.inner, self.state, self.h_secs));
        let (reach_m, mut balls) = (ways.reach_m(), None);
        for (number, obstacle) in obstacles.iter().enumerate() {
            let still = obstacle.is_still();
            if still && obstacle.is_far(self.state.origin, reach_m + self.margin_m()) {
                continue;
            }
            let clearance = (still && obstacle.plane().is_none()).then(|| {
                let balls = balls.get_or_insert_with(|| SweptBalls::new(self.flesh, &ways));
                balls.clearance(obstacle, self.margin_m())
            });
            if !clearance.as_ref().is_some_and(Clearance::is_all_far) {
                self.find_one((number, obstacle), &ways, clearance.as_ref(), &along, out);
            }
        }
        if obstacles.len() > 1 || !out[first..].is_sorted_by_key(|contact| contact.at) {
            let obstacle = |contact: &Contact| match contact.other {
                Other::Obstacle(number) => number,
                Other::Body(..) => u32::MAX,
            };
            out[first..].sort_unstable_by_key(|contact| (contact.at, obstacle(contact)));
        }
    }

    /// How near a point must come to be found.
    fn margin_m(&self) -> f64 {
        (CONTACT.obstacles.margin * self.size_m)
            .max(CONTACT.obstacles.margin_in_gravities * self.gravity_m_s2 * self.h_secs * self.h_secs)
            + self.keep_m
    }

    pub(super) fn find_one(
        &self,
        (number, obstacle): (usize, &Obstacle),
        ways: &Ways,
        clearance: Option<&Clearance<'_>>,
        along: &impl Fn(usize) -> DVec3,
        out: &mut Vec<Contact>,
    ) {
        let Self { flesh, state, h_secs, .. } = *self;
        let (margin_m, friction) = (self.margin_m(), combined(self.friction, obstacle.friction));
        let (still, plane) = (obstacle.is_still(), obstacle.plane());
        let deep_m = CONTACT.obstacles.deep_share * obstacle.shape.half_thickness_m();
        let mut normals = None;
        for (chunk, way) in ways.surface.chunks(CHUNK).enumerate() {
            if clearance.is_some_and(|clearance| clearance.is_chunk_far(chunk, margin_m)) {
                continue;
            }
            for (lane, &Way { from: now, to: point }) in way.iter().enumerate() {
                let vertex = chunk * CHUNK + lane;
                // Where the point starts in the frame of an obstacle that moves meanwhile.
                let from = if still { now } else { now + obstacle.velocity_at(now) * h_secs };
                let met = match plane {
                    Some(normal) => meets_plane(normal, from - obstacle.at, point - obstacle.at, margin_m),
                    None => obstacle.meets(from, point, margin_m),
                };
                let Some(ObstacleHit { mut gap_m, mut normal, was_inside_m }) = met else { continue };
                if was_inside_m > deep_m {
                    let normals = normals.get_or_insert_with(|| surface_normals(flesh, &state.x));
                    let out = obstacle.leaves(from, point, normals[vertex]);
                    (gap_m, normal) = out.unwrap_or((gap_m, normal));
                }
                out.push(Contact {
                    at: flesh.surface_rows[vertex],
                    other: Other::Obstacle(number as u32),
                    normal,
                    gap_m: gap_m - self.keep_m,
                    point,
                    surface_velocity: obstacle.velocity_at(point),
                    friction,
                    along: along(vertex),
                });
            }
        }
        self.find_inner((number, obstacle), ways, clearance, friction, out);
        self.find_faces(obstacle, ways, clearance, margin_m, |vertex, point, hit| {
            out.push(Contact {
                at: flesh.surface_rows[vertex],
                other: Other::Obstacle(number as u32),
                normal: hit.normal,
                gap_m: hit.gap_m - self.keep_m,
                point,
                surface_velocity: obstacle.velocity_at(point),
                friction,
                along: along(vertex),
            });
        });
    }
}

impl NearObstacles<'_> {
    /// Inner points that come into an obstacle: the flesh in front of them is squeezed to nothing or has been passed through.
    fn find_inner(
        &self,
        (number, obstacle): (usize, &Obstacle),
        ways: &Ways,
        clearance: Option<&Clearance<'_>>,
        friction: Friction,
        out: &mut Vec<Contact>,
    ) {
        let margin_m = self.margin_m();
        for (inner, (&at, &Way { from: now, to: point })) in self.inner.iter().zip(&ways.inner).enumerate() {
            if clearance.is_some_and(|clearance| clearance.is_inner_far(inner / CHUNK, margin_m)) {
                continue;
            }
            let from = now + obstacle.velocity_at(now) * self.h_secs;
            let met = match obstacle.plane() {
                Some(normal) => meets_plane(normal, from - obstacle.at, point - obstacle.at, margin_m),
                None => obstacle.meets(from, point, margin_m),
            };
            let Some(ObstacleHit { gap_m, normal, .. }) = met else { continue };
            out.push(Contact {
                at,
                other: Other::Obstacle(number as u32),
                normal,
                gap_m,
                point,
                surface_velocity: obstacle.velocity_at(point),
                friction,
                along: DVec3::ZERO,
            });
        }
    }
}

/// [`Obstacle::meets`] where there is nothing to be traced: a plane is entered through the side it has.
fn meets_plane(normal: DVec3, from: DVec3, to: DVec3, margin_m: f64) -> Option<ObstacleHit> {
    let (start_gap, gap_m) = (normal.dot(from), normal.dot(to));
    (gap_m <= margin_m || start_gap <= margin_m).then_some(ObstacleHit { gap_m, normal, was_inside_m: 0.0 })
}

/// Outward unit normals at the vertices of a surface; zero for sheets, which have two sides.
fn surface_normals(flesh: &Flesh, x: &[DVec3]) -> Vec<DVec3> {
    let mut normals = vec![DVec3::ZERO; flesh.surface_rows.len()];
    if matches!(flesh.cells, Cells::Shell(_)) {
        return normals;
    }
    for triangle in &flesh.surface_triangles {
        let [a, b, c] = triangle.map(|v| flesh.anchors.at(flesh.surface_rows[v as usize], x));
        let cross = (b - a).cross(c - a);
        triangle.iter().for_each(|&v| normals[v as usize] += cross);
    }
    normals.iter_mut().for_each(|normal| *normal = normal.normalize_or_zero());
    normals
}

impl Obstacle {
    /// Whether it does not move in this interval.
    pub fn is_still(&self) -> bool {
        self.velocity == DVec3::ZERO && self.spin == DVec3::ZERO
    }

    /// The normal of a plane.
    fn plane(&self) -> Option<DVec3> {
        matches!(self.shape, Shape::Plane).then(|| self.turn * DVec3::Y)
    }

    /// Whether it is farther than so much from a point. A ball around it says so soonest.
    fn is_far(&self, point: DVec3, distance_m: f64) -> bool {
        self.is_outside_ball(point, distance_m) || self.gap_m(point) > distance_m
    }

    /// Distance of a point from the ball around all of it.
    pub(super) fn ball_distance(&self, point: DVec3) -> f64 {
        point.distance(self.at) - self.shape.reach_m()
    }

    /// Whether that is more than so much.
    pub(super) fn is_outside_ball(&self, point: DVec3, distance_m: f64) -> bool {
        let within = distance_m + self.shape.reach_m();
        point.distance_squared(self.at) > within * within
    }
}

/// The body's own friction, scaled by how rough the obstacle is (1 leaves it as it is).
fn combined(body: Friction, obstacle: Friction) -> Friction {
    Friction {
        forward: body.forward * obstacle.forward,
        backward: body.backward * obstacle.backward,
        sideways: body.sideways * obstacle.sideways,
    }
}

/// The last non-penetration pass, after a path moved a body: penetrating surface points are put on the surface and
/// lose their approach. Returns the deepest penetration found, metres.
pub fn push_out(flesh: &Flesh, state: &mut BodyState, obstacles: &[Obstacle]) -> f64 {
    let mut deepest = 0.0f64;
    for obstacle in obstacles {
        for &row in &flesh.surface_rows {
            let (gap_m, normal) = obstacle.distance(flesh.anchors.at(row, &state.x));
            if gap_m >= 0.0 {
                continue;
            }
            deepest = deepest.max(-gap_m);
            let reach: f64 = flesh.anchors.terms(row).map(|(_, w)| w * w).sum();
            let relative = flesh.anchors.at(row, &state.v) - obstacle.velocity_at(flesh.anchors.at(row, &state.x));
            let approach = (-relative.dot(normal)).max(0.0);
            for (dof, weight) in flesh.anchors.terms(row) {
                state.x[dof] += normal * (-gap_m * weight / reach);
                state.v[dof] += normal * (approach * weight / reach);
            }
        }
    }
    deepest
}
