//! What one more stroke costs: fields through 500 painted values at 5000 vertices. `cargo run --release -p sinew_geom --example field_speed`

use sinew_geom::distance::Shape;
use sinew_geom::field::{MeshDistance, Rbf, SmoothField};
use sinew_geom::stuffing::{Fineness, stuff};
use sinew_math::{DVec3, dvec3};
use std::error::Error;
use std::hint::black_box;
use std::time::Instant;

fn main() -> Result<(), Box<dyn Error>> {
    let arm = Shape::torus(1.0, 0.3).union(Shape::sphere(0.5).moved(dvec3(1.0, 0.0, 0.0)), 0.1);
    for wanted in [1000, 5000, 20_000] {
        let mesh = stuff(&arm, Fineness::Vertices(wanted))?.mesh;
        let every = mesh.positions.len() / 500;
        let points: Vec<DVec3> = mesh.positions.iter().step_by(every).take(500).copied().collect();
        let values: Vec<[f64; 1]> = points.iter().map(|x| [x.x * x.y]).collect();
        println!("{} vertices, {} tets, {} constraints", mesh.positions.len(), mesh.tets.len(), points.len());
        let prepared = timed("mesh field, once per flesh", 1, || SmoothField::in_tets(&mesh))?;
        timed("mesh field, places and solve", 3, || prepared.through(&prepared.places(&points), &values))?;
        let six: Vec<[f64; 6]> = values.iter().map(|v| [v[0]; 6]).collect();
        timed("mesh field, six components", 3, || prepared.through(&prepared.places(&points), &six))?;
        let whole = || {
            let rbf = Rbf::through(&points, &values, 0.0).ok_or("no points")?;
            Ok::<_, &str>(mesh.positions.iter().map(|x| rbf.value(*x)[0]).collect::<Vec<f64>>())
        };
        timed("rbf, solve and evaluate", 3, whole)?;
        let measure = MeshDistance::in_tets(&mesh);
        timed("distance from a point", 3, || Ok::<_, Box<dyn Error>>(measure.from_points(&points[..1])))?;
    }
    Ok(())
}

/// Prints the fastest of a few runs.
fn timed<T, E>(what: &str, runs: usize, work: impl Fn() -> Result<T, E>) -> Result<T, E> {
    let mut best = f64::INFINITY;
    for _ in 1..runs {
        let start = Instant::now();
        black_box(work()?);
        best = best.min(start.elapsed().as_secs_f64());
    }
    let start = Instant::now();
    let result = work()?;
    best = best.min(start.elapsed().as_secs_f64());
    println!("  {what}: {:.1} ms", best * 1e3);
    Ok(result)
}
