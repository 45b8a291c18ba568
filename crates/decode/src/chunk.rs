//! Chunks as output, in the order of the packet. RFC 9260 §3.3

use std::fmt;
use std::net::IpAddr;

use manypath_core::Ranges;
use manypath_sctp::chunk_type::{
    CWR, DATA, ECNE, NR_SACK, PACKET_DROP, PADDING, SACK, SHUTDOWN_COMPLETE, SKIP,
};
use manypath_sctp::{
    CHUNK_HEADER, COMMON_HEADER, Control, Data, DataFlags, Heartbeat, Init, Packet, Sack,
};
use serde::Serialize;

use crate::cause::{CauseView, write_all};

/// A chunk of a packet.
#[derive(Clone, Debug, Serialize)]
#[serde(tag = "type")]
pub(crate) enum ChunkView {
    #[serde(rename = "DATA")]
    Data { tsn: u32, stream: u16, ssn: u16, ppid: u32, flags: String, length: usize },
    #[serde(rename = "SACK")]
    Sack(SackView),
    #[serde(rename = "NR-SACK")]
    NrSack(SackView),
    /// A SACK in a packet with a newer one, which is the one that counts.
    #[serde(rename = "older SACK")]
    OlderSack,
    #[serde(rename = "INIT")]
    Init(InitView),
    #[serde(rename = "INIT ACK")]
    InitAck(InitView),
    #[serde(rename = "COOKIE ECHO")]
    CookieEcho { length: usize },
    #[serde(rename = "COOKIE ACK")]
    CookieAck,
    #[serde(rename = "HEARTBEAT")]
    Heartbeat(HeartbeatView),
    #[serde(rename = "HEARTBEAT ACK")]
    HeartbeatAck(HeartbeatView),
    #[serde(rename = "SHUTDOWN")]
    Shutdown { cumulative: u32 },
    #[serde(rename = "SHUTDOWN ACK")]
    ShutdownAck,
    #[serde(rename = "SHUTDOWN COMPLETE")]
    ShutdownComplete { reflected: bool },
    #[serde(rename = "ABORT")]
    Abort { reflected: bool, causes: Vec<CauseView> },
    #[serde(rename = "ERROR")]
    Error { causes: Vec<CauseView> },
    #[serde(rename = "PKTDROP")]
    PacketDrop { window: u32, queued: u32, length: u16, truncated: bool },
    #[serde(rename = "PAD")]
    Padding { length: u16 },
    #[serde(rename = "ECNE")]
    Ecne,
    #[serde(rename = "CWR")]
    Cwr,
    #[serde(rename = "unknown")]
    Unknown { code: u8, length: usize },
}

/// A SACK or an NR-SACK, with absolute TSNs.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct SackView {
    cumulative: u32,
    window: u32,
    gaps: Vec<[u32; 2]>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    kept_gaps: Vec<[u32; 2]>,
    duplicates: Vec<u32>,
}

/// INIT or INIT ACK.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct InitView {
    tag: u32,
    window: u32,
    outbound_streams: u16,
    inbound_streams: u16,
    initial_tsn: u32,
    addresses: Vec<IpAddr>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cookie: Option<usize>,
    extensions: Vec<u8>,
}

/// The information of a heartbeat; address and time if it has the format of this stack.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct HeartbeatView {
    length: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    address: Option<IpAddr>,
    #[serde(skip_serializing_if = "Option::is_none")]
    sent_at: Option<u64>,
}

/// Type and length of a chunk from its header.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Header {
    pub(crate) kind: u8,
    pub(crate) length: usize,
}

/// The headers of the first `count` chunks of a packet; ends after an unknown chunk that ends the packet. RFC 9260 §3.2
pub(crate) fn headers(packet: &[u8], count: usize) -> impl Iterator<Item = Header> + '_ {
    let mut rest = packet.get(COMMON_HEADER..).unwrap_or_default();
    let next = move || {
        let &[kind, _, high, low] = rest.first_chunk::<4>()?;
        let length = usize::from(u16::from_be_bytes([high, low]));
        let ends = is_unknown(kind) && kind & SKIP == 0;
        let behind = if ends { usize::MAX } else { length.next_multiple_of(4).max(CHUNK_HEADER) };
        rest = rest.get(behind..).unwrap_or_default();
        Some(Header { kind, length })
    };
    std::iter::from_fn(next).take(count)
}

/// Whether a chunk type is unknown.
pub(crate) fn is_unknown(kind: u8) -> bool {
    !matches!(kind, DATA..=CWR | SHUTDOWN_COMPLETE | NR_SACK | PACKET_DROP | PADDING)
}

/// The first `count` chunks, which were decoded, in wire order.
pub(crate) fn views(packet: &Packet, bytes: &[u8], count: usize) -> Vec<ChunkView> {
    let mut data = packet.data.iter();
    let mut control = packet.control.iter();
    let is_sack = |header: &Header| matches!(header.kind, SACK | NR_SACK);
    let mut sacks = headers(bytes, count).filter(is_sack).count();
    let view = |header: Header| match header.kind {
        DATA => data.next().map(of_data),
        SACK | NR_SACK => {
            sacks -= 1;
            Some(if sacks == 0 { of_sack(&packet.sack) } else { ChunkView::OlderSack })
        }
        ECNE => Some(ChunkView::Ecne),
        CWR => Some(ChunkView::Cwr),
        kind if is_unknown(kind) => Some(ChunkView::Unknown { code: kind, length: header.length }),
        _ => control.next().and_then(of_control),
    };
    headers(bytes, count).map_while(view).collect()
}

fn of_data(data: &Data) -> ChunkView {
    let letters = [
        (DataFlags::BEGIN, 'B'),
        (DataFlags::END, 'E'),
        (DataFlags::UNORDERED, 'U'),
        (DataFlags::IMMEDIATE, 'I'),
    ];
    let set = letters.iter().filter(|(flag, _)| data.flags.contains(*flag));
    ChunkView::Data {
        tsn: data.tsn.0,
        stream: data.stream,
        ssn: data.ssn.0,
        ppid: data.ppid,
        flags: set.map(|(_, letter)| letter).collect(),
        length: data.payload.len(),
    }
}

fn of_sack(sack: &Sack) -> ChunkView {
    let blocks =
        |ranges: &Ranges| ranges.iter().map(|range| [range.first.0, range.last.0]).collect();
    let view = SackView {
        cumulative: sack.cumulative.0,
        window: sack.window,
        gaps: blocks(&sack.gaps),
        kept_gaps: blocks(&sack.kept_gaps),
        duplicates: sack.duplicates.iter().map(|tsn| tsn.0).collect(),
    };
    if sack.non_renegable_chunk { ChunkView::NrSack(view) } else { ChunkView::Sack(view) }
}

/// The view of a control chunk; `None` for the list of unknown chunks, which are printed by their headers.
fn of_control(control: &Control) -> Option<ChunkView> {
    let causes = |causes: &[manypath_sctp::Cause]| causes.iter().map(CauseView::of).collect();
    Some(match control {
        Control::Init(init) => ChunkView::Init(of_init(init)),
        Control::InitAck(init) => ChunkView::InitAck(of_init(init)),
        Control::CookieEcho(cookie) => ChunkView::CookieEcho { length: cookie.len() },
        Control::CookieAck => ChunkView::CookieAck,
        Control::Heartbeat(info) => ChunkView::Heartbeat(of_heartbeat(control, info)),
        Control::HeartbeatAck(info) => ChunkView::HeartbeatAck(of_heartbeat(control, info)),
        Control::Shutdown(cumulative) => ChunkView::Shutdown { cumulative: cumulative.0 },
        Control::ShutdownAck => ChunkView::ShutdownAck,
        Control::ShutdownComplete { reflected } => {
            ChunkView::ShutdownComplete { reflected: *reflected }
        }
        Control::Abort { reflected, causes: all } => {
            ChunkView::Abort { reflected: *reflected, causes: causes(all) }
        }
        Control::Error(all) => ChunkView::Error { causes: causes(all) },
        Control::PacketDrop(report) => ChunkView::PacketDrop {
            window: report.window,
            queued: report.queued,
            length: report.length,
            truncated: report.is_truncated(),
        },
        Control::Padding(bytes) => ChunkView::Padding { length: *bytes },
        Control::Unrecognized(_) => return None,
    })
}

fn of_init(init: &Init) -> InitView {
    let listed = init.offers.iter().flat_map(|offers| offers.extensions.iter().copied());
    let own = [(init.nr_sack, NR_SACK), (init.packet_drop_reports, PACKET_DROP)];
    let own = own.into_iter().filter_map(|(is_listed, kind)| is_listed.then_some(kind));
    InitView {
        tag: init.tag,
        window: init.window,
        outbound_streams: init.outbound_streams,
        inbound_streams: init.inbound_streams,
        initial_tsn: init.initial_tsn.0,
        addresses: init.addresses.iter().copied().map(IpAddr::from).collect(),
        cookie: init.cookie.as_ref().map(bytes::Bytes::len),
        extensions: own.chain(listed).collect(),
    }
}

fn of_heartbeat(control: &Control, info: &Heartbeat) -> HeartbeatView {
    let own = info.own();
    HeartbeatView {
        length: control.length() - 2 * CHUNK_HEADER,
        address: own.map(|own| own.address.into()),
        sent_at: own.map(|own| own.sent_at),
    }
}

impl fmt::Display for ChunkView {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let reflected = |reflected: &bool| if *reflected { " T" } else { "" };
        match self {
            Self::Data { tsn, stream, ssn, ppid, flags, length } => {
                write!(f, "DATA tsn {tsn} stream {stream} ssn {ssn} ppid {ppid} ")?;
                write!(f, "{} {length} B", if flags.is_empty() { "-" } else { flags })
            }
            Self::Sack(sack) => write!(f, "SACK {sack}"),
            Self::NrSack(sack) => write!(f, "NR-SACK {sack}"),
            Self::OlderSack => f.write_str("older SACK"),
            Self::Init(init) => write!(f, "INIT {init}"),
            Self::InitAck(init) => write!(f, "INIT ACK {init}"),
            Self::CookieEcho { length } => write!(f, "COOKIE ECHO {length} B"),
            Self::CookieAck => f.write_str("COOKIE ACK"),
            Self::Heartbeat(info) => write!(f, "HEARTBEAT {info}"),
            Self::HeartbeatAck(info) => write!(f, "HEARTBEAT ACK {info}"),
            Self::Shutdown { cumulative } => write!(f, "SHUTDOWN cum {cumulative}"),
            Self::ShutdownAck => f.write_str("SHUTDOWN ACK"),
            Self::ShutdownComplete { reflected: t } => {
                write!(f, "SHUTDOWN COMPLETE{}", reflected(t))
            }
            Self::Abort { reflected: t, causes } => {
                write!(f, "ABORT{}", reflected(t))?;
                write_all(f, causes)
            }
            Self::Error { causes } => {
                f.write_str("ERROR")?;
                write_all(f, causes)
            }
            Self::PacketDrop { window, queued, length, truncated } => {
                write!(f, "PKTDROP rwnd {window} queued {queued} packet of {length} B")?;
                f.write_str(if *truncated { ", its first part" } else { "" })
            }
            Self::Padding { length } => write!(f, "PAD {length} B"),
            Self::Ecne => f.write_str("ECNE"),
            Self::Cwr => f.write_str("CWR"),
            Self::Unknown { code, length } => write!(f, "type {code} {length} B"),
        }
    }
}

impl fmt::Display for SackView {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "cum {} rwnd {}", self.cumulative, self.window)?;
        write_blocks(f, " gaps", &self.gaps)?;
        write_blocks(f, " nr-gaps", &self.kept_gaps)?;
        let mut word = " dup";
        for tsn in &self.duplicates {
            write!(f, "{word} {tsn}")?;
            word = "";
        }
        Ok(())
    }
}

fn write_blocks(f: &mut fmt::Formatter<'_>, mut word: &str, blocks: &[[u32; 2]]) -> fmt::Result {
    for [first, last] in blocks {
        write!(f, "{word} {first}-{last}")?;
        word = "";
    }
    Ok(())
}

impl fmt::Display for InitView {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { tag, window, outbound_streams, inbound_streams, initial_tsn, .. } = self;
        write!(
            f,
            "tag 0x{tag:08x} rwnd {window} streams out {outbound_streams} in {inbound_streams}"
        )?;
        write!(f, " tsn {initial_tsn}")?;
        let mut word = " addresses";
        for address in &self.addresses {
            write!(f, "{word} {address}")?;
            word = "";
        }
        self.cookie.map_or(Ok(()), |cookie| write!(f, " cookie {cookie} B"))?;
        let mut word = " extensions";
        for kind in &self.extensions {
            write!(f, "{word} {kind}")?;
            word = "";
        }
        Ok(())
    }
}

impl fmt::Display for HeartbeatView {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.address.map_or(Ok(()), |address| write!(f, "of {address} "))?;
        write!(f, "{} B", self.length)
    }
}
