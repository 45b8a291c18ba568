//! Log of sent segments, as arrows for people to read.

use std::fmt;

use manypath_core::{Packet as _, Time};
use manypath_tcp::{Flags, Options, Segment};

use super::Side;

/// A segment as it was sent.
#[derive(Clone, Debug)]
pub(crate) struct Sent {
    pub(crate) at: Time,
    pub(crate) from: Side,
    /// Its kind, such as `SYN ACK` or `DATA FIN`.
    pub(crate) label: String,
    pub(crate) seq: u32,
    pub(crate) ack: u32,
    pub(crate) window: u16,
    /// Bytes of payload.
    pub(crate) length: usize,
    pub(crate) options: Options,
    /// Bytes of the IP packet.
    pub(crate) size: usize,
    /// Whether the network dropped it.
    pub(crate) lost: bool,
}

impl Sent {
    pub(super) fn new(at: Time, from: Side, segment: &Segment) -> Self {
        Self {
            at,
            from,
            label: label(segment),
            seq: segment.seq,
            ack: segment.ack,
            window: segment.window,
            length: segment.payload_length(),
            options: segment.options,
            size: segment.size(),
            lost: false,
        }
    }

    /// Whether it carries payload.
    pub(crate) fn has_data(&self) -> bool {
        self.length > 0
    }
}

impl fmt::Display for Sent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let to = if self.lost { "lost" } else { ["A", "Z"][self.from.other() as usize] };
        write!(f, "{:?} -> {} -> {to}", self.from, self.label)
    }
}

/// Control bits and payload of a segment; plain `ACK` only if there is nothing else.
fn label(segment: &Segment) -> String {
    let flags = segment.flags;
    let names = [(Flags::SYN, "SYN"), (Flags::RST, "RST")];
    let mut words: Vec<&str> =
        names.iter().filter(|(bit, _)| flags.contains(*bit)).map(|(_, name)| *name).collect();
    if segment.payload_length() > 0 {
        words.push("DATA");
    }
    if flags.contains(Flags::FIN) {
        words.push("FIN");
    }
    if flags.contains(Flags::ACK) && (words.is_empty() || words == ["SYN"]) {
        words.push("ACK");
    }
    if !segment.options.sack.is_empty() {
        words.push("SACK");
    }
    words.join(" ")
}
