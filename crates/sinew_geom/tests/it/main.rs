//! All tests that look at this crate from outside, as one program: they link once.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

mod bodies;
mod cast;
mod invariants_extraction;
mod invariants_stuffing;
mod meshless;
mod skins;
mod verify_stuffing;
