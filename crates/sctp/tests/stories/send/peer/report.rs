//! SACKs with all options, and the paths of data.

use manypath_core::{Ranges, SansIo, Span};
use manypath_sctp::{Control, Packet, PacketDrop, Sack};

use super::{Peer, message};
use crate::pair::{A, FIRST};

/// The content of a SACK. Chunks are numbered from 1.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Report<'a> {
    /// Cumulative TSN: all chunks up to this one have arrived.
    pub(crate) cumulative: u32,
    /// Gap blocks that may be reneged.
    pub(crate) gaps: &'a [(u32, u32)],
    /// Gap blocks that will not be reneged.
    pub(crate) kept: &'a [(u32, u32)],
    /// Chunks that arrived again.
    pub(crate) duplicates: &'a [u32],
    /// Number of DATA packets that the SACK acknowledges.
    pub(crate) packets: u8,
    /// The path of the SACK.
    pub(crate) path: usize,
}

impl Peer {
    /// A's application submits messages; returns the path and the chunks of each resulting packet.
    pub(crate) fn submit_by_path(&mut self, count: usize, length: usize) -> Vec<(usize, Vec<u32>)> {
        for _ in 0..count {
            self.endpoint.send(self.now, FIRST, message(length)).expect("there is room");
        }
        self.chunks_by_path()
    }

    /// Sends a SACK; returns the path and the chunks of each packet that follows at once.
    pub(crate) fn sack_by_path(&mut self, report: Report<'_>) -> Vec<(usize, Vec<u32>)> {
        self.sack_unread(report);
        self.chunks_by_path()
    }

    /// Sends a SACK, and leaves the resulting packets unread.
    pub(crate) fn sack_unread(&mut self, report: Report<'_>) {
        let before = self.first.previous();
        let ranges = |blocks: &[(u32, u32)]| {
            let mut ranges = Ranges::new();
            for tsn in blocks.iter().flat_map(|&(low, high)| low..=high) {
                ranges.insert(before.add(tsn));
            }
            ranges
        };
        let sack = Sack {
            non_renegable_chunk: !report.kept.is_empty(),
            cumulative: before.add(report.cumulative),
            window: self.window,
            gaps: ranges(report.gaps),
            kept_gaps: ranges(report.kept),
            packets: report.packets,
            duplicates: report.duplicates.iter().map(|&chunk| before.add(chunk)).collect(),
        };
        self.deliver(report.path, Packet { sack, has_sack: true, ..Packet::default() });
    }

    /// Returns a packet of A on a path in a packet drop report; returns the path and the chunks of each packet that
    /// follows at once.
    pub(crate) fn report_dropped(
        &mut self,
        path: usize,
        report: PacketDrop,
    ) -> Vec<(usize, Vec<u32>)> {
        let control = vec![Control::PacketDrop(Box::new(report))];
        self.deliver(path, Packet { control, ..Packet::default() });
        self.chunks_by_path()
    }

    /// Delivers a packet of the peer to A.
    pub(super) fn deliver(&mut self, path: usize, packet: Packet) {
        let (source_port, destination_port, tag) = (2002, 1001, self.tag);
        let mut packet = Packet { source_port, destination_port, tag, ..packet };
        self.endpoint.handle_packet(self.now, A.via(path), &mut packet);
    }

    /// Advances the time; returns the path and the chunks of each packet sent meanwhile.
    pub(crate) fn advance_by_path(&mut self, span: Span) -> Vec<(usize, Vec<u32>)> {
        let end = self.now + span;
        let mut sent = Vec::new();
        while self.timer() <= end {
            self.now = self.timer();
            self.endpoint.handle_timeout(self.now);
            sent.extend(self.chunks_by_path());
        }
        self.now = end;
        sent
    }

    fn chunks_by_path(&mut self) -> Vec<(usize, Vec<u32>)> {
        let before = self.first.previous();
        let mut sent = Vec::new();
        for (path, packet) in self.data_by_path() {
            let numbers = packet.data.iter().map(|chunk| chunk.tsn.distance_from(before));
            let numbers: Vec<u32> = numbers.collect();
            self.highest = numbers.iter().fold(self.highest, |highest, chunk| highest.max(*chunk));
            sent.push((path, numbers));
        }
        sent
    }

    /// Packets with DATA that A sends now, with their paths.
    pub(crate) fn data_by_path(&mut self) -> Vec<(usize, Packet)> {
        let mut deliveries = Vec::new();
        loop {
            let mut packet = Packet::default();
            let Some(via) = self.endpoint.poll_transmit(self.now, &mut packet) else {
                return deliveries;
            };
            let path = (0..).find(|&path| A.via(path) == via).expect("a path leads there");
            if !packet.data.is_empty() {
                deliveries.push((path, packet));
            }
        }
    }
}
