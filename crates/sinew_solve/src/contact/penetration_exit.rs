//! Penetration exit: how a vertex that lies in (or just outside) a cell of another body gets out. Through which face, how far, which
//! way: the contact's normal and depth.
//!
//! A vertex that came in within the interval goes back through a face that it was before when the interval began: one that falls fast past an edge is
//! soon nearer to the wrong side of it. What was inside already does not count as come in. Where there is no such face, the nearest of the cell's exits is taken that *faces* the vertex: its normal and the vertex's own must not
//! point the same way. A vertex that was pressed through half of a thin wall is so pushed back where it came from, without any
//! memory of it. From the exit the search walks over the surface to the face that lies under the vertex.

use super::placed::Placed;
use super::surface::{ContactSurface, NO_FACE, closest_on};
use super::tuning::CONTACT;
use sinew_math::Vec3A;

/// A way out.
#[derive(Debug, Clone, Copy)]
pub(super) struct PenetrationExit {
    pub(super) face: u32,
    pub(super) weights: [f32; 3],
    pub(super) normal: Vec3A,
    /// Distance above the face, below 0 inside.
    pub(super) distance_m: f32,
}

/// The vertex that looks for a way out.
#[derive(Clone, Copy)]
pub(super) struct ExitQuery<'a> {
    pub(super) at: Vec3A,
    /// The outward normal of its own surface, or zero if it has none (a sheet has two sides).
    pub(super) normal: Vec3A,
    /// Whether it is inside the cell.
    pub(super) inside: bool,
    /// Where it was when the interval began.
    pub(super) was_at: Vec3A,
    /// Its own body, where it is a corner or lies on an edge of that.
    pub(super) corner_of: Option<&'a Corner>,
}

/// The flesh around a corner of a body, or around a point on its edge: its neighbours on the surface, axis by axis, so that all are asked at once.
pub(super) struct Corner {
    /// From there to each, and the square of that. Lanes without a neighbour hold 0.
    away: [[f32; Self::MOST]; 3],
    square: [f32; Self::MOST],
    /// Lanes that are asked, in whole parts.
    used: usize,
    /// Those that lanes have no room for.
    more: Vec<Vec3A>,
}

impl Corner {
    /// Nearly every point has fewer.
    const MOST: usize = 16;
    /// Lanes that are asked together.
    const PART: usize = 8;

    pub(super) fn new(surface: &ContactSurface, placed: &Placed, vertex: u32) -> Self {
        let at = placed.points[vertex as usize];
        Self::around(surface.neighbours_of(vertex as usize).iter().map(|&v| placed.points[v as usize] - at))
    }

    /// With neighbours that lie so far from it.
    #[inline(always)]
    fn around(neighbours: impl Iterator<Item = Vec3A>) -> Self {
        let (away, square) = ([[0.0; Self::MOST]; 3], [0.0; Self::MOST]);
        let mut corner = Self { away, square, used: 0, more: Vec::new() };
        for (lane, away) in neighbours.enumerate() {
            if lane < Self::MOST {
                [corner.away[0][lane], corner.away[1][lane], corner.away[2][lane]] = away.to_array();
                corner.square[lane] = away.length_squared();
                corner.used = (lane + 1).next_multiple_of(Self::PART);
            } else {
                corner.more.push(away);
            }
        }
        corner
    }

    /// Whether the flesh around it lies before the plane through it with this normal (of any length): only such a plane can part two bodies.
    /// Where boxes of one size stand on each other, corners lie beside edges, and the nearest way out is often along the face they stand on.
    fn is_before(&self, normal: Vec3A) -> bool {
        let level = CONTACT.exit.beyond_sine * CONTACT.exit.beyond_sine * normal.length_squared();
        let [x, y, z] = normal.to_array();
        let mut all_before = true;
        for part in (0..self.used).step_by(Self::PART) {
            for lane in part..part + Self::PART {
                let height = x * self.away[0][lane] + y * self.away[1][lane] + z * self.away[2][lane];
                all_before &= (height >= 0.0) | (height * height <= level * self.square[lane]);
            }
        }
        let is_before = |away: &Vec3A| {
            let height = normal.dot(*away);
            height >= 0.0 || height * height <= level * away.length_squared()
        };
        all_before && self.more.iter().all(is_before)
    }
}

/// The way out of a cell of tets.
/// `was_at` says where the points of its body were when the interval began.
pub(super) fn penetration_exit(
    surface: &ContactSurface,
    placed: &Placed,
    was_at: &dyn Fn(u32) -> Vec3A,
    cell: usize,
    seeker: &ExitQuery<'_>,
) -> Option<PenetrationExit> {
    let way = |seeker: &ExitQuery<'_>| {
        let view = View { surface, placed, was_at, seeker };
        if seeker.inside { view.exit_from_inside(cell) } else { view.exit_from_outside(cell) }
    };
    way(seeker).or_else(|| seeker.corner_of.and_then(|_| way(&ExitQuery { corner_of: None, ..*seeker })))
}

/// The surface as the seeker sees it.
struct View<'a> {
    surface: &'a ContactSurface,
    placed: &'a Placed,
    was_at: &'a dyn Fn(u32) -> Vec3A,
    seeker: &'a ExitQuery<'a>,
}

/// Which faces may be left through.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Through {
    /// Those that the seeker was before, too.
    Entered,
    Facing,
}

/// A face before anything that takes long is asked of it.
struct Glimpse {
    corners: [Vec3A; 3],
    /// Its normal, as long as twice its area.
    cross: Vec3A,
    cross2: f32,
    /// The distance from its plane times the length of `cross`.
    height: f32,
    faces_seeker: bool,
}

/// The place on a face that is nearest to the seeker.
#[derive(Clone, Copy)]
struct Measured {
    square: f32,
    face: u32,
    weights: [f32; 3],
    nearest: Vec3A,
    normal: Vec3A,
}

impl Glimpse {
    /// Its plane is no farther than the face itself is.
    #[inline(always)]
    fn may_be_nearer_than(&self, square: f32) -> bool {
        self.height * self.height < square * self.cross2
    }
}

impl View<'_> {
    #[inline(always)]
    fn glimpse(&self, face: u32) -> Glimpse {
        let [a, b, c] = self.surface.faces[face as usize];
        let at = |v: u32| self.placed.points[v as usize];
        let corners = [at(a), at(b), at(c)];
        let cross = (corners[1] - corners[0]).cross(corners[2] - corners[0]);
        let (cross2, height) = (cross.length_squared(), cross.dot(self.seeker.at - corners[0]));
        let along = cross.dot(self.seeker.normal);
        let faces_seeker = cross2 > 0.0
            && (along < 0.0 || along * along < CONTACT.exit.facing_cosine * CONTACT.exit.facing_cosine * cross2);
        Glimpse { corners, cross, cross2, height, faces_seeker }
    }

    /// Whether a plane with this normal can part the seeker's body from this one. It takes longest of all that is asked of a face.
    #[inline(always)]
    fn can_part(&self, normal: Vec3A) -> bool {
        self.seeker.corner_of.is_none_or(|corner| corner.is_before(normal))
    }

    #[inline(always)]
    fn measured(&self, face: u32, seen: &Glimpse) -> Measured {
        let (weights, nearest) = closest_on(&seen.corners, self.seeker.at);
        let normal = seen.cross * (1.0 / seen.cross2.sqrt());
        Measured { square: nearest.distance_squared(self.seeker.at), face, weights, nearest, normal }
    }

    /// Whether a face that faces the seeker may be left through.
    fn is_open(&self, face: u32, through: Through) -> bool {
        if through == Through::Facing {
            return true;
        }
        let [a, b, c] = self.surface.faces[face as usize].map(self.was_at);
        let cross = (b - a).cross(c - a);
        cross.dot(self.seeker.was_at - a) >= -CONTACT.exit.before_face * self.placed.margin_m * cross.length()
    }

    /// The nearest place on the surface around: from the nearest exit downhill over neighbouring faces. Also returns how far
    /// the nearest exit is that need not face the seeker.
    fn nearest(&self, cell: usize, through: Through) -> Option<(Measured, f32)> {
        let (mut best, mut any): (Option<Measured>, f32) = (None, f32::INFINITY);
        for &exit in self.surface.exits(cell) {
            let mut seen = self.glimpse(exit);
            seen.faces_seeker = seen.faces_seeker && self.is_open(exit, through);
            let beaten = if seen.faces_seeker { best.map_or(f32::INFINITY, |best| best.square) } else { any };
            if seen.may_be_nearer_than(beaten) && self.can_part(seen.cross) {
                let measured = self.measured(exit, &seen);
                any = any.min(measured.square);
                if seen.faces_seeker && measured.square < beaten {
                    best = Some(measured);
                }
            }
        }
        let best = self.descend_over_faces(best?, through);
        Some((best, any.min(best.square)))
    }

    /// The same from outside, where the exit that is the nearest at rest is as good a beginning as any: what lies between it
    /// and the nearest place is surface that the seeker sees.
    fn nearest_from_outside(&self, cell: usize) -> Option<Measured> {
        self.surface.exits(cell).iter().find_map(|&exit| {
            let seen = self.glimpse(exit);
            let may = seen.faces_seeker && self.can_part(seen.cross);
            may.then(|| self.descend_over_faces(self.measured(exit, &seen), Through::Facing))
        })
    }

    fn descend_over_faces(&self, mut best: Measured, through: Through) -> Measured {
        for _ in 0..CONTACT.exit.max_steps {
            let before = best;
            // Nothing is downhill from the inside of a face.
            if before.weights.iter().all(|weight| *weight > 0.0) {
                break;
            }
            for face in self.surface.across[before.face as usize] {
                if face == NO_FACE {
                    continue;
                }
                let seen = self.glimpse(face);
                if seen.faces_seeker
                    && seen.may_be_nearer_than(CONTACT.exit.nearer_square * best.square)
                    && self.can_part(seen.cross)
                    && self.is_open(face, through)
                {
                    let next = self.measured(face, &seen);
                    best = if next.square < best.square { next } else { best };
                }
            }
            if best.face == before.face {
                break;
            }
        }
        best
    }

    /// Along the normal of the nearest face.
    fn exit_from_inside(&self, cell: usize) -> Option<PenetrationExit> {
        let out = |found: Measured| {
            let Measured { face, weights, nearest, normal, .. } = found;
            PenetrationExit { face, weights, normal, distance_m: normal.dot(self.seeker.at - nearest) }
        };
        let (found, any) = self.nearest(cell, Through::Facing)?;
        if self.is_open(found.face, Through::Entered) {
            return Some(out(found));
        }
        if self.was_outside(cell, found.face)
            && let Some((entered, _)) = self.nearest(cell, Through::Entered)
        {
            return Some(out(entered));
        }
        // Too far to be the way it came: whatever happened here, pushing would tear.
        (found.square.sqrt() <= CONTACT.exit.max_detour * any.sqrt() + self.placed.margin_m).then(|| out(found))
    }

    /// Whether the seeker was before one of the faces around that were the nearest to it when the interval began. What was behind those was inside already,
    /// before whatever other face's plane it was.
    fn was_outside(&self, cell: usize, face: u32) -> bool {
        let square = |face: u32| {
            let corners = self.surface.faces[face as usize].map(self.was_at);
            closest_on(&corners, self.seeker.was_at).1.distance_squared(self.seeker.was_at)
        };
        let exits = self.surface.exits(cell);
        let nearest = exits.iter().fold(square(face), |nearest, &exit| nearest.min(square(exit)));
        let was_near = |exit: u32| square(exit) <= CONTACT.exit.as_near * CONTACT.exit.as_near * nearest;
        exits.iter().any(|&exit| self.is_open(exit, Through::Entered) && was_near(exit))
    }

    /// What lies beside an edge or a corner is kept away from that, which is the plane that the body stays behind. Of the planes there that which turns
    /// with the seeker on its way round is taken where it was behind the last: in the course of the interval it may be held back on either side.
    fn exit_from_outside(&self, cell: usize) -> Option<PenetrationExit> {
        let Measured { square, face, weights, nearest, normal } = self.nearest_from_outside(cell)?;
        let away = self.seeker.at - nearest;
        let (height, distance_m) = (normal.dot(away), square.sqrt());
        if self.is_on_rim(square, height) && !self.can_part(away) {
            return Some(PenetrationExit { face, weights, normal, distance_m: height });
        }
        let (way, distance_m) = if distance_m <= 1e-3 * self.placed.margin_m || height > 0.999 * distance_m {
            (normal, height)
        } else if height > -0.5 * distance_m {
            (away / distance_m, distance_m)
        } else {
            return None;
        };
        let was_away = self.was_away(face, &weights);
        if way.dot(was_away) < -CONTACT.exit.before_face * self.placed.margin_m {
            let between = (way + was_away.normalize_or_zero()).normalize_or_zero();
            if between.dot(away) >= 0.0 && between.dot(was_away) > 0.0 {
                return Some(PenetrationExit { face, weights, normal: between, distance_m: between.dot(away) });
            }
        }
        Some(PenetrationExit { face, weights, normal: way, distance_m })
    }

    /// Whether the seeker is hardly beside a face and hardly above or below it.
    fn is_on_rim(&self, square: f32, height: f32) -> bool {
        let margin2 = self.placed.margin_m * self.placed.margin_m;
        square - height * height <= margin2 && height * height <= margin2
    }

    /// Where the seeker was from a place on a face when the interval began.
    fn was_away(&self, face: u32, weights: &[f32; 3]) -> Vec3A {
        let [a, b, c] = self.surface.faces[face as usize].map(self.was_at);
        self.seeker.was_at - (a * weights[0] + b * weights[1] + c * weights[2])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All at once gives what one neighbour after the other gives, however many there are; also where a plane goes through some of them.
    #[test]
    fn lanes_of_a_corner_agree_with_its_neighbours_one_by_one() {
        let (mut before, mut behind) = (0, 0);
        for count in 0..40 {
            let neighbour = |i: usize| {
                let turn = i as f32 * 0.7 + count as f32;
                Vec3A::new(turn.cos(), 0.2 * (3.0 * turn).sin(), turn.sin()) * (0.01 + 0.003 * i as f32)
            };
            let corner = Corner::around((0..count).map(neighbour));
            for tilt in 0..60 {
                let angle = tilt as f32 * 0.11;
                let normal = Vec3A::new(0.4 * angle.sin(), 1.0 - 0.03 * tilt as f32, 0.3 * angle.cos()) * 0.002;
                let is_before = |away: Vec3A| {
                    let height = normal.dot(away);
                    let sine2 = CONTACT.exit.beyond_sine * CONTACT.exit.beyond_sine;
                    height >= 0.0 || height * height <= sine2 * normal.length_squared() * away.length_squared()
                };
                let one_by_one = (0..count).map(neighbour).all(is_before);
                assert_eq!(corner.is_before(normal), one_by_one, "{count} neighbours, normal {normal}");
                *(if one_by_one { &mut before } else { &mut behind }) += 1;
            }
        }
        assert!(before > 100 && behind > 100, "{before} before, {behind} behind");
    }
}
