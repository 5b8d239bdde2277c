//! What measures how deep bodies are in themselves finds a depth that was planted.

use crate::fixtures::{Bar, SIZE_M, fem};
use sinew_bake::deepest_self_penetration;
use sinew_math::{DVec3, dvec3};
use std::f64::consts::TAU;

/// A bar bent to a ring whose middle line is longer than once around by `overlap_m`: with one end in the other, if it is.
fn ring(x: DVec3, overlap_m: f64) -> DVec3 {
    let radius_m = (SIZE_M.x - overlap_m) / TAU;
    let (sin, cos) = (x.x / radius_m).sin_cos();
    dvec3((radius_m + x.y) * sin, (radius_m + x.y) * cos, x.z)
}

#[test]
fn the_end_of_a_ring_lies_as_deep_in_the_other_as_it_was_put() {
    let stage = Bar::new(fem()).stage();
    let rest = stage.bodies()[0].flesh.rest.clone();
    let deepest = |overlap_m: f64, apart_m: f64| {
        let mut state = stage.first_state();
        state.bodies[0].x = rest.iter().map(|x| ring(*x, overlap_m)).collect();
        deepest_self_penetration(&stage, &state, apart_m)
    };
    for overlap_m in [0.01, 0.04] {
        let found = deepest(overlap_m, 0.3).expect("one end is in the other");
        // From the middle of one end to the plane of the other.
        let radius_m = (SIZE_M.x - overlap_m) / TAU;
        let planted_m = radius_m * (overlap_m / radius_m).sin();
        assert!((found.depth_m - planted_m).abs() < 1e-9, "{} m instead of {planted_m} m", found.depth_m);
        let at = rest[found.vertex.0 as usize];
        assert!(at.distance(dvec3(0.5 * SIZE_M.x * at.x.signum(), 0.0, 0.0)) < 1e-9, "at {at}");
        assert_eq!(found.body, found.other);
    }
    assert_eq!(deepest(-0.04, 0.3), None, "the ends do not meet");
    assert_eq!(deepest(0.04, 1.2), None, "no part is that far");
}
