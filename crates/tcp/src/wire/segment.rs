//! The segment: the header with its options, and the payload after it. RFC 9293 §3.1
//!
//! ```text
//! ┌─────────────────┬─────────────────┐
//! │ source port     │ destination port│
//! ├─────────────────┴─────────────────┤
//! │ sequence number                   │
//! ├───────────────────────────────────┤
//! │ acknowledgement number            │
//! ├───────┬─────────┬─────────────────┤
//! │ words │ flags   │ window          │
//! ├───────┴─────────┼─────────────────┤
//! │ checksum        │ urgent pointer  │
//! ├─────────────────┴─────────────────┤
//! │ options, zeros                    │
//! ├───────────────────────────────────┤
//! │ payload                           │
//! └───────────────────────────────────┘
//! ```

use std::net::IpAddr;

use bytes::BufMut;
use manypath_core::{Encode, Via, internet_checksum};

use super::{Handshakes, multipath, options};
use crate::segment::{Segment, TCP_HEADER};

impl Encode for Segment {
    type Memory = Handshakes;

    fn note(&self, via: Via, handshakes: &mut Handshakes) {
        handshakes.note(via, self);
    }

    /// Writes the configured further options as zeros: the end of the list and padding.
    ///
    /// # Panics
    /// If the options are longer than the 40 bytes that a header has for them.
    fn encode(&self, via: Via, handshakes: &Handshakes, out: &mut Vec<u8>) {
        let start = out.len();
        let header = TCP_HEADER + self.options.length();
        assert!(header <= LONGEST_HEADER, "options that fit into a header");
        out.put_u16(self.source_port);
        out.put_u16(self.destination_port);
        out.put_u32(self.seq);
        out.put_u32(self.ack);
        out.put_u8((header / 4) as u8 * 0x10);
        out.put_u8(self.flags.0);
        out.put_u16(self.window);
        out.put_u32(0);
        options::write(out, &self.options);
        multipath::write(out, via, self, handshakes);
        out.resize(start + header, END_OF_OPTIONS);
        for piece in &self.payload {
            out.put_slice(piece);
        }
        seal(via, &mut out[start..]);
    }
}

/// Writes the checksum into a segment whose checksum field is zero.
fn seal(via: Via, segment: &mut [u8]) {
    let length = segment.len() as u32;
    let mut addresses = Vec::with_capacity(2 * 16);
    for address in [via.local, via.remote] {
        match IpAddr::from(address) {
            IpAddr::V4(v4) => addresses.put_slice(&v4.octets()),
            IpAddr::V6(v6) => addresses.put_slice(&v6.octets()),
        }
    }
    // RFC 9293 §3.1 with IPv4, RFC 8200 §8.1 with IPv6: the sum does not depend on the width of the fields
    let rest = [length.to_be_bytes(), PROTOCOL.to_be_bytes()];
    let checksum = internet_checksum(&[&addresses, rest.as_flattened(), segment]);
    segment[CHECKSUM..CHECKSUM + 2].copy_from_slice(&checksum.to_be_bytes());
}

/// Protocol number of TCP. RFC 9293 §3.1
const PROTOCOL: u32 = 6;

/// The longest header that the four bits of the data offset allow. RFC 9293 §3.1
const LONGEST_HEADER: usize = 60;

/// Offset of the checksum in the header.
const CHECKSUM: usize = 16;

/// Kind number of the option that ends the list; zeros follow. RFC 9293 §3.1, §3.2
const END_OF_OPTIONS: u8 = 0;

#[cfg(test)]
mod tests {
    use bytes::Bytes;
    use manypath_core::Address;

    use super::*;
    use crate::segment::{Flags, Options};
    use crate::wire::tests::{bytes, hex, via};

    /// The words 0a00 0001 0a00 0102 0006 001b and those of the segment sum to 2 ff4f, and so to ff51.
    #[test]
    fn a_whole_segment_with_its_checksum() {
        let segment = Segment {
            source_port: 0x1389,
            destination_port: 0x138a,
            seq: 0xdead_beef,
            ack: 7,
            flags: Flags::ACK.with(Flags::FIN),
            window: 0x0102,
            options: Options { other_bytes: 4, ..Options::default() },
            payload: vec![Bytes::from_static(b"a"), Bytes::from_static(b"bc")],
        };
        let expected = "1389138a deadbeef 00000007 60110102 00ae0000 00000000 616263";
        assert_eq!(bytes(&segment), hex(expected));
    }

    #[test]
    fn the_checksum_covers_the_addresses() {
        let reset = Segment { flags: Flags::RST, ..Segment::default() };
        let other = Via { remote: Address::v4(10, 0, 1, 3), ..via() };
        let mut elsewhere = vec![0xff; 3];
        reset.encode(other, &Handshakes::default(), &mut elsewhere);
        let here = bytes(&reset);
        assert_eq!((&here[..16], &elsewhere[..3]), (&elsewhere[3..19], &[0xff; 3][..]));
        let sum = |bytes: &[u8]| u16::from_be_bytes([bytes[0], bytes[1]]);
        assert_eq!(sum(&here[16..]), sum(&elsewhere[19..]) + 1);
    }
}
