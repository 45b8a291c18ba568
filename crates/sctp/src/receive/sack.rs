//! The timing and the content of acknowledgements. RFC 9260 §6.2, §6.7, and Iyengar, Amer, Stewart 2006 (DAC)

use manypath_core::{PathId, Ranges, Tsn};

use super::tsn_map::TsnMap;
use crate::config::Config;
use crate::packet::Sack;

/// The rules of acknowledgements, and the data since the last one.
#[derive(Debug)]
pub(super) struct SackRules {
    /// Number of packets per SACK.
    every: u32,
    /// DAC: gaps do not cause an immediate SACK, and each SACK states the number of packets that it acknowledges.
    for_cmt: bool,
    /// NR-SACK chunks instead of SACK chunks.
    nr_sack: bool,
    /// Packets with DATA since the last SACK.
    packets: u32,
    due: bool,
    /// Whether DATA has arrived before.
    begun: bool,
    /// TSNs that arrived again since the last SACK.
    duplicates: Vec<Tsn>,
    first_path: PathId,
    last_path: PathId,
    /// The paths that carried DATA since the last SACK, one bit each.
    data_paths: u32,
}

/// The properties of a received packet that affect its acknowledgement.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct News {
    /// A chunk was new.
    pub(super) new: bool,
    /// A chunk had arrived before.
    pub(super) duplicate: bool,
    /// A chunk had to be dropped.
    pub(super) dropped: bool,
    /// A chunk had the I bit.
    pub(super) immediate: bool,
    /// A TSN was missing before the packet, or is missing after it.
    pub(super) gap: bool,
}

impl SackRules {
    /// Whether the acknowledgements are NR-SACK chunks.
    #[inline]
    pub(super) fn speaks_nr_sack(&self) -> bool {
        self.nr_sack
    }

    pub(super) fn new(config: &Config) -> Self {
        Self {
            every: config.sack_every,
            for_cmt: config.dac,
            nr_sack: config.nr_sack,
            packets: 0,
            due: false,
            begun: false,
            duplicates: Vec::new(),
            first_path: PathId(0),
            last_path: PathId(0),
            data_paths: 0,
        }
    }

    /// Sets the number of packets per SACK.
    pub(super) fn set_every(&mut self, packets: u32) {
        self.every = packets;
    }

    pub(super) fn use_nr_sack(&mut self, agreed: bool) {
        self.nr_sack = agreed;
    }

    /// Records a packet with DATA on `path`.
    pub(super) fn note_packet(&mut self, path: PathId, news: News) {
        if self.packets == 0 {
            self.first_path = path;
            self.data_paths = 0;
        }
        self.data_paths |= 1 << path.0;
        self.last_path = path;
        self.packets += 1;
        // The first DATA is acknowledged at once, as in INET and usrsctp, so that the sender gets its first RTT sample
        let first = !std::mem::replace(&mut self.begun, true);
        self.due |= first || self.packets >= self.every || self.is_urgent(news);
    }

    /// Records a duplicate TSN. TSNs that do not fit into any packet are not recorded, because reporting them is
    /// optional.
    pub(super) fn note_duplicate(&mut self, tsn: Tsn) {
        if self.duplicates.len() < MAX_DUPLICATES {
            self.duplicates.push(tsn);
        }
    }

    /// Requests an immediate SACK.
    pub(super) fn demand(&mut self) {
        self.due = true;
    }

    /// Whether a SACK is due.
    pub(super) fn is_due(&self) -> bool {
        self.due
    }

    /// The path of the first packet since the last SACK.
    pub(super) fn first_path(&self) -> PathId {
        self.first_path
    }

    /// Whether DATA arrived on `path` since the last SACK; if none arrived since, whether it did before that SACK.
    pub(super) fn carried_data(&self, path: PathId) -> bool {
        self.data_paths & (1 << path.0) != 0
    }

    /// The path of the latest packet.
    pub(super) fn last_path(&self) -> PathId {
        self.last_path
    }

    /// Bytes of a SACK with this number of gap blocks and all duplicates.
    pub(super) fn longest(&self, blocks: usize) -> usize {
        let empty = Sack { non_renegable_chunk: self.nr_sack, ..Sack::default() };
        empty.length() + ENTRY_LENGTH * (blocks + self.duplicates.len())
    }

    /// Fills `sack`, except for the window, with at most `room` bytes, and resets the count.
    ///
    /// The chunks in `settled` will not be dropped; if it is `None`, no chunk will. If the room is too small, first
    /// duplicates and then the highest gap blocks are omitted.
    pub(super) fn write(
        &mut self,
        arrived: &TsnMap,
        settled: Option<&Ranges>,
        room: usize,
        sack: &mut Sack,
    ) {
        sack.gaps.clear();
        sack.kept_gaps.clear();
        sack.duplicates.clear();
        sack.non_renegable_chunk = self.nr_sack;
        sack.cumulative = arrived.cumulative();
        sack.packets = if self.for_cmt { self.packets.min(MAX_PACKETS) as u8 } else { 0 };

        let limit = room.saturating_sub(sack.length()) / ENTRY_LENGTH;
        let (gaps, kept) = (&mut sack.gaps, &mut sack.kept_gaps);
        // A recycled packet reserves room for the longest possible lists, so that a warm run does not allocate.
        match settled {
            Some(settled) if self.nr_sack => {
                gaps.reserve(limit);
                kept.reserve(limit);
                arrived.report_apart(settled, limit, gaps, kept);
            }
            _ => {
                let blocks = if self.nr_sack { &mut *kept } else { &mut *gaps };
                blocks.reserve(limit);
                arrived.report(limit, blocks);
            }
        }
        if !self.duplicates.is_empty() {
            let left = limit - gaps.len() - kept.len();
            sack.duplicates.extend(self.duplicates.drain(..).take(left));
        }

        self.packets = 0;
        self.due = false;
    }

    /// With DAC, too, a packet with only duplicates causes an immediate SACK (unlike in INET): RFC 9260 §6.2 says MUST.
    fn is_urgent(&self, news: News) -> bool {
        let only_old = news.duplicate && !news.new;
        news.immediate || news.dropped || only_old || (news.gap && !self.for_cmt)
    }
}

/// The largest count that fits into two bits.
const MAX_PACKETS: u32 = 3;
/// Bytes of a gap block or of a duplicate TSN.
const ENTRY_LENGTH: usize = 4;
const MAX_DUPLICATES: usize = 1500 / ENTRY_LENGTH;

#[cfg(test)]
mod tests {
    use super::*;

    const NEW: News =
        News { new: true, duplicate: false, dropped: false, immediate: false, gap: false };

    #[test]
    fn the_first_packet_and_then_every_second_one_is_acknowledged() {
        let mut rules = SackRules::new(&Config::default());
        assert_eq!(due_after(&mut rules, [NEW; 5]), [true, false, true, false, true]);
    }

    #[test]
    fn a_packet_with_the_i_bit_is_acknowledged_immediately() {
        let mut rules = begun(&Config::default());
        let asks = News { immediate: true, ..NEW };
        assert_eq!(due_after(&mut rules, [asks, NEW, asks]), [true, false, true]);
    }

    #[test]
    fn duplicates_cause_an_immediate_sack_only_without_new_data() {
        let old = News { new: false, duplicate: true, ..NEW };
        for for_cmt in [false, true] {
            let mut rules = begun(&Config { dac: for_cmt, ..Config::default() });
            assert_eq!(due_after(&mut rules, [old]), [true]);
            assert_eq!(due_after(&mut rules, [News { duplicate: true, ..NEW }]), [false]);
        }
    }

    #[test]
    fn a_gap_causes_an_immediate_sack_except_with_dac() {
        let gap = News { gap: true, ..NEW };
        let mut rules = begun(&Config::default());
        assert_eq!(due_after(&mut rules, [gap, gap, NEW]), [true, true, false]);
        let mut rules = begun(&Config { dac: true, ..Config::default() });
        assert_eq!(due_after(&mut rules, [gap, gap, NEW]), [false, true, false]);
    }

    #[test]
    fn dropped_data_causes_an_immediate_sack() {
        let mut rules = begun(&Config { dac: true, ..Config::default() });
        assert_eq!(due_after(&mut rules, [News { new: false, dropped: true, ..NEW }]), [true]);
    }

    #[test]
    fn dac_counts_the_packets_up_to_three() {
        let config = Config { dac: true, sack_every: 10, ..Config::default() };
        let mut rules = begun(&config);
        for (packets, said) in [(1, 1), (2, 2), (3, 3), (5, 3)] {
            for _ in 0..packets {
                rules.note_packet(PathId(0), NEW);
            }
            assert_eq!(written(&mut rules, &TsnMap::new(Tsn(1)), 1452).packets, said);
        }
        let mut rules = begun(&Config::default());
        rules.note_packet(PathId(0), NEW);
        assert_eq!(
            written(&mut rules, &TsnMap::new(Tsn(1)), 1452).packets,
            0,
            "without DAC no count is reported"
        );
    }

    #[test]
    fn gap_blocks_have_priority_over_duplicates() {
        let mut arrived = TsnMap::new(Tsn(1));
        for tsn in [3, 5, 7] {
            arrived.insert(Tsn(tsn));
        }
        for (room, blocks, duplicates) in
            [(16 + 20, 3, 2), (16 + 16, 3, 1), (16 + 12, 3, 0), (16 + 11, 2, 0), (3, 0, 0)]
        {
            let mut rules = begun(&Config::default());
            rules.note_duplicate(Tsn(3));
            rules.note_duplicate(Tsn(3));
            let sack = written(&mut rules, &arrived, room);
            assert_eq!((sack.gaps.len(), sack.duplicates.len()), (blocks, duplicates));
            assert!(sack.length() <= room.max(16));
        }
    }

    #[test]
    fn settled_tsns_are_in_the_non_renegable_list() {
        let mut arrived = TsnMap::new(Tsn(1));
        arrived.insert(Tsn(3));
        let mut rules = begun(&Config { nr_sack: true, ..Config::default() });
        let sack = written(&mut rules, &arrived, 1452);
        assert!(
            sack.non_renegable_chunk && sack.gaps.is_empty() && sack.kept_gaps.contains(Tsn(3))
        );
        rules.use_nr_sack(false);
        let sack = written(&mut rules, &arrived, 1452);
        assert!(
            !sack.non_renegable_chunk && sack.kept_gaps.is_empty() && sack.gaps.contains(Tsn(3))
        );
    }

    #[test]
    fn the_paths_that_carried_data_since_the_last_sack_are_known() {
        let mut rules = begun(&Config { sack_every: 3, ..Config::default() });
        for path in [2, 4, 0] {
            rules.note_packet(PathId(path), NEW);
        }
        assert_eq!((rules.first_path(), rules.last_path()), (PathId(2), PathId(0)));
        assert_eq!(
            [0, 1, 2, 3, 4].map(|path| rules.carried_data(PathId(path))),
            [true, false, true, false, true]
        );
        written(&mut rules, &TsnMap::new(Tsn(1)), 1452);
        assert!(rules.carried_data(PathId(4)), "kept until another packet arrives");
        rules.note_packet(PathId(1), NEW);
        assert_eq!([0, 1, 2].map(|path| rules.carried_data(PathId(path))), [false, true, false]);
    }

    /// Rules after the acknowledgement of the first packet.
    fn begun(config: &Config) -> SackRules {
        let mut rules = SackRules::new(config);
        due_after(&mut rules, [NEW]);
        rules
    }

    /// Whether a SACK is due after each packet; each due SACK is written.
    fn due_after<const N: usize>(rules: &mut SackRules, packets: [News; N]) -> [bool; N] {
        packets.map(|news| {
            rules.note_packet(PathId(0), news);
            let due = rules.is_due();
            if due {
                written(rules, &TsnMap::new(Tsn(1)), 1452);
            }
            due
        })
    }

    fn written(rules: &mut SackRules, arrived: &TsnMap, room: usize) -> Sack {
        let mut sack = Sack::default();
        rules.write(arrived, None, room, &mut sack);
        sack
    }
}
