//! Memory for received datagrams.

use bytes::{Bytes, BytesMut};

/// Copies datagrams out of the socket buffers, many into one allocation.
///
/// A payload that waits for the application keeps its whole slab in memory. The state machine copies payloads of fewer
/// than `Config::copy_payloads_below` bytes, so waiting data keeps at most `SLAB / copy_payloads_below` times its
/// length.
#[derive(Debug, Default)]
pub(crate) struct Slab(BytesMut);

impl Slab {
    /// Copies the datagram. The slab is reused once all its datagrams have been dropped.
    pub(crate) fn copy(&mut self, datagram: &[u8]) -> Bytes {
        if self.0.capacity() < datagram.len() {
            self.0.reserve(SLAB.max(datagram.len()));
        }
        self.0.extend_from_slice(datagram);
        self.0.split().freeze()
    }
}

/// Size of a slab in bytes.
const SLAB: usize = 16 * 1024;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copied_datagrams_stay_unchanged_while_the_slab_is_reused() {
        let mut slab = Slab::default();
        let kept: Vec<Bytes> = (0..50u8).map(|i| slab.copy(&vec![i; 1500])).collect();
        assert!((0..50u8).zip(&kept).all(|(i, datagram)| *datagram == vec![i; 1500]));
        assert_eq!(slab.copy(&[7; 65_000]).len(), 65_000);
    }
}
