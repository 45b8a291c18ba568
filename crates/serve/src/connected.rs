//! An association of a socket. A one-to-one socket has at most one.

use std::sync::{Arc, MutexGuard};
use std::time::Duration;

use bytes::Bytes;
use manypath_net::{Association, Endpoint, Message};
use manypath_posix::abi::constants::{
    SCTP_ADDR_OVER, SCTP_PR_SCTP_MASK, SCTP_PR_SCTP_TTL, SCTP_SACK_IMMEDIATELY, SCTP_UNORDERED,
};
use manypath_posix::record::{PartialReliability, SendInfo, Sent};
use tokio::task::AbortHandle;

use super::associations::Associations;
use super::delivery;
use super::option_values::Options;
use super::outlet::{Outlet, Owner};

/// An association of a socket. Clones are handles of the same one.
#[derive(Clone, Debug)]
pub(super) struct Connected {
    pub(super) association: Association,
    pub(super) endpoint: Endpoint,
    /// Its number for the program, unique in the daemon.
    pub(super) number: i32,
    pub(super) outlet: Arc<Outlet>,
    /// The task that delivers to the program.
    delivering: AbortHandle,
}

impl Connected {
    /// Attaches an association to a socket, and delivers its messages from then on. The caller holds the state of the
    /// socket, so that the end of the association comes later.
    pub(super) fn attach(
        associations: &Associations,
        socket: Arc<dyn Owner>,
        association: Association,
        endpoint: Endpoint,
        options: Options,
    ) -> Self {
        let number = associations.number();
        let outlet = Arc::new(Outlet::new(number, socket, options));
        let deliver = delivery::run(Arc::clone(&outlet), association.clone());
        let delivering = tokio::spawn(deliver).abort_handle();
        Self { association, endpoint, number, outlet, delivering }
    }

    /// The options, which apply to this association alone.
    pub(super) fn options(&self) -> MutexGuard<'_, Options> {
        self.outlet.options()
    }

    /// Changes the options.
    pub(super) fn change(&self, change: impl FnOnce(&mut Options)) {
        let mut options = self.options();
        change(&mut options);
        options.apply_to(&self.association);
    }

    /// The options of a message: those in its record, or the defaults of the association.
    pub(super) fn send_info(&self, sent: &Sent<'_>) -> SendInfo {
        sent.info.unwrap_or_else(|| self.options().send_info())
    }

    /// A message of the program.
    pub(super) fn message(&self, sent: &Sent<'_>, info: SendInfo, payload: Bytes) -> Message {
        let mut message = Message::new(payload).stream(info.stream).ppid(u32::from_be(info.ppid));
        message.unordered = info.flags & SCTP_UNORDERED != 0;
        message.sack_immediately = info.flags & SCTP_SACK_IMMEDIATELY != 0;
        let reliability = sent.reliability.or_else(|| self.options().reliability());
        if let Some(PartialReliability { policy, value }) = reliability
            && policy & SCTP_PR_SCTP_MASK == SCTP_PR_SCTP_TTL
            && value > 0
        {
            message.lifetime = Some(Duration::from_millis(value.into()));
        }
        if info.flags & SCTP_ADDR_OVER != 0 {
            let to = sent.destination.map(|to| to.ip().to_canonical());
            message = message.over(to.and_then(|to| self.association.path_to(to)));
        }
        message
    }

    /// The number of streams to send on: the wanted one until it is agreed.
    pub(super) fn outbound_streams(&self) -> u16 {
        match self.association.streams().outbound {
            0 => self.options().outbound_streams(),
            agreed => agreed,
        }
    }

    /// Whether it is or was established.
    pub(super) fn is_established(&self) -> bool {
        self.association.is_established()
    }

    /// Whether it has ended, or the program has aborted it.
    pub(super) fn is_over(&self) -> bool {
        self.association.is_over()
    }

    /// Whether one side has begun a shutdown.
    pub(super) fn is_closing(&self) -> bool {
        self.association.peer_is_done() || self.outlet.closes()
    }

    /// Ends the association as the kernel does when the last descriptor is closed. One that is not established ends at
    /// once, also if messages wait for it. `rest` are messages that are sent before a shutdown.
    pub(super) fn close(self, associations: &Arc<Associations>, aborts: bool, rest: Vec<Message>) {
        let aborts = aborts || !self.is_established();
        let Self { association, endpoint, delivering, outlet, .. } = self;
        delivering.abort();
        outlet.leave_origin();
        if aborts {
            association.abort("");
        }
        associations.drain(association, endpoint, rest);
    }
}
