//! Buffer splitting: each path may fill only its share of the buffers, so that a slow path cannot block a fast one.
//! \[D10] IV-B
//!
//! A share is filled by the bytes that the path has buffered (\[D10] eq. 1, 2), or by its outstanding bytes (Adhari,
//! Dreibholz, Becke, Rathgeb and Tüxen, PAMS 2011, which \[D11] §V uses). The difference is the chunks that gap blocks
//! acknowledge and that the receiver may still drop: they leave the flight at once, and the send buffer later. A path
//! that waits for a missing chunk fills its share by buffered bytes, but can continue by outstanding bytes.
//!
//! Only paths that may send new data have shares; a failed path has none.

use crate::config::{BufferSplit, SplitBy};

/// The quantities that decide whether a path may send a new chunk; all in payload bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Share {
    /// How many paths may send new data.
    pub(crate) paths: u64,
    /// Size of the send buffer.
    pub(crate) send_buffer: u64,
    /// The part of the peer's receive buffer that is not reserved for data in flight.
    pub(crate) peer_window: u64,
    /// In flight on all paths together.
    pub(crate) in_flight: u64,
    /// Largest packet.
    pub(crate) mtu: u64,
}

/// Whether a path that has filled this part of its share may send a new chunk.
///
/// With outstanding bytes, the receiver's share may be exceeded by one packet, as in the papers' simulator since July
/// 2011; with buffered bytes, no share may be exceeded. Unlike in \[D10] eq. 1, 2, a path without data may always send
/// one packet, because a share smaller than a packet would otherwise stop the path forever.
pub(crate) fn admits(split: BufferSplit, by: SplitBy, share: Share, filled: u64) -> bool {
    let Share { paths, send_buffer, peer_window, in_flight, mtu } = share;
    // A multiplication instead of a division, because this runs for every packet
    let fits = |buffer: u64| filled == 0 || (filled + mtu) * paths <= buffer;
    let announced = peer_window + in_flight;
    let receiver = match by {
        SplitBy::Outstanding => filled * paths <= announced,
        SplitBy::Buffered => fits(announced),
    };
    (!split.sender() || fits(send_buffer)) && (!split.receiver() || receiver)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TWO_PATHS: Share =
        Share { paths: 2, send_buffer: 250_000, peer_window: 60_000, in_flight: 60_000, mtu: 1500 };

    /// The largest part of its share with which a path may send another chunk.
    fn most(split: BufferSplit, by: SplitBy, share: Share) -> u64 {
        let refused = (0..500_000).find(|&filled| !admits(split, by, share, filled));
        refused.expect("no share is so large") - 1
    }

    #[test]
    fn the_send_buffer_admits_a_path_up_to_its_share_less_one_packet() {
        for by in [SplitBy::Outstanding, SplitBy::Buffered] {
            assert_eq!(most(BufferSplit::Sender, by, TWO_PATHS), 123_500);
        }
    }

    #[test]
    fn the_receive_buffer_admits_outstanding_bytes_up_to_the_share_and_buffered_ones_up_to_one_packet_less()
     {
        assert_eq!(most(BufferSplit::Receiver, SplitBy::Outstanding, TWO_PATHS), 60_000);
        assert_eq!(most(BufferSplit::Receiver, SplitBy::Buffered, TWO_PATHS), 58_500);
    }

    #[test]
    fn without_splitting_a_path_may_fill_everything() {
        for by in [SplitBy::Outstanding, SplitBy::Buffered] {
            assert!(admits(BufferSplit::None, by, TWO_PATHS, 1_000_000));
        }
    }

    #[test]
    fn the_smaller_of_two_shares_decides() {
        let small_sender = Share { send_buffer: 50_000, ..TWO_PATHS };
        for by in [SplitBy::Outstanding, SplitBy::Buffered] {
            let both = |share| most(BufferSplit::Both, by, share);
            assert_eq!(both(TWO_PATHS), most(BufferSplit::Receiver, by, TWO_PATHS));
            assert_eq!(both(small_sender), 23_500);
        }
    }

    #[test]
    fn a_share_of_three_paths_is_a_third_rounded_down() {
        let three = Share { paths: 3, send_buffer: 100_000, ..TWO_PATHS };
        assert_eq!(most(BufferSplit::Sender, SplitBy::Buffered, three), 33_333 - 1500);
    }

    #[test]
    fn one_packet_passes_a_share_that_is_smaller() {
        let tiny = Share { send_buffer: 2000, peer_window: 2000, in_flight: 0, ..TWO_PATHS };
        for by in [SplitBy::Outstanding, SplitBy::Buffered] {
            assert!(
                admits(BufferSplit::Both, by, tiny, 0)
                    && !admits(BufferSplit::Both, by, tiny, 1001)
            );
        }
    }
}
