//! What a flow carries.

use manypath_core::{Rate, Span};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The application at the source of a flow; the sink reads whatever arrives at once.
///
/// A message that finds no room in the send buffer waits in the application; its latency counts from when it was due.
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
    /// Sends so much as fast as it can, and closes the association when all of it has arrived.
    Transfer {
        /// User data in bytes; as many whole messages are sent as fit into it.
        size: u64,
        /// How long messages are.
        #[serde(default)]
        message: MessageSize,
        /// Whether messages are delivered in the order of their stream.
        #[serde(default)]
        ordered: bool,
    },
    /// Messages at a constant bit rate, from the instant at which the association stands.
    Cbr {
        /// User data in bit/s.
        rate: Rate,
        /// How long messages are.
        #[serde(default)]
        message: MessageSize,
        /// Whether messages are delivered in the order of their stream.
        #[serde(default)]
        ordered: bool,
    },
    /// Messages at a constant bit rate while active, and pauses; both periods are exponential.
    OnOff {
        /// User data in bit/s while active.
        rate: Rate,
        /// Mean of the active periods.
        on: Span,
        /// Mean of the pauses.
        off: Span,
        /// How long messages are.
        #[serde(default)]
        message: MessageSize,
        /// Whether messages are delivered in the order of their stream.
        #[serde(default)]
        ordered: bool,
    },
}

impl Application {
    /// How long messages are.
    #[must_use]
    pub const fn message(&self) -> MessageSize {
        match self {
            Self::Saturated { message, .. }
            | Self::Transfer { message, .. }
            | Self::Cbr { message, .. }
            | Self::OnOff { message, .. } => *message,
        }
    }

    /// How many bytes are sent at most.
    #[must_use]
    pub const fn size(&self) -> u64 {
        match self {
            Self::Transfer { size, .. } => *size,
            Self::Saturated { .. } | Self::Cbr { .. } | Self::OnOff { .. } => u64::MAX,
        }
    }

    /// Whether messages are delivered in the order of their stream.
    #[must_use]
    pub const fn ordered(&self) -> bool {
        match self {
            Self::Saturated { ordered, .. }
            | Self::Transfer { ordered, .. }
            | Self::Cbr { ordered, .. }
            | Self::OnOff { ordered, .. } => *ordered,
        }
    }
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
