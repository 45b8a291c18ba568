//! Links by name, and paths as sequences of links.

use indexmap::IndexMap;
use manypath_core::{Rate, Span};
use manypath_link::{LinkConfig, QueueConfig};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What lies between the hosts. Every host has an access link of its own per path and direction.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Network {
    /// Core links by name, one direction each.
    pub links: IndexMap<String, LinkConfig>,
    /// Paths by name, over core links.
    pub paths: IndexMap<String, Path>,
    /// The link between a host and the network; `null` connects hosts to the core without one.
    #[serde(default = "default_access")]
    pub access: Option<LinkConfig>,
}

/// The core links of a path, in the order in which a packet crosses them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Path {
    /// From the source of a flow to its sink.
    pub forward: Vec<String>,
    /// From the sink back to the source.
    pub reverse: Vec<String>,
}

/// An access link is never the bottleneck: 1 Gbit/s, no delay, room for 10,000 packets, framed as PPP.
fn default_access() -> Option<LinkConfig> {
    Some(LinkConfig {
        queue: QueueConfig::DropTail(manypath_link::queue::Capacity::Packets(10_000)),
        overhead: 7,
        ..LinkConfig::new(Rate::from_bits_per_second(1_000_000_000), Span::ZERO)
    })
}
