//! How bodies are named inside a stage.

use serde::{Deserialize, Serialize};

/// A body of the stage (or, inside a solver, of that solver).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
pub struct BodyId(pub u32);
