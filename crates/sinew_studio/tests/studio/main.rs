//! The studio as a browser meets it: over the network, on a show with a known answer.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod asked;
#[path = "../../../sinew_io/tests/it/beside/mod.rs"]
mod beside;
mod document;
mod ending;
mod files;
mod ghosts;
mod guard;
mod house;
mod kept;
mod keys;
mod limits;
mod live;
mod looks;
mod lost;
mod planted;
mod refine;
mod touch;
mod wobble;
