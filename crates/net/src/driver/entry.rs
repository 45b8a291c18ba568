//! What the runtime keeps of an association beside the state machine.

use std::collections::VecDeque;

use manypath_core::Address;
use manypath_sctp::AssociationId;
use tokio::sync::broadcast;

use super::wakers::Wakers;
use crate::events::{Event, Events};
use crate::{Error, Message};

/// An association as its handles see it.
#[derive(Debug)]
pub(crate) struct Entry {
    pub(crate) id: AssociationId,
    /// It stands, or stood.
    pub(crate) connected: bool,
    /// The peer sends nothing more, and everything that it has sent is here.
    pub(crate) peer_is_done: bool,
    /// How it ended: [`Error::Closed`] if both sides shut it down.
    pub(crate) ending: Option<Error>,
    /// Addresses of the peer that cannot be reached, as ICMP said while the association was being opened, and why.
    pub(crate) unreachable: Vec<(Address, Error)>,
    /// No handle is left: what arrives is discarded, and the association is forgotten as soon as it has ended.
    pub(crate) is_orphan: bool,
    pub(crate) readable: Wakers,
    pub(crate) writable: Wakers,
    /// For those who wait until it stands or has ended.
    pub(crate) changed: Wakers,
    events: Option<broadcast::Sender<Event>>,
    /// Messages that arrived on another stream than the requested one. Empty while no [`Stream`](crate::Stream) exists.
    kept: Vec<Claim>,
}

/// A stream that one reader has for itself; none: the reader of all others.
#[derive(Debug)]
struct Claim {
    stream: Option<u16>,
    messages: VecDeque<Message>,
    /// Bytes of these.
    bytes: usize,
}

impl Entry {
    pub(crate) fn new(id: AssociationId) -> Self {
        Self {
            id,
            connected: false,
            peer_is_done: false,
            ending: None,
            unreachable: Vec::new(),
            is_orphan: false,
            readable: Wakers::default(),
            writable: Wakers::default(),
            changed: Wakers::default(),
            events: None,
            kept: Vec::new(),
        }
    }

    /// Gives a stream a reader of its own; false if it has one.
    pub(crate) fn claim(&mut self, stream: u16) -> bool {
        if self.kept.iter().any(|claim| claim.stream == Some(stream)) {
            return false;
        }
        if self.kept.is_empty() {
            self.kept.push(Claim::new(None));
        }
        self.kept.push(Claim::new(Some(stream)));
        true
    }

    /// The stream has no reader of its own any more. What was kept for it goes to the reader of all others.
    pub(crate) fn release(&mut self, stream: u16) {
        let Some(place) = self.kept.iter().position(|claim| claim.stream == Some(stream)) else {
            return;
        };
        let Claim { messages, bytes, .. } = self.kept.swap_remove(place);
        if let Some(others) = self.kept.iter_mut().find(|claim| claim.stream.is_none()) {
            others.messages.extend(messages);
            others.bytes += bytes;
        }
        self.readable.wake();
    }

    /// The next message that was kept for a reader.
    pub(crate) fn take_kept(&mut self, stream: Option<u16>) -> Option<Message> {
        let was_full = !self.may_keep_more();
        let claim = self.kept.iter_mut().find(|claim| claim.stream == stream)?;
        let message = claim.messages.pop_front()?;
        claim.bytes -= message.payload.len();
        if was_full {
            // Others may go on
            self.readable.wake();
        }
        Some(message)
    }

    /// Whether another message may be read, whichever stream it is of.
    pub(crate) fn may_keep_more(&self) -> bool {
        self.kept.iter().all(|claim| claim.bytes < MOST_KEPT)
    }

    /// Gives a message to the reader that asks if it is of its stream; else keeps it for another one, which is woken.
    pub(crate) fn keep(&mut self, message: Message, asks: Option<u16>) -> Option<Message> {
        let has_reader = |stream| self.kept.iter().any(|claim| claim.stream == stream);
        let reader = Some(message.stream).filter(|stream| has_reader(Some(*stream)));
        if reader == asks {
            return Some(message);
        }
        if let Some(claim) = self.kept.iter_mut().find(|claim| claim.stream == reader) {
            claim.bytes += message.payload.len();
            claim.messages.push_back(message);
        }
        self.readable.wake();
        None
    }

    /// Takes note of an address of the peer that cannot be reached.
    pub(crate) fn note_unreachable(&mut self, address: Address, why: Error) {
        if !self.is_unreachable(address) {
            self.unreachable.push((address, why));
        }
    }

    /// Whether an address of the peer cannot be reached.
    pub(crate) fn is_unreachable(&self, address: Address) -> bool {
        self.unreachable.iter().any(|(known, _)| *known == address)
    }

    /// A reader of all events from now on.
    pub(crate) fn subscribe(&mut self) -> Events {
        let sender = self.events.get_or_insert_with(|| {
            let (sender, _) = broadcast::channel(Events::MOST_WAITING);
            sender
        });
        let events = Events { receiver: sender.subscribe() };
        if let Some(ending) = &self.ending {
            let _ = sender.send(Event::Closed(outcome(ending)));
            self.events = None;
        }
        events
    }

    /// Tells those who asked for events.
    pub(crate) fn emit(&self, event: impl FnOnce() -> Option<Event>) {
        if let Some(sender) = &self.events
            && let Some(event) = event()
        {
            // Fails if the last receiver of events was dropped
            let _ = sender.send(event);
        }
    }

    /// The association has ended.
    pub(crate) fn end(&mut self, ending: Error) {
        let told = outcome(&ending);
        self.ending = Some(ending);
        self.emit(|| Some(Event::Closed(told)));
        self.events = None;
        self.readable.wake();
        self.writable.wake();
        self.changed.wake();
    }

    /// What a reader finds when nothing is left to read: the end, an error, or nothing yet.
    pub(crate) fn end_of_messages(&self) -> Option<Result<Option<Message>, Error>> {
        match &self.ending {
            Some(ending) => Some(outcome(ending).map(|()| None)),
            None if self.peer_is_done => Some(Ok(None)),
            None => None,
        }
    }
}

impl Claim {
    fn new(stream: Option<u16>) -> Self {
        Self { stream, messages: VecDeque::new(), bytes: 0 }
    }
}

/// An association that was shut down in order ended well.
pub(crate) fn outcome(ending: &Error) -> Result<(), Error> {
    match ending {
        Error::Closed => Ok(()),
        error => Err(error.clone()),
    }
}

/// Bytes that are kept for a reader that does not read, before all others wait for it.
const MOST_KEPT: usize = 256 * 1024;
