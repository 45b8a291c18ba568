//! Handling of reports of damaged chunks: they are retransmitted at once, and no window shrinks.
//! draft-stewart-sctp-pktdrprep

use manypath_core::{PathId, Time};

use super::Sender;
use super::outstanding::{ChunkState, Past, SentChunk};
use crate::packet::{COMPARED, DataFlags, DataHead, PacketDrop, Part};

impl Sender {
    /// Takes the chunks that a report from `path` names out of flight, to be retransmitted there; returns their number.
    ///
    /// A chunk counts only if its last copy must be the damaged one: it is in flight on this path, and either all
    /// earlier copies are known to be damaged, or it was sent before `round_trip_ago`. Otherwise a SACK, a gap report
    /// or a timer has already handled the chunk, and another copy is in flight or waits for transmission.
    ///
    /// Only the timer retransmits window probes and chunks that were sent many times, because a path that damages
    /// everything must fail eventually. Unlike in usrsctp, a window that is full only of data in flight does not count
    /// as closed.
    pub(crate) fn take_dropped(
        &mut self,
        report: &PacketDrop,
        path: PathId,
        round_trip_ago: Time,
    ) -> u32 {
        if self.announced == 0 {
            return 0;
        }
        let mut chunks = 0;
        for part in report.parts() {
            let Part::Data(data) = part else { continue };
            let Some(chunk) = self.outstanding.get_mut(data.tsn) else { continue };
            if !chunk.is_repeated_by(&data) {
                continue;
            }
            if chunk.payload.len() != data.length {
                // The length is damaged: the bytes after the chunk are part of its payload
                break;
            }
            let is_last_copy = chunk.state == ChunkState::InFlight
                && chunk.path == path
                && (chunk.transmissions <= chunk.damaged + 1 || chunk.sent_at <= round_trip_ago);
            if !is_last_copy || chunk.transmissions >= MOST_COPIES {
                continue;
            }
            // Later gap reports must not cause another fast retransmission
            chunk.past.note(Past::FAST_RETRANSMITTED, true);
            chunk.missing = 0;
            chunk.damaged += 1;
            self.mark_lost(data.tsn, path);
            chunks += 1;
        }
        chunks
    }

    /// Handles the size and the used part of the peer's receive buffer, which the report contains.
    pub(crate) fn note_buffer(&mut self, report: &PacketDrop) {
        self.announced = u64::from(report.window.saturating_sub(report.queued));
        self.judge_peer_window();
    }
}

impl SentChunk {
    /// Whether `data`, which has the TSN of the chunk, is equal to it except for its length.
    fn is_repeated_by(&self, data: &DataHead<'_>) -> bool {
        let flags = |flags: DataFlags| flags.without(DataFlags::IMMEDIATE);
        let heads = self.payload.iter().zip(data.payload).take(COMPARED);
        (self.stream, self.ssn, self.ppid, flags(self.flags))
            == (data.stream, data.ssn, data.ppid, flags(data.flags))
            && heads.into_iter().all(|(ours, theirs)| ours == theirs)
    }
}

/// Chunks that were sent this number of times are left to the timer: once, and five times again, like Path.Max.Retrans.
const MOST_COPIES: u8 = 6;
