//! A field of your own: flesh that is the stiffer the farther it is, through the material, from where it is held.
//!
//! ```sh
//! cargo run --release --example own_field
//! ```

use sinew::bake::DirectorSetup;
use sinew::geom::TetMesh;
use sinew::geom::field::mesh_distance;
use sinew::prelude::*;
use sinew::solve::{BodyId, Cells, CueError, CueWriter, DirectorState, Now, Seen};
use std::path::Path;

/// Stiffness of every point as a factor.
struct Stiffness(Vec<f64>);

impl Director for Stiffness {
    fn cue(&self, _: Now, _: &Seen<'_>, _: &mut DirectorState, out: &mut CueWriter<'_>) -> Result<(), CueError> {
        out.stiffnesses(&self.0);
        Ok(())
    }
}

const BAR: &str = r#"
sinew = 1
[scene]
frames = [1, 48]
[[body]]
name = "bar"
skin = { model = "bar", size = [1.0, 0.1, 0.1] }
material = { preset = "rubber", young_pa = 2.0e6, damping = "heavy" }
flesh = { kind = "tets", vertices = 300 }
solver = { kind = "fem" }
[body.sets]
held = { side = "-x" }
[[body.director]]
name = "hold"
kind = "pin"
on = "held"
"#;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    println!("even: the free end hangs {:.3} m deep", droop(false)?);
    println!("stiffer with distance: {:.3} m", droop(true)?);
    Ok(())
}

fn droop(is_graded: bool) -> Result<f64, Box<dyn std::error::Error>> {
    let scene = Scene::from_toml(BAR, "own_field")?;
    let stage = &mut build(&scene, Path::new("."), 1)?.stage;
    let mut state = stage.first_state();
    let flesh = stage.bodies()[0].flesh.clone();
    if is_graded {
        let Cells::Tets(tets) = &flesh.cells else { return Err("the bar is made of tetrahedra".into()) };
        let mesh = TetMesh::new(flesh.rest.clone(), tets.clone())?;
        let far_m = mesh_distance(&mesh, &[dvec3(-0.5, 0.0, 0.0)]);
        let factors = far_m.iter().map(|far_m| 1.0 + 9.0 * far_m).collect();
        stage.direct_also(&mut state, BodyId(0), DirectorSetup::new("stiffness", Stiffness(factors)));
    }
    while state.tick < stage.clock().tick_of(48) {
        stage.step(&mut state, &[])?;
    }
    let lowest = state.bodies[0].x.iter().map(|x| x.y).fold(f64::INFINITY, f64::min);
    Ok(-0.05 - lowest)
}
