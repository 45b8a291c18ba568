//! The form of a packet in bytes, for captures and sockets; links and the simulator do without.

use crate::Packet;

/// A packet that can be written as the bytes of a real wire.
pub trait Encode: Packet {
    /// Appends everything above the network header to `out`: [`size`](Packet::size) less that header.
    fn encode(&self, out: &mut Vec<u8>);
}
