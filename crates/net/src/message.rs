//! What applications send and receive.

use std::time::Duration;

use bytes::Bytes;
use manypath_core::Span;
use manypath_sctp as sctp;
use manypath_sctp::Part;

/// A user message on one stream of an association.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct Message {
    /// The data: at least one byte, and not more than the send buffer holds.
    pub payload: Bytes,
    /// Stream number, from 0.
    pub stream: u16,
    /// Payload protocol identifier, which SCTP only carries. RFC 9260 §3.3.1
    pub ppid: u32,
    /// The message is delivered as soon as it is complete, without regard to earlier ones of its stream.
    pub unordered: bool,
    /// The message is dropped if its first transmission has not begun after this time; [`Event::SendFailed`](crate::Event::SendFailed)
    /// tells. None in a received message. RFC 9260 §11.1.5
    pub lifetime: Option<Duration>,
    /// The peer is asked not to delay its acknowledgement of this message and of all earlier ones. It saves up to 200 ms where
    /// nothing follows until the acknowledgement, such as before a shutdown. False in a received message. RFC 7053 §4.1
    pub sack_immediately: bool,
    /// The part of a larger message that a received payload is. Only messages that do not fit into the receive buffer
    /// arrive in parts. No meaning in a message that is sent.
    pub part: Option<Part>,
}

impl Message {
    /// An ordered message on stream 0.
    pub fn new(payload: impl Into<Bytes>) -> Self {
        Self {
            payload: payload.into(),
            stream: 0,
            ppid: 0,
            unordered: false,
            lifetime: None,
            sack_immediately: false,
            part: None,
        }
    }

    /// The same message on another stream.
    #[must_use]
    pub fn stream(self, stream: u16) -> Self {
        Self { stream, ..self }
    }

    /// The same message with a payload protocol identifier.
    #[must_use]
    pub fn ppid(self, ppid: u32) -> Self {
        Self { ppid, ..self }
    }

    /// The same message, to be delivered without regard to order.
    #[must_use]
    pub fn unordered(self) -> Self {
        Self { unordered: true, ..self }
    }

    /// The same message, to be dropped if nothing of it has been sent after `lifetime`.
    #[must_use]
    pub fn lifetime(self, lifetime: Duration) -> Self {
        Self { lifetime: Some(lifetime), ..self }
    }

    /// The same message, to be acknowledged at once.
    #[must_use]
    pub fn sack_immediately(self) -> Self {
        Self { sack_immediately: true, ..self }
    }

    /// The message as the state machine takes it; the payload is shared.
    pub(crate) fn to_core(&self) -> sctp::Message {
        sctp::Message {
            stream: self.stream,
            ppid: self.ppid,
            unordered: self.unordered,
            payload: self.payload.clone(),
            part: None,
        }
    }

    /// What is asked for it, in the state machine's units.
    pub(crate) fn options(&self) -> sctp::SendOptions {
        let nanos = |lifetime: Duration| u64::try_from(lifetime.as_nanos()).unwrap_or(u64::MAX);
        sctp::SendOptions {
            lifetime: self.lifetime.map(|lifetime| Span::from_nanos(nanos(lifetime))),
            sack_immediately: self.sack_immediately,
            path: None,
        }
    }
}

impl From<sctp::Message> for Message {
    fn from(message: sctp::Message) -> Self {
        let sctp::Message { stream, ppid, unordered, payload, part } = message;
        Self { part, unordered, ppid, stream, ..Self::new(payload) }
    }
}
