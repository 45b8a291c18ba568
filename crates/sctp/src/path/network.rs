//! What a path takes: its largest packet, and the headers below SCTP. RFC 9260 §6.9, §7.3

use manypath_core::Address;

use crate::config::Config;
use crate::packet::{COMMON_HEADER, DATA_HEADER, IPV4_HEADER};

/// The lower layers of a path.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Network {
    /// Largest IP packet, in bytes.
    mtu: u16,
    /// Bytes of all headers below SCTP's.
    header: u16,
}

impl Network {
    /// A path to `remote` whose MTU is the one of the configuration as far as known.
    pub(crate) fn new(config: &Config, remote: Address) -> Self {
        Self { mtu: config.mtu, header: header(config, remote) }
    }

    /// Another MTU has been found, in bytes. One of less than [`LEAST_MTU`] counts as that.
    pub(crate) fn set_mtu(&mut self, mtu: u16) {
        self.mtu = mtu.max(LEAST_MTU);
    }

    /// Largest IP packet, in bytes.
    pub(crate) fn mtu(self) -> u16 {
        self.mtu
    }

    /// Bytes of all headers below SCTP's.
    pub(crate) fn header(self) -> u16 {
        self.header
    }

    /// Bytes of an empty packet that chunks may fill, padding included.
    #[inline]
    pub(crate) fn room(self) -> usize {
        usize::from(self.mtu).saturating_sub(usize::from(self.header) + COMMON_HEADER) & !3
    }

    /// Largest payload of a chunk, in bytes.
    pub(crate) fn max_payload(self) -> usize {
        self.room().saturating_sub(DATA_HEADER).max(1)
    }
}

/// Bytes of all headers below SCTP's in a packet to `remote`.
pub(crate) fn header(config: &Config, remote: Address) -> u16 {
    let ip = if remote.is_v4() { IPV4_HEADER as u16 } else { IPV6_HEADER };
    ip + if config.udp_encapsulation { UDP_HEADER } else { 0 }
}

/// Smaller than any MTU of a network that carries SCTP: a forged ICMP message must not make packets of a few bytes.
const LEAST_MTU: u16 = 512;
/// Bytes of an IPv6 header without extensions.
const IPV6_HEADER: u16 = 40;
const UDP_HEADER: u16 = 8;
