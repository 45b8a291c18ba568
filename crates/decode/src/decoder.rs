//! From a file to lines: reads frames, finds packets, prints them, and counts.

use std::io::Read;
use std::ops::Range;

use bytes::Bytes;
use manypath_sctp::{DecodeError, Packet, Rule};

use crate::chunk;
use crate::frames::{FileError, Frames};
use crate::headers::{self, Content, Sctp};
use crate::packet::{HeaderView, PacketView};
use crate::summary::{Seen, Summary};

/// What a packet becomes.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Form {
    /// A line for people.
    Line,
    /// An object in a line.
    Json,
    /// Nothing: only the summary counts.
    Nothing,
}

/// What is read, and how.
#[derive(Clone, Debug)]
pub struct Options {
    /// What a packet becomes.
    pub form: Form,
    /// Port of UDP on either side by which encapsulated SCTP is known. RFC 6951
    pub port: u16,
    /// Whether packets are read whose checksum is wrong.
    pub any_checksum: bool,
    /// Frames of other interfaces are passed over, if one is named.
    pub interface: Option<String>,
}

/// Reads a capture once, from its beginning to its end.
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
    /// If it cannot be read or is none.
    pub fn new(input: impl Read + Send + 'static, options: Options) -> Result<Self, FileError> {
        let Options { form, port, any_checksum, interface } = options;
        let read = PacketReader { form, any_checksum, packet: Packet::default() };
        let frames = Frames::new(input)?;
        Ok(Self { frames, port, interface, read, began: None, summary: Summary::default() })
    }

    /// Reads the next frame and appends what becomes of it to `out`, with a line feed behind it; false at the end of the
    /// file.
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
        let Some(ip) = headers::find(interface.link_type, &frame.bytes, self.port)? else {
            return Ok(true);
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

    /// What was counted so far.
    #[must_use]
    pub fn summary(&self) -> &Summary {
        &self.summary
    }
}

/// Reads packets of SCTP.
#[derive(Debug)]
struct PacketReader {
    form: Form,
    any_checksum: bool,
    /// Recycled.
    packet: Packet,
}

impl PacketReader {
    /// Reads a packet, counts it, and adds to `view` what is printed of it.
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
    /// Appends a packet, with a line feed behind it.
    fn write(self, view: &PacketView<'_>, out: &mut String) {
        match self {
            Self::Nothing => return,
            Self::Line => out.push_str(&view.to_string()),
            // Maps with texts as names are all that an object has: nothing in it can fail.
            Self::Json => out.push_str(&serde_json::to_string(view).unwrap_or_default()),
        }
        out.push('\n');
    }
}

/// Reads a packet; with a wrong checksum, too, if `reads_any` says so. Whether the checksum is right is the second answer.
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

/// The same packet with the checksum that it should have.
fn sealed(packet: &Bytes) -> Bytes {
    let mut packet = packet.to_vec();
    packet[CHECKSUM].fill(0);
    let checksum = crc32c::crc32c(&packet).to_le_bytes();
    packet[CHECKSUM].copy_from_slice(&checksum);
    packet.into()
}

/// Bytes of the common header.
const COMMON_HEADER: usize = 12;
/// Place of the checksum in it.
const CHECKSUM: Range<usize> = 8..12;
