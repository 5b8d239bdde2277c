//! How a vertex that lies in (or just outside) a cell of another body gets out: through which face, how far, which way.
//!
//! Of the cell's exits the nearest one is taken that *faces* the vertex: its normal and the vertex's own must not point
//! the same way. A vertex that was pressed through half of a thin wall is so pushed back where it came from, without any
//! memory of it. From the exit the search walks over the surface to the face that lies under the vertex.

use super::placed::Placed;
use super::surface::{ContactSurface, NO_FACE, closest_on, normal};
use sinew_math::Vec3A;

/// Cosine above which two normals point the same way: walls have two sides, and coarse flesh rough normals.
const FACING: f32 = 0.5;
/// How much farther than through the nearest face a vertex may be pushed to get out through one that faces it.
const MOST_DETOUR: f32 = 3.0;
/// Steps over the surface from an exit to the face under the vertex.
const MOST_STEPS: usize = 8;

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
    if seeker.inside { view.way_from_inside(cell) } else { view.way_from_outside(cell) }
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

    /// The nearest place on the surface around: from the nearest exit downhill over neighbouring faces. Also returns how far
    /// the nearest exit is that need not face the seeker.
    fn nearest(&self, cell: usize) -> Option<(Measured, f32)> {
        let (mut best, mut any): (Option<Measured>, f32) = (None, f32::INFINITY);
        for &exit in self.surface.exits(cell) {
            let measured = self.measured(exit);
            any = any.min(measured.0);
            if self.faces_seeker(&measured) && best.is_none_or(|best| measured.0 < best.0) {
                best = Some(measured);
            }
        }
        let mut best = best?;
        for _ in 0..MOST_STEPS {
            let around = self.surface.across[best.1 as usize].into_iter().filter(|&face| face != NO_FACE);
            let facing = around.map(|face| self.measured(face)).filter(|measured| self.faces_seeker(measured));
            let next = facing.fold(best, |best, next| if next.0 < best.0 { next } else { best });
            if next.1 == best.1 {
                break;
            }
            best = next;
        }
        Some((best, any.min(best.0)))
    }

    #[inline(always)]
    fn measured(&self, face: u32) -> Measured {
        let corners = self.corners(face);
        let (weights, nearest) = closest_on(&corners, self.seeker.at);
        (nearest.distance_squared(self.seeker.at), face, weights, nearest, normal(&corners))
    }

    fn faces_seeker(&self, measured: &Measured) -> bool {
        measured.4 != Vec3A::ZERO && measured.4.dot(self.seeker.normal) < FACING
    }

    /// Along the normal of the nearest face.
    fn way_from_inside(&self, cell: usize) -> Option<WayOut> {
        let ((square, face, weights, nearest, normal), any) = self.nearest(cell)?;
        // Too far to be the way it came: whatever happened here, pushing would tear.
        if square.sqrt() > MOST_DETOUR * any.sqrt() + self.placed.margin_m {
            return None;
        }
        Some(WayOut { face, weights, normal, distance_m: normal.dot(self.seeker.at - nearest) })
    }

    /// What lies beside an edge or a corner is kept away from that, which is the plane that the body stays behind.
    fn way_from_outside(&self, cell: usize) -> Option<WayOut> {
        let ((square, face, weights, nearest, n), _) = self.nearest(cell)?;
        let away = self.seeker.at - nearest;
        let (height, distance_m) = (n.dot(away), square.sqrt());
        if distance_m <= 1e-3 * self.placed.margin_m || height > 0.999 * distance_m {
            return Some(WayOut { face, weights, normal: n, distance_m: height });
        }
        (height > -0.5 * distance_m).then(|| WayOut { face, weights, normal: away / distance_m, distance_m })
    }
}

/// Distance squared, face, weights and place of the nearest point, normal of the face.
type Measured = (f32, u32, [f32; 3], Vec3A, Vec3A);

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
