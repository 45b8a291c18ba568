//! The loss models there are: one line each.

use manypath_core::{Random, Time};

use super::dispatch::losses;
use super::{
    Bernoulli, BernoulliConfig, BitError, BitErrorConfig, Fate, Loss, Lossless, LosslessConfig,
};
use crate::error::ConfigError;
use crate::kind::Kind;

losses! {
    Lossless "none" LosslessConfig: "every packet arrives",
    Bernoulli "bernoulli" BernoulliConfig: "each packet is lost with probability p, independently",
    BitError "bit-error" BitErrorConfig: "each bit is wrong with probability rate; damaged packets arrive damaged",
}

impl Default for LossConfig {
    fn default() -> Self {
        Self::Lossless(LosslessConfig {})
    }
}
