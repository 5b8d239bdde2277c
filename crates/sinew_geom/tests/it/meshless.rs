//! Meshless functions (MM-1 to MM-17): linear consistency, gradients, sampling, coupling through the
//! material, quadrature, normals.

use sinew_geom::cast::Member;
use sinew_geom::distance::{Distance, Shape, SurfaceDistance, TriangleTree};
use sinew_geom::field::GridMarcher;
use sinew_geom::meshless::{InnerSpheres, MeshlessError, MeshlessOptions, Nodes, ShapeFunctions, SurfaceSamples};
use sinew_geom::structured::bar;
use sinew_geom::stuffing::{Fineness, stuff};
use sinew_geom::{TetMesh, TriangleMesh};
use sinew_math::dense::symmetric_eigenvectors;
use sinew_math::libm::{cos, sin};
use sinew_math::{DMat3, DQuat, DVec3, dvec3};

fn options(nodes: usize) -> MeshlessOptions {
    MeshlessOptions { nodes, ..MeshlessOptions::default() }
}

fn straight() -> TetMesh {
    bar(dvec3(1.0, 0.3, 0.25), [16, 5, 4])
}

/// Two arms side by side, joined at one end, and the gap between them: 0.1 wide.
fn horseshoe() -> TetMesh {
    let slot = Shape::cuboid(dvec3(0.5, 0.05, 1.0)).moved(dvec3(0.2, 0.0, 0.0));
    let shape = Shape::cuboid(dvec3(0.5, 0.16, 0.08)).subtract(slot, 0.0);
    stuff(&shape, Fineness::CellM(0.05)).unwrap().mesh
}

fn surface_of(mesh: &TetMesh) -> TriangleMesh {
    TriangleMesh { positions: mesh.positions.clone(), triangles: mesh.boundary() }
}

/// Points inside the tets of a mesh.
fn points_in(mesh: &TetMesh, count: usize) -> Vec<DVec3> {
    let share = |n: usize, k: usize| ((n * 7919 + k * 104_729) % 1009) as f64 / 1009.0 + 0.01;
    let point = |n: usize| {
        let [a, b, c, d] = mesh.tets[(n * 6151) % mesh.tets.len()].map(|v| mesh.positions[v as usize]);
        let weights = [share(n, 1), share(n, 2), share(n, 3), share(n, 4)];
        (a * weights[0] + b * weights[1] + c * weights[2] + d * weights[3]) / weights.iter().sum::<f64>()
    };
    (0..count).map(point).collect()
}

/// Largest error of the four identities of known answer 1.
fn inconsistency(nodes: &Nodes, points: &[DVec3], functions: &ShapeFunctions) -> f64 {
    let mut worst = 0.0f64;
    for (x, row) in points.iter().zip(functions.rows()) {
        let rest = |n: &u32| nodes.rest[*n as usize];
        let sum: f64 = row.values.iter().sum();
        let place: DVec3 = row.nodes.iter().zip(row.values).map(|(n, v)| rest(n) * *v).sum();
        let slope: DVec3 = row.gradients.iter().sum();
        let outer = row
            .nodes
            .iter()
            .zip(row.gradients)
            .fold(DMat3::ZERO, |sum, (n, g)| sum + DMat3::from_cols(rest(n) * g.x, rest(n) * g.y, rest(n) * g.z));
        let identity = (outer - DMat3::IDENTITY).to_cols_array().into_iter().fold(0.0, |m, e: f64| e.abs().max(m));
        worst = worst.max((sum - 1.0).abs()).max(place.distance(*x)).max(slope.length()).max(identity);
    }
    worst
}

/// Known answer 1, MM-6: with the straight and with the bent distance, inside the flesh and around it.
#[test]
fn functions_and_gradients_reproduce_linear_fields() {
    for mesh in [straight(), horseshoe()] {
        let nodes = Nodes::over(&mesh, &options(24)).unwrap();
        let mut points = points_in(&mesh, 200);
        let outside: Vec<DVec3> = points.iter().map(|x| *x * 1.3 + dvec3(0.01, -0.02, 0.03)).collect();
        points.extend(outside);
        let functions = nodes.functions_at(&points).unwrap();
        let worst = inconsistency(&nodes, &points, &functions);
        assert!(worst < 1e-9, "{worst:e}");
    }
}

/// Errors of central differences fall at order 2 where the distance is smooth: in a convex body everywhere.
#[test]
fn gradients_are_derivatives_of_the_functions() {
    let mesh = straight();
    let nodes = Nodes::over(&mesh, &options(24)).unwrap();
    let points = points_in(&mesh, 40);
    let exact = nodes.functions_at(&points).unwrap();
    let dense = |functions: &ShapeFunctions, point: usize| {
        let mut all = vec![0.0; nodes.len()];
        let row = functions.row(point);
        row.nodes.iter().zip(row.values).for_each(|(n, v)| all[*n as usize] = *v);
        all
    };
    let error = |step: f64| {
        let mut worst = 0.0f64;
        for axis in 0..3 {
            let moved =
                |by: f64| nodes.functions_at(&points.iter().map(|x| *x + DVec3::AXES[axis] * by).collect::<Vec<_>>());
            let (after, before) = (moved(step).unwrap(), moved(-step).unwrap());
            for point in 0..points.len() {
                let (after, before) = (dense(&after, point), dense(&before, point));
                let row = exact.row(point);
                for (n, g) in row.nodes.iter().zip(row.gradients) {
                    worst = worst.max(((after[*n as usize] - before[*n as usize]) / (2.0 * step) - g[axis]).abs());
                }
            }
        }
        worst
    };
    let errors = [2e-3, 1e-3, 5e-4].map(error);
    println!("{errors:?}");
    assert!(errors[2] < 1e-2 && errors[0] / errors[1] > 3.3 && errors[1] / errors[2] > 3.3, "{errors:?}");
}

/// MM-9.
#[test]
fn the_seed_alone_decides_the_nodes() {
    let mesh = straight();
    let of = |seed: u64| Nodes::over(&mesh, &MeshlessOptions { nodes: 12, seed }).unwrap();
    assert_eq!(of(1).rest, of(1).rest);
    assert_ne!(of(1).rest, of(2).rest);
    let alone = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    let (one, many) = (alone.install(|| of(1)), of(1));
    let points = points_in(&mesh, 50);
    assert_eq!(one.functions_at(&points).unwrap(), many.functions_at(&points).unwrap());
}

/// MM-11.
#[test]
fn every_place_of_a_body_has_four_nodes_that_span_space() {
    for (mesh, count) in [(straight(), 8), (straight(), 46), (horseshoe(), 20)] {
        let nodes = Nodes::over(&mesh, &options(count)).unwrap();
        let fit = nodes.fit();
        println!("{count}: {} nodes, {fit:?}", nodes.len());
        assert!(fit.fewest_nodes >= 4 && fit.largest_slope_sum < 15.0 && fit.least_aspect > 0.01, "{fit:?}");
        let functions = nodes.functions_at(&mesh.positions).unwrap();
        assert!(functions.rows().all(|row| row.nodes.len() >= 4));
    }
}

/// MM-10, MM-12: who moves whom, by a distance measured in another way, on a grid of the shape itself.
#[test]
fn nodes_move_only_what_is_near_through_the_material() {
    let hand = stuff(&Member::Arm.figure().shape, Fineness::Vertices(1500)).unwrap().mesh;
    for (mesh, cell_m, count) in [(horseshoe(), 0.0125, 24), (hand, 0.008, 40)] {
        let nodes = Nodes::over(&mesh, &options(count)).unwrap();
        let functions = nodes.functions_at(&mesh.positions).unwrap();
        let grid = GridMarcher::new(&SurfaceDistance::new(&surface_of(&mesh)), cell_m).unwrap();
        let mut near_but_apart = 0;
        for (node, place) in nodes.rest.iter().enumerate() {
            let distance = grid.from_points(&[*place]);
            for (vertex, x) in mesh.positions.iter().enumerate() {
                // No node of the grid is in the thinnest parts.
                let through = distance.at(*x);
                let is_moved = functions.row(vertex).nodes.contains(&(node as u32));
                if through.is_finite() && through > 1.05 * nodes.radius_m + 4.0 * cell_m {
                    assert!(!is_moved, "node {node} moves {x}, which is {through} m away through the material");
                    near_but_apart += usize::from(x.distance(*place) < nodes.radius_m);
                }
                if through < 0.95 * nodes.radius_m - 4.0 * cell_m {
                    assert!(is_moved, "node {node} does not move {x}, {through} m away, radius {}", nodes.radius_m);
                }
            }
        }
        println!("{near_but_apart} pairs are near in space and apart in the material");
        assert!(near_but_apart > 20, "{near_but_apart}");
    }
}

#[test]
fn links_run_through_the_material() {
    let mesh = horseshoe();
    let body = SurfaceDistance::new(&surface_of(&mesh));
    let nodes = Nodes::over(&mesh, &options(24)).unwrap();
    let links = nodes.links();
    let mut bent = 0;
    for link in &links {
        let [a, b] = link.nodes.map(|n| nodes.rest[n as usize]);
        assert_eq!((link.path[0], link.path[link.path.len() - 1]), (a, b));
        assert!(link.length_m < nodes.radius_m && link.length_m > a.distance(b) - 1e-6);
        let drawn: f64 = link.path.windows(2).map(|pair| pair[0].distance(pair[1])).sum();
        assert!(drawn < 1.25 * link.length_m + 0.02, "{drawn} for {}", link.length_m);
        bent += usize::from(link.path.len() > 2);
        for pair in link.path.windows(2) {
            let outside = (0..=10).map(|n| body.at(pair[0].lerp(pair[1], f64::from(n) / 10.0))).fold(-1.0, f64::max);
            assert!(outside < 1e-3, "{link:?} leaves the body by {outside} m");
        }
    }
    assert!(bent > 0 && links.len() > nodes.len(), "{bent} of {} links", links.len());
}

#[test]
fn volumes_of_a_quadrature_sum_to_the_body() {
    for (mesh, count) in [(straight(), 12), (horseshoe(), 24), (bar(DVec3::ONE, [1, 1, 1]), 4)] {
        let nodes = Nodes::over(&mesh, &options(count)).unwrap();
        let quadrature = nodes.quadrature(4).unwrap();
        let sum: f64 = quadrature.volume_m3.iter().sum();
        assert!((sum / mesh.volume() - 1.0).abs() < 1e-12, "{sum}");
        assert!(quadrature.points.len() * 10 >= 4 * nodes.len() * 9, "{} points", quadrature.points.len());
        // Points are centroids, so that linear functions are summed nearly exactly.
        let mean = quadrature.points.iter().zip(&quadrature.volume_m3).map(|(x, v)| *x * *v).sum::<DVec3>() / sum;
        let exact =
            mesh.tet_ids().map(|t| mesh.places(t).iter().sum::<DVec3>() / 4.0 * mesh.tet_volume(t)).sum::<DVec3>();
        assert!(mean.distance(exact / mesh.volume()) < 0.02, "{mean}");
    }
}

/// Energies of the eigenvectors of Σ V |sym(Σ u ∇Φᵀ)|², the smallest first.
fn strain_energies(nodes: &Nodes, functions: &ShapeFunctions, volume_m3: &[f64]) -> Vec<f64> {
    let size = 3 * nodes.len();
    let mut form = vec![0.0; size * size];
    for (row, volume) in functions.rows().zip(volume_m3) {
        for (a, ga) in row.nodes.iter().zip(row.gradients) {
            for (b, gb) in row.nodes.iter().zip(row.gradients) {
                for i in 0..3 {
                    for j in 0..3 {
                        // ½ (δ_ij ga·gb + ga_j gb_i).
                        let same = if i == j { ga.dot(*gb) } else { 0.0 };
                        let entry = 0.5 * volume * (same + ga[j] * gb[i]);
                        form[(3 * *a as usize + i) * size + 3 * *b as usize + j] += entry;
                    }
                }
            }
        }
    }
    let vectors = symmetric_eigenvectors(&form, size).unwrap();
    let energy = |v: &Vec<f64>| -> f64 {
        (0..size).map(|i| v[i] * (0..size).map(|j| form[i * size + j] * v[j]).sum::<f64>()).sum()
    };
    vectors.iter().rev().map(energy).collect()
}

#[test]
fn only_rigid_motions_are_free_of_strain_at_the_quadrature_points() {
    for (mesh, count) in [(straight(), 24), (horseshoe(), 24)] {
        let nodes = Nodes::over(&mesh, &options(count)).unwrap();
        let quadrature = nodes.quadrature(4).unwrap();
        let energies = strain_energies(&nodes, &quadrature.functions, &quadrature.volume_m3);
        let largest = energies[energies.len() - 1];
        println!("{:?} of {largest}", &energies[..8]);
        assert!(energies[5] < 1e-12 * largest && energies[6] > 1e-6 * largest, "{:?}", &energies[..8]);
    }
}

#[test]
fn bodies_that_no_nodes_can_span_are_named() {
    let thin = bar(dvec3(1.0, 1.0, 1e-4), [8, 8, 1]);
    assert!(matches!(Nodes::over(&thin, &options(20)), Err(MeshlessError::Flat { .. })));
    let needle = bar(dvec3(1.0, 1e-4, 1e-4), [40, 1, 1]);
    assert!(matches!(Nodes::over(&needle, &options(20)), Err(MeshlessError::Flat { .. })));
    let one = Nodes::over(&straight(), &options(1));
    assert_eq!(one.unwrap_err(), MeshlessError::TooFewNodes { asked: 1, pieces: 1, needed: 4 });
    let mut two = straight();
    let (other, first) = (straight(), two.positions.len() as u32);
    two.positions.extend(other.positions.iter().map(|x| *x + dvec3(0.0, 1.0, 0.0)));
    two.tets.extend(other.tets.iter().map(|tet| tet.map(|v| v + first)));
    let pieces = Nodes::over(&two, &options(6)).unwrap_err();
    assert_eq!(pieces, MeshlessError::TooFewNodes { asked: 6, pieces: 2, needed: 8 });
    assert!(Nodes::over(&two, &options(24)).is_ok());
    let nothing = TetMesh { positions: Vec::new(), tets: Vec::new() };
    assert!(matches!(Nodes::over(&nothing, &options(8)), Err(MeshlessError::NoVolume { .. })));
    let nodes = Nodes::over(&straight(), &options(8)).unwrap();
    let broken = nodes.functions_at(&[DVec3::ZERO, dvec3(f64::NAN, 0.0, 0.0)]);
    assert_eq!(broken, Err(MeshlessError::NotFinite { point: 1 }));
}

/// MM-16, MM-17: both forms agree on rigid motions; on a bend only the exact one is right, and the fast one
/// comes near.
#[test]
fn normals_turn_with_the_body() {
    let mesh = straight();
    let nodes = Nodes::over(&mesh, &options(60)).unwrap();
    let skin = surface_of(&mesh);
    let samples = SurfaceSamples::of(&skin, 300, 1);
    let functions = nodes.functions_at(&samples.points).unwrap();
    let fast = functions.fast_normals(&samples.normals);
    let worst = |a: &[DVec3], b: &[DVec3]| a.iter().zip(b).map(|(a, b)| a.distance(*b)).fold(0.0, f64::max);
    let move_all = |f: &dyn Fn(DVec3) -> DVec3| nodes.rest.iter().map(|x| f(*x) - *x).collect::<Vec<DVec3>>();

    let turn = DQuat::from_scaled_axis(dvec3(0.4, -1.1, 2.0));
    let rigid = move_all(&|x| turn * x + dvec3(3.0, 1.0, -2.0));
    let turned: Vec<DVec3> = samples.normals.iter().map(|n| turn * *n).collect();
    assert!(worst(&functions.normals(&samples.normals, &rigid), &turned) < 1e-9);
    assert!(worst(&fast.normals(&rigid), &turned) < 1e-9);

    // A shear along x: planes y = const keep their normal, which the fast form turns.
    let shear = move_all(&|x| x + dvec3(0.5 * x.y, 0.0, 0.0));
    let on_top = |n: &DVec3| n.y.abs() > 0.99;
    let (exact, approximate) = (functions.normals(&samples.normals, &shear), fast.normals(&shear));
    let off = |now: &[DVec3]| {
        let top = samples.normals.iter().zip(now).filter(|(n, _)| on_top(n));
        top.map(|(n, now)| n.distance(*now)).fold(0.0, f64::max)
    };
    assert!(off(&exact) < 1e-9 && off(&approximate) > 0.3, "{} {}", off(&exact), off(&approximate));

    // A bend into an arc: locally rigid on the middle line only.
    let radius = 1.5;
    let bend = |x: DVec3| dvec3((radius - x.y) * sin(x.x / radius), radius - (radius - x.y) * cos(x.x / radius), x.z);
    let bent = move_all(&bend);
    let arc: Vec<DVec3> =
        samples.points.iter().zip(&samples.normals).map(|(x, n)| DQuat::from_rotation_z(x.x / radius) * *n).collect();
    let (exact, approximate) = (functions.normals(&samples.normals, &bent), fast.normals(&bent));
    println!("bend: exact form off by {}, fast form {}", worst(&exact, &arc), worst(&approximate, &arc));
    assert!(worst(&exact, &arc) < 0.15 && worst(&exact, &approximate) < 0.25);
}

#[test]
fn inner_spheres_lie_inside_and_come_near_all_of_the_surface() {
    let mesh = horseshoe();
    let skin = surface_of(&mesh);
    let tree = TriangleTree::new(&skin.positions, &skin.triangles);
    let spheres = InnerSpheres::of(&mesh, 50);
    for (centre, radius_m) in spheres.centres.iter().zip(&spheres.radius_m) {
        let depth = tree.nearest(*centre).unwrap().distance_squared.sqrt();
        assert!(*radius_m > 0.0 && *radius_m < depth + 1e-12, "{centre}: {radius_m} of {depth}");
    }
    let gaps = [10, 50, 150].map(|count| InnerSpheres::of(&mesh, count).gap_m);
    println!("{gaps:?}");
    assert_eq!(spheres.len(), 50);
    assert!(gaps[1] < 0.06 && gaps[0] > gaps[1] && gaps[1] > gaps[2], "{gaps:?}");
}

#[test]
fn surface_samples_stand_for_their_share_of_area() {
    let mesh = straight();
    let skin = surface_of(&mesh);
    let samples = SurfaceSamples::of(&skin, 1000, 5);
    assert_eq!(samples.len(), 1000);
    assert!((samples.area_m2.iter().sum::<f64>() / skin.area() - 1.0).abs() < 1e-12);
    let on_top: f64 = samples.normals.iter().zip(&samples.area_m2).filter(|(n, _)| n.y > 0.99).map(|(_, a)| a).sum();
    // To within one sample for each row of triangles.
    assert!((on_top - 0.25).abs() < 0.02, "{on_top}");
    assert_eq!(samples, SurfaceSamples::of(&skin, 1000, 5));
    assert_ne!(samples.points, SurfaceSamples::of(&skin, 1000, 6).points);
    assert!(SurfaceSamples::of(&TriangleMesh::default(), 10, 0).is_empty());
}
