//! Gradient and Hessian of a plan against central differences, term by term.

use super::keys::ResolvedKeys;
use super::problem::*;
use super::system::{Places, System};
use crate::block_banded::BlockBanded;
use crate::energy::{Curvature, Elastic};
use crate::interpolation::DetailFrame;
use crate::shape::{PlanShape, ShapeOptions};
use sinew_geom::meshless::MeshlessOptions;
use sinew_geom::structured::bar;
use sinew_math::{DQuat, DVec3, dvec3};
use std::sync::Arc;

struct Ball;

impl Obstacle for Ball {
    fn distance(&self, point: DVec3, secs: f64) -> (f64, DVec3) {
        let way = point - dvec3(0.3 + 0.2 * secs, 0.2, 0.1);
        (way.length() - 0.35, way.normalize_or_zero())
    }
}

fn shape() -> Arc<PlanShape> {
    let meshless = MeshlessOptions { nodes: 12, ..MeshlessOptions::default() };
    let options = ShapeOptions { meshless, samples: 20, spheres: 8, ..ShapeOptions::default() };
    Arc::new(PlanShape::over(&bar(dvec3(1.0, 0.4, 0.3), [6, 3, 2]), &options).unwrap())
}

fn problem(weights: PlanWeights, bodies: usize, has_obstacle: bool) -> PlanProblem {
    let shape = shape();
    let key = |n: usize, secs: f64| PlanKey::Pose {
        at_secs: secs,
        pose: Pose::Rigid { at: dvec3(secs, 0.3 * n as f64, 0.0), turn: DQuat::from_rotation_y(0.8 * secs) },
    };
    let foot = PlanKey::Points {
        from_secs: 0.2,
        to_secs: 0.4,
        rest: shape.nodes.rest[..3].to_vec(),
        places: PointPlaces::At(vec![dvec3(0.2, 0.0, 0.1); 3]),
    };
    let body = |n: usize| PlanBody {
        name: format!("body {n}"),
        shape: shape.clone(),
        keys: vec![key(n, 0.0), key(n, 1.0), foot.clone()],
        guesses: Vec::new(),
        frames: Frames::At(vec![0.2, 0.4, 0.5, 0.8]),
        breaks_secs: vec![0.5],
    };
    let obstacle = PlanObstacle { name: "ball".into(), distance: Arc::new(Ball) };
    PlanProblem {
        bodies: (0..bodies).map(body).collect(),
        obstacles: if has_obstacle { vec![obstacle] } else { Vec::new() },
        weights,
        options: PlanOptions { clearance_m: Some(0.1), ..PlanOptions::default() },
    }
}

/// The first guess, turned unevenly and with some noise.
fn noisy(problem: &PlanProblem, keys: &[ResolvedKeys], times: &[Vec<f64>]) -> Places {
    let mut y = super::first_places(problem, keys, times, None).unwrap();
    for (b, frames) in y.iter_mut().enumerate() {
        for (j, nodes) in frames.iter_mut().enumerate() {
            let turn = DQuat::from_axis_angle(dvec3(1.0, j as f64, -0.5).normalize(), 0.35 * ((j * 7 + 3) % 5) as f64);
            for (i, y) in nodes.iter_mut().enumerate() {
                let noise = |k: usize| ((i * 37 + j * 101 + k * 13 + b * 7) % 23) as f64 / 23.0 - 0.5;
                *y = turn * *y + dvec3(noise(1), noise(2), noise(3)) * 0.06;
            }
        }
    }
    y
}

fn moved(system: &System<'_>, y: &Places, turns: &[Vec<DQuat>], p: &[f64], amount: f64) -> Places {
    let mut moved = y.clone();
    let mut at = 0;
    for (b, body) in system.bodies.iter().enumerate() {
        for frame in &body.free.frames {
            for node in &mut moved[b][*frame] {
                *node += turns[b][*frame] * dvec3(p[at], p[at + 1], p[at + 2]) * amount;
                at += 3;
            }
        }
    }
    moved
}

/// Gradient over free frames, in the axes of `turns`.
fn gradient(system: &System<'_>, y: &Places, turns: &[Vec<DQuat>]) -> Vec<f64> {
    let at = system.linearise(y);
    let mut all = Vec::new();
    for (b, body) in system.bodies.iter().enumerate() {
        for frame in &body.free.frames {
            let turn = turns[b][*frame].conjugate() * at.bodies[b].postures[*frame].turn;
            all.extend(at.bodies[b].gradient[*frame].iter().flat_map(|g| (turn * *g).to_array()));
        }
    }
    all
}

/// Relative errors of the derivative along a direction and of the Hessian times it.
fn errors(problem: &PlanProblem, step: f64) -> [f64; 2] {
    let keys: Vec<ResolvedKeys> = problem.bodies.iter().map(|b| ResolvedKeys::new(b).unwrap()).collect();
    let times: Vec<Vec<f64>> = keys.iter().map(|k| k.times.clone()).collect();
    let y = noisy(problem, &keys, &times);
    let system = super::build_system(problem, &keys, times, &y);
    let at = system.linearise(&y);
    let turns: Vec<Vec<DQuat>> = at.bodies.iter().map(|b| b.postures.iter().map(|p| p.turn).collect()).collect();
    let count: usize = system.bodies.iter().map(super::system::BodySystem::unknowns).sum();
    let p: Vec<f64> = (0..count).map(|n| ((n * 29 + 5) % 31) as f64 / 31.0 - 0.5).collect();
    let [up, down] = [step, -step].map(|a| moved(&system, &y, &turns, &p, a));
    let by_differences = (system.energies(&up).total() - system.energies(&down).total()) / (2.0 * step);
    let g = gradient(&system, &y, &turns);
    let slope: f64 = g.iter().zip(&p).map(|(g, p)| g * p).sum();
    let matrices: Vec<BlockBanded> = system.hessians(&at, Curvature::Exact);
    let mut product = Vec::new();
    let mut start = 0;
    for (body, matrix) in system.bodies.iter().zip(&matrices) {
        product.extend(matrix.times(&p[start..start + body.unknowns()]));
        start += body.unknowns();
    }
    let (up, down) = (gradient(&system, &up, &turns), gradient(&system, &down, &turns));
    let rate: Vec<f64> = up.iter().zip(&down).map(|(u, d)| (u - d) / (2.0 * step)).collect();
    let length: f64 = rate.iter().map(|r| r * r).sum::<f64>().sqrt();
    let off: f64 = rate.iter().zip(&product).map(|(r, q)| (r - q) * (r - q)).sum::<f64>().sqrt();
    let sum = system.energies(&y).total();
    assert!((sum - at.energies.total()).abs() < 1e-12 * sum.abs().max(1.0));
    [(slope - by_differences).abs() / by_differences.abs(), off / length]
}

fn only(acceleration: f64, turn: f64, frame: DetailFrame) -> PlanWeights {
    let elastic = Elastic::StrainAndLogVolume { strain: 1e-9, volume: 1e-9 };
    PlanWeights { elastic, acceleration, turn, spin: 0.0, acceleration_frame: frame, ..PlanWeights::default() }
}

#[test]
fn derivatives_of_every_term_match_central_differences_at_order_two() {
    let body = DetailFrame::Body;
    let cases = [
        ("elastic", PlanWeights { acceleration: 0.0, ..PlanWeights::default() }),
        ("world", only(1.0, 0.0, DetailFrame::World)),
        ("body", only(1.0, 0.0, body)),
        ("turn", only(1e-6, 1e6, body)),
        ("all", PlanWeights { acceleration: 0.1, spin: 0.0, ..PlanWeights::default() }),
    ];
    for (name, weights) in cases {
        let problem = problem(weights, 1, false);
        let (coarse, fine) = (errors(&problem, 2e-4), errors(&problem, 1e-4));
        for n in 0..2 {
            assert!(fine[n] < 0.3 * coarse[n] + 1e-7, "{name}: {coarse:?} {fine:?}");
        }
    }
}

#[test]
fn the_gradient_of_spin_matches_central_differences() {
    let problem = problem(PlanWeights { spin: 50.0, ..PlanWeights::default() }, 1, false);
    let found = errors(&problem, 1e-5);
    assert!(found[0] < 1e-7, "{found:?}");
}

/// The penalty keeps only the curvature along the normal, so that its Hessian is not exact; its gradient is.
#[test]
fn gradients_of_contacts_match_central_differences() {
    for bodies in [1, 2] {
        let problem = problem(PlanWeights { acceleration: 0.1, ..PlanWeights::default() }, bodies, true);
        let found = errors(&problem, 1e-6);
        assert!(found[0] < 1e-5, "{bodies}: {found:?}");
    }
}
