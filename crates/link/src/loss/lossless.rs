//! Every packet arrives.

use manypath_core::{Random, Time};

use super::{Fate, Loss};
use crate::error::ConfigError;

/// Nothing to say about a link without loss.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(deny_unknown_fields)
)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LosslessConfig {}

impl LosslessConfig {
    /// There is nothing that could be wrong.
    ///
    /// # Errors
    /// None.
    pub fn validate(&self) -> Result<(), ConfigError> {
        Ok(())
    }

    /// No packet is harmed.
    #[must_use]
    pub fn harm(&self, _size: u32) -> f64 {
        0.0
    }
}

/// The model that takes nothing and draws nothing.
#[derive(Debug)]
pub struct Lossless;

impl Lossless {
    /// The model; it has no numbers.
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
