//! The content of a frame: SCTP over IP, SCTP over UDP (RFC 6951), an IP fragment, or something else.

use std::net::IpAddr;

use bytes::Bytes;
use etherparse::{
    EtherType, IpNumber, LaxNetSlice, LaxSlicedPacket, UdpHeaderSlice,
    ip_number::{SCTP, UDP},
};

/// The IP packet of a frame, if it belongs to SCTP.
#[derive(Clone, Debug)]
pub(crate) struct IpPacket {
    pub(crate) source: IpAddr,
    pub(crate) destination: IpAddr,
    /// Source and destination port of UDP, if SCTP is encapsulated.
    pub(crate) udp_ports: Option<[u16; 2]>,
    /// Length of the IP packet in bytes, from its header.
    pub(crate) length: usize,
    pub(crate) content: Content,
}

/// The content of an IP packet.
#[derive(Clone, Debug)]
pub(crate) enum Content {
    /// An SCTP packet.
    Sctp(Sctp),
    /// A fragment of an IP packet, which cannot be decoded alone.
    Fragment,
}

/// An SCTP packet.
#[derive(Clone, Debug)]
pub(crate) struct Sctp {
    /// The bytes from the common header on.
    pub(crate) packet: Bytes,
    /// Number of bytes before the common header.
    pub(crate) network_header: usize,
    /// Whether the end of the packet was not captured.
    pub(crate) is_cut: bool,
}

/// The link type of a frame is not supported.
#[derive(Clone, Copy, Debug)]
pub(crate) struct UnknownLinkType;

/// Finds SCTP in a frame of a link type; `None` if the frame has other content.
///
/// # Errors
/// If the link type is not supported.
pub(crate) fn find(
    link_type: i32,
    frame: &Bytes,
    port: u16,
) -> Result<Option<IpPacket>, UnknownLinkType> {
    let sliced = match link_type {
        ETHERNET => LaxSlicedPacket::from_ethernet(frame).ok(),
        RAW | IPV4 | IPV6 => LaxSlicedPacket::from_ip(frame).ok(),
        COOKED => cooked(frame, 14, 16),
        COOKED_2 => cooked(frame, 0, 20),
        _ => return Err(UnknownLinkType),
    };
    Ok(sliced.and_then(|sliced| sliced.net).and_then(|net| ip_packet(frame, &net, port)))
}

/// A frame of Linux's cooked captures; the type of its payload is at the offset `at` of its header.
fn cooked(frame: &Bytes, at: usize, header: usize) -> Option<LaxSlicedPacket<'_>> {
    let &[high, low] = frame.get(at..at + 2)?.first_chunk::<2>()?;
    let ether_type = EtherType(u16::from_be_bytes([high, low]));
    Some(LaxSlicedPacket::from_ether_type(ether_type, frame.get(header..)?))
}

fn ip_packet(frame: &Bytes, net: &LaxNetSlice<'_>, port: u16) -> Option<IpPacket> {
    let (source, destination, begin, length): (IpAddr, IpAddr, _, _) = match net {
        LaxNetSlice::Ipv4(ip) => {
            let header = ip.header();
            let (source, destination) = (header.source_addr(), header.destination_addr());
            let length = usize::from(header.total_len());
            (source.into(), destination.into(), place(frame, header.slice()), length)
        }
        LaxNetSlice::Ipv6(ip) => {
            let header = ip.header();
            let (source, destination) = (header.source_addr(), header.destination_addr());
            let length = header.slice().len() + usize::from(header.payload_length());
            (source.into(), destination.into(), place(frame, header.slice()), length)
        }
        LaxNetSlice::Arp(_) => return None,
    };
    let ip = net.ip_payload_ref()?;
    let headers = place(frame, ip.payload).saturating_sub(begin);
    let is_sctp = ip.ip_number == SCTP;
    let (udp_ports, packet, network_header, is_cut) = match ip.ip_number {
        SCTP => (None, ip.payload, headers, ip.incomplete),
        UDP => {
            let udp = UdpHeaderSlice::from_slice(ip.payload).ok()?;
            let ports = [udp.source_port(), udp.destination_port()];
            let inner = usize::from(udp.length()).saturating_sub(UDP_HEADER);
            let rest = &ip.payload[UDP_HEADER..];
            let is_cut = rest.len() < inner;
            (Some(ports), &rest[..inner.min(rest.len())], headers + UDP_HEADER, is_cut)
        }
        IpNumber(_) => return None,
    };
    if !is_sctp && !udp_ports.is_some_and(|ports| ports.contains(&port)) {
        return None;
    }
    // The length of an IPv6 packet may be missing; then the packet extends to the end of its frame
    let most = LONGEST_PACKET.min(packet.len());
    let (packet, is_cut) = (&packet[..most], is_cut || most < packet.len());
    let content = if ip.fragmented {
        Content::Fragment
    } else {
        Content::Sctp(Sctp { packet: frame.slice_ref(packet), network_header, is_cut })
    };
    Some(IpPacket { source, destination, udp_ports, length, content })
}

/// The offset of a part of a frame.
fn place(frame: &Bytes, part: &[u8]) -> usize {
    part.as_ptr().addr().saturating_sub(frame.as_ptr().addr())
}

/// Numbers of link types in both file formats.
const ETHERNET: i32 = 1;
const RAW: i32 = 101;
const IPV4: i32 = 228;
const IPV6: i32 = 229;
const COOKED: i32 = 113;
const COOKED_2: i32 = 276;
const UDP_HEADER: usize = 8;
/// Largest size of an IP packet. The rest of a larger frame is ignored.
const LONGEST_PACKET: usize = u16::MAX as usize;
