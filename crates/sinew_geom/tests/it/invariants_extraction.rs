//! What surface extraction promises, over random bodies that its cells mostly do not resolve.

use crate::bodies::{Noise, body};
use proptest::prelude::*;
use sinew_geom::distance::{Distance, Shape};
use sinew_geom::extraction::{Extracted, ExtractionError, extract};
use sinew_geom::manifold;
use sinew_geom::stuffing::Fineness;
use sinew_math::{DQuat, DVec3, dvec3};

fn check(found: &Extracted) -> Result<(), TestCaseError> {
    let faults = manifold::faults(&found.mesh.triangles);
    prop_assert!(faults.is_empty(), "{:?}", faults);
    prop_assert!(found.mesh.positions.iter().all(|x| x.is_finite()));
    prop_assert_eq!(found.normals.len(), found.mesh.positions.len());
    Ok(())
}

fn volume(found: &Extracted) -> f64 {
    let at = |v: u32| found.mesh.positions[v as usize];
    found.mesh.triangles.iter().map(|&[a, b, c]| at(a).dot(at(b).cross(at(c))) / 6.0).sum()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_body_gets_a_closed_manifold_near_its_surface(body in body(), cell in 0.03..0.2f64) {
        match extract(&body, Fineness::CellM(cell)) {
            Ok(found) => {
                check(&found)?;
                // Vertices start within their cell and go towards the surface.
                let far = found.mesh.positions.iter().map(|x| body.at(*x).abs()).fold(0.0, f64::max);
                prop_assert!(far <= 2.0 * cell, "{} at cells of {}", far, cell);
            }
            Err(error) => {
                let is_empty = matches!(error, ExtractionError::Nothing { .. } | ExtractionError::NoSize { .. });
                prop_assert!(is_empty, "{}", error);
            }
        }
    }

    #[test]
    fn even_noise_becomes_a_closed_manifold(seed in any::<u64>()) {
        let found = extract(&Noise(seed), Fineness::CellM(0.25)).map_err(|e| TestCaseError::fail(e.to_string()))?;
        check(&found)?;
    }
}

/// Corners taken out of the body next to blocks of cells that lie wholly inside it: those get a surface then.
#[test]
fn what_is_taken_out_beside_solid_blocks_leaves_no_hole() {
    let turn = DQuat::from_xyzw(0.5679826423646264, 0.0, -0.7975122743155757, 0.20339589545636064);
    let cuboid = Shape::cuboid(dvec3(0.6999505764610732, 0.5658872946381857, 0.373106247324566)).turned(turn);
    let found = extract(&cuboid.shell(0.1850848708126908).shell(0.17871195114516367), Fineness::CellM(0.03)).unwrap();
    assert!(found.taken_out > 0);
    check(&found).unwrap();
}

/// Noise is there to make surfaces that meet themselves; most of it has some place where they do.
#[test]
fn most_noise_needs_repair() {
    let needs = |seed: u64| extract(&Noise(seed), Fineness::CellM(0.12)).unwrap().taken_out > 0;
    let count = (1..=20).filter(|seed| needs(*seed)).count();
    assert!(count >= 10, "only {count} of 20 did");
}

/// A ball, where everything is known: radius, volume, normals, and how even triangles can be.
#[test]
fn a_ball_is_round_at_every_asked_count() {
    let ball = Shape::sphere(0.7).moved(dvec3(0.3, -0.2, 0.1));
    for wanted in [500, 5_000, 50_000] {
        let found = extract(&ball, Fineness::Vertices(wanted)).unwrap();
        check(&found).unwrap();
        let count = found.mesh.positions.len();
        assert!(count.abs_diff(wanted) * 10 <= wanted, "{count} for {wanted}");
        let exact = 4.0 / 3.0 * std::f64::consts::PI * 0.343;
        assert!((volume(&found) / exact - 1.0).abs() < 10.0 / wanted as f64, "{}", volume(&found));
        for (x, normal) in found.mesh.positions.iter().zip(&found.normals) {
            let out = (*x - dvec3(0.3, -0.2, 0.1)) / 0.7;
            assert!((out.length() - 1.0).abs() < 1e-4 && out.distance(*normal) < 1e-3, "{x}");
        }
        let worst = smallest_angles(&found);
        assert!(worst[0] > if wanted < 5000 { 15.0 } else { 25.0 }, "{}", worst[0]);
    }
}

/// The smallest angle of each triangle, degrees, sorted.
fn smallest_angles(found: &Extracted) -> Vec<f64> {
    let angle = |a: DVec3, b: DVec3, c: DVec3| (b - a).angle_between(c - a).to_degrees();
    let smallest = |t: &[u32; 3]| {
        let [a, b, c] = t.map(|v| found.mesh.positions[v as usize]);
        angle(a, b, c).min(angle(b, c, a)).min(angle(c, a, b))
    };
    let mut angles: Vec<f64> = found.mesh.triangles.iter().map(smallest).collect();
    angles.sort_by(f64::total_cmp);
    angles
}

#[test]
fn triangles_face_outwards() {
    let body = Shape::torus(0.7, 0.2).union(Shape::sphere(0.3).moved(DVec3::Y * 0.5), 0.2);
    let found = extract(&body, Fineness::Vertices(8000)).unwrap();
    for (t, corners) in found.mesh.triangles.iter().enumerate() {
        let normal = corners.iter().map(|v| found.normals[*v as usize]).sum::<DVec3>();
        assert!(found.mesh.area_vector2(t).dot(normal) > 0.0, "{corners:?}");
    }
}

#[test]
fn the_number_of_threads_does_not_change_the_surface() {
    let body = Shape::torus(0.7, 0.25).union(Shape::sphere(0.4), 0.1);
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| extract(&body, Fineness::Vertices(3000)).unwrap())
    };
    assert_eq!(run(1), run(4));
}
