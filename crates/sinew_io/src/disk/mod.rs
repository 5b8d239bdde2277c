//! Files as sinew touches them, so that a project someone else packed can do no harm.
//!
//! - What a project holds is opened relative to its folder's handle ([`Dir`]). No symbolic link below the folder is followed.
//! - What the user names may be a link. It must lead to a regular file all the same ([`open_regular`]): pipes and devices are
//!   refused without waiting for them.
//! - Files appear whole or not at all ([`AtomicFile`]), with the [`Rights`] of those they replace.
//! - An output that is an input of the same run is refused before anything is written ([`check_outputs`]).
//! - [`remedy`] says what to do about the system's errors.
//! - [`faults`] makes writes fail on purpose.

mod atomic;
mod dir;
mod disk_file;
pub mod faults;
mod identity;
mod outputs;
mod remedy;
mod rights;
mod umask;

pub use atomic::{AtomicFile, end_writing, part_name, remove_abandoned_parts};
pub(crate) use dir::is_inside;
pub use dir::{Dir, DirLock, open_regular, read_regular};
pub use disk_file::DiskFile;
pub use identity::FileId;
pub use outputs::{Inputs, OutputError, Outputs, also_written, check_outputs};
pub use remedy::{remedy, remedy_behind};
pub use rights::Rights;
pub use umask::as_private_as;
