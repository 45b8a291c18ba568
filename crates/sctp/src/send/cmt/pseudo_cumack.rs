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

    /// Whether it is not known which TSN to expect, and which among retransmissions.
    pub(crate) fn lacks(&self) -> (bool, bool) {
        (self.expected.is_none(), self.expected_retransmission.is_none())
    }

    /// From now on this TSN is expected.
    pub(crate) fn expect(&mut self, lowest: Option<Tsn>) {
        self.expected = lowest;
    }

    /// From now on this TSN is expected among retransmissions.
    pub(crate) fn expect_retransmission(&mut self, lowest: Option<Tsn>) {
        self.expected_retransmission = lowest;
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
