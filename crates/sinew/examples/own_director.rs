//! A director in forty lines: a wind that comes in gusts and blows on what stands in its way.
//!
//! ```sh
//! cargo run --release --example own_director
//! ```

use sinew::bake::DirectorSetup;
use sinew::prelude::*;
use sinew::solve::{BodyId, CueError, CueWriter, DirectorState, Drag, Measures, Now, Seen};
use std::path::Path;

/// Blows along x, harder and softer, on every point of the surface.
struct Gusts {
    metres_per_sec: f64,
    period_secs: f64,
    /// What a whole body feels, N s/m.
    drag: f64,
}

impl Gusts {
    fn wind(&self, now: &Now) -> DVec3 {
        let phase = std::f64::consts::TAU * now.end_secs() / self.period_secs;
        dvec3(self.metres_per_sec * (1.0 + sinew::math::libm::sin(phase)), 0.0, 0.0)
    }
}

impl Director for Gusts {
    fn cue(&self, now: Now, seen: &Seen<'_>, _: &mut DirectorState, out: &mut CueWriter<'_>) -> Result<(), CueError> {
        let rows = &seen.flesh.surface_rows;
        let each = sinew::math::Sym3::IDENTITY * (self.drag / rows.len() as f64);
        for &at in rows {
            out.drag(Drag { at, matrix: each, wind: self.wind(&now) });
        }
        Ok(())
    }

    fn measure(&self, now: Now, _: &Seen<'_>, _: &DirectorState, out: &mut Measures<'_>) {
        out.number("wind", "m/s", self.wind(&now).x);
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let scene = Scene::from_toml(sinew::scene::builtin::find("bar-drop").ok_or("no such scene")?.toml, "bar-drop")?;
    let stage = &mut build(&scene, Path::new("."), 1)?.stage;
    let mut state = stage.first_state();
    let gusts = Gusts { metres_per_sec: 5.0, period_secs: 0.5, drag: 20.0 };
    stage.direct_also(&mut state, BodyId(0), DirectorSetup::new("gusts", gusts));
    while state.tick < stage.clock().tick_of(48) {
        stage.step(&mut state, &[])?;
    }
    println!("after two seconds the bar is at x = {:.2} m", state.bodies[0].origin.x);
    Ok(())
}
