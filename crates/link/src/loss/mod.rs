//! What takes packets away or damages them: the trait that every loss model implements.

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

/// A loss model: asked once for each packet at the far end of the link, in the order of delivery.
pub trait Loss {
    /// What becomes of the packet of `size` bytes that arrives `now`. Chance comes from `random`, which belongs to the
    /// link and goes on when an event replaces the model.
    fn fate(&mut self, now: Time, size: u32, random: &mut Random) -> Fate;
}

/// What a link does to a packet on its way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    /// Nothing: it arrives as it was sent.
    Intact,
    /// It never arrives.
    Lost,
    /// It arrives with a byte that is wrong.
    Damaged {
        /// Place of that byte, counted from the network header on.
        byte: u32,
    },
}
