//! When a flow starts.

use manypath_core::Span;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The start of a flow: a random time, uniformly distributed between two limits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Start {
    /// Earliest start.
    pub earliest: Span,
    /// Latest start.
    pub latest: Span,
}

impl Default for Start {
    fn default() -> Self {
        Self { earliest: Span::ZERO, latest: Span::from_secs(1) }
    }
}
