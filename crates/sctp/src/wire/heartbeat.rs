//! HEARTBEAT and HEARTBEAT ACK: a probe, and its echo. RFC 9260 §3.3.5, §3.3.6
//!
//! The content of the parameter is opaque to the peer. This stack sends this content:
//!
//! ```text
//! ┌────────┬────────┬─────────────────┐
//! │ 4 or 5 │ 0      │ 44              │
//! ├────────┴────────┼─────────────────┤
//! │ 1               │ 40              │
//! ├─────────────────┴─────────────────┤
//! │ nonce, two rows                   │
//! ├───────────────────────────────────┤
//! │ sending time, two rows            │
//! ├────────┬──────────────────────────┤
//! │ 4 or 6 │ reserved                 │
//! ├────────┴──────────────────────────┤
//! │ probed address, four rows         │
//! └───────────────────────────────────┘
//! ```

use bytes::Buf;
use manypath_core::Address;

use super::decode_error::Rule;
use super::reader::{Chunk, Fault};
use super::writer::Writer;
use crate::packet::{Heartbeat, HeartbeatInfo};

/// Type of the parameter Heartbeat Info.
const HEARTBEAT_INFO: u16 = 1;

/// Writes a chunk of type `kind`.
pub(super) fn write(writer: &mut Writer<'_>, kind: u8, info: &Heartbeat) {
    writer.chunk(kind, 0, |value| {
        value.parameter(HEARTBEAT_INFO, |value| match info {
            Heartbeat::Own(info) => value.put(&info.bytes()),
            Heartbeat::Foreign(bytes) => value.put(bytes),
        });
    });
}

/// Reads the information. It counts as information of this stack only if this stack would encode it with the same
/// bytes.
pub(super) fn read(mut chunk: Chunk<'_>) -> Result<Heartbeat, Fault> {
    let info = match chunk.value.parameter()? {
        Some(info) if info.kind == HEARTBEAT_INFO => info.value,
        _ => return Err(chunk.whole.fault(Rule::HeartbeatInfo)),
    };
    let bytes = info.as_slice();
    let own = HeartbeatInfo::parse(bytes).filter(|info| info.bytes() == bytes);
    Ok(own.map_or_else(|| Heartbeat::Foreign(info.to_bytes()), Heartbeat::Own))
}

impl HeartbeatInfo {
    /// Bytes of our information: nonce, time, family and padding, address.
    pub(crate) const LENGTH: usize = 8 + 8 + FAMILY + 16;

    fn bytes(&self) -> [u8; Self::LENGTH] {
        let mut bytes = [0; Self::LENGTH];
        bytes[..8].copy_from_slice(&self.nonce.to_be_bytes());
        bytes[8..16].copy_from_slice(&self.sent_at.to_be_bytes());
        bytes[16] = if self.address.is_v4() { 4 } else { 6 };
        bytes[16 + FAMILY..].copy_from_slice(&self.address.bits().to_be_bytes());
        bytes
    }

    /// Parses information of this length as that of this stack, without checking family and padding.
    pub(crate) fn parse(mut info: &[u8]) -> Option<Self> {
        if info.len() != Self::LENGTH {
            return None;
        }
        let (nonce, sent_at) = (info.get_u64(), info.get_u64());
        info.advance(FAMILY);
        Some(Self { nonce, sent_at, address: Address::from_bits(info.get_u128()) })
    }
}

const FAMILY: usize = 4;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packet::Control;
    use crate::wire::reader::Reader;
    use crate::wire::tests::{control, hex};

    #[test]
    fn a_probe_is_returned_unchanged() {
        let address = Address::v4(10, 0, 1, 2);
        let info = HeartbeatInfo { nonce: 0x0102_0304_0506_0708, sent_at: 1_000_000_000, address };
        let value = "0001 0028 0102030405060708 000000003b9aca00 04000000
                     00000000 00000000 0000ffff 0a000102";
        let own = Heartbeat::from(info);
        assert_eq!(control(Control::Heartbeat(own.clone())), hex(&format!("0400002c {value}")));
        assert_eq!(control(Control::HeartbeatAck(own)), hex(&format!("0500002c {value}")));
        assert_eq!(HeartbeatInfo::parse(&info.bytes()), Some(info));
        let foreign = Heartbeat::Foreign(bytes::Bytes::from_static(b"odd"));
        assert_eq!(control(Control::HeartbeatAck(foreign)), hex("0500000b 00010007 6f646400"));
    }

    /// Information that differs from ours only in padding must be returned with that padding.
    #[test]
    fn only_information_with_the_same_encoding_is_our_own() {
        let info = HeartbeatInfo { nonce: 1, sent_at: 2, address: Address::v4(10, 0, 0, 1) };
        for (at, byte, is_own) in [(0, 9, true), (16, 6, false), (17, 1, false), (20, 1, false)] {
            let mut bytes = info.bytes().to_vec();
            bytes[at] = byte;
            let chunk = [&hex("0400002c 00010028")[..], &bytes].concat().into();
            let chunk = Reader::new(&chunk).chunk().expect("a chunk").expect("a chunk");
            let read = read(chunk).expect("information");
            assert_eq!(read.own().is_some(), is_own, "byte {at}");
            let written = control(Control::HeartbeatAck(read));
            assert_eq!(written[8..], bytes, "byte {at}");
        }
    }
}
