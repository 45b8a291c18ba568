//! Links by name, and paths as sequences of links.

use indexmap::IndexMap;
use manypath_link::LinkConfig;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The network between the hosts. Every host has its own access link per path and direction, if there are access links.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Network {
    /// Core links by name, one direction each.
    pub links: IndexMap<String, LinkConfig>,
    /// Paths by name, as sequences of core links.
    pub paths: IndexMap<String, Path>,
    /// The link between a host and the core; without it or with `null`, hosts are attached to the core directly.
    #[serde(default)]
    pub access: Option<LinkConfig>,
}

/// The core links of a path, in the order of a packet.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Path {
    /// From the source of a flow to its sink.
    pub forward: Vec<String>,
    /// From the sink back to the source.
    pub reverse: Vec<String>,
}
