//! The encoding of a packet as bytes, for captures and sockets. Links and the simulator do not need it.

use crate::{Packet, Via};

/// A packet that can be encoded as the bytes of its protocol.
pub trait Encode: Packet {
    /// State from earlier packets that the encoding of later packets depends on. Empty for a protocol whose packets can
    /// be encoded independently.
    type Memory: Default;

    /// Records a packet that is sent `via`. Recording the same packet again changes nothing.
    fn note(&self, _via: Via, _memory: &mut Self::Memory) {}

    /// Appends the bytes above the network header of a packet that is sent `via` to `out`: [`size`](Packet::size) minus
    /// that header. The caller has recorded this packet and all earlier ones with [`note`](Self::note).
    fn encode(&self, via: Via, memory: &Self::Memory, out: &mut Vec<u8>);
}
