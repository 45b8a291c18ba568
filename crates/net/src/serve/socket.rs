//! A socket of a program, and the task that reads what the program sends.

use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use manypath_posix::abi::constants::{
    SCTP_ABORT, SCTP_EOF, SCTP_PR_SCTP_MASK, SCTP_PR_SCTP_TTL, SCTP_SACK_IMMEDIATELY,
    SCTP_UNORDERED,
};
use manypath_posix::record::{Answer, HEAD, PartialReliability, Request, SendInfo, Sent};
use nix::errno::Errno;
use nix::libc;
use tokio::sync::Notify;
use tokio::task::AbortHandle;

use super::connection::{Connection, Record};
use super::daemon::{Draining, Shared};
use super::delivery;
use super::errors::errno;
use super::opening;
use super::options::Options;
use crate::{Association, Endpoint, Error, Message};

/// A one-to-one socket. RFC 6458 §4
#[derive(Debug)]
pub(super) struct Socket {
    /// The cookie of the program's descriptor.
    pub(super) cookie: u64,
    /// `AF_INET` or `AF_INET6`.
    pub(super) domain: u16,
    /// The user of the program that opened it, or its listening socket.
    pub(super) user: u32,
    pub(super) connection: Connection,
    state: Mutex<State>,
    /// The phase has changed.
    changed: Notify,
}

/// What a socket of an accepted association has from the listening socket.
#[derive(Clone, Debug)]
pub(super) struct Inherited {
    pub(super) domain: u16,
    pub(super) user: u32,
    pub(super) options: Options,
}

#[derive(Debug)]
pub(super) struct State {
    pub(super) phase: Phase,
    pub(super) options: Options,
    /// The SCTP port, 0 while there is none.
    pub(super) port: u16,
    /// Addresses that the program has bound; empty for all.
    pub(super) addresses: Vec<IpAddr>,
    /// The value of `SO_ERROR`.
    pub(super) error: Option<Errno>,
    /// Records that fill the buffer, to be read because their non-blocking connection attempt has ended.
    fillers: u32,
}

#[derive(Debug)]
pub(super) enum Phase {
    Closed,
    /// The endpoint, and the task that accepts.
    Listening(Endpoint, AbortHandle),
    /// The task that connects.
    Connecting(AbortHandle),
    Connected(Connected),
    /// The association has ended, and the program has all of its data.
    Ended,
}

/// An association of a socket.
#[derive(Clone, Debug)]
pub(super) struct Connected {
    pub(super) association: Association,
    pub(super) endpoint: Endpoint,
    /// Its number for the program.
    pub(super) number: i32,
    /// The task that delivers to the program.
    delivering: AbortHandle,
}

/// How the reader ends.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum End {
    /// The program closed its descriptor after it had read everything.
    Closed,
    /// The program closed its descriptor with unread data, or sent a malformed record.
    Abort,
}

impl Inherited {
    /// What a socket of a user has if it is not accepted, with the largest size of its buffers.
    pub(super) fn new(domain: u16, user: u32, largest_buffer: usize) -> Self {
        Self { domain, user, options: Options::new(largest_buffer) }
    }
}

impl Socket {
    pub(super) fn new(cookie: u64, connection: Connection, inherited: Inherited) -> Self {
        let Inherited { domain, user, options } = inherited;
        let state = State {
            phase: Phase::Closed,
            options,
            port: 0,
            addresses: Vec::new(),
            error: None,
            fillers: 0,
        };
        Self { cookie, domain, user, connection, state: Mutex::new(state), changed: Notify::new() }
    }

    pub(super) fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The association.
    pub(super) fn connected(&self) -> Option<Connected> {
        match &self.state().phase {
            Phase::Connected(connected) => Some(connected.clone()),
            _ => None,
        }
    }

    /// Attaches an association, and delivers its messages from then on.
    pub(super) fn becomes_connected(
        self: &Arc<Self>,
        shared: &Arc<Shared>,
        association: Association,
        endpoint: Endpoint,
    ) {
        let number = shared.association_number();
        let mut state = self.state();
        state.options.apply_to(&association);
        state.port = endpoint.port();
        let deliver = delivery::run(Arc::clone(self), association.clone(), number);
        let delivering = tokio::spawn(deliver).abort_handle();
        state.phase = Phase::Connected(Connected { association, endpoint, number, delivering });
        drop(state);
        self.changed.notify_waiters();
    }

    /// A connection attempt has failed. The program learns why from the call, or from `SO_ERROR` if `later` is set.
    pub(super) fn has_failed(&self, why: Errno, later: bool) {
        let mut state = self.state();
        state.phase = Phase::Closed;
        state.error = later.then_some(why);
        state.fillers += u32::from(later);
        drop(state);
        self.changed.notify_waiters();
    }

    /// A non-blocking connection attempt did not begin.
    pub(super) fn has_not_begun(&self) {
        self.state().fillers += 1;
        self.changed.notify_waiters();
    }

    /// The association has ended, and all of its data is delivered.
    pub(super) fn has_ended(&self) {
        self.state().phase = Phase::Ended;
        self.changed.notify_waiters();
    }

    /// Serves the socket until the program has closed it.
    pub(super) async fn serve(self: &Arc<Self>, shared: &Arc<Shared>) {
        let end = self.read(shared).await;
        self.close(shared, end);
    }

    async fn read(self: &Arc<Self>, shared: &Arc<Shared>) -> End {
        for records in 1_u64.. {
            if records % RECORDS_AT_ONCE == 0 {
                tokio::task::yield_now().await;
            }
            match self.next(shared).await {
                Ok(()) => {}
                Err(end) => return end,
            }
        }
        End::Closed
    }

    /// Handles the next record or change of phase.
    async fn next(self: &Arc<Self>, shared: &Arc<Shared>) -> Result<(), End> {
        let changed = self.changed.notified();
        let (is_connecting, keeps_filler) = {
            let state = self.state();
            let is_closed = matches!(state.phase, Phase::Closed);
            (matches!(state.phase, Phase::Connecting(_)), is_closed && state.fillers == 0)
        };
        if is_connecting {
            return self.until(changed).await;
        }
        if keeps_filler {
            let head = tokio::select! {
                head = self.connection.peek() => head,
                () = changed => return Ok(()),
            };
            let head = head.map_err(|_| End::Abort)?;
            if head.get(KIND) == Some(&Request::Filler { length: HEAD }.head()[KIND]) {
                // The call that begins the connection follows
                return self.until(self.changed.notified()).await;
            }
        }
        let record = match self.connection.receive().await {
            Ok(Some(record)) => record,
            Ok(None) => return Err(End::Closed),
            Err(_) => return Err(End::Abort),
        };
        self.handle(shared, record).await
    }

    /// Waits for a change of phase, or the end of the program's descriptor.
    async fn until(&self, changed: impl Future<Output = ()>) -> Result<(), End> {
        tokio::select! {
            () = changed => Ok(()),
            () = self.connection.hung_up() => Err(End::Closed),
        }
    }

    async fn handle(self: &Arc<Self>, shared: &Arc<Shared>, record: Record) -> Result<(), End> {
        let Record { bytes, .. } = record;
        match Request::decode(&bytes).map_err(|_| End::Abort)? {
            Request::Data(sent) => self.send(shared, &sent, bytes.slice(HEAD..)).await,
            Request::Shutdown { how } => {
                if how != libc::SHUT_RD
                    && let Some(connected) = self.connected()
                {
                    connected.association.begin_shutdown();
                }
                Ok(())
            }
            Request::Filler { .. } => {
                let mut state = self.state();
                state.fillers = state.fillers.saturating_sub(1);
                Ok(())
            }
            Request::Open { .. } | Request::Call(_) => Err(End::Abort),
        }
    }

    /// Sends a message of the program. While the send buffer is full, no further record is read.
    async fn send(
        self: &Arc<Self>,
        shared: &Arc<Shared>,
        sent: &Sent<'_>,
        payload: Bytes,
    ) -> Result<(), End> {
        if let Some(destination) = sent.destination
            && matches!(self.state().phase, Phase::Closed)
        {
            self.connect_for_message(shared, destination).await?;
        }
        let Some(connected) = self.connected() else {
            if matches!(self.state().phase, Phase::Ended) {
                return Err(End::Closed);
            }
            return self.refuse(Errno::EPIPE).await;
        };
        let association = &connected.association;
        let info = sent.info.unwrap_or_else(|| self.state().options.send_info());
        if info.flags & SCTP_ABORT != 0 {
            association.abort(payload);
            return Ok(());
        }
        if !payload.is_empty() {
            let message = self.message(sent, info, payload);
            let aborts = self.state().options.aborts_on_close();
            let done = tokio::select! {
                biased;
                done = association.send(message) => done,
                () = self.connection.hung_up(), if aborts => return Err(End::Closed),
            };
            match done {
                Ok(()) => {}
                // The delivery ends too, and tells the program
                Err(
                    Error::Closed | Error::Aborted(_) | Error::Unreachable | Error::AbortedHere,
                ) => {
                    return self.until_ended().await;
                }
                Err(error) => self.refuse(errno(&error)).await?,
            }
        }
        if info.flags & SCTP_EOF != 0 {
            association.begin_shutdown();
        }
        Ok(())
    }

    /// A message to an address opens the association. RFC 6458 §4.1.9
    async fn connect_for_message(
        self: &Arc<Self>,
        shared: &Arc<Shared>,
        destination: SocketAddr,
    ) -> Result<(), End> {
        match opening::begin(shared, self, &[destination], false) {
            Ok(attempt) => match attempt.await {
                Ok(Ok(())) => Ok(()),
                Ok(Err(why)) => self.refuse(why).await,
                Err(_) => Ok(()),
            },
            Err(why) => self.refuse(why).await,
        }
    }

    fn message(&self, sent: &Sent<'_>, info: SendInfo, payload: Bytes) -> Message {
        let mut message = Message::new(payload).stream(info.stream).ppid(u32::from_be(info.ppid));
        message.unordered = info.flags & SCTP_UNORDERED != 0;
        message.sack_immediately = info.flags & SCTP_SACK_IMMEDIATELY != 0;
        let reliability = sent.reliability.or_else(|| self.state().options.reliability());
        if let Some(PartialReliability { policy, value }) = reliability
            && policy & SCTP_PR_SCTP_MASK == SCTP_PR_SCTP_TTL
            && value > 0
        {
            message.lifetime = Some(Duration::from_millis(value.into()));
        }
        message
    }

    /// Tells the program that it cannot send.
    async fn refuse(&self, why: Errno) -> Result<(), End> {
        let answer = Answer::Error { errno: why as i32 };
        self.connection.send(&answer, None).await.map_err(|_| End::Abort)
    }

    /// Waits until the end of the association is delivered. The descriptor is closed then, so that the program's next
    /// message fails with `EPIPE`.
    async fn until_ended(&self) -> Result<(), End> {
        loop {
            let changed = self.changed.notified();
            if !matches!(self.state().phase, Phase::Connected(_)) {
                return Err(End::Closed);
            }
            self.until(changed).await?;
        }
    }

    /// Ends the socket as the kernel does when the last descriptor is closed.
    fn close(&self, shared: &Arc<Shared>, end: End) {
        let mut state = self.state();
        let aborts = end == End::Abort || state.options.aborts_on_close();
        let phase = std::mem::replace(&mut state.phase, Phase::Ended);
        drop(state);
        match phase {
            Phase::Closed | Phase::Ended => {}
            Phase::Listening(endpoint, accepting) => {
                accepting.abort();
                endpoint.admit(None);
            }
            Phase::Connecting(attempt) => attempt.abort(),
            Phase::Connected(Connected { association, endpoint, delivering, .. }) => {
                delivering.abort();
                if aborts {
                    association.abort("");
                }
                Draining::add(shared, association, endpoint);
            }
        }
        shared.ports().release(self.cookie);
    }
}

/// Offset of the kind in the head of a record.
const KIND: usize = 4;
/// Records that are read before other tasks run.
const RECORDS_AT_ONCE: u64 = 32;
