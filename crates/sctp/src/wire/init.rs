//! INIT and INIT ACK: the parameters of each side for an association. RFC 9260 §3.3.2, §3.3.3
//!
//! ```text
//! ┌────────┬────────┬─────────────────┐
//! │ 1 or 2 │ 0      │ length          │
//! ├────────┴────────┴─────────────────┤
//! │ tag                               │
//! ├───────────────────────────────────┤
//! │ receive window                    │
//! ├─────────────────┬─────────────────┤
//! │ streams out     │ streams in      │
//! ├─────────────────┴─────────────────┤
//! │ TSN of the first DATA             │
//! ├───────────────────────────────────┤
//! │ parameters                        │
//! └───────────────────────────────────┘
//! ```

use manypath_core::Tsn;

use super::decode_error::Rule;
use super::reader::{Chunk, Fault, Parameter};
use super::writer::Writer;
use super::{kind, offers, parameter};
use crate::packet::Init;

/// Writes a chunk of type `kind`.
pub(super) fn write(writer: &mut Writer<'_>, kind: u8, init: &Init) {
    writer.chunk(kind, 0, |value| {
        value.put_u32(init.tag);
        value.put_u32(init.window);
        value.put_u16(init.outbound_streams);
        value.put_u16(init.inbound_streams);
        value.put_u32(init.initial_tsn.0);
        for &address in &init.addresses {
            parameter::write_address(value, address);
        }
        let listed = [(kind::NR_SACK, init.nr_sack), (kind::PACKET_DROP, init.packet_drop_reports)];
        let mut types: Vec<u8> =
            listed.iter().filter(|(_, on)| *on).map(|(kind, _)| *kind).collect();
        if let Some(offers) = &init.offers {
            offers::write(value, offers);
            types.extend_from_slice(&offers.extensions);
        }
        if !types.is_empty() {
            parameter::write_supported_extensions(value, &types);
        }
        for whole in &init.reported {
            parameter::write_unrecognized(value, whole);
        }
        if let Some(cookie) = &init.cookie {
            parameter::write_state_cookie(value, cookie);
        }
    });
}

/// Reads INIT or INIT ACK. Invalid values, such as zero streams, are read too, because the receiver must answer them.
/// RFC 9260 §3.3.2, §3.3.3
pub(super) fn read(chunk: Chunk<'_>) -> Result<Init, Fault> {
    let mut value = chunk.value;
    let mut init = Init {
        tag: value.take_u32(Rule::ChunkFields)?,
        window: value.take_u32(Rule::ChunkFields)?,
        outbound_streams: value.take_u16(Rule::ChunkFields)?,
        inbound_streams: value.take_u16(Rule::ChunkFields)?,
        initial_tsn: Tsn(value.take_u32(Rule::ChunkFields)?),
        ..Init::default()
    };
    while let Some(parameter) = value.parameter()? {
        if !read_parameter(&mut init, &parameter)? {
            // RFC 9260 §3.2.1: the upper bits of an unknown type select whether it is reported and whether later
            // parameters are read
            if parameter.kind & parameter::REPORT != 0 {
                init.unrecognized.push(parameter.whole.to_bytes());
            }
            if parameter.kind & parameter::SKIP == 0 {
                break;
            }
        }
    }
    Ok(init)
}

/// Stores a parameter; returns false if its type is unknown. Of several cookies, the first is used.
fn read_parameter(init: &mut Init, parameter: &Parameter<'_>) -> Result<bool, Fault> {
    match parameter.kind {
        parameter::IPV4_ADDRESS | parameter::IPV6_ADDRESS => {
            init.addresses.extend(parameter::read_address(parameter)?);
        }
        parameter::STATE_COOKIE => {
            init.cookie.get_or_insert_with(|| parameter.value.to_bytes());
        }
        parameter::UNRECOGNIZED_PARAMETER => init.reported.push(parameter.value.to_bytes()),
        parameter::SUPPORTED_EXTENSIONS => {
            for &listed in parameter.value.as_slice() {
                match listed {
                    kind::NR_SACK => init.nr_sack = true,
                    kind::PACKET_DROP => init.packet_drop_reports = true,
                    other => init.offers.get_or_insert_default().extensions.push(other),
                }
            }
        }
        _ => return offers::read(&mut init.offers, parameter),
    }
    Ok(true)
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;
    use manypath_core::Address;

    use super::*;
    use crate::packet::Control;
    use crate::wire::reader::Reader;
    use crate::wire::tests::{control, hex};

    fn init() -> Init {
        Init {
            tag: 0x1122_3344,
            window: 131_072,
            outbound_streams: 10,
            inbound_streams: 2048,
            initial_tsn: Tsn(0xcafe_f00d),
            addresses: vec![Address::v4(10, 0, 0, 1), Address::v4(10, 0, 1, 1)],
            nr_sack: true,
            packet_drop_reports: false,
            ..Init::default()
        }
    }

    #[test]
    fn the_length_of_init_leaves_out_only_the_padding_of_its_last_parameter() {
        // Supported Extensions with 5 bytes, and 3 bytes of padding after the chunk.
        let expected = "01000029 11223344 00020000 000a0800 cafef00d
                        00050008 0a000001 00050008 0a000101 80080005 10000000";
        assert_eq!(control(Control::Init(Box::new(init()))), hex(expected));
    }

    #[test]
    fn init_ack_contains_the_cookie() {
        let cookie = Some(Bytes::from_static(&[0xaa; 6]));
        let ack = Init { cookie, addresses: Vec::new(), ..init() };
        let expected = "02000026 11223344 00020000 000a0800 cafef00d
                        80080005 10000000 0007000a aaaaaaaa aaaa0000";
        assert_eq!(control(Control::InitAck(Box::new(ack))), hex(expected));
    }

    /// Parses an INIT with these parameters.
    fn parameters(text: &str) -> Result<Init, Fault> {
        let head = "11223344 00020000 000a0800 cafef00d";
        let value = hex(&format!("{head} {text}"));
        let mut chunk = vec![1, 0, 0, 4 + value.len() as u8];
        chunk.extend(value);
        let datagram = Bytes::from(chunk);
        read(Reader::new(&datagram).chunk()?.expect("a chunk"))
    }

    #[test]
    fn the_upper_bits_of_an_unknown_parameter_define_its_handling() {
        let address = "00050008 0a000001";
        for (unknown, goes_on, is_reported) in [
            ("3fff0005 77000000", false, false),
            ("7fff0005 77000000", false, true),
            ("bfff0005 77000000", true, false),
            ("ffff0005 77000000", true, true),
        ] {
            let init = parameters(&format!("{unknown} {address}")).expect("an INIT");
            assert_eq!(init.addresses.len(), usize::from(goes_on), "{unknown}");
            let reported = Bytes::from(hex(unknown)[..5].to_vec());
            let expected = if is_reported { vec![reported] } else { Vec::new() };
            assert_eq!(init.unrecognized, expected, "{unknown}");
        }
    }

    #[test]
    fn a_parameter_with_an_invalid_length_makes_its_chunk_invalid() {
        for broken in ["00050003", "00050009 0a000001", "00050007 0a000001", "8008ffff 10"] {
            let fault = parameters(&format!("c0000004 {broken}")).expect_err(broken);
            assert_eq!((fault.rule, fault.offset), (Rule::Parameter, 24), "{broken}");
        }
    }

    #[test]
    fn an_init_ack_reports_the_unrecognized_parameters_of_init() {
        let unrecognized = vec![Bytes::from_static(&[0xff, 0xff, 0, 5, 7])];
        let mut ack = Init { addresses: Vec::new(), nr_sack: false, ..init() };
        ack.report(unrecognized.clone(), 16 + 12);
        assert_eq!(ack.reported, unrecognized);
        let expected = "0200001d 11223344 00020000 000a0800 cafef00d 00080009 ffff0005 07000000";
        assert_eq!(control(Control::InitAck(Box::new(ack.clone()))), hex(expected));
        ack.report(unrecognized.clone(), 16 + 12 + 11);
        assert_eq!(ack.reported, unrecognized, "there is no room for more");
    }

    #[test]
    fn init_may_have_no_parameters() {
        let bare = Init { addresses: Vec::new(), nr_sack: false, ..init() };
        let expected = "01000014 11223344 00020000 000a0800 cafef00d";
        assert_eq!(control(Control::Init(Box::new(bare))), hex(expected));
    }
}
