//! Direct soft bodies: paint where tissue contracts, pull, pin, key and steer, and get physical motion that obeys.
//!
//! ```
//! use sinew::prelude::*;
//!
//! let scene = Scene::from_toml(sinew::scene::builtin::find("bar-pin").unwrap().toml, "bar-pin")?;
//! let mut built = build(&scene, std::path::Path::new("."), 1)?;
//! let mut state = built.stage.first_state();
//! for _ in 0..10 {
//!     built.stage.step(&mut state, &[])?;
//! }
//! assert_eq!(state.tick, 10);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub use sinew_bake as bake;
pub use sinew_direct as direct;
pub use sinew_film as film;
pub use sinew_geom as geom;
pub use sinew_io as io;
pub use sinew_math as math;
pub use sinew_render as render;
pub use sinew_scene as scene;
pub use sinew_solve as solve;

/// The names every program needs.
pub mod prelude {
    pub use sinew_bake::take::{TakeOptions, TakeReader};
    pub use sinew_bake::{Bake, Playback, Stage, bake, build};
    pub use sinew_math::{DVec3, dvec3};
    pub use sinew_scene::{Command, Document, Scene};
    pub use sinew_solve::{Director, Input, StageState};
}
