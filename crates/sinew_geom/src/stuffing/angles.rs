//! Tets whose dihedral angles break the bounds, and the moved lattice points to blame.

use super::assemble::Pieces;
use super::stencil::Label;
use super::warp::Warped;
use super::{ANGLE_MAX_DEG, ANGLE_MIN_DEG};
use crate::distance::Distance;
use rayon::prelude::*;
use sinew_math::DVec3;

/// Kept from the bounds, so that rounding in files does not break them.
const SLACK_DEG: f64 = 1e-3;

/// For every bad tet, the point on the surface whose return changes the surface least.
pub(super) fn guilty_points<D: Distance + ?Sized>(pieces: &Pieces, warped: &Warped<'_, D>) -> Vec<usize> {
    let low = (ANGLE_MIN_DEG + SLACK_DEG).to_radians().cos();
    let high = (ANGLE_MAX_DEG - SLACK_DEG).to_radians().cos();
    let guilty = |tet: &[u32; 4]| {
        let is_on = |code: &u32| Pieces::lattice_point(*code).filter(|p| warped.labels[*p] == Label::On);
        let on = tet.iter().filter_map(is_on);
        // Tets without such a point keep the bounds by construction.
        let easiest = on.max_by(|a, b| warped.moved_share(*a).total_cmp(&warped.moved_share(*b)).then(b.cmp(a)))?;
        let corners = tet.map(|code| pieces.place(code, warped));
        let (smallest, largest) = cosine_range(corners);
        (largest > low || smallest < high || !(smallest + largest).is_finite()).then_some(easiest)
    };
    let mut points: Vec<usize> = pieces.tets.par_iter().filter_map(guilty).collect();
    points.sort_unstable();
    points.dedup();
    points
}

/// Smallest and largest cosine of the six dihedral angles.
fn cosine_range([a, b, c, d]: [DVec3; 4]) -> (f64, f64) {
    let normals = [(c - b).cross(d - b), (d - a).cross(c - a), (b - a).cross(d - a), (c - a).cross(b - a)]
        .map(|n| n / n.length());
    let mut range = (1.0f64, -1.0f64);
    for i in 0..4 {
        for j in i + 1..4 {
            let cosine = -normals[i].dot(normals[j]);
            range = (range.0.min(cosine), range.1.max(cosine));
        }
    }
    range
}
