//! A host: one endpoint of SCTP or TCP and its application, as one protocol for the simulator.

use manypath_core::{SansIo, Span, Time, Via};
use manypath_sctp as sctp;

use crate::app::Application;
use crate::course::{Course, PathCourse};
use crate::endpoint::{Endpoint, Transport};
use crate::packet::Packet;

/// An endpoint with its application.
#[derive(Debug)]
pub(crate) struct Host {
    endpoint: Endpoint,
    application: Application,
    course: Course,
    /// SCTP packets are encoded by the sender and decoded by the receiver, as a test of the encoding. Results do not
    /// change.
    by_bytes: bool,
}

impl Host {
    /// A host whose application sends on `paths`; a sink has none.
    pub(crate) fn new(
        endpoint: Endpoint,
        application: Application,
        paths: Vec<Via>,
        by_bytes: bool,
    ) -> Self {
        Self { endpoint, application, course: Course::new(paths), by_bytes }
    }

    pub(crate) fn endpoint(&self) -> &Endpoint {
        &self.endpoint
    }

    pub(crate) fn application(&self) -> &Application {
        &self.application
    }

    pub(crate) fn application_mut(&mut self) -> &mut Application {
        &mut self.application
    }

    /// The integrals of the states of a path until `now`; the host is that of a source.
    pub(crate) fn path_course(&self, now: Time, path: usize) -> PathCourse {
        self.course.path(path, now, &self.endpoint, self.application.connection())
    }

    /// Completes the integrals of the states of paths before a call at `now` changes the states.
    #[inline]
    fn complete_course(&mut self, now: Time) {
        if self.course.is_behind(now) {
            self.course.complete(now, &self.endpoint, self.application.connection());
        }
    }
}

/// Processes a packet that arrived.
#[inline(always)]
fn arrive<T: Transport>(
    transport: &mut T,
    application: &mut Application,
    now: Time,
    via: Via,
    packet: &mut T::Packet,
) {
    transport.handle_packet(now, via, packet);
    application.note_arrival(now, transport);
}

/// Processes a damaged packet. If the network header is damaged, it reaches no endpoint.
#[cold]
fn arrive_damaged(sctp: &mut sctp::Endpoint, via: Via, packet: &mut Packet, damaged_byte: u32) {
    let header = usize::from(packet.sctp_mut().network_header);
    let Some(place) = (damaged_byte as usize).checked_sub(header) else { return };
    let (packet, datagram) = packet.open_damaged(place);
    sctp.handle_damaged_bytes(via, packet, &datagram, Some(place));
}

/// Handles all timers that are due.
fn act<T: Transport>(transport: &mut T, application: &mut Application, now: Time) {
    if application.poll_timeout() <= now {
        application.handle_timeout(now, transport);
    }
    if transport.may_time_out_before(now + Span::from_nanos(1)) {
        transport.handle_timeout(now);
    }
}

/// Fills the packet with the next packet of the transport. When the transport has none, the application handles the
/// events of the transport, which may cause further packets.
#[inline(always)]
fn transmit<T: Transport>(
    transport: &mut T,
    application: &mut Application,
    now: Time,
    packet: &mut T::Packet,
) -> Option<Via> {
    loop {
        let via =
            if transport.may_transmit() { transport.poll_transmit(now, packet) } else { None };
        if via.is_some() && transport.may_transmit() {
            return via;
        }
        let mut has_reacted = false;
        while let Some(event) = transport.poll_event() {
            application.handle_event(now, transport, event.into());
            has_reacted = true;
        }
        if via.is_some() || !has_reacted || !transport.may_transmit() {
            return via;
        }
    }
}

/// The protocol is selected once per call, not once per query of the application.
impl SansIo for Host {
    type Packet = Packet;
    type Event = std::convert::Infallible;

    #[inline]
    fn handle_packet(&mut self, now: Time, via: Via, packet: &mut Packet) {
        self.complete_course(now);
        let Self { endpoint, application, by_bytes, .. } = self;
        match endpoint {
            Endpoint::Sctp(sctp) => {
                let packet = if *by_bytes { packet.open() } else { packet.sctp_mut() };
                arrive(sctp, application, now, via, packet);
            }
            Endpoint::Tcp(tcp) => arrive(tcp, application, now, via, packet.tcp_mut()),
        }
    }

    fn handle_damaged(&mut self, now: Time, via: Via, packet: &mut Packet, damaged_byte: u32) {
        self.complete_course(now);
        match &mut self.endpoint {
            Endpoint::Sctp(sctp) if self.by_bytes => {
                arrive_damaged(sctp, via, packet, damaged_byte);
            }
            Endpoint::Sctp(sctp) => sctp.handle_damaged(now, via, packet.sctp_mut(), damaged_byte),
            Endpoint::Tcp(tcp) => tcp.handle_damaged(now, via, packet.tcp_mut(), damaged_byte),
        }
    }

    fn handle_timeout(&mut self, now: Time) {
        self.complete_course(now);
        let Self { endpoint, application, .. } = self;
        match endpoint {
            Endpoint::Sctp(sctp) => act(sctp, application, now),
            Endpoint::Tcp(tcp) => act(tcp, application, now),
        }
    }

    #[inline]
    fn poll_transmit(&mut self, now: Time, packet: &mut Packet) -> Option<Via> {
        let Self { endpoint, application, by_bytes, .. } = self;
        match endpoint {
            Endpoint::Sctp(sctp) => {
                let via = transmit(sctp, application, now, packet.sctp_mut())?;
                if *by_bytes {
                    packet.seal(via);
                }
                Some(via)
            }
            Endpoint::Tcp(tcp) => transmit(tcp, application, now, packet.tcp_mut()),
        }
    }

    #[inline]
    fn may_transmit(&self) -> bool {
        match &self.endpoint {
            Endpoint::Sctp(sctp) => sctp.may_transmit(),
            Endpoint::Tcp(tcp) => tcp.may_transmit(),
        }
    }

    #[inline]
    fn poll_timeout(&self) -> Time {
        let of_transport = match &self.endpoint {
            Endpoint::Sctp(sctp) => sctp.poll_timeout(),
            Endpoint::Tcp(tcp) => tcp.poll_timeout(),
        };
        of_transport.min(self.application.poll_timeout())
    }

    #[inline]
    fn may_time_out_before(&self, at: Time) -> bool {
        let transport_may = match &self.endpoint {
            Endpoint::Sctp(sctp) => sctp.may_time_out_before(at),
            Endpoint::Tcp(tcp) => tcp.may_time_out_before(at),
        };
        transport_may || self.application.poll_timeout() < at
    }

    fn poll_event(&mut self) -> Option<Self::Event> {
        None
    }
}
