//! The packet: the common header, and its chunks behind it. RFC 9260 §3, §3.1
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
    /// Becomes the packet that a datagram holds, without its network header of `network_header` bytes. The memory of the
    /// packet is kept, and payloads, cookies and all that is opaque are slices of the datagram.
    ///
    /// Chunks are read in their order (RFC 9260 §6.10), with these rules for what is unusual:
    ///
    /// - Of several SACKs the newest one counts, and of equally new ones the last.
    /// - A control chunk behind DATA is taken as if it stood in front of it.
    /// - Chunks of unknown types are passed over or end the packet as their two upper bits say; those whose sender wants a
    ///   report are in [`Control::Unrecognized`], the last control chunk. RFC 9260 §3.2
    /// - ECNE and CWR are passed over: congestion marks are not negotiated.
    /// - Up to three bytes of padding behind the last chunk may be missing.
    ///
    /// # Errors
    /// If the packet breaks a rule. Then it holds the chunks in front of the one that does, which count, or none where the
    /// error [discards the packet](DecodeError::discards_packet). Ports and tag are there unless the common header is cut
    /// short.
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

    /// Reads a chunk; false if the packet ends with it.
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

/// Reads a control chunk other than SACK; the whole chunk if its type is not known.
fn read_control(chunk: Chunk<'_>) -> Result<Result<Control, Bytes>, Fault> {
    Ok(Ok(match chunk.kind {
        kind::INIT => Control::Init(Box::new(init::read(chunk)?)),
        kind::INIT_ACK => Control::InitAck(Box::new(init::read(chunk)?)),
        kind::HEARTBEAT => Control::Heartbeat(heartbeat::read(chunk)?),
        kind::HEARTBEAT_ACK => Control::HeartbeatAck(heartbeat::read(chunk)?),
        kind::ABORT => abort::read(chunk),
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

/// RFC 9260 §6.10
fn must_be_alone(kind: u8) -> bool {
    matches!(kind, kind::INIT | kind::INIT_ACK | kind::SHUTDOWN_COMPLETE)
}

/// Writes a packet, which is the same wherever it goes.
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

/// Place of the checksum in the common header.
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
    fn a_packet_goes_behind_what_the_buffer_holds() {
        let packet = Packet { control: vec![Control::CookieAck], ..Packet::default() };
        let mut out = vec![0xff; 3];
        packet.encode(Via::default(), &(), &mut out);
        assert_eq!(out[..3], [0xff; 3]);
        assert_eq!(out[3..], bytes(&packet));
    }
}
