//! The document of an emulation: a network, and pairs of hosts.

mod validate;

use std::collections::BTreeMap;

use indexmap::IndexMap;
use manypath_core::Span;
use manypath_link::DocumentError;
use manypath_link::document::{check_keys, read};
pub use manypath_link::{Network, Path};
use serde::Deserialize;

/// Everything that determines an emulation. Rates in bit/s, times in nanoseconds, sizes in bytes.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Document {
    /// Name of the emulation; it is part of the names of its namespaces.
    pub name: String,
    /// Links and paths, as in the network of a scenario.
    pub network: Network,
    /// Pairs of hosts by name. Without any, one pair has all paths and no name of its own.
    #[serde(default)]
    pub pairs: IndexMap<String, Pair>,
    /// Largest packet of a host, IP header included.
    #[serde(default = "default_mtu")]
    pub mtu: u32,
    /// Seed of all random numbers of the links.
    #[serde(default = "default_seed")]
    pub seed: u64,
    /// The bound beyond which a packet counts as late, and the allowed share of late packets.
    #[serde(default)]
    pub bounds: Bounds,
}

/// Two hosts, and the paths between them.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pair {
    /// Paths by name; each is an interface of both hosts.
    pub paths: Vec<String>,
    /// The namespace of the left host. An existing one is used and kept; without a name, one is created.
    #[serde(default)]
    pub left: Option<String>,
    /// The namespace of the right host, with the same rules.
    #[serde(default)]
    pub right: Option<String>,
    /// Kernel settings in both namespaces, such as `net.ipv4.tcp_congestion_control`.
    #[serde(default)]
    pub sysctl: BTreeMap<String, String>,
}

/// The allowed lateness of packets.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Bounds {
    /// A packet that leaves later than this after its due time is late.
    pub late: Span,
    /// A run with a larger share of late packets marks itself as unreliable.
    pub share: f64,
}

impl Default for Bounds {
    fn default() -> Self {
        Self { late: Span::from_millis(2), share: 0.01 }
    }
}

impl Document {
    /// Reads and checks a document.
    ///
    /// # Errors
    /// The first mistake, in one line.
    pub fn parse(json: &str) -> Result<Self, DocumentError> {
        // A list of the fields would be read, too
        if !json.trim_start().starts_with('{') {
            let field = "document".to_owned();
            let message = format!("expected an emulation as JSON: {EXAMPLE}");
            return Err(DocumentError::Form { field, message });
        }
        check_keys(json)?;
        let mut document: Self = read(json)?;
        if document.pairs.is_empty() {
            let paths = document.network.paths.keys().cloned().collect();
            let pair = Pair { paths, left: None, right: None, sysctl: BTreeMap::new() };
            document.pairs.insert(String::new(), pair);
        }
        document.validate()?;
        Ok(document)
    }
}

/// The beginning of a document.
const EXAMPLE: &str = r#"{"name": "lab", "network": {"links": {"south": {"rate": 10000000, ..."#;

const fn default_mtu() -> u32 {
    1500
}

const fn default_seed() -> u64 {
    1
}
