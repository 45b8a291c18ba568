//! The events of an association for its application.

use std::collections::VecDeque;

use manypath_core::{PathId, Ssn, Tsn};

use crate::event::{CloseReason, Message};
use crate::packet::Cause;
use crate::receive::Receiver;
use crate::send::Sender;

/// An event to which the endpoint has not yet added the association's identifier.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) enum Notice {
    Connected,
    Incoming,
    Readable,
    Writable,
    PathPotentiallyFailed(PathId),
    PathDown(PathId),
    PathUp(PathId),
    Restarted,
    PeerShutdown,
    SendFailed { message: Box<Message>, sent: bool },
    SenderDry,
    RemoteError(Box<Cause>),
    PartialDeliveryAborted { message: Tsn, stream: u16, ssn: Option<Ssn> },
    Closed(CloseReason),
}

/// The events that the application has not read yet.
#[derive(Debug, Default)]
pub(super) struct Notices {
    queue: VecDeque<Notice>,
    /// An event about free send buffer is queued; one is enough.
    has_writable: bool,
}

impl Notices {
    pub(super) fn push(&mut self, notice: Notice) {
        self.queue.push_back(notice);
    }

    /// Reports that the send buffer has room again.
    #[inline]
    pub(super) fn push_writable(&mut self) {
        seeded!(WritableNeverReported => return);
        if !std::mem::replace(&mut self.has_writable, true) {
            self.push(Notice::Writable);
        }
    }

    /// Keeps the events of paths whose path passes the test, which may change its number, and all other events.
    pub(super) fn retain_paths(&mut self, mut test: impl FnMut(&mut PathId) -> bool) {
        self.queue.retain_mut(|notice| match notice {
            Notice::PathPotentiallyFailed(path) | Notice::PathDown(path) | Notice::PathUp(path) => {
                test(path)
            }
            _ => true,
        });
    }

    pub(super) fn pop(&mut self) -> Option<Notice> {
        let notice = self.queue.pop_front()?;
        if notice == Notice::Writable {
            self.has_writable = false;
        }
        Some(notice)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.queue.is_empty()
    }

    /// Reports the messages that the peer has not acknowledged, and those that were delivered in part and will not be
    /// completed. RFC 9260 §11.2.3, RFC 6458 §6.1.7
    pub(super) fn push_unfinished(&mut self, sender: &mut Sender, receiver: &Receiver) {
        let (sent, waiting) = sender.take_undelivered();
        let failed = |message, sent| Notice::SendFailed { message: Box::new(message), sent };
        self.queue.extend(sent.into_iter().map(|message| failed(message, true)));
        self.queue.extend(waiting.into_iter().map(|message| failed(message, false)));
        let aborted = receiver.unfinished();
        self.queue.extend(aborted.map(|(message, stream, ssn)| Notice::PartialDeliveryAborted {
            message,
            stream,
            ssn,
        }));
    }
}
