//! Parameters of INIT and INIT ACK that offer an extension or make a request. RFC 9260 §3.3.2, §3.3.3

use bytes::Bytes;

use super::decode_error::Rule;
use super::parameter::numbers;
use super::reader::{Fault, Parameter};
use super::writer::Writer;
use crate::packet::Offers;

/// RFC 9260 §3.3.2
const COOKIE_PRESERVATIVE: u16 = 9;
/// RFC 9260 §3.3.2
const HOST_NAME_ADDRESS: u16 = 11;
/// RFC 9260 §3.3.2
const SUPPORTED_ADDRESS_TYPES: u16 = 12;
/// RFC 4960 appendix A
const ECN_CAPABLE: u16 = 0x8000;
/// RFC 9653
const ZERO_CHECKSUM: u16 = 0x8001;
/// RFC 4895 §3.1
const RANDOM: u16 = 0x8002;
/// RFC 4895 §3.2
const CHUNK_LIST: u16 = 0x8003;
/// RFC 4895 §3.3
const HMAC_ALGORITHMS: u16 = 0x8004;
/// RFC 4820
const PADDING: u16 = 0x8005;
/// RFC 3758 §3.1
const FORWARD_TSN: u16 = 0xc000;
/// RFC 5061 §4.2.6
const ADAPTATION: u16 = 0xc006;

/// Writes all parameters except Supported Extensions.
pub(super) fn write(writer: &mut Writer<'_>, offers: &Offers) {
    let flags = [(ECN_CAPABLE, offers.ecn), (FORWARD_TSN, offers.forward_tsn)];
    for (kind, _) in flags.into_iter().filter(|(_, on)| *on) {
        writer.parameter(kind, |_| {});
    }
    let numbers = [
        (ZERO_CHECKSUM, offers.zero_checksum),
        (COOKIE_PRESERVATIVE, offers.cookie_preservative),
        (ADAPTATION, offers.adaptation),
    ];
    for (kind, number) in numbers {
        number.into_iter().for_each(|it| writer.parameter(kind, |value| value.put_u32(it)));
    }
    let opaque = [
        (RANDOM, &offers.random),
        (CHUNK_LIST, &offers.authenticated),
        (HMAC_ALGORITHMS, &offers.hashes),
    ];
    for (kind, bytes) in opaque {
        bytes.iter().for_each(|bytes| writer.parameter(kind, |value| value.put(bytes)));
    }
    if let Some(types) = &offers.address_types {
        writer.parameter(SUPPORTED_ADDRESS_TYPES, |value| {
            types.iter().for_each(|kind| value.put_u16(*kind));
        });
    }
    if let Some(whole) = &offers.host_name {
        let name = whole.get(4..).unwrap_or_default();
        writer.parameter(HOST_NAME_ADDRESS, |value| value.put(name));
    }
}

/// Stores a parameter; returns false if its type is unknown. Of several with the same type, the last is used.
///
/// Parameters without an effect are read too, so that they are not reported as unrecognised.
pub(super) fn read(
    offers: &mut Option<Box<Offers>>,
    parameter: &Parameter<'_>,
) -> Result<bool, Fault> {
    let number = || parameter.value.clone().take_u32(Rule::Parameter).map(Some);
    let bytes = || -> Option<Bytes> { Some(parameter.value.to_bytes()) };
    let is_known = matches!(
        parameter.kind,
        COOKIE_PRESERVATIVE | HOST_NAME_ADDRESS | SUPPORTED_ADDRESS_TYPES | ECN_CAPABLE
            ..=HMAC_ALGORITHMS | FORWARD_TSN | ADAPTATION
    );
    if !is_known {
        return Ok(parameter.kind == PADDING);
    }
    let offers = offers.get_or_insert_default();
    match parameter.kind {
        COOKIE_PRESERVATIVE => offers.cookie_preservative = number()?,
        HOST_NAME_ADDRESS => offers.host_name = Some(parameter.whole.to_bytes()),
        SUPPORTED_ADDRESS_TYPES => {
            offers.address_types = Some(numbers(parameter.value.as_slice()));
        }
        ECN_CAPABLE => offers.ecn = true,
        ZERO_CHECKSUM => offers.zero_checksum = number()?,
        RANDOM => offers.random = bytes(),
        CHUNK_LIST => offers.authenticated = bytes(),
        HMAC_ALGORITHMS => offers.hashes = bytes(),
        FORWARD_TSN => offers.forward_tsn = true,
        _ => offers.adaptation = number()?,
    }
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::reader::Reader;
    use crate::wire::tests::hex;

    #[test]
    fn known_parameters_are_read_and_unknown_ones_are_not() {
        let parameters = Bytes::from(hex(
            "80000004 80010008 00000001 80020008 01020304 80030005 c1000000 80040006 00030000
             80050007 00000000 c0000004 c0060008 0000002a 00090008 000003e8 000c0006 00050000
             000b0006 61000000 c0010004",
        ));
        let mut reader = Reader::new(&parameters);
        let (mut offers, mut unknown) = (None, Vec::new());
        while let Some(parameter) = reader.parameter().expect("sound parameters") {
            if !read(&mut offers, &parameter).expect("sound parameters") {
                unknown.push(parameter.kind);
            }
        }
        assert_eq!(unknown, [0xc001]);
        let bytes = |bytes: &'static [u8]| Some(Bytes::from_static(bytes));
        let expected = Offers {
            extensions: Vec::new(),
            ecn: true,
            forward_tsn: true,
            zero_checksum: Some(1),
            random: bytes(&[1, 2, 3, 4]),
            authenticated: bytes(&[0xc1]),
            hashes: bytes(&[0, 3]),
            address_types: Some(vec![5]),
            cookie_preservative: Some(1000),
            adaptation: Some(42),
            host_name: bytes(&[0, 11, 0, 6, 0x61, 0]),
        };
        assert_eq!(offers.as_deref(), Some(&expected));
    }
}
