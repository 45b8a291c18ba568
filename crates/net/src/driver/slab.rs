//! Memory for datagrams that arrive.

use bytes::{Bytes, BytesMut};

/// Copies datagrams out of the buffers that sockets fill, many into one allocation.
///
/// A payload that waits for the application keeps its whole slab. The state machine copies payloads of fewer than
/// `Config::copy_payloads_below` bytes, so what waits keeps at most `SLAB / copy_payloads_below` times its own length.
#[derive(Debug, Default)]
pub(crate) struct Slab(BytesMut);

impl Slab {
    /// The datagram in memory of its own. The slab is used again once all its datagrams are gone.
    pub(crate) fn copy(&mut self, datagram: &[u8]) -> Bytes {
        if self.0.capacity() < datagram.len() {
            self.0.reserve(SLAB.max(datagram.len()));
        }
        self.0.extend_from_slice(datagram);
        self.0.split().freeze()
    }
}

/// Bytes of one slab.
const SLAB: usize = 16 * 1024;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn datagrams_stay_as_they_came_while_the_slab_moves_on() {
        let mut slab = Slab::default();
        let kept: Vec<Bytes> = (0..50u8).map(|i| slab.copy(&vec![i; 1500])).collect();
        assert!((0..50u8).zip(&kept).all(|(i, datagram)| *datagram == vec![i; 1500]));
        assert_eq!(slab.copy(&[7; 65_000]).len(), 65_000);
    }
}
