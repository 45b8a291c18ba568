//! Forged packets: hand-made chunks, and modified genuine packets.
//!
//! This file does not use the encoder under test, so that a chunk may have any length and any content.

use bolero::TypeGenerator;
use manypath_core::Tsn;

/// The knowledge of an attacker who sees all packets of the attacked endpoint.
#[derive(Clone, Debug, Default)]
pub struct Heard {
    /// The verification tag that the endpoint expects.
    pub tag: u32,
    /// The verification tag that it sends.
    pub peer_tag: u32,
    /// The highest TSN that its peer has sent.
    pub peer_tsn: Tsn,
    /// The highest TSN that it has sent.
    pub own_tsn: Tsn,
    /// The information of its last HEARTBEAT.
    pub probe: Vec<u8>,
    /// The cumulative TSN that its peer has really acknowledged.
    pub acknowledged: Tsn,
    /// The last cookie that it has created.
    pub cookie: Vec<u8>,
    /// The last packet that it sent.
    pub sent: Vec<u8>,
    /// The last packet with DATA that it sent.
    pub sent_data: Vec<u8>,
    /// The ports of the peer and of the endpoint.
    pub ports: (u16, u16),
}

/// A packet, or several if its chunks need them.
#[derive(Clone, Debug, TypeGenerator)]
pub struct Forgery {
    /// The verification tag, if it is not the expected one.
    pub tag: Option<Tag>,
    /// The chunks.
    #[generator(bolero::produce::<Vec<Chunk>>().with().len(0..=6_usize))]
    pub chunks: Vec<Chunk>,
}

/// A verification tag.
#[derive(Clone, Copy, Debug, TypeGenerator)]
pub enum Tag {
    /// The tag that the endpoint sends.
    Reflected,
    /// 0
    Zero,
    /// Any.
    Other(u32),
}

/// A TSN, by its distance from another one.
#[derive(Clone, Copy, Debug, TypeGenerator)]
pub enum Near {
    /// Distance from the highest TSN of the peer.
    Peer(i8),
    /// Distance from the highest TSN of the endpoint.
    Own(i8),
    /// Larger distance from the highest TSN of the peer.
    Beyond(u16),
    /// Any TSN.
    Any(u32),
}

/// A chunk.
#[derive(Clone, Debug, TypeGenerator)]
pub enum Chunk {
    /// DATA chunks with ascending TSNs.
    Data {
        /// TSN of the first one.
        tsn: Near,
        /// Difference between two TSNs.
        step: u8,
        /// Number of further chunks.
        copies: u8,
        /// Stream.
        stream: Small,
        /// SSN of the first chunk; it increases from chunk to chunk if `counts` is set.
        ssn: Small,
        /// Whether each chunk has its own SSN.
        counts: bool,
        /// The flags I, U, B and E.
        #[generator(0..16_u8)]
        flags: u8,
        /// Bytes of payload.
        length: Small,
    },
    /// SACK or NR-SACK.
    Sack {
        /// NR-SACK.
        nr: bool,
        /// Cumulative TSN.
        cumulative: Near,
        /// Advertised window.
        window: Small,
        /// For each block, its distance from the previous block and its number of further TSNs.
        #[generator(bolero::produce::<Vec<(Small, u8)>>().with().len(0..=8_usize))]
        gaps: Vec<(Small, u8)>,
        /// The same for non-renegable blocks.
        #[generator(bolero::produce::<Vec<(Small, u8)>>().with().len(0..=8_usize))]
        kept: Vec<(Small, u8)>,
        /// How often the last gap block is repeated at the same distance.
        repeat: u8,
        /// Duplicate TSNs.
        #[generator(bolero::produce::<Vec<Near>>().with().len(0..=4_usize))]
        duplicates: Vec<Near>,
    },
    /// HEARTBEAT with any information.
    Heartbeat(Opaque),
    /// HEARTBEAT ACK with the modified information of the last HEARTBEAT.
    HeartbeatAck(Changes),
    /// SHUTDOWN
    Shutdown(Near),
    /// PKTDROP with a modified packet of the endpoint.
    PacketDrop {
        /// Use the last packet with DATA; if false, the last packet.
        of_data: bool,
        /// The flags, such as M and T.
        #[generator(bolero::produce::<Option<u8>>().with().value(0..16_u8))]
        flags: Option<u8>,
        /// Size of the receive buffer, and bytes in it.
        window: (Small, Small),
        /// A false length of the whole packet, if any.
        length: Option<Small>,
        /// The modifications of the packet.
        changes: Changes,
    },
    /// INIT or INIT ACK.
    Init {
        /// INIT ACK.
        ack: bool,
        /// Initiate tag.
        tag: u32,
        /// Advertised window.
        window: u32,
        /// Streams in both directions.
        streams: (Small, Small),
        /// Initial TSN.
        tsn: u32,
        /// Parameters.
        #[generator(bolero::produce::<Vec<Parameter>>().with().len(0..=6_usize))]
        parameters: Vec<Parameter>,
        /// How often the last parameter is repeated.
        #[generator(0..=60_u8)]
        repeat: u8,
    },
    /// COOKIE ECHO with the last cookie, modified.
    CookieEcho(Changes),
    /// ABORT or ERROR with causes.
    Causes {
        /// ABORT.
        abort: bool,
        /// T bit.
        reflected: bool,
        /// Codes and contents.
        #[generator(bolero::produce::<Vec<(Small, Opaque)>>().with().len(0..=3_usize))]
        causes: Vec<(Small, Opaque)>,
    },
    /// A chunk of any type without a value, such as SHUTDOWN ACK, COOKIE ACK or SHUTDOWN COMPLETE.
    Bare {
        /// Type.
        #[generator(0..=16_u8)]
        kind: u8,
        /// T bit.
        reflected: bool,
    },
    /// Any chunk.
    Any {
        /// Type.
        kind: u8,
        /// Flags.
        flags: u8,
        /// Value.
        value: Opaque,
        /// The error of the length field.
        #[generator(-8..=8_i8)]
        error: i8,
    },
    /// PAD with this number of bytes.
    Padding(Small),
}

/// A parameter of INIT.
#[derive(Clone, Debug, TypeGenerator)]
pub enum Parameter {
    /// IPv4 address.
    V4([u8; 4]),
    /// An IPv4 address of the network of the stories.
    Local(u8, u8),
    /// IPv6 address.
    V6([u8; 16]),
    /// The last cookie.
    Cookie,
    /// Supported Extensions with NR-SACK and packet drop reports.
    Extensions,
    /// Any parameter.
    Any(u16, Opaque),
}

/// A number that is usually small, and sometimes the largest one.
#[derive(Clone, Copy, Debug, TypeGenerator)]
pub enum Small {
    /// Up to 15.
    Tiny(#[generator(0..16_u8)] u8),
    /// Up to 255.
    Byte(u8),
    /// Any.
    Word(u16),
    /// 65,535
    Most,
}

impl Small {
    /// The number.
    #[must_use]
    pub fn get(self) -> u16 {
        match self {
            Self::Tiny(number) | Self::Byte(number) => number.into(),
            Self::Word(number) => number,
            Self::Most => u16::MAX,
        }
    }
}

/// Opaque bytes.
#[derive(Clone, Debug, TypeGenerator)]
pub struct Opaque(#[generator(bolero::produce::<Vec<u8>>().with().len(0..=24_usize))] pub Vec<u8>);

/// Modifications of bytes.
#[derive(Clone, Debug, TypeGenerator)]
pub struct Changes(
    #[generator(bolero::produce::<Vec<Change>>().with().len(0..=4_usize))] Vec<Change>,
);

/// A modification. Offsets are taken modulo the length, and most are among the first bytes, where headers are.
#[derive(Clone, Copy, Debug, TypeGenerator)]
pub enum Change {
    /// Sets a byte.
    Set(Small, u8),
    /// Inverts a bit.
    Flip(Small, #[generator(0..8_u8)] u8),
    /// Inserts a byte.
    Insert(Small, u8),
    /// Removes a byte.
    Remove(Small),
    /// Removes all following bytes.
    Cut(Small),
    /// Repeats bytes at the end.
    Repeat(Small, u8),
}

impl Changes {
    /// Whether there are no modifications.
    #[must_use]
    pub fn is_none(&self) -> bool {
        self.0.is_empty()
    }

    /// Modifies the bytes from `from` on.
    pub fn apply(&self, from: usize, bytes: &mut Vec<u8>) {
        for change in &self.0 {
            let left = bytes.len().saturating_sub(from);
            if left == 0 {
                return;
            }
            let place = |at: Small| from + usize::from(at.get()) % left;
            match *change {
                Change::Set(at, value) => bytes[place(at)] = value,
                Change::Flip(at, bit) => bytes[place(at)] ^= 1 << bit,
                Change::Insert(at, value) => bytes.insert(place(at), value),
                Change::Remove(at) => drop(bytes.remove(place(at))),
                Change::Cut(at) => bytes.truncate(place(at)),
                Change::Repeat(at, count) => {
                    let start = place(at);
                    let end = bytes.len().min(start + usize::from(count));
                    bytes.extend_from_within(start..end);
                }
            }
        }
    }
}

impl Near {
    /// The TSN.
    #[must_use]
    pub fn get(self, heard: &Heard) -> u32 {
        match self {
            Self::Peer(by) => heard.peer_tsn.0.wrapping_add_signed(by.into()),
            Self::Own(by) => heard.own_tsn.0.wrapping_add_signed(by.into()),
            Self::Beyond(by) => heard.peer_tsn.0.wrapping_add(by.into()),
            Self::Any(tsn) => tsn,
        }
    }
}

impl Forgery {
    /// The packets with right checksums.
    #[must_use]
    pub fn packets(&self, heard: &Heard) -> Vec<Vec<u8>> {
        let tag = match self.tag {
            None => heard.tag,
            Some(Tag::Reflected) => heard.peer_tag,
            Some(Tag::Zero) => 0,
            Some(Tag::Other(tag)) => tag,
        };
        let mut packets = vec![header(heard.ports, tag)];
        for chunk in &self.chunks {
            chunk.write(heard, &mut |bytes| {
                let mut last = packets.pop().unwrap_or_default();
                if last.len() > COMMON_HEADER && last.len() + bytes.len() > ROOM {
                    packets.push(std::mem::replace(&mut last, header(heard.ports, tag)));
                }
                last.extend_from_slice(bytes);
                last.resize(last.len().next_multiple_of(4), 0);
                packets.push(last);
            });
        }
        packets.iter_mut().for_each(|packet| seal(packet));
        packets
    }
}

impl Chunk {
    /// Passes every chunk, without padding, to `out`.
    fn write(&self, heard: &Heard, out: &mut impl FnMut(&[u8])) {
        match self {
            Self::Data { .. } => self.write_data(heard, out),
            Self::Sack { nr, .. } => {
                out(&chunk(if *nr { NR_SACK } else { SACK }, 0, &self.sack(heard)));
            }
            Self::Heartbeat(info) => out(&chunk(HEARTBEAT, 0, &parameter(1, &info.0))),
            Self::HeartbeatAck(changes) => {
                let mut value = parameter(1, &heard.probe);
                changes.apply(0, &mut value);
                out(&chunk(HEARTBEAT_ACK, 0, &value));
            }
            Self::Shutdown(tsn) => out(&chunk(SHUTDOWN, 0, &tsn.get(heard).to_be_bytes())),
            Self::PacketDrop { flags, .. } => {
                out(&chunk(
                    PACKET_DROP,
                    flags.unwrap_or(CUT_AND_DAMAGED),
                    &self.packet_drop(heard),
                ));
            }
            Self::Init { ack, .. } => out(&chunk(1 + u8::from(*ack), 0, &self.init(heard))),
            Self::CookieEcho(changes) => {
                let mut cookie = heard.cookie.clone();
                changes.apply(0, &mut cookie);
                out(&chunk(COOKIE_ECHO, 0, &cookie));
            }
            Self::Causes { abort, reflected, causes } => {
                let causes = causes.iter().flat_map(|(code, info)| parameter(code.get(), &info.0));
                let kind = if *abort { ABORT } else { ERROR };
                out(&chunk(kind, (*reflected).into(), &causes.collect::<Vec<u8>>()));
            }
            Self::Bare { kind, reflected } => out(&chunk(*kind, (*reflected).into(), &[])),
            Self::Any { kind, flags, value, error } => {
                let mut bytes = chunk(*kind, *flags, &value.0);
                bytes[3] = bytes[3].wrapping_add_signed(*error);
                out(&bytes);
            }
            Self::Padding(length) => {
                out(&chunk(PADDING, 0, &vec![0; usize::from(length.get()).min(ROOM)]));
            }
        }
    }

    fn write_data(&self, heard: &Heard, out: &mut impl FnMut(&[u8])) {
        let Self::Data { tsn, step, copies, stream, ssn, counts, flags, length } = self else {
            return;
        };
        let mut tsn = tsn.get(heard);
        let mut ssn = ssn.get();
        let payload = vec![0x5a; usize::from(length.get()).min(ROOM - 100)];
        for _ in 0..=*copies {
            let mut value = tsn.to_be_bytes().to_vec();
            value.extend(stream.get().to_be_bytes());
            value.extend(ssn.to_be_bytes());
            value.extend([0; 4]);
            value.extend(&payload);
            out(&chunk(DATA, *flags, &value));
            tsn = tsn.wrapping_add((*step).into());
            ssn = ssn.wrapping_add((*counts).into());
        }
    }

    fn sack(&self, heard: &Heard) -> Vec<u8> {
        let Self::Sack { nr, cumulative, window, gaps, kept, repeat, duplicates } = self else {
            return Vec::new();
        };
        let last = gaps.last().map(|last| std::iter::repeat_n(*last, (*repeat).into()));
        let gaps: Vec<_> = gaps.iter().copied().chain(last.into_iter().flatten()).collect();
        let kept: &[_] = if *nr { kept } else { &[] };
        let mut value = cumulative.get(heard).to_be_bytes().to_vec();
        value.extend(u32::from(window.get()).to_be_bytes());
        value.extend((gaps.len() as u16).to_be_bytes());
        if *nr {
            value.extend((kept.len() as u16).to_be_bytes());
        }
        value.extend((duplicates.len() as u16).to_be_bytes());
        if *nr {
            value.extend([0; 2]);
        }
        for blocks in [&gaps, kept] {
            let mut end = 0_u16;
            for (missing, more) in blocks {
                let start = end.wrapping_add(missing.get());
                end = start.wrapping_add((*more).into());
                value.extend([start, end].map(u16::to_be_bytes).concat());
            }
        }
        value.extend(duplicates.iter().flat_map(|tsn| tsn.get(heard).to_be_bytes()));
        value
    }

    fn packet_drop(&self, heard: &Heard) -> Vec<u8> {
        let Self::PacketDrop { of_data, window: (window, queued), length, changes, .. } = self
        else {
            return Vec::new();
        };
        let mut dropped = if *of_data { heard.sent_data.clone() } else { heard.sent.clone() };
        let whole = dropped.len() as u16;
        changes.apply(0, &mut dropped);
        dropped.truncate(ROOM - 100);
        let numbers = [u32::from(window.get()), u32::from(queued.get())];
        let mut value = numbers.map(u32::to_be_bytes).concat();
        let length = length.map_or(whole, Small::get);
        value.extend([length, 0].map(u16::to_be_bytes).concat());
        value.extend(dropped);
        value
    }

    fn init(&self, heard: &Heard) -> Vec<u8> {
        let Self::Init { tag, window, streams, tsn, parameters, repeat, .. } = self else {
            return Vec::new();
        };
        let mut value = [*tag, *window].map(u32::to_be_bytes).concat();
        value.extend([streams.0.get(), streams.1.get()].map(u16::to_be_bytes).concat());
        value.extend(tsn.to_be_bytes());
        let last = parameters.last().map(|last| std::iter::repeat_n(last, (*repeat).into()));
        for parameter in parameters.iter().chain(last.into_iter().flatten()) {
            value.extend(parameter.bytes(heard));
        }
        value.truncate(ROOM - 100);
        value
    }
}

impl Parameter {
    fn bytes(&self, heard: &Heard) -> Vec<u8> {
        match self {
            Self::V4(octets) => parameter(5, octets),
            Self::Local(path, host) => parameter(5, &[10, *path, 0, *host]),
            Self::V6(octets) => parameter(6, octets),
            Self::Cookie => parameter(7, &heard.cookie),
            Self::Extensions => parameter(0x8008, &[NR_SACK, PACKET_DROP]),
            Self::Any(kind, value) => parameter(*kind, &value.0),
        }
    }
}

/// A common header without a checksum.
#[must_use]
pub fn header((source, destination): (u16, u16), tag: u32) -> Vec<u8> {
    let mut header = [source, destination].map(u16::to_be_bytes).concat();
    header.extend(tag.to_be_bytes());
    header.extend([0; 4]);
    header
}

/// Sets the right checksum of a packet that is long enough.
pub fn seal(packet: &mut [u8]) {
    if let Some(field) = packet.get_mut(8..COMMON_HEADER) {
        field.fill(0);
        let checksum = crc32c::crc32c(packet).to_le_bytes();
        packet[8..COMMON_HEADER].copy_from_slice(&checksum);
    }
}

fn chunk(kind: u8, flags: u8, value: &[u8]) -> Vec<u8> {
    let [high, low] = ((4 + value.len()) as u16).to_be_bytes();
    [&[kind, flags, high, low], value].concat()
}

/// A parameter with its padding.
fn parameter(kind: u16, value: &[u8]) -> Vec<u8> {
    let head = [kind, (4 + value.len()) as u16].map(u16::to_be_bytes).concat();
    let mut bytes = [&head, value].concat();
    bytes.resize(bytes.len().next_multiple_of(4), 0);
    bytes
}

/// Bytes of the common header.
pub const COMMON_HEADER: usize = 12;
/// Largest size of a forged packet in bytes.
const ROOM: usize = 1480;

const DATA: u8 = 0;
const SACK: u8 = 3;
const HEARTBEAT: u8 = 4;
const HEARTBEAT_ACK: u8 = 5;
const ABORT: u8 = 6;
const SHUTDOWN: u8 = 7;
const ERROR: u8 = 9;
const COOKIE_ECHO: u8 = 10;
const NR_SACK: u8 = 0x10;
const PACKET_DROP: u8 = 0x81;
const PADDING: u8 = 0x84;
/// Flags of PKTDROP: the checksum was wrong, and the packet is truncated.
const CUT_AND_DAMAGED: u8 = 0x06;
