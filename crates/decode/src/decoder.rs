//! Reads frames from a file, decodes packets, prints them as lines, and counts them.

use std::io::Read;
use std::ops::Range;

use bytes::Bytes;
use manypath_sctp::{COMMON_HEADER, DecodeError, Packet, Rule};

use crate::chunk;
use crate::frames::{FileError, Frames};
use crate::headers::{self, Content, Sctp, UnknownLinkType};
use crate::packet::{HeaderView, PacketView};
use crate::summary::{Seen, Summary};

/// The output form of packets.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Form {
    /// A line of text.
    Line,
    /// A JSON object per line.
    Json,
    /// No output, only a summary.
    Nothing,
}

/// The options of a decoder.
#[derive(Clone, Debug)]
pub struct Options {
    /// The output form of packets.
    pub form: Form,
    /// UDP port of encapsulated SCTP on either side. RFC 6951
    pub port: u16,
    /// Whether packets with wrong checksums are decoded.
    pub any_checksum: bool,
    /// The only interface whose frames are read; all if `None`.
    pub interface: Option<String>,
}

/// Reads a capture once from begin to end.
#[derive(Debug)]
pub struct Decoder {
    frames: Frames,
    port: u16,
    interface: Option<String>,
    read: PacketReader,
    /// Time of the first frame.
    began: Option<u64>,
    summary: Summary,
}

impl Decoder {
    /// Begins to read a capture.
    ///
    /// # Errors
    /// If it cannot be read, or is not a capture.
    pub fn new(input: impl Read + Send + 'static, options: Options) -> Result<Self, FileError> {
        let Options { form, port, any_checksum, interface } = options;
        let read = PacketReader { form, any_checksum, packet: Packet::default() };
        let frames = Frames::new(input)?;
        Ok(Self { frames, port, interface, read, began: None, summary: Summary::default() })
    }

    /// Reads the next frame and appends its output to `out`, with a line feed; returns false at the end of the file.
    ///
    /// # Errors
    /// If the rest of the file cannot be read.
    pub fn read(&mut self, out: &mut String) -> Result<bool, FileError> {
        let Some(frame) = self.frames.next()? else { return Ok(false) };
        let began = *self.began.get_or_insert(frame.at);
        let Some(interface) = self.frames.interface(frame.interface) else { return Ok(true) };
        let name = interface.name.as_deref();
        self.summary.count_frame(frame.at, name);
        if self.interface.is_some() && self.interface.as_deref() != name {
            return Ok(true);
        }
        let ip = match headers::find(interface.link_type, &frame.bytes, self.port) {
            Ok(Some(ip)) => ip,
            Ok(None) => return Ok(true),
            Err(UnknownLinkType) => {
                self.summary.count_skipped(interface.link_type);
                return Ok(true);
            }
        };
        let view = PacketView::new(self.summary.frames(), (began, frame.at), name, &ip);
        let view = match &ip.content {
            Content::Sctp(sctp) => self.read.packet(view, sctp, &mut self.summary),
            Content::Fragment => {
                self.summary.count_fragment();
                PacketView { fragment: true, ..view }
            }
        };
        self.read.form.write(&view, out);
        Ok(true)
    }

    /// The counters so far.
    #[must_use]
    pub fn summary(&self) -> &Summary {
        &self.summary
    }
}

/// Decodes SCTP packets.
#[derive(Debug)]
struct PacketReader {
    form: Form,
    any_checksum: bool,
    /// Kept to reuse its memory.
    packet: Packet,
}

impl PacketReader {
    /// Decodes a packet, counts it, and adds its content to `view`.
    fn packet<'a>(
        &mut self,
        view: PacketView<'a>,
        sctp: &Sctp,
        summary: &mut Summary,
    ) -> PacketView<'a> {
        let reads_any = sctp.is_cut || self.any_checksum;
        let (result, is_right) = decode(&mut self.packet, sctp, reads_any);
        let count = match result {
            Ok(()) => usize::MAX,
            Err(error) if error.discards_packet() => 0,
            Err(error) => error.chunk.map_or(0, |place| place.index),
        };
        let checksum = if sctp.is_cut { None } else { Some(is_right) };
        let kinds = chunk::headers(&sctp.packet, count).map(|header| header.kind);
        summary.count(&Seen {
            at: view.time,
            via: [view.source, view.destination],
            length: view.length,
            checksum,
            is_read: result.is_ok(),
            is_encapsulated: view.udp_ports.is_some(),
            unknown: kinds.filter(|kind| chunk::is_unknown(*kind)).collect(),
            packet: &self.packet,
        });
        if self.form == Form::Nothing {
            return view;
        }
        let header = HeaderView {
            source_port: self.packet.source_port,
            destination_port: self.packet.destination_port,
            tag: self.packet.tag,
            checksum,
        };
        PacketView {
            cut: sctp.is_cut,
            header: (sctp.packet.len() >= COMMON_HEADER).then_some(header),
            chunks: chunk::views(&self.packet, &sctp.packet, count),
            error: result.err().map(Into::into),
            ..view
        }
    }
}

impl Form {
    /// Appends a packet with a line feed.
    fn write(self, view: &PacketView<'_>, out: &mut String) {
        match self {
            Self::Nothing => return,
            Self::Line => out.push_str(&view.to_string()),
            // Serialisation cannot fail, because all keys are strings.
            Self::Json => out.push_str(&serde_json::to_string(view).unwrap_or_default()),
        }
        out.push('\n');
    }
}

/// Decodes a packet, also with a wrong checksum if `reads_any` is set; also returns whether the checksum is right.
fn decode(packet: &mut Packet, sctp: &Sctp, reads_any: bool) -> (Result<(), DecodeError>, bool) {
    let network_header = u16::try_from(sctp.network_header).unwrap_or(u16::MAX);
    let result = packet.decode(&sctp.packet, network_header);
    let is_wrong = matches!(result, Err(DecodeError { rule: Rule::Checksum, .. }));
    if is_wrong && reads_any {
        (packet.decode(&sealed(&sctp.packet), network_header), false)
    } else {
        (result, !is_wrong)
    }
}

/// The packet with the right checksum.
fn sealed(packet: &Bytes) -> Bytes {
    let mut packet = packet.to_vec();
    packet[CHECKSUM].fill(0);
    let checksum = crc32c::crc32c(&packet).to_le_bytes();
    packet[CHECKSUM].copy_from_slice(&checksum);
    packet.into()
}

/// The checksum in the common header.
const CHECKSUM: Range<usize> = 8..12;
