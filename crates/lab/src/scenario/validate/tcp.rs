//! The requirements for a flow over TCP or Multipath TCP.

use manypath_core::Span;
use manypath_link::DocumentError;

use super::{ascending, at_most, positive, within, within_bytes};
use crate::scenario::TcpFlow;

impl TcpFlow {
    /// Checks the settings of a connection over one path.
    pub(super) fn validate(&self, field: &dyn Fn(&str) -> String) -> Result<(), DocumentError> {
        if self.paths.len() != 1 {
            let value = format!("{} paths", self.paths.len());
            let expected = "one path, or the transport \"mptcp\"";
            return Err(DocumentError::value(field("paths"), value, expected));
        }
        self.validate_settings(field)
    }

    /// Checks the settings that Multipath TCP has too.
    pub(super) fn validate_settings(
        &self,
        field: &dyn Fn(&str) -> String,
    ) -> Result<(), DocumentError> {
        within_bytes(field("mss"), self.mss.into(), MIN_MSS, MAX_MSS)?;
        self.validate_windows(field)?;
        within(field("ack_every"), self.ack_every.into(), 1, 2)?;
        at_most(field("ack_delay"), self.ack_delay, MAX_ACK_DELAY)?;
        within_bytes(field("send_buffer"), self.send_buffer, 1, u64::MAX)?;
        within_bytes(field("receive_buffer"), self.receive_buffer, 1, MAX_WINDOW)?;
        within_bytes(field("option_bytes"), self.option_bytes.into(), 0, MAX_OPTIONS)?;
        if !self.option_bytes.is_multiple_of(4) {
            let expected = "a multiple of 4";
            return Err(DocumentError::value(field("option_bytes"), self.option_bytes, expected));
        }
        within(field("abc_limit"), self.abc_limit.into(), 1, u16::MAX.into())?;
        ascending(
            &field("rto"),
            &[("min", self.rto.min), ("initial", self.rto.initial), ("max", self.rto.max)],
        )?;
        positive(field("rto.min"), self.rto.min)
    }

    /// Checks the windows that are given in segments, which depend on each other.
    fn validate_windows(&self, field: &dyn Fn(&str) -> String) -> Result<(), DocumentError> {
        within(field("initial_window"), self.initial_window.into(), 1, u16::MAX.into())?;
        let most = self.initial_window.max(STANDARD_FLOOR);
        within(field("smallest_window"), self.smallest_window.into(), 1, most.into())?;
        let Some(threshold) = self.initial_threshold else { return Ok(()) };
        let least = self.smallest_window;
        within(field("initial_threshold"), threshold.into(), least.into(), u16::MAX.into())
    }
}

/// RFC 5681 §3.1 equation 4: no window is reduced below two segments, although the initial window may be one.
const STANDARD_FLOOR: u32 = 2;
/// Room for all options and some data.
const MIN_MSS: u64 = 88;
/// The longest IPv4 packet less the headers of IP and TCP. RFC 791 §3.1, RFC 9293 §3.1
const MAX_MSS: u64 = 65_535 - 40;
/// RFC 9293 §3.1: the header has at most 60 bytes.
const MAX_OPTIONS: u64 = 40;
/// RFC 5681 §4.2: largest delay of an acknowledgement.
const MAX_ACK_DELAY: Span = Span::from_millis(500);
/// The largest window that can be advertised. RFC 7323 §2.3
const MAX_WINDOW: u64 = 1 << 30;
