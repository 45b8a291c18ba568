//! The state and the settings of a running association, for an owner that offers them by an interface of its own.

use std::net::{IpAddr, SocketAddr};

use manypath_core::{Address, PathId, RtoLimits, Span};
use manypath_sctp::Status;

use crate::Association;

/// Settings of a running association.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Adjustment {
    /// Small messages wait for acknowledgements or for more data.
    pub nagle: bool,
    /// The limits of the retransmission timeout; unchanged if `None`.
    pub rto: Option<RtoLimits>,
    /// The time between the heartbeats of an idle path.
    pub heartbeat_interval: Span,
    /// The number of packets per SACK, and its longest delay; unchanged if `None`.
    pub sack: Option<(u32, Span)>,
}

impl Association {
    /// Whether it is or was established.
    #[must_use]
    pub fn is_established(&self) -> bool {
        self.with_state(|state, id| state.entry(id).connected)
    }

    /// Whether it has ended, or the application has aborted it.
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.with_state(|state, id| {
            let entry = state.entry(id);
            entry.ending.is_some() || entry.is_aborted
        })
    }

    /// Whether the peer sends no more data, and all of its data has arrived.
    #[must_use]
    pub fn peer_is_done(&self) -> bool {
        self.with_state(|state, id| state.entry(id).peer_is_done)
    }

    /// The status; `None` once the association is forgotten. RFC 9260 §11.1.8
    #[must_use]
    pub fn status(&self) -> Option<Status> {
        self.with_state(|state, id| state.core.status(id))
    }

    /// The primary path: the local address, and the address and SCTP port of the peer. `None` once the association is
    /// forgotten.
    #[must_use]
    pub fn primary(&self) -> Option<(IpAddr, SocketAddr)> {
        self.with_state(|state, id| {
            let via = state.core.path_via(id, state.core.primary_path(id)?)?;
            let port = state.core.peer_port(id)?;
            Some((via.local.into(), SocketAddr::new(via.remote.into(), port)))
        })
    }

    /// The number of the first path to an address of the peer, for [`Message::over`](crate::Message::over).
    #[must_use]
    pub fn path_to(&self, remote: IpAddr) -> Option<PathId> {
        let remote = Address::from(remote);
        self.with_state(|state, id| {
            let via = |path| Some((PathId(path), state.core.path_via(id, PathId(path))?));
            let mut paths = (0..=u8::MAX).map_while(via);
            paths.find(|(_, via)| via.remote == remote).map(|(path, _)| path)
        })
    }

    /// Changes settings.
    pub fn adjust(&self, wanted: Adjustment) {
        let Adjustment { nagle, rto, heartbeat_interval, sack } = wanted;
        self.with_state(|state, id| {
            state.core.set_nagle(id, nagle);
            if let Some(rto) = rto {
                state.core.set_rto(id, rto);
            }
            state.core.set_heartbeat_interval(state.clock.now(), id, heartbeat_interval);
            if let Some((every, delay)) = sack {
                state.core.set_sack(id, every, delay);
            }
            state.wake_driver();
        });
    }
}
