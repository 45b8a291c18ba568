//! The UDP header of an encapsulated packet. RFC 768

use std::net::IpAddr;

use manypath_core::{Via, internet_checksum};

use crate::ip;

/// Appends the network and UDP headers of a datagram between these addresses and ports, and its contents.
///
/// # Panics
/// If the datagram is too long.
pub fn write(out: &mut Vec<u8>, via: Via, ports: [u16; 2], contents: &[u8]) {
    ip::write(out, via, PROTOCOL, |out| {
        let length =
            u16::try_from(HEADER + contents.len()).expect("a datagram of less than 64 KiB");
        let start = out.len();
        for word in [ports[0], ports[1], length, 0] {
            out.extend_from_slice(&word.to_be_bytes());
        }
        out.extend_from_slice(contents);
        let checksum = checksum(via, length, &out[start..]);
        out[start + 6..start + HEADER].copy_from_slice(&checksum.to_be_bytes());
    });
}

/// The checksum of the pseudo header and the datagram; zero is sent as all ones, because zero means no checksum.
/// RFC 768, RFC 8200 §8.1
fn checksum(via: Via, length: u16, datagram: &[u8]) -> u16 {
    let length = length.to_be_bytes();
    let rest = [0, PROTOCOL, length[0], length[1]];
    let checksum = match (IpAddr::from(via.local), IpAddr::from(via.remote)) {
        (IpAddr::V4(source), IpAddr::V4(destination)) => {
            internet_checksum(&[&source.octets(), &destination.octets(), &rest, datagram])
        }
        _ => {
            let [source, destination] = [via.local, via.remote].map(|it| it.bits().to_be_bytes());
            internet_checksum(&[&source, &destination, &rest, datagram])
        }
    };
    match checksum {
        0 => u16::MAX,
        checksum => checksum,
    }
}

const PROTOCOL: u8 = 17;
const HEADER: usize = 8;

#[cfg(test)]
mod tests {
    use manypath_core::Address;

    use super::*;

    #[test]
    fn a_datagram_has_ports_length_and_a_checksum_that_sums_to_all_ones() {
        let via = Via { local: Address::v4(10, 0, 0, 1), remote: Address::v4(10, 0, 0, 2) };
        let mut out = Vec::new();
        write(&mut out, via, [1, 2], &[0xab, 0xcd, 0xef]);
        assert_eq!((out.len(), out[9]), (31, 17));
        assert_eq!(out[20..26], [0, 1, 0, 2, 0, 11]);
        // 0x0a00 + 1 + 0x0a00 + 2 + 17 + 11, and the datagram 1 + 2 + 11 + 0xabcd + 0xef00
        let sum: u32 = 0x1400 + 3 + 17 + 11 + 1 + 2 + 11 + 0xabcd + 0xef00;
        let folded = (sum & 0xffff) + (sum >> 16);
        assert_eq!(u32::from(u16::from_be_bytes([out[26], out[27]])), 0xffff - folded);
    }

    #[test]
    fn a_checksum_of_zero_is_written_as_all_ones() {
        let via = Via { local: Address::v4(10, 0, 0, 1), remote: Address::v4(10, 0, 0, 2) };
        let mut out = Vec::new();
        write(&mut out, via, [1, 2], &[0, 0]);
        let rest = u16::from_be_bytes([out[26], out[27]]);
        out.clear();
        write(&mut out, via, [1, 2], &rest.to_be_bytes());
        assert_eq!(out[26..28], [0xff, 0xff]);
    }
}
