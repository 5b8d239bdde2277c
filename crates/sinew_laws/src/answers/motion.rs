//! What bodies do that nothing touches.

use super::run::Clamped;
use super::{Run, Way};
use anyhow::Result;
use sinew_math::DVec3;

const GRAVITY: f64 = 9.81;

fn free_bar(way: &Way, gravity: f64, secs: u32) -> String {
    let (solver, frames) = (way.solver, secs * 24 + 1);
    let flesh =
        if way.is_lattice { "{ kind = \"lattice\", size = [6, 3, 3] }" } else { "{ kind = \"tets\", vertices = 60 }" };
    format!(
        r#"sinew = 1
[scene]
frames = [1, {frames}]
gravity = [0.0, {gravity:?}, 0.0]
[[body]]
name = "bar"
skin = {{ model = "bar", size = [0.5, 0.2, 0.2] }}
material = {{ preset = "rubber", damping = "medium" }}
flesh = {flesh}
solver = {solver}
"#
    )
}

pub(super) fn fall(way: &Way) -> Result<Option<f64>> {
    let mut run = Run::new(&free_bar(way, -GRAVITY, 2))?;
    run.until(2.0, |_| ())?;
    Ok(Some(-run.velocity(0).y / (GRAVITY * run.time_secs) - 1.0))
}

pub(super) fn spin(way: &Way) -> Result<Option<f64>> {
    let mut run = Run::new(&free_bar(way, 0.0, 10))?;
    let omega = DVec3::new(0.0, 0.0, 6.0);
    let body = &mut run.state.bodies[0];
    body.v = body.x.iter().map(|x| omega.cross(*x - body.origin)).collect();
    let angular = |run: &Run| {
        let (state, masses) = (run.body(0), &run.flesh(0).mass_kg);
        let each = state.x.iter().zip(&state.v).zip(masses);
        each.map(|((x, v), m)| (*x - state.origin).cross(*v) * *m).sum::<DVec3>().length()
    };
    let before = angular(&run);
    run.until(10.0, |_| ())?;
    Ok(Some(angular(&run) / before - 1.0))
}

pub(super) fn energy(way: &Way) -> Result<Option<f64>> {
    let push = r#"[[body.director]]
kind = "force"
on = "r"
newton = [0.0, { keys = [[1, 0.0], [13, 40.0]], outside = "zero" }, 0.0]"#;
    let bar = Clamped {
        side_m: 0.2,
        young_pa: 1e6,
        damping: "\"none\"",
        secs: 6,
        sets: String::new(),
        directors: push.to_owned(),
    };
    let mut run = Run::new(&bar.toml(way))?;
    run.until(0.6, |_| ())?;
    let (first, mut most) = (run.energy_j(0), 0.0f64);
    run.until(5.6, |run| most = most.max(run.energy_j(0)))?;
    Ok(Some((most / first - 1.0).max(0.0)))
}

/// A cube that sinks through water, whose drag acts on the faces in front and behind.
pub(super) fn sinking(way: &Way) -> Result<Option<f64>> {
    let (side_m, density, drag) = (0.2, 1100.0, 250.0);
    let flesh =
        if way.is_lattice { "{ kind = \"lattice\", size = [5, 5, 5] }" } else { "{ kind = \"tets\", vertices = 250 }" };
    let solver = way.solver;
    let mut run = Run::new(&format!(
        r#"sinew = 1
[scene]
frames = [1, 73]
[medium]
normal_drag = {drag:?}
[[body]]
name = "cube"
skin = {{ model = "bar", size = [{side_m}, {side_m}, {side_m}] }}
material = {{ density_kg_m3 = {density:?}, young_pa = 1.0e6, damping = "medium" }}
flesh = {flesh}
solver = {solver}
"#
    ))?;
    run.until(3.0, |_| ())?;
    let theory = (density * side_m * GRAVITY / (2.0 * drag)).sqrt();
    Ok(Some(-run.velocity(0).y / theory - 1.0))
}

/// A bar that hangs from an edge of its upper end and swings about where its middle is below that.
pub(super) fn pendulum(way: &Way) -> Result<Option<f64>> {
    let (length_m, side_m, secs) = (1.0f64, 0.1f64, 4);
    let flesh = if way.is_lattice {
        "{ kind = \"lattice\", size = [3, 21, 3] }"
    } else {
        "{ kind = \"tets\", vertices = 200 }"
    };
    let (solver, frames) = (way.solver, secs * 24 + 1);
    let mut run = Run::new(&format!(
        r#"sinew = 1
[scene]
frames = [1, {frames}]
[[body]]
name = "bar"
skin = {{ model = "bar", size = [{side_m}, {length_m:?}, {side_m}] }}
material = {{ density_kg_m3 = 1000.0, young_pa = 4.0e6, damping = "none" }}
flesh = {flesh}
solver = {solver}
[body.sets]
hinge = {{ box = {{ min = [0.049, 0.49, -1.0], max = [0.06, 0.51, 1.0] }} }}
[[body.director]]
kind = "pin"
on = "hinge"
"#
    ))?;
    let aside = |run: &Run| run.centre(0).x - 0.5 * side_m;
    let Some(period_secs) = run.period_secs(f64::from(secs), aside)? else { return Ok(None) };
    let arm_squared = 0.25 * (length_m * length_m + side_m * side_m);
    let inertia_per_kg = arm_squared + (length_m * length_m + side_m * side_m) / 12.0;
    let theory = std::f64::consts::TAU * (inertia_per_kg / (GRAVITY * arm_squared.sqrt())).sqrt();
    Ok(Some(period_secs / theory - 1.0))
}
