//! The application of a flow.

use manypath_core::{Rate, Span};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The application at the source of a flow. The sink reads all data at once.
///
/// If the send buffer has no room for a message, it waits in the application; its latency counts from the time when it
/// was due.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Application {
    /// Keeps the send buffer full.
    Saturated {
        /// Length of a message.
        #[serde(default)]
        message: MessageSize,
        /// Whether messages are delivered in the order of their stream.
        #[serde(default)]
        ordered: bool,
    },
    /// Sends an amount of data as fast as possible, and closes the association when all of it has arrived.
    Transfer {
        /// User data in bytes; the number of whole messages that fit into it is sent.
        size: u64,
        /// Length of a message.
        #[serde(default)]
        message: MessageSize,
        /// Whether messages are delivered in the order of their stream.
        #[serde(default)]
        ordered: bool,
    },
    /// Messages at a constant bit rate, from the establishment of the association on.
    Cbr {
        /// User data in bit/s.
        rate: Rate,
        /// Length of a message.
        #[serde(default)]
        message: MessageSize,
        /// Whether messages are delivered in the order of their stream.
        #[serde(default)]
        ordered: bool,
    },
    /// Messages at a constant bit rate in active periods, with pauses; both periods are exponentially distributed.
    OnOff {
        /// User data in bit/s while active.
        rate: Rate,
        /// Mean of the active periods.
        on: Span,
        /// Mean of the pauses.
        off: Span,
        /// Length of a message.
        #[serde(default)]
        message: MessageSize,
        /// Whether messages are delivered in the order of their stream.
        #[serde(default)]
        ordered: bool,
    },
}

impl Application {
    /// Length of a message.
    #[must_use]
    pub const fn message(&self) -> MessageSize {
        match self {
            Self::Saturated { message, .. }
            | Self::Transfer { message, .. }
            | Self::Cbr { message, .. }
            | Self::OnOff { message, .. } => *message,
        }
    }

    /// Largest number of bytes that are sent.
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

/// Bytes of user data in a message, uniformly distributed between two limits.
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
