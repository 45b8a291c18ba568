//! INIT and INIT ACK: what each side brings to an association. RFC 9260 §3.3.2, §3.3.3
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

use super::writer::Writer;
use super::{packet_drop, parameter, sack};
use crate::packet::Init;

/// Type of INIT.
pub(super) const INIT: u8 = 1;
/// Type of INIT ACK.
pub(super) const INIT_ACK: u8 = 2;

/// Writes the chunk, which is of type `kind`.
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
        let types: &[u8] = match (init.nr_sack, init.packet_drop_reports) {
            (false, false) => &[],
            (true, false) => &[sack::NR_SACK],
            (false, true) => &[packet_drop::PACKET_DROP],
            (true, true) => &[sack::NR_SACK, packet_drop::PACKET_DROP],
        };
        if !types.is_empty() {
            parameter::write_supported_extensions(value, types);
        }
        if let Some(cookie) = &init.cookie {
            parameter::write_state_cookie(value, cookie);
        }
    });
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;
    use manypath_core::{Address, Tsn};

    use super::*;
    use crate::packet::Control;
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
            cookie: None,
        }
    }

    #[test]
    fn the_length_of_init_leaves_out_only_the_padding_of_its_last_parameter() {
        // 5 bytes of Supported Extensions and 3 of padding behind the chunk.
        let expected = "01000029 11223344 00020000 000a0800 cafef00d
                        00050008 0a000001 00050008 0a000101 80080005 10000000";
        assert_eq!(control(Control::Init(Box::new(init()))), hex(expected));
    }

    #[test]
    fn init_ack_brings_the_cookie() {
        let cookie = Some(Bytes::from_static(&[0xaa; 6]));
        let ack = Init { cookie, addresses: Vec::new(), ..init() };
        let expected = "02000026 11223344 00020000 000a0800 cafef00d
                        80080005 10000000 0007000a aaaaaaaa aaaa0000";
        assert_eq!(control(Control::InitAck(Box::new(ack))), hex(expected));
    }

    #[test]
    fn init_may_bring_nothing_else() {
        let bare = Init { addresses: Vec::new(), nr_sack: false, ..init() };
        let expected = "01000014 11223344 00020000 000a0800 cafef00d";
        assert_eq!(control(Control::Init(Box::new(bare))), hex(expected));
    }
}
