//! What an SCTP flow must fulfil.

use manypath_cc::Profile;

use super::flow::unknown;
use super::{ascending, within};
use crate::scenario::{ScenarioError, SctpFlow};

impl SctpFlow {
    /// Says which setting of the association makes no sense.
    pub(super) fn validate(&self, field: &dyn Fn(&str) -> String) -> Result<(), ScenarioError> {
        Profile::by_name(&self.profile).map_err(|error| unknown(field("profile"), &error))?;
        within(field("mtu"), self.mtu.into(), MIN_MTU, u16::MAX.into())?;
        within(field("streams"), self.streams.into(), 1, u16::MAX.into())?;
        within(field("send_buffer"), self.send_buffer, 1, u64::MAX)?;
        within(field("receive_buffer"), self.receive_buffer, 1, u32::MAX.into())?;
        within(field("sack_every"), self.sack_every.into(), 1, 255)?;
        within(field("sack_delay"), self.sack_delay.as_nanos(), 0, MAX_SACK_DELAY)?;
        within(field("max_burst"), self.max_burst.into(), 1, u16::MAX.into())?;
        within(field("heartbeat_interval"), self.heartbeat_interval.as_nanos(), 1, u64::MAX)?;
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
        within(field("rto.min"), self.rto.min.as_nanos(), 1, u64::MAX)?;
        let granularity = self.rto.granularity.as_nanos();
        within(field("rto.granularity"), granularity, 0, MAX_GRANULARITY)
    }
}

/// RFC 791: what every host must accept.
const MIN_MTU: u64 = 576;
/// RFC 9260 §6.2: an acknowledgement does not wait longer, nanoseconds.
const MAX_SACK_DELAY: u64 = 500_000_000;
/// No clock is coarser than the least timeout that RFC 9260 §16 recommends, nanoseconds.
const MAX_GRANULARITY: u64 = 1_000_000_000;
