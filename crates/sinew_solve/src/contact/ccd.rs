//! Continuous collision detection (CCD): whether a vertex and a triangle, or two edges, come near each other or pass through each
//! other in an interval, and which side they belong on.
//!
//! Points go straight from where they are when the interval begins to where they are expected at its end. Four points pass through each other when the volume
//! they span changes its sign while they are within each other's reach (Provot, "Collision and self-collision handling in cloth model dedicated to
//! design garments", 1997; Bridson, Fedkiw, Anderson, "Robust treatment of collisions, contact and friction for cloth animation", SIGGRAPH 2002, §6). They then belong
//! on the side they were on before; what does not pass through belongs where it is. So no side is remembered, and none is guessed from the endless plane of a triangle.
//!
//! Departures: an even number of changes of sign in one interval goes unseen, as does what is nearly parallel.

use super::surface::closest_on;
use super::tuning::CONTACT;
use sinew_math::Vec3A;

/// How two things meet: weights of both (a vertex has one), and the unit normal out of the second towards the first.
#[derive(Debug, Clone, Copy)]
pub(super) struct CcdHit<const N: usize> {
    pub(super) weights: [f32; N],
    pub(super) normal: Vec3A,
}

/// A vertex (first) and the corners of a triangle, when the interval begins and at its end; weights are the triangle's.
pub(super) fn vertex_and_face(was: &[Vec3A; 4], now: &[Vec3A; 4], reach_m: f32) -> Option<CcdHit<3>> {
    let volume = |[p, a, b, c]: &[Vec3A; 4]| (b - a).cross(c - a).dot(p - a);
    let [before, after] = [volume(was), volume(now)];
    if before * after < 0.0 {
        let at = between(was, now, time_of_impact(was, now, before, after, volume));
        let [p, a, b, c] = at;
        let normal = (b - a).cross(c - a);
        let size = normal.length_squared();
        let weights = weights_in_plane(p, &[a, b, c], normal, size);
        if weights.iter().all(|weight| *weight > -CONTACT.ccd.seam) {
            return Some(CcdHit { weights, normal: normal * (before.signum() / size.sqrt()) });
        }
    }
    near_face(now, after, reach_m).or_else(|| near_face(was, before, reach_m))
}

/// Barycentric weights of a point in the plane of a triangle; `normal` is as long as twice its area, `size` the square of that.
#[inline(always)]
pub(super) fn weights_in_plane(p: Vec3A, &[a, b, c]: &[Vec3A; 3], normal: Vec3A, size: f32) -> [f32; 3] {
    let v = normal.dot((p - a).cross(c - a)) / size;
    let w = normal.dot((b - a).cross(p - a)) / size;
    [1.0 - v - w, v, w]
}

fn near_face(&[p, a, b, c]: &[Vec3A; 4], volume: f32, reach_m: f32) -> Option<CcdHit<3>> {
    let normal = (b - a).cross(c - a);
    let size = normal.length();
    // Its plane is no farther than the triangle.
    if volume.abs() > reach_m * size || size == 0.0 {
        return None;
    }
    let (weights, nearest) = closest_on(&[a, b, c], p);
    let away = p - nearest;
    let distance = away.length();
    if distance > reach_m || volume.abs() < CONTACT.ccd.beside_cosine * distance * size {
        return None;
    }
    let normal = if distance > 1e-3 * reach_m { away / distance } else { normal * (volume.signum() / size) };
    Some(CcdHit { weights, normal })
}

/// Two edges, their ends one after the other; weights are how far along each.
pub(super) fn edge_and_edge(was: &[Vec3A; 4], now: &[Vec3A; 4], reach_m: f32) -> Option<CcdHit<2>> {
    let volume = |[p, p_end, q, q_end]: &[Vec3A; 4]| (p_end - p).cross(q_end - q).dot(p - q);
    let [before, after] = [volume(was), volume(now)];
    if before * after < 0.0 {
        let at = between(was, now, time_of_impact(was, now, before, after, volume));
        if let Some((weights, cross)) = nearest_on_lines(&at, CONTACT.ccd.parallel_passing_sine)
            && weights.iter().all(|along| *along > -CONTACT.ccd.seam && *along < 1.0 + CONTACT.ccd.seam)
        {
            return Some(CcdHit { weights, normal: cross.normalize() * before.signum() });
        }
    }
    near_edge(now, after, reach_m).or_else(|| near_edge(was, before, reach_m))
}

fn near_edge(at: &[Vec3A; 4], volume: f32, reach_m: f32) -> Option<CcdHit<2>> {
    let (weights, cross) = nearest_on_lines(at, CONTACT.ccd.parallel_near_sine)?;
    let size = cross.length();
    let is_near = volume.abs() <= reach_m * size && weights.iter().all(|along| *along > 0.0 && *along < 1.0);
    is_near.then(|| CcdHit { weights, normal: cross * (volume.signum() / size) })
}

/// How far along both lines they are nearest to each other, and the cross product of their directions; none where they are parallel.
#[inline(always)]
pub(super) fn nearest_on_lines(&[p, p_end, q, q_end]: &[Vec3A; 4], parallel: f32) -> Option<([f32; 2], Vec3A)> {
    let (d, e, r) = (p_end - p, q_end - q, p - q);
    let cross = d.cross(e);
    let (dd, ee, de) = (d.length_squared(), e.length_squared(), d.dot(e));
    let size = cross.length_squared();
    if size <= parallel * parallel * dd * ee {
        return None;
    }
    let (dr, er) = (d.dot(r), e.dot(r));
    Some(([(de * er - ee * dr) / size, (dd * er - de * dr) / size], cross))
}

fn between(was: &[Vec3A; 4], now: &[Vec3A; 4], share: f32) -> [Vec3A; 4] {
    std::array::from_fn(|k| was[k].lerp(now[k], share))
}

/// Time of impact: the share of the interval after which a volume is nothing that has another sign at its beginning than at its end: false position, each end at most
/// once in a row at its full weight (Dowell, Jarratt, "A modified regula falsi method", BIT 1971).
fn time_of_impact(
    was: &[Vec3A; 4],
    now: &[Vec3A; 4],
    mut before: f32,
    mut after: f32,
    volume: impl Fn(&[Vec3A; 4]) -> f32,
) -> f32 {
    let (mut low, mut high, mut kept) = (0.0, 1.0, 0);
    let mut share = 0.5;
    for _ in 0..CONTACT.ccd.root_steps {
        share = low + (high - low) * (before / (before - after));
        let here = volume(&between(was, now, share));
        if here == 0.0 {
            break;
        }
        if (here < 0.0) == (before < 0.0) {
            (low, before) = (share, here);
            after *= if kept == 1 { 0.5 } else { 1.0 };
            kept = 1;
        } else {
            (high, after) = (share, here);
            before *= if kept == 2 { 0.5 } else { 1.0 };
            kept = 2;
        }
    }
    share
}

#[cfg(test)]
mod tests {
    use super::*;

    fn v(x: f32, y: f32, z: f32) -> Vec3A {
        Vec3A::new(x, y, z)
    }

    const TRIANGLE: [Vec3A; 3] = [Vec3A::new(0.0, 0.0, 0.0), Vec3A::new(0.0, 0.0, 1.0), Vec3A::new(1.0, 0.0, 0.0)];

    fn with(p: Vec3A) -> [Vec3A; 4] {
        [p, TRIANGLE[0], TRIANGLE[1], TRIANGLE[2]]
    }

    #[test]
    fn what_goes_through_a_triangle_belongs_before_it() {
        for side in [1.0, -1.0] {
            let met = vertex_and_face(&with(v(0.2, 0.3 * side, 0.3)), &with(v(0.2, -0.5 * side, 0.3)), 0.01).unwrap();
            assert!(met.normal.distance(v(0.0, side, 0.0)) < 1e-5, "{met:?}");
            assert!((met.weights[1] - 0.3).abs() < 1e-4 && (met.weights[2] - 0.2).abs() < 1e-4, "{met:?}");
        }
    }

    #[test]
    fn what_goes_round_a_triangle_belongs_where_it_is() {
        // Through its endless plane, but beside it.
        let round = vertex_and_face(&with(v(-0.3, 0.3, 0.3)), &with(v(-0.3, -0.3, 0.3)), 0.01);
        assert!(round.is_none(), "{round:?}");
        let under = vertex_and_face(&with(v(-0.3, 0.2, 0.3)), &with(v(0.1, -0.1, 0.3)), 0.15).unwrap();
        assert!(under.normal.distance(v(0.0, -1.0, 0.0)) < 1e-5, "{under:?}");
    }

    #[test]
    fn edges_that_pass_through_each_other_belong_on_the_side_they_came_from() {
        let at = |height: f32| [v(-1.0, height, 0.0), v(1.0, height, 0.0), v(0.5, 0.0, -1.0), v(0.5, 0.0, 1.0)];
        for side in [1.0, -1.0] {
            let met = edge_and_edge(&at(0.2 * side), &at(-0.7 * side), 0.01).unwrap();
            assert!(met.normal.distance(v(0.0, side, 0.0)) < 1e-5, "{met:?}");
            assert!((met.weights[0] - 0.75).abs() < 1e-4 && (met.weights[1] - 0.5).abs() < 1e-4, "{met:?}");
        }
        assert!(edge_and_edge(&at(0.5), &at(0.2), 0.1).is_none());
        assert!(edge_and_edge(&at(0.5), &at(0.05), 0.1).is_some_and(|met| met.normal.y > 0.99));
    }
}
