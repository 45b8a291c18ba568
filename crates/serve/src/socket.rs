//! A socket of a program: its phase, its options, its associations.

use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use manypath_net::{Association, Endpoint};
use manypath_posix::record::Answer;
use nix::errno::Errno;
use nix::libc;
use tokio::sync::Notify;
use tokio::task::AbortHandle;

use super::associations::Associations;
use super::connected::Connected;
use super::connection::Connection;
use super::one_to_many::Many;
use super::option_values::Options;
use super::outlet::Owner;
use super::settings::Settings;
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
    pub(super) changed: Notify,
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
    pub(super) reads_no_more: bool,
    /// Records that fill the buffer, to be read because their non-blocking connection attempt has ended.
    pub(super) fillers: u32,
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
        associations: &Arc<Associations>,
        association: Association,
        endpoint: Endpoint,
    ) {
        let mut state = self.state();
        let options = state.options.clone();
        if matches!(state.phase, Phase::Ended) {
            // The program has closed the socket meanwhile
            drop(state);
            return associations.drain(association, endpoint, Vec::new());
        }
        options.apply_to(&association);
        state.port = endpoint.port();
        let owner = Arc::clone(self) as Arc<dyn Owner>;
        let connected = Connected::attach(associations, owner, association, endpoint, options);
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

    /// Tells the program that it cannot send.
    pub(super) async fn refuse(&self, why: Errno) -> Result<(), End> {
        let answer = Answer::Error { errno: why as i32 };
        self.connection.send(&answer, None).await.map_err(|_| End::Abort)
    }
}

impl Owner for Socket {
    fn domain(&self) -> u16 {
        self.domain
    }

    fn is_many(&self) -> bool {
        self.style == Style::Many
    }

    fn connection(&self) -> &Connection {
        &self.connection
    }

    fn turn(&self) -> &Turn {
        &self.turn
    }

    fn set_error(&self, why: Errno) {
        self.state().error = Some(why);
    }

    fn learns(&self, number: i32, association: &Association) {
        if let Phase::Many(many) = &mut self.state().phase {
            many.learn(number, association);
        }
    }

    fn loses(&self, number: i32) -> bool {
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
}
