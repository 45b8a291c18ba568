//! Error causes: why ABORT or ERROR was sent. RFC 9260 §3.3.10.1 to §3.3.10.13
//!
//! ```text
//! ┌─────────────────┬─────────────────┐
//! │ code            │ length          │
//! ├─────────────────┴─────────────────┤
//! │ particulars                       │
//! └───────────────────────────────────┘
//! ```

use super::parameter;
use super::writer::Writer;
use crate::packet::Cause;

const INVALID_STREAM: u16 = 1;
const STALE_COOKIE: u16 = 3;
const OUT_OF_RESOURCE: u16 = 4;
const INVALID_MANDATORY_PARAMETER: u16 = 7;
const NO_USER_DATA: u16 = 9;
const COOKIE_WHILE_SHUTTING_DOWN: u16 = 10;
const RESTART_WITH_NEW_ADDRESSES: u16 = 11;
const USER_INITIATED: u16 = 12;
const PROTOCOL_VIOLATION: u16 = 13;

/// Writes the cause.
pub(super) fn write(writer: &mut Writer<'_>, cause: &Cause) {
    writer.parameter(code(cause), |value| match *cause {
        Cause::InvalidStream(stream) => {
            value.put_u16(stream);
            value.put_u16(0);
        }
        Cause::StaleCookie(microseconds) => value.put_u32(microseconds),
        Cause::NoUserData(tsn) => value.put_u32(tsn.0),
        Cause::RestartWithNewAddresses(address) => parameter::write_address(value, address),
        Cause::OutOfResource
        | Cause::InvalidMandatoryParameter
        | Cause::CookieWhileShuttingDown
        | Cause::UserInitiated
        | Cause::ProtocolViolation => {}
    });
}

fn code(cause: &Cause) -> u16 {
    match cause {
        Cause::InvalidStream(_) => INVALID_STREAM,
        Cause::StaleCookie(_) => STALE_COOKIE,
        Cause::OutOfResource => OUT_OF_RESOURCE,
        Cause::InvalidMandatoryParameter => INVALID_MANDATORY_PARAMETER,
        Cause::NoUserData(_) => NO_USER_DATA,
        Cause::CookieWhileShuttingDown => COOKIE_WHILE_SHUTTING_DOWN,
        Cause::RestartWithNewAddresses(_) => RESTART_WITH_NEW_ADDRESSES,
        Cause::UserInitiated => USER_INITIATED,
        Cause::ProtocolViolation => PROTOCOL_VIOLATION,
    }
}

#[cfg(test)]
mod tests {
    use manypath_core::{Address, Tsn};

    use super::*;
    use crate::wire::tests::hex;

    #[test]
    fn each_cause_has_its_code_and_its_particulars() {
        for (cause, expected) in [
            (Cause::InvalidStream(0x0102), "00010008 01020000"),
            (Cause::StaleCookie(1_500_000), "00030008 0016e360"),
            (Cause::OutOfResource, "00040004"),
            (Cause::InvalidMandatoryParameter, "00070004"),
            (Cause::NoUserData(Tsn(0x0a0b_0c0d)), "00090008 0a0b0c0d"),
            (Cause::CookieWhileShuttingDown, "000a0004"),
            (
                Cause::RestartWithNewAddresses(Address::v4(10, 9, 8, 7)),
                "000b000c 00050008 0a090807",
            ),
            (Cause::UserInitiated, "000c0004"),
            (Cause::ProtocolViolation, "000d0004"),
        ] {
            let mut out = Vec::new();
            write(&mut Writer::new(&mut out), &cause);
            assert_eq!(out, hex(expected), "{cause:?}");
        }
    }
}
