//! Losses in bursts: a link has a good and a bad state, with a loss probability for each.
//!
//! In \[G60] only the bad state loses packets; in \[E63] both states do.

use manypath_core::{Random, Time};

use super::{Fate, Loss};
use crate::error::{ConfigError, probability};

/// The configuration of losses in bursts: transition probabilities per packet, and loss probabilities per state.
///
/// In the long run a share `π = to_bad / (to_bad + to_good)` of the packets meets the bad state, in runs of
/// `1 / to_good` packets on average, and `π loss_bad + (1 - π) loss_good` of all packets are lost.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(deny_unknown_fields)
)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct GilbertElliottConfig {
    /// Probability that the state is bad for the next packet when it was good for this one.
    pub to_bad: f64,
    /// Probability that the state is good for the next packet when it was bad for this one.
    pub to_good: f64,
    /// Probability that a packet is lost in the bad state; certain by default.
    #[cfg_attr(feature = "serde", serde(default = "certain"))]
    pub loss_bad: f64,
    /// Probability that a packet is lost in the good state; none by default.
    #[cfg_attr(feature = "serde", serde(default))]
    pub loss_good: f64,
}

impl GilbertElliottConfig {
    /// Checks the values.
    ///
    /// # Errors
    /// The first field that is not a probability.
    pub fn validate(&self) -> Result<(), ConfigError> {
        probability("loss.to_bad", self.to_bad)?;
        probability("loss.to_good", self.to_good)?;
        probability("loss.loss_bad", self.loss_bad)?;
        probability("loss.loss_good", self.loss_good)
    }

    /// Probability that a packet does not arrive intact in the worse state; independent of its size.
    #[must_use]
    pub fn harm(&self, _size: u32) -> f64 {
        if self.to_bad > 0.0 { self.loss_bad.max(self.loss_good) } else { self.loss_good }
    }
}

/// Losses in bursts. There are two draws for each packet: one for its loss and one for the next state. The first state
/// is the good one.
#[derive(Debug)]
pub struct GilbertElliott {
    config: GilbertElliottConfig,
    is_bad: bool,
}

impl GilbertElliott {
    /// Losses with the probabilities of `config`.
    #[must_use]
    pub fn new(config: &GilbertElliottConfig) -> Self {
        Self { config: *config, is_bad: false }
    }
}

impl Loss for GilbertElliott {
    #[inline]
    fn fate(&mut self, _now: Time, _size: u32, random: &mut Random) -> Fate {
        let GilbertElliottConfig { to_bad, to_good, loss_bad, loss_good } = self.config;
        let (loss, leave) = if self.is_bad { (loss_bad, to_good) } else { (loss_good, to_bad) };
        let is_lost = random.chance(loss);
        self.is_bad ^= random.chance(leave);
        if is_lost { Fate::Lost } else { Fate::Intact }
    }
}

#[cfg(feature = "serde")]
fn certain() -> f64 {
    1.0
}
