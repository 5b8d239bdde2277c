//! Key shapes of a project: files that hold them, the shelf that a body finds them on, and how a scene gets new ones.

mod edit;
mod file;
mod import;
mod motion;
mod plan_key;
mod sculpt;
mod shelf;
mod shown;
mod take;

pub use edit::{KeyError, KeyedBody, NewKey, key_command, path_command, put_keys, track};
pub use file::{KeyFileError, KeySamples};
pub use import::shape_of_mesh;
pub use motion::motion_of;
pub use plan_key::plan_key_command;
pub use sculpt::{Sculpt, edit_key, sculpt_command};
pub use shelf::KeyShelf;
pub use shown::{KeyPlace, ShownKey, shown_keys};
pub use take::{TakeFrame, edit_take};
