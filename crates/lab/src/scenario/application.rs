//! What a flow carries.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The application at the source of a flow; the sink reads whatever arrives at once.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Application {
    /// Keeps the send buffer full.
    Saturated {
        /// How long messages are.
        #[serde(default)]
        message: MessageSize,
        /// Whether messages are delivered in the order of their stream.
        #[serde(default)]
        ordered: bool,
    },
}

impl Default for Application {
    fn default() -> Self {
        Self::Saturated { message: MessageSize::default(), ordered: false }
    }
}

/// Bytes of user data in a message, uniform between two bounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MessageSize {
    /// Shortest message.
    pub min: u32,
    /// Longest message.
    pub max: u32,
}

impl Default for MessageSize {
    /// \[D11] V: 500 to 1452 bytes.
    fn default() -> Self {
        Self { min: 500, max: 1452 }
    }
}
