//! One side of a random story: an application that records its calls and events.

use std::collections::BTreeMap;

use manypath_core::Time;
use manypath_sctp::{AssociationId, CloseReason, Event, Message};

use super::ledger::Ledger;
use crate::pair::FIRST;

/// An application and its association.
#[derive(Debug)]
pub(crate) struct Party {
    /// The messages that it sends.
    pub(crate) outgoing: Ledger,
    /// It has opened the association, or the association has been established.
    pub(crate) begun: bool,
    /// The association that it uses.
    pub(crate) association: AssociationId,
    /// How often the association was reopened.
    pub(crate) life: u32,
    /// The association was established since it was last opened.
    pub(crate) connected: bool,
    /// The association was reopened after its end, possibly with a peer that does not know of the end.
    pub(crate) reopened: bool,
    /// The peer restarted while the association of this side was established.
    pub(crate) restarted: bool,
    /// It has requested shutdown since it last opened the association.
    pub(crate) shut_down: bool,
    /// Reason and time of the association's end, if it has ended.
    pub(crate) end: Option<(CloseReason, Time)>,
    /// It was notified of data and has not read all of it since.
    pub(crate) may_read: bool,
    /// A message was refused for lack of room, and no `Writable` event has followed.
    pub(crate) waits_for_room: bool,
    /// The received parts of partially delivered messages, by the TSN of the message.
    parts: BTreeMap<u32, Vec<u8>>,
}

impl Party {
    pub(crate) fn new() -> Self {
        Self::living(0, FIRST, Ledger::default())
    }

    /// Continues with a new association that is not yet established.
    pub(crate) fn reopen(&mut self, association: AssociationId) {
        let outgoing = std::mem::take(&mut self.outgoing);
        *self = Self::living(self.life + 1, association, outgoing);
    }

    /// The message that is complete with this part, if any.
    pub(crate) fn join(&mut self, message: &Message) -> Option<Message> {
        let Some(part) = message.part else { return Some(message.clone()) };
        let known = self.parts.entry(part.message.0).or_default();
        known.extend_from_slice(&message.payload);
        if part.more_follows {
            return None;
        }
        let payload = self.parts.remove(&part.message.0)?.into();
        Some(Message { payload, part: None, ..message.clone() })
    }

    /// Payload bytes of incomplete messages.
    pub(crate) fn unfinished(&self) -> u64 {
        self.parts.values().map(|parts| parts.len() as u64).sum()
    }

    fn living(life: u32, association: AssociationId, outgoing: Ledger) -> Self {
        Self {
            outgoing,
            begun: false,
            association,
            life,
            connected: false,
            reopened: false,
            restarted: false,
            shut_down: false,
            end: None,
            may_read: false,
            waits_for_room: false,
            parts: BTreeMap::new(),
        }
    }

    /// Handles an event of the endpoint.
    pub(crate) fn handle_event(&mut self, now: Time, event: &Event) {
        match *event {
            Event::Connected(association) => {
                if self.connected || self.end.is_some() {
                    assert_ne!(association, self.association, "it is established already");
                    let reopened = self.end.is_some();
                    self.reopen(association);
                    self.reopened = reopened;
                }
                (self.association, self.begun, self.connected) = (association, true, true);
            }
            Event::Restarted(association) => {
                assert_eq!((association, self.end), (self.association, None));
                self.reopen(association);
                (self.begun, self.connected, self.restarted) = (true, true, true);
            }
            Event::Closed { association, reason } => {
                assert_eq!((association, self.end), (self.association, None), "{reason:?}");
                self.end = Some((reason, now));
            }
            Event::Readable(association) => self.may_read |= association == self.association,
            Event::Writable(association) => {
                self.waits_for_room &= association != self.association;
            }
            // Events of paths, and events that stories do not enable
            _ => {}
        }
    }

    /// Why the association ended, if it did.
    pub(crate) fn end_reason(&self) -> Option<CloseReason> {
        self.end.map(|(reason, _)| reason)
    }
}
