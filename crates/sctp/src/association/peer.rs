//! The peer of an association: its port, the tags of both sides, and what both have agreed on. RFC 9260 §5

use super::cookie::{Cookie, Terms};
use crate::entropy::Entropy;

/// The peer of an association, and what both sides have agreed on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Peer {
    /// Its port.
    pub(crate) port: u16,
    /// Verification tag of received packets.
    pub(crate) local_tag: u32,
    /// Verification tag of sent packets; 0 while unknown.
    pub(crate) tag: u32,
    /// Identifies this association in cookies without revealing its tags. RFC 9260 §5.2.2
    pub(super) tie_tag: u64,
    /// Outbound and inbound streams; 0 before they are agreed on.
    pub(crate) streams: (u16, u16),
    /// Both sides support packet drop reports.
    pub(super) drop_reports: bool,
}

impl Peer {
    pub(super) fn new(port: u16, local_tag: u32, random: &mut Entropy) -> Self {
        let tie_tag = new_tie_tag(random);
        Self { port, local_tag, tag: 0, tie_tag, streams: (0, 0), drop_reports: false }
    }

    /// Adopts the agreed values of the handshake.
    pub(super) fn adopt(&mut self, terms: &Terms) {
        self.tag = terms.peer_tag;
        self.streams = (terms.outbound_streams, terms.inbound_streams);
        self.drop_reports = terms.packet_drop_reports;
    }

    /// Takes new tags of this side, for another attempt to open the association.
    pub(super) fn renew(&mut self, random: &mut Entropy) {
        // A tag must not be 0. RFC 9260 §5.3.1
        self.local_tag = (random.next_u64() as u32).max(1);
        // Cookies for the old tag must not cause a restart. RFC 9260 §5.2.4
        self.tie_tag = new_tie_tag(random);
    }

    /// Whether the peer's tag is known, so that packets can be sent to it.
    pub(crate) fn is_known(&self) -> bool {
        self.tag != 0
    }

    /// Whether both tags are those of this association. Then even an expired cookie is valid. RFC 9260 §5.2.4
    pub(crate) fn has_tags_of(&self, cookie: &Cookie) -> bool {
        self.local_tag == cookie.terms.local_tag && self.tag == cookie.terms.peer_tag
    }

    /// Whether an ICMP message that quotes these fields of a packet refers to this association: either the peer's tag,
    /// or no tag and the initiate tag of our INIT. RFC 9260 §10 ICMP6
    pub(crate) fn was_sent(&self, tag: u32, initiate_tag: Option<u32>) -> bool {
        match tag {
            0 => initiate_tag == Some(self.local_tag),
            tag => tag == self.tag,
        }
    }
}

/// A new tie tag. The value 0 is reserved for cookies without an existing association.
fn new_tie_tag(random: &mut Entropy) -> u64 {
    random.next_u64() | 1
}

#[cfg(test)]
mod tests {
    use manypath_core::Streams;

    use super::*;

    #[test]
    fn a_quoted_packet_is_matched_by_the_peers_tag_or_the_initiate_tag_of_our_init() {
        let mut random = Entropy::Simulated(Streams::new(1, 0).stream("icmp"));
        let mut peer = Peer::new(9, 77, &mut random);
        assert!(peer.was_sent(0, Some(77)));
        assert!(!peer.was_sent(0, Some(78)) && !peer.was_sent(0, None));
        // The peer's tag is not known yet; its initial value must not match
        assert!(!peer.was_sent(5, Some(77)));
        peer.tag = 5;
        assert!(peer.was_sent(5, None) && !peer.was_sent(6, Some(77)));
    }
}
