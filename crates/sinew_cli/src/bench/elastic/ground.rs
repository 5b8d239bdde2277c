//! A body to play with: 5000 points that fall on the ground, ten sweeps of descent a step, sixty steps a second, everything of a step counted.

use super::Row;
use crate::bench::{Peers, median_ms};
use crate::failure::Failure;
use sinew::bake::build;
use sinew::scene::Document;
use std::path::Path;

const STEPS_PER_SEC: f64 = 60.0;
/// It has landed by then, and still wobbles.
const WARM_UP_STEPS: usize = 60;
const TIMED_STEPS: usize = 90;

pub(super) fn measure(_: &Peers) -> Result<Vec<Row>, Failure> {
    [("", 0.0), (", damped", 0.006)].into_iter().map(|(what, secs)| fall(what, secs)).collect()
}

fn fall(what: &str, rayleigh_stiffness_secs: f64) -> Result<Row, Failure> {
    let document = Document::parse(&scene(rayleigh_stiffness_secs), "a rabbit on the ground")?;
    let mut stage = build(document.scene(), Path::new("."), 1)?.stage;
    let mut state = stage.first_state();
    let pool = stage.pool();
    let mut failed = None;
    let mut steps_ms = |steps: usize| {
        pool.install(|| {
            median_ms(steps, || {
                if let Err(error) = stage.step(&mut state, &[]) {
                    failed = Some(error.to_string());
                }
            })
        })
    };
    steps_ms(WARM_UP_STEPS);
    let ms = steps_ms(TIMED_STEPS);
    if let Some(error) = failed {
        return Err(Failure::new(format!("a rabbit on the ground: {error}"), "report this scene"));
    }
    let points = state.bodies.iter().map(|body| body.x.len()).sum::<usize>();
    let name = format!("{points} on the ground{what}, 10 sweeps, 1 thread");
    let mut row = Row::new(name, ms, "sixty steps a second", Ok(1e3 / STEPS_PER_SEC));
    row.reach_ms = Some(1e3 / STEPS_PER_SEC);
    row.ns_per_vertex_sweep = Some(ms * 1e6 / (points * 10) as f64);
    Ok(row)
}

fn scene(rayleigh_stiffness_secs: f64) -> String {
    format!(
        r#"sinew = 1
[scene]
frames = [1, 100000]
fps = {STEPS_PER_SEC}
substeps = 1
[[body]]
name = "rabbit"
skin = {{ model = "rabbit" }}
at = [0.0, 0.3, 0.0]
material = {{ preset = "jelly", young_pa = 2.0e4, damping = {{ wobble_per_sec = 4.0, rayleigh_stiffness_secs = {rayleigh_stiffness_secs:?} }} }}
friction = 0.9
flesh = {{ kind = "tets", vertices = 5000 }}
solver = {{ kind = "fem", method = "descent", iterations = 10 }}
[[obstacle]]
name = "ground"
shape = "plane"
"#
    )
}
