//! SHUTDOWN, SHUTDOWN ACK, SHUTDOWN COMPLETE: the orderly end. RFC 9260 §3.3.8, §3.3.9, §3.3.13
//!
//! ```text
//! ┌────────┬────────┬─────────────────┐   ┌────────┬────────┬─────────────────┐
//! │ 7      │ 0      │ 8               │   │ 8      │ 0      │ 4               │
//! ├────────┴────────┴─────────────────┤   └────────┴────────┴─────────────────┘
//! │ cumulative TSN                    │   ┌────────┬────────┬─────────────────┐
//! └───────────────────────────────────┘   │ 14     │       T│ 4               │
//!                                         └────────┴────────┴─────────────────┘
//! ```

use manypath_core::Tsn;

use super::writer::Writer;

/// Type of SHUTDOWN.
const SHUTDOWN: u8 = 7;
/// Type of SHUTDOWN ACK.
const SHUTDOWN_ACK: u8 = 8;
/// Type of SHUTDOWN COMPLETE.
const SHUTDOWN_COMPLETE: u8 = 14;

/// Writes SHUTDOWN.
pub(super) fn write(writer: &mut Writer<'_>, cumulative: Tsn) {
    writer.chunk(SHUTDOWN, 0, |value| value.put_u32(cumulative.0));
}

/// Writes SHUTDOWN ACK.
pub(super) fn write_ack(writer: &mut Writer<'_>) {
    writer.chunk(SHUTDOWN_ACK, 0, |_| {});
}

/// Writes SHUTDOWN COMPLETE; `reflected` is the T bit.
pub(super) fn write_complete(writer: &mut Writer<'_>, reflected: bool) {
    writer.chunk(SHUTDOWN_COMPLETE, u8::from(reflected), |_| {});
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packet::Control;
    use crate::wire::tests::{control, hex};

    #[test]
    fn three_chunks_end_an_association() {
        assert_eq!(control(Control::Shutdown(Tsn(0x0102_0304))), hex("07000008 01020304"));
        assert_eq!(control(Control::ShutdownAck), hex("08000004"));
        let complete = |reflected| control(Control::ShutdownComplete { reflected });
        assert_eq!((complete(false), complete(true)), (hex("0e000004"), hex("0e010004")));
    }
}
