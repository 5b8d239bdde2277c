//! The document: what the user writes and saves, as plain data ([`model`]), with checks whose errors say what would be
//! right ([`problem`]), edits with undo ([`document`]), and the built-in scenes ([`builtin`]).
//!
//! Start reading at [`Scene`], then [`Document`].

pub mod builtin;
mod check;
mod conform;
pub mod document;
pub mod migrations;
pub mod model;
pub mod nearest;
mod parse;
pub mod problem;
pub mod reference;
mod schema;
mod shape_edit;
mod size;
pub mod starter;
mod tree;
mod write;

pub use document::{Command, Document};
pub use model::*;
pub use parse::Parsed;
pub use problem::{Problem, SceneError, Step};
pub use schema::schema;
pub use shape_edit::{ShapeEdit, ShapePart};
