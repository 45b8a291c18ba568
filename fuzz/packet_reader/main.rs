//! Decodes arbitrary bytes: no panic, memory in proportion to the length, and decoding inverts encoding.

use bytes::Bytes;
use manypath_core::{Encode as _, Packet as _, Via};
use manypath_fuzz::SHRINK_TIME;
use manypath_fuzz::forge::seal;
use manypath_fuzz::host::NETWORK_HEADER;
use manypath_fuzz::memory::measure;
use manypath_sctp::{Control, Packet};

fn main() {
    bolero::check!().with_iterations(0).with_shrink_time(SHRINK_TIME).for_each(|input: &[u8]| {
        read(input);
        let mut mended = input.to_vec();
        seal(&mut mended);
        read(&mended);
    });
}

fn read(datagram: &[u8]) {
    let datagram = Bytes::copy_from_slice(datagram);
    let mut packet = Packet::default();
    let (result, used) = measure(|| packet.decode(&datagram, NETWORK_HEADER as u16));
    let most = MEMORY_PER_BYTE * datagram.len() as i64 + MEMORY_PER_PACKET;
    assert!(used.peak <= most, "{used:?} for {} bytes", datagram.len());
    if let Err(error) = result {
        assert!(error.offset <= datagram.len(), "{error}");
        assert!(!error.to_string().is_empty());
    }
    means_what_it_says(packet, result.is_ok());
}

/// Checks that a decoded packet can be encoded, has the size that it reports, and is decoded to an equal packet.
fn means_what_it_says(mut packet: Packet, is_whole: bool) {
    let mut bytes = Vec::new();
    packet.encode(Via::default(), &(), &mut bytes);
    let header = usize::from(packet.network_header);
    assert_eq!(packet.size(), header + bytes.len(), "{packet:?}");
    let mut again = Packet::default();
    let result = again.decode(&bytes.into(), packet.network_header);
    if packet.control.iter().any(ends_packet) {
        return;
    }
    packet.control.iter_mut().for_each(forget_what_is_not_sent);
    again.control.iter_mut().for_each(forget_what_is_not_sent);
    assert_eq!(result, Ok(()), "whole before: {is_whole}; {packet:?}");
    assert_eq!(again, packet);
}

/// Unknown chunks are never sent. After one whose type ends the packet, nothing would be decoded.
fn ends_packet(chunk: &Control) -> bool {
    let ends = |whole: &Bytes| whole.first().is_some_and(|kind| kind & SKIP == 0);
    matches!(chunk, Control::Unrecognized(chunks) if chunks.iter().any(ends))
}

/// Removes unrecognised parameters, which are never sent.
fn forget_what_is_not_sent(chunk: &mut Control) {
    if let Control::Init(init) | Control::InitAck(init) = chunk {
        init.unrecognized.clear();
    }
}

/// Bit of a chunk type: skip the chunk and read the next one. RFC 9260 §3.2
const SKIP: u8 = 0x80;
/// Largest memory per byte of a datagram with as many chunks or parameters as possible, in bytes.
const MEMORY_PER_BYTE: i64 = 64;
/// Largest memory for any datagram, in bytes.
const MEMORY_PER_PACKET: i64 = 1024;
