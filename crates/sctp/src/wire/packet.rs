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

use manypath_core::{Encode, Via};

use super::writer::Writer;
use super::{abort, checksum, cookie, data, error, heartbeat, init, packet_drop, sack, shutdown};
use crate::packet::{Control, Packet};

impl Encode for Packet {
    type Memory = ();

    fn encode(&self, _via: Via, _memory: &(), out: &mut Vec<u8>) {
        write(self, out);
    }
}

/// Writes a packet, which is the same wherever it goes.
pub(super) fn write(packet: &Packet, out: &mut Vec<u8>) {
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
        Control::Init(init) => init::write(writer, init::INIT, init),
        Control::InitAck(init) => init::write(writer, init::INIT_ACK, init),
        Control::CookieEcho(cookie) => cookie::write_echo(writer, cookie),
        Control::CookieAck => cookie::write_ack(writer),
        Control::Heartbeat(info) => heartbeat::write(writer, heartbeat::HEARTBEAT, info),
        Control::HeartbeatAck(info) => heartbeat::write(writer, heartbeat::HEARTBEAT_ACK, info),
        Control::Shutdown(cumulative) => shutdown::write(writer, *cumulative),
        Control::ShutdownAck => shutdown::write_ack(writer),
        Control::ShutdownComplete { reflected } => shutdown::write_complete(writer, *reflected),
        Control::Abort { reflected, cause } => abort::write(writer, *reflected, cause.as_ref()),
        Control::Error(cause) => error::write(writer, cause),
        Control::PacketDrop(report) => packet_drop::write(writer, report),
    }
}

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
