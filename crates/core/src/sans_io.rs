//! The interface of a protocol that has no clock, socket or thread.

use crate::{Time, Via};

/// The properties of a packet that links and the simulator use.
///
/// Packets are recycled: a sender fills a cleared packet, and the packet is cleared again after its delivery, or when it
/// is known that it will be lost.
pub trait Packet: Default {
    /// Network-layer size in bytes, IP header included: at least 20.
    fn size(&self) -> usize;

    /// Clears the packet and keeps its allocated memory.
    fn clear(&mut self);
}

/// A protocol that has no clock, socket or thread. Its owner passes it packets and the time.
///
/// The owner follows three rules:
///
/// 1. `now` never decreases.
/// 2. After any `handle_*`, and after any command that the protocol offers beside this trait, the owner calls
///    [`poll_transmit`](Self::poll_transmit) until it returns `None` or until [`may_transmit`](Self::may_transmit)
///    returns false. Then it reads [`poll_timeout`](Self::poll_timeout). Then it calls [`poll_event`](Self::poll_event)
///    until it returns `None`.
/// 3. The owner may call [`handle_timeout`](Self::handle_timeout) late or without need. A call before the instant that
///    `poll_timeout` returned does not replace the call at that instant.
pub trait SansIo {
    /// The type of the packets that the protocol sends and receives.
    type Packet: Packet;
    /// The type of the events for the application.
    type Event;

    /// Handles a packet that arrived at `via.local` from `via.remote`. The protocol may take payloads out of the
    /// packet.
    fn handle_packet(&mut self, now: Time, via: Via, packet: &mut Self::Packet);

    /// Handles a packet whose byte at `damaged_byte`, counted from the network header, is wrong. A checksum detects the
    /// damage but not its place. By default the packet is dropped.
    fn handle_damaged(
        &mut self,
        _now: Time,
        _via: Via,
        _packet: &mut Self::Packet,
        _damaged_byte: u32,
    ) {
    }

    /// Handles every timer that is due at `now`; there may be none.
    fn handle_timeout(&mut self, now: Time);

    /// Fills the cleared `packet` and returns its addresses; `None` if there is nothing to send at `now`.
    fn poll_transmit(&mut self, now: Time, packet: &mut Self::Packet) -> Option<Via>;

    /// Whether [`poll_transmit`](Self::poll_transmit) may have another packet to send after the one that it has just
    /// returned. A protocol that cannot decide this cheaply returns true.
    #[inline]
    fn may_transmit(&self) -> bool {
        true
    }

    /// When [`handle_timeout`](Self::handle_timeout) is due next; [`Time::NEVER`] if no timer is set.
    fn poll_timeout(&self) -> Time;

    /// Whether [`poll_timeout`](Self::poll_timeout) may return an instant before `at`. By default this compares the two
    /// instants; a protocol may have a cheaper check.
    #[inline]
    fn may_time_out_before(&self, at: Time) -> bool {
        self.poll_timeout() < at
    }

    /// The next event for the application.
    fn poll_event(&mut self) -> Option<Self::Event>;
}
