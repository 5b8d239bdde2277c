//! Which meshes are solids: light from outside never meets one of their triangles from behind.
//!
//! That is true of a sound solid. Flesh turned inside out in places would show holes if the camera relied on it, so only
//! shadows do.

use crate::frame::Shown;

/// Whether the mesh is closed and its triangles face outwards.
pub(crate) fn is_solid(mesh: &Shown) -> bool {
    is_closed(mesh.triangles) && signed_volume6(mesh) > 0.0
}

/// Whether every edge is walked as often one way as the other. Each undirected edge has a pseudo-random number, added
/// for one way and subtracted for the other: what is left is zero, or (but for one case in 2⁶⁴) an edge is open.
fn is_closed(triangles: &[[u32; 3]]) -> bool {
    let number = |low: u32, high: u32| {
        // The finaliser of splitmix64: neighbouring edges get unrelated numbers.
        let mut bits = (u64::from(low) << 32 | u64::from(high)).wrapping_add(0x9e37_79b9_7f4a_7c15);
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        bits ^ (bits >> 31)
    };
    let signed = |from: u32, to: u32| {
        if from < to { number(from, to) } else { number(to, from).wrapping_neg() }
    };
    let sum = |[a, b, c]: &[u32; 3]| signed(*a, *b).wrapping_add(signed(*b, *c)).wrapping_add(signed(*c, *a));
    triangles.iter().fold(0_u64, |total, triangle| total.wrapping_add(sum(triangle))) == 0
}

/// Six times the enclosed volume: negative where the surface is inside out.
fn signed_volume6(mesh: &Shown) -> f64 {
    // Counted from a vertex, so that a body far from the origin keeps its digits.
    let centre = mesh.positions.first().copied().unwrap_or_default();
    let cone = |corners: &[u32; 3]| {
        let [a, b, c] = corners.map(|v| mesh.positions[v as usize] - centre);
        a.dot(b.cross(c))
    };
    mesh.triangles.iter().map(cone).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Paint, Rgb};
    use sinew_geom::structured;
    use sinew_math::{DVec3, dvec3};

    #[test]
    fn closed_surfaces_are_told_from_open_ones() {
        let mut triangles = structured::bar(DVec3::ONE, [3, 2, 4]).boundary();
        assert!(is_closed(&triangles));
        triangles.swap(0, 5);
        assert!(is_closed(&triangles));
        triangles[3].swap(0, 1);
        assert!(!is_closed(&triangles), "one triangle is inside out");
        triangles[3].swap(0, 1);
        triangles.pop();
        assert!(!is_closed(&triangles), "one triangle is missing");
    }

    #[test]
    fn a_solid_faces_outwards() {
        let tets = structured::bar(DVec3::ONE, [2, 2, 2]);
        let positions: Vec<DVec3> = tets.positions.iter().map(|x| *x + dvec3(1e6, 0.0, 0.0)).collect();
        let outwards = tets.boundary();
        let inwards: Vec<[u32; 3]> = outwards.iter().map(|[a, b, c]| [*a, *c, *b]).collect();
        let [good, bad] =
            [&outwards, &inwards].map(|t| is_solid(&Shown::new(&positions, t, Paint::Flat(Rgb(0, 0, 0)))));
        assert!(good && !bad);
    }
}
