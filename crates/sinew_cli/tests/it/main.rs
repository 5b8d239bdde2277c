//! All tests that look at this crate from outside, as one program: they link once.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

mod bad_input;
#[path = "../../../sinew_io/tests/it/beside/mod.rs"]
mod beside;
mod cli;
mod interrupted;
mod keys;
mod kill;
mod log;
mod mesh;
mod mistakes;
mod overwriting;
mod program;
