//! How a vertex that lies in (or just outside) a cell of another body gets out: through which face, how far, which way.
//!
//! Of the cell's exits the nearest one is taken that *faces* the vertex: its normal and the vertex's own must not point
//! the same way. A vertex that was pressed through half of a thin wall is so pushed back where it came from, without any
//! memory of it. From the exit the search walks over the surface to the face that lies under the vertex.

use super::placed::Placed;
use super::surface::{ContactSurface, NO_FACE, closest_on, normal};
use sinew_math::Vec3A;

/// Cosine above which two normals point the same way: walls have two sides, and coarse flesh rough normals.
const FACING: f32 = 0.7;
/// How much farther than through the nearest face a vertex may be pushed to get out through one that faces it.
const MOST_DETOUR: f32 = 3.0;
/// Steps over the surface from an exit to the face under the vertex.
const MOST_STEPS: usize = 6;

/// A way out.
#[derive(Debug, Clone, Copy)]
pub(super) struct WayOut {
    pub(super) face: u32,
    pub(super) weights: [f32; 3],
    pub(super) normal: Vec3A,
    /// Distance above the face, below 0 inside.
    pub(super) distance_m: f32,
}

/// The vertex that looks for a way out.
#[derive(Debug, Clone, Copy)]
pub(super) struct Seeker {
    pub(super) at: Vec3A,
    /// The outward normal of its own surface, or zero if it has none (a sheet has two sides).
    pub(super) normal: Vec3A,
    /// Whether it is inside the cell.
    pub(super) inside: bool,
}

/// The way out of a cell of tets.
pub(super) fn way_out(surface: &ContactSurface, placed: &Placed, cell: usize, seeker: &Seeker) -> Option<WayOut> {
    let view = View { surface, placed, seeker };
    if seeker.inside { view.from_inside(cell) } else { view.from_outside(cell) }
}

/// The surface as the seeker sees it.
struct View<'a> {
    surface: &'a ContactSurface,
    placed: &'a Placed,
    seeker: &'a Seeker,
}

impl View<'_> {
    #[inline(always)]
    fn corners(&self, face: u32) -> [Vec3A; 3] {
        let [a, b, c] = self.surface.faces[face as usize];
        let at = |v: u32| self.placed.points[v as usize];
        [at(a), at(b), at(c)]
    }

    /// Corners and normal of a face that faces the seeker.
    #[inline(always)]
    fn facing(&self, face: u32) -> Option<([Vec3A; 3], Vec3A)> {
        let corners = self.corners(face);
        let n = normal(&corners);
        (n != Vec3A::ZERO && n.dot(self.seeker.normal) < FACING).then_some((corners, n))
    }

    /// Through the face whose plane is nearest, then over the surface to the face that the seeker lies under.
    fn from_inside(&self, cell: usize) -> Option<WayOut> {
        let at = self.seeker.at;
        let (mut best, mut highest) = (None, f32::NEG_INFINITY);
        for &exit in self.surface.exits(cell) {
            let corners = self.corners(exit);
            let n = normal(&corners);
            let height = n.dot(at - corners[0]);
            highest = highest.max(height);
            if n != Vec3A::ZERO && n.dot(self.seeker.normal) < FACING && best.is_none_or(|(best, _)| height > best) {
                best = Some((height, exit));
            }
        }
        let (height, mut face) = best?;
        // Too far to be the way it came: whatever happened here, pushing would tear.
        if height < MOST_DETOUR * highest - self.placed.margin_m {
            return None;
        }
        for _ in 0..MOST_STEPS {
            let weights = plane_weights(&self.corners(face), at);
            let beyond = (0..3).fold(0, |least, k| if weights[k] < weights[least] { k } else { least });
            let next = self.surface.across[face as usize][beyond];
            if weights[beyond] >= 0.0 || next == NO_FACE || self.facing(next).is_none() {
                break;
            }
            face = next;
        }
        let (corners, normal) = self.facing(face)?;
        let (weights, nearest) = closest_on(&corners, at);
        Some(WayOut { face, weights, normal, distance_m: normal.dot(at - nearest) })
    }

    /// To the nearest place on the surface around: downhill over neighbouring faces. What lies beside an edge or a corner is
    /// kept away from that, which is the plane that the body stays behind.
    fn from_outside(&self, cell: usize) -> Option<WayOut> {
        let at = self.seeker.at;
        let measured = |face: u32| {
            let (corners, n) = self.facing(face)?;
            let (weights, nearest) = closest_on(&corners, at);
            Some((nearest.distance_squared(at), face, weights, nearest, n))
        };
        let nearer = |a: Option<Measured>, b: Option<Measured>| match (a, b) {
            (Some(a), Some(b)) => Some(if b.0 < a.0 { b } else { a }),
            (a, b) => a.or(b),
        };
        let exits = self.surface.exits(cell).iter();
        let mut best = exits.fold(None, |best, &exit| nearer(best, measured(exit)))?;
        for _ in 0..MOST_STEPS {
            let around = self.surface.across[best.1 as usize].into_iter().filter(|&face| face != NO_FACE);
            let next = around.fold(Some(best), |best, face| nearer(best, measured(face)))?;
            if next.1 == best.1 {
                break;
            }
            best = next;
        }
        let (square, face, weights, nearest, n) = best;
        let (away, height) = (at - nearest, n.dot(at - nearest));
        let distance_m = square.sqrt();
        if distance_m <= 1e-3 * self.placed.margin_m || height > 0.999 * distance_m {
            return Some(WayOut { face, weights, normal: n, distance_m: height });
        }
        (height > -0.5 * distance_m).then(|| WayOut { face, weights, normal: away / distance_m, distance_m })
    }
}

/// Distance squared, face, weights and place of the nearest point, normal of the face.
type Measured = (f32, u32, [f32; 3], Vec3A, Vec3A);

/// Barycentric weights of the projection onto the triangle's plane.
fn plane_weights(&[a, b, c]: &[Vec3A; 3], p: Vec3A) -> [f32; 3] {
    let (ab, ac, ap) = (b - a, c - a, p - a);
    let n = ab.cross(ac);
    let square = n.length_squared().max(f32::MIN_POSITIVE);
    let (v, w) = (ap.cross(ac).dot(n) / square, ab.cross(ap).dot(n) / square);
    [1.0 - v - w, v, w]
}

/// The side of a sheet's triangle on which a vertex belongs: the one it was on when the interval began.
pub(super) fn side_of_sheet(
    corners: &[Vec3A; 3],
    at: Vec3A,
    corners_before: &[Vec3A; 3],
    before: Vec3A,
    face: u32,
) -> Option<WayOut> {
    let (weights, nearest) = closest_on(corners, at);
    let (n, n_before) = (normal(corners), normal(corners_before));
    let side = if n_before.dot(before - corners_before[0]) < 0.0 { -1.0 } else { 1.0 };
    (n != Vec3A::ZERO).then(|| WayOut { face, weights, normal: n * side, distance_m: side * n.dot(at - nearest) })
}
