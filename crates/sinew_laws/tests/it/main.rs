//! All tests that look at this crate from outside, as one program: they link once.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

mod book;
mod laws;
mod random_metaphors;
mod trust;
