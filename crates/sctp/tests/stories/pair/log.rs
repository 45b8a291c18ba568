//! The entries of SCTP packets in the log.

use manypath_core::Streams;
use manypath_sctp::{Config, Control, Data, Endpoint, Packet, Sack};
use manypath_stage::Protocol;

/// The chunks of a sent packet, and its header.
#[derive(Clone, Debug)]
pub(crate) struct Chunks {
    pub(crate) tag: u32,
    /// Control chunks other than SACK.
    pub(crate) control: Vec<Control>,
    pub(crate) sack: Option<Sack>,
    pub(crate) data: Vec<Data>,
    /// Whether IP may fragment it.
    pub(crate) may_fragment: bool,
}

impl Protocol for Chunks {
    type Packet = Packet;
    type Endpoint = Endpoint;
    type Config = Config;

    const MOST_INSTANTS: u64 = 3_000_000;
    const MIXES_PATHS: bool = true;

    fn endpoint(config: Config, streams: &Streams, name: &str) -> Endpoint {
        Endpoint::new(config, streams, name)
    }

    /// Names of its chunks, in wire order.
    fn label(packet: &Packet) -> String {
        let control = packet.control.iter().map(name);
        let sack_name = if packet.sack.non_renegable_chunk { "NR-SACK" } else { "SACK" };
        let sack = packet.has_sack.then_some(sack_name);
        let data = packet.data.iter().map(|_| "DATA");
        let names: Vec<&str> = control.chain(sack).chain(data).collect();
        names.join(" + ")
    }

    fn content(packet: &Packet) -> Self {
        Self {
            tag: packet.tag,
            control: packet.control.clone(),
            sack: packet.has_sack.then(|| packet.sack.clone()),
            data: packet.data.clone(),
            may_fragment: packet.may_fragment,
        }
    }

    fn has_data(&self) -> bool {
        !self.data.is_empty()
    }
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
