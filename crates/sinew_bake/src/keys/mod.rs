//! Key shapes of a project: files that hold them, the shelf that a body finds them on, and how a scene gets new ones.

mod edit;
mod file;
mod import;
mod shelf;

pub use edit::{KeyError, NewKey, key_command, path_command, put_keys};
pub use file::{KeyFileError, KeySamples};
pub use import::shape_of_mesh;
pub use shelf::KeyShelf;
