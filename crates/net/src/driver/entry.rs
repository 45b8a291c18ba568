//! What the runtime keeps of an association beside the state machine.

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
    /// No handle is left: what arrives is discarded, and the association is forgotten as soon as it has ended.
    pub(crate) is_orphan: bool,
    pub(crate) readable: Wakers,
    pub(crate) writable: Wakers,
    /// For those who wait until it stands or has ended.
    pub(crate) changed: Wakers,
    events: Option<broadcast::Sender<Event>>,
}

impl Entry {
    pub(crate) fn new(id: AssociationId) -> Self {
        Self {
            id,
            connected: false,
            peer_is_done: false,
            ending: None,
            is_orphan: false,
            readable: Wakers::default(),
            writable: Wakers::default(),
            changed: Wakers::default(),
            events: None,
        }
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
            // Nobody may listen any more
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

/// An association that was shut down in order ended well.
pub(crate) fn outcome(ending: &Error) -> Result<(), Error> {
    match ending {
        Error::Closed => Ok(()),
        error => Err(error.clone()),
    }
}
