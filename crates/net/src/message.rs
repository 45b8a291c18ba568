//! Messages that applications send and receive.

use std::time::Duration;

use bytes::Bytes;
use manypath_core::{PathId, Span};
use manypath_sctp as sctp;
use manypath_sctp::Part;

/// A user message on one stream of an association.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct Message {
    /// The user data: at least one byte, at most the size of the send buffer.
    pub payload: Bytes,
    /// Stream number, from 0.
    pub stream: u16,
    /// Payload protocol identifier, which SCTP does not interpret. RFC 9260 §3.3.1
    pub ppid: u32,
    /// The message is delivered as soon as it is complete, independently of other messages of its stream.
    pub unordered: bool,
    /// The message is dropped if its first transmission has not begun after this time;
    /// [`Event::SendFailed`](crate::Event::SendFailed) reports this. `None` in a received message. RFC 9260 §11.1.5
    pub lifetime: Option<Duration>,
    /// Requests that the peer acknowledges this message and all earlier ones without delay. This saves up to 200 ms if
    /// no data follows, for example before a shutdown. False in a received message. RFC 7053 §4.1
    pub sack_immediately: bool,
    /// In a received message: the partially delivered message that the payload belongs to, if any. Only messages that
    /// do not fit into the receive buffer are delivered in parts. Ignored in sent messages.
    pub part: Option<Part>,
    /// The path of the first transmission, if the sender chooses it.
    pub(crate) path: Option<PathId>,
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
            path: None,
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

    /// The same message, delivered without regard to order.
    #[must_use]
    pub fn unordered(self) -> Self {
        Self { unordered: true, ..self }
    }

    /// The same message, dropped if its transmission has not begun after `lifetime`.
    #[must_use]
    pub fn lifetime(self, lifetime: Duration) -> Self {
        Self { lifetime: Some(lifetime), ..self }
    }

    /// The same message with a request for an immediate acknowledgement.
    #[must_use]
    pub fn sack_immediately(self) -> Self {
        Self { sack_immediately: true, ..self }
    }

    /// The same message, whose first transmission takes a path, or any path if there is `None`.
    #[must_use]
    pub fn over(self, path: Option<PathId>) -> Self {
        Self { path, ..self }
    }

    /// The message for the state machine; the payload is shared.
    pub(crate) fn to_core(&self) -> sctp::Message {
        sctp::Message {
            stream: self.stream,
            ppid: self.ppid,
            unordered: self.unordered,
            payload: self.payload.clone(),
            part: None,
        }
    }

    /// The options of the message in the types of the state machine.
    pub(crate) fn options(&self) -> sctp::SendOptions {
        let nanos = |lifetime: Duration| u64::try_from(lifetime.as_nanos()).unwrap_or(u64::MAX);
        sctp::SendOptions {
            lifetime: self.lifetime.map(|lifetime| Span::from_nanos(nanos(lifetime))),
            sack_immediately: self.sack_immediately,
            path: self.path,
        }
    }
}

impl From<sctp::Message> for Message {
    fn from(message: sctp::Message) -> Self {
        let sctp::Message { stream, ppid, unordered, payload, part } = message;
        Self { part, unordered, ppid, stream, ..Self::new(payload) }
    }
}
