//! The JSON Schema of scene files, derived from the model.

use crate::Scene;
use serde_json::Value;
use std::sync::LazyLock;

static SCHEMA: LazyLock<Value> = LazyLock::new(|| schemars::schema_for!(Scene).to_value());

/// The JSON Schema of scene files.
pub fn schema() -> Value {
    SCHEMA.clone()
}

pub(crate) fn shared() -> &'static Value {
    &SCHEMA
}
