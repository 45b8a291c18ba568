//! ABORT: ends an association at once. RFC 9260 §3.3.7
//!
//! ```text
//! ┌────────┬────────┬─────────────────┐
//! │ 6      │       T│ length          │
//! ├────────┴────────┴─────────────────┤
//! │ causes, perhaps                   │
//! └───────────────────────────────────┘
//! ```

use super::reader::{Chunk, Fault};
use super::writer::Writer;
use super::{cause, kind};
use crate::packet::{Cause, Control};

/// Writes the chunk; `reflected` is the T bit.
pub(super) fn write(writer: &mut Writer<'_>, reflected: bool, causes: &[Cause]) {
    writer.chunk(kind::ABORT, u8::from(reflected), |value| cause::write_all(value, causes));
}

/// Reads the chunk. A format error in a cause is an error of the chunk; causes of unknown codes are kept.
pub(super) fn read(chunk: Chunk<'_>) -> Result<Control, Fault> {
    let causes = cause::read_strictly(chunk.value)?;
    Ok(Control::Abort { reflected: chunk.flags & REFLECTED != 0, causes })
}

/// T bit: the packet carries the verification tag that the receiver uses for its own packets.
pub(super) const REFLECTED: u8 = 0x01;

#[cfg(test)]
mod tests {
    use bytes::Bytes;

    use super::*;
    use crate::wire::tests::{control, hex};

    #[test]
    fn abort_contains_its_causes() {
        let silent = Control::Abort { reflected: true, causes: Vec::new() };
        assert_eq!(control(silent), hex("06010004"));
        let causes =
            vec![Cause::UserInitiated(Bytes::from_static(b"enough")), Cause::OutOfResource];
        let loud = Control::Abort { reflected: false, causes };
        assert_eq!(control(loud), hex("06000014 000c000a 656e6f75 67680000 00040004"));
    }
}
