//! All tests that look at this crate from outside, as one program: they link once.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

mod bad_input;
mod determinism;
mod files;
mod invariants_light;
mod shapes;
mod verify_coverage;
