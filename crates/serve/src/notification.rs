//! Notifications of an association for its program. RFC 6458 §6.1

use std::net::{IpAddr, SocketAddr};

use manypath_net::{Association, Event, Message};
use manypath_posix::abi::address::in_family;
use manypath_posix::abi::constants::*;
use manypath_posix::abi::message::{SndInfo, SndRcvInfo};
use manypath_posix::abi::notification as n;
use manypath_posix::abi::option::EventSubscribe;
use manypath_posix::abi::{Address, Layout};
use nix::errno::Errno;

use super::names;

/// Makes the notifications of an association.
#[derive(Debug)]
pub(super) struct Notifier {
    /// `AF_INET` or `AF_INET6`.
    pub(super) domain: u16,
    /// Number of the association.
    pub(super) number: i32,
    pub(super) association: Association,
    /// The peer's primary address.
    pub(super) source: Option<SocketAddr>,
}

impl Notifier {
    pub(super) fn new(domain: u16, number: i32, association: Association) -> Self {
        let source = names::peer(domain, &association);
        Self { domain, number, association, source }
    }

    /// Reads the peer's primary address again, after an event.
    pub(super) fn renew_source(&mut self) {
        self.source = names::peer(self.domain, &self.association).or(self.source);
    }

    /// The association is established, or has ended.
    pub(super) fn change(&self, state: u16, error: u16) -> Vec<u8> {
        let streams = self.association.streams();
        let change = n::AssocChange {
            type_: SCTP_ASSOC_CHANGE,
            length: n::AssocChange::SIZE as u32,
            state,
            error,
            outbound_streams: streams.outbound,
            inbound_streams: streams.inbound,
            assoc_id: self.number,
            ..Default::default()
        };
        change.encode()
    }

    /// The peer sends no more data.
    pub(super) fn shutdown(&self) -> Vec<u8> {
        let event = n::ShutdownEvent {
            type_: SCTP_SHUTDOWN_EVENT,
            flags: 0,
            length: n::ShutdownEvent::SIZE as u32,
            assoc_id: self.number,
        };
        event.encode()
    }

    /// The notifications of an event that the program has subscribed to. The end and the peer's shutdown are not among
    /// them: they follow the data.
    pub(super) fn of(&self, event: &Event, wanted: &EventSubscribe) -> Vec<Vec<u8>> {
        let mut all = Vec::new();
        let mut add = |flag: u8, make: &dyn Fn() -> Vec<u8>| {
            if flag != 0 {
                all.push(make());
            }
        };
        match event {
            Event::PathUp { remote, .. } => {
                add(wanted.address_event, &|| self.path(*remote, SCTP_ADDR_AVAILABLE));
            }
            Event::PathPotentiallyFailed { remote, .. } => {
                add(wanted.address_event, &|| self.path(*remote, SCTP_ADDR_POTENTIALLY_FAILED));
            }
            Event::PathDown { remote, .. } => {
                add(wanted.address_event, &|| self.path(*remote, SCTP_ADDR_UNREACHABLE));
            }
            Event::Restarted => add(wanted.association_event, &|| self.change(SCTP_RESTART, 0)),
            Event::SendFailed { message, sent } => {
                let flags = if *sent { SCTP_DATA_SENT } else { SCTP_DATA_UNSENT };
                add(wanted.send_failure_event, &|| self.send_failed(message, flags));
                add(wanted.send_failure_event_event, &|| self.send_failed_event(message, flags));
            }
            Event::SenderDry => add(wanted.sender_dry_event, &|| self.sender_dry()),
            Event::RemoteError { .. } => add(wanted.peer_error_event, &|| self.remote_error()),
            Event::PartialDeliveryAborted { stream } => {
                add(wanted.partial_delivery_event, &|| self.partial_delivery_aborted(*stream));
            }
            _ => {}
        }
        all
    }

    fn path(&self, remote: IpAddr, state: i32) -> Vec<u8> {
        let address = SocketAddr::new(remote, self.association.peer_port());
        let change = n::PaddrChange {
            type_: SCTP_PEER_ADDR_CHANGE,
            flags: 0,
            length: n::PaddrChange::SIZE as u32,
            aaddr: Address::from(in_family(address, self.domain)),
            state,
            error: 0,
            assoc_id: self.number,
        };
        change.encode()
    }

    fn send_failed(&self, message: &Message, flags: u16) -> Vec<u8> {
        let info = SndRcvInfo {
            stream: message.stream,
            flags: unordered(message),
            ppid: message.ppid.to_be(),
            assoc_id: self.number,
            ..Default::default()
        };
        let event = n::SendFailed {
            type_: SCTP_SEND_FAILED,
            flags,
            length: (n::SendFailed::SIZE + message.payload.len()) as u32,
            error: Errno::ECANCELED as u32,
            info,
            assoc_id: self.number,
        };
        [&event.encode()[..], &message.payload].concat()
    }

    fn send_failed_event(&self, message: &Message, flags: u16) -> Vec<u8> {
        let info = SndInfo {
            sid: message.stream,
            flags: unordered(message),
            ppid: message.ppid.to_be(),
            context: 0,
            assoc_id: self.number,
        };
        let event = n::SendFailedEvent {
            type_: SCTP_SEND_FAILED_EVENT,
            flags,
            length: (n::SendFailedEvent::SIZE + message.payload.len()) as u32,
            error: Errno::ECANCELED as u32,
            info,
            assoc_id: self.number,
        };
        [&event.encode()[..], &message.payload].concat()
    }

    fn sender_dry(&self) -> Vec<u8> {
        let event = n::SenderDryEvent {
            type_: SCTP_SENDER_DRY_EVENT,
            flags: 0,
            length: n::SenderDryEvent::SIZE as u32,
            assoc_id: self.number,
        };
        event.encode()
    }

    fn remote_error(&self) -> Vec<u8> {
        let event = n::RemoteError {
            type_: SCTP_REMOTE_ERROR,
            length: n::RemoteError::SIZE as u32,
            assoc_id: self.number,
            ..Default::default()
        };
        event.encode()
    }

    fn partial_delivery_aborted(&self, stream: u16) -> Vec<u8> {
        let event = n::PdapiEvent {
            type_: SCTP_PARTIAL_DELIVERY_EVENT,
            length: n::PdapiEvent::SIZE as u32,
            assoc_id: self.number,
            stream: stream.into(),
            ..Default::default()
        };
        event.encode()
    }
}

fn unordered(message: &Message) -> u16 {
    if message.unordered { SCTP_UNORDERED } else { 0 }
}
