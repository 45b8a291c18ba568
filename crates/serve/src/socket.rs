//! A socket of a program, and the task that reads what the program sends.

use std::io::ErrorKind;
use std::net::{IpAddr, SocketAddr};
use std::pin::pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bytes::Bytes;
use manypath_net::{Association, Endpoint, Error};
use manypath_posix::abi::constants::{SCTP_ABORT, SCTP_EOF};
use manypath_posix::record::{Answer, HEAD, Request, Sent};
use nix::errno::Errno;
use nix::libc;
use tokio::sync::Notify;
use tokio::task::AbortHandle;

use super::Settings;
use super::connected::Connected;
use super::connection::{Connection, Record};
use super::daemon::Shared;
use super::draining::Draining;
use super::errors::errno;
use super::many::{self, Many};
use super::opening;
use super::options::Options;
use super::turn::Turn;

/// A socket of a program.
#[derive(Debug)]
pub(super) struct Socket {
    /// The cookie of the program's descriptor.
    pub(super) cookie: u64,
    /// `AF_INET` or `AF_INET6`.
    pub(super) domain: u16,
    pub(super) style: Style,
    /// The user of the program that opened this socket, or the listening or one-to-many socket of its association.
    pub(super) user: u32,
    pub(super) connection: Connection,
    state: Mutex<State>,
    /// The phase has changed.
    changed: Notify,
    /// Which association delivers.
    pub(super) turn: Turn,
    /// Held while a one-to-many socket begins to listen or opens an association.
    pub(super) opening: tokio::sync::Mutex<()>,
}

/// The style of a socket.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Style {
    /// One-to-one. RFC 6458 §4
    One,
    /// One-to-many. RFC 6458 §3
    Many,
    /// An association that was peeled off from a one-to-many socket. RFC 6458 §9.2
    PeeledOff,
}

impl Style {
    /// The type of the socket: `SO_TYPE`.
    pub(super) fn kind(self) -> i32 {
        if self == Self::One { libc::SOCK_STREAM } else { libc::SOCK_SEQPACKET }
    }
}

/// The properties that a socket inherits from the listening or one-to-many socket of its association.
#[derive(Clone, Debug)]
pub(super) struct Inherited {
    pub(super) domain: u16,
    pub(super) style: Style,
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
    /// The program reads no more.
    reads_no_more: bool,
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
    /// A one-to-many socket that listens or has opened an association.
    Many(Many),
    /// The association has ended, and the program has all of its data.
    Ended,
}

/// The reason for which the reader ends.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum End {
    /// The program closed its descriptor after it had read everything.
    Closed,
    /// The program closed its descriptor with unread data, or sent a malformed record.
    Abort,
}

impl Inherited {
    /// The properties of a socket that a user opens.
    pub(super) fn new(domain: u16, style: Style, user: u32, settings: &Settings) -> Self {
        Self { domain, style, user, options: Options::new(settings) }
    }
}

impl Socket {
    pub(super) fn new(cookie: u64, connection: Connection, inherited: Inherited) -> Self {
        let Inherited { domain, style, user, options } = inherited;
        let state = State {
            phase: Phase::Closed,
            options,
            port: 0,
            addresses: Vec::new(),
            error: None,
            reads_no_more: false,
            fillers: 0,
        };
        Self {
            cookie,
            domain,
            style,
            user,
            connection,
            state: Mutex::new(state),
            changed: Notify::new(),
            turn: Turn::default(),
            opening: tokio::sync::Mutex::default(),
        }
    }

    pub(super) fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The properties that a socket of one of its associations inherits.
    pub(super) fn passes_on(&self, style: Style) -> Inherited {
        let options = self.state().options.clone();
        Inherited { domain: self.domain, style, user: self.user, options }
    }

    pub(super) fn is_many(&self) -> bool {
        self.style == Style::Many
    }

    /// The association of a one-to-one socket.
    pub(super) fn connected(&self) -> Option<Connected> {
        match &self.state().phase {
            Phase::Connected(connected) => Some(connected.clone()),
            _ => None,
        }
    }

    /// All associations. Those of a one-to-many socket that have ended do not count, also if their last messages are not
    /// delivered.
    pub(super) fn associations(&self) -> Vec<Connected> {
        match &self.state().phase {
            Phase::Connected(connected) => vec![connected.clone()],
            Phase::Many(many) => many.associations().filter(|it| !it.is_over()).cloned().collect(),
            _ => Vec::new(),
        }
    }

    /// The association with this number, unless it has ended.
    pub(super) fn association(&self, number: i32) -> Option<Connected> {
        let found = match &self.state().phase {
            Phase::Connected(connected) => Some(connected.clone()),
            Phase::Many(many) => many.association(number),
            _ => None,
        };
        found.filter(|it| it.number == number && !(self.is_many() && it.is_over()))
    }

    /// Whether it has no association, and opens none.
    pub(super) fn is_idle(&self) -> bool {
        match &self.state().phase {
            Phase::Closed | Phase::Listening(..) | Phase::Ended => true,
            Phase::Connecting(_) | Phase::Connected(_) => false,
            Phase::Many(many) => many.associations().len() == 0,
        }
    }

    /// Refuses further associations of peers.
    pub(super) fn admit_no_more(&self) {
        match &self.state().phase {
            Phase::Listening(endpoint, _) => endpoint.admit(None),
            Phase::Many(many) => many.endpoint.admit(None),
            _ => {}
        }
    }

    /// Attaches an association, and delivers its messages from then on.
    pub(super) fn becomes_connected(
        self: &Arc<Self>,
        shared: &Arc<Shared>,
        association: Association,
        endpoint: Endpoint,
    ) {
        let mut state = self.state();
        let options = state.options.clone();
        if matches!(state.phase, Phase::Ended) {
            // The program has closed the socket meanwhile
            drop(state);
            return Draining::add(shared, association, endpoint, Vec::new());
        }
        options.apply_to(&association);
        state.port = endpoint.port();
        let connected = Connected::attach(shared, self, association, endpoint, options);
        state.phase = Phase::Connected(connected);
        drop(state);
        self.changed.notify_waiters();
    }

    /// Takes over an association that was peeled off.
    pub(super) fn adopts(&self, connected: Connected) {
        let mut state = self.state();
        state.port = connected.endpoint.port();
        state.options = connected.options().clone();
        state.phase = Phase::Connected(connected);
        drop(state);
        self.changed.notify_waiters();
    }

    /// Records that a connection attempt has failed. The call returns the error to the program, or `SO_ERROR` if
    /// `later` is set.
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

    /// An association has ended, and all of its data is delivered. Returns whether it was one of the socket.
    pub(super) fn loses(&self, number: i32) -> bool {
        let mut state = self.state();
        match &mut state.phase {
            Phase::Many(many) => return many.remove(number),
            Phase::Connected(connected) if connected.number == number => {}
            _ => return false,
        }
        self.connection.finish(state.reads_no_more);
        state.phase = Phase::Ended;
        drop(state);
        self.changed.notify_waiters();
        true
    }

    /// The addresses of a peer are known.
    pub(super) fn learns(&self, number: i32, association: &Association) {
        if let Phase::Many(many) = &mut self.state().phase {
            many.learn(number, association);
        }
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
        let mut changed = pin!(self.changed.notified());
        let (is_connecting, keeps_filler) = {
            let state = self.state();
            let is_closed = matches!(state.phase, Phase::Closed);
            let keeps_filler = is_closed && state.fillers == 0 && !self.is_many();
            (matches!(state.phase, Phase::Connecting(_)), keeps_filler)
        };
        if is_connecting {
            return self.until(changed).await;
        }
        if keeps_filler {
            let head = tokio::select! {
                head = self.connection.peek() => head,
                () = &mut changed => return Ok(()),
            };
            let head = head.map_err(|_| End::Abort)?;
            if head.get(KIND) == Some(&Request::Filler { length: HEAD }.head()[KIND]) {
                // The call that begins the connection follows
                return self.until(changed).await;
            }
        }
        let record = match self.connection.receive().await {
            Ok(Some(record)) => record,
            Ok(None) => return Err(End::Closed),
            Err(error) if error.kind() == ErrorKind::ConnectionReset => {
                // The kernel reports this error once, before the records that the program sent
                let unread = self.connection.has_unread_messages();
                return if unread { Err(End::Abort) } else { Ok(()) };
            }
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
        let Record { bytes, passed } = record;
        if !passed.is_empty() {
            // Only the first record of a connection has one
            passed.close().await;
            return Err(End::Abort);
        }
        match Request::decode(&bytes).map_err(|_| End::Abort)? {
            Request::Data(sent) => self.send(shared, &sent, bytes.slice(HEAD..)).await,
            Request::Shutdown { how } => {
                self.state().reads_no_more |= how != libc::SHUT_WR;
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
        if self.is_many() {
            return many::send(self, sent, &payload).await;
        }
        if let Some(destination) = sent.destination
            && matches!(self.state().phase, Phase::Closed)
        {
            if let Some(init) = sent.init {
                self.state().options.set_init(init);
            }
            self.connect_for_message(shared, destination).await?;
        }
        let Some(connected) = self.connected() else {
            if matches!(self.state().phase, Phase::Ended) {
                return Err(End::Closed);
            }
            return self.refuse(Errno::EPIPE).await;
        };
        let association = &connected.association;
        let info = connected.send_info(sent);
        if info.flags & SCTP_ABORT != 0 {
            association.abort(payload);
            return Ok(());
        }
        if !payload.is_empty() {
            let message = connected.message(sent, info, payload);
            let mut sending = pin!(association.send(message));
            let done = tokio::select! {
                biased;
                done = &mut sending => done,
                () = self.connection.hung_up() => {
                    if self.state().options.aborts_on_close() || self.connection.was_reset() {
                        return Err(End::Abort);
                    }
                    sending.await
                }
            };
            match done {
                Ok(()) => {}
                // The delivery also ends, and reports the error to the program
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

    /// Tells the program that it cannot send.
    pub(super) async fn refuse(&self, why: Errno) -> Result<(), End> {
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
        let aborts =
            end == End::Abort || self.connection.was_reset() || state.options.aborts_on_close();
        let phase = std::mem::replace(&mut state.phase, Phase::Ended);
        drop(state);
        match phase {
            Phase::Closed | Phase::Ended => {}
            Phase::Listening(endpoint, accepting) => {
                accepting.abort();
                endpoint.admit(None);
            }
            Phase::Connecting(attempt) => attempt.abort(),
            Phase::Connected(connected) => connected.close(shared, aborts, Vec::new()),
            Phase::Many(many) => many.close(shared, aborts),
        }
        shared.ports().release(self.cookie);
    }
}

/// Offset of the kind in the head of a record.
const KIND: usize = 4;
/// Records that are read before other tasks run.
const RECORDS_AT_ONCE: u64 = 32;
