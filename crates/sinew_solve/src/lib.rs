//! The spine: what every solver, director, take and page agree on, and the solvers themselves.
//!
//! Four kinds of data, never mixed: a [`Flesh`] is fixed, a [`BodyState`] evolves, [`Cues`] are asked for over one
//! interval, and scratch belongs to a solver. A [`Director`] writes cues and never moves a vertex; a [`Solver`] moves
//! all bodies of its method under their cues and contacts, and knows nothing of timelines, clocks or files.

mod body_id;
pub mod contact;
mod cues;
mod director;
mod director_state;
pub mod fem;
mod field_query;
mod flesh;
mod implicit;
mod material;
mod measure;
pub mod mixed;
mod report;
mod rigid;
mod rigid_body;
pub mod shape_matching;
mod simd;
mod solver;
mod spin;
pub mod springs;
mod state;
mod stop;
mod wobble;

pub use body_id::BodyId;
pub use contact::{BodyContact, Contact, ContactPoint, Friction, Obstacle, Other, Shape};
pub use cues::{CueWriter, Cues, Drag, Goal, PathCue, Pin, Reshape};
pub use director::{CueError, Director, Input, Now, Seen};
pub use director_state::{ContactPartner, DirectorState, OwnState, Remembered, TouchStimulus};
pub use field_query::{FieldQuery, FieldValues};
pub use flesh::{Cells, Flesh};
pub use material::{Damping, Material, StretchLaw};
pub use measure::{Measure, Measures};
pub use report::{Reaction, Residual, StepError, StepReport, Warning};
pub use rigid::{
    RigidMotion, angular_momentum, body_motion, damp_wobble, mean_element_rotation, move_points, set_angular_momentum,
};
pub use rigid_body::{RigidBody, inverse_inertia};
pub use sinew_geom::{Row, Rows};
pub use solver::{Solver, StepInput};
pub use state::{BodyState, Memory, Sag, StageState};
pub use stop::StopFlag;
