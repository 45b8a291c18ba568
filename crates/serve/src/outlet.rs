//! The connection with the program that gets the messages of an association.

use std::fmt::Debug;
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use manypath_net::Association;
use manypath_posix::record::Answer;
use nix::errno::Errno;

use super::connection::Connection;
use super::option_values::Options;
use super::turn::Turn;

/// The socket of an association, as the association uses it.
pub(super) trait Owner: Debug + Send + Sync {
    /// `AF_INET` or `AF_INET6`.
    fn domain(&self) -> u16;

    /// Whether it is a one-to-many socket.
    fn is_many(&self) -> bool;

    /// The connection with its program.
    fn connection(&self) -> &Connection;

    /// Which association delivers.
    fn turn(&self) -> &Turn;

    /// Sets the value of `SO_ERROR`.
    fn set_error(&self, why: Errno);

    /// The addresses of a peer are known.
    fn learns(&self, number: i32, association: &Association);

    /// An association has ended, and all of its data is delivered. Returns whether it was one of the socket.
    fn loses(&self, number: i32) -> bool;
}

/// The way of an association's messages to its program.
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
    socket: Arc<dyn Owner>,
    /// The one-to-many socket that it was peeled off from.
    origin: Option<Weak<dyn Owner>>,
}

impl Outlet {
    pub(super) fn new(number: i32, socket: Arc<dyn Owner>, options: Options) -> Self {
        Self {
            number,
            place: Mutex::new(Place { socket, origin: None }),
            options: Mutex::new(options),
            closes: AtomicBool::new(false),
        }
    }

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

    /// Whether the association is shut down after the messages that were sent.
    pub(super) fn closes(&self) -> bool {
        self.closes.load(Ordering::Relaxed)
    }

    /// The socket.
    pub(super) fn socket(&self) -> Arc<dyn Owner> {
        Arc::clone(&self.place().socket)
    }

    /// Delivers to another socket from now on.
    pub(super) fn move_to(&self, socket: Arc<dyn Owner>) {
        let mut place = self.place();
        place.origin = Some(Arc::downgrade(&place.socket));
        place.socket = socket;
    }

    /// Delivers a record when it is the association's turn. `goes_on` is true if further parts of the message follow.
    pub(super) async fn send(&self, answer: &Answer<'_>, goes_on: bool) -> io::Result<()> {
        loop {
            let socket = self.socket();
            let mut permit = socket.turn().take(self.number).await;
            // It may have been peeled off meanwhile
            if Arc::ptr_eq(&socket, &self.place().socket) {
                let sent = socket.connection().send(answer, None).await;
                permit.set(goes_on.then_some(self.number));
                return sent;
            }
        }
    }

    /// The association has ended, and all of its data is delivered.
    pub(super) async fn end(&self) {
        loop {
            let socket = self.socket();
            socket.turn().leave(self.number).await;
            let has_left = socket.loses(self.number);
            if has_left || Arc::ptr_eq(&socket, &self.place().socket) {
                break;
            }
        }
        self.leave_origin();
    }

    /// The one-to-many socket that it was peeled off from forgets the association.
    pub(super) fn leave_origin(&self) {
        let origin = self.place().origin.as_ref().and_then(Weak::upgrade);
        if let Some(origin) = origin {
            origin.loses(self.number);
        }
    }
}
