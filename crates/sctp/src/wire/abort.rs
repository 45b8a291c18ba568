//! ABORT: the end of an association at once. RFC 9260 §3.3.7
//!
//! ```text
//! ┌────────┬────────┬─────────────────┐
//! │ 6      │       T│ length          │
//! ├────────┴────────┴─────────────────┤
//! │ cause, perhaps                    │
//! └───────────────────────────────────┘
//! ```

use super::cause;
use super::writer::Writer;
use crate::packet::Cause;

/// Type of ABORT.
const ABORT: u8 = 6;

/// Writes the chunk; `reflected` is the T bit.
pub(super) fn write(writer: &mut Writer<'_>, reflected: bool, cause: Option<&Cause>) {
    writer.chunk(ABORT, u8::from(reflected), |value| {
        if let Some(cause) = cause {
            cause::write(value, cause);
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packet::Control;
    use crate::wire::tests::{control, hex};

    #[test]
    fn abort_says_why_if_there_is_a_reason() {
        let silent = Control::Abort { reflected: true, cause: None };
        assert_eq!(control(silent), hex("06010004"));
        let loud = Control::Abort { reflected: false, cause: Some(Cause::UserInitiated) };
        assert_eq!(control(loud), hex("06000008 000c0004"));
    }
}
