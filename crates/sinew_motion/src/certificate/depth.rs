//! How deep bodies are in what they meet, for reports: at the time of an objection and at a few others of its
//! frame interval, the worst.

use super::CertifiedObstacle;
use super::path::BodyPath;
use sinew_geom::TriangleMesh;
use sinew_geom::distance::{Distance, SurfaceDistance};

/// Times looked at besides the one that was found.
const TIMES: usize = 8;

/// The worst time and its depth in an obstacle: of the time and depth that were found, and of vertices.
pub(super) fn in_obstacle(
    path: &BodyPath<'_>,
    obstacle: &CertifiedObstacle<'_>,
    found: (f64, f64),
    interval: [f64; 2],
) -> (f64, f64) {
    worst(found, interval, |secs| {
        path.places_at(secs).iter().map(|place| -(obstacle.distance)(*place, secs)).fold(0.0, f64::max)
    })
}

/// The worst time and its depth of one body in the other; depth 0 where only edges cross.
pub(super) fn between_bodies(paths: [&BodyPath<'_>; 2], secs: f64, interval: [f64; 2]) -> (f64, f64) {
    worst((secs, 0.0), interval, |secs| vertex_depth(paths, secs))
}

/// Depth of the deepest vertex of either body in the other.
pub(super) fn vertex_depth(paths: [&BodyPath<'_>; 2], secs: f64) -> f64 {
    let [a, b] =
        paths.map(|path| TriangleMesh { positions: path.places_at(secs), triangles: path.surface.triangles.clone() });
    let deepest = |of: &TriangleMesh, within: &TriangleMesh| {
        let body = SurfaceDistance::new(within);
        let (low, high) = body.bounds();
        let near = of.positions.iter().filter(|x| x.cmpge(low).all() && x.cmple(high).all());
        near.map(|place| -body.at(*place)).fold(0.0, f64::max)
    };
    deepest(&a, &b).max(deepest(&b, &a))
}

fn worst(found: (f64, f64), [from, to]: [f64; 2], depth: impl Fn(f64) -> f64) -> (f64, f64) {
    let others = (0..=TIMES).map(|n| from + (to - from) * n as f64 / TIMES as f64);
    let look = |best: (f64, f64), secs: f64| {
        let depth_m = depth(secs);
        if depth_m > best.1 { (secs, depth_m) } else { best }
    };
    std::iter::once(found.0).chain(others).fold(found, look)
}
