//! CRC32c, by which a receiver knows a packet that was damaged on its way. RFC 9260 §6.8, appendix A

/// Writes the checksum into a packet whose checksum field is zero.
pub(super) fn seal(packet: &mut [u8]) {
    // The checksum is the one number that has its least significant byte first.
    let checksum = crc32c::crc32c(packet).to_le_bytes();
    packet[FIELD..FIELD + checksum.len()].copy_from_slice(&checksum);
}

/// Place of the field in the common header.
const FIELD: usize = 8;

#[cfg(test)]
mod tests {
    #[test]
    fn checksums_are_those_of_castagnoli() {
        assert_eq!(crc32c::crc32c(b"123456789"), 0xe306_9283);
        assert_eq!(crc32c::crc32c(&[0; 32]), 0x8a91_36aa);
    }
}
