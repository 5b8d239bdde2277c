//! How a vertex that lies in (or just outside) a cell of another body gets out: through which face, how far, which way.
//!
//! Of the cell's exits the nearest one is taken that *faces* the vertex: its normal and the vertex's own must not point
//! the same way. A vertex that was pressed through half of a thin wall is so pushed back where it came from, without any
//! memory of it. From the exit the search walks over the surface to the face that lies under the vertex.

use super::surface::{ContactSurface, NO_FACE, closest_on, normal};
use sinew_math::DVec3;

/// Cosine above which two normals point the same way.
const FACING: f64 = 0.3;
/// Steps over the surface from an exit to the face under the vertex.
const MOST_STEPS: usize = 6;

/// A way out.
#[derive(Debug, Clone, Copy)]
pub(super) struct WayOut {
    pub(super) face: u32,
    pub(super) weights: [f64; 3],
    pub(super) normal: DVec3,
    /// Distance above the face, below 0 inside.
    pub(super) distance_m: f64,
}

/// The vertex that looks for a way out.
#[derive(Debug, Clone, Copy)]
pub(super) struct Seeker {
    pub(super) at: DVec3,
    /// The outward normal of its own surface, or zero if it has none (a sheet has two sides).
    pub(super) normal: DVec3,
    /// Whether it is inside the cell.
    pub(super) inside: bool,
}

/// The way out of a cell of tets. `place` gives points of the body at the interval's end.
pub(super) fn way_out(
    surface: &ContactSurface,
    cell: usize,
    seeker: &Seeker,
    place: impl Fn(u32) -> DVec3,
) -> Option<WayOut> {
    let view = View { surface, seeker, place };
    if seeker.inside { view.from_inside(cell) } else { view.from_outside(cell) }
}

/// The surface as the seeker sees it.
struct View<'a, P> {
    surface: &'a ContactSurface,
    seeker: &'a Seeker,
    place: P,
}

impl<P: Fn(u32) -> DVec3> View<'_, P> {
    fn corners(&self, face: u32) -> [DVec3; 3] {
        self.surface.faces[face as usize].map(&self.place)
    }

    /// Corners and normal of a face that faces the seeker.
    fn facing(&self, face: u32) -> Option<([DVec3; 3], DVec3)> {
        let corners = self.corners(face);
        let n = normal(&corners);
        (n != DVec3::ZERO && n.dot(self.seeker.normal) < FACING).then_some((corners, n))
    }

    /// Through the face whose plane is nearest, then over the surface to the face that the seeker lies under.
    fn from_inside(&self, cell: usize) -> Option<WayOut> {
        let at = self.seeker.at;
        let mut best: Option<(f64, u32)> = None;
        for &exit in self.surface.exits(cell) {
            let Some((corners, n)) = self.facing(exit) else { continue };
            let height = n.dot(at - corners[0]);
            if best.is_none_or(|(highest, _)| height > highest) {
                best = Some((height, exit));
            }
        }
        let (_, mut face) = best?;
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
        if distance_m <= 1e-3 * self.surface.margin_m || height > 0.999 * distance_m {
            return Some(WayOut { face, weights, normal: n, distance_m: height });
        }
        (height > -0.5 * distance_m).then(|| WayOut { face, weights, normal: away / distance_m, distance_m })
    }
}

/// Distance squared, face, weights and place of the nearest point, normal of the face.
type Measured = (f64, u32, [f64; 3], DVec3, DVec3);

/// Barycentric weights of the projection onto the triangle's plane.
fn plane_weights(&[a, b, c]: &[DVec3; 3], p: DVec3) -> [f64; 3] {
    let (ab, ac, ap) = (b - a, c - a, p - a);
    let n = ab.cross(ac);
    let square = n.length_squared().max(f64::MIN_POSITIVE);
    let (v, w) = (ap.cross(ac).dot(n) / square, ab.cross(ap).dot(n) / square);
    [1.0 - v - w, v, w]
}

/// The side of a sheet's triangle on which a vertex belongs: the one it was on when the interval began.
pub(super) fn side_of_sheet(
    corners: &[DVec3; 3],
    at: DVec3,
    corners_before: &[DVec3; 3],
    before: DVec3,
    face: u32,
) -> Option<WayOut> {
    let (weights, nearest) = closest_on(corners, at);
    let (n, n_before) = (normal(corners), normal(corners_before));
    let side = if n_before.dot(before - corners_before[0]) < 0.0 { -1.0 } else { 1.0 };
    (n != DVec3::ZERO).then(|| WayOut { face, weights, normal: n * side, distance_m: side * n.dot(at - nearest) })
}
