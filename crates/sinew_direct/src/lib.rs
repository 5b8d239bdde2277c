//! Directors: everything that says what a body should do at a time. They write cues and never move a vertex.
//!
//! One plain director for every cue: [`Muscle`] (local stretch), [`RestShape`] and [`KeyShapes`] (rest positions), [`Force`] and [`Gravity`], [`Medium`] (drag),
//! [`GoalTo`], [`PinTo`], [`TakeEdit`] and [`Planned`] (places of every point), [`Path`], [`Metaphor`] (stretch, twist and bend by forces), [`MaterialOver`] and [`MaterialPaint`]; [`Hand`], which turns a live drag
//! into a goal; and [`Recover`], which draws wrecks back to their shape.

mod force;
mod hand;
mod hold;
pub mod key_shapes;
mod material;
mod material_field;
mod medium;
pub mod metaphor;
pub mod muscle;
mod path;
mod plan;
mod recover;
mod rest_shape;
mod shape_formula;
pub mod take_edit;
mod track;

pub use force::{Force, Gravity};
pub use hand::Hand;
pub use hold::{GoalTo, Held, PinTo};
pub use key_shapes::KeyShapes;
pub use material::MaterialOver;
pub use material_field::{MaterialFields, MaterialPaint, MaterialPainting};
pub use medium::Medium;
pub use metaphor::Metaphor;
pub use muscle::Muscle;
pub use path::{CarriedPath, Path, PathTurn};
pub use plan::{Planned, PlannedFlesh};
pub use recover::Recover;
pub use rest_shape::RestShape;
pub use shape_formula::ShapeFormula;
pub use take_edit::TakeEdit;
pub use track::{Track3, Turn};
