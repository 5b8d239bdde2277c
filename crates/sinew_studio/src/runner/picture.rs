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
    /// Values somebody wants to see, by body and look.
    pub(crate) fields: Vec<((u32, u32), Bytes)>,
    /// The frame of a take that is shown beside the live bodies.
    pub(crate) take: Option<Bytes>,
}

impl Picture {
    pub(crate) fn of(welcome: Arc<Welcome>, frame: Bytes) -> Self {
        Self { welcome, frame, fields: Vec::new(), take: None }
    }
}
