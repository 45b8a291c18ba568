//! Errors, each with a message of one line.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use manypath_sctp::{Cause, CloseReason};
use thiserror::Error;

/// The reason for a failure.
#[derive(Clone, Debug, Error)]
#[non_exhaustive]
pub enum Error {
    /// The UDP port is in use.
    #[error("UDP port {} of {} is in use by another program", .0.port(), .0.ip())]
    AddressInUse(SocketAddr),
    /// Another endpoint of the host has the SCTP port.
    #[error("SCTP port {0} is in use by another endpoint of the host")]
    PortInUse(u16),
    /// The endpoints of the host have all dynamic SCTP ports.
    #[error("all SCTP ports from 49152 on are in use by endpoints of the host")]
    NoFreePort,
    /// No interface has the address.
    #[error("{0} is not an address of this machine")]
    NotLocal(IpAddr),
    /// No interface has the name.
    #[error("this machine has no interface `{0}`")]
    NoInterface(String),
    /// The address cannot belong to one interface.
    #[error("{0} is not a unicast address")]
    NotUnicast(IpAddr),
    /// The operation needs more rights.
    #[error("no rights for {0}")]
    NoRights(String),
    /// The kernel's own SCTP is loaded, which would abort the associations.
    #[error(
        "the kernel's own SCTP is loaded and answers raw packets: unload the module `sctp`, or use UDP encapsulation"
    )]
    KernelSctp,
    /// A setting is out of range.
    #[error("`{field}` is {value}, expected {expected}")]
    Setting {
        /// Name of the setting.
        field: &'static str,
        /// Its value.
        value: String,
        /// The valid alternative.
        expected: String,
    },
    /// No local address can send to an address of the peer.
    #[error("{0} cannot be reached from any local address of the endpoint")]
    NoRoute(IpAddr),
    /// There is an association with this peer already.
    #[error("an association with {0} is open already")]
    AlreadyConnected(SocketAddr),
    /// The peer refused the association.
    #[error("the peer refused the association{}", because(.0))]
    Refused(Option<String>),
    /// The host at this address has no SCTP endpoint, according to ICMP.
    #[error("no SCTP endpoint listens at {0}")]
    PortUnreachable(IpAddr),
    /// A router or this machine has no route to this address.
    #[error("{0} cannot be reached: a router or this machine says that no way leads there")]
    HostUnreachable(IpAddr),
    /// The peer did not answer while the association was opened.
    #[error("the peer did not answer in time")]
    TimedOut,
    /// The peer aborted the association.
    #[error("the peer aborted the association{}", because(.0))]
    Aborted(Option<String>),
    /// The application aborted the association.
    #[error("the association was aborted here")]
    AbortedHere,
    /// The peer does not answer on any path.
    #[error("the peer no longer answers")]
    Unreachable,
    /// The peer violated the protocol, and the association was aborted.
    #[error("the peer violated the protocol")]
    ProtocolViolation,
    /// The association was shut down.
    #[error("the association is shut down")]
    Closed,
    /// The endpoint was closed, or its runtime has ended.
    #[error("the endpoint is closed")]
    EndpointClosed,
    /// Peers cannot open associations with the endpoint.
    #[error("the endpoint does not listen: `Builder::listen` lets peers in")]
    NotListening,
    /// The association has no stream with this number.
    #[error("stream {stream} does not exist: the association has {count} to send on, from 0")]
    NoSuchStream {
        /// The stream.
        stream: u16,
        /// The number of streams.
        count: u16,
    },
    /// The stream has a reader already.
    #[error("stream {0} is taken by another reader")]
    StreamTaken(u16),
    /// The message is empty.
    #[error("a message needs at least one byte")]
    EmptyMessage,
    /// The message does not fit into the send buffer.
    #[error("a message of {length} bytes does not fit into a send buffer of {limit} bytes")]
    MessageTooLarge {
        /// Bytes of the message.
        length: usize,
        /// Bytes of the send buffer.
        limit: usize,
    },
    /// Another error of the system.
    #[error("{what}: {error}")]
    System {
        /// The failed operation.
        what: String,
        /// The system's error.
        error: Arc<io::Error>,
    },
}

impl Error {
    /// Whether the input of the caller is the cause, as opposed to the network or the system.
    #[must_use]
    pub fn is_input(&self) -> bool {
        matches!(
            self,
            Self::AddressInUse(_)
                | Self::PortInUse(_)
                | Self::NoFreePort
                | Self::NotLocal(_)
                | Self::NotUnicast(_)
                | Self::NoInterface(_)
                | Self::NoRights(_)
                | Self::KernelSctp
                | Self::Setting { .. }
                | Self::NoRoute(_)
                | Self::NoSuchStream { .. }
                | Self::EmptyMessage
                | Self::MessageTooLarge { .. }
        )
    }

    /// For `map_err`: the system refused `what`.
    pub(crate) fn system<E: Into<io::Error>>(what: impl Into<String>) -> impl FnOnce(E) -> Self {
        |error| Self::System { what: what.into(), error: Arc::new(error.into()) }
    }

    /// The error of an ended association; `stood` is true if it was established before.
    pub(crate) fn of_ending(reason: CloseReason, causes: &[Cause], stood: bool) -> Self {
        let said = || causes.first().map(describe);
        match reason {
            CloseReason::Shutdown => Self::Closed,
            CloseReason::AbortedByPeer if stood => Self::Aborted(said()),
            CloseReason::AbortedByPeer => Self::Refused(said()),
            CloseReason::AbortedHere => Self::AbortedHere,
            CloseReason::Unreachable if stood => Self::Unreachable,
            CloseReason::Unreachable => Self::TimedOut,
            CloseReason::ProtocolViolation => Self::ProtocolViolation,
        }
    }
}

/// The kinds are those of TCP in similar cases; the error is kept inside.
impl From<Error> for io::Error {
    fn from(error: Error) -> Self {
        let kind = match &error {
            Error::AddressInUse(_) | Error::PortInUse(_) | Error::NoFreePort => {
                io::ErrorKind::AddrInUse
            }
            Error::NotLocal(_) => io::ErrorKind::AddrNotAvailable,
            Error::NoRights(_) => io::ErrorKind::PermissionDenied,
            Error::Refused(_) | Error::PortUnreachable(_) => io::ErrorKind::ConnectionRefused,
            Error::HostUnreachable(_) => io::ErrorKind::HostUnreachable,
            Error::TimedOut | Error::Unreachable => io::ErrorKind::TimedOut,
            Error::Aborted(_) => io::ErrorKind::ConnectionReset,
            Error::AbortedHere | Error::ProtocolViolation => io::ErrorKind::ConnectionAborted,
            Error::Closed | Error::EndpointClosed => io::ErrorKind::BrokenPipe,
            Error::System { error, .. } => error.kind(),
            _ => io::ErrorKind::InvalidInput,
        };
        Self::new(kind, error)
    }
}

fn because(reason: &Option<String>) -> String {
    reason.as_ref().map_or_else(String::new, |reason| format!(": {reason}"))
}

/// Describes an error cause. A text of the peer is quoted and escaped, so that it cannot control a terminal.
pub(crate) fn describe(cause: &Cause) -> String {
    match cause {
        Cause::InvalidStream(stream) => format!("stream {stream} does not exist"),
        Cause::MissingParameters(_) => "a mandatory parameter is missing".to_owned(),
        Cause::StaleCookie(late) => format!("the cookie came {late} µs too late"),
        Cause::OutOfResource => "no room for another association".to_owned(),
        Cause::UnresolvableAddress(_) => "an address cannot be used".to_owned(),
        Cause::UnrecognizedChunk(_) => "a chunk of unknown type".to_owned(),
        Cause::InvalidMandatoryParameter => "a mandatory parameter has a wrong value".to_owned(),
        Cause::UnrecognizedParameters(_) => "a parameter of unknown type".to_owned(),
        Cause::NoUserData(_) => "a DATA chunk without data".to_owned(),
        Cause::CookieWhileShuttingDown => "the association is being shut down".to_owned(),
        Cause::RestartWithNewAddresses(_) => "a restart with new addresses".to_owned(),
        Cause::UserInitiated(reason) if reason.is_empty() => "its application ended it".to_owned(),
        Cause::UserInitiated(reason) => quoted(reason),
        Cause::ProtocolViolation(detail) if detail.is_empty() => "protocol violation".to_owned(),
        Cause::ProtocolViolation(detail) => format!("protocol violation, {}", quoted(detail)),
        Cause::Other { code, .. } => format!("cause {code}"),
    }
}

fn quoted(bytes: &[u8]) -> String {
    format!("\"{}\"", String::from_utf8_lossy(bytes).escape_debug())
}
