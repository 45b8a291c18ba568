//! One side of a random story: an application that remembers what it asked for and what it was told.

use std::collections::BTreeMap;

use manypath_core::Time;
use manypath_sctp::{AssociationId, CloseReason, Event, Message};

use super::ledger::Ledger;
use crate::pair::FIRST;

/// An application and its association.
#[derive(Debug)]
pub(crate) struct Party {
    /// What it hands over.
    pub(crate) outgoing: Ledger,
    /// It has opened the association, or the association has stood.
    pub(crate) begun: bool,
    /// The association that it uses.
    pub(crate) association: AssociationId,
    /// How often the association was opened again.
    pub(crate) life: u32,
    /// The association has stood in this life.
    pub(crate) connected: bool,
    /// The association was opened again after its end, perhaps with a peer that does not know of the end.
    pub(crate) hears_again: bool,
    /// The peer restarted while the association of this side was established.
    pub(crate) restarted: bool,
    /// It asked for the association to be closed in this life.
    pub(crate) shut_down: bool,
    /// Why and when the association ended, if it did.
    pub(crate) end: Option<(CloseReason, Time)>,
    /// It was told that there is something to read, and has not read everything since.
    pub(crate) may_read: bool,
    /// A message found no room, and it was not yet told that there is some again.
    pub(crate) waits_for_room: bool,
    /// What was read of messages that come in parts, by the TSN that names them.
    parts: BTreeMap<u32, Vec<u8>>,
}

impl Party {
    pub(crate) fn new() -> Self {
        Self::living(0, FIRST, Ledger::default())
    }

    /// Starts another life with an association that is not yet established.
    pub(crate) fn begin_anew(&mut self, association: AssociationId) {
        let outgoing = std::mem::take(&mut self.outgoing);
        *self = Self::living(self.life + 1, association, outgoing);
    }

    /// The message that this one is, or completes.
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

    /// Payload bytes that were read of messages whose ends have not come.
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
            hears_again: false,
            restarted: false,
            shut_down: false,
            end: None,
            may_read: false,
            waits_for_room: false,
            parts: BTreeMap::new(),
        }
    }

    /// Hears what its endpoint has to say.
    pub(crate) fn hear(&mut self, now: Time, event: &Event) {
        match *event {
            Event::Connected(association) => {
                if self.connected || self.end.is_some() {
                    assert_ne!(association, self.association, "it stands already");
                    let hears_again = self.end.is_some();
                    self.begin_anew(association);
                    self.hears_again = hears_again;
                }
                (self.association, self.begun, self.connected) = (association, true, true);
            }
            Event::Restarted(association) => {
                assert_eq!((association, self.end), (self.association, None));
                self.begin_anew(association);
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
            // News of paths, and events that stories do not switch on
            _ => {}
        }
    }

    /// Why the association ended, if it did.
    pub(crate) fn end_reason(&self) -> Option<CloseReason> {
        self.end.map(|(reason, _)| reason)
    }
}
