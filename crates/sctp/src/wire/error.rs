//! ERROR: something is wrong, and the association goes on. RFC 9260 §3.3.10
//!
//! ```text
//! ┌────────┬────────┬─────────────────┐
//! │ 9      │ 0      │ length          │
//! ├────────┴────────┴─────────────────┤
//! │ cause                             │
//! └───────────────────────────────────┘
//! ```

use super::cause;
use super::writer::Writer;
use crate::packet::Cause;

/// Type of ERROR.
const ERROR: u8 = 9;

/// Writes the chunk.
pub(super) fn write(writer: &mut Writer<'_>, cause: &Cause) {
    writer.chunk(ERROR, 0, |value| cause::write(value, cause));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packet::Control;
    use crate::wire::tests::{control, hex};

    #[test]
    fn error_names_the_stream_that_does_not_exist() {
        let error = Control::Error(Cause::InvalidStream(17));
        assert_eq!(control(error), hex("0900000c 00010008 00110000"));
    }
}
