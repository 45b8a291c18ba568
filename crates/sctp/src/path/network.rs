//! The lower layers of a path: the MTU and the headers below SCTP. RFC 9260 §6.9, §7.3

use manypath_cc::IpVersion;
use manypath_core::Address;

use super::mtu_search::MtuSearch;
use crate::config::{Config, MtuDiscovery};
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
    /// A path to `remote` with the configured MTU.
    pub(crate) fn new(config: &Config, remote: Address) -> Self {
        Self { mtu: config.mtu, header: header(config, remote) }
    }

    /// The search for the path's MTU, if it is configured. IPv6 has a minimum MTU. RFC 8200 §5
    pub(crate) fn search(self, config: &Config) -> Option<Box<MtuSearch>> {
        let settings = config.mtu_discovery?;
        let least = if self.segment().0 == IpVersion::V6 { LEAST_IPV6_MTU } else { LEAST_MTU };
        let settings = MtuDiscovery { min: settings.min.max(least), ..settings };
        Some(Box::new(MtuSearch::new(settings, self.mtu)))
    }

    /// Sets the MTU, in bytes; at least [`LEAST_MTU`].
    pub(crate) fn set_mtu(&mut self, mtu: u16) {
        self.mtu = mtu.max(LEAST_MTU);
    }

    /// Largest IP packet, in bytes.
    #[inline]
    pub(crate) fn mtu(self) -> u16 {
        self.mtu
    }

    /// The version of IP, and the largest packet without the UDP header, in bytes: the base of congestion control.
    pub(crate) fn segment(self) -> (IpVersion, u64) {
        let ip = if self.header < IPV6_HEADER { IpVersion::V4 } else { IpVersion::V6 };
        let udp = u64::from(self.header) - ip.header_bytes();
        (ip, u64::from(self.mtu) - udp)
    }

    /// Bytes of all headers below SCTP's.
    pub(crate) fn header(self) -> u16 {
        self.header
    }

    /// Bytes of an empty packet that chunks may fill, padding included.
    #[inline]
    pub(crate) fn room(self) -> usize {
        self.room_of(self.mtu)
    }

    /// Bytes that chunks may fill in an IP packet of this size.
    #[inline]
    pub(crate) fn room_of(self, size: u16) -> usize {
        usize::from(size).saturating_sub(usize::from(self.header) + COMMON_HEADER) & !3
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

/// Smaller than any MTU of a network with SCTP. A forged ICMP message must not cause packets of a few bytes.
const LEAST_MTU: u16 = 512;
/// RFC 8200 §5
const LEAST_IPV6_MTU: u16 = 1280;
/// Bytes of an IPv6 header without extensions.
const IPV6_HEADER: u16 = 40;
const UDP_HEADER: u16 = 8;
