//! What certificates cost: `cargo run --release -p sinew_motion --example certificate_speed`.
//!
//! A biped of 46 nodes bends, turns and travels through 15 frames: beside a wall and beside another one; then
//! layers of 100 bodies of 20 nodes slide past each other, tumbling.

use sinew_geom::cast::Member;
use sinew_geom::meshless::MeshlessOptions;
use sinew_geom::structured::bar;
use sinew_geom::stuffing::{Fineness, stuff};
use sinew_math::libm::sin;
use sinew_math::{DQuat, DVec3, dvec3};
use sinew_motion::certificate::{CertificateOptions, CertifiedBody, CertifiedObstacle, SurfaceTree, certify};
use sinew_motion::{BodyMotion, MotionCurve, PlanShape, ShapeOptions};
use std::error::Error;
use std::time::Instant;

const FRAMES: usize = 15;

fn main() -> Result<(), Box<dyn Error>> {
    let mesh = stuff(&Member::Biped.figure().shape, Fineness::Vertices(3000))?.mesh;
    let (shape, surface) = prepared(&mesh, 46)?;
    println!("{} flesh points, {} surface triangles", mesh.positions.len(), surface.triangle_count());
    let curve = motion(&shape, |t| dvec3(3.0 * shape.size_m * t, 0.0, 0.0), 1.0)?;
    let lowest = (0..=2000)
        .flat_map(|n| {
            let u = curve.displacements_at(f64::from(n) / 2000.0);
            shape.samples.functions.displaced(&shape.samples.rest, &u)
        })
        .fold(f64::INFINITY, |low, x| low.min(x.y));
    for clearance in [0.3, 0.1, 0.03, 0.01, -0.03] {
        let ground = |x: DVec3, _: f64| x.y - lowest + clearance * shape.size_m;
        let obstacle = CertifiedObstacle { distance: &ground, travel: None };
        report(&format!("wall {clearance} of the size away"), &[(&surface, &curve)], &[obstacle])?;
    }
    for apart in [1.3, 1.0, 0.8, 0.6] {
        let other = motion(&shape, |t| dvec3(3.0 * shape.size_m * (1.0 - t), 0.0, apart * shape.size_m), -1.0)?;
        report(
            &format!("a body that passes {apart} of the size away"),
            &[(&surface, &curve), (&surface, &other)],
            &[],
        )?;
    }
    crowd()
}

fn crowd() -> Result<(), Box<dyn Error>> {
    let (shape, surface) = prepared(&bar(dvec3(0.8, 0.5, 0.3), [10, 6, 4]), 20)?;
    println!("crowd: {} triangles a body", surface.triangle_count());
    for spacing in [1.3, 1.05] {
        let step = spacing * shape.size_m;
        let mut curves = Vec::new();
        for n in 0..100u32 {
            let [i, j, k] = [n % 5, n / 5 % 5, n / 25].map(f64::from);
            let way = if n / 5 % 2 == 0 { 3.0 } else { -3.0 };
            let place = move |t: f64| dvec3(i + way * t, j, k) * step;
            curves.push(motion(&shape, place, 1.0 + 0.01 * f64::from(n))?);
        }
        let bodies: Vec<(&SurfaceTree, &MotionCurve)> = curves.iter().map(|curve| (&surface, curve)).collect();
        report(&format!("100 bodies, {spacing} of their size apart"), &bodies, &[])?;
    }
    Ok(())
}

fn prepared(mesh: &sinew_geom::TetMesh, nodes: usize) -> Result<(PlanShape, SurfaceTree), Box<dyn Error>> {
    let meshless = MeshlessOptions { nodes, ..MeshlessOptions::default() };
    let shape = PlanShape::over(mesh, &ShapeOptions { meshless, ..ShapeOptions::default() })?;
    let surface = SurfaceTree::of_flesh(&shape.nodes)?;
    Ok((shape, surface))
}

/// A second of bending to and fro about the way, a whole turn on the way.
fn motion(shape: &PlanShape, place: impl Fn(f64) -> DVec3, sense: f64) -> Result<MotionCurve, Box<dyn Error>> {
    let centre = shape.frame.rest_centre;
    let frame = |n: usize| {
        let t = n as f64 / (FRAMES - 1) as f64;
        let turn = DQuat::from_scaled_axis(dvec3(0.3, 1.0, 0.2).normalize() * (sense * 6.0 * t));
        let bend = 0.8 * sin(9.0 * t) / shape.size_m;
        let bent = |x: DVec3| {
            let arm = x - centre;
            arm + dvec3(0.5 * bend * arm.y * arm.y, 0.0, 0.0)
        };
        shape.frame.rest.iter().map(|x| place(t) + turn * bent(*x) - *x).collect()
    };
    let times_secs = (0..FRAMES).map(|n| n as f64 / (FRAMES - 1) as f64).collect();
    let displacements = (0..FRAMES).map(frame).collect();
    Ok(MotionCurve::new(&shape.frame, &BodyMotion { times_secs, displacements, breaks: Vec::new() })?)
}

fn report(
    what: &str,
    bodies: &[(&SurfaceTree, &MotionCurve)],
    obstacles: &[CertifiedObstacle<'_>],
) -> Result<(), Box<dyn Error>> {
    let bodies: Vec<CertifiedBody<'_>> =
        bodies.iter().map(|(surface, curve)| CertifiedBody { surface, curve }).collect();
    let start = Instant::now();
    let found = certify(&bodies, obstacles, &CertificateOptions::default())?;
    let took_ms = start.elapsed().as_secs_f64() * 1e3;
    let deepest = found.objections.iter().map(|objection| objection.depth_m).fold(0.0, f64::max);
    let undecided = found.objections.iter().filter(|objection| objection.undecided).count();
    println!(
        "{what}: {took_ms:.1} ms, {} tests, {} objections, {undecided} undecided, deepest {deepest:.4}",
        found.tests,
        found.objections.len()
    );
    Ok(())
}
