//! Chunk rescheduling: if a missing chunk of another path blocks the chunks of a path, this path retransmits the
//! missing chunk. \[D10] IV-C
//!
//! **When.** \[D10] regards a path as blocked if its buffered but not outstanding data takes more than half of the send
//! buffer, or of its share. This covers data that SACKs acknowledge renegably. With NR-SACK and a peer that keeps all
//! data that arrives, chunks above a gap leave the send buffer at once, and \[D10]'s fraction stays at zero. Ordered
//! chunks have not left the receive buffer, though: they wait there for the missing chunk, and the peer's window
//! shrinks. The same threshold therefore applies to the path's ordered chunks that the peer keeps above its cumulative
//! TSN. They are compared with the peer's buffer, and never count more than its window is reduced (messages of another
//! stream may have been read). \[D10] divides the receive buffer by the same measure (eq. 2), and INET compares with
//! both buffers. Unordered chunks that are kept have been delivered and do not block.
//!
//! The trigger of INET differs. The threshold is reached at half, not above it. Both buffers are divided if either is.
//! The receive buffer is the rest of the peer's window plus all buffered data.
//!
//! **Which.** The lowest unacknowledged TSN blocks everything above it, so it is the chunk that blocks every path. Each
//! chunk is rescheduled once. It stays the lowest until it is acknowledged, so there is never more than one in flight.
//!
//! **What then.** The chunk waits for transmission on the path that it blocks, before all new data. As in INET, it
//! requests an immediate SACK if the association uses such requests; \[D10] does not mention this. It is unknown
//! whether the first or the second copy arrives, so no window grows by its acknowledgement.

use manypath_core::{PathId, Time, Tsn};

use super::super::Sender;
use super::super::outstanding::{ChunkState, Past};
use crate::config::Rescheduling;
use crate::packet::DataFlags;

/// The chunk that blocks all others.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) struct Blocking {
    pub(crate) tsn: Tsn,
    /// Path of its last transmission.
    pub(crate) path: PathId,
    pub(crate) sent_at: Time,
    /// Bytes that it counts against the window.
    pub(crate) counted: u64,
}

impl Sender {
    /// Whether a missing chunk blocks a path, if the buffers are divided into this number of shares.
    pub(crate) fn is_blocked(&self, path: PathId, by: Rescheduling, shares: u64) -> bool {
        let flight = &self.flights[path.index()];
        let (stuck, kept) = (flight.buffered() - flight.payload(), flight.kept_ordered);
        let send_buffer = self.buffer as u64;
        match by {
            Rescheduling::None => false,
            Rescheduling::Threshold => {
                let lacking = self.peer_buffer.saturating_sub(self.announced);
                exceeds_half(stuck, send_buffer, shares)
                    || exceeds_half(kept.min(lacking), self.peer_buffer, shares)
            }
            Rescheduling::Inet => {
                let all_kept: u64 = self.flights.iter().map(|flight| flight.kept_ordered).sum();
                let sent = (self.buffered - self.queue.bytes()) as u64;
                let receive_buffer = self.peer_window() + sent + all_kept;
                reaches_half(stuck, send_buffer, shares)
                    || reaches_half(stuck + kept, receive_buffer, shares)
            }
        }
    }

    /// The chunk that blocks all others, if it is in flight and was never rescheduled.
    pub(crate) fn blocking_chunk(&self) -> Option<Blocking> {
        let chunk = self.outstanding.front()?;
        let may_move = chunk.state == ChunkState::InFlight && !chunk.past.has(Past::RESCHEDULED);
        may_move.then(|| Blocking {
            tsn: self.outstanding.first_tsn(),
            path: chunk.path,
            sent_at: chunk.sent_at,
            counted: u64::from(chunk.counted),
        })
    }

    /// Queues the blocking chunk for transmission on `to`, with a request for an immediate SACK if `immediately` is
    /// set.
    pub(crate) fn reschedule(&mut self, blocking: Blocking, to: PathId, immediately: bool) {
        let Some(chunk) = self.outstanding.get_mut(blocking.tsn) else { return };
        chunk.past.note(Past::RESCHEDULED, true);
        chunk.past.note(Past::MOVED, blocking.path != to);
        if immediately {
            chunk.flags = chunk.flags.with(DataFlags::IMMEDIATE);
        }
        self.mark_lost(blocking.tsn, to);
        self.flights[blocking.path.index()].cumack.find_again();
        self.flights[to.index()].cumack.find_again();
    }
}

/// Whether `part` is more than half of a share of the buffer. \[D10] IV-C
fn exceeds_half(part: u64, buffer: u64, shares: u64) -> bool {
    2 * shares * part > buffer
}

/// Whether `part` is half of a share of the buffer or more, shares rounded down as in INET.
fn reaches_half(part: u64, buffer: u64, shares: u64) -> bool {
    part > 0 && 2 * part >= buffer / shares
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_threshold_is_above_half_in_the_paper_and_half_in_inet() {
        for (shares, half) in [(1, 125_000), (2, 62_500), (4, 31_250)] {
            assert!(
                !exceeds_half(half, 250_000, shares) && exceeds_half(half + 1, 250_000, shares)
            );
            assert!(
                reaches_half(half, 250_000, shares) && !reaches_half(half - 1, 250_000, shares)
            );
        }
    }

    #[test]
    fn a_share_that_is_no_whole_number_is_exact_in_the_paper_and_rounded_down_in_inet() {
        assert!(exceeds_half(16_667, 100_000, 3) && !exceeds_half(16_666, 100_000, 3));
        assert!(reaches_half(16_667, 100_000, 3) && !reaches_half(16_666, 100_000, 3));
        assert!(exceeds_half(1, 5, 3) && reaches_half(1, 5, 3));
    }

    #[test]
    fn a_path_without_data_is_never_blocked() {
        assert!(!exceeds_half(0, 0, 1) && !reaches_half(0, 0, 1));
    }
}
