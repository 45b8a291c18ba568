//! Parameters: optional fields of INIT, INIT ACK and error causes, in any order. RFC 9260 §3.2.1
//!
//! ```text
//! ┌─────────────────┬─────────────────┐   ┌─────────────────┬─────────────────┐
//! │ 5               │ 8               │   │ 6               │ 20              │
//! ├─────────────────┴─────────────────┤   ├─────────────────┴─────────────────┤
//! │ IPv4 address                      │   │ IPv6 address, four rows           │
//! └───────────────────────────────────┘   └───────────────────────────────────┘
//! ┌─────────────────┬─────────────────┐   ┌─────────────────┬─────────────────┐
//! │ 7               │ length          │   │ 0x8008          │ length          │
//! ├─────────────────┴─────────────────┤   ├────────┬────────┴─────────────────┤
//! │ state cookie                      │   │ type   │ types of more chunks     │
//! └───────────────────────────────────┘   └────────┴──────────────────────────┘
//! ```

use std::net::IpAddr;

use manypath_core::Address;

use super::decode_error::Rule;
use super::reader::{Fault, Parameter};
use super::writer::Writer;

/// Type of IPv4 Address. RFC 9260 §3.3.2.1
pub(super) const IPV4_ADDRESS: u16 = 5;
/// Type of IPv6 Address. RFC 9260 §3.3.2.2
pub(super) const IPV6_ADDRESS: u16 = 6;
/// Type of State Cookie. RFC 9260 §3.3.3.1
pub(crate) const STATE_COOKIE: u16 = 7;
/// Type of Unrecognized Parameter. RFC 9260 §3.3.3
pub(super) const UNRECOGNIZED_PARAMETER: u16 = 8;
/// Type of Supported Extensions. RFC 5061 §4.2.7
pub(super) const SUPPORTED_EXTENSIONS: u16 = 0x8008;
/// Bit of an unknown parameter type: skip the parameter and read the next one. RFC 9260 §3.2.1
pub(super) const SKIP: u16 = 0x8000;
/// Bit of an unknown parameter type: report the parameter. RFC 9260 §3.2.1
pub(super) const REPORT: u16 = 0x4000;

/// Writes an address of the sender.
pub(super) fn write_address(writer: &mut Writer<'_>, address: Address) {
    match IpAddr::from(address) {
        IpAddr::V4(v4) => writer.parameter(IPV4_ADDRESS, |value| value.put(&v4.octets())),
        IpAddr::V6(v6) => writer.parameter(IPV6_ADDRESS, |value| value.put(&v6.octets())),
    }
}

/// Reads an address; `None` if the parameter has another type.
pub(super) fn read_address(parameter: &Parameter<'_>) -> Result<Option<Address>, Fault> {
    let fault = || parameter.whole.fault(Rule::Parameter);
    let value = parameter.value.as_slice();
    Ok(match parameter.kind {
        IPV4_ADDRESS => {
            let [a, b, c, d] = value.try_into().map_err(|_| fault())?;
            Some(Address::v4(a, b, c, d))
        }
        IPV6_ADDRESS => {
            let octets = value.try_into().map_err(|_| fault())?;
            Some(Address::from_bits(u128::from_be_bytes(octets)))
        }
        _ => None,
    })
}

/// Decodes a list of 16-bit numbers.
pub(super) fn numbers(list: &[u8]) -> Vec<u16> {
    list.as_chunks().0.iter().map(|bytes| u16::from_be_bytes(*bytes)).collect()
}

/// Writes an unrecognised parameter of the peer's INIT, including its header.
pub(super) fn write_unrecognized(writer: &mut Writer<'_>, whole: &[u8]) {
    writer.parameter(UNRECOGNIZED_PARAMETER, |value| value.put(whole));
}

/// Writes the state cookie.
pub(super) fn write_state_cookie(writer: &mut Writer<'_>, cookie: &[u8]) {
    writer.parameter(STATE_COOKIE, |value| value.put(cookie));
}

/// Writes the types of the supported chunks beyond RFC 9260.
pub(super) fn write_supported_extensions(writer: &mut Writer<'_>, types: &[u8]) {
    writer.parameter(SUPPORTED_EXTENSIONS, |value| value.put(types));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::tests::hex;

    #[test]
    fn addresses_of_both_families() {
        let v6: IpAddr = "2001:db8::17".parse().expect("an address");
        let mut out = Vec::new();
        let mut writer = Writer::new(&mut out);
        write_address(&mut writer, Address::from(v6));
        write_address(&mut writer, Address::v4(192, 0, 2, 1));
        let expected = "00060014 20010db8 00000000 00000000 00000017 00050008 c0000201";
        assert_eq!(out, hex(expected));
    }

    #[test]
    fn each_parameter_begins_at_a_multiple_of_four() {
        let mut out = Vec::new();
        let mut writer = Writer::new(&mut out);
        write_supported_extensions(&mut writer, &[0x10, 0x81]);
        write_state_cookie(&mut writer, &[1, 2, 3, 4, 5]);
        assert_eq!(out, hex("80080006 10810000 00070009 01020304 05"));
    }
}
