//! The scenario: networks, flows and phases, as the document that Python sends.

mod application;
mod error;
mod flow;
mod memory;
mod network;
mod sctp;
mod switches;
mod tcp;
mod validate;

use indexmap::IndexMap;
use manypath_core::{Span, Time};
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

pub use application::{Application, MessageSize};
pub use error::ScenarioError;
pub(crate) use error::nearest;
pub use flow::{Flow, Start};
pub use memory::available as available_memory;
pub(crate) use memory::{Bytes, COPIES};
pub use network::{Network, Path};
pub use sctp::{Rto, SctpFlow};
pub use tcp::{MptcpFlow, Recovery, RtoRule, Scheduler, TcpFlow, TcpRto};

/// Everything that a run depends on beside its seed. Rates in bit/s, times in nanoseconds, sizes in bytes.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Scenario {
    /// Links, and the paths that lead over them.
    pub network: Network,
    /// Flows by name; their order is the order of everything that the run reports.
    pub flows: IndexMap<String, Flow>,
    /// How long the run settles before anything counts.
    #[serde(default = "default_warmup")]
    pub warmup: Span,
    /// How long the run is measured after the warm-up.
    pub measure: Span,
}

impl Scenario {
    /// Reads and checks a document.
    ///
    /// # Errors
    /// The first thing that is wrong, in one line.
    pub fn parse(json: &str) -> Result<Self, ScenarioError> {
        let Document { network, flows, warmup, measure } = read(json)?;
        let flows = flows.into_iter().map(|(name, fields)| {
            let flow = Flow::read(&name, fields)?;
            Ok((name, flow))
        });
        let scenario = Self { network, flows: flows.collect::<Result<_, _>>()?, warmup, measure };
        scenario.validate()?;
        Ok(scenario)
    }

    /// The instant at which the warm-up is over.
    #[must_use]
    pub fn measure_from(&self) -> Time {
        Time::ZERO + self.warmup
    }

    /// The instant at which the run is over.
    #[must_use]
    pub fn end(&self) -> Time {
        self.measure_from() + self.measure
    }

    /// The JSON schema of the document.
    #[must_use]
    pub fn schema() -> serde_json::Value {
        schemars::schema_for!(Self).to_value()
    }
}

/// A scenario whose flows have not been read yet: what fields they have depends on their protocols.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Document {
    network: Network,
    flows: IndexMap<String, Map<String, Value>>,
    #[serde(default = "default_warmup")]
    warmup: Span,
    measure: Span,
}

/// Reads a JSON document; an error names the field that it is about.
pub(crate) fn read<T: DeserializeOwned>(json: &str) -> Result<T, ScenarioError> {
    let mut deserializer = serde_json::Deserializer::from_str(json);
    let document = serde_path_to_error::deserialize(&mut deserializer).map_err(|error| {
        ScenarioError::from_serde(&error.path().to_string(), &error.into_inner())
    })?;
    deserializer.end().map_err(|error| ScenarioError::from_serde(".", &error))?;
    Ok(document)
}

const fn default_warmup() -> Span {
    Span::from_secs(20)
}
