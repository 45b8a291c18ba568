//! HEARTBEAT and HEARTBEAT ACK: a probe, and the same probe on its way back. RFC 9260 §3.3.5, §3.3.6
//!
//! What stands behind the header of the parameter is the prober's own affair; this is ours.
//!
//! ```text
//! ┌────────┬────────┬─────────────────┐
//! │ 4 or 5 │ 0      │ 44              │
//! ├────────┴────────┼─────────────────┤
//! │ 1               │ 40              │
//! ├─────────────────┴─────────────────┤
//! │ nonce, two rows                   │
//! ├───────────────────────────────────┤
//! │ when it was sent, two rows        │
//! ├────────┬──────────────────────────┤
//! │ 4 or 6 │ reserved                 │
//! ├────────┴──────────────────────────┤
//! │ address that is probed, four rows │
//! └───────────────────────────────────┘
//! ```

use super::writer::Writer;
use crate::packet::HeartbeatInfo;

/// Type of HEARTBEAT.
pub(super) const HEARTBEAT: u8 = 4;
/// Type of HEARTBEAT ACK.
pub(super) const HEARTBEAT_ACK: u8 = 5;
/// Type of the parameter Heartbeat Info.
const HEARTBEAT_INFO: u16 = 1;

/// Writes the chunk, which is of type `kind`.
pub(super) fn write(writer: &mut Writer<'_>, kind: u8, info: &HeartbeatInfo) {
    writer.chunk(kind, 0, |value| {
        value.parameter(HEARTBEAT_INFO, |value| {
            value.put_u64(info.nonce);
            value.put_u64(info.sent_at);
            value.put(&[if info.address.is_v4() { 4 } else { 6 }, 0, 0, 0]);
            value.put(&info.address.bits().to_be_bytes());
        });
    });
}

#[cfg(test)]
mod tests {
    use manypath_core::Address;

    use super::*;
    use crate::packet::Control;
    use crate::wire::tests::{control, hex};

    #[test]
    fn a_probe_comes_back_as_it_went() {
        let address = Address::v4(10, 0, 1, 2);
        let info = HeartbeatInfo { nonce: 0x0102_0304_0506_0708, sent_at: 1_000_000_000, address };
        let value = "0001 0028 0102030405060708 000000003b9aca00 04000000
                     00000000 00000000 0000ffff 0a000102";
        assert_eq!(control(Control::Heartbeat(info)), hex(&format!("0400002c {value}")));
        assert_eq!(control(Control::HeartbeatAck(info)), hex(&format!("0500002c {value}")));
    }
}
