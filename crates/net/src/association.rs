//! An association with one peer.

use std::sync::Arc;
use std::task::Poll;
use std::time::{Duration, Instant};

use bytes::Bytes;
use manypath_sctp as sctp;
use manypath_sctp::{AssociationId, Stats};
use tokio::time::sleep;

use crate::driver::{self, Entry, Shared, State, Wakers, outcome};
use crate::events::Events;
use crate::path::Path;
use crate::{Error, Message};

/// An association with a peer. Clones are handles of the same association. All methods take `&self`, so several tasks
/// may send and receive concurrently.
///
/// When the last handle is dropped, the association is shut down in the background: sent data still arrives, received
/// data is discarded.
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

/// Numbers of streams of an association.
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

    /// Calls `look` with the state whenever the wakers of `condition` are woken, until it returns a value.
    async fn wait<T>(
        &self,
        condition: impl Fn(&mut Entry) -> &mut Wakers,
        mut look: impl FnMut(&mut State, AssociationId) -> Poll<T>,
    ) -> T {
        let Handle { shared, id } = &*self.handle;
        driver::wait(shared, |state| condition(state.entry(*id)), |state| look(state, *id)).await
    }

    /// Runs a function with the state.
    pub(crate) fn with_state<T>(&self, act: impl FnOnce(&mut State, AssociationId) -> T) -> T {
        act(&mut self.handle.shared.lock(), self.handle.id)
    }

    /// Waits until the association is established. If it has ended since, this is no error: received messages can be
    /// read, and then its end.
    ///
    /// # Errors
    /// If it has ended without being established.
    pub async fn connected(&self) -> Result<(), Error> {
        let look = |state: &mut State, id| match state.entry(id) {
            Entry { connected: true, .. } => Poll::Ready(Ok(())),
            Entry { ending: Some(ending), .. } => Poll::Ready(Err(ending.clone())),
            Entry { .. } => Poll::Pending,
        };
        self.wait(|entry| &mut entry.changed, look).await
    }

    /// Queues a message; waits while the send buffer has no room. Cancel-safe: if the future is dropped before it
    /// completes, the message was not queued.
    ///
    /// # Errors
    /// If the association has ended or is being shut down, if the stream does not exist, or if the message is empty or
    /// larger than the send buffer.
    pub async fn send(&self, message: Message) -> Result<(), Error> {
        self.wait(|entry| &mut entry.writable, |state, id| poll_send(state, id, &message)).await
    }

    /// Receives the next message; `None` after the peer's shutdown. Cancel-safe: if the future is dropped, no message
    /// is lost.
    ///
    /// While no task calls this method, the receive window shrinks until the peer stops sending.
    ///
    /// # Errors
    /// If the association has ended other than by a shutdown. Messages that arrived before are returned first.
    pub async fn receive(&self) -> Result<Option<Message>, Error> {
        self.wait(|entry| &mut entry.readable, |state, id| poll_receive_on(state, id, None)).await
    }

    /// The agreed numbers of streams.
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

    /// All paths, and the instant of these values.
    #[must_use]
    pub fn paths_and_time(&self) -> (Vec<Path>, Instant) {
        let state = self.handle.shared.lock();
        let now = state.clock.now();
        (state.paths(now, self.handle.id), state.clock.instant(now).unwrap_or_else(Instant::now))
    }

    /// Events from now on: failed and recovered paths, undelivered messages, the end.
    #[must_use]
    pub fn events(&self) -> Events {
        self.handle.shared.lock().entry(self.handle.id).subscribe()
    }

    /// Makes a path the primary one, by its number in [`paths`](Self::paths). RFC 9260 §6.4
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

    /// Shuts down the association and waits until all sent data has arrived. No data can be sent any more;
    /// [`receive`](Self::receive) still returns received data. If the future is dropped, the shutdown continues.
    ///
    /// The shutdown ends only after the peer has sent all data that it has queued. If that is more than the receive
    /// buffer holds, a task must receive it; [`close`](Self::close) discards it instead.
    ///
    /// # Errors
    /// If the association ends in another way. The peer may not have received all data.
    pub async fn shutdown(&self) -> Result<(), Error> {
        let mut has_begun = false;
        let look = |state: &mut State, id| poll_shutdown(state, id, &mut has_begun);
        self.wait(|entry| &mut entry.changed, look).await
    }

    /// Begins a shutdown without waiting for its end.
    pub fn begin_shutdown(&self) {
        self.with_state(|state, id| {
            // Pending or the end of an association that has ended
            let _ = poll_shutdown(state, id, &mut false);
        });
    }

    /// Like [`receive`](Self::receive), with TSN and stream sequence number. Not together with a [`Stream`](crate::Stream).
    ///
    /// # Errors
    /// As [`receive`](Self::receive).
    pub async fn receive_numbered(&self) -> Result<Option<sctp::Received>, Error> {
        self.wait(|entry| &mut entry.readable, poll_receive_numbered).await
    }

    /// Like [`shutdown`](Self::shutdown), and discards all data that has not been received: the data that has arrived,
    /// and the data that the peer still sends. If there was any, [`receive`](Self::receive) fails with
    /// [`Error::Closed`] from then on, so that a reader does not take the end for a complete transfer. Data that waits
    /// for a [`Stream`](crate::Stream) beside the receive buffer stays readable. Nothing is discarded if the association has ended
    /// already.
    ///
    /// # Errors
    /// As [`shutdown`](Self::shutdown).
    pub async fn close(&self) -> Result<(), Error> {
        {
            let mut state = self.handle.shared.lock();
            let now = state.clock.now();
            state.close(now, self.handle.id);
            state.wake_driver();
        }
        self.closed().await
    }

    /// Waits until either side has ended the association.
    ///
    /// # Errors
    /// If it did not end by a shutdown.
    pub async fn closed(&self) -> Result<(), Error> {
        let look = |state: &mut State, id| match &state.entry(id).ending {
            Some(ending) => Poll::Ready(outcome(ending)),
            None => Poll::Pending,
        };
        self.wait(|entry| &mut entry.changed, look).await
    }

    /// Completes when the value of `progress` has not changed for `limit`, up to a sixtieth of `limit` later. It detects a
    /// peer whose program has stopped. A peer that does not answer at all ends the association instead.
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

    /// Aborts the association and sends the reason to the peer; a reason that does not fit into a packet is truncated.
    /// Data that has not arrived is lost. RFC 9260 §9.1
    pub fn abort(&self, reason: impl Into<Bytes>) {
        let mut state = self.handle.shared.lock();
        let now = state.clock.now();
        state.entry(self.handle.id).is_aborted = true;
        state.core.abort_with(now, self.handle.id, &reason.into());
        state.wake_driver();
    }
}

/// Queues a message if there is room; otherwise the caller waits until the association is writable.
pub(crate) fn poll_send(
    state: &mut State,
    id: AssociationId,
    message: &Message,
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
        Err(sctp::SendError::BufferFull) => Poll::Pending,
        Err(error) => Poll::Ready(Err(refusal(state, id, message, error))),
    }
}

/// Why a message is refused.
fn refusal(
    state: &mut State,
    id: AssociationId,
    message: &Message,
    error: sctp::SendError,
) -> Error {
    match error {
        sctp::SendError::NotConnected if state.entry(id).is_aborted => Error::AbortedHere,
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

/// Reads the next message of a stream, or of all streams without a [`Stream`]. If there is none, the caller waits until
/// the association is readable.
pub(crate) fn poll_receive_on(
    state: &mut State,
    id: AssociationId,
    stream: Option<u16>,
) -> Poll<Result<Option<Message>, Error>> {
    let now = state.clock.now();
    if let Some(message) = state.entry(id).take_kept(stream) {
        return Poll::Ready(Ok(Some(message)));
    }
    let entry = state.entry(id);
    if entry.has_discarded() {
        return entry.end_of_messages().map_or(Poll::Pending, Poll::Ready);
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
    Poll::Pending
}

/// Reads the next message of an association without [`Stream`](crate::Stream)s.
fn poll_receive_numbered(
    state: &mut State,
    id: AssociationId,
) -> Poll<Result<Option<sctp::Received>, Error>> {
    let now = state.clock.now();
    if let Some(received) = state.core.receive_numbered(now, id) {
        state.wake_driver_if_needed();
        return Poll::Ready(Ok(Some(received)));
    }
    match state.entry(id).end_of_messages() {
        Some(end) => Poll::Ready(end.map(|_| None)),
        None => Poll::Pending,
    }
}

/// Shuts down an association; ready when it has ended, which is a change.
pub(crate) fn poll_shutdown(
    state: &mut State,
    id: AssociationId,
    has_begun: &mut bool,
) -> Poll<Result<(), Error>> {
    if let Some(ending) = &state.entry(id).ending {
        return Poll::Ready(outcome(ending));
    }
    if !std::mem::replace(has_begun, true) {
        let now = state.clock.now();
        state.core.shutdown(now, id);
        state.wake_driver();
    }
    Poll::Pending
}

impl Drop for Handle {
    fn drop(&mut self) {
        self.shared.lock().abandon(self.id);
    }
}
