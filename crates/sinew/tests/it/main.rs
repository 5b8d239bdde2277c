//! All tests that look at this crate from outside, as one program: they link once.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

mod architecture;
mod cast_pictures;
mod checklist;
mod public_names;
