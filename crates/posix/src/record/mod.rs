//! The records between a program and the daemon.
//!
//! A connection has the type `SOCK_SEQPACKET`, so each record is one message of it. Each record begins with a head of
//! [`HEAD`] bytes; bytes of the application follow. Numbers of the head are little-endian:
//!
//! ```text
//!  0       4    5     6      8                                   36              64
//! ┌────────┬────┬─────┬──────┬───────────────────────────────────┬───────────────┬───────────
//! │ length │kind│flags│ short│ fields of the kind                │ address       │ bytes
//! └────────┴────┴─────┴──────┴───────────────────────────────────┴───────────────┴───────────
//! ```
//!
//! The length counts the whole record. The address has the layout of `struct sockaddr_in6` with numbers in
//! little-endian order except port and address; an unused one has family 0.
//!
//! Decoders accept any bytes and never panic.

mod answer;
mod head;
mod request;

pub use answer::{
    ANCILLARY_NXTINFO, ANCILLARY_RCVINFO, ANCILLARY_SNDRCV, Answer, Received, Refused,
};
pub use head::Malformed;
pub use request::{
    ALL_SENT, ASSOCIATION_OVER, Call, NOTHING_SENT, Operation, PartialReliability, Request,
    SEND_RECORD, SendInfo, Sent,
};

/// The length of a record's head in bytes.
pub const HEAD: usize = 64;
/// The largest message of a program, in bytes. A larger one is refused with `EMSGSIZE`.
pub const LARGEST_MESSAGE: usize = 200_000;
/// The largest record in bytes.
pub const LARGEST_RECORD: usize = HEAD + LARGEST_MESSAGE;
/// The environment variable with the path of the daemon's socket.
pub const ENVIRONMENT: &str = "MANYPATH_SCTP_SOCKET";
