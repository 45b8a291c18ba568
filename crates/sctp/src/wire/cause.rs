//! Error causes: why ABORT or ERROR was sent. RFC 9260 §3.3.10.1 to §3.3.10.13
//!
//! ```text
//! ┌─────────────────┬─────────────────┐
//! │ code            │ length          │
//! ├─────────────────┴─────────────────┤
//! │ particulars                       │
//! └───────────────────────────────────┘
//! ```

use manypath_core::Tsn;

use super::decode_error::Rule;
use super::parameter;
use super::reader::{Fault, Parameter, Reader};
use super::writer::Writer;
use crate::packet::Cause;

const INVALID_STREAM: u16 = 1;
const MISSING_PARAMETERS: u16 = 2;
const STALE_COOKIE: u16 = 3;
const OUT_OF_RESOURCE: u16 = 4;
const UNRESOLVABLE_ADDRESS: u16 = 5;
const UNRECOGNIZED_CHUNK: u16 = 6;
const INVALID_MANDATORY_PARAMETER: u16 = 7;
const UNRECOGNIZED_PARAMETERS: u16 = 8;
const NO_USER_DATA: u16 = 9;
const COOKIE_WHILE_SHUTTING_DOWN: u16 = 10;
const RESTART_WITH_NEW_ADDRESSES: u16 = 11;
const USER_INITIATED: u16 = 12;
const PROTOCOL_VIOLATION: u16 = 13;

/// Writes the causes in sequence.
pub(super) fn write_all(writer: &mut Writer<'_>, causes: &[Cause]) {
    for cause in causes {
        writer.parameter(code(cause), |value| write(value, cause));
    }
}

/// Reads causes up to the end, or up to the first one with an invalid length; the causes before it are returned.
pub(super) fn read_all(mut value: Reader<'_>) -> Vec<Cause> {
    std::iter::from_fn(|| value.parameter().ok().flatten().map(|cause| read(&cause))).collect()
}

/// Reads causes up to the end. A cause must end within its chunk and have all fields of its code.
pub(super) fn read_strictly(mut value: Reader<'_>) -> Result<Vec<Cause>, Fault> {
    let mut causes = Vec::new();
    while let Some(cause) = value.parameter()? {
        causes.push(known(cause.kind, cause.value)?);
    }
    Ok(causes)
}

fn write(value: &mut Writer<'_>, cause: &Cause) {
    match cause {
        Cause::InvalidStream(stream) => {
            value.put_u16(*stream);
            value.put_u16(0);
        }
        Cause::MissingParameters(types) => {
            value.put_u32(u32::try_from(types.len()).unwrap_or(u32::MAX));
            types.iter().for_each(|kind| value.put_u16(*kind));
        }
        Cause::StaleCookie(microseconds) => value.put_u32(*microseconds),
        Cause::NoUserData(tsn) => value.put_u32(tsn.0),
        Cause::RestartWithNewAddresses(addresses) => {
            addresses.iter().for_each(|address| parameter::write_address(value, *address));
        }
        Cause::UnresolvableAddress(bytes)
        | Cause::UnrecognizedChunk(bytes)
        | Cause::UnrecognizedParameters(bytes)
        | Cause::UserInitiated(bytes)
        | Cause::ProtocolViolation(bytes)
        | Cause::Other { info: bytes, .. } => value.put(bytes),
        Cause::OutOfResource
        | Cause::InvalidMandatoryParameter
        | Cause::CookieWhileShuttingDown => {}
    }
}

/// Reads a cause. If the content does not match the code, the cause is kept as raw bytes.
fn read(cause: &Parameter<'_>) -> Cause {
    known(cause.kind, cause.value.clone())
        .unwrap_or_else(|_| Cause::Other { code: cause.kind, info: cause.value.to_bytes() })
}

fn known(code: u16, mut value: Reader<'_>) -> Result<Cause, Fault> {
    let rule = Rule::Parameter;
    Ok(match code {
        INVALID_STREAM => Cause::InvalidStream(value.take_u16(rule)?),
        MISSING_PARAMETERS => {
            value.take_u32(rule)?;
            Cause::MissingParameters(parameter::numbers(value.as_slice()))
        }
        STALE_COOKIE => Cause::StaleCookie(value.take_u32(rule)?),
        OUT_OF_RESOURCE => Cause::OutOfResource,
        UNRESOLVABLE_ADDRESS => Cause::UnresolvableAddress(value.to_bytes()),
        UNRECOGNIZED_CHUNK => Cause::UnrecognizedChunk(value.to_bytes()),
        INVALID_MANDATORY_PARAMETER => Cause::InvalidMandatoryParameter,
        UNRECOGNIZED_PARAMETERS => Cause::UnrecognizedParameters(value.to_bytes()),
        NO_USER_DATA => Cause::NoUserData(Tsn(value.take_u32(rule)?)),
        COOKIE_WHILE_SHUTTING_DOWN => Cause::CookieWhileShuttingDown,
        RESTART_WITH_NEW_ADDRESSES => {
            let mut addresses = Vec::new();
            while let Some(address) = value.parameter()? {
                addresses.extend(parameter::read_address(&address)?);
            }
            Cause::RestartWithNewAddresses(addresses)
        }
        USER_INITIATED => Cause::UserInitiated(value.to_bytes()),
        PROTOCOL_VIOLATION => Cause::ProtocolViolation(value.to_bytes()),
        _ => Cause::Other { code, info: value.to_bytes() },
    })
}

fn code(cause: &Cause) -> u16 {
    match cause {
        Cause::InvalidStream(_) => INVALID_STREAM,
        Cause::MissingParameters(_) => MISSING_PARAMETERS,
        Cause::StaleCookie(_) => STALE_COOKIE,
        Cause::OutOfResource => OUT_OF_RESOURCE,
        Cause::UnresolvableAddress(_) => UNRESOLVABLE_ADDRESS,
        Cause::UnrecognizedChunk(_) => UNRECOGNIZED_CHUNK,
        Cause::InvalidMandatoryParameter => INVALID_MANDATORY_PARAMETER,
        Cause::UnrecognizedParameters(_) => UNRECOGNIZED_PARAMETERS,
        Cause::NoUserData(_) => NO_USER_DATA,
        Cause::CookieWhileShuttingDown => COOKIE_WHILE_SHUTTING_DOWN,
        Cause::RestartWithNewAddresses(_) => RESTART_WITH_NEW_ADDRESSES,
        Cause::UserInitiated(_) => USER_INITIATED,
        Cause::ProtocolViolation(_) => PROTOCOL_VIOLATION,
        Cause::Other { code, .. } => *code,
    }
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;
    use manypath_core::Address;

    use super::*;
    use crate::wire::tests::hex;

    #[test]
    fn each_cause_has_its_code_and_its_content() {
        let text = Bytes::from_static(b"why");
        for (cause, expected) in [
            (Cause::InvalidStream(0x0102), "00010008 01020000"),
            (Cause::MissingParameters(vec![7, 9]), "0002000c 00000002 00070009"),
            (Cause::StaleCookie(1_500_000), "00030008 0016e360"),
            (Cause::OutOfResource, "00040004"),
            (Cause::UnresolvableAddress(text.clone()), "00050007 776879"),
            (Cause::UnrecognizedChunk(text.clone()), "00060007 776879"),
            (Cause::InvalidMandatoryParameter, "00070004"),
            (Cause::UnrecognizedParameters(text.clone()), "00080007 776879"),
            (Cause::NoUserData(Tsn(0x0a0b_0c0d)), "00090008 0a0b0c0d"),
            (Cause::CookieWhileShuttingDown, "000a0004"),
            (
                Cause::RestartWithNewAddresses(vec![Address::v4(10, 9, 8, 7)]),
                "000b000c 00050008 0a090807",
            ),
            (Cause::UserInitiated(Bytes::new()), "000c0004"),
            (Cause::ProtocolViolation(text.clone()), "000d0007 776879"),
            (Cause::Other { code: 0x105, info: text }, "01050007 776879"),
        ] {
            let mut out = Vec::new();
            write_all(&mut Writer::new(&mut out), std::slice::from_ref(&cause));
            assert_eq!(out, hex(expected), "{cause:?}");
            let out = Bytes::from(out);
            assert_eq!(read_all(Reader::new(&out)), std::slice::from_ref(&cause));
            assert_eq!(read_strictly(Reader::new(&out)).unwrap(), [cause]);
        }
    }

    #[test]
    fn causes_before_an_invalid_one_are_read() {
        let bytes = Bytes::from(hex("00040004 00090006 0a0b0000 00030009 00000001"));
        let odd = Cause::Other { code: 9, info: Bytes::from_static(&[10, 11]) };
        assert_eq!(read_all(Reader::new(&bytes)), [Cause::OutOfResource, odd]);
    }
}
