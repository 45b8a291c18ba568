//! CRC32c, which detects packets that were damaged on the way. RFC 9260 §6.8, appendix A
//!
//! The crate `crc32c` uses the CRC instructions of the processor if it has them.

/// Writes the checksum into a packet whose checksum field is zero.
pub(super) fn seal(packet: &mut [u8]) {
    // Unlike all other fields, the checksum is sent with its least significant byte first. RFC 9260 appendix A
    let checksum = crc32c::crc32c(packet).to_le_bytes();
    packet[FIELD..FIELD + checksum.len()].copy_from_slice(&checksum);
}

/// Whether the checksum of a packet is right. False if the packet is too short to have one.
///
/// Zero has no special meaning, because this stack does not offer zero checksums. RFC 9653
pub(super) fn is_right(packet: &[u8]) -> bool {
    let Some((before, rest)) = packet.split_at_checked(FIELD) else { return false };
    let Some((field, behind)) = rest.split_first_chunk::<4>() else { return false };
    let head = crc32c::crc32c_append(crc32c::crc32c(before), &[0; 4]);
    crc32c::crc32c_append(head, behind) == u32::from_le_bytes(*field)
}

/// Offset of the field in the common header.
const FIELD: usize = 8;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checksums_are_those_of_castagnoli() {
        assert_eq!(crc32c::crc32c(b"123456789"), 0xe306_9283);
        assert_eq!(crc32c::crc32c(&[0; 32]), 0x8a91_36aa);
    }

    #[test]
    fn a_checksum_is_right_for_its_own_packet_alone() {
        let mut packet = vec![7; 40];
        packet[FIELD..FIELD + 4].fill(0);
        assert!(!is_right(&packet), "zero is not accepted in its place");
        seal(&mut packet);
        assert!(is_right(&packet));
        packet[39] ^= 1;
        assert!(!is_right(&packet));
        assert!(!is_right(&packet[..11]));
    }
}
