//! A cumulative acknowledgement per path, so that reordering between paths does not stop the growth of windows.
//!
//! CUC, versions 1 and 2, of Iyengar, Amer and Stewart, "Concurrent Multipath Transfer Using SCTP Multihoming", 2006.

use manypath_core::Tsn;

/// The lowest TSN outstanding on a path, followed from one SACK to the next.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct PseudoCumAck {
    /// The TSN whose acknowledgement lets the window grow; `None` until the next look at the flight finds it.
    expected: Option<Tsn>,
    /// The same among retransmissions (version 2).
    expected_retransmission: Option<Tsn>,
}

impl PseudoCumAck {
    /// What was expected has arrived or left the path: the next SACK looks for another.
    pub(crate) fn find_again(&mut self) {
        *self = Self::default();
    }

    /// Looks for the TSN to expect where none is known.
    pub(crate) fn find(
        &mut self,
        lowest: impl FnOnce() -> Option<Tsn>,
        lowest_retransmission: impl FnOnce() -> Option<Tsn>,
    ) {
        if self.expected.is_none() {
            self.expected = lowest();
        }
        if self.expected_retransmission.is_none() {
            self.expected_retransmission = lowest_retransmission();
        }
    }

    /// A gap block acknowledged `tsn`; whether that moves the path's cumulative TSN.
    pub(crate) fn acknowledge(&mut self, tsn: Tsn) -> bool {
        let first = self.expected == Some(tsn);
        let again = self.expected_retransmission == Some(tsn);
        if first {
            self.expected = None;
        }
        if again {
            self.expected_retransmission = None;
        }
        first || again
    }
}
