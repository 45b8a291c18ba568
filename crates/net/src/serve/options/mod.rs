//! The socket options of programs.

mod length;
mod one_to_many;
mod socket_level;
mod state;
mod target;
mod values;

use manypath_posix::abi::constants::*;
use nix::errno::Errno;
use nix::libc;

use super::socket::Socket;
pub(super) use length::least;
pub(super) use state::Options;
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

    pub(super) fn find(level: i32, number: i32) -> Option<&'static Self> {
        OPTIONS.iter().find(|option| (option.level, option.number) == (level, number))
    }

    pub(super) fn get(&self, socket: &Socket, bytes: &[u8]) -> Result<Vec<u8>, Errno> {
        let get = self.get.ok_or_else(|| self.errno())?;
        get(&Target::of(socket, self.scope, bytes, false)?, bytes)
    }

    pub(super) fn set(&self, socket: &Socket, bytes: &[u8]) -> Result<(), Errno> {
        let set = self.set.ok_or_else(|| self.errno())?;
        if self.level == IPPROTO_SCTP && !length::suits(self.number, bytes.len()) {
            return Err(Errno::EINVAL);
        }
        set(&Target::of(socket, self.scope, bytes, true)?, bytes)
    }

    fn errno(&self) -> Errno {
        match self.support {
            Support::Refused(errno, _) => errno,
            _ => Errno::ENOPROTOOPT,
        }
    }

    const fn sctp(name: &'static str, number: i32, get: Option<Get>, set: Option<Set>) -> Self {
        let (level, scope) = (IPPROTO_SCTP, Scope::Socket);
        Self { name, level, number, support: Support::Always, scope, get, set }
    }

    const fn refused(name: &'static str, number: i32, reason: &'static str) -> Self {
        let support = Support::Refused(Errno::EOPNOTSUPP, reason);
        let (level, scope) = (IPPROTO_SCTP, Scope::Socket);
        Self { name, level, number, support, scope, get: None, set: None }
    }

    const fn socket(name: &'static str, number: i32, get: Option<Get>, set: Option<Set>) -> Self {
        Self { level: libc::SOL_SOCKET, ..Self::sctp(name, number, get, set) }
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
}

use one_to_many as m;
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
        .of(Scope::Peer(4)),
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
    sctp!(SCTP_DELAYED_ACK_TIME, Some(v::sack), Some(v::set_sack)).of(Scope::Associations(0)),
    sctp!(SCTP_RECVRCVINFO, Some(v::receive_info), Some(v::set_receive_info)),
    sctp!(SCTP_REMOTE_UDP_ENCAPS_PORT, Some(v::peer_udp), Some(v::set_peer_udp))
        .early()
        .of(Scope::Peer(8)),
    sctp!(SCTP_MAXSEG, Some(v::no_value), Some(v::set_no_value)).of(Scope::Optional),
    sctp!(SCTP_DISABLE_FRAGMENTS, Some(v::zero), Some(v::set_zero)),
    sctp!(SCTP_FRAGMENT_INTERLEAVE, Some(v::zero), Some(v::set_zero)),
    sctp!(SCTP_CONTEXT, Some(v::context), Some(v::set_context)).of(Scope::Associations(0)),
    sctp!(SCTP_AUTOCLOSE, Some(m::autoclose), Some(m::set_autoclose)).early(),
    sctp!(SCTP_GET_ASSOC_NUMBER, Some(m::association_count), None),
    sctp!(SCTP_GET_ASSOC_ID_LIST, Some(m::association_numbers), None),
    sctp!(SCTP_MAX_BURST: "the congestion control decides the size of bursts"),
    sctp!(SCTP_PARTIAL_DELIVERY_POINT: "messages that do not fit into the receive buffer are delivered in parts"),
    sctp!(SCTP_RECVNXTINFO: "records have no information on the next message"),
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
    sctp!(SCTP_PR_SUPPORTED: "FORWARD TSN is missing: a lifetime drops messages before their transmission only"),
    sctp!(SCTP_PR_ASSOC_STATUS: "FORWARD TSN is missing"),
    sctp!(SCTP_PR_STREAM_STATUS: "FORWARD TSN is missing"),
    socket!(SO_TYPE, Some(s::kind), None),
    socket!(SO_PROTOCOL, Some(s::protocol), None),
    socket!(SO_DOMAIN, Some(s::domain), None),
    socket!(SO_ERROR, Some(s::error), None),
    socket!(SO_ACCEPTCONN, Some(s::listens), None),
    socket!(SO_LINGER, Some(s::linger), Some(s::set_linger)),
    socket!(SO_RCVBUF, Some(s::receive_buffer), Some(s::set_receive_buffer)).early(),
    socket!(SO_SNDBUF, Some(s::send_buffer), Some(s::set_send_buffer)).early(),
    socket!(SO_REUSEADDR, Some(s::reuse), Some(s::set_reuse)),
    SocketOption::ipv6("IPV6_V6ONLY", libc::IPV6_V6ONLY, Some(s::only_v6), Some(s::set_only_v6)),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_option_has_one_row_with_the_number_of_linux() {
        for (index, option) in OPTIONS.iter().enumerate() {
            let found = SocketOption::find(option.level, option.number).expect("a row");
            assert_eq!(found.name, OPTIONS[index].name);
            if option.level == IPPROTO_SCTP {
                assert_eq!(option_name(option.number), Some(option.name));
            }
        }
    }

    /// The row of an option in the documentation.
    fn row(option: &SocketOption) -> String {
        let name = option.name;
        match option.support {
            Support::Refused(_, reason) => format!("| `{name}` | refused | {reason} |"),
            support => {
                let uses = match (option.can_be_read(), option.can_be_set()) {
                    (true, true) => "read, set",
                    (true, false) => "read",
                    (false, _) => "set",
                };
                let note = match support {
                    Support::BeforeAssociation => " new values apply to later associations",
                    _ => "",
                };
                format!("| `{name}` | {uses} |{note} |")
            }
        }
    }

    #[test]
    fn the_page_on_programs_has_all_options() {
        let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/how-to/programs.md");
        let text = std::fs::read_to_string(page).expect("the page");
        let said: Vec<&str> = text
            .lines()
            .skip_while(|line| *line != "| option | use | note |")
            .skip(2)
            .take_while(|line| line.starts_with('|'))
            .collect();
        assert_eq!(said, OPTIONS.iter().map(row).collect::<Vec<_>>());
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
