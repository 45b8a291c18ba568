//! The checksum of IP and TCP. RFC 791 §3.1, RFC 9293 §3.1

/// The ones' complement of the ones' complement sum of all 16-bit words of `parts`, in network byte order.
///
/// Each part starts at a word boundary. A part of odd length is padded with a zero byte, which is not transmitted.
#[must_use]
pub fn internet_checksum(parts: &[&[u8]]) -> u16 {
    let mut sum = 0_u64;
    for part in parts {
        let (words, last) = part.as_chunks::<2>();
        sum += words.iter().map(|word| u64::from(u16::from_be_bytes(*word))).sum::<u64>();
        sum += last.first().map_or(0, |byte| u64::from(*byte) << 8);
    }
    while sum > 0xffff {
        sum = (sum & 0xffff) + (sum >> 16);
    }
    !(sum as u16)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A common worked example of a header checksum: 192.168.0.1 to 192.168.0.199, 115 bytes of UDP, b861.
    #[test]
    fn the_checksum_of_an_ipv4_header() {
        let header = [
            0x45, 0, 0, 0x73, 0, 0, 0x40, 0, 0x40, 0x11, 0, 0, 0xc0, 0xa8, 0, 1, 0xc0, 0xa8, 0,
            0xc7,
        ];
        assert_eq!(internet_checksum(&[&header]), 0xb861);
        assert_eq!(internet_checksum(&[&header[..8], &header[8..]]), 0xb861);
    }

    /// RFC 1071 §3: the words 0001, f203, f4f5 and f6f7 sum to ddf2.
    #[test]
    fn carries_are_added_at_the_low_end_and_an_odd_byte_is_padded() {
        let bytes = [0x00, 0x01, 0xf2, 0x03, 0xf4, 0xf5, 0xf6, 0xf7];
        assert_eq!(internet_checksum(&[&bytes]), !0xddf2);
        assert_eq!(internet_checksum(&[&bytes[..7]]), !0xdcfb);
    }
}
