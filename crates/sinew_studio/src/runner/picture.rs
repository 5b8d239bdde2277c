//! What pages see of one moment.

use crate::welcome::Welcome;
use axum::body::Bytes;
use std::sync::Arc;

/// A frame with everything that belongs to it. Pages compare parts by address, to be sent only what is new to them.
#[derive(Clone)]
pub(crate) struct Picture {
    /// The stage it is of: who was not welcomed to it yet needs its models first.
    pub(crate) welcome: Arc<Welcome>,
    pub(crate) frame: Bytes,
    /// Values somebody wants to see.
    pub(crate) fields: Vec<(FieldOf, Bytes)>,
    /// The frame of a take that is shown beside the live bodies.
    pub(crate) take: Option<Bytes>,
    /// What comes after the frame, the nearest first.
    pub(crate) ghosts: Vec<Bytes>,
    /// Key shapes at their places.
    pub(crate) keys: Vec<Bytes>,
}

/// What a field is of.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct FieldOf {
    pub(crate) body: u32,
    /// Its place in [`LOOKS`](crate::LOOKS).
    pub(crate) look: u32,
    /// The director whose values it has; none for all together.
    pub(crate) director: Option<Arc<str>>,
}

impl Picture {
    pub(crate) fn of(welcome: Arc<Welcome>, frame: Bytes) -> Self {
        Self { welcome, frame, fields: Vec::new(), take: None, ghosts: Vec::new(), keys: Vec::new() }
    }
}
