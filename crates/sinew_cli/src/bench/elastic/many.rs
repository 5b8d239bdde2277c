//! Piles of elastic bodies per simulated second, ours and each peer's at the largest step at which no body gets deeper into another, or into the
//! floor, than a hundredth of its size. The search ends where a peer has had its time: the shortest step that was tried is told then, and that it is still too long.

use super::{Peers, Row};
use crate::failure::Failure;
use sinew::bake::{Built, build, deepest_penetration};
use sinew::geom::structured;
use sinew::math::DVec3;
use sinew::scene::Document;
use sinew::solve::StageState;
use std::path::Path;
use std::time::Instant;

/// Bodies, and cubes of 0.1 m along each of their axes.
const PILES: [(usize, [usize; 3]); 2] = [(31, [8, 6, 4]), (101, [2, 2, 7])];
/// Steps that are tried, the longest first.
const STEPS_SECS: [f64; 5] = [1.0 / 60.0, 0.01, 0.005, 0.002, 0.001];
const PEERS: [&str; 3] = ["pybullet", "mujoco", "newton"];
const SWEEPS: u32 = 10;
/// How long piles are watched, and how often their depth is looked at.
const SECS: f64 = 0.25;
const LOOK_SECS: f64 = 0.02;
/// Free space between bodies, as a share of their longest side.
const GAP: f64 = 0.02;
/// Of the body's size.
const DEEPEST: f64 = 0.01;
/// How long a peer may look for its step in one pile, and a single run take: Newton needs a second for a step.
const PEER_SECS: f64 = 50.0;
const RUN_SECS: f64 = 40.0;

pub(crate) fn measure(peers: &Peers) -> Result<Vec<Row>, Failure> {
    let mut rows = Vec::new();
    for (count, cells) in PILES {
        let size = DVec3::from_array(cells.map(|n| n as f64)) * 0.1;
        let mesh = structured::bar(size, cells);
        let ours = at_largest_step("sinew", |h| ours(count, size, mesh.positions.len(), h))?;
        let points = mesh.positions.len();
        for peer in PEERS {
            let run = |h_secs| {
                let pile = Pile { bodies: count, h_secs, secs: SECS, deepest: DEEPEST, budget_secs: RUN_SECS };
                peers.pile(&mesh, peer, &pile)
            };
            let theirs = at_largest_step(peer, run);
            let said =
                |run: &Run| format!("{}{:.1} ms", if run.is_shallow() { "" } else { "too deep at " }, run.h_secs * 1e3);
            let of_peer = theirs.as_ref().map_or_else(|_| String::new(), |run| format!(", h {}", said(run)));
            let row = Row::new(
                format!("{count} × {points} in a pile, 1 s, h {}", said(&ours)),
                ours.ms_per_sec(),
                format!("{peer}{of_peer}"),
                theirs.map(|run| run.ms_per_sec()),
            );
            rows.push(row.told());
        }
    }
    Ok(rows)
}

/// A pile at one step.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Run {
    pub h_secs: f64,
    pub step_ms: f64,
    /// The deepest any body was in another, as a share of its size; infinite where it flew apart.
    pub penetration: f64,
}

impl Run {
    fn is_shallow(&self) -> bool {
        self.penetration < DEEPEST
    }

    fn ms_per_sec(&self) -> f64 {
        self.step_ms / self.h_secs
    }
}

/// A pile for a peer.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Pile {
    pub bodies: usize,
    pub h_secs: f64,
    /// How much of its life is simulated.
    pub secs: f64,
    /// Where bodies are deeper in each other than this, as a share of their size, the run ends.
    pub deepest: f64,
    pub budget_secs: f64,
}

/// The first run that stays shallow, or the one with the shortest step that there was time for.
fn at_largest_step<E>(of: &str, mut run: impl FnMut(f64) -> Result<Run, E>) -> Result<Run, E> {
    let begun = Instant::now();
    let mut timed = |h_secs: f64| {
        let before = begun.elapsed();
        let run = run(h_secs)?;
        let (h_ms, deep) = (h_secs * 1e3, run.penetration * 100.0);
        eprintln!("  {of}, h {h_ms:.1} ms: {:.1} ms a step, {deep:.2} % deep", run.step_ms);
        Ok((run, (begun.elapsed() - before).as_secs_f64()))
    };
    let (mut last, mut took_secs) = timed(STEPS_SECS[0])?;
    for h_secs in &STEPS_SECS[1..] {
        // A run with shorter steps has more of them.
        let next_secs = took_secs * last.h_secs / h_secs;
        if last.is_shallow() || begun.elapsed().as_secs_f64() + next_secs > PEER_SECS {
            break;
        }
        (last, took_secs) = timed(*h_secs)?;
    }
    Ok(last)
}

fn ours(count: usize, size: DVec3, points: usize, h_secs: f64) -> Result<Run, Failure> {
    let solver = format!("kind = \"fem\", method = \"descent\", iterations = {SWEEPS}");
    let document = Document::parse(&scene(count, size, points, h_secs, &solver), "pile")?;
    let mut built = build(document.scene(), Path::new("."), 1)?;
    let mut state = built.stage.first_state();
    let steps = (SECS / h_secs).round() as usize;
    let look_every = ((LOOK_SECS / h_secs).round() as usize).max(1);
    let (mut times_ms, mut deepest_m) = (Vec::new(), 0.0f64);
    for number in 1..=steps {
        let begun = Instant::now();
        built.stage.step(&mut state, &[]).map_err(|error| Failure::new(error.to_string(), "report this pile"))?;
        times_ms.push(begun.elapsed().as_secs_f64() * 1e3);
        if number % look_every == 0 {
            deepest_m = deepest_m.max(deepest(&built, &state));
        }
    }
    // Bodies lie on each other in the last two thirds.
    let mut timed = times_ms.split_off(times_ms.len() / 3);
    timed.sort_unstable_by(f64::total_cmp);
    Ok(Run { h_secs, step_ms: timed[timed.len() / 2], penetration: deepest_m / size.length() })
}

fn deepest(built: &Built, state: &StageState) -> f64 {
    let lowest = state.bodies.iter().flat_map(|body| &body.x).map(|x| x.y).fold(f64::MAX, f64::min);
    deepest_penetration(&built.stage, state).map_or(0.0, |deepest| deepest.depth_m).max(-lowest)
}

/// The pile that the peers' script builds: copies on a grid above a floor, each a little askew.
pub(super) fn scene(count: usize, size: DVec3, points: usize, h_secs: f64, solver: &str) -> String {
    let gap = GAP * size.max_element();
    let side = (count as f64).cbrt().ceil() as usize;
    let place = |number: usize| {
        let (i, k, j) = (number % side, number / (side * side), number / side % side);
        let askew = 0.5 * gap * DVec3::new((1.7 * number as f64).sin(), 0.0, (2.3 * number as f64).cos());
        let at = DVec3::new(i as f64, k as f64 + 0.5, j as f64) * (size + gap) + askew + DVec3::Y * gap;
        format!("[{:.6}, {:.6}, {:.6}]", at.x, at.y, at.z)
    };
    let places: Vec<String> = (0..count).map(place).collect();
    format!(
        r#"sinew = 1
[scene]
frames = [1, 100000]
fps = {}
substeps = 1
[[body]]
name = "bar"
skin = {{ model = "bar", size = [{}, {}, {}] }}
copies = {{ places = [{}] }}
material = {{ density_kg_m3 = 1000.0, young_pa = 1.0e5, poisson = 0.4, damping = {{ rayleigh_stiffness_secs = 0.01 }} }}
friction = 0.5
flesh = {{ kind = "tets", vertices = {points} }}
solver = {{ {solver} }}
[[obstacle]]
name = "floor"
shape = "plane"
"#,
        (1.0 / h_secs).round(),
        size.x,
        size.y,
        size.z,
        places.join(", "),
    )
}
