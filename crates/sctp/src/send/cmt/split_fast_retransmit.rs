//! How often a SACK counts a chunk as missing.
//!
//! SFR and DAC of Iyengar, Amer and Stewart 2006: only acknowledgements of later chunks of the same path count, and one
//! SACK may count for several packets.

use manypath_core::Tsn;

/// How the current SACK counts missing chunks.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Strike {
    /// Each missing chunk once.
    Once,
    /// Chunks below all newly acknowledged TSNs count once per packet that the SACK acknowledges, others once.
    PerPacket {
        /// Lowest TSN that a gap block newly acknowledges.
        lowest: Tsn,
        /// DATA packets since the previous SACK.
        packets: u8,
    },
}

impl Strike {
    /// How often `tsn` counts as missing.
    pub(crate) fn count(self, tsn: Tsn) -> u8 {
        match self {
            Self::PerPacket { lowest, packets } if tsn.is_before(lowest) => packets.max(1),
            _ => 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chunk_below_all_newly_acknowledged_tsns_counts_once_per_packet() {
        let strike = Strike::PerPacket { lowest: Tsn(10), packets: 2 };
        assert_eq!(strike.count(Tsn(9)), 2);
    }

    #[test]
    fn a_chunk_between_newly_acknowledged_tsns_counts_once() {
        let strike = Strike::PerPacket { lowest: Tsn(10), packets: 2 };
        assert_eq!(strike.count(Tsn(11)), 1);
    }

    #[test]
    fn a_sack_without_a_count_of_packets_counts_as_one_packet() {
        let strike = Strike::PerPacket { lowest: Tsn(10), packets: 0 };
        assert_eq!(strike.count(Tsn(9)), 1);
    }
}
