//! SHUTDOWN, SHUTDOWN ACK, SHUTDOWN COMPLETE: the graceful shutdown. RFC 9260 §3.3.8, §3.3.9, §3.3.13
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

use super::abort::REFLECTED;
use super::decode_error::Rule;
use super::kind::{SHUTDOWN, SHUTDOWN_ACK, SHUTDOWN_COMPLETE};
use super::reader::{Chunk, Fault};
use super::writer::Writer;
use crate::packet::Control;

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

/// Reads SHUTDOWN.
pub(super) fn read(mut chunk: Chunk<'_>) -> Result<Control, Fault> {
    Ok(Control::Shutdown(Tsn(chunk.value.take_u32(Rule::ChunkFields)?)))
}

/// Reads SHUTDOWN COMPLETE.
pub(super) fn read_complete(chunk: &Chunk<'_>) -> Control {
    Control::ShutdownComplete { reflected: chunk.flags & REFLECTED != 0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::tests::{control, hex};

    #[test]
    fn three_chunks_end_an_association() {
        assert_eq!(control(Control::Shutdown(Tsn(0x0102_0304))), hex("07000008 01020304"));
        assert_eq!(control(Control::ShutdownAck), hex("08000004"));
        let complete = |reflected| control(Control::ShutdownComplete { reflected });
        assert_eq!((complete(false), complete(true)), (hex("0e000004"), hex("0e010004")));
    }
}
