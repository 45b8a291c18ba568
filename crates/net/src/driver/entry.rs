//! The runtime's state of an association, in addition to the state machine.

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
    /// It is or was established.
    pub(crate) connected: bool,
    /// The peer sends no more data, and all of its data has arrived.
    pub(crate) peer_is_done: bool,
    /// How it ended: [`Error::Closed`] after a shutdown.
    pub(crate) ending: Option<Error>,
    /// The application has aborted it. Its ending follows when the driver has sent the ABORT.
    pub(crate) is_aborted: bool,
    /// Addresses of the peer that ICMP reported as unreachable while the association was being opened, with the errors.
    pub(crate) unreachable: Vec<(Address, Error)>,
    /// Addresses that the application named, until it is known which of them the peer has.
    pub(crate) named: Vec<Address>,
    /// No handle is left: the association is forgotten as soon as it has ended.
    pub(crate) is_orphan: bool,
    /// Number of discarded messages, if the application does not read any more and received messages are discarded.
    discarded: Option<u64>,
    pub(crate) readable: Wakers,
    pub(crate) writable: Wakers,
    /// Tasks that wait until it is established or has ended.
    pub(crate) changed: Wakers,
    events: Option<broadcast::Sender<Event>>,
    /// Messages that arrived on another stream than the requested one. Empty while no [`Stream`](crate::Stream) exists.
    kept: Vec<Claim>,
}

/// A stream with its own reader; `None` is the reader of all other streams.
#[derive(Debug)]
struct Claim {
    stream: Option<u16>,
    messages: VecDeque<Message>,
    /// Bytes of these messages.
    bytes: usize,
}

impl Entry {
    pub(crate) fn new(id: AssociationId) -> Self {
        Self {
            id,
            connected: false,
            peer_is_done: false,
            ending: None,
            is_aborted: false,
            unreachable: Vec::new(),
            named: Vec::new(),
            is_orphan: false,
            discarded: None,
            readable: Wakers::default(),
            writable: Wakers::default(),
            changed: Wakers::default(),
            events: None,
            kept: Vec::new(),
        }
    }

    /// Gives a stream its own reader; returns false if it has one already.
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

    /// Removes a stream's own reader. Its kept messages go to the reader of all other streams.
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
            // Other readers may continue
            self.readable.wake();
        }
        Some(message)
    }

    /// Whether another message of any stream may be read. After the peer's last message the limit does not apply: the
    /// receive buffer holds all that can be added, and readers of other streams must reach the end.
    pub(crate) fn may_keep_more(&self) -> bool {
        let is_over = self.peer_is_done || self.ending.is_some();
        is_over || self.kept.iter().all(|claim| claim.bytes < MOST_KEPT)
    }

    /// Returns a message if it belongs to the stream of the calling reader; otherwise keeps it for its reader, which is
    /// woken.
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

    /// Records an unreachable address of the peer.
    pub(crate) fn note_unreachable(&mut self, address: Address, why: Error) {
        if !self.is_unreachable(address) {
            self.unreachable.push((address, why));
        }
    }

    /// Whether an address of the peer is unreachable.
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

    /// Passes an event to its subscribers.
    pub(crate) fn emit(&self, event: impl FnOnce() -> Option<Event>) {
        if let Some(sender) = &self.events
            && let Some(event) = event()
        {
            // Fails only if the last receiver of events was dropped
            let _ = sender.send(event);
        }
    }

    /// Records the end of the association.
    pub(crate) fn end(&mut self, ending: Error) {
        let told = outcome(&ending);
        self.ending = Some(ending);
        self.emit(|| Some(Event::Closed(told)));
        self.events = None;
        self.readable.wake();
        self.writable.wake();
        self.changed.wake();
    }

    /// Discards all messages that arrive from now on.
    pub(crate) fn stop_reading(&mut self) {
        self.discarded.get_or_insert(0);
    }

    /// Whether received messages are discarded.
    pub(crate) fn discards(&self) -> bool {
        self.discarded.is_some()
    }

    /// Records that messages were discarded. Readers get an error instead of the messages that follow.
    pub(crate) fn note_discarded(&mut self, messages: u64) {
        if let Some(discarded) = self.discarded.as_mut().filter(|_| messages > 0) {
            *discarded += messages;
            self.readable.wake();
        }
    }

    /// Whether messages are missing for readers.
    pub(crate) fn has_discarded(&self) -> bool {
        self.discarded.is_some_and(|messages| messages > 0)
    }

    /// The result for a reader without a message: the end, an error, or nothing yet.
    pub(crate) fn end_of_messages(&self) -> Option<Result<Option<Message>, Error>> {
        match &self.ending {
            None | Some(Error::Closed) if self.has_discarded() => Some(Err(Error::Closed)),
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

/// The result of an association: a shutdown counts as success.
pub(crate) fn outcome(ending: &Error) -> Result<(), Error> {
    match ending {
        Error::Closed => Ok(()),
        error => Err(error.clone()),
    }
}

/// The slot of an association, from its identifier.
pub(crate) fn slot(id: AssociationId) -> usize {
    id.0 as u32 as usize
}

/// Bytes that are kept for a reader that does not read, before all other readers wait for it until the peer is done.
const MOST_KEPT: usize = 256 * 1024;
