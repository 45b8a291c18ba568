//! The registry of loss models: one line each.

use manypath_core::{Random, Time};

use super::dispatch::losses;
use super::*;
use crate::error::ConfigError;
use crate::kind::Kind;

losses! {
    Lossless "none" LosslessConfig: "every packet arrives",
    Bernoulli "bernoulli" BernoulliConfig: "each packet is lost with probability p, independently",
    BitError "bit-error" BitErrorConfig: "each bit is wrong with probability rate; damaged packets arrive damaged",
    GilbertElliott "gilbert-elliott" GilbertElliottConfig: "losses in bursts: a good and a bad state, a loss probability in each",
}

impl AnyLoss {
    /// Whether no packet is ever lost. For such links, which are the most common, the model is not called for each
    /// packet.
    #[inline]
    pub(crate) fn is_lossless(&self) -> bool {
        matches!(self, Self::Lossless(_))
    }
}

impl Default for LossConfig {
    fn default() -> Self {
        Self::Lossless(LosslessConfig {})
    }
}
