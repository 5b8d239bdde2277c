//! Claims about poses, plans and their interpolation, on small built-in bodies.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

mod bodies;
mod certificate;
mod interpolation;
mod plan;
mod pose;
