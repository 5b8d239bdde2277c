//! The studio as a browser meets it: over the network, on a show with a known answer.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod document;
mod files;
mod guard;
mod house;
mod live;
mod looks;
mod touch;
mod wobble;
