//! How long rapier3d takes for one step of a pile of soft bodies, and how near that step is to its own answer at many more iterations: what
//! `pile_step.py` does for the other programs, with the same pile.
//!
//! Iterations are passes of its Gauss–Seidel over constraints within one substep: more substeps would be another rule of integration. The linear
//! solve of its FEM goes to a residual of 1e-6 throughout.

use crate::arguments::Arguments;
use crate::{bar, flesh, world};
use rapier3d::prelude::*;
use sinew_geom::TetMesh;
use sinew_math::DVec3;
use std::time::Instant;

const GAP: f64 = 0.02;
const FRICTION: Real = 0.5;
/// How many times as many iterations the reference has.
const FURTHER: usize = 8;
const NEAR: f64 = 1e-3;
const REPEATS: usize = 3;
/// While the pile falls: enough to stay in one piece, whatever is timed afterwards.
const FALLING_ITERATIONS: usize = 4;
/// Bodies must be somewhere between standing still and having flown apart, metres.
const MOVED_M: std::ops::Range<f64> = 1e-4..10.0;

pub fn run(arguments: &Arguments, bodies: usize) -> Result<String, String> {
    let mesh = bar(arguments);
    let mut pile = Pile::new(&mesh, arguments, bodies)?;
    let start = pile.places()?;
    pile.fall();
    let moved_m = pile.places()?.iter().zip(&start).map(|(a, b)| a.distance(*b)).fold(0.0, f64::max);
    if !MOVED_M.contains(&moved_m) {
        return Err(format!("bodies moved by {moved_m} m before the step"));
    }
    let free = pile.in_free_fall()?;
    let (_, answer) = timed(&mesh, arguments, bodies, FURTHER * arguments.most)?;
    let size = distance(&answer, &free);
    let mut tries = Vec::new();
    for iterations in counts().take_while(|count| *count <= arguments.most) {
        let mut times_ms = Vec::new();
        let mut error = f64::INFINITY;
        for _ in 0..REPEATS {
            let (ms, places) = timed(&mesh, arguments, bodies, iterations)?;
            times_ms.push(ms);
            error = distance(&places, &answer) / size;
        }
        times_ms.sort_by(f64::total_cmp);
        let ms = times_ms[REPEATS / 2];
        tries.push(format!(
            "{{\"solver\": \"FEM\", \"iterations\": {iterations}, \"ms\": {ms:.4}, \"error\": {error:e}}}"
        ));
        if error <= NEAR {
            break;
        }
    }
    Ok(format!("{{\"name\": \"rapier3d 0.36 FEM\", \"tries\": [{}]}}", tries.join(", ")))
}

/// 1, 2, 3, 4, 6, 8, 12, 16 …
fn counts() -> impl Iterator<Item = usize> {
    std::iter::once(1).chain((0..).flat_map(|n| [2 << n, 3 << n]))
}

/// The step after the fall by so many iterations: a world cannot be put back, so that each falls anew, which gives the same bits.
fn timed(mesh: &TetMesh, arguments: &Arguments, bodies: usize, iterations: usize) -> Result<(f64, Vec<DVec3>), String> {
    let mut pile = Pile::new(mesh, arguments, bodies)?;
    pile.fall();
    pile.world.integration_parameters.num_internal_pgs_iterations = iterations;
    let began = Instant::now();
    pile.world.step();
    let ms = 1e3 * began.elapsed().as_secs_f64();
    Ok((ms, pile.places()?))
}

fn distance(a: &[DVec3], b: &[DVec3]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a.distance_squared(*b)).sum::<f64>().sqrt()
}

struct Pile {
    world: PhysicsWorld,
    bodies: Vec<SoftBodyHandle>,
    before: usize,
}

impl Pile {
    fn new(mesh: &TetMesh, arguments: &Arguments, count: usize) -> Result<Self, String> {
        let mut world = world(arguments)?;
        world.insert(
            RigidBodyBuilder::fixed(),
            ColliderBuilder::cuboid(50.0, 0.5, 50.0).translation(Vector::new(0.0, -0.5, 0.0)).friction(FRICTION),
        );
        let bodies = middles(mesh, count).into_iter().map(|middle| world.insert_soft_body(body(mesh, arguments, middle)));
        let bodies = bodies.collect();
        Ok(Self { world, bodies, before: arguments.before })
    }

    fn fall(&mut self) {
        self.world.integration_parameters.num_internal_pgs_iterations = FALLING_ITERATIONS;
        (0..self.before).for_each(|_| self.world.step());
    }

    fn each<T>(&self, of: impl Fn(&SoftBody) -> Vec<T>) -> Result<Vec<T>, String> {
        let mut all = Vec::new();
        for handle in &self.bodies {
            all.extend(of(self.world.soft_bodies.get(*handle).ok_or("a soft body is gone after stepping")?));
        }
        Ok(all)
    }

    fn places(&self) -> Result<Vec<DVec3>, String> {
        self.each(|body| body.particle_positions().map(double).collect())
    }

    /// Where bodies would be after a step in which nothing but gravity acts.
    fn in_free_fall(&self) -> Result<Vec<DVec3>, String> {
        let h = f64::from(self.world.integration_parameters.dt);
        let gravity = double(self.world.gravity);
        self.each(|body| {
            let of = |particle: &SoftBodyParticle| double(particle.position()) + (double(particle.velocity()) + gravity * h) * h;
            body.particles().iter().map(of).collect()
        })
    }
}

fn double(x: Vector) -> DVec3 {
    DVec3::new(f64::from(x.x), f64::from(x.y), f64::from(x.z))
}

/// Where the middles of bodies start: as in `many_bodies.py`.
fn middles(mesh: &TetMesh, count: usize) -> Vec<DVec3> {
    let (low, high) = bounds(mesh);
    let size = high - low;
    let gap = GAP * size.max_element();
    let side = (count as f64).cbrt().ceil() as usize;
    let middle = |number: usize| {
        let (i, k, j) = (number % side, number / (side * side), number / side % side);
        let askew = DVec3::new((1.7 * number as f64).sin(), 0.0, (2.3 * number as f64).cos()) * (0.5 * gap);
        DVec3::new(i as f64, k as f64 + 0.5, j as f64) * (size + DVec3::splat(gap)) + askew + DVec3::Y * gap
    };
    (0..count).map(middle).collect()
}

fn bounds(mesh: &TetMesh) -> (DVec3, DVec3) {
    let none = (DVec3::INFINITY, DVec3::NEG_INFINITY);
    mesh.positions.iter().fold(none, |(low, high), x| (low.min(*x), high.max(*x)))
}

fn body(mesh: &TetMesh, arguments: &Arguments, middle: DVec3) -> SoftBodyBuilder {
    let (low, high) = bounds(mesh);
    let moved = middle - 0.5 * (low + high);
    let moved = Vector::new(moved.x as Real, moved.y as Real, moved.z as Real);
    flesh(mesh, arguments).translated(moved).surface_collider(ColliderBuilder::ball(0.0).friction(FRICTION))
}
