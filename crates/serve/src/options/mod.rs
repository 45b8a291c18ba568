//! The socket options of programs.

mod length;
mod one_to_many;
mod only;
mod socket_level;
mod target;
mod values;

use manypath_posix::abi::address::INET6;
use manypath_posix::abi::constants::*;
use nix::errno::Errno;
use nix::libc;

use super::socket::Socket;
pub(super) use length::least;
use target::{Scope, Target};
use values as v;

/// A socket option, and what the daemon does with it.
#[derive(Clone, Copy, Debug)]
pub struct SocketOption {
    /// Name in C.
    pub name: &'static str,
    /// Level.
    pub level: i32,
    /// Number.
    pub number: i32,
    /// Whether it is supported.
    pub support: Support,
    scope: Scope,
    get: Option<Get>,
    set: Option<Set>,
    refused: Option<Refused>,
    /// The note on its values in the documentation; may be empty.
    pub note: &'static str,
}

/// Whether an option is supported.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Support {
    /// At any time.
    Always,
    /// New values apply to associations that begin later.
    BeforeAssociation,
    /// Refused with this error, for this reason.
    Refused(Errno, &'static str),
}

/// Reads a value; the bytes are those that the program passed.
type Get = fn(&Target<'_>, &[u8]) -> Result<Vec<u8>, Errno>;
/// Sets a value.
type Set = fn(&Target<'_>, &[u8]) -> Result<(), Errno>;
/// The part of a value that is not supported.
type Refused = fn(&[u8]) -> Option<i32>;

impl SocketOption {
    /// Whether programs can read it.
    #[must_use]
    pub fn can_be_read(&self) -> bool {
        self.get.is_some()
    }

    /// Whether programs can set it.
    #[must_use]
    pub fn can_be_set(&self) -> bool {
        self.set.is_some()
    }

    /// The part of a value that is not supported.
    pub(super) fn refused_value(&self, bytes: &[u8]) -> Option<i32> {
        self.refused?(bytes)
    }

    pub(super) fn find(level: i32, number: i32) -> Option<&'static Self> {
        OPTIONS.iter().find(|option| (option.level, option.number) == (level, number))
    }

    pub(super) fn get(&self, socket: &Socket, bytes: &[u8]) -> Result<Vec<u8>, Errno> {
        let get = self.get.ok_or_else(|| self.errno())?;
        self.suits(socket)?;
        get(&Target::of(socket, self.scope, bytes, false)?, bytes)
    }

    pub(super) fn set(&self, socket: &Socket, bytes: &[u8]) -> Result<(), Errno> {
        let set = self.set.ok_or_else(|| self.errno())?;
        self.suits(socket)?;
        if self.level == IPPROTO_SCTP && !length::suits(self.number, bytes.len()) {
            return Err(Errno::EINVAL);
        }
        let target = Target::of(socket, self.scope, bytes, true)?;
        if self.refused_value(bytes).is_some() {
            return Err(Errno::EOPNOTSUPP);
        }
        set(&target, bytes)
    }

    /// Fails for sockets of IPv4, which do not have options of IPv6.
    fn suits(&self, socket: &Socket) -> Result<(), Errno> {
        let is_missing = self.level == libc::IPPROTO_IPV6 && socket.domain != INET6;
        if is_missing { Err(Errno::ENOPROTOOPT) } else { Ok(()) }
    }

    fn errno(&self) -> Errno {
        match self.support {
            Support::Refused(errno, _) => errno,
            _ => Errno::ENOPROTOOPT,
        }
    }

    const fn sctp(name: &'static str, number: i32, get: Option<Get>, set: Option<Set>) -> Self {
        let (level, scope) = (IPPROTO_SCTP, Scope::Socket);
        Self {
            name,
            level,
            number,
            support: Support::Always,
            scope,
            get,
            set,
            refused: None,
            note: "",
        }
    }

    const fn refused(name: &'static str, number: i32, reason: &'static str) -> Self {
        let support = Support::Refused(Errno::EOPNOTSUPP, reason);
        let (level, scope) = (IPPROTO_SCTP, Scope::Socket);
        Self { name, level, number, support, scope, get: None, set: None, refused: None, note: "" }
    }

    const fn refused_of_socket(name: &'static str, number: i32, reason: &'static str) -> Self {
        Self { level: libc::SOL_SOCKET, ..Self::refused(name, number, reason) }
    }

    const fn socket(name: &'static str, number: i32, get: Option<Get>, set: Option<Set>) -> Self {
        Self { level: libc::SOL_SOCKET, ..Self::sctp(name, number, get, set) }
    }

    const fn ip(name: &'static str, number: i32, get: Option<Get>, set: Option<Set>) -> Self {
        Self { level: libc::IPPROTO_IP, ..Self::sctp(name, number, get, set) }
    }

    const fn ipv6(name: &'static str, number: i32, get: Option<Get>, set: Option<Set>) -> Self {
        Self { level: libc::IPPROTO_IPV6, ..Self::sctp(name, number, get, set) }
    }

    const fn early(self) -> Self {
        Self { support: Support::BeforeAssociation, ..self }
    }

    const fn of(self, scope: Scope) -> Self {
        Self { scope, ..self }
    }

    /// Some values are refused.
    const fn only(self, refused: Refused, note: &'static str) -> Self {
        Self { refused: Some(refused), note, ..self }
    }

    const fn noted(self, note: &'static str) -> Self {
        Self { note, ..self }
    }
}

macro_rules! sctp {
    ($name:ident, $get:expr, $set:expr) => {
        SocketOption::sctp(stringify!($name), $name, $get, $set)
    };
    ($name:ident: $reason:literal) => {
        SocketOption::refused(stringify!($name), $name, $reason)
    };
}

macro_rules! socket {
    ($name:ident, $get:expr, $set:expr) => {
        SocketOption::socket(stringify!($name), libc::$name, $get, $set)
    };
    ($name:ident: $reason:literal) => {
        SocketOption::refused_of_socket(stringify!($name), libc::$name, $reason)
    };
}

macro_rules! ip {
    ($name:ident, $get:expr, $set:expr) => {
        SocketOption::ip(stringify!($name), libc::$name, $get, $set)
    };
}

macro_rules! ipv6 {
    ($name:ident, $get:expr, $set:expr) => {
        SocketOption::ipv6(stringify!($name), libc::$name, $get, $set)
    };
}

use one_to_many as m;
use only as o;
use socket_level as s;

/// All options that the daemon knows. Those of `sctp_bindx`, `sctp_connectx` and `sctp_peeloff` are calls.
pub const OPTIONS: &[SocketOption] = &[
    sctp!(SCTP_RTOINFO, Some(v::rto), Some(v::set_rto)).of(Scope::Association(0)),
    sctp!(SCTP_ASSOCINFO, Some(v::association), Some(v::set_association))
        .early()
        .of(Scope::Association(0)),
    sctp!(SCTP_INITMSG, Some(v::init), Some(v::set_init)).early(),
    sctp!(SCTP_NODELAY, Some(v::nodelay), Some(v::set_nodelay)),
    sctp!(SCTP_PRIMARY_ADDR, Some(v::primary), Some(v::set_primary)).of(Scope::Peer(4)),
    sctp!(SCTP_PEER_ADDR_PARAMS, Some(v::path_parameters), Some(v::set_path_parameters))
        .of(Scope::Peer(4))
        .only(
            o::path_flags,
            "for all paths together; the discovery of the path MTU cannot be disabled, and heartbeats cannot be demanded",
        ),
    sctp!(SCTP_DEFAULT_SEND_PARAM, Some(v::send_parameters), Some(v::set_send_parameters))
        .of(Scope::Associations(28)),
    sctp!(SCTP_DEFAULT_SNDINFO, Some(v::send_info), Some(v::set_send_info))
        .of(Scope::Associations(12)),
    sctp!(SCTP_DEFAULT_PRINFO, Some(v::reliability), Some(v::set_reliability))
        .of(Scope::Associations(0)),
    sctp!(SCTP_EVENTS, Some(v::events), Some(v::set_events)),
    sctp!(SCTP_EVENT, Some(v::event), Some(v::set_event)).of(Scope::Associations(0)),
    sctp!(SCTP_STATUS, Some(v::status), None).of(Scope::Association(0)),
    sctp!(SCTP_GET_PEER_ADDR_INFO, Some(v::path_information), None).of(Scope::Peer(4)),
    sctp!(SCTP_GET_PEER_ADDRS, Some(v::peer_addresses), None).of(Scope::Association(0)),
    sctp!(SCTP_GET_LOCAL_ADDRS, Some(v::local_addresses), None).of(Scope::Association(0)),
    sctp!(SCTP_DELAYED_SACK, Some(v::sack), Some(v::set_sack)).of(Scope::Associations(0)),
    sctp!(SCTP_RECVRCVINFO, Some(v::receive_info), Some(v::set_receive_info)),
    sctp!(SCTP_REMOTE_UDP_ENCAPS_PORT, Some(v::peer_udp), Some(v::set_peer_udp))
        .early()
        .of(Scope::Peer(8)),
    sctp!(SCTP_MAXSEG, Some(v::no_value), Some(s::set_constant))
        .of(Scope::Optional)
        .only(o::segment, "only 0: the path MTU decides"),
    sctp!(SCTP_DISABLE_FRAGMENTS, Some(s::constant::<0>), Some(s::set_constant))
        .only(o::off, "only 0: long messages are fragmented"),
    sctp!(SCTP_FRAGMENT_INTERLEAVE, Some(s::constant::<0>), Some(s::set_constant))
        .only(o::off, "only 0: messages are delivered one after the other"),
    sctp!(SCTP_I_WANT_MAPPED_V4_ADDR, Some(s::constant::<1>), Some(s::set_constant))
        .only(o::on, "only 1: IPv6 sockets get IPv4-mapped addresses"),
    sctp!(SCTP_REUSE_PORT, Some(s::constant::<0>), Some(s::set_constant))
        .only(o::off, "only 0: one socket listens on a port"),
    sctp!(SCTP_CONTEXT, Some(v::context), Some(v::set_context)).of(Scope::Associations(0)),
    sctp!(SCTP_AUTOCLOSE, Some(m::autoclose), Some(m::set_autoclose)).early(),
    sctp!(SCTP_GET_ASSOC_NUMBER, Some(m::association_count), None),
    sctp!(SCTP_GET_ASSOC_ID_LIST, Some(m::association_numbers), None),
    sctp!(SCTP_MAX_BURST: "the congestion control decides the size of bursts"),
    sctp!(SCTP_PARTIAL_DELIVERY_POINT: "messages that do not fit into the receive buffer are delivered in parts"),
    sctp!(SCTP_RECVNXTINFO: "information on the next message is not available"),
    sctp!(SCTP_ADAPTATION_LAYER: "the adaptation layer indication is missing"),
    sctp!(SCTP_SET_PEER_PRIMARY_ADDR: "dynamic addresses (ASCONF) are missing"),
    sctp!(SCTP_AUTO_ASCONF: "dynamic addresses (ASCONF) are missing"),
    sctp!(SCTP_ASCONF_SUPPORTED: "dynamic addresses (ASCONF) are missing"),
    sctp!(SCTP_AUTH_CHUNK: "authentication (AUTH) is missing"),
    sctp!(SCTP_HMAC_IDENT: "authentication (AUTH) is missing"),
    sctp!(SCTP_AUTH_KEY: "authentication (AUTH) is missing"),
    sctp!(SCTP_AUTH_ACTIVE_KEY: "authentication (AUTH) is missing"),
    sctp!(SCTP_AUTH_DELETE_KEY: "authentication (AUTH) is missing"),
    sctp!(SCTP_AUTH_DEACTIVATE_KEY: "authentication (AUTH) is missing"),
    sctp!(SCTP_AUTH_SUPPORTED: "authentication (AUTH) is missing"),
    sctp!(SCTP_PEER_AUTH_CHUNKS: "authentication (AUTH) is missing"),
    sctp!(SCTP_LOCAL_AUTH_CHUNKS: "authentication (AUTH) is missing"),
    sctp!(SCTP_RECONFIG_SUPPORTED: "stream reconfiguration (RE-CONFIG) is missing"),
    sctp!(SCTP_ENABLE_STREAM_RESET: "stream reconfiguration (RE-CONFIG) is missing"),
    sctp!(SCTP_RESET_STREAMS: "stream reconfiguration (RE-CONFIG) is missing"),
    sctp!(SCTP_RESET_ASSOC: "stream reconfiguration (RE-CONFIG) is missing"),
    sctp!(SCTP_ADD_STREAMS: "stream reconfiguration (RE-CONFIG) is missing"),
    sctp!(SCTP_INTERLEAVING_SUPPORTED: "interleaving (I-DATA) is missing"),
    sctp!(SCTP_STREAM_SCHEDULER: "streams have no scheduler"),
    sctp!(SCTP_STREAM_SCHEDULER_VALUE: "streams have no scheduler"),
    sctp!(SCTP_ECN_SUPPORTED: "explicit congestion notification is missing"),
    sctp!(SCTP_PEER_ADDR_THLDS: "the number of errors before a path is potentially failed is fixed"),
    sctp!(SCTP_PEER_ADDR_THLDS_V2: "the number of errors before a path is potentially failed is fixed"),
    sctp!(SCTP_EXPOSE_POTENTIALLY_FAILED_STATE: "the potentially failed state is always reported"),
    sctp!(SCTP_PLPMTUD_PROBE_INTERVAL: "the interval of the search for the path MTU is fixed"),
    sctp!(SCTP_GET_ASSOC_STATS: "the counters of associations are metrics"),
    sctp!(SCTP_PR_SUPPORTED: "FORWARD TSN is missing: a lifetime drops messages only before their transmission"),
    sctp!(SCTP_PR_ASSOC_STATUS: "FORWARD TSN is missing"),
    sctp!(SCTP_PR_STREAM_STATUS: "FORWARD TSN is missing"),
    socket!(SO_TYPE, Some(s::kind), None),
    socket!(SO_PROTOCOL, Some(s::protocol), None),
    socket!(SO_DOMAIN, Some(s::domain), None),
    socket!(SO_ERROR, Some(s::error), None),
    socket!(SO_ACCEPTCONN, Some(s::listens), None),
    socket!(SO_LINGER, Some(s::linger), Some(s::set_linger))
        .noted("a time of 0 aborts the association; `close` does not wait for longer times"),
    socket!(SO_RCVBUF, Some(s::receive_buffer), Some(s::set_receive_buffer)).early(),
    socket!(SO_SNDBUF, Some(s::send_buffer), Some(s::set_send_buffer)).early(),
    socket!(SO_REUSEADDR, Some(s::reuse), Some(s::set_reuse))
        .noted("no effect: there is no TIME-WAIT, and two sockets never share a port"),
    socket!(SO_RCVBUFFORCE, None, Some(s::set_receive_buffer)).early(),
    socket!(SO_SNDBUFFORCE, None, Some(s::set_send_buffer)).early(),
    socket!(SO_KEEPALIVE, Some(s::flag::<{ s::KEEPALIVE }>), Some(s::set_flag::<{ s::KEEPALIVE }>))
        .noted("no effect, as in Linux: heartbeats find dead peers"),
    socket!(SO_BROADCAST, Some(s::flag::<{ s::BROADCAST }>), Some(s::set_flag::<{ s::BROADCAST }>))
        .noted("no effect, as in Linux: SCTP is unicast"),
    socket!(SO_OOBINLINE, Some(s::flag::<{ s::URGENT }>), Some(s::set_flag::<{ s::URGENT }>))
        .noted("no effect, as in Linux: SCTP has no urgent data"),
    socket!(SO_SNDLOWAT, Some(s::constant::<1>), None),
    socket!(SO_REUSEPORT, Some(s::constant::<0>), Some(s::set_constant))
        .only(o::off, "only 0: one socket listens on a port"),
    socket!(SO_PRIORITY, Some(s::constant::<0>), Some(s::set_constant))
        .only(o::off, "only 0: the daemon has one value for all sockets"),
    socket!(SO_MARK, Some(s::constant::<0>), Some(s::set_constant))
        .only(o::off, "only 0: the daemon has one value for all sockets"),
    socket!(SO_DONTROUTE, Some(s::constant::<0>), Some(s::set_constant))
        .only(o::off, "only 0: the daemon follows the routes of the system"),
    socket!(SO_TIMESTAMP, Some(s::constant::<0>), Some(s::set_constant))
        .only(o::off, "only 0: arrival times are not recorded"),
    socket!(SO_TIMESTAMPNS, Some(s::constant::<0>), Some(s::set_constant))
        .only(o::off, "only 0: arrival times are not recorded"),
    socket!(SO_TIMESTAMPING, Some(s::constant::<0>), Some(s::set_constant))
        .only(o::off, "only 0: arrival times are not recorded"),
    socket!(SO_BINDTODEVICE: "the daemon determines the interfaces: `--local ADDRESS%INTERFACE`"),
    socket!(SO_MAX_PACING_RATE: "pacing is set for the daemon: `--pacing`"),
    socket!(SO_PEEK_OFF: "as in Linux"),
    socket!(SO_ZEROCOPY: "as in Linux"),
    socket!(SO_ATTACH_FILTER: "packets are not filtered for each socket"),
    socket!(SO_ATTACH_BPF: "packets are not filtered for each socket"),
    ip!(IP_TOS, Some(s::constant::<0>), Some(s::set_constant))
        .only(o::off, "only 0: the daemon has one value for all sockets"),
    ip!(IP_TTL, Some(s::constant::<64>), Some(s::set_constant))
        .only(o::default_or::<64>, "only 64 or -1: the daemon has one value for all sockets"),
    ip!(IP_MTU_DISCOVER, Some(s::constant::<1>), Some(s::set_constant))
        .only(o::discovery, "only 1 or 2: the discovery of the path MTU cannot be switched off"),
    ip!(IP_RECVERR, Some(s::constant::<0>), Some(s::set_constant))
        .only(o::off, "only 0: sockets have no error queue"),
    ip!(IP_PKTINFO, Some(s::constant::<0>), Some(s::set_constant))
        .only(o::off, "only 0: the daemon does not pass on IP headers"),
    ip!(IP_RECVTOS, Some(s::constant::<0>), Some(s::set_constant))
        .only(o::off, "only 0: the daemon does not pass on IP headers"),
    ip!(IP_RECVTTL, Some(s::constant::<0>), Some(s::set_constant))
        .only(o::off, "only 0: the daemon does not pass on IP headers"),
    ip!(IP_FREEBIND, Some(s::constant::<0>), Some(s::set_constant))
        .only(o::off, "only 0: the daemon determines the addresses"),
    ip!(IP_TRANSPARENT, Some(s::constant::<0>), Some(s::set_constant))
        .only(o::off, "only 0: the daemon determines the addresses"),
    ipv6!(IPV6_V6ONLY, Some(s::only_v6), Some(s::set_only_v6)),
    ipv6!(IPV6_TCLASS, Some(s::constant::<0>), Some(s::set_constant))
        .only(o::default_or::<0>, "only 0 or -1: the daemon has one value for all sockets"),
    ipv6!(IPV6_UNICAST_HOPS, Some(s::constant::<64>), Some(s::set_constant))
        .only(o::default_or::<64>, "only 64 or -1: the daemon has one value for all sockets"),
    ipv6!(IPV6_MTU_DISCOVER, Some(s::constant::<1>), Some(s::set_constant))
        .only(o::discovery, "only 1 or 2: the discovery of the path MTU cannot be switched off"),
    ipv6!(IPV6_RECVERR, Some(s::constant::<0>), Some(s::set_constant))
        .only(o::off, "only 0: sockets have no error queue"),
    ipv6!(IPV6_RECVPKTINFO, Some(s::constant::<0>), Some(s::set_constant))
        .only(o::off, "only 0: the daemon does not pass on IP headers"),
    ipv6!(IPV6_RECVTCLASS, Some(s::constant::<0>), Some(s::set_constant))
        .only(o::off, "only 0: the daemon does not pass on IP headers"),
    ipv6!(IPV6_RECVHOPLIMIT, Some(s::constant::<0>), Some(s::set_constant))
        .only(o::off, "only 0: the daemon does not pass on IP headers"),
];

#[cfg(test)]
mod tests {
    use manypath_posix::abi::option_names::name;

    use super::*;

    #[test]
    fn every_option_has_one_row_with_the_number_of_linux() {
        for (index, option) in OPTIONS.iter().enumerate() {
            let found = SocketOption::find(option.level, option.number).expect("a row");
            assert_eq!(found.name, OPTIONS[index].name);
            // The library names those that are refused
            if option.level != libc::SOL_SOCKET || option.refused.is_some() {
                assert_eq!(name(option.level, option.number), Some(option.name));
            }
        }
    }

    #[test]
    fn every_option_of_rfc_6458_that_linux_has_is_listed() {
        // RFC 6458 §8, without SCTP_EXPLICIT_EOR and SCTP_USE_EXT_RCVINFO
        let names = "SCTP_RTOINFO SCTP_ASSOCINFO SCTP_INITMSG SO_LINGER SCTP_NODELAY SO_RCVBUF SO_SNDBUF \
            SCTP_AUTOCLOSE SCTP_PRIMARY_ADDR SCTP_ADAPTATION_LAYER SCTP_DISABLE_FRAGMENTS SCTP_PEER_ADDR_PARAMS \
            SCTP_DEFAULT_SEND_PARAM SCTP_EVENTS SCTP_I_WANT_MAPPED_V4_ADDR SCTP_MAXSEG SCTP_HMAC_IDENT \
            SCTP_AUTH_ACTIVE_KEY SCTP_DELAYED_SACK SCTP_FRAGMENT_INTERLEAVE SCTP_PARTIAL_DELIVERY_POINT \
            SCTP_AUTO_ASCONF SCTP_MAX_BURST SCTP_CONTEXT SCTP_REUSE_PORT SCTP_EVENT SCTP_RECVRCVINFO \
            SCTP_RECVNXTINFO SCTP_DEFAULT_SNDINFO SCTP_DEFAULT_PRINFO SCTP_STATUS SCTP_GET_PEER_ADDR_INFO \
            SCTP_GET_ASSOC_NUMBER SCTP_GET_ASSOC_ID_LIST SCTP_PEER_AUTH_CHUNKS SCTP_LOCAL_AUTH_CHUNKS \
            SCTP_SET_PEER_PRIMARY_ADDR SCTP_AUTH_CHUNK SCTP_AUTH_KEY SCTP_AUTH_DEACTIVATE_KEY \
            SCTP_AUTH_DELETE_KEY";
        for name in names.split_whitespace() {
            assert!(OPTIONS.iter().any(|option| option.name == name), "{name}");
        }
    }

    #[test]
    fn an_option_works_or_has_a_reason() {
        for option in OPTIONS {
            let works = option.can_be_read() || option.can_be_set();
            let is_refused = matches!(option.support, Support::Refused(..));
            assert_ne!(works, is_refused, "{}", option.name);
        }
    }
}
