//! The frames of a capture file in pcapng or classic pcap format. \[PCAPNG]

use std::fmt;
use std::io::{self, Cursor, Read};

use bytes::Bytes;
use pcap_parser::traits::{PcapNGPacketBlock as _, PcapReaderIterator};
use pcap_parser::{
    Block, InterfaceDescriptionBlock, LegacyPcapBlock, PcapBlockOwned, PcapError, PcapHeader,
    create_reader,
};

/// An error of a capture file.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    /// The file cannot be read.
    #[error("cannot be read: {0}")]
    Io(#[from] io::Error),
    /// The file does not begin like a capture.
    #[error("is no capture: give a pcapng or a pcap file")]
    NotACapture,
    /// The format has a version that is not known, so its blocks may have another meaning.
    #[error("has version {major}.{minor} of the format {format}: give a file of version {}.{}", known.0, known.1)]
    Version {
        /// Name of the format.
        format: &'static str,
        /// Version of the file.
        major: u16,
        /// The same.
        minor: u16,
        /// The known version, major and minor.
        known: (u16, u16),
    },
    /// The file ends inside a packet or another block.
    #[error("ends within a block that begins at byte {0}: the rest is missing")]
    Truncated(usize),
    /// A block is invalid.
    #[error("has a damaged block at byte {0}: nothing behind it can be read")]
    Damaged(usize),
    /// A packet has an interface that the file does not describe.
    #[error("has a packet of interface {0}, which it does not describe")]
    Interface(u32),
}

/// Reads frames with the memory of the largest block.
pub(crate) struct Frames {
    reader: Box<dyn PcapReaderIterator + Send>,
    capacity: usize,
    section: Section,
}

impl fmt::Debug for Frames {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Frames").field("section", &self.section).finish_non_exhaustive()
    }
}

/// A captured frame.
#[derive(Clone, Debug)]
pub(crate) struct Frame {
    /// Index of its interface in the current section.
    pub(crate) interface: usize,
    /// Unix time in nanoseconds.
    pub(crate) at: u64,
    /// The captured bytes.
    pub(crate) bytes: Bytes,
}

/// An interface of a section.
#[derive(Clone, Debug)]
pub(crate) struct Interface {
    /// Its name, if the file has one, without control characters.
    pub(crate) name: Option<String>,
    /// The type of the frame headers.
    pub(crate) link_type: i32,
    /// Time units per second.
    units: u128,
    /// Offset in seconds that is added to each time.
    offset: i64,
}

/// The state that earlier blocks define for later ones.
#[derive(Debug, Default)]
struct Section {
    interfaces: Vec<Interface>,
    /// Time of the last frame, for frames without a time.
    last: u64,
}

impl Frames {
    /// Begins to read a capture.
    ///
    /// # Errors
    /// If it cannot be read, or is not a capture.
    pub(crate) fn new(mut input: impl Read + Send + 'static) -> Result<Self, FileError> {
        let mut head = Vec::new();
        input.by_ref().take(CAPACITY as u64).read_to_end(&mut head)?;
        let input = Cursor::new(head).chain(input);
        let reader = create_reader(CAPACITY, input).map_err(|_| FileError::NotACapture)?;
        Ok(Self { reader, capacity: CAPACITY, section: Section::default() })
    }

    /// The next frame; `None` at the end of the file.
    ///
    /// # Errors
    /// If the rest of the file cannot be read.
    pub(crate) fn next(&mut self) -> Result<Option<Frame>, FileError> {
        loop {
            let at = self.reader.consumed();
            let stop = match self.reader.next() {
                Ok((length, block)) => {
                    let frame = self.section.take(block);
                    self.reader.consume(length);
                    if let Some(frame) = frame? {
                        return Ok(Some(frame));
                    }
                    continue;
                }
                Err(stop) => stop.to_owned_vec(),
            };
            match stop {
                PcapError::Eof => return Ok(None),
                PcapError::Incomplete(_) => self.refill()?,
                PcapError::BufferTooSmall => {
                    self.grow(at)?;
                    self.refill()?;
                }
                PcapError::UnexpectedEof if self.reader.data().is_empty() => return Ok(None),
                PcapError::UnexpectedEof => return Err(FileError::Truncated(at)),
                _ => return Err(FileError::Damaged(at)),
            }
        }
    }

    /// An interface of the section of the last frame.
    pub(crate) fn interface(&self, index: usize) -> Option<&Interface> {
        self.section.interfaces.get(index)
    }

    fn refill(&mut self) -> Result<(), FileError> {
        let before = self.reader.data().len();
        if self.reader.refill().is_err() {
            return Err(FileError::Io(io::Error::other("the file cannot be read on")));
        }
        let is_full = self.reader.data().len() == before && !self.reader.reader_exhausted();
        if is_full { self.grow(self.reader.consumed()) } else { Ok(()) }
    }

    /// Enlarges the buffer for a block that begins at this offset of the file.
    fn grow(&mut self, at: usize) -> Result<(), FileError> {
        self.capacity *= 2;
        let has_grown = self.capacity <= MOST && self.reader.grow(self.capacity);
        if has_grown { Ok(()) } else { Err(FileError::Damaged(at)) }
    }
}

impl Section {
    /// Processes a block; returns the frame in it, if any.
    fn take(&mut self, block: PcapBlockOwned<'_>) -> Result<Option<Frame>, FileError> {
        match block {
            PcapBlockOwned::LegacyHeader(header) => {
                check_version("pcap", (header.version_major, header.version_minor), (2, 4))?;
                self.interfaces = vec![Interface::of(&header)];
            }
            PcapBlockOwned::Legacy(frame) => return Ok(Some(self.legacy(&frame))),
            PcapBlockOwned::NG(Block::SectionHeader(header)) => {
                check_version("pcapng", (header.major_version, header.minor_version), (1, 0))?;
                self.interfaces.clear();
            }
            PcapBlockOwned::NG(Block::InterfaceDescription(block)) => {
                if self.interfaces.len() < MOST_INTERFACES {
                    self.interfaces.push(Interface::described(&block));
                }
            }
            PcapBlockOwned::NG(Block::EnhancedPacket(block)) => {
                let ticks = u64::from(block.ts_high) << 32 | u64::from(block.ts_low);
                return self.frame(block.if_id, block.packet_data(), Some(ticks)).map(Some);
            }
            PcapBlockOwned::NG(Block::SimplePacket(block)) => {
                return self.frame(0, block.packet_data(), None).map(Some);
            }
            PcapBlockOwned::NG(_) => {}
        }
        Ok(None)
    }

    fn legacy(&mut self, frame: &LegacyPcapBlock<'_>) -> Frame {
        let units = self.interfaces.first().map_or(MICROSECONDS, |interface| interface.units);
        let fraction = u128::from(frame.ts_usec) * NANOSECONDS / units;
        self.last = nanoseconds(u128::from(frame.ts_sec) * NANOSECONDS + fraction, 0);
        let bytes = Bytes::copy_from_slice(frame.data);
        Frame { interface: 0, at: self.last, bytes }
    }

    fn frame(
        &mut self,
        interface: u32,
        data: &[u8],
        ticks: Option<u64>,
    ) -> Result<Frame, FileError> {
        let index = interface as usize;
        let described = self.interfaces.get(index).ok_or(FileError::Interface(interface))?;
        if let Some(ticks) = ticks {
            let at = u128::from(ticks) * NANOSECONDS / described.units;
            self.last = nanoseconds(at, described.offset);
        }
        Ok(Frame { interface: index, at: self.last, bytes: Bytes::copy_from_slice(data) })
    }
}

impl Interface {
    /// The only interface of a classic file.
    fn of(header: &PcapHeader) -> Self {
        let units = if header.is_nanosecond_precision() { NANOSECONDS } else { MICROSECONDS };
        // The upper bits are the length of the frame checksum.
        Self { name: None, link_type: header.network.0 & 0xffff, units, offset: 0 }
    }

    fn described(block: &InterfaceDescriptionBlock<'_>) -> Self {
        let name = block.if_name().and_then(Result::ok).map(|name| {
            name.chars().filter(|character| !character.is_control()).take(LONGEST_NAME).collect()
        });
        let base = if block.if_tsresol & 0x80 == 0 { 10_u128 } else { 2 };
        // A resolution that does not fit makes all times 0.
        let units = base.checked_pow(u32::from(block.if_tsresol & 0x7f)).unwrap_or(u128::MAX);
        Self { name, link_type: block.linktype.0, units, offset: block.if_tsoffset }
    }
}

/// Unix time in nanoseconds plus an offset in seconds, limited to the range of 64 bits.
/// Refuses another major version of a format; minor versions are compatible. \[PCAPNG] section 4.1
fn check_version(
    format: &'static str,
    (major, minor): (u16, u16),
    known: (u16, u16),
) -> Result<(), FileError> {
    if major == known.0 {
        return Ok(());
    }
    Err(FileError::Version { format, major, minor, known })
}

fn nanoseconds(at: u128, offset: i64) -> u64 {
    let offset = i128::from(offset) * NANOSECONDS as i128;
    let at = i128::try_from(at).unwrap_or(i128::MAX).saturating_add(offset);
    u64::try_from(at.max(0)).unwrap_or(u64::MAX)
}

/// Units per second.
const NANOSECONDS: u128 = 1_000_000_000;
const MICROSECONDS: u128 = 1_000_000;
/// Initial size of the buffer in bytes.
const CAPACITY: usize = 1 << 16;
/// Largest supported block in bytes; capture programs write smaller ones.
const MOST: usize = 1 << 24;
/// Largest number of interfaces per section.
const MOST_INTERFACES: usize = 1 << 12;
const LONGEST_NAME: usize = 64;
