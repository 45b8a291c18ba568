//! Loss models: the trait that every loss model implements.

pub mod bernoulli;
pub mod bit_error;
mod dispatch;
pub mod gilbert_elliott;
pub mod lossless;
pub mod registry;

use manypath_core::{Random, Time};

pub use bernoulli::{Bernoulli, BernoulliConfig};
pub use bit_error::{BitError, BitErrorConfig};
pub use gilbert_elliott::{GilbertElliott, GilbertElliottConfig};
pub use lossless::{Lossless, LosslessConfig};
pub use registry::{AnyLoss, LossConfig, kinds};

/// A loss model. It is called once for each packet at the far end of the link, in the order of delivery.
pub trait Loss {
    /// Decides about the packet of `size` bytes that arrives at `now`. Random numbers come from `random`, a stream of
    /// the link that continues when an event replaces the model.
    fn fate(&mut self, now: Time, size: u32, random: &mut Random) -> Fate;
}

/// The effect of a link on a packet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    /// The packet arrives as it was sent.
    Intact,
    /// The packet does not arrive.
    Lost,
    /// The packet arrives with one wrong byte.
    Damaged {
        /// Offset of the wrong byte from the beginning of the network header.
        byte: u32,
    },
}
