//! Each path may fill only its share of the buffers, so that a slow path cannot block a fast one.
//!
//! The variant by outstanding bytes of Adhari, Dreibholz, Becke, Rathgeb and Tüxen, PAMS 2011, which [D11] §V uses.

use crate::config::BufferSplit;

/// The quantities that decide whether a path may send a new chunk; all in payload bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Share {
    /// Number of paths.
    pub(crate) paths: u64,
    /// Size of the send buffer.
    pub(crate) send_buffer: u64,
    /// Receive buffer of the peer that is not spoken for.
    pub(crate) peer_window: u64,
    /// In flight on all paths together.
    pub(crate) in_flight: u64,
    /// Largest packet.
    pub(crate) mtu: u64,
}

/// Whether a path with so many outstanding bytes may send a new chunk.
///
/// The receiver's share may be exceeded by one packet, as in the simulator of the papers since July 2011. However small
/// the buffers, one packet at a time may pass.
pub(crate) fn admits(split: BufferSplit, share: Share, outstanding: u64) -> bool {
    let Share { paths, send_buffer, peer_window, in_flight, mtu } = share;
    let sender = !split.sender() || outstanding == 0 || outstanding + mtu <= send_buffer / paths;
    let receiver = !split.receiver() || outstanding <= (peer_window + in_flight) / paths;
    sender && receiver
}

#[cfg(test)]
mod tests {
    use super::*;

    const TWO_PATHS: Share =
        Share { paths: 2, send_buffer: 250_000, peer_window: 60_000, in_flight: 60_000, mtu: 1500 };

    #[test]
    fn the_send_buffer_admits_a_path_up_to_its_share_less_one_packet() {
        assert!(admits(BufferSplit::Sender, TWO_PATHS, 123_500));
        assert!(!admits(BufferSplit::Sender, TWO_PATHS, 123_501));
    }

    #[test]
    fn the_receive_buffer_admits_a_path_up_to_its_share() {
        assert!(admits(BufferSplit::Receiver, TWO_PATHS, 60_000));
        assert!(!admits(BufferSplit::Receiver, TWO_PATHS, 60_001));
    }

    #[test]
    fn without_splitting_a_path_may_fill_everything() {
        assert!(admits(BufferSplit::None, TWO_PATHS, 1_000_000));
    }

    #[test]
    fn both_shares_must_hold() {
        assert!(!admits(BufferSplit::Both, TWO_PATHS, 60_001));
        assert!(admits(BufferSplit::Both, TWO_PATHS, 60_000));
    }
}
