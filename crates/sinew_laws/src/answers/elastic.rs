//! Shapes and tones of bars under load.

use super::run::Clamped;
use super::{Run, Way};
use anyhow::Result;
use sinew_math::DVec3;

const YOUNG_PA: f64 = 1e6;
const POISSON: f64 = 0.3;
const DENSITY: f64 = 1000.0;
/// Side of the slender bars.
const SIDE_M: f64 = 0.1;
/// A settled bar is let come to rest for so long.
const SETTLE_SECS: u32 = 4;

fn is_tip(x: DVec3) -> bool {
    x.x > 0.499
}

/// A clamped bar that comes to rest under a force on its end.
fn settled(way: &Way, side_m: f64, sets: &str, directors: &str) -> Result<Run> {
    let damping = "{ wobble_per_sec = 4.0, rayleigh_stiffness_secs = 0.02 }";
    let bar = Clamped {
        side_m,
        young_pa: YOUNG_PA,
        damping,
        secs: SETTLE_SECS,
        sets: sets.to_owned(),
        directors: directors.to_owned(),
    };
    let mut run = Run::new(&bar.toml(way))?;
    run.until(f64::from(SETTLE_SECS), |_| ())?;
    Ok(run)
}

fn force(on: &str, newton: [f64; 3]) -> String {
    format!("[[body.director]]\nkind = \"force\"\non = \"{on}\"\nnewton = {newton:?}\n")
}

pub(super) fn stretch(way: &Way) -> Result<Option<f64>> {
    if !way.is_material {
        return Ok(None);
    }
    let (side_m, strain) = (0.2, 0.01);
    let newton = strain * YOUNG_PA * side_m * side_m;
    let run = settled(way, side_m, "", &force("r", [newton, 0.0, 0.0]))?;
    let moved = run.mean(0, is_tip, |point, rest| run.body(0).x[point].x - rest.x);
    Ok(Some(moved / strain - 1.0))
}

/// Drawn together to `drawn` of its length, a muscle is thicker by as much as it is shorter.
pub(super) fn muscle(way: &Way) -> Result<Option<f64>> {
    if !way.is_material {
        return Ok(None);
    }
    let (side_m, strain, drawn) = (0.2, 0.01, 0.8);
    let muscle = format!(
        "[[body.director]]\nkind = \"muscle\"\nperiod = 1.0\nprimary = [[0, {drawn}], [1, {drawn}]]\nfibres = {{ along = \"x\" }}\n"
    );
    let newton = strain * YOUNG_PA * side_m * side_m;
    let tip = |directors: &str| -> Result<f64> {
        let run = settled(way, side_m, "", directors)?;
        Ok(run.mean(0, is_tip, |point, _| run.body(0).x[point].x))
    };
    let stretched = tip(&(force("r", [newton, 0.0, 0.0]) + &muscle))? - tip(&muscle)?;
    Ok(Some(stretched / (strain * drawn * drawn) - 1.0))
}

fn second_moment() -> f64 {
    SIDE_M.powi(4) / 12.0
}

pub(super) fn elastica(way: &Way) -> Result<Option<f64>> {
    if !way.is_material {
        return Ok(None);
    }
    let run = settled(way, SIDE_M, "", &force("r", [0.0, -YOUNG_PA * second_moment(), 0.0]))?;
    let drop = -run.mean(0, is_tip, |point, rest| run.body(0).x[point].y - rest.y);
    Ok(Some(drop / 0.301_72 - 1.0))
}

/// By forces across the upper and the lower edge of the end, half a side from the axis.
pub(super) fn torsion(way: &Way) -> Result<Option<f64>> {
    if !way.is_material || way.is_lattice {
        return Ok(None);
    }
    let shear_pa = YOUNG_PA / (2.0 * (1.0 + POISSON));
    let angle = 0.1;
    let couple = angle * shear_pa * 0.1406 * SIDE_M.powi(4);
    let newton = couple / SIDE_M;
    let sets = "up = { box = { min = [0.499, 0.049, -1.0], max = [0.51, 0.06, 1.0] } }\n\
                down = { box = { min = [0.499, -0.06, -1.0], max = [0.51, -0.049, 1.0] } }";
    let directors = force("up", [0.0, 0.0, newton]) + &force("down", [0.0, 0.0, -newton]);
    let run = settled(way, SIDE_M, sets, &directors)?;
    // The section's mean turn about x: Σ (r × u)·x / Σ r².
    let turned = run.mean(0, is_tip, |point, rest| {
        let u = run.body(0).x[point] - rest;
        rest.y * u.z - rest.z * u.y
    });
    let arm = run.mean(0, is_tip, |_, rest| rest.y * rest.y + rest.z * rest.z);
    Ok(Some(turned / arm / angle - 1.0))
}

pub(super) fn frequency(way: &Way) -> Result<Option<f64>> {
    if !way.is_material {
        return Ok(None);
    }
    let push = r#"[[body.director]]
kind = "force"
on = "r"
newton = [0.0, { keys = [[1, 0.0], [25, 0.5]], outside = "zero" }, 0.0]"#;
    let bar = Clamped {
        side_m: SIDE_M,
        young_pa: YOUNG_PA,
        damping: "\"none\"",
        secs: 8,
        sets: String::new(),
        directors: push.to_owned(),
    };
    let mut run = Run::new(&bar.toml(way))?;
    let tip = |run: &Run| run.mean(0, is_tip, |point, rest| run.body(0).x[point].y - rest.y);
    run.until(1.1, |_| ())?;
    let Some(period) = run.period_secs(8.0, tip)? else { return Ok(None) };
    let area = SIDE_M * SIDE_M;
    let theory = 3.516 * (YOUNG_PA * second_moment() / (DENSITY * area)).sqrt();
    Ok(Some(2.0 * std::f64::consts::PI / period / theory - 1.0))
}
