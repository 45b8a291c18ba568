//! The status of an association. RFC 9260 §11.1.8

use super::Association;
use super::state::State;

/// The status of an association. RFC 9260 §11.1.8
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct Status {
    /// Its state.
    pub state: AssociationState,
    /// Free receive buffer of the peer if all data in flight arrives, in payload bytes. RFC 9260 §6.2.1
    pub peer_window: u64,
    /// Number of sent DATA chunks that the peer has not acknowledged.
    pub unacknowledged: usize,
    /// Number of DATA chunks that have not arrived although one with a higher TSN has.
    pub missing: usize,
}

/// The states of RFC 9260 §4, figure 3.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum AssociationState {
    /// COOKIE-WAIT: INIT was sent.
    CookieWait,
    /// COOKIE-ECHOED: COOKIE ECHO was sent.
    CookieEchoed,
    /// ESTABLISHED.
    Established,
    /// SHUTDOWN-PENDING: the application has called shutdown, and not all of its data has arrived.
    ShutdownPending,
    /// SHUTDOWN-SENT: SHUTDOWN was sent.
    ShutdownSent,
    /// SHUTDOWN-RECEIVED: the peer has sent SHUTDOWN, and not all data of this side has arrived.
    ShutdownReceived,
    /// SHUTDOWN-ACK-SENT: SHUTDOWN ACK was sent.
    ShutdownAckSent,
    /// CLOSED.
    Closed,
}

impl Association {
    pub(crate) fn status(&self) -> Status {
        Status {
            state: AssociationState::from(&self.state),
            peer_window: self.sender.peer_window(),
            unacknowledged: self.sender.unacknowledged_chunks(),
            missing: self.receiver.missing(),
        }
    }
}

impl From<&State> for AssociationState {
    fn from(state: &State) -> Self {
        match state {
            State::CookieWait(_) => Self::CookieWait,
            State::CookieEchoed { .. } => Self::CookieEchoed,
            State::ShutdownReceived => Self::ShutdownReceived,
            State::Established => Self::Established,
            State::ShutdownPending => Self::ShutdownPending,
            State::ShutdownSent(_) => Self::ShutdownSent,
            State::ShutdownAckSent(_) => Self::ShutdownAckSent,
            State::Closed(_) => Self::Closed,
        }
    }
}
