//! Isosurface stuffing against closed forms.

use sinew_geom::distance::Shape;
use sinew_geom::stuffing::{ANGLE_MAX_DEG, ANGLE_MIN_DEG, Fineness, Inside, stuff, stuff_inside};
use sinew_geom::{TetMesh, manifold};
use sinew_math::dvec3;
use std::f64::consts::PI;

fn keeps_promises(mesh: &TetMesh) {
    TetMesh::new(mesh.positions.clone(), mesh.tets.clone()).unwrap();
    let (low, high) = mesh.dihedral_range_deg();
    assert!(low >= ANGLE_MIN_DEG && high <= ANGLE_MAX_DEG, "{low} to {high}");
    assert!(manifold::faults(&mesh.boundary()).is_empty());
}

/// Chords of a sphere cut off a layer of depth h²/(8r): the volume's error falls with h².
#[test]
fn a_ball_gets_its_volume_at_second_order() {
    let errors: Vec<f64> = [0.2, 0.1, 0.05]
        .map(|cell| {
            let stuffed = stuff(&Shape::sphere(1.0), Fineness::CellM(cell)).unwrap();
            keeps_promises(&stuffed.mesh);
            assert_eq!(stuffed.report.components, 1);
            (stuffed.mesh.volume() / (4.0 / 3.0 * PI) - 1.0).abs()
        })
        .to_vec();
    println!("{errors:?}");
    assert!(errors[0] < 0.03 && errors[0] / errors[1] > 3.4 && errors[1] / errors[2] > 3.4, "{errors:?}");
}

#[test]
fn asked_vertex_counts_are_met_within_a_tenth() {
    let arm = Shape::torus(1.0, 0.3).union(Shape::sphere(0.5), 0.1);
    // On a symmetric lattice a cube's count leaps.
    let cube = Shape::cuboid(dvec3(0.5, 0.5, 0.5));
    for (shape, wanted) in
        [(&Shape::sphere(1.0), 300), (&arm, 1000), (&arm, 5000), (&Shape::sphere(0.01), 20_000), (&cube, 1500)]
    {
        for inside in [Inside::Even, Inside::Graded] {
            let stuffed = stuff_inside(shape, Fineness::Vertices(wanted), inside).unwrap();
            keeps_promises(&stuffed.mesh);
            let count = stuffed.mesh.positions.len();
            assert!(count.abs_diff(wanted) * 10 <= wanted, "{count} for {wanted}, {inside:?}");
        }
    }
}
