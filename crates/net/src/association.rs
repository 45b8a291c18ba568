//! A conversation with one peer.

use std::future::poll_fn;
use std::net::IpAddr;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use bytes::Bytes;
use manypath_sctp as sctp;
use manypath_sctp::{AssociationId, Blocked, PathStats, Stats};
use tokio::time::sleep;

use crate::driver::{Shared, State, outcome};
use crate::events::Events;
use crate::{Error, Message, Stream};

/// An association with a peer. Clones are handles of the same one, and every method takes `&self`, so that several tasks
/// may send and receive at once.
///
/// When the last handle is dropped, the association is shut down in the background: what was sent still arrives, what
/// arrives is discarded.
#[derive(Clone, Debug)]
pub struct Association {
    handle: Arc<Handle>,
}

/// What all clones share.
#[derive(Debug)]
struct Handle {
    shared: Arc<Shared>,
    id: AssociationId,
}

/// A path of an association: a local address and one of the peer's.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Path {
    /// The local address.
    pub local: IpAddr,
    /// The peer's address.
    pub remote: IpAddr,
    /// Largest IP packet that the path takes as far as known, in bytes.
    pub mtu: u16,
    /// Data takes this path while it works, and while not all paths carry data at once.
    pub is_primary: bool,
    /// Its state, window and round-trip time now, and what it has carried.
    pub stats: PathStats,
    /// How long it could not send new data so far, and why.
    pub blocked: Blocked,
}

/// How many streams an association has.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Streams {
    /// Streams to send on.
    pub outbound: u16,
    /// Streams to receive on.
    pub inbound: u16,
}

impl Association {
    pub(crate) fn new(shared: Arc<Shared>, id: AssociationId) -> Self {
        Self { handle: Arc::new(Handle { shared, id }) }
    }

    /// Calls `look` with the state until it is ready; it registers where it wants to be woken.
    async fn wait<T>(
        &self,
        mut look: impl FnMut(&mut State, AssociationId, &mut Context<'_>) -> Poll<T>,
    ) -> T {
        poll_fn(|cx| look(&mut self.handle.shared.lock(), self.handle.id, cx)).await
    }

    /// Does something with the state.
    pub(crate) fn with_state<T>(&self, act: impl FnOnce(&mut State, AssociationId) -> T) -> T {
        act(&mut self.handle.shared.lock(), self.handle.id)
    }

    /// Waits until the association stands.
    pub(crate) async fn connected(&self) -> Result<(), Error> {
        self.wait(|state, id, cx| {
            let entry = state.entry(id);
            if let Some(ending) = &entry.ending {
                return Poll::Ready(Err(ending.clone()));
            }
            if entry.connected {
                return Poll::Ready(Ok(()));
            }
            entry.changed.register(cx);
            Poll::Pending
        })
        .await
    }

    /// Hands a message over, and waits while the send buffer has no room for it. Cancel-safe: if the future is dropped
    /// before it is ready, nothing was sent.
    ///
    /// # Errors
    /// If the association has ended or is being shut down, if the stream does not exist, or if the message is empty or
    /// larger than the send buffer.
    pub async fn send(&self, message: Message) -> Result<(), Error> {
        self.wait(|state, id, cx| poll_send(state, id, &message, cx)).await
    }

    /// The next message; none once the peer sends nothing more. Cancel-safe: if the future is dropped, no message is lost.
    ///
    /// While no task calls it, the receive window shrinks until the peer stops sending.
    ///
    /// # Errors
    /// If the association has ended other than by a shutdown. Messages that arrived before come first.
    pub async fn receive(&self) -> Result<Option<Message>, Error> {
        self.wait(|state, id, cx| poll_receive_on(state, id, None, cx)).await
    }

    /// One stream as a sequence of bytes. Until it is dropped, [`receive`](Self::receive) does not return messages of this
    /// stream. Once 256 KiB of unread data wait on it, the other streams are not read either.
    ///
    /// # Errors
    /// If the stream does not exist in both directions, or is taken already.
    pub fn stream(&self, number: u16) -> Result<Stream, Error> {
        let Streams { outbound, inbound } = self.streams();
        let count = outbound.min(inbound);
        if number >= count {
            return Err(Error::NoSuchStream { stream: number, count });
        }
        if !self.with_state(|state, id| state.entry(id).claim(number)) {
            return Err(Error::StreamTaken(number));
        }
        Ok(Stream::new(self.clone(), number))
    }

    /// How many streams both sides have agreed on.
    #[must_use]
    pub fn streams(&self) -> Streams {
        let state = self.handle.shared.lock();
        let (outbound, inbound) = state.core.streams(self.handle.id).unwrap_or_default();
        Streams { outbound, inbound }
    }

    /// The SCTP port of the peer; 0 once the association is forgotten.
    #[must_use]
    pub fn peer_port(&self) -> u16 {
        self.handle.shared.lock().core.peer_port(self.handle.id).unwrap_or(0)
    }

    /// All paths, in the order of their numbers for [`set_primary`](Self::set_primary).
    #[must_use]
    pub fn paths(&self) -> Vec<Path> {
        let state = self.handle.shared.lock();
        state.paths(state.clock.now(), self.handle.id)
    }

    /// All paths, and the time up to which they have waited so long.
    #[cfg(feature = "perf")]
    pub(crate) fn paths_and_time(&self) -> (Vec<Path>, Instant) {
        let state = self.handle.shared.lock();
        let now = state.clock.now();
        (state.paths(now, self.handle.id), state.clock.instant(now).unwrap_or_else(Instant::now))
    }

    /// Events from now on: paths that fail and recover, messages that could not be delivered, the end.
    #[must_use]
    pub fn events(&self) -> Events {
        self.handle.shared.lock().entry(self.handle.id).subscribe()
    }

    /// Makes data take a path while it works, by its number among [`paths`](Self::paths). RFC 9260 §6.4
    ///
    /// # Errors
    /// If there is no such path.
    pub fn set_primary(&self, path: usize) -> Result<(), Error> {
        let mut state = self.handle.shared.lock();
        let now = state.clock.now();
        let number = u8::try_from(path).ok().map(manypath_core::PathId);
        if number.is_some_and(|number| state.core.set_primary(now, self.handle.id, number)) {
            state.wake_driver();
            return Ok(());
        }
        let expected = "the number of a path, from 0".to_owned();
        Err(Error::Setting { field: "path", value: path.to_string(), expected })
    }

    /// Counters of the association.
    #[must_use]
    pub fn stats(&self) -> Stats {
        *self.handle.shared.lock().core.stats(self.handle.id)
    }

    /// Closes the association once everything that was handed over has arrived, and waits for that. Nothing can be sent
    /// any more; [`receive`](Self::receive) still returns what has arrived. If the future is dropped, the shutdown goes on.
    ///
    /// # Errors
    /// If the association ends in another way: then the peer may not have everything.
    pub async fn shutdown(&self) -> Result<(), Error> {
        let mut has_begun = false;
        self.wait(|state, id, cx| poll_shutdown(state, id, &mut has_begun, cx)).await
    }

    /// Waits until either side has ended the association.
    ///
    /// # Errors
    /// If it did not end by a shutdown.
    pub async fn closed(&self) -> Result<(), Error> {
        self.wait(|state, id, cx| {
            let entry = state.entry(id);
            if let Some(ending) = &entry.ending {
                return Poll::Ready(outcome(ending));
            }
            entry.changed.register(cx);
            Poll::Pending
        })
        .await
    }

    /// Completes once a number that `progress` finds in the paths has not changed for `limit`, up to a sixtieth later. It tells a
    /// peer whose program does nothing from one that is slow: a peer that no longer answers at all ends the association.
    pub async fn stalled(&self, limit: Duration, mut progress: impl FnMut(&[Path]) -> u64) {
        let (mut known, mut since) = (None, Instant::now());
        while let Some(left) = limit.checked_sub(since.elapsed()).filter(|left| !left.is_zero()) {
            sleep(left.min(limit / 60)).await;
            let found = Some(progress(&self.paths()));
            if found != known {
                (known, since) = (found, Instant::now());
            }
        }
    }

    /// Ends the association at once and tells the peer why, as far as the reason fits into a packet. What was handed over
    /// and has not arrived is lost. RFC 9260 §9.1
    pub fn abort(&self, reason: impl Into<Bytes>) {
        let mut state = self.handle.shared.lock();
        let now = state.clock.now();
        state.core.abort_with(now, self.handle.id, &reason.into());
        state.wake_driver();
    }
}

/// Hands a message over if there is room.
pub(crate) fn poll_send(
    state: &mut State,
    id: AssociationId,
    message: &Message,
    cx: &mut Context<'_>,
) -> Poll<Result<(), Error>> {
    if let Some(ending) = &state.entry(id).ending {
        return Poll::Ready(Err(ending.clone()));
    }
    let now = state.clock.now();
    match state.core.send_with(now, id, message.to_core(), message.options()) {
        Ok(()) => {
            state.wake_driver_if_needed();
            Poll::Ready(Ok(()))
        }
        Err(sctp::SendError::BufferFull) => {
            state.entry(id).writable.register(cx);
            Poll::Pending
        }
        Err(error) => Poll::Ready(Err(refusal(state, id, message, error))),
    }
}

/// Why a message is not taken, now or ever.
fn refusal(state: &State, id: AssociationId, message: &Message, error: sctp::SendError) -> Error {
    match error {
        sctp::SendError::NoSuchStream => {
            let (count, _) = state.core.streams(id).unwrap_or_default();
            Error::NoSuchStream { stream: message.stream, count }
        }
        sctp::SendError::Empty => Error::EmptyMessage,
        sctp::SendError::TooLarge => {
            let (length, limit) = (message.payload.len(), state.core.send_buffer(id));
            Error::MessageTooLarge { length, limit }
        }
        sctp::SendError::NotConnected
        | sctp::SendError::BufferFull
        | sctp::SendError::NoSuchPath => Error::Closed,
    }
}

/// Reads the next message of a stream, or of all streams that no [`Stream`] has.
pub(crate) fn poll_receive_on(
    state: &mut State,
    id: AssociationId,
    stream: Option<u16>,
    cx: &mut Context<'_>,
) -> Poll<Result<Option<Message>, Error>> {
    let now = state.clock.now();
    if let Some(message) = state.entry(id).take_kept(stream) {
        return Poll::Ready(Ok(Some(message)));
    }
    while state.entry(id).may_keep_more() {
        let Some(message) = state.core.receive(now, id) else {
            let entry = state.entry(id);
            if let Some(end) = entry.end_of_messages() {
                return Poll::Ready(end);
            }
            break;
        };
        state.wake_driver_if_needed();
        match state.entry(id).keep(message.into(), stream) {
            None => {}
            Some(message) => return Poll::Ready(Ok(Some(message))),
        }
    }
    state.entry(id).readable.register(cx);
    Poll::Pending
}

/// Shuts down an association, and is ready when it has ended.
pub(crate) fn poll_shutdown(
    state: &mut State,
    id: AssociationId,
    has_begun: &mut bool,
    cx: &mut Context<'_>,
) -> Poll<Result<(), Error>> {
    if let Some(ending) = &state.entry(id).ending {
        return Poll::Ready(outcome(ending));
    }
    if !std::mem::replace(has_begun, true) {
        let now = state.clock.now();
        state.core.shutdown(now, id);
        state.wake_driver();
    }
    state.entry(id).changed.register(cx);
    Poll::Pending
}

impl Drop for Handle {
    fn drop(&mut self) {
        self.shared.lock().abandon(self.id);
    }
}
