//! Events of an association for the application.

use std::net::IpAddr;

use manypath_core::{PathId, Via};
use manypath_sctp as sctp;
use tokio::sync::broadcast;
use tokio::sync::broadcast::error::RecvError;

use crate::error::describe;
use crate::{Error, Message};

/// A change of an association.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Event {
    /// A path is confirmed, or works again.
    PathUp {
        /// Local address of the path.
        local: IpAddr,
        /// Address of the peer.
        remote: IpAddr,
    },
    /// A path is potentially failed: data uses other paths. RFC 7829 §3.2
    PathPotentiallyFailed {
        /// Local address of the path.
        local: IpAddr,
        /// Address of the peer.
        remote: IpAddr,
    },
    /// A path has failed.
    PathDown {
        /// Local address of the path.
        local: IpAddr,
        /// Address of the peer.
        remote: IpAddr,
    },
    /// The peer restarted the association, for example after a crash. Outstanding data is lost. RFC 9260 §5.2.4
    Restarted,
    /// The peer sends no more data.
    PeerShutdown,
    /// A message, or a part of one, was not acknowledged and will not be sent again: it expired, or the association
    /// ended or restarted.
    SendFailed {
        /// The message; a message that was sent is reported chunk by chunk.
        message: Message,
        /// Whether it was sent, so that it may have arrived.
        sent: bool,
    },
    /// The peer has acknowledged all data.
    SenderDry,
    /// The peer reports an error that does not end the association. RFC 9260 §3.3.10
    RemoteError {
        /// The reported cause.
        cause: String,
    },
    /// The association ended or restarted before all parts of a partially delivered message arrived. RFC 6458 §6.1.7
    PartialDeliveryAborted {
        /// The stream of the message.
        stream: u16,
    },
    /// The association has ended; the last event. An error unless both sides shut it down.
    Closed(Result<(), Error>),
}

impl Event {
    /// The event of a path.
    pub(crate) fn of_path(event: &sctp::Event, via: Via) -> Option<Self> {
        let (local, remote) = (via.local.into(), via.remote.into());
        Some(match event {
            sctp::Event::PathUp { .. } => Self::PathUp { local, remote },
            sctp::Event::PathPotentiallyFailed { .. } => {
                Self::PathPotentiallyFailed { local, remote }
            }
            sctp::Event::PathDown { .. } => Self::PathDown { local, remote },
            _ => return None,
        })
    }

    /// An event that concerns neither a path nor the end of the association.
    pub(crate) fn of_association(event: sctp::Event) -> Option<Self> {
        Some(match event {
            sctp::Event::Restarted(_) => Self::Restarted,
            sctp::Event::PeerShutdown(_) => Self::PeerShutdown,
            sctp::Event::SendFailed { message, sent, .. } => {
                Self::SendFailed { message: (*message).into(), sent }
            }
            sctp::Event::SenderDry(_) => Self::SenderDry,
            sctp::Event::RemoteError { cause, .. } => Self::RemoteError { cause: describe(&cause) },
            sctp::Event::PartialDeliveryAborted { stream, .. } => {
                Self::PartialDeliveryAborted { stream }
            }
            _ => return None,
        })
    }
}

/// The association and the path that an event concerns.
pub(crate) fn subject(event: &sctp::Event) -> (sctp::AssociationId, Option<PathId>) {
    use sctp::Event as E;
    match *event {
        E::Connected(id)
        | E::Incoming(id)
        | E::Readable(id)
        | E::Writable(id)
        | E::Restarted(id)
        | E::PeerShutdown(id)
        | E::SenderDry(id) => (id, None),
        E::PathPotentiallyFailed { association, path }
        | E::PathDown { association, path }
        | E::PathUp { association, path } => (association, Some(path)),
        E::SendFailed { association, .. }
        | E::RemoteError { association, .. }
        | E::PartialDeliveryAborted { association, .. }
        | E::Closed { association, .. } => (association, None),
    }
}

/// The events of an association from the time of [`Association::events`](crate::Association::events) on, in order.
#[derive(Debug)]
pub struct Events {
    pub(crate) receiver: broadcast::Receiver<Event>,
}

impl Events {
    /// Largest number of waiting events; older ones are dropped.
    pub const MOST_WAITING: usize = 1024;

    /// The next event; `None` after [`Event::Closed`]. Cancel-safe.
    ///
    /// A reader with more than [`MOST_WAITING`](Self::MOST_WAITING) unread events misses the oldest.
    pub async fn next(&mut self) -> Option<Event> {
        loop {
            match self.receiver.recv().await {
                Ok(event) => return Some(event),
                Err(RecvError::Lagged(_)) => {}
                Err(RecvError::Closed) => return None,
            }
        }
    }
}
