//! All tests that look at this crate from outside, as one program: they link once.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

mod bad_input;
mod beside;
mod caches;
mod foreign;
mod formats;
mod looks;
mod mangled;
mod materials;
mod models;
mod mutated;
mod npz;
mod samples;
mod sequences;
mod surroundings;
mod watching;
mod wobble;
