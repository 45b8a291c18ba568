//! A packet as output: one line, or one JSON object.

use std::fmt;
use std::net::{IpAddr, SocketAddr};

use manypath_sctp::DecodeError;
use serde::Serialize;

use crate::chunk::ChunkView;
use crate::headers::IpPacket;

/// A packet of a capture that belongs to SCTP.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct PacketView<'a> {
    /// Index among the frames of the file, from 1.
    pub(crate) number: u64,
    /// Unix time in nanoseconds.
    pub(crate) time: u64,
    /// Time since the first frame of the file, in nanoseconds; negative if the packet is older.
    #[serde(skip)]
    pub(crate) elapsed: i64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) interface: Option<&'a str>,
    pub(crate) source: IpAddr,
    pub(crate) destination: IpAddr,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) udp_ports: Option<[u16; 2]>,
    /// Length of the IP packet in bytes.
    pub(crate) length: usize,
    /// Whether the end of the packet was not captured.
    pub(crate) cut: bool,
    /// Whether it is an IP fragment; fragments are not reassembled.
    pub(crate) fragment: bool,
    /// The common header; `None` if it is truncated or missing.
    #[serde(flatten)]
    pub(crate) header: Option<HeaderView>,
    pub(crate) chunks: Vec<ChunkView>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) error: Option<ErrorView>,
}

impl<'a> PacketView<'a> {
    /// The view before SCTP is decoded. `at` has the times of the first frame and of this one.
    pub(crate) fn new(
        number: u64,
        (began, at): (u64, u64),
        interface: Option<&'a str>,
        ip: &IpPacket,
    ) -> Self {
        Self {
            number,
            time: at,
            elapsed: elapsed(began, at),
            interface,
            source: ip.source,
            destination: ip.destination,
            udp_ports: ip.udp_ports,
            length: ip.length,
            cut: false,
            fragment: false,
            header: None,
            chunks: Vec::new(),
            error: None,
        }
    }
}

/// The time from `began` to `at` in nanoseconds, limited to the range of 64 bits.
pub(crate) fn elapsed(began: u64, at: u64) -> i64 {
    if at < began {
        0_i64.saturating_sub_unsigned(began - at)
    } else {
        0_i64.saturating_add_unsigned(at - began)
    }
}

/// The common header.
#[derive(Clone, Copy, Debug, Serialize)]
pub(crate) struct HeaderView {
    pub(crate) source_port: u16,
    pub(crate) destination_port: u16,
    pub(crate) tag: u32,
    /// Whether the checksum is right; `None` if a part was not captured.
    pub(crate) checksum: Option<bool>,
}

/// The error that ended the decoding of the packet.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct ErrorView {
    message: String,
    /// Offset in bytes from the beginning of the common header.
    offset: usize,
    /// The section of RFC 9260.
    section: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    chunk: Option<usize>,
}

impl From<DecodeError> for ErrorView {
    fn from(error: DecodeError) -> Self {
        let chunk = error.chunk.map(|place| place.index);
        let section = error.rule.section();
        Self { message: error.to_string(), offset: error.offset, section, chunk }
    }
}

impl fmt::Display for PacketView<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (sign, elapsed) =
            (if self.elapsed < 0 { "-" } else { "" }, self.elapsed.unsigned_abs());
        let (seconds, fraction) = (elapsed / SECOND, elapsed % SECOND);
        write!(f, "{:>5} {sign}{seconds}.{fraction:09} ", self.number)?;
        self.interface.map_or(Ok(()), |name| write!(f, "{name} "))?;
        match self.header {
            Some(header) => {
                let source = SocketAddr::new(self.source, header.source_port);
                let destination = SocketAddr::new(self.destination, header.destination_port);
                write!(f, "{source} > {destination} tag 0x{:08x}", header.tag)?;
            }
            None => write!(f, "{} > {}", self.source, self.destination)?,
        }
        if let Some([source, destination]) = self.udp_ports {
            write!(f, " udp {source} > {destination}")?;
        }
        let mut mark = " ";
        for chunk in &self.chunks {
            write!(f, "{mark}{chunk}")?;
            mark = "; ";
        }
        if self.fragment {
            write!(f, "{mark}IP fragment, not read")?;
        }
        if self.header.is_some_and(|header| header.checksum == Some(false))
            && !self.chunks.is_empty()
        {
            f.write_str(" (the checksum is wrong)")?;
        }
        if self.cut {
            f.write_str(" (not captured to its end)")?;
        }
        self.error.as_ref().map_or(Ok(()), |error| write!(f, " (error: {})", error.message))
    }
}

const SECOND: u64 = 1_000_000_000;
