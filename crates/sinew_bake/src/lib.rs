//! Runs a scene over time and records it. [`take`] is the recording: frames to look at, exact states to go on from.

pub mod take;
