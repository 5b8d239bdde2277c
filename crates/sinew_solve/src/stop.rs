//! A flag that abandons what is under way.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Set once by who wants something to end, and read by solvers between iterations. It cannot be taken back,
/// so that a step that one iteration has abandoned is never taken for an answer: what comes next gets another
/// flag.
#[derive(Debug, Clone, Default)]
pub struct StopFlag(Arc<AtomicBool>);

impl StopFlag {
    /// Abandons whatever reads it, now and later.
    pub fn set(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    pub fn is_set(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}
