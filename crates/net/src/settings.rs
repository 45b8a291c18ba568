//! The settings of a host or an endpoint, as the builder collects them.

use std::net::IpAddr;

use manypath_sctp::Config;

use crate::{Capture, EventLog, Peer, options};

/// The settings of a host or an endpoint.
#[derive(Clone, Debug)]
pub(crate) struct Settings {
    pub(crate) local: Vec<IpAddr>,
    pub(crate) interfaces: Vec<(IpAddr, String)>,
    pub(crate) encapsulation: Option<u16>,
    pub(crate) raw: bool,
    pub(crate) backlog: Option<usize>,
    pub(crate) config: Config,
    pub(crate) capture: Option<Capture>,
    pub(crate) events: Option<EventLog>,
    /// The named addresses are a selection of those of the machine: use the ones that the system's routes select.
    pub(crate) follows_routes: bool,
    /// An endpoint of the host with this port and these addresses, which does not listen, becomes the new endpoint.
    pub(crate) takes_over: bool,
}

impl Settings {
    pub(crate) fn new() -> Self {
        Self {
            local: Vec::new(),
            interfaces: Vec::new(),
            encapsulation: Some(Peer::ENCAPSULATION_PORT),
            raw: false,
            backlog: None,
            config: options::for_real_networks(),
            capture: None,
            events: None,
            follows_routes: false,
            takes_over: false,
        }
    }

    /// Whether the application names local addresses.
    pub(crate) fn names_addresses(&self) -> bool {
        !self.local.is_empty()
    }

    /// The named local addresses, without duplicates.
    pub(crate) fn addresses(&self) -> Vec<IpAddr> {
        let mut addresses = Vec::new();
        for address in &self.local {
            if !addresses.contains(address) {
                addresses.push(*address);
            }
        }
        addresses
    }
}
