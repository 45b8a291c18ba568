//! Admission of associations that peers open. RFC 9260 §5.1, §8.4

use std::collections::VecDeque;

use super::Endpoint;
use crate::association::{Association, MAX_PATHS};
use crate::config::Config;
use crate::event::AssociationId;
use crate::packet::{Cause, Control};

/// Whether peers may open associations, and the associations that wait for the application.
#[derive(Debug)]
pub(super) struct Admission {
    listens: bool,
    /// The largest number of waiting associations; `None` if associations need no acceptance.
    backlog: Option<usize>,
    waiting: VecDeque<AssociationId>,
}

impl Admission {
    pub(super) fn new(config: &Config) -> Self {
        Self { listens: config.listens, backlog: config.backlog, waiting: VecDeque::new() }
    }

    /// Whether a new association of a peer waits until the application accepts it.
    pub(super) fn has_backlog(&self) -> bool {
        self.backlog.is_some()
    }

    /// Adds an association that a peer has opened.
    pub(super) fn add(&mut self, id: AssociationId) {
        if self.backlog.is_some() {
            self.waiting.push_back(id);
        }
    }

    /// Whether an association waits for acceptance.
    pub(super) fn is_waiting(&self, id: AssociationId) -> bool {
        self.waiting.contains(&id)
    }

    /// Removes an association from the queue.
    pub(super) fn remove(&mut self, id: AssociationId) {
        self.waiting.retain(|waiting| *waiting != id);
    }
}

impl Endpoint {
    /// Lets peers open associations. Up to `backlog` associations may wait for [`accept`](Self::accept). While so many
    /// wait, INIT and COOKIE ECHO for further associations are answered with ABORT.
    /// [`MOST_WAITING`](Self::MOST_WAITING) is the largest backlog.
    pub fn listen(&mut self, backlog: usize) {
        self.admission.listens = true;
        self.admission.backlog = Some(backlog.min(Self::MOST_WAITING));
    }

    /// Stops the admission of new associations. Waiting associations can still be accepted.
    pub fn stop_listening(&mut self) {
        self.admission.listens = false;
    }

    /// Whether new associations are admitted.
    #[must_use]
    pub fn listens(&self) -> bool {
        self.admission.listens
    }

    /// The association that has waited longest since [`Event::Incoming`](crate::Event::Incoming).
    ///
    /// Associations that ended earlier are skipped and released, unless they have messages to read, packets to send or
    /// events to deliver.
    pub fn accept(&mut self) -> Option<AssociationId> {
        loop {
            let id = self.admission.waiting.pop_front()?;
            match self.association(id) {
                Some(association) if !association.is_finished() => return Some(id),
                Some(_) => self.drop_association(id.slot()),
                None => {}
            }
        }
    }

    /// The largest backlog.
    pub const MOST_WAITING: usize = 4096;

    /// The largest number of paths of an association; further paths are ignored.
    pub const MOST_PATHS: usize = MAX_PATHS;

    /// The ABORT for a peer that may not open an association; `None` if it may.
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

    /// Whether the backlog is full, or the endpoint has its largest number of associations.
    fn lacks_room(&mut self) -> bool {
        if self.slots.only().is_some() {
            // With several slots, the queues release ended associations; they are not maintained for a single slot
            self.release_unaccepted(0);
        }
        let is_full = |backlog| self.admission.waiting.len() >= backlog;
        self.admission.backlog.is_some_and(is_full)
            || self.slots.occupied() >= self.config.max_associations
    }

    /// Releases an association that ended before the application accepted it, once its events are delivered and no
    /// message is left to read.
    pub(super) fn release_unaccepted(&mut self, index: usize) {
        let is_finished = self.slots.get(index).is_some_and(Association::is_finished);
        if is_finished && self.admission.is_waiting(self.slots.id(index)) {
            self.drop_association(index);
        }
    }
}

#[cfg(test)]
mod tests {
    use manypath_core::Streams;

    use super::*;

    #[test]
    fn the_backlog_has_an_upper_limit() {
        let mut endpoint = Endpoint::new(Config::default(), &Streams::new(1, 0), "endpoint");
        for (wanted, backlog) in [(7, 7), (usize::MAX, Endpoint::MOST_WAITING)] {
            endpoint.listen(wanted);
            assert_eq!(endpoint.admission.backlog, Some(backlog));
        }
    }
}
