//! A TCP segment as a type, for the simulator. RFC 9293 §3.1

use bytes::Bytes;
use manypath_core::Packet;

use crate::mptcp::MultipathOption;

/// One TCP segment over IPv4.
///
/// The payload is a list of pieces, because a segment may contain the end of one write and the beginning of the next.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Segment {
    /// Port of the sender.
    pub source_port: u16,
    /// Port of the receiver.
    pub destination_port: u16,
    /// Sequence number of the first payload byte; without payload, that of SYN or FIN.
    pub seq: u32,
    /// The next sequence number that the sender expects; valid with [`Flags::ACK`] only.
    pub ack: u32,
    /// Control bits.
    pub flags: Flags,
    /// Receive window, to be shifted by what the handshake agreed on.
    pub window: u16,
    /// Options.
    pub options: Options,
    /// Payload, piece by piece.
    pub payload: Vec<Bytes>,
}

/// The control bits of a segment. RFC 9293 §3.1
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct Flags(pub u8);

/// The options of a segment.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct Options {
    /// The largest segment that the sender can receive; with SYN only. RFC 9293 §3.7.1
    pub mss: Option<u16>,
    /// Shift of the window field; with SYN only. RFC 7323 §2.2
    pub window_scale: Option<u8>,
    /// The sender supports SACK; with SYN only. RFC 2018 §2
    pub sack_permitted: bool,
    /// The ranges that arrived beyond the acknowledgement. RFC 2018 §3
    pub sack: SackBlocks,
    /// Multipath TCP. RFC 8684 §3
    pub multipath: Option<MultipathOption>,
    /// Bytes of further options, which receivers ignore.
    pub other_bytes: u8,
}

/// Up to four SACK blocks, the most recent one first. RFC 2018 §4
#[derive(Clone, Copy, Debug, Default)]
pub struct SackBlocks {
    blocks: [SackBlock; 4],
    count: u8,
}

/// A range of bytes that arrived: `start` included, `end` excluded. RFC 2018 §3
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct SackBlock {
    /// Sequence number of the first byte.
    pub start: u32,
    /// Sequence number after the last byte.
    pub end: u32,
}

impl Segment {
    /// Bytes of payload.
    #[inline]
    #[must_use]
    pub fn payload_length(&self) -> usize {
        match self.payload.as_slice() {
            [] => 0,
            [whole] => whole.len(),
            pieces => pieces.iter().map(Bytes::len).sum(),
        }
    }

    /// Number of bytes of the IP and TCP headers, options included.
    #[inline]
    #[must_use]
    pub fn header_length(&self) -> usize {
        IPV4_HEADER + TCP_HEADER + self.options.length()
    }

    /// Number of sequence numbers that the segment uses: payload, SYN and FIN. RFC 9293 §3.4
    #[inline]
    #[must_use]
    pub fn length(&self) -> u64 {
        let flags = self.flags;
        self.payload_length() as u64
            + u64::from(flags.contains(Flags::SYN))
            + u64::from(flags.contains(Flags::FIN))
    }
}

impl Packet for Segment {
    #[inline]
    fn size(&self) -> usize {
        self.header_length() + self.payload_length()
    }

    #[inline]
    fn clear(&mut self) {
        self.flags = Flags::default();
        self.options.clear();
        if !self.payload.is_empty() {
            self.payload.clear();
        }
    }
}

impl Flags {
    /// The sender has no more data.
    pub const FIN: Self = Self(0x01);
    /// Opens a connection.
    pub const SYN: Self = Self(0x02);
    /// Resets the connection.
    pub const RST: Self = Self(0x04);
    /// The acknowledgement number is valid.
    pub const ACK: Self = Self(0x10);

    /// Whether all bits of `other` are set.
    #[inline]
    #[must_use]
    pub const fn contains(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// The union of both sets of bits.
    #[inline]
    #[must_use]
    pub const fn with(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

impl Options {
    /// Whether there are no options except `other_bytes`, as in most segments.
    #[inline]
    fn is_plain(&self) -> bool {
        self.sack.is_empty()
            && self.multipath.is_none()
            && !self.sack_permitted
            && self.mss.is_none()
            && self.window_scale.is_none()
    }

    /// Removes all options. Unused blocks keep their old values.
    #[inline]
    fn clear(&mut self) {
        let Self { mss, window_scale, sack_permitted, sack, multipath, other_bytes } = self;
        (*mss, *window_scale, *sack_permitted) = (None, None, false);
        (sack.count, *multipath, *other_bytes) = (0, None, 0);
    }

    /// Number of bytes on the wire, padded to whole words. RFC 9293 §3.1
    #[inline]
    #[must_use]
    pub fn length(&self) -> usize {
        let mut bytes = usize::from(self.other_bytes);
        if self.is_plain() {
            return bytes.next_multiple_of(4);
        }
        bytes += self.multipath.map_or(0, |option| option.length());
        bytes += if self.mss.is_some() { 4 } else { 0 };
        bytes += if self.window_scale.is_some() { 3 } else { 0 };
        bytes += if self.sack_permitted { 2 } else { 0 };
        bytes += if self.sack.is_empty() { 0 } else { 2 + 8 * self.sack.len() };
        bytes.next_multiple_of(4)
    }
}

impl PartialEq for SackBlocks {
    fn eq(&self, other: &Self) -> bool {
        self.as_slice() == other.as_slice()
    }
}

impl Eq for SackBlocks {}

impl SackBlocks {
    /// Appends a block; a fifth block is ignored.
    pub fn push(&mut self, block: SackBlock) {
        if let Some(free) = self.blocks.get_mut(usize::from(self.count)) {
            *free = block;
            self.count += 1;
        }
    }

    /// The blocks.
    #[inline]
    #[must_use]
    pub fn as_slice(&self) -> &[SackBlock] {
        &self.blocks[..self.len()]
    }

    /// Number of blocks.
    #[inline]
    #[must_use]
    pub const fn len(&self) -> usize {
        self.count as usize
    }

    /// Whether there are no blocks.
    #[inline]
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.count == 0
    }
}

/// Length of an IPv4 header without options.
pub(crate) const IPV4_HEADER: usize = 20;

/// Length of a TCP header without options.
pub(crate) const TCP_HEADER: usize = 20;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_syn_with_three_options_has_fifty_two_bytes() {
        let options = Options {
            mss: Some(1460),
            window_scale: Some(4),
            sack_permitted: true,
            ..Options::default()
        };
        let syn = Segment { flags: Flags::SYN, options, ..Segment::default() };
        assert_eq!((syn.size(), syn.length()), (52, 1));
    }

    #[test]
    fn four_blocks_fill_the_options_and_a_fifth_is_left_out() {
        let mut sack = SackBlocks::default();
        for start in 0..5 {
            sack.push(SackBlock { start: start * 10, end: start * 10 + 5 });
        }
        assert_eq!(sack.as_slice().len(), 4);
        assert_eq!(Options { sack, ..Options::default() }.length(), 36);
    }

    #[test]
    fn a_cleared_segment_is_as_new_and_keeps_its_memory() {
        let mut segment = Segment { flags: Flags::FIN, ..Segment::default() };
        segment.payload.push(Bytes::from_static(b"end"));
        segment.options.other_bytes = 12;
        segment.options.mss = Some(1460);
        segment.options.sack.push(SackBlock { start: 1, end: 2 });
        assert_eq!((segment.size(), segment.length()), (71, 4));
        let capacity = segment.payload.capacity();
        segment.clear();
        assert_eq!(segment, Segment::default());
        assert_eq!(segment.payload.capacity(), capacity);
    }
}
