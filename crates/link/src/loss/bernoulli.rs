//! Each packet is lost with the same probability, independently of all others.

use manypath_core::{Random, Time};

use super::{Fate, Loss};
use crate::error::{ConfigError, probability};

/// The configuration of independent losses.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(deny_unknown_fields)
)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct BernoulliConfig {
    /// Probability that a packet is lost.
    pub p: f64,
}

impl BernoulliConfig {
    /// Checks the values.
    ///
    /// # Errors
    /// If `p` is not a probability.
    pub fn validate(&self) -> Result<(), ConfigError> {
        probability("loss.p", self.p)
    }

    /// Probability that a packet does not arrive intact; independent of its size.
    #[must_use]
    pub fn harm(&self, _size: u32) -> f64 {
        self.p
    }
}

/// Independent losses: one draw for each packet.
#[derive(Debug)]
pub struct Bernoulli {
    p: f64,
}

impl Bernoulli {
    /// Losses with the probability of `config`.
    #[must_use]
    pub fn new(config: &BernoulliConfig) -> Self {
        Self { p: config.p }
    }
}

impl Loss for Bernoulli {
    #[inline]
    fn fate(&mut self, _now: Time, _size: u32, random: &mut Random) -> Fate {
        if random.chance(self.p) { Fate::Lost } else { Fate::Intact }
    }
}
