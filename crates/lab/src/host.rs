//! A host: one endpoint, of SCTP or TCP, and the application above it, as one protocol that the simulator drives.

use manypath_core::{SansIo, Time, Via};

use crate::app::Application;
use crate::endpoint::Endpoint;
use crate::packet::Packet;

/// An endpoint with its application.
#[derive(Debug)]
pub(crate) struct Host {
    endpoint: Endpoint,
    application: Application,
}

impl Host {
    pub(crate) fn new(endpoint: Endpoint, application: Application) -> Self {
        Self { endpoint, application }
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

    /// Lets the application react; says whether there was anything to react to.
    #[inline]
    fn serve_application(&mut self, now: Time) -> bool {
        let mut served = false;
        while let Some(event) = self.endpoint.poll_event() {
            self.application.handle_event(now, &mut self.endpoint, event);
            served = true;
        }
        served
    }
}

impl SansIo for Host {
    type Packet = Packet;
    type Event = std::convert::Infallible;

    #[inline]
    fn handle_packet(&mut self, now: Time, via: Via, packet: &mut Packet) {
        self.endpoint.handle_packet(now, via, packet);
        self.application.note_arrival(now, &self.endpoint);
    }

    fn handle_damaged(&mut self, now: Time, via: Via, packet: &mut Packet, damaged_byte: u32) {
        self.endpoint.handle_damaged(now, via, packet, damaged_byte);
    }

    fn handle_timeout(&mut self, now: Time) {
        if self.application.poll_timeout() <= now {
            self.application.handle_timeout(now, &mut self.endpoint);
        }
        if self.endpoint.poll_timeout() <= now {
            self.endpoint.handle_timeout(now);
        }
    }

    #[inline]
    fn poll_transmit(&mut self, now: Time, packet: &mut Packet) -> Option<Via> {
        loop {
            let via = self.endpoint.poll_transmit(now, packet);
            if via.is_some() && self.endpoint.may_transmit() {
                return via;
            }
            // All has left for now: what the application does may let more leave
            let served = self.serve_application(now);
            if via.is_some() || !served {
                return via;
            }
        }
    }

    #[inline]
    fn may_transmit(&self) -> bool {
        self.endpoint.may_transmit()
    }

    #[inline]
    fn poll_timeout(&self) -> Time {
        self.endpoint.poll_timeout().min(self.application.poll_timeout())
    }

    fn poll_event(&mut self) -> Option<Self::Event> {
        None
    }
}
