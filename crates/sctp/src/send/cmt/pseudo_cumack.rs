//! A cumulative acknowledgement per path, so that reordering between paths does not stop the growth of windows.
//!
//! CUC, versions 1 and 2, of Iyengar, Amer and Stewart, "Concurrent Multipath Transfer Using SCTP Multihoming", 2006.

use manypath_core::Tsn;

/// The lowest outstanding TSN of a path, tracked across SACKs.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct PseudoCumAck {
    /// The TSN whose acknowledgement lets the window grow; `None` until the next search of the flight.
    expected: Option<Tsn>,
    /// Like `expected`, among retransmissions only (version 2).
    expected_retransmission: Option<Tsn>,
}

impl PseudoCumAck {
    /// Discards the expected TSNs, because they were acknowledged or left the path. The next SACK searches for others.
    pub(crate) fn find_again(&mut self) {
        *self = Self::default();
    }

    /// Whether `expected` and `expected_retransmission` are unknown.
    pub(crate) fn lacks(&self) -> (bool, bool) {
        (self.expected.is_none(), self.expected_retransmission.is_none())
    }

    /// Sets the expected TSN.
    pub(crate) fn expect(&mut self, lowest: Option<Tsn>) {
        self.expected = lowest;
    }

    /// Sets the expected TSN among retransmissions.
    pub(crate) fn expect_retransmission(&mut self, lowest: Option<Tsn>) {
        self.expected_retransmission = lowest;
    }

    /// Handles a gap block that acknowledges `tsn`; returns whether the path's pseudo-cumulative TSN moves.
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
