//! Where an association stands in its life, and what may happen there. RFC 9260 §4

use bytes::Bytes;
use manypath_core::PathId;

use super::Association;
use crate::packet::Init;

/// The state of an association, each with what only it needs. It is asked several times for each packet: hence a tag of
/// its own, which takes no decoding.
#[derive(Debug)]
#[repr(u8)]
pub(crate) enum State {
    /// INIT was sent.
    CookieWait(Opening),
    /// COOKIE ECHO was sent.
    CookieEchoed {
        /// What the way here must remember.
        opening: Opening,
        /// The peer's cookie, in case that it must be sent again.
        cookie: Bytes,
    },
    /// Data flows both ways.
    Established,
    /// The application wants to close; what it handed over is still on its way.
    ShutdownPending,
    /// Everything has arrived, and SHUTDOWN was sent on this path.
    ShutdownSent(PathId),
    /// The peer wants to close; what was handed over here is still on its way.
    ShutdownReceived,
    /// Everything has arrived, and SHUTDOWN ACK was sent on this path.
    ShutdownAckSent(PathId),
    /// Gone.
    Closed,
}

/// What an endpoint remembers while it opens an association.
#[derive(Debug, Default)]
pub(crate) struct Opening {
    /// INIT as it was sent; a crossing INIT is answered with the same values. RFC 9260 §5.2.1
    pub(crate) init: Box<Init>,
    /// How often the chunk that waits for an answer was sent again.
    pub(crate) retries: u32,
    /// How often the peer refused a cookie that came back too late.
    pub(crate) stale_cookies: u32,
    /// The application wants to close as soon as everything it handed over has arrived.
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
            Self::Closed => "CLOSED",
        }
    }

    /// Whether the application may hand over messages.
    pub(crate) fn takes_data(&self) -> bool {
        match self {
            Self::CookieWait(opening) | Self::CookieEchoed { opening, .. } => !opening.closing,
            Self::Established => true,
            _ => false,
        }
    }

    /// Whether DATA may leave in a packet of its own. RFC 9260 §6
    ///
    /// Beside these states, DATA may ride behind COOKIE ECHO.
    pub(crate) fn may_send_data(&self) -> bool {
        matches!(self, Self::Established | Self::ShutdownPending | Self::ShutdownReceived)
    }

    /// Whether DATA that arrives is taken. RFC 9260 §6
    pub(crate) fn may_receive_data(&self) -> bool {
        matches!(self, Self::Established | Self::ShutdownPending | Self::ShutdownSent(_))
    }

    /// Whether a SACK may have something to say. RFC 9260 §6
    pub(crate) fn has_data_outstanding(&self) -> bool {
        self.may_send_data() || matches!(self, Self::CookieEchoed { .. })
    }

    /// Whether only what was handed over before is still sent.
    pub(crate) fn is_closing(&self) -> bool {
        matches!(self, Self::ShutdownPending | Self::ShutdownReceived)
    }

    /// What the way to an association remembers, until it stands.
    pub(crate) fn opening(&mut self) -> Option<&mut Opening> {
        match self {
            Self::CookieWait(opening) | Self::CookieEchoed { opening, .. } => Some(opening),
            _ => None,
        }
    }
}
