//! Real meshes as users bring them: read whole, and turned into meshes that can be simulated.
//!
//! They lie beside a developer's checkout (or where `SINEW_MODELS` says) and are no part of it; without them these tests
//! say so and pass.

use crate::beside::model;
use sinew_geom::TriangleMesh;
use sinew_geom::adjacency::edges;
use sinew_geom::meshless::{MeshlessOptions, Nodes};
use sinew_io::{SurfaceFile, read_surface, read_tets};

/// The volume that a closed surface encloses.
fn volume(mesh: &SurfaceFile) -> f64 {
    let corner = |v: u32| mesh.positions[v as usize];
    mesh.triangles.iter().map(|&[a, b, c]| corner(a).dot(corner(b).cross(corner(c)))).sum::<f64>() / 6.0
}

#[test]
fn tets_of_bunny_and_octopus_become_meshes() {
    // The bunny's tets fill its convex hull, so they hold more than the surface that the same file gives.
    for (name, vertices, tets, fills_surface) in
        [("bunny.mesh", 5433, 34055, false), ("octopus-low.mesh", 452, 1140, true)]
    {
        let Some(path) = model(name) else { continue };
        let file = read_tets(&path).unwrap();
        assert_eq!((file.positions.len(), file.tets.len()), (vertices, tets), "{name}");
        let surface =
            SurfaceFile { positions: file.positions.clone(), triangles: file.triangles.clone(), ..Default::default() };
        let (mesh, repairs) = file.into_mesh().unwrap();
        println!("{name}: {repairs:?}, {} m³ in tets, {} m³ in the surface", mesh.volume(), volume(&surface));
        assert_eq!((mesh.positions.len(), mesh.tets.len(), repairs.dropped_vertices), (vertices, tets, 0));
        let filled = (mesh.volume() / volume(&surface).abs() - 1.0).abs() < 1e-9;
        assert_eq!(filled, fills_surface, "{name}");
    }
}

#[test]
fn two_formats_of_one_surface_agree() {
    let (Some(tets), Some(surface)) = (model("bunny.mesh"), model("bunny.off")) else { return };
    let (tets, surface) = (read_tets(tets).unwrap(), read_surface(surface).unwrap());
    let of_tets = SurfaceFile { positions: tets.positions, triangles: tets.triangles, ..Default::default() };
    assert_eq!(of_tets.triangles.len(), surface.triangles.len());
    assert!((volume(&of_tets) / volume(&surface) - 1.0).abs() < 1e-12);
}

#[test]
fn surfaces_of_cows_bunny_snail_and_armadillo_are_read_whole() {
    let counts = [
        ("spot.obj", 2930, 5856),
        ("cow.obj", 2903, 5804),
        ("bunny.off", 3485, 6966),
        ("snail.obj", 871, 1653),
        ("armadillo.obj", 0, 0),
    ];
    for (name, vertices, faces) in counts {
        let Some(path) = model(name) else { continue };
        let file = read_surface(&path).unwrap();
        if vertices > 0 {
            assert_eq!(file.positions.len(), vertices, "{name}");
            assert!(file.triangles.len() >= faces, "{name}");
        }
        println!(
            "{name}: {} vertices, {} triangles, {} sets",
            file.positions.len(),
            file.triangles.len(),
            file.sets.len()
        );
        let enclosed = volume(&file);
        let mesh = TriangleMesh::new(file.positions, file.triangles).unwrap();
        let (low, high) = mesh.bounds();
        let size = high - low;
        assert!(enclosed.abs() > 1e-3 * size.x * size.y * size.z, "{name}: volume {enclosed}");
    }
}

/// MM-12: a way along edges is no shorter than the way through the material, and longer by less than half.
#[test]
fn fingers_of_a_hand_do_not_couple() {
    const DETOUR: f64 = 1.5;
    let Some(path) = model("hand.mesh") else { return };
    let (mesh, _) = read_tets(path).unwrap().into_mesh().unwrap();
    let nodes = Nodes::over(&mesh, &MeshlessOptions::default()).unwrap();
    let functions = nodes.functions_at(&mesh.positions).unwrap();
    let edges = edges(mesh.positions.len(), &mesh.tets);
    let (mut apart, mut moved) = (0, 0);
    for node in (0..nodes.len()).step_by(5) {
        let place = nodes.rest[node];
        let mut way: Vec<f64> = mesh.positions.iter().map(|x| if *x == place { 0.0 } else { f64::INFINITY }).collect();
        loop {
            let before = way.clone();
            for [a, b] in edges.iter().map(|edge| edge.map(|v| v as usize)) {
                let length = mesh.positions[a].distance(mesh.positions[b]);
                (way[a], way[b]) = (way[a].min(way[b] + length), way[b].min(way[a] + length));
            }
            if way == before {
                break;
            }
        }
        for (vertex, x) in mesh.positions.iter().enumerate().filter(|(vertex, _)| way[*vertex].is_finite()) {
            let is_moved = functions.row(vertex).nodes.contains(&(node as u32));
            if way[vertex] > DETOUR * nodes.radius_m {
                assert!(!is_moved, "node {node} moves {x}, {} away for a radius of {}", way[vertex], nodes.radius_m);
                apart += usize::from(x.distance(place) < nodes.radius_m);
            }
            moved += usize::from(way[vertex] < nodes.radius_m && is_moved);
        }
    }
    println!("{apart} pairs are near in space and apart in the hand; {moved} are near");
    assert!(apart > 50 && moved > 1000, "{apart} {moved}");
}
