//! COOKIE ECHO and COOKIE ACK: the second half of the handshake. RFC 9260 §3.3.11, §3.3.12
//!
//! ```text
//! ┌────────┬────────┬─────────────────┐   ┌────────┬────────┬─────────────────┐
//! │ 10     │ 0      │ length          │   │ 11     │ 0      │ 4               │
//! ├────────┴────────┴─────────────────┤   └────────┴────────┴─────────────────┘
//! │ state cookie                      │
//! └───────────────────────────────────┘
//! ```

use super::kind::{COOKIE_ACK, COOKIE_ECHO};
use super::reader::Chunk;
use super::writer::Writer;
use crate::packet::Control;

/// Writes COOKIE ECHO.
pub(super) fn write_echo(writer: &mut Writer<'_>, cookie: &[u8]) {
    writer.chunk(COOKIE_ECHO, 0, |value| value.put(cookie));
}

/// Writes COOKIE ACK.
pub(super) fn write_ack(writer: &mut Writer<'_>) {
    writer.chunk(COOKIE_ACK, 0, |_| {});
}

/// Reads COOKIE ECHO. The cookie is kept as opaque bytes.
pub(super) fn read_echo(chunk: &Chunk<'_>) -> Control {
    Control::CookieEcho(chunk.value.to_bytes())
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;

    use crate::packet::Control;
    use crate::wire::tests::{control, hex};

    #[test]
    fn cookie_echo_carries_the_cookie_and_cookie_ack_nothing() {
        let cookie = Bytes::from_static(&[1, 2, 3, 4, 5]);
        assert_eq!(control(Control::CookieEcho(cookie)), hex("0a000009 01020304 05000000"));
        assert_eq!(control(Control::CookieAck), hex("0b000004"));
    }
}
