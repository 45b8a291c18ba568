//! Each bit is wrong with the same probability, independently: long packets are damaged more often than short ones.

use manypath_core::{Random, Time};

use super::{Fate, Loss};
use crate::error::{ConfigError, probability};

/// The configuration of independent bit errors.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(deny_unknown_fields)
)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct BitErrorConfig {
    /// Bit error rate ε: the probability that a bit is wrong. Framing does not count.
    pub rate: f64,
    /// Bytes at the front of a packet that stay intact. The packet is damaged as often, but further back. If they
    /// include the headers, the receiver can identify the packet, as in a simulator that only marks damaged packets.
    #[cfg_attr(feature = "serde", serde(default))]
    pub spared: u32,
}

impl BitErrorConfig {
    /// Checks the values.
    ///
    /// # Errors
    /// If `rate` is not a probability.
    pub fn validate(&self) -> Result<(), ConfigError> {
        probability("loss.rate", self.rate)
    }

    /// Probability `1 - (1 - ε)^(8 size)` that a packet of `size` bytes does not arrive intact.
    #[must_use]
    pub fn harm(&self, size: u32) -> f64 {
        -libm::expm1(bits(size) * libm::log1p(-self.rate))
    }
}

/// Independent bit errors. One draw for each packet decides whether it is damaged and which byte is damaged.
#[derive(Debug)]
pub struct BitError {
    config: BitErrorConfig,
}

impl BitError {
    /// Errors at the rate of `config`.
    #[must_use]
    pub fn new(config: &BitErrorConfig) -> Self {
        Self { config: *config }
    }

    /// Compares `draw`, which is below the upper bound, with the exact probability of damage.
    #[cold]
    fn look_closer(&self, draw: f64, size: u32) -> Fate {
        let harm = self.config.harm(size);
        if draw < harm {
            // All draws below `harm` are equally likely, so the same draw selects the byte.
            let exposed = size.saturating_sub(self.config.spared);
            let byte = self.config.spared + (draw / harm * f64::from(exposed)) as u32;
            Fate::Damaged { byte: byte.min(size - 1) }
        } else {
            Fate::Intact
        }
    }
}

impl Loss for BitError {
    #[inline]
    fn fate(&mut self, _now: Time, size: u32, random: &mut Random) -> Fate {
        let draw = random.unit();
        // Bernoulli's inequality: 1 - (1 - ε)^n <= n ε. Most draws are above this bound, so the power is rarely
        // computed.
        if draw < bits(size) * self.config.rate {
            self.look_closer(draw, size)
        } else {
            Fate::Intact
        }
    }
}

fn bits(size: u32) -> f64 {
    8.0 * f64::from(size)
}
