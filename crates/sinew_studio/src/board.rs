//! What every page is told about the document, newest only. The desk and its jobs write it; pages read it.

use crate::desk::Preferences;
use crate::protocol::{DocumentInfo, Gallery, JobInfo, Takes};
use std::sync::Arc;
use tokio::sync::watch;

pub(crate) struct Board {
    /// None for a show without a document.
    pub(crate) document: watch::Sender<Option<Arc<DocumentInfo>>>,
    pub(crate) gallery: watch::Sender<Gallery>,
    /// Running jobs and the last ones that ended.
    pub(crate) jobs: watch::Sender<Vec<JobInfo>>,
    pub(crate) takes: watch::Sender<Takes>,
    /// What the person at this machine prefers.
    pub(crate) preferences: watch::Sender<Preferences>,
}

impl Default for Board {
    fn default() -> Self {
        Self {
            document: watch::Sender::new(None),
            gallery: watch::Sender::new(Gallery { scenes: Vec::new(), files: Vec::new() }),
            jobs: watch::Sender::new(Vec::new()),
            takes: watch::Sender::new(Takes::default()),
            preferences: watch::Sender::new(Preferences::new()),
        }
    }
}
