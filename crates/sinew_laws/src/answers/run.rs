//! A scene written in TOML, stepped and looked at.

use super::Way;
use anyhow::{Result, anyhow};
use sinew_bake::{Stage, build};
use sinew_math::DVec3;
use sinew_scene::Scene;
use sinew_solve::{BodyId, BodyState, Cues, Flesh, StageState};
use std::path::Path;

/// About how many vertices a clamped bar has: what a user takes who wants to see it move while it is worked on.
const VERTICES: usize = 300;

/// A scene as it plays.
pub(super) struct Run {
    stage: Stage,
    pub(super) state: StageState,
    /// Seconds gone.
    pub(super) time_secs: f64,
}

impl Run {
    pub(super) fn new(toml: &str) -> Result<Self> {
        let scene = Scene::from_toml(toml, "answer").map_err(|error| anyhow!("{error}\n{toml}"))?;
        let stage = build(&scene, Path::new("."), 1).map_err(|error| anyhow!("{error}"))?.stage;
        Ok(Self { state: stage.first_state(), stage, time_secs: 0.0 })
    }

    /// Steps until `secs` from the start, calling `look` after every step.
    pub(super) fn until(&mut self, secs: f64, mut look: impl FnMut(&Self)) -> Result<()> {
        let h_secs = self.stage.clock().secs(1, 0.0);
        let pool = self.stage.pool();
        while self.time_secs + 0.5 * h_secs < secs {
            let Self { stage, state, .. } = self;
            pool.install(|| stage.step(state, &[]).map(|_| ())).map_err(|error| anyhow!("{error}"))?;
            self.time_secs += h_secs;
            look(self);
        }
        Ok(())
    }

    /// Steps until `secs` from the start; the mean period of the swings of `of` about zero, none where there are none.
    pub(super) fn period_secs(&mut self, secs: f64, of: impl Fn(&Self) -> f64) -> Result<Option<f64>> {
        let h_secs = self.stage.clock().secs(1, 0.0);
        let (mut before, mut crossings) = (of(self), Vec::new());
        self.until(secs, |run| {
            let now = of(run);
            if before * now < 0.0 {
                crossings.push(run.time_secs - now / (now - before) * h_secs);
            }
            before = now;
        })?;
        let [first, .., last] = crossings[..] else { return Ok(None) };
        Ok(Some(2.0 * (last - first) / (crossings.len() - 1) as f64))
    }

    pub(super) fn flesh(&self, body: usize) -> &Flesh {
        &self.stage.bodies()[body].flesh
    }

    pub(super) fn body(&self, body: usize) -> &BodyState {
        &self.state.bodies[body]
    }

    pub(super) fn velocity(&self, body: usize) -> DVec3 {
        self.mean_by_mass(body, &self.body(body).v)
    }

    /// The centre of mass.
    pub(super) fn centre(&self, body: usize) -> DVec3 {
        self.mean_by_mass(body, &self.body(body).x)
    }

    fn mean_by_mass(&self, body: usize, of: &[DVec3]) -> DVec3 {
        let masses = &self.flesh(body).mass_kg;
        let sum: DVec3 = of.iter().zip(masses).map(|(value, m)| *value * *m).sum();
        sum / masses.iter().sum::<f64>()
    }

    /// Kinetic and elastic energy.
    pub(super) fn energy_j(&self, body: usize) -> f64 {
        let state = self.body(body);
        let kinetic: f64 =
            state.v.iter().zip(&self.flesh(body).mass_kg).map(|(v, m)| 0.5 * m * v.length_squared()).sum();
        kinetic + self.stage.energy(BodyId(body as u32), state, &Cues::default())
    }

    /// The fastest point of any body.
    pub(super) fn fastest(&self) -> f64 {
        self.state.bodies.iter().flat_map(|body| &body.v).map(|v| v.length()).fold(0.0, f64::max)
    }

    /// Mean of what `of` gives for the points whose rest place is `meant`.
    pub(super) fn mean(&self, body: usize, meant: impl Fn(DVec3) -> bool, of: impl Fn(usize, DVec3) -> f64) -> f64 {
        let rest = &self.flesh(body).rest;
        let points: Vec<usize> = (0..rest.len()).filter(|&point| meant(rest[point])).collect();
        points.iter().map(|&point| of(point, rest[point])).sum::<f64>() / points.len().max(1) as f64
    }
}

/// A clamped bar along x, one metre long, of square section, without gravity.
pub(super) struct Clamped {
    pub(super) side_m: f64,
    pub(super) young_pa: f64,
    pub(super) damping: &'static str,
    pub(super) secs: u32,
    /// Directors beside the pin, and their sets.
    pub(super) sets: String,
    pub(super) directors: String,
}

impl Clamped {
    pub(super) fn toml(&self, way: &Way) -> String {
        let Self { side_m, young_pa, damping, secs, sets, directors } = self;
        let frames = secs * 24 + 1;
        // Two cells across.
        let along = (2.0 / side_m) as usize + 1;
        let flesh = if way.is_lattice {
            format!("{{ kind = \"lattice\", size = [{along}, 3, 3] }}")
        } else {
            format!("{{ kind = \"tets\", vertices = {VERTICES} }}")
        };
        let solver = way.solver;
        format!(
            r#"sinew = 1
[scene]
frames = [1, {frames}]
gravity = [0.0, 0.0, 0.0]
[[body]]
name = "bar"
skin = {{ model = "bar", size = [1.0, {side_m}, {side_m}] }}
material = {{ density_kg_m3 = 1000.0, young_pa = {young_pa:?}, poisson = 0.3, damping = {damping} }}
flesh = {flesh}
solver = {solver}
[body.sets]
l = {{ side = "-x" }}
r = {{ side = "x" }}
{sets}
[[body.director]]
kind = "pin"
on = "l"
{directors}
"#
        )
    }
}
