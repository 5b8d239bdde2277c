//! ProcDef's Table 1 on one thread: whole steps (directors, contact, passes, checks; no pictures) of the built-in scenes,
//! against pyPBD's shape matching on the same regions, rapier3d's soft bodies, and what the machine can do at the most.

use super::limits::{Limits, bytes_per_sec};
use super::{Peers, Row, in_turns, median_ms};
use crate::failure::Failure;
use crate::scene_arg;
use sinew::bake::{Method, Stage, StageBody, build};
use sinew::geom::TetMesh;
use sinew::scene::Document;
use sinew::solve::shape_matching::MatchingWork;
use sinew::solve::{Cells, Flesh, StageState};
use std::path::Path;

struct Case {
    scene: &'static str,
    /// Measured in 2009 on a Core 2 Duo, where the paper has it.
    paper_ms: Option<f64>,
    reach_ms: f64,
}

const CASES: [Case; 6] = [
    Case { scene: "jellyfish", paper_ms: Some(4.37), reach_ms: 0.16 },
    Case { scene: "worm-crawl", paper_ms: Some(5.04), reach_ms: 0.20 },
    Case { scene: "jellyfish-school", paper_ms: Some(31.64), reach_ms: 2.0 },
    Case { scene: "worms", paper_ms: Some(34.01), reach_ms: 1.8 },
    Case { scene: "heart", paper_ms: Some(14.79), reach_ms: 0.55 },
    Case { scene: "bowel", paper_ms: Some(17.49), reach_ms: 0.66 },
];
const LARGE_REACH_MS: f64 = 15.0;

/// Substeps before timing: caches are warm, the wave has run through, and what falls has come to lie in a heap.
const WARM_UP_STEPS: usize = 192;
/// Peers take minutes for more than this.
const MOST_PEER_REGIONS: usize = 20_000;
/// Regions and passes that are timed, about, in each of the rounds.
const TIMED_WORK: usize = 1_500_000;

pub(crate) fn measure(peers: &Peers) -> Result<Vec<Row>, Failure> {
    let limits = Limits::measure();
    eprintln!("one core: {:.0} GFLOP/s in f32", limits.flops_per_sec() * 1e-9);
    let mut rows = Vec::new();
    for case in &CASES {
        match scene_arg::open(case.scene.as_ref()) {
            Ok(open) => rows.extend(measure_stage(case, open.build(1)?.stage, peers, &limits)?),
            Err(failure) => eprintln!("{}: left out; {}", case.scene, failure.to_text()),
        }
    }
    let large = Case { scene: "bar of 100k", paper_ms: None, reach_ms: LARGE_REACH_MS };
    let document = Document::parse(LARGE, large.scene)?;
    rows.extend(measure_stage(&large, build(document.scene(), Path::new("."), 1)?.stage, peers, &limits)?);
    Ok(rows)
}

/// A large bar with a wave in it.
const LARGE: &str = r#"
sinew = 1
[scene]
frames = [1, 1000]
gravity = [0.0, 0.0, 0.0]
[[body]]
name = "bar"
skin = { model = "bar", size = [4.0, 2.0, 2.0] }
flesh = { kind = "tets", vertices = 100000 }
solver = { kind = "shape_matching", iterations = 1 }
[[body.director]]
kind = "muscle"
period = 1.0
primary = [[0.0, 1.0], [0.5, 0.8]]
fibres = { along = "x" }
phase = { along = "x" }
"#;

fn measure_stage(case: &Case, stage: Stage, peers: &Peers, limits: &Limits) -> Result<Vec<Row>, Failure> {
    let work = work_of(&stage);
    let bodies = stage.bodies().len();
    let flesh = stage.bodies()[0].flesh.clone();
    let mesh = tets_of(&flesh);
    let region_passes = (work.regions * work.passes) as f64;
    let copies = if bodies > 1 { format!("{bodies} × ") } else { String::new() };
    let name = format!("{}, {copies}{}, N={}", case.scene, flesh.point_count(), work.passes - 1);
    let mut ours = Ours::new(stage)?;
    let steps = (TIMED_WORK / (work.regions * work.passes)).clamp(8, 400);
    let mut row = in_turns(
        name.clone(),
        "pyPBD 2.2.2, 1-ring regions",
        || ours.step_ms(steps),
        || match &mesh {
            Some(mesh) if work.regions <= MOST_PEER_REGIONS => peers.pypbd_ms(mesh, steps.min(30), work.passes, bodies),
            _ => Err("too large for it".to_owned()),
        },
    );
    if let Some(error) = ours.failed {
        return Err(Failure::new(format!("{name}: {error}"), "run `sinew bake` on that scene to see where it fails"));
    }
    let rates = (limits.flops_per_sec(), bytes_per_sec(work.resident_bytes));
    let share = |work: f64, per_sec: f64| Some(work / per_sec * 1e3 / row.ours_ms);
    let (of_flops, of_bytes) = (share(work.flops, rates.0), share(work.bytes, rates.1));
    row.reach_ms = Some(case.reach_ms);
    row.paper_ms = case.paper_ms;
    row.ns_per_region_pass = Some(row.ours_ms * 1e6 / region_passes);
    row.share_of_flops = of_flops;
    row.share_of_bytes = of_bytes;
    eprintln!(
        "{name}: {:.1} MFLOP and {:.2} MB a step, over {:.0} kB at {:.0} GB/s",
        work.flops * 1e-6,
        work.bytes * 1e-6,
        work.resident_bytes * 1e-3,
        rates.1 * 1e-9,
    );
    // Iterations of another kind: one of theirs against one pass of ours, for one body of that size.
    let per_pass_ms = row.ours_ms / (work.passes * bodies) as f64;
    let theirs = if work.regions <= MOST_PEER_REGIONS {
        peers.rapier_ms(flesh.point_count(), 20, 1)
    } else {
        Err("too large for it".to_owned())
    };
    let each = if bodies > 1 { "per body and pass" } else { "per pass" };
    let beside =
        Row::new(format!("{name}, {each}"), per_pass_ms, "rapier3d 0.36 corotated, one body, per iteration", theirs);
    Ok(vec![row, beside])
}

fn work_of(stage: &Stage) -> MatchingWork {
    let one = |body: &StageBody| match &body.method {
        Method::ShapeMatching(params) => MatchingWork::of(&body.flesh, params),
        Method::Fem(_) | Method::Springs(_) => MatchingWork::default(),
    };
    stage.bodies().iter().map(one).fold(MatchingWork::default(), MatchingWork::and)
}

fn tets_of(flesh: &Flesh) -> Option<TetMesh> {
    match &flesh.cells {
        Cells::Tets(tets) => Some(TetMesh { positions: flesh.rest.clone(), tets: tets.clone() }),
        Cells::Shell(_) => None,
    }
}

/// A stage in the middle of its scene.
struct Ours {
    stage: Stage,
    state: StageState,
    failed: Option<String>,
}

impl Ours {
    fn new(mut stage: Stage) -> Result<Self, Failure> {
        let mut state = stage.first_state();
        for _ in 0..WARM_UP_STEPS {
            stage.step(&mut state, &[]).map_err(|error| {
                Failure::new(error.to_string(), "run `sinew bake` on that scene to see where it fails")
            })?;
        }
        Ok(Self { stage, state, failed: None })
    }

    /// The median of `steps` steps.
    fn step_ms(&mut self, steps: usize) -> f64 {
        let Self { stage, state, failed } = self;
        stage.pool().install(|| {
            median_ms(steps, || {
                if let Err(error) = stage.step(state, &[]) {
                    *failed = Some(error.to_string());
                }
            })
        })
    }
}
