//! The source of a flow: opens an association or connection and hands messages over as they become due.

use manypath_core::{Time, Via};

use super::handovers::Handovers;
use super::messages::Messages;
use super::pace::Pace;
use crate::endpoint::{ConnectionId, Ending, Event, Outgoing, Transport};

/// The parameters of a source.
#[derive(Debug)]
pub(crate) struct Plan {
    /// When it opens the association or connection.
    pub(crate) start: Time,
    /// The paths that it uses, the primary path first.
    pub(crate) paths: Vec<Via>,
    pub(crate) peer_port: u16,
    pub(crate) messages: Messages,
    /// When messages are due.
    pub(crate) pace: Pace,
    /// Whether messages are delivered in order within their stream. Not used for TCP.
    pub(crate) ordered: bool,
    /// Number of streams, which the messages use in turn. Not used for TCP.
    pub(crate) streams: u16,
    /// The source closes after this number of bytes.
    pub(crate) size: u64,
    /// Where the source notes when messages were handed over.
    pub(crate) handovers: Handovers,
}

/// Opens an association or connection at its start time, and hands over every message that is due as soon as the send
/// buffer has room for it.
#[derive(Debug)]
pub(crate) struct Source {
    plan: Plan,
    state: State,
    connection: Option<ConnectionId>,
    /// Length of the next message in bytes.
    next_length: u32,
    /// Stream of the next message.
    next_stream: u16,
    sent: u64,
    sent_bytes: u64,
    is_connected: bool,
    closed: Option<(Time, Ending)>,
}

#[derive(Debug, PartialEq, Eq)]
enum State {
    Waiting,
    Connecting,
    /// The next message is not due yet.
    Early,
    /// The next message has no room in the send buffer.
    Full,
    Done,
}

impl Source {
    /// A source with the parameters of `plan`.
    pub(crate) fn new(mut plan: Plan) -> Self {
        let next_length = plan.messages.next_length();
        Self {
            plan,
            state: State::Waiting,
            connection: None,
            next_length,
            next_stream: 0,
            sent: 0,
            sent_bytes: 0,
            is_connected: false,
            closed: None,
        }
    }

    /// The association or connection, if it was opened already.
    pub(crate) fn connection(&self) -> Option<ConnectionId> {
        self.connection
    }

    /// Whether the association or connection has ever been established.
    pub(crate) fn is_connected(&self) -> bool {
        self.is_connected
    }

    /// Messages handed over.
    pub(crate) fn sent(&self) -> u64 {
        self.sent
    }

    /// Bytes handed over.
    pub(crate) fn sent_bytes(&self) -> u64 {
        self.sent_bytes
    }

    /// When and why the association or connection ended, if it did.
    pub(crate) fn closed(&self) -> Option<(Time, Ending)> {
        self.closed
    }

    /// Stops sending.
    pub(crate) fn stop(&mut self) {
        self.state = State::Done;
    }

    /// When the next action is due. A full send buffer has no timer: the endpoint reports when there is room again.
    #[inline]
    pub(crate) fn poll_timeout(&self) -> Time {
        match self.state {
            State::Waiting => self.plan.start,
            State::Early => self.plan.pace.due(),
            State::Connecting | State::Full | State::Done => Time::NEVER,
        }
    }

    pub(crate) fn handle_timeout(&mut self, now: Time, transport: &mut impl Transport) {
        if self.state == State::Waiting {
            let Plan { paths, peer_port, .. } = &self.plan;
            self.connection = Some(transport.open(now, paths, *peer_port));
            self.state = State::Connecting;
        } else {
            self.hand_over(now, transport);
        }
    }

    #[inline]
    pub(crate) fn handle_event(&mut self, now: Time, transport: &mut impl Transport, event: Event) {
        match event {
            Event::Connected(_) if self.state == State::Connecting => {
                self.state = State::Early;
                self.is_connected = true;
                self.plan.pace.begin(now);
                self.hand_over(now, transport);
            }
            Event::Writable if self.state == State::Full => self.hand_over(now, transport),
            Event::Closed(ending) => {
                self.closed = Some((now, ending));
                self.state = State::Done;
            }
            _ => {}
        }
    }

    /// Hands over the messages that are due, as far as there is room.
    fn hand_over(&mut self, now: Time, transport: &mut impl Transport) {
        let Some(connection) = self.connection else { return };
        let mut space = transport.space(connection);
        while self.plan.pace.due() <= now {
            let length = self.next_length;
            if u64::from(length) > self.plan.size - self.sent_bytes {
                transport.finish(now, connection);
                self.state = State::Done;
                return;
            }
            if space < length as usize || !transport.hand_over(now, connection, self.next_message())
            {
                self.state = State::Full;
                return;
            }
            space -= length as usize;
            self.plan.handovers.push(self.plan.pace.handed_over(now, length));
            self.sent += 1;
            self.sent_bytes += u64::from(length);
            self.next_length = self.plan.messages.next_length();
            self.next_stream += 1;
            if self.next_stream == self.plan.streams {
                self.next_stream = 0;
            }
        }
        self.state = State::Early;
    }

    fn next_message(&self) -> Outgoing {
        Outgoing {
            number: self.sent,
            length: self.next_length,
            stream: self.next_stream,
            ordered: self.plan.ordered,
        }
    }
}
