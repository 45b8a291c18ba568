//! The entries of TCP segments in the log.

use manypath_core::Streams;
use manypath_stage::Protocol;
use manypath_tcp::{Config, Endpoint, Flags, Options, Segment};

/// Fields of a sent segment.
#[derive(Clone, Debug)]
pub(crate) struct Fields {
    pub(crate) seq: u32,
    pub(crate) ack: u32,
    pub(crate) window: u16,
    /// Bytes of payload.
    pub(crate) length: usize,
    pub(crate) options: Options,
}

impl Protocol for Fields {
    type Packet = Segment;
    type Endpoint = Endpoint;
    type Config = Config;

    const MOST_INSTANTS: u64 = 200_000;
    const MIXES_PATHS: bool = false;

    fn endpoint(config: Config, streams: &Streams, name: &str) -> Endpoint {
        Endpoint::new(config, streams, name)
    }

    /// Control bits and payload of a segment, such as `SYN ACK` or `DATA FIN`; plain `ACK` only if there is nothing
    /// else.
    fn label(segment: &Segment) -> String {
        let flags = segment.flags;
        let names = [(Flags::SYN, "SYN"), (Flags::RST, "RST")];
        let mut words: Vec<&str> =
            names.iter().filter(|(bit, _)| flags.contains(*bit)).map(|(_, name)| *name).collect();
        if segment.payload_length() > 0 {
            words.push("DATA");
        }
        if flags.contains(Flags::FIN) {
            words.push("FIN");
        }
        if flags.contains(Flags::ACK) && (words.is_empty() || words == ["SYN"]) {
            words.push("ACK");
        }
        if !segment.options.sack.is_empty() {
            words.push("SACK");
        }
        words.join(" ")
    }

    fn content(segment: &Segment) -> Self {
        Self {
            seq: segment.seq,
            ack: segment.ack,
            window: segment.window,
            length: segment.payload_length(),
            options: segment.options,
        }
    }

    fn has_data(&self) -> bool {
        self.length > 0
    }
}
