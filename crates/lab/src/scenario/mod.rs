//! The scenario: the document with network, flows and phases that Python sends.

mod application;
mod flow;
mod memory;
mod sctp;
mod start;
mod tcp;
mod validate;

use indexmap::IndexMap;
use manypath_core::{Span, Time};
use manypath_link::DocumentError;
use manypath_link::document::read;
pub use manypath_link::{Network, Path};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

pub use application::{Application, MessageSize};
pub use flow::Flow;
pub use memory::available as available_memory;
pub(crate) use memory::{Bytes, COPIES};
pub use sctp::{Rto, SctpFlow};
pub use start::Start;
pub use tcp::{MptcpFlow, TcpFlow, TcpRto};

/// Everything that determines a run, except its seed. Rates in bit/s, times in nanoseconds, sizes in bytes.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Scenario {
    /// Links and paths.
    pub network: Network,
    /// Flows by name; all results of a run are in their order.
    pub flows: IndexMap<String, Flow>,
    /// Duration of the warm-up, which is not measured.
    #[serde(default = "default_warmup")]
    pub warmup: Span,
    /// Duration of the measurement after the warm-up.
    pub measure: Span,
}

impl Scenario {
    /// Reads and checks a document.
    ///
    /// # Errors
    /// The first mistake, in one line.
    pub fn parse(json: &str) -> Result<Self, DocumentError> {
        let Document { network, flows, warmup, measure } = read(json)?;
        let flows = flows.into_iter().map(|(name, fields)| {
            let flow = Flow::read(&name, fields)?;
            Ok((name, flow))
        });
        let scenario = Self { network, flows: flows.collect::<Result<_, _>>()?, warmup, measure };
        scenario.validate()?;
        Ok(scenario)
    }

    /// The end of the warm-up.
    #[must_use]
    pub fn measure_from(&self) -> Time {
        Time::ZERO + self.warmup
    }

    /// The end of the run.
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

/// A scenario with unparsed flows, because their fields depend on their protocols.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Document {
    network: Network,
    flows: IndexMap<String, Map<String, Value>>,
    #[serde(default = "default_warmup")]
    warmup: Span,
    measure: Span,
}

const fn default_warmup() -> Span {
    Span::from_secs(20)
}
