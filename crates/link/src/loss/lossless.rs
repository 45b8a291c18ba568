//! Every packet arrives.

use manypath_core::{Random, Time};

use super::{Fate, Loss};
use crate::error::ConfigError;

/// The configuration of a link without loss; it has no parameters.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(deny_unknown_fields)
)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LosslessConfig {}

impl LosslessConfig {
    /// Accepts every configuration, as there are no values to check.
    ///
    /// # Errors
    /// None.
    pub fn validate(&self) -> Result<(), ConfigError> {
        Ok(())
    }

    /// No packet is lost or damaged.
    #[must_use]
    pub fn harm(&self, _size: u32) -> f64 {
        0.0
    }
}

/// The model without losses. It draws no random numbers.
#[derive(Debug)]
pub struct Lossless;

impl Lossless {
    /// Creates the model; the configuration has no parameters.
    #[must_use]
    pub fn new(_config: &LosslessConfig) -> Self {
        Self
    }
}

impl Loss for Lossless {
    #[inline]
    fn fate(&mut self, _now: Time, _size: u32, _random: &mut Random) -> Fate {
        Fate::Intact
    }
}
