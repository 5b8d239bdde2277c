//! Claims about poses, plans and their interpolation, on small built-in bodies.

mod bodies;
mod interpolation;
mod plan;
mod pose;
