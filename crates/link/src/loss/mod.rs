//! What takes packets away: the trait that every loss model implements.

pub mod bernoulli;
mod dispatch;
pub mod lossless;
pub mod registry;

use manypath_core::{Random, Time};

pub use bernoulli::{Bernoulli, BernoulliConfig};
pub use lossless::{Lossless, LosslessConfig};
pub use registry::{AnyLoss, LossConfig, kinds};

/// A loss model: asked once for each packet at the far end of the link, in the order of delivery.
pub trait Loss {
    /// Whether the packet of `size` bytes that arrives `now` is lost. Chance comes from `random`, which belongs to the
    /// link and goes on when an event replaces the model.
    fn takes(&mut self, now: Time, size: u32, random: &mut Random) -> bool;
}
