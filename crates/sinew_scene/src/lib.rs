//! The document: what the user writes and saves, as plain data ([`model`]), with checks whose errors say what would be
//! right ([`problem`]).
//!
//! Start reading at [`Scene`].

pub mod builtin;
mod check;
mod conform;
pub mod migrations;
pub mod model;
pub mod nearest;
mod parse;
pub mod problem;
mod schema;
mod tree;

pub use model::*;
pub use parse::Parsed;
pub use problem::{Problem, SceneError, Step};
pub use schema::schema;
