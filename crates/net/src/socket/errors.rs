//! The error queue of a socket, which reports errors of sent packets. RFC 9260 §10, RFC 8899 §4.6

use std::io::{self, IoSliceMut};
use std::net::IpAddr;
use std::os::fd::{AsFd, AsRawFd};

use manypath_core::Address;
use nix::cmsg_space;
use nix::errno::Errno;
use nix::libc::{
    EMSGSIZE, SO_EE_ORIGIN_ICMP, SO_EE_ORIGIN_ICMP6, SO_EE_ORIGIN_LOCAL, sock_extended_err,
};
use nix::sys::socket::sockopt::{Ipv4RecvErr, Ipv6RecvErr};
use nix::sys::socket::{ControlMessageOwned, MsgFlags, SockaddrStorage, recvmsg, setsockopt};

/// An error of a sent packet, or of one that the system could not send.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) struct Trouble {
    /// Source address of the packet.
    pub(crate) local: Address,
    /// Destination address of the packet.
    pub(crate) remote: Address,
    /// SCTP port of the endpoint that sent the packet, if it is known.
    pub(crate) port: Option<u16>,
    /// The reason.
    pub(crate) reason: Reason,
    /// The quoted part of the packet, which shows that the packet was sent; `None` if the error is local.
    pub(crate) quoted: Option<Quoted>,
}

/// The reason why a packet did not arrive.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Reason {
    /// It was too large for a link; the MTU in bytes.
    TooBig(u16),
    /// The UDP port of the peer's host is closed.
    NoPort,
    /// The peer's host does not support SCTP over IP, or its raw socket has a full buffer.
    NoProtocol,
    /// There is no route to the peer's host, or it is prohibited.
    NoWay,
    /// Anything else.
    Other,
}

impl Trouble {
    /// This machine has no route from one address to the other, for a packet of this SCTP port.
    pub(super) fn here(local: Address, remote: Address, port: u16) -> Self {
        Self { local, remote, port: Some(port), reason: Reason::NoWay, quoted: None }
    }

    /// Whether it indicates that the peer is unreachable.
    pub(crate) fn is_about_reachability(&self) -> bool {
        matches!(self.reason, Reason::NoPort | Reason::NoProtocol | Reason::NoWay)
    }
}

/// The protocol below SCTP.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Below {
    Udp,
    Ip,
}

/// The first bytes of the packet, as quoted by the ICMP message.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) struct Quoted {
    pub(crate) source_port: u16,
    pub(crate) destination_port: u16,
    pub(crate) tag: u32,
    /// The initiate tag, if the packet was an INIT and enough of it is quoted.
    pub(crate) initiate_tag: Option<u32>,
}

/// Enables the error queue of a socket.
pub(super) fn enable(socket: &impl AsFd, is_v4: bool) -> io::Result<()> {
    if is_v4 {
        setsockopt(socket, Ipv4RecvErr, &true)?;
    } else {
        setsockopt(socket, Ipv6RecvErr, &true)?;
    }
    Ok(())
}

/// The next entry of the error queue of a socket on `local`; `None` if it is empty. Unknown entries are skipped.
pub(super) fn next(socket: &impl AsFd, local: Address, below: Below) -> Option<Trouble> {
    for _ in 0..MOST_ENTRIES {
        match take(socket, local, below) {
            Ok(Some(trouble)) => return Some(trouble),
            Err(Errno::EAGAIN) => return None,
            Ok(None) | Err(_) => {}
        }
    }
    None
}

fn take(socket: &impl AsFd, local: Address, below: Below) -> Result<Option<Trouble>, Errno> {
    let mut payload = [0; QUOTED];
    let mut slices = [IoSliceMut::new(&mut payload)];
    // Room for the error and for the control messages of every packet: addresses, traffic class, time
    let mut space = cmsg_space!([u8; 512]);
    let flags = MsgFlags::MSG_ERRQUEUE | MsgFlags::MSG_DONTWAIT;
    let descriptor = socket.as_fd().as_raw_fd();
    let message = recvmsg::<SockaddrStorage>(descriptor, &mut slices, Some(&mut space), flags)?;
    let length = message.bytes;
    let remote = message.address.as_ref().and_then(ip);
    let error = message.cmsgs()?.find_map(|control| match control {
        ControlMessageOwned::Ipv4RecvErr(error, _) | ControlMessageOwned::Ipv6RecvErr(error, _) => {
            Some(error)
        }
        _ => None,
    });
    let (Some(remote), Some(error)) = (remote, error) else { return Ok(None) };
    let is_own = error.ee_origin == SO_EE_ORIGIN_LOCAL;
    let quoted = if is_own { None } else { quoted(&payload[..length.min(QUOTED)]) };
    if quoted.is_none() && !is_own {
        // The quoted packet is too short to identify its endpoint
        return Ok(None);
    }
    let port = quoted.map(|quoted| quoted.source_port);
    Ok(Some(Trouble { local, remote: remote.into(), port, reason: reason(&error, below), quoted }))
}

/// "Port unreachable" only concerns UDP, "protocol unreachable" only IP. RFC 792,
/// RFC 1191 §4, RFC 4443 §3, RFC 6951 §5.6, RFC 9260 §10
fn reason(error: &sock_extended_err, below: Below) -> Reason {
    let too_big = || Reason::TooBig(u16::try_from(error.ee_info).unwrap_or(u16::MAX));
    match (error.ee_origin, error.ee_type, error.ee_code) {
        (SO_EE_ORIGIN_LOCAL, _, _) if error.ee_errno == EMSGSIZE as u32 => too_big(),
        (SO_EE_ORIGIN_ICMP, 3, 4) | (SO_EE_ORIGIN_ICMP6, 2, _) => too_big(),
        (SO_EE_ORIGIN_ICMP, 3, 3) | (SO_EE_ORIGIN_ICMP6, 1, 4) => match below {
            Below::Udp => Reason::NoPort,
            Below::Ip => Reason::Other,
        },
        (SO_EE_ORIGIN_ICMP, 3, 2) | (SO_EE_ORIGIN_ICMP6, 4, 1) => match below {
            Below::Ip => Reason::NoProtocol,
            Below::Udp => Reason::Other,
        },
        (SO_EE_ORIGIN_ICMP, 3, _) | (SO_EE_ORIGIN_ICMP6, 1, _) => Reason::NoWay,
        _ => Reason::Other,
    }
}

fn quoted(sctp: &[u8]) -> Option<Quoted> {
    let [s0, s1, d0, d1, t0, t1, t2, t3] = *sctp.first_chunk::<SCTP_HEADER>()?;
    let initiate_tag = match *sctp {
        [_, _, _, _, _, _, _, _, _, _, _, _, INIT, _, _, _, i0, i1, i2, i3] => {
            Some(u32::from_be_bytes([i0, i1, i2, i3]))
        }
        _ => None,
    };
    Some(Quoted {
        source_port: u16::from_be_bytes([s0, s1]),
        destination_port: u16::from_be_bytes([d0, d1]),
        tag: u32::from_be_bytes([t0, t1, t2, t3]),
        initiate_tag,
    })
}

fn ip(address: &SockaddrStorage) -> Option<IpAddr> {
    let v4 = address.as_sockaddr_in().map(|v4| IpAddr::V4(v4.ip()));
    v4.or_else(|| address.as_sockaddr_in6().map(|v6| IpAddr::V6(v6.ip())))
}

/// Ports and tag: the part of a packet that routers must quote after the IP header. RFC 792
const SCTP_HEADER: usize = 8;
/// The common header, the header of a chunk, and the initiate tag if that is an INIT. RFC 9260 §3.3.2
const QUOTED: usize = 12 + 4 + 4;
/// Type of the chunk INIT.
const INIT: u8 = 1;
/// Largest number of entries that are read at once.
const MOST_ENTRIES: usize = 64;

#[cfg(test)]
mod tests {
    use super::*;

    fn told(origin: u8, kind: u8, code: u8, below: Below) -> Reason {
        let error = sock_extended_err {
            ee_errno: 0,
            ee_origin: origin,
            ee_type: kind,
            ee_code: code,
            ee_pad: 0,
            ee_info: 1400,
            ee_data: 0,
        };
        reason(&error, below)
    }

    #[test]
    fn only_some_messages_of_icmp_matter() {
        use Below::{Ip, Udp};
        use Reason::{NoPort, NoProtocol, NoWay, Other, TooBig};
        // Port, protocol and host unreachable; fragmentation needed; time exceeded; parameter problem
        for (kind, code, over_udp, over_ip) in [
            (3, 3, NoPort, Other),
            (3, 2, Other, NoProtocol),
            (3, 1, NoWay, NoWay),
            (3, 4, TooBig(1400), TooBig(1400)),
            (11, 0, Other, Other),
            (12, 0, Other, Other),
        ] {
            let told = |below| told(SO_EE_ORIGIN_ICMP, kind, code, below);
            assert_eq!((told(Udp), told(Ip)), (over_udp, over_ip), "{kind} {code}");
        }
        for (kind, code, over_udp, over_ip) in [
            (1, 4, NoPort, Other),
            (4, 1, Other, NoProtocol),
            (1, 0, NoWay, NoWay),
            (2, 0, TooBig(1400), TooBig(1400)),
            (3, 0, Other, Other),
            (4, 0, Other, Other),
        ] {
            let told = |below| told(SO_EE_ORIGIN_ICMP6, kind, code, below);
            assert_eq!((told(Udp), told(Ip)), (over_udp, over_ip), "ICMPv6 {kind} {code}");
        }
    }

    #[test]
    fn the_initiate_tag_is_read_after_the_header_of_an_init() {
        let mut packet = [0; QUOTED];
        (packet[1], packet[3], packet[19]) = (5, 6, 9);
        packet[12] = INIT;
        let expected =
            Quoted { source_port: 5, destination_port: 6, tag: 0, initiate_tag: Some(9) };
        assert_eq!(quoted(&packet), Some(expected));
        packet[12] = 0;
        assert_eq!(quoted(&packet), Some(Quoted { initiate_tag: None, ..expected }));
        packet[12] = INIT;
        assert_eq!(quoted(&packet[..19]), Some(Quoted { initiate_tag: None, ..expected }));
        assert_eq!(quoted(&packet[..7]), None);
    }
}
