//! The names of socket options of all levels, for messages to users.

use super::constants::{IPPROTO_SCTP, option_name};

macro_rules! names {
    ($option:expr; $($name:ident)*) => {
        match $option {
            $(libc::$name => Some(stringify!($name)),)*
            _ => None,
        }
    };
}

/// The name of a socket option.
#[must_use]
pub fn name(level: i32, option: i32) -> Option<&'static str> {
    match level {
        IPPROTO_SCTP => option_name(option),
        libc::SOL_SOCKET => names!(option;
            SO_ATTACH_BPF SO_ATTACH_FILTER SO_ATTACH_REUSEPORT_CBPF SO_ATTACH_REUSEPORT_EBPF
            SO_BINDTODEVICE SO_BROADCAST SO_BUSY_POLL SO_DEBUG SO_DETACH_FILTER SO_DONTROUTE
            SO_INCOMING_CPU SO_KEEPALIVE SO_LOCK_FILTER SO_MARK SO_MAX_PACING_RATE SO_NO_CHECK SO_OOBINLINE
            SO_PASSCRED SO_PASSSEC SO_PEEK_OFF SO_PEERCRED SO_PEERGROUPS SO_PEERSEC SO_PRIORITY SO_RCVBUFFORCE
            SO_REUSEPORT SO_RXQ_OVFL SO_SNDBUFFORCE SO_SNDLOWAT SO_TIMESTAMP SO_TIMESTAMPING
            SO_TIMESTAMPNS SO_TXTIME SO_ZEROCOPY
        ),
        libc::IPPROTO_IP => names!(option;
            IP_FREEBIND IP_MTU IP_MTU_DISCOVER IP_OPTIONS IP_PKTINFO IP_RECVERR IP_RECVOPTS IP_RECVTOS
            IP_RECVTTL IP_TOS IP_TRANSPARENT IP_TTL
        ),
        libc::IPPROTO_IPV6 => names!(option;
            IPV6_DONTFRAG IPV6_HOPLIMIT IPV6_MTU IPV6_MTU_DISCOVER IPV6_RECVERR IPV6_RECVHOPLIMIT
            IPV6_RECVPKTINFO IPV6_RECVTCLASS IPV6_TCLASS IPV6_UNICAST_HOPS IPV6_V6ONLY
        ),
        _ => None,
    }
}
