//! Times one step of rapier3d's soft bodies on a structured bar: `rapier_peer --vertices N --steps S --threads T --kind corotated|volume|FEM`.
//!
//! The bar hangs from one end under gravity, step 5 ms unless asked otherwise, no contact, no sleeping. An iteration is one pass over all
//! constraints: one solver iteration with one internal pass and no stabilisation, the least work that the peer can be
//! asked for. Prints one line, `RESULT {json}`, times in milliseconds per step.

mod arguments;
mod pile;

use arguments::{Arguments, Kind};
use rapier3d::prelude::*;
use sinew_geom::{TetMesh, structured};
use sinew_math::DVec3;
use std::process::ExitCode;
use std::time::Instant;

/// Iterations that a linear solve may take to reach an asked residual.
const MOST_LINEAR_ITERATIONS: usize = 1000;
/// Steps before timing, in which the peer sorts its constraints and fills its caches.
const WARM_UP_STEPS: usize = 5;
const DENSITY_KG_M3: f64 = 1000.0;
const POISSON: Real = 0.4;

fn main() -> ExitCode {
    match Arguments::parse(std::env::args().skip(1)).and_then(|arguments| run(&arguments)) {
        Ok(line) => {
            println!("RESULT {line}");
            ExitCode::SUCCESS
        }
        Err(message) => {
            eprintln!("rapier_peer: {message}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &Arguments) -> Result<String, String> {
    if let Some(bodies) = arguments.pile {
        return pile::run(arguments, bodies);
    }
    let bar = bar(arguments);
    let mut times_ms = match &arguments.first {
        None => {
            let (mut world, body) = hung(&bar, arguments)?;
            let times_ms = time_steps(&mut world, arguments.steps);
            check_motion(&world, body, &bar)?;
            times_ms
        }
        Some(file) => time_first_steps(&bar, arguments, file)?,
    };
    times_ms.sort_by(f64::total_cmp);
    let (median_ms, min_ms) = (times_ms[times_ms.len() / 2], times_ms[0]);
    let Arguments { threads, iterations, kind, .. } = arguments;
    Ok(format!(
        "{{\"name\": \"rapier3d 0.36 {}\", \"vertices\": {}, \"tets\": {}, \"threads\": {threads}, \"iterations\": {iterations}, \
         \"median_ms\": {median_ms:.5}, \"min_ms\": {min_ms:.5}}}",
        kind.name(),
        bar.positions.len(),
        bar.tets.len(),
    ))
}

fn bar(arguments: &Arguments) -> TetMesh {
    if let Some(cells) = arguments.cells {
        return structured::bar(DVec3::from_array(cells.map(|count| 0.1 * count as f64)), cells);
    }
    let size_m = DVec3::from_array(arguments.bar_size_m());
    structured::bar(size_m, structured::bar_cells(size_m, arguments.vertices))
}

fn hung(bar: &TetMesh, arguments: &Arguments) -> Result<(PhysicsWorld, SoftBodyHandle), String> {
    let mut world = world(arguments)?;
    let body = world.insert_soft_body(soft_bar(bar, arguments));
    Ok((world, body))
}

/// The first step from rest, each time in a new world. What the peer sets up in its first step cannot be told apart from it, so the time is that of
/// the second step: the same work.
fn time_first_steps(bar: &TetMesh, arguments: &Arguments, file: &str) -> Result<Vec<f64>, String> {
    const REPEATS: usize = 5;
    let mut times_ms = Vec::new();
    for _ in 0..REPEATS {
        let (mut world, body) = hung(bar, arguments)?;
        world.step();
        check_motion(&world, body, bar)?;
        let body = world.soft_bodies.get(body).ok_or("the soft body is gone after stepping")?;
        let lines: Vec<String> = body.particle_positions().map(|x| format!("{} {} {}", x.x, x.y, x.z)).collect();
        std::fs::write(file, lines.join("\n")).map_err(|error| format!("{file}: {error}"))?;
        let began = Instant::now();
        world.step();
        times_ms.push(1e3 * began.elapsed().as_secs_f64());
    }
    Ok(times_ms)
}

fn world(arguments: &Arguments) -> Result<PhysicsWorld, String> {
    let mut world = PhysicsWorld::new();
    let parameters = &mut world.integration_parameters;
    parameters.dt = arguments.step_secs as Real;
    parameters.num_solver_iterations = arguments.iterations;
    parameters.num_internal_pgs_iterations = 1;
    parameters.num_internal_stabilization_iterations = 0;
    parameters.soft_bodies.max_extra_substeps = 0;
    if let Some(residual) = arguments.residual {
        parameters.soft_bodies.fem.linear_tolerance = residual as Real;
        parameters.soft_bodies.fem.max_linear_iterations = MOST_LINEAR_ITERATIONS;
    }
    use_threads(&mut world, arguments.threads)?;
    Ok(world)
}

#[cfg(feature = "parallel")]
fn use_threads(world: &mut PhysicsWorld, threads: usize) -> Result<(), String> {
    let pool = world.physics_pipeline.configure_thread_pool(threads);
    pool.map_err(|error| format!("cannot make a pool of {threads} threads: {error}"))
}

#[cfg(not(feature = "parallel"))]
fn use_threads(_: &mut PhysicsWorld, threads: usize) -> Result<(), String> {
    if threads == 1 { Ok(()) } else { Err(format!("built without `parallel`, so --threads must be 1, not {threads}")) }
}

/// A bar that hangs from one end and touches nothing.
fn soft_bar(bar: &TetMesh, arguments: &Arguments) -> SoftBodyBuilder {
    let held = bar.positions.iter().map(|x| x.x).fold(f64::INFINITY, f64::min);
    let pinned = (0..bar.positions.len() as u32).filter(|&v| bar.positions[v as usize].x <= held + 1e-9);
    flesh(bar, arguments).pinned_particles(pinned).no_surface_collider()
}

/// Nothing but flesh.
fn flesh(bar: &TetMesh, arguments: &Arguments) -> SoftBodyBuilder {
    let vector = |x: &DVec3| Vector::new(x.x as Real, x.y as Real, x.z as Real);
    let masses = bar.vertex_volumes().iter().map(|volume| (volume * DENSITY_KG_M3) as Real).collect();
    let material = SoftBodyMaterial { young_modulus: arguments.young_pa as Real, poisson_ratio: POISSON, ..SoftBodyMaterial::default() };
    let builder = SoftBodyBuilder::new(bar.positions.iter().map(vector).collect())
        .masses(masses)
        .cells(bar.tets.clone())
        .material(material)
        .additional_pgs_iterations(0)
        .can_sleep(false)
        .self_contacts(false);
    match arguments.kind {
        Kind::Corotated => builder.cell_model(SoftBodyCellModel::Corotational),
        Kind::Fem => builder.cell_model(SoftBodyCellModel::Corotational).solver(SoftBodySolver::Fem),
        // Volumes alone let a bar shear freely; the peer's guide pairs them with the cells' edges.
        Kind::Volume => {
            let edges = builder.cell_edges();
            builder.edges(edges).cell_model(SoftBodyCellModel::Volume)
        }
    }
}

fn time_steps(world: &mut PhysicsWorld, steps: usize) -> Vec<f64> {
    for _ in 0..WARM_UP_STEPS {
        world.step();
    }
    let mut time_step = || {
        let began = Instant::now();
        world.step();
        1e3 * began.elapsed().as_secs_f64()
    };
    (0..steps).map(|_| time_step()).collect()
}

/// A time counts only if the bar really moved, stayed in one piece and was held where it should be.
fn check_motion(world: &PhysicsWorld, body: SoftBodyHandle, bar: &TetMesh) -> Result<(), String> {
    let body = world.soft_bodies.get(body).ok_or("the soft body is gone after stepping")?;
    let length_m = bar.positions.iter().map(|x| 2.0 * x.length()).fold(0.0, f64::max);
    let mut moved_m: f64 = 0.0;
    for (now, start) in body.particle_positions().zip(&bar.positions) {
        let now = DVec3::new(now.x as f64, now.y as f64, now.z as f64);
        if !now.is_finite() || now.length() > 10.0 * length_m {
            return Err(format!("a particle flew off to {now}"));
        }
        moved_m = moved_m.max(now.distance(*start));
    }
    if moved_m < 1e-6 * length_m {
        return Err("nothing moved: the peer was asleep".to_owned());
    }
    Ok(())
}
