//! The contract of a protocol without a clock, a socket or a thread.

use crate::{Time, Via};

/// What links and the simulator need to know of a packet.
///
/// Packets are recycled: a sender gets a cleared one and fills it, and after its journey it is cleared for the next.
pub trait Packet: Default {
    /// Bytes on the network layer, IP header included.
    fn size(&self) -> usize;

    /// Empties the packet and keeps the memory that it holds.
    fn clear(&mut self);
}

/// A protocol without a clock, a socket or a thread; its owner brings packets and time.
///
/// The owner keeps three rules:
///
/// 1. `now` never goes back.
/// 2. After any `handle_*`, and after any command that the protocol offers beside this trait, the owner calls
///    [`poll_transmit`](Self::poll_transmit) until it returns `None` or [`may_transmit`](Self::may_transmit) says that
///    it would, then reads [`poll_timeout`](Self::poll_timeout), then calls [`poll_event`](Self::poll_event) until it
///    returns `None`.
/// 3. [`handle_timeout`](Self::handle_timeout) may come late or without need, but a wake-up before the instant
///    that `poll_timeout` named does not count as one.
pub trait SansIo {
    /// What it sends and receives.
    type Packet: Packet;
    /// What it tells the application.
    type Event;

    /// A packet arrived at `via.local` from `via.remote`. Payloads may be taken out of it.
    fn handle_packet(&mut self, now: Time, via: Via, packet: &mut Self::Packet);

    /// A packet arrived of which the byte at `damaged_byte`, counted from the network header on, is wrong; a checksum
    /// tells, but not where. Whoever has nothing to say about it drops it.
    fn handle_damaged(
        &mut self,
        _now: Time,
        _via: Via,
        _packet: &mut Self::Packet,
        _damaged_byte: u32,
    ) {
    }

    /// Time has passed: acts on every timer that is due at `now`, perhaps on none.
    fn handle_timeout(&mut self, now: Time);

    /// Fills the cleared `packet` and says which way it goes; `None` if there is nothing to send at `now`.
    fn poll_transmit(&mut self, now: Time, packet: &mut Self::Packet) -> Option<Via>;

    /// Whether [`poll_transmit`](Self::poll_transmit) may have something to send after what it has just sent; whoever
    /// cannot tell cheaply says yes.
    #[inline]
    fn may_transmit(&self) -> bool {
        true
    }

    /// When [`handle_timeout`](Self::handle_timeout) is due next; [`Time::NEVER`] if no timer is set.
    fn poll_timeout(&self) -> Time;

    /// Whether [`poll_timeout`](Self::poll_timeout) may name an instant before `at`; whoever cannot tell more cheaply
    /// asks it.
    #[inline]
    fn may_time_out_before(&self, at: Time) -> bool {
        self.poll_timeout() < at
    }

    /// The next thing that the application should know.
    fn poll_event(&mut self) -> Option<Self::Event>;
}
