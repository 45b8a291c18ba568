//! ERROR: reports an error that does not end the association. RFC 9260 §3.3.10
//!
//! ```text
//! ┌────────┬────────┬─────────────────┐
//! │ 9      │ 0      │ length          │
//! ├────────┴────────┴─────────────────┤
//! │ causes                            │
//! └───────────────────────────────────┘
//! ```

use super::reader::Chunk;
use super::writer::Writer;
use super::{cause, kind};
use crate::packet::{Cause, Control};

/// Writes the chunk.
pub(super) fn write(writer: &mut Writer<'_>, causes: &[Cause]) {
    writer.chunk(kind::ERROR, 0, |value| cause::write_all(value, causes));
}

/// Reads the chunk.
pub(super) fn read(chunk: Chunk<'_>) -> Control {
    Control::Error(cause::read_all(chunk.value))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::tests::{control, hex};

    #[test]
    fn error_names_the_stream_that_does_not_exist() {
        let error = Control::Error(vec![Cause::InvalidStream(17)]);
        assert_eq!(control(error), hex("0900000c 00010008 00110000"));
    }
}
