//! All tests that look at this crate from outside, as one program: they link once.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

mod agreement_descent;
mod determinism_shape_matching;
mod elastic;
mod invariants_shape_matching;
mod matching;
mod modules;
mod robust_descent;
mod stopped;
mod verify_descent;
mod verify_fem;
mod verify_shape_matching;
mod verify_springs;
