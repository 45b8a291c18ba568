//! An association of a socket. A one-to-one socket has at most one.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use bytes::Bytes;
use manypath_net::{Association, Endpoint, Message};
use manypath_posix::abi::constants::{
    SCTP_ADDR_OVER, SCTP_PR_SCTP_MASK, SCTP_PR_SCTP_TTL, SCTP_SACK_IMMEDIATELY, SCTP_UNORDERED,
};
use manypath_posix::record::{Answer, PartialReliability, SendInfo, Sent};
use tokio::task::AbortHandle;

use super::daemon::Shared;
use super::delivery;
use super::draining::Draining;
use super::options::Options;
use super::socket::Socket;

/// An association of a socket. Clones are handles of the same one.
#[derive(Clone, Debug)]
pub(super) struct Connected {
    pub(super) association: Association,
    pub(super) endpoint: Endpoint,
    /// Its number for the program, unique in the daemon.
    pub(super) number: i32,
    pub(super) outlet: Arc<Outlet>,
    /// The task that delivers to the program.
    delivering: AbortHandle,
}

/// The connection with the program that gets the messages of an association.
#[derive(Debug)]
pub(super) struct Outlet {
    number: i32,
    place: Mutex<Place>,
    options: Mutex<Options>,
    /// The association is shut down after the messages that were sent. Their records may not be read yet.
    closes: AtomicBool,
}

/// The socket of an association.
#[derive(Debug)]
struct Place {
    socket: Arc<Socket>,
    /// The one-to-many socket that it was peeled off from.
    origin: Weak<Socket>,
}

impl Connected {
    /// Attaches an association to a socket, and delivers its messages from then on. The caller holds the state of the
    /// socket, so that the end of the association comes later.
    pub(super) fn attach(
        shared: &Shared,
        socket: &Arc<Socket>,
        association: Association,
        endpoint: Endpoint,
        options: Options,
    ) -> Self {
        let number = shared.association_number();
        let outlet = Arc::new(Outlet {
            number,
            place: Mutex::new(Place { socket: Arc::clone(socket), origin: Weak::new() }),
            options: Mutex::new(options),
            closes: AtomicBool::new(false),
        });
        let deliver = delivery::run(Arc::clone(&outlet), association.clone());
        let delivering = tokio::spawn(deliver).abort_handle();
        Self { association, endpoint, number, outlet, delivering }
    }

    /// The options, which apply to this association alone.
    pub(super) fn options(&self) -> MutexGuard<'_, Options> {
        self.outlet.options()
    }

    /// Changes the options.
    pub(super) fn change(&self, change: impl FnOnce(&mut Options)) {
        let mut options = self.options();
        change(&mut options);
        options.apply_to(&self.association);
    }

    /// The options of a message: those in its record, or the defaults of the association.
    pub(super) fn send_info(&self, sent: &Sent<'_>) -> SendInfo {
        sent.info.unwrap_or_else(|| self.options().send_info())
    }

    /// A message of the program.
    pub(super) fn message(&self, sent: &Sent<'_>, info: SendInfo, payload: Bytes) -> Message {
        let mut message = Message::new(payload).stream(info.stream).ppid(u32::from_be(info.ppid));
        message.unordered = info.flags & SCTP_UNORDERED != 0;
        message.sack_immediately = info.flags & SCTP_SACK_IMMEDIATELY != 0;
        let reliability = sent.reliability.or_else(|| self.options().reliability());
        if let Some(PartialReliability { policy, value }) = reliability
            && policy & SCTP_PR_SCTP_MASK == SCTP_PR_SCTP_TTL
            && value > 0
        {
            message.lifetime = Some(Duration::from_millis(value.into()));
        }
        if info.flags & SCTP_ADDR_OVER != 0 {
            let to = sent.destination.map(|to| to.ip().to_canonical());
            message = message.over(to.and_then(|to| self.association.path_to(to)));
        }
        message
    }

    /// The number of streams to send on: the wanted one until it is agreed.
    pub(super) fn outbound_streams(&self) -> u16 {
        match self.association.streams().outbound {
            0 => self.options().outbound_streams(),
            agreed => agreed,
        }
    }

    /// Whether it is or was established.
    pub(super) fn is_established(&self) -> bool {
        self.association.is_established()
    }

    /// Whether it has ended, or the program has aborted it.
    pub(super) fn is_over(&self) -> bool {
        self.association.is_over()
    }

    /// Whether one side has begun a shutdown.
    pub(super) fn is_closing(&self) -> bool {
        self.association.peer_is_done() || self.outlet.closes.load(Ordering::Relaxed)
    }

    /// Ends the association as the kernel does when the last descriptor is closed. One that is not established ends at
    /// once, also if messages wait for it. `rest` are messages that are sent before a shutdown.
    pub(super) fn close(self, shared: &Arc<Shared>, aborts: bool, rest: Vec<Message>) {
        let aborts = aborts || !self.is_established();
        let Self { association, endpoint, delivering, outlet, .. } = self;
        delivering.abort();
        outlet.leave_origin();
        if aborts {
            association.abort("");
        }
        Draining::add(shared, association, endpoint, rest);
    }
}

impl Outlet {
    pub(super) fn number(&self) -> i32 {
        self.number
    }

    fn place(&self) -> MutexGuard<'_, Place> {
        self.place.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn options(&self) -> MutexGuard<'_, Options> {
        self.options.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Remembers that the association is shut down after the messages that were sent.
    pub(super) fn will_close(&self) {
        self.closes.store(true, Ordering::Relaxed);
    }

    /// The socket.
    pub(super) fn socket(&self) -> Arc<Socket> {
        Arc::clone(&self.place().socket)
    }

    /// Delivers to another socket from now on.
    pub(super) fn move_to(&self, socket: &Arc<Socket>) {
        let mut place = self.place();
        place.origin = Arc::downgrade(&place.socket);
        place.socket = Arc::clone(socket);
    }

    /// Delivers a record when it is the association's turn. `goes_on` is true if further parts of the message follow.
    pub(super) async fn send(&self, answer: &Answer<'_>, goes_on: bool) -> io::Result<()> {
        loop {
            let socket = self.socket();
            let mut permit = socket.turn.take(self.number).await;
            // It may have been peeled off meanwhile
            if Arc::ptr_eq(&socket, &self.place().socket) {
                let sent = socket.connection.send(answer, None).await;
                permit.set(goes_on.then_some(self.number));
                return sent;
            }
        }
    }

    /// The association has ended, and all of its data is delivered.
    pub(super) async fn end(&self) {
        loop {
            let socket = self.socket();
            socket.turn.leave(self.number).await;
            let has_left = socket.loses(self.number);
            if has_left || Arc::ptr_eq(&socket, &self.place().socket) {
                break;
            }
        }
        self.leave_origin();
    }

    /// The one-to-many socket that it was peeled off from forgets the association.
    fn leave_origin(&self) {
        let origin = self.place().origin.upgrade();
        if let Some(origin) = origin {
            origin.loses(self.number);
        }
    }
}
