//! The log of sent packets, displayed as arrows.

use std::fmt;

use manypath_core::Time;
use manypath_sctp::{Control, Data, Packet, Sack};

use super::Side;

/// A sent packet.
#[derive(Clone, Debug)]
pub(crate) struct Sent {
    pub(crate) at: Time,
    pub(crate) from: Side,
    pub(crate) path: usize,
    /// Names of its chunks, such as `COOKIE ECHO + DATA`.
    pub(crate) label: String,
    pub(crate) tag: u32,
    /// Control chunks other than SACK.
    pub(crate) control: Vec<Control>,
    pub(crate) sack: Option<Sack>,
    pub(crate) data: Vec<Data>,
    /// Bytes of the IP packet.
    pub(crate) size: usize,
    /// Whether IP may fragment it.
    pub(crate) may_fragment: bool,
    /// Whether the network lost it.
    pub(crate) lost: bool,
}

impl fmt::Display for Sent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let to = if self.lost { "lost" } else { ["A", "Z"][self.from.other() as usize] };
        write!(f, "{:?} -> {} -> {to}", self.from, self.label)
    }
}

/// Names of the chunks of a packet, in wire order.
pub(crate) fn label(packet: &Packet) -> String {
    let control = packet.control.iter().map(name);
    let sack_name = if packet.sack.non_renegable_chunk { "NR-SACK" } else { "SACK" };
    let sack = packet.has_sack.then_some(sack_name);
    let data = packet.data.iter().map(|_| "DATA");
    let names: Vec<&str> = control.chain(sack).chain(data).collect();
    names.join(" + ")
}

fn name(chunk: &Control) -> &'static str {
    match chunk {
        Control::Init(_) => "INIT",
        Control::InitAck(_) => "INIT ACK",
        Control::CookieEcho(_) => "COOKIE ECHO",
        Control::CookieAck => "COOKIE ACK",
        Control::Heartbeat(_) => "HEARTBEAT",
        Control::HeartbeatAck(_) => "HEARTBEAT ACK",
        Control::Shutdown(_) => "SHUTDOWN",
        Control::ShutdownAck => "SHUTDOWN ACK",
        Control::ShutdownComplete { reflected: false } => "SHUTDOWN COMPLETE",
        Control::ShutdownComplete { reflected: true } => "SHUTDOWN COMPLETE (T)",
        Control::Abort { reflected: false, .. } => "ABORT",
        Control::Abort { reflected: true, .. } => "ABORT (T)",
        Control::Error(_) => "ERROR",
        Control::PacketDrop(_) => "PKTDROP",
        Control::Padding(_) => "PAD",
        Control::Unrecognized(_) => "UNRECOGNIZED",
    }
}
