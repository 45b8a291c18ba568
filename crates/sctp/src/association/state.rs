//! The state of an association, and the operations that are allowed in it. RFC 9260 §4

use bytes::Bytes;
use manypath_core::PathId;

use super::Association;
use crate::packet::{Cause, Init};

/// The state of an association. Each variant has the data that only this state needs. The state is read several times
/// per packet, so the tag has its own field that needs no decoding, and the order of the variants makes each question about
/// data a range of tags.
#[derive(Debug)]
#[repr(u8)]
pub(crate) enum State {
    /// INIT was sent.
    CookieWait(Opening),
    /// COOKIE ECHO was sent.
    CookieEchoed {
        /// The data of the handshake.
        opening: Opening,
        /// The peer's cookie, for retransmissions.
        cookie: Bytes,
    },
    /// The peer has sent SHUTDOWN; not all data of this side has arrived.
    ShutdownReceived,
    /// Established.
    Established,
    /// The application has called shutdown; not all of its data has arrived.
    ShutdownPending,
    /// All data has arrived, and SHUTDOWN was sent on this path.
    ShutdownSent(PathId),
    /// All data has arrived, and SHUTDOWN ACK was sent on this path.
    ShutdownAckSent(PathId),
    /// Closed; with the error causes if the peer sent ABORT.
    Closed(Vec<Cause>),
}

/// The state of an endpoint that opens an association.
#[derive(Debug, Default)]
pub(crate) struct Opening {
    /// The INIT that was sent; a crossing INIT is answered with the same values. RFC 9260 §5.2.1
    pub(crate) init: Box<Init>,
    /// Number of retransmissions of the chunk that is not answered yet.
    pub(crate) retries: u32,
    /// Number of cookies that the peer refused as stale.
    pub(crate) stale_cookies: u32,
    /// The application wants to close once all its data has arrived.
    pub(crate) closing: bool,
}

impl Association {
    /// The only place where the state changes.
    pub(super) fn enter(&mut self, state: State) {
        note!(Transition(self.state.name(), state.name()));
        self.state = state;
    }
}

impl State {
    /// The name in RFC 9260 §4, figure 3.
    #[cfg(feature = "soak")]
    fn name(&self) -> &'static str {
        match self {
            Self::CookieWait(_) => "COOKIE-WAIT",
            Self::CookieEchoed { .. } => "COOKIE-ECHOED",
            Self::Established => "ESTABLISHED",
            Self::ShutdownPending => "SHUTDOWN-PENDING",
            Self::ShutdownSent(_) => "SHUTDOWN-SENT",
            Self::ShutdownReceived => "SHUTDOWN-RECEIVED",
            Self::ShutdownAckSent(_) => "SHUTDOWN-ACK-SENT",
            Self::Closed(_) => "CLOSED",
        }
    }

    /// Whether the application may send messages.
    pub(crate) fn takes_data(&self) -> bool {
        match self {
            Self::CookieWait(opening) | Self::CookieEchoed { opening, .. } => !opening.closing,
            Self::Established => true,
            _ => false,
        }
    }

    /// Whether DATA may be sent in a packet of its own. RFC 9260 §6
    ///
    /// In addition, DATA may follow COOKIE ECHO in the same packet.
    pub(crate) fn may_send_data(&self) -> bool {
        matches!(self, Self::Established | Self::ShutdownPending | Self::ShutdownReceived)
    }

    /// Whether received DATA is accepted. RFC 9260 §6
    pub(crate) fn may_receive_data(&self) -> bool {
        matches!(self, Self::Established | Self::ShutdownPending | Self::ShutdownSent(_))
    }

    /// Whether a received SACK may acknowledge data. RFC 9260 §6
    pub(crate) fn has_data_outstanding(&self) -> bool {
        self.may_send_data() || matches!(self, Self::CookieEchoed { .. })
    }

    /// Whether only data that was queued before the shutdown is sent.
    pub(crate) fn is_closing(&self) -> bool {
        matches!(self, Self::ShutdownPending | Self::ShutdownReceived)
    }

    /// The data of the handshake, until the association is established.
    pub(crate) fn opening(&mut self) -> Option<&mut Opening> {
        match self {
            Self::CookieWait(opening) | Self::CookieEchoed { opening, .. } => Some(opening),
            _ => None,
        }
    }
}
