//! The IP header of a captured packet. RFC 791 §3.1, RFC 8200 §3

use std::net::IpAddr;

use manypath_core::{Via, internet_checksum};

/// Appends the IP header of a packet between these addresses, and the payload that `payload` writes.
///
/// # Panics
/// If the packet is too long.
pub fn write(out: &mut Vec<u8>, via: Via, protocol: u8, payload: impl FnOnce(&mut Vec<u8>)) {
    let start = out.len();
    match (IpAddr::from(via.local), IpAddr::from(via.remote)) {
        (IpAddr::V4(source), IpAddr::V4(destination)) => {
            out.extend_from_slice(&[0x45, 0, 0, 0, 0, 0, 0x40, 0, HOPS, protocol, 0, 0]);
            out.extend_from_slice(&source.octets());
            out.extend_from_slice(&destination.octets());
            payload(out);
            finish_v4(&mut out[start..]);
        }
        _ => {
            out.extend_from_slice(&[0x60, 0, 0, 0, 0, 0, protocol, HOPS]);
            out.extend_from_slice(&via.local.bits().to_be_bytes());
            out.extend_from_slice(&via.remote.bits().to_be_bytes());
            payload(out);
            let packet = &mut out[start..];
            let length = length(packet.len() - V6_HEADER);
            packet[4..6].copy_from_slice(&length);
        }
    }
}

fn finish_v4(packet: &mut [u8]) {
    let length = length(packet.len());
    packet[2..4].copy_from_slice(&length);
    let checksum = internet_checksum(&[&packet[..V4_HEADER]]);
    packet[10..12].copy_from_slice(&checksum.to_be_bytes());
}

fn length(bytes: usize) -> [u8; 2] {
    u16::try_from(bytes).expect("a packet of less than 64 KiB").to_be_bytes()
}

const V4_HEADER: usize = 20;
const V6_HEADER: usize = 40;
const HOPS: u8 = 64;

#[cfg(test)]
mod tests {
    use manypath_core::Address;

    use super::*;

    #[test]
    fn an_ipv4_header_counts_itself_and_sums_to_all_ones() {
        let via = Via { local: Address::v4(10, 0, 0, 1), remote: Address::v4(10, 0, 0, 2) };
        let mut out = Vec::new();
        write(&mut out, via, 132, |out| out.extend_from_slice(&[7; 16]));
        assert_eq!(out.len(), 36);
        assert_eq!((out[0], out[2..4].to_vec(), out[9]), (0x45, vec![0, 36], 132));
        assert_eq!(out[12..20], [10, 0, 0, 1, 10, 0, 0, 2]);
        let words = out[..20].chunks(2).map(|word| u16::from_be_bytes([word[0], word[1]]));
        let sum = words.fold(0_u32, |sum, word| sum + u32::from(word));
        assert_eq!((sum & 0xffff) + (sum >> 16), 0xffff);
        assert_eq!(out[20..], [7; 16]);
    }

    #[test]
    fn an_ipv6_header_counts_what_follows_it() {
        let [local, remote] = ["2001:db8::1", "2001:db8::2"]
            .map(|text| Address::from(text.parse::<IpAddr>().expect("an address")));
        let mut out = vec![0xff; 3];
        write(&mut out, Via { local, remote }, 132, |out| out.extend_from_slice(&[7; 16]));
        let packet = &out[3..];
        assert_eq!(packet[..8], [0x60, 0, 0, 0, 0, 16, 132, 64]);
        assert_eq!(packet[8..10], [0x20, 0x01]);
        assert_eq!((packet[23], packet[39], packet.len()), (1, 2, 56));
    }
}
