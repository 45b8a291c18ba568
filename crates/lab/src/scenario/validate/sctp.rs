//! The requirements for an SCTP flow.

use manypath_cc::Profile;
use manypath_core::Span;
use manypath_link::DocumentError;

use super::flow::unknown;
use super::{ascending, at_most, positive, within, within_bytes};
use crate::scenario::SctpFlow;

impl SctpFlow {
    /// Checks the settings of the association.
    pub(in crate::scenario) fn validate(
        &self,
        field: &dyn Fn(&str) -> String,
    ) -> Result<(), DocumentError> {
        Profile::by_name(&self.profile).map_err(|error| unknown(field("profile"), &error))?;
        within_bytes(field("mtu"), self.mtu.into(), MIN_MTU, u16::MAX.into())?;
        within(field("streams"), self.streams.into(), 1, u16::MAX.into())?;
        within_bytes(field("send_buffer"), self.send_buffer, 1, u64::MAX)?;
        within_bytes(field("receive_buffer"), self.receive_buffer, 1, u32::MAX.into())?;
        within(field("sack_every"), self.sack_every.into(), 1, 255)?;
        at_most(field("sack_delay"), self.sack_delay, MAX_SACK_DELAY)?;
        within(field("max_burst"), self.max_burst.into(), 1, u16::MAX.into())?;
        positive(field("heartbeat_interval"), self.heartbeat_interval)?;
        within(
            field("path_max_retransmissions"),
            self.path_max_retransmissions.into(),
            0,
            u16::MAX.into(),
        )?;
        within(
            field("association_max_retransmissions"),
            self.association_max_retransmissions.into(),
            0,
            u16::MAX.into(),
        )?;
        within(
            field("potentially_failed_after"),
            self.potentially_failed_after.unwrap_or_default().into(),
            0,
            u16::MAX.into(),
        )?;
        ascending(
            &field("rto"),
            &[("min", self.rto.min), ("initial", self.rto.initial), ("max", self.rto.max)],
        )?;
        positive(field("rto.min"), self.rto.min)?;
        at_most(field("rto.granularity"), self.rto.granularity, MAX_GRANULARITY)
    }
}

/// RFC 791: every host must accept packets of this size.
const MIN_MTU: u64 = 576;
/// RFC 9260 §6.2: largest delay of an acknowledgement.
const MAX_SACK_DELAY: Span = Span::from_millis(500);
/// The smallest timeout that RFC 9260 §16 recommends; a clock must not be coarser.
const MAX_GRANULARITY: Span = Span::from_secs(1);
