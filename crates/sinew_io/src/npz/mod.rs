//! NPZ: named arrays in one file, as `numpy.load` reads it. Written array by array without holding any in memory.
//!
//! A ZIP archive (APPNOTE 6.3, members stored, ZIP64 where sizes or offsets pass 4 GiB) of `.npy` files (format 1.0,
//! C order, little endian). The same arrays give the same bytes: members carry the date 1980-01-01.

mod npy;
mod read;
mod write;
mod zip;

pub use npy::Dtype;
pub use read::{NpzArray, NpzReader, Values};
pub use write::{ArrayWriter, NpzWriter};

use std::io;
use std::path::PathBuf;

#[derive(Debug, thiserror::Error)]
pub enum NpzError {
    #[error("cannot write {}", path.display())]
    Write { path: PathBuf, source: io::Error },
    #[error("cannot read {}", path.display())]
    Read { path: PathBuf, source: io::Error },
    #[error("{} is damaged, or not an NPZ file: {what}", path.display())]
    Damaged { path: PathBuf, what: String },
    #[error("{} has no array {name:?}; it has {have}", path.display())]
    Missing { path: PathBuf, name: String, have: String },
    #[error("array {name:?} is given twice")]
    Twice { name: String },
    #[error("{name:?} is no name for an array: 1 to 60 000 bytes, without control characters")]
    Name { name: String },
    #[error("array {name:?} of shape {shape:?} is too large")]
    TooLarge { name: String, shape: Vec<usize> },
    #[error("array {name:?} of shape {shape:?} needs {expected} numbers, {given} were given")]
    Count { name: String, shape: Vec<usize>, expected: u64, given: u64 },
    #[error("array {name:?} was not written to its end, so the file cannot be used")]
    Unfinished { name: String },
    #[error("array {name:?} holds {}, but was given {}", expected.describe(), given.describe())]
    Type { name: String, expected: Dtype, given: Dtype },
}
