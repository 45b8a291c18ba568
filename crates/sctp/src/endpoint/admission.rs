//! Which peers may open an association, and how many. RFC 9260 §5.1, §8.4

use std::collections::VecDeque;

use super::Endpoint;
use crate::association::{Association, MAX_PATHS};
use crate::config::Config;
use crate::event::AssociationId;
use crate::packet::{Cause, Control};

/// Whether peers are let in, and those that wait for the application.
#[derive(Debug)]
pub(super) struct Admission {
    listens: bool,
    /// How many may wait; no number: none has to.
    backlog: Option<usize>,
    waiting: VecDeque<AssociationId>,
}

impl Admission {
    pub(super) fn new(config: &Config) -> Self {
        Self { listens: config.listens, backlog: config.backlog, waiting: VecDeque::new() }
    }

    /// Whether an association that a peer opens waits until the application takes it.
    pub(super) fn has_backlog(&self) -> bool {
        self.backlog.is_some()
    }

    /// A peer has opened an association.
    pub(super) fn add(&mut self, id: AssociationId) {
        if self.backlog.is_some() {
            self.waiting.push_back(id);
        }
    }

    /// Whether an association waits.
    pub(super) fn is_waiting(&self, id: AssociationId) -> bool {
        self.waiting.contains(&id)
    }

    /// An association is gone.
    pub(super) fn remove(&mut self, id: AssociationId) {
        self.waiting.retain(|waiting| *waiting != id);
    }
}

impl Endpoint {
    /// Lets peers open associations. Up to `backlog` associations may wait for [`accept`](Self::accept); beyond that, an
    /// INIT is answered with ABORT. [`MOST_WAITING`](Self::MOST_WAITING) is the largest backlog.
    pub fn listen(&mut self, backlog: usize) {
        self.admission.listens = true;
        self.admission.backlog = Some(backlog.min(Self::MOST_WAITING));
    }

    /// Lets no peer open an association any more. Those that wait can still be accepted.
    pub fn stop_listening(&mut self) {
        self.admission.listens = false;
    }

    /// The association that has waited longest since [`Event::Incoming`](crate::Event::Incoming).
    ///
    /// One that ends before this is forgotten by itself, unless messages of it can still be read.
    pub fn accept(&mut self) -> Option<AssociationId> {
        loop {
            let id = self.admission.waiting.pop_front()?;
            match self.association(id) {
                Some(association) if !association.is_spent() => return Some(id),
                Some(_) => self.drop_association(id.slot()),
                None => {}
            }
        }
    }

    /// The largest backlog.
    pub const MOST_WAITING: usize = 4096;

    /// Paths that an association has at most; further ones are left out.
    pub const MOST_PATHS: usize = MAX_PATHS;

    /// How a stranger who may not open an association is answered.
    pub(super) fn refusal(&mut self) -> Option<Control> {
        let causes = if !self.admission.listens {
            Vec::new()
        } else if self.lacks_room() {
            vec![Cause::OutOfResource]
        } else {
            return None;
        };
        Some(Control::Abort { reflected: false, causes })
    }

    fn lacks_room(&mut self) -> bool {
        if self.slots.only().is_some() {
            // With several slots, this happens as soon as they have nothing more to send
            self.forget_unaccepted(0);
        }
        let is_full = |backlog| self.admission.waiting.len() >= backlog;
        self.admission.backlog.is_some_and(is_full)
            || self.slots.occupied() >= self.config.max_associations
    }

    /// An association that ended before the application took it goes, once its events are told and nothing is left to read.
    pub(super) fn forget_unaccepted(&mut self, index: usize) {
        let is_spent = self.slots.get(index).is_some_and(Association::is_spent);
        if is_spent && self.admission.is_waiting(self.slots.id(index)) {
            self.drop_association(index);
        }
    }
}
