//! What bodies do on the ground, on plates and on each other.

use super::{Run, Way};
use anyhow::Result;
use std::fmt::Write;

const GRAVITY: f64 = 9.81;
/// Young's modulus of what lies on slopes: as rubber.
const SOFT_PA: f64 = 1e6;

/// What lies still soon.
const DAMPED: &str = "{ wobble_per_sec = 2.0, rayleigh_stiffness_secs = 0.002 }";

/// One body and a plane, with gravity tilted by `slope` radians along x: a slope that the body goes down. `material` is its modulus and its damping.
fn on_slope(way: &Way, slope: f64, material: (f64, &str), body: &str, flesh: &str) -> String {
    let (young_pa, damping) = material;
    let (down, into) = (GRAVITY * slope.sin(), -GRAVITY * slope.cos());
    let solver = way.solver;
    format!(
        r#"sinew = 1
[scene]
frames = [1, 97]
gravity = [{down:?}, {into:?}, 0.0]
[[body]]
name = "a"
{body}
material = {{ density_kg_m3 = 1000.0, young_pa = {young_pa:?}, damping = {damping} }}
flesh = {flesh}
solver = {solver}
[[obstacle]]
shape = "plane"
"#
    )
}

/// The acceleration along x between two times.
fn acceleration(run: &mut Run, from_secs: f64, to_secs: f64) -> Result<f64> {
    run.until(from_secs, |_| ())?;
    let (before, at) = (run.velocity(0).x, run.time_secs);
    run.until(to_secs, |_| ())?;
    Ok((run.velocity(0).x - before) / (run.time_secs - at))
}

pub(super) fn friction(way: &Way) -> Result<Option<f64>> {
    slides(way, SOFT_PA)
}

pub(super) fn friction_stiff(way: &Way) -> Result<Option<f64>> {
    slides(way, 10.0 * SOFT_PA)
}

fn slides(way: &Way, young_pa: f64) -> Result<Option<f64>> {
    let (slope, coefficient) = (0.9f64.atan(), 0.5);
    let body = "skin = { model = \"bar\", size = [0.24, 0.08, 0.24] }\nat = [0.0, 0.04, 0.0]\nfriction = 0.5";
    let flesh =
        if way.is_lattice { "{ kind = \"lattice\", size = [4, 2, 4] }" } else { "{ kind = \"tets\", vertices = 40 }" };
    let mut run = Run::new(&on_slope(way, slope, (young_pa, DAMPED), body, flesh))?;
    let theory = GRAVITY * (slope.sin() - coefficient * slope.cos());
    Ok(Some(acceleration(&mut run, 0.25, 1.0)? / theory - 1.0))
}

/// Topples from 18.4° on.
pub(super) fn standing(way: &Way) -> Result<Option<f64>> {
    let body = "skin = { model = \"bar\", size = [0.1, 0.3, 0.1] }\nat = [0.0, 0.15, 0.0]\nfriction = 2.0";
    let flesh = if way.is_lattice {
        "{ kind = \"lattice\", size = [4, 10, 4] }"
    } else {
        "{ kind = \"tets\", vertices = 200 }"
    };
    let mut run = Run::new(&on_slope(way, 10f64.to_radians(), (SOFT_PA, DAMPED), body, flesh))?;
    run.until(3.0, |_| ())?;
    let mut fastest = 0.0f64;
    run.until(4.0, |run| fastest = fastest.max(run.fastest()))?;
    Ok(Some(fastest))
}

pub(super) fn rolling(way: &Way) -> Result<Option<f64>> {
    if way.is_lattice {
        return Ok(None);
    }
    let slope = 10f64.to_radians();
    let body = "skin = { model = \"cylinder\", radius = 0.2, height = 0.2 }\nat = [0.0, 0.2, 0.0]\nturn = [90.0, 0.0, 0.0]\nfriction = 1.0";
    let flesh = "{ kind = \"tets\", vertices = 500 }";
    // The formula is of a cylinder that loses nothing: flesh that is damped rolls slower, as tyres do.
    let mut run = Run::new(&on_slope(way, slope, (SOFT_PA, "\"none\""), body, flesh))?;
    Ok(Some(acceleration(&mut run, 0.5, 2.0)? / (2.0 / 3.0 * GRAVITY * slope.sin()) - 1.0))
}

pub(super) fn stack(way: &Way) -> Result<Option<f64>> {
    let mut scene = "sinew = 1\n[scene]\nframes = [1, 121]\n[[obstacle]]\nshape = \"plane\"\n".to_owned();
    let flesh =
        if way.is_lattice { "{ kind = \"lattice\", size = [4, 4, 4] }" } else { "{ kind = \"tets\", vertices = 64 }" };
    for (number, height) in [0.1, 0.3, 0.5].iter().enumerate() {
        let solver = way.solver;
        let _ = write!(
            scene,
            r#"[[body]]
name = "cube-{number}"
skin = {{ model = "bar", size = [0.2, 0.2, 0.2] }}
at = [0.0, {height}, 0.0]
material = {{ density_kg_m3 = 1000.0, young_pa = 1.0e6, damping = {{ wobble_per_sec = 4.0, rayleigh_stiffness_secs = 0.002 }} }}
flesh = {flesh}
solver = {solver}
"#
        );
    }
    let mut run = Run::new(&scene)?;
    run.until(4.0, |_| ())?;
    let mut fastest = 0.0f64;
    run.until(5.0, |run| fastest = fastest.max(run.fastest()))?;
    Ok(Some(fastest))
}

pub(super) fn impact(way: &Way) -> Result<Option<f64>> {
    let flesh =
        if way.is_lattice { "{ kind = \"lattice\", size = [4, 4, 4] }" } else { "{ kind = \"tets\", vertices = 64 }" };
    let solver = way.solver;
    let mut run = Run::new(&format!(
        r#"sinew = 1
[scene]
frames = [1, 25]
[[body]]
name = "cube"
skin = {{ model = "bar", size = [0.2, 0.2, 0.2] }}
at = [0.0, 0.5, 0.0]
turn = [10.0, 20.0, 30.0]
velocity = [0.0, -10.0, 0.0]
material = {{ preset = "rubber", damping = "medium" }}
flesh = {flesh}
solver = {solver}
[[obstacle]]
shape = "box"
size = [20.0, 0.01, 20.0]
at = [0.0, -0.005, 0.0]
"#
    ))?;
    let mut lowest = 0.0f64;
    run.until(1.0, |run| lowest = run.body(0).x.iter().fold(lowest, |lowest, x| lowest.min(x.y)))?;
    Ok(Some(-lowest / (0.2 * 3f64.sqrt())))
}
