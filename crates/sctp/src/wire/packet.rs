//! The packet: common header and chunks. RFC 9260 §3, §3.1
//!
//! ```text
//! ┌─────────────────┬─────────────────┐
//! │ source port     │ destination port│
//! ├─────────────────┴─────────────────┤
//! │ verification tag                  │
//! ├───────────────────────────────────┤
//! │ checksum                          │
//! ├───────────────────────────────────┤
//! │ chunks                            │
//! └───────────────────────────────────┘
//! ```

use bytes::Bytes;
use manypath_core::{Encode, Packet as _, Via};

use super::decode_error::{ChunkPlace, DecodeError, Rule};
use super::reader::{Chunk, Fault, Reader};
use super::writer::Writer;
use super::{
    abort, checksum, cookie, data, error, heartbeat, init, kind, packet_drop, padding, sack,
    shutdown,
};
use crate::packet::{COMMON_HEADER, Control, Packet};

impl Encode for Packet {
    type Memory = ();

    fn encode(&self, _via: Via, _memory: &(), out: &mut Vec<u8>) {
        write(self, out);
    }
}

impl Packet {
    /// Replaces this packet with the one that a datagram contains. `network_header` is the size of the headers before
    /// the datagram. The packet's memory is reused; payloads, cookies and other opaque bytes are slices of the
    /// datagram.
    ///
    /// Chunks are read in order (RFC 9260 §6.10), with these rules:
    ///
    /// - Of several SACKs, the one with the highest cumulative TSN is kept; of equal ones, the last.
    /// - A control chunk after DATA is handled as if it were before it.
    /// - A chunk of unknown type is skipped, or ends the packet, depending on its two upper bits. Chunks to report are
    ///   in [`Control::Unrecognized`], the last control chunk. RFC 9260 §3.2
    /// - ECNE and CWR are skipped, because ECN is not negotiated.
    /// - Up to three bytes of padding after the last chunk may be missing.
    ///
    /// # Errors
    /// If the packet is malformed. It then contains the chunks before the faulty one, which are valid, or none if the
    /// error [discards the packet](DecodeError::discards_packet). Ports and tag are set unless the common header is
    /// truncated.
    pub fn decode(&mut self, datagram: &Bytes, network_header: u16) -> Result<(), DecodeError> {
        self.clear();
        let mut reader = Reader::new(datagram);
        self.read_header(&mut reader, network_header)
            .map_err(|fault| DecodeError::of_packet(fault.offset, fault.rule))?;
        if !checksum::is_right(datagram) {
            return Err(DecodeError::of_packet(CHECKSUM, Rule::Checksum));
        }
        let mut unrecognized = Vec::new();
        let result = self.read_chunks(reader, &mut unrecognized);
        if !unrecognized.is_empty() {
            self.control.push(Control::Unrecognized(unrecognized));
        }
        if result.is_err_and(|error| error.discards_packet()) {
            self.clear();
        }
        result
    }

    fn read_header(&mut self, reader: &mut Reader<'_>, network_header: u16) -> Result<(), Fault> {
        let header = reader.take::<COMMON_HEADER>(Rule::CommonHeader)?;
        let [s0, s1, d0, d1, t0, t1, t2, t3, ..] = header;
        self.source_port = u16::from_be_bytes([s0, s1]);
        self.destination_port = u16::from_be_bytes([d0, d1]);
        self.tag = u32::from_be_bytes([t0, t1, t2, t3]);
        self.network_header = network_header;
        Ok(())
    }

    fn read_chunks(
        &mut self,
        mut reader: Reader<'_>,
        unrecognized: &mut Vec<Bytes>,
    ) -> Result<(), DecodeError> {
        let first = reader.offset();
        let mut index = 0;
        while !reader.is_empty() {
            let offset = reader.offset();
            let kind = reader.as_slice()[0];
            let place = ChunkPlace { kind, index };
            let error = |Fault { offset, rule }| DecodeError { chunk: Some(place), offset, rule };
            let Some(chunk) = reader.chunk().map_err(error)? else { return Ok(()) };
            if must_be_alone(kind) && !(offset == first && reader.is_empty()) {
                return Err(error(Fault { offset, rule: Rule::NotAlone }));
            }
            if !self.read_chunk(chunk, unrecognized).map_err(error)? {
                return Ok(());
            }
            index += 1;
        }
        Ok(())
    }

    /// Reads a chunk; returns false if the rest of the packet must be ignored.
    #[inline]
    fn read_chunk(
        &mut self,
        chunk: Chunk<'_>,
        unrecognized: &mut Vec<Bytes>,
    ) -> Result<bool, Fault> {
        match chunk.kind {
            kind::DATA => self.data.push(data::read(chunk)?),
            kind::SACK | kind::NR_SACK => self.read_sack(chunk)?,
            kind::ECNE | kind::CWR => {}
            kind => match read_control(chunk)? {
                Ok(control) => self.control.push(control),
                Err(unknown) => {
                    if kind & kind::REPORT != 0 {
                        unrecognized.push(unknown);
                    }
                    return Ok(kind & kind::SKIP != 0);
                }
            },
        }
        Ok(true)
    }

    fn read_sack(&mut self, chunk: Chunk<'_>) -> Result<(), Fault> {
        let is_older = |cumulative| self.has_sack && self.sack.cumulative.is_after(cumulative);
        if !sack::cumulative(&chunk).is_some_and(is_older) {
            sack::read(chunk, &mut self.sack)?;
            self.has_sack = true;
        }
        Ok(())
    }
}

/// Reads a control chunk other than SACK; returns the whole chunk if its type is unknown.
fn read_control(chunk: Chunk<'_>) -> Result<Result<Control, Bytes>, Fault> {
    Ok(Ok(match chunk.kind {
        kind::INIT => Control::Init(Box::new(init::read(chunk)?)),
        kind::INIT_ACK => Control::InitAck(Box::new(init::read(chunk)?)),
        kind::HEARTBEAT => Control::Heartbeat(heartbeat::read(chunk)?),
        kind::HEARTBEAT_ACK => Control::HeartbeatAck(heartbeat::read(chunk)?),
        kind::ABORT => abort::read(chunk)?,
        kind::SHUTDOWN => shutdown::read(chunk)?,
        kind::SHUTDOWN_ACK => Control::ShutdownAck,
        kind::SHUTDOWN_COMPLETE => shutdown::read_complete(&chunk),
        kind::ERROR => error::read(chunk),
        kind::COOKIE_ECHO => cookie::read_echo(&chunk),
        kind::COOKIE_ACK => Control::CookieAck,
        kind::PACKET_DROP => Control::PacketDrop(Box::new(packet_drop::read(chunk)?)),
        kind::PADDING => padding::read(&chunk),
        _ => return Ok(Err(chunk.whole.to_bytes())),
    }))
}

/// Whether a chunk type must not be bundled. RFC 9260 §6.10
fn must_be_alone(kind: u8) -> bool {
    matches!(kind, kind::INIT | kind::INIT_ACK | kind::SHUTDOWN_COMPLETE)
}

/// Appends the encoded packet to `out`.
fn write(packet: &Packet, out: &mut Vec<u8>) {
    let mut writer = Writer::new(out);
    writer.put_u16(packet.source_port);
    writer.put_u16(packet.destination_port);
    writer.put_u32(packet.tag);
    writer.put_u32(0);
    for chunk in &packet.control {
        write_control(&mut writer, chunk);
    }
    if packet.has_sack {
        sack::write(&mut writer, &packet.sack);
    }
    for chunk in &packet.data {
        data::write(&mut writer, chunk);
    }
    checksum::seal(writer.packet());
}

fn write_control(writer: &mut Writer<'_>, chunk: &Control) {
    match chunk {
        Control::Init(init) => init::write(writer, kind::INIT, init),
        Control::InitAck(init) => init::write(writer, kind::INIT_ACK, init),
        Control::CookieEcho(cookie) => cookie::write_echo(writer, cookie),
        Control::CookieAck => cookie::write_ack(writer),
        Control::Heartbeat(info) => heartbeat::write(writer, kind::HEARTBEAT, info),
        Control::HeartbeatAck(info) => heartbeat::write(writer, kind::HEARTBEAT_ACK, info),
        Control::Shutdown(cumulative) => shutdown::write(writer, *cumulative),
        Control::ShutdownAck => shutdown::write_ack(writer),
        Control::ShutdownComplete { reflected } => shutdown::write_complete(writer, *reflected),
        Control::Abort { reflected, causes } => abort::write(writer, *reflected, causes),
        Control::Error(causes) => error::write(writer, causes),
        Control::PacketDrop(report) => packet_drop::write(writer, report),
        Control::Padding(zeros) => padding::write(writer, *zeros),
        Control::Unrecognized(chunks) => chunks.iter().for_each(|whole| writer.whole(whole)),
    }
}

/// Offset of the checksum in the common header.
const CHECKSUM: usize = 8;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::tests::{bytes, hex};

    #[test]
    fn a_whole_packet_with_its_checksum() {
        let packet = Packet {
            source_port: 5001,
            destination_port: 5002,
            tag: 0xdead_beef,
            control: vec![Control::CookieAck],
            ..Packet::default()
        };
        assert_eq!(bytes(&packet), hex("1389138a deadbeef 5876026e 0b000004"));
    }

    #[test]
    fn a_packet_is_appended_to_the_content_of_the_buffer() {
        let packet = Packet { control: vec![Control::CookieAck], ..Packet::default() };
        let mut out = vec![0xff; 3];
        packet.encode(Via::default(), &(), &mut out);
        assert_eq!(out[..3], [0xff; 3]);
        assert_eq!(out[3..], bytes(&packet));
    }
}
