//! The form of a packet in bytes, for captures and sockets; links and the simulator do without.

use crate::{Packet, Via};

/// A packet that can be written as the bytes of a real wire.
pub trait Encode: Packet {
    /// What earlier packets said and the bytes of later ones depend on; nothing in a protocol whose packets stand for
    /// themselves.
    type Memory: Default;

    /// Takes note of a packet that is sent `via`. Noting it again changes nothing.
    fn note(&self, _via: Via, _memory: &mut Self::Memory) {}

    /// Appends everything above the network header of a packet that is sent `via` to `out`:
    /// [`size`](Packet::size) less that header. The packet and those before it have been noted.
    fn encode(&self, via: Via, memory: &Self::Memory, out: &mut Vec<u8>);
}
