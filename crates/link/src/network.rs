//! Networks in documents: links by name, and paths as sequences of links.

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};

use crate::{DocumentError, LinkConfig};

/// The network between the hosts. Every host has its own access link per path and direction, if there are access links.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Path {
    /// From the source of a flow to its sink. In an emulation: from left to right.
    pub forward: Vec<String>,
    /// From the sink back to the source.
    pub reverse: Vec<String>,
}

impl Network {
    /// Checks the links, and that every path has existing links, each once.
    ///
    /// # Errors
    /// The first invalid field; its path begins with `network`.
    pub fn validate(&self) -> Result<(), DocumentError> {
        for (name, link) in &self.links {
            validate_link(&format!("network.links.{name}"), link)?;
        }
        if let Some(access) = &self.access {
            validate_link("network.access", access)?;
        }
        if self.paths.is_empty() {
            return Err(DocumentError::value("network.paths", "empty", "at least one path"));
        }
        for (name, path) in &self.paths {
            self.validate_links_of(&format!("network.paths.{name}.forward"), &path.forward)?;
            self.validate_links_of(&format!("network.paths.{name}.reverse"), &path.reverse)?;
        }
        Ok(())
    }

    fn validate_links_of(&self, field: &str, links: &[String]) -> Result<(), DocumentError> {
        if links.is_empty() {
            return Err(DocumentError::value(field, "empty", "at least one link"));
        }
        known_once(field, "link", links, &self.links)
    }

    /// Checks that the paths of a flow or of a pair of hosts exist, and that each is used once.
    ///
    /// # Errors
    /// The mistake in `field`.
    pub fn validate_paths(&self, field: &str, paths: &[String]) -> Result<(), DocumentError> {
        known_once(field, "path", paths, &self.paths)
    }
}

fn validate_link(field: &str, link: &LinkConfig) -> Result<(), DocumentError> {
    link.validate().map_err(|error| DocumentError::Value(error.within(field)))
}

/// Fails unless all names are `known` and different.
fn known_once<V>(
    field: &str,
    kind: &str,
    names: &[String],
    known: &IndexMap<String, V>,
) -> Result<(), DocumentError> {
    for (index, name) in names.iter().enumerate() {
        if !known.contains_key(name) {
            let known = known.keys().map(String::as_str);
            return Err(DocumentError::unknown(field, name, kind, known));
        }
        if names[..index].contains(name) {
            let twice = format!("\"{name}\" twice");
            return Err(DocumentError::value(field, twice, format!("each {kind} once")));
        }
    }
    Ok(())
}
