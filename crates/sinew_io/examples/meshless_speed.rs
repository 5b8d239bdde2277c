//! What meshless functions of a body cost and how well they fit: `cargo run --release -p sinew_io --example
//! meshless_speed -- armadillo.obj 3000 46`

use sinew_geom::distance::SurfaceDistance;
use sinew_geom::meshless::{MeshlessOptions, Nodes};
use sinew_geom::stuffing::{Fineness, stuff};
use sinew_geom::{TetMesh, TriangleMesh};
use sinew_io::{read_surface, read_tets};
use std::error::Error;
use std::time::Instant;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let path = arguments.next().ok_or("name a mesh: a surface, or tets (.mesh)")?;
    let flesh_points: usize = arguments.next().map_or(Ok(3000), |text| text.parse())?;
    let counts: Vec<usize> = arguments.map(|text| text.parse()).collect::<Result<_, _>>()?;
    let (flesh, skin) = read_body(&path, flesh_points)?;
    println!("{} flesh points, {} tets, {} skin points", flesh.positions.len(), flesh.tets.len(), skin.positions.len());
    for nodes in if counts.is_empty() { vec![20, 46, 66, 100] } else { counts } {
        print_costs(&flesh, &skin, nodes)?;
    }
    Ok(())
}

fn print_costs(flesh: &TetMesh, skin: &TriangleMesh, nodes: usize) -> Result<(), Box<dyn Error>> {
    let start = Instant::now();
    let body = Nodes::over(flesh, &MeshlessOptions { nodes, ..MeshlessOptions::default() })?;
    let sampled = start.elapsed();
    let (low, high) = TriangleMesh { positions: flesh.positions.clone(), triangles: Vec::new() }.bounds();
    println!("{} nodes for {nodes}, radius {:.4} of the size", body.len(), body.radius_m / low.distance(high));
    println!("  {:?}", body.fit());
    println!("  nodes over the flesh: {:.1} ms", sampled.as_secs_f64() * 1e3);
    let start = Instant::now();
    let quadrature = body.quadrature(4)?;
    let sum: f64 = quadrature.volume_m3.iter().sum();
    let (least, most) =
        quadrature.volume_m3.iter().fold((f64::MAX, 0.0), |(l, m), v| (f64::min(l, *v), f64::max(m, *v)));
    println!(
        "  quadrature: {} points, {:.1} ms, sum of volumes off by {:.1e}, smallest to largest 1 : {:.1}",
        quadrature.points.len(),
        start.elapsed().as_secs_f64() * 1e3,
        sum / flesh.volume() - 1.0,
        most / least
    );
    let start = Instant::now();
    let functions = body.functions_at(&flesh.positions)?;
    println!("  functions at the flesh: {:.1} ms", start.elapsed().as_secs_f64() * 1e3);
    let start = Instant::now();
    let on_skin = body.functions_on_skin(skin)?;
    println!("  functions on the skin: {:.1} ms", start.elapsed().as_secs_f64() * 1e3);
    let largest = |functions: &sinew_geom::meshless::ShapeFunctions| {
        functions.rows().flat_map(|row| row.values.to_vec()).fold(0.0, |most: f64, value| most.max(value.abs()))
    };
    println!("  largest value: flesh {:.3}, skin {:.3}", largest(&functions), largest(&on_skin));
    println!("  {} links", body.links().len());
    Ok(())
}

fn read_body(path: &str, points: usize) -> Result<(TetMesh, TriangleMesh), Box<dyn Error>> {
    if path.ends_with(".mesh") {
        let file = read_tets(path)?;
        let (flesh, _) = file.into_mesh()?;
        let skin = TriangleMesh { positions: flesh.positions.clone(), triangles: flesh.boundary() };
        return Ok((flesh, skin));
    }
    let file = read_surface(path)?;
    let skin = TriangleMesh { positions: file.positions, triangles: file.triangles };
    Ok((stuff(&SurfaceDistance::new(&skin), Fineness::Vertices(points))?.mesh, skin))
}
