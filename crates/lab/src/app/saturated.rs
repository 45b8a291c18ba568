//! A source that always has something to send: it keeps the send buffer full.

use manypath_core::{Time, Via};
use manypath_sctp::{AssociationId, CloseReason, Endpoint, Event, Message};

use super::handovers::Handovers;
use super::payload::{Messages, content, ppid};

/// Opens an association at its time, and from then on fills the send buffer.
#[derive(Debug)]
pub(crate) struct Saturated {
    state: State,
    association: Option<AssociationId>,
    paths: Vec<Via>,
    peer_port: u16,
    messages: Messages,
    handovers: Handovers,
    ordered: bool,
    streams: u16,
    /// Bytes of the message that comes next.
    next_length: u32,
    sent: u64,
    sent_bytes: u64,
    closed: Option<CloseReason>,
}

#[derive(Debug)]
enum State {
    Waiting { start: Time },
    Connecting,
    Sending,
    Done,
}

impl Saturated {
    /// A source that starts at `start` and sends `messages` over `paths`, on `streams` streams by turns.
    pub(crate) fn new(
        start: Time,
        paths: Vec<Via>,
        peer_port: u16,
        mut messages: Messages,
        handovers: Handovers,
        ordered: bool,
        streams: u16,
    ) -> Self {
        let next_length = messages.next_length();
        let state = State::Waiting { start };
        Self {
            state,
            association: None,
            paths,
            peer_port,
            messages,
            handovers,
            ordered,
            streams,
            next_length,
            sent: 0,
            sent_bytes: 0,
            closed: None,
        }
    }

    /// The association, once its time has come.
    pub(crate) fn association(&self) -> Option<AssociationId> {
        self.association
    }

    /// Messages handed over.
    pub(crate) fn sent(&self) -> u64 {
        self.sent
    }

    /// Bytes handed over.
    pub(crate) fn sent_bytes(&self) -> u64 {
        self.sent_bytes
    }

    /// Why the association ended, if it did.
    pub(crate) fn closed(&self) -> Option<CloseReason> {
        self.closed
    }

    /// Sends no more.
    pub(crate) fn stop(&mut self) {
        self.state = State::Done;
    }

    pub(crate) fn poll_timeout(&self) -> Time {
        match self.state {
            State::Waiting { start } => start,
            _ => Time::NEVER,
        }
    }

    pub(crate) fn handle_timeout(&mut self, now: Time, endpoint: &mut Endpoint) {
        if matches!(self.state, State::Waiting { start } if start <= now) {
            self.association = Some(endpoint.connect(now, &self.paths, self.peer_port));
            self.state = State::Connecting;
        }
    }

    #[inline]
    pub(crate) fn handle_event(&mut self, now: Time, endpoint: &mut Endpoint, event: &Event) {
        match *event {
            Event::Connected(_) => {
                if matches!(self.state, State::Connecting) {
                    self.state = State::Sending;
                    self.fill(now, endpoint);
                }
            }
            Event::Writable(_) => self.fill(now, endpoint),
            Event::Closed { reason, .. } => {
                self.closed = Some(reason);
                self.state = State::Done;
            }
            Event::Readable(_)
            | Event::PathDown { .. }
            | Event::PathUp { .. }
            | Event::Restarted(_) => {}
        }
    }

    fn fill(&mut self, now: Time, endpoint: &mut Endpoint) {
        let (State::Sending, Some(association)) = (&self.state, self.association) else { return };
        let mut space = endpoint.send_space(association);
        while space >= self.next_length as usize {
            let message = Message {
                stream: (self.sent % u64::from(self.streams)) as u16,
                ppid: ppid(self.sent),
                unordered: !self.ordered,
                payload: content(self.sent, self.next_length),
            };
            if endpoint.send(now, association, message).is_err() {
                return;
            }
            self.handovers.push(now);
            space -= self.next_length as usize;
            self.sent += 1;
            self.sent_bytes += u64::from(self.next_length);
            self.next_length = self.messages.next_length();
        }
    }
}
