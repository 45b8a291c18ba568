//! A subset of the pcapng file format: a section header, named interfaces, and packets with times. \[PCAPNG]
//!
//! ```text
//! ┌───────────────────────────────────┐
//! │ type of block                     │
//! ├───────────────────────────────────┤
//! │ length of block                   │
//! ├───────────────────────────────────┤
//! │ fields, bytes of a packet         │
//! ├─────────────────┬─────────────────┤
//! │ option          │ length          │
//! ├─────────────────┴─────────────────┤
//! │ value                             │
//! ├───────────────────────────────────┤
//! │ length of block                   │
//! └───────────────────────────────────┘
//! ```
//!
//! Rows are four bytes wide; packets and values are padded to whole rows. Numbers are little-endian.

pub mod background;
pub mod ip;
pub mod output_file;
pub mod udp;

use std::io::{self, Write};

use manypath_core::Time;

/// Writes a file block by block.
#[derive(Debug)]
pub struct Writer<W> {
    out: W,
    /// The current block; kept to reuse its memory.
    block: Vec<u8>,
    interfaces: u32,
}

impl<W: Write> Writer<W> {
    /// Begins a file: writes the section header, with `comment` as an option.
    ///
    /// # Errors
    /// If writing to `out` fails.
    pub fn new(out: W, comment: &str) -> io::Result<Self> {
        let mut writer = Self { out, block: Vec::new(), interfaces: 0 };
        writer.begin(SECTION);
        writer.put_u32(BYTE_ORDER);
        writer.put_u32(VERSION);
        writer.block.extend_from_slice(&UNKNOWN_LENGTH.to_le_bytes());
        writer.option(COMMENT, comment.as_bytes());
        writer.option(APPLICATION, concat!("manypath ", env!("CARGO_PKG_VERSION")).as_bytes());
        writer.end()?;
        Ok(writer)
    }

    /// Adds an interface and returns its number.
    ///
    /// # Errors
    /// If writing to `out` fails.
    pub fn add_interface(&mut self, name: &str) -> io::Result<u32> {
        self.begin(INTERFACE);
        self.put_u32(RAW_IP);
        self.put_u32(WHOLE_PACKETS);
        self.option(NAME, name.as_bytes());
        self.option(RESOLUTION, &[NANOSECONDS]);
        self.end()?;
        self.interfaces += 1;
        Ok(self.interfaces - 1)
    }

    /// Adds a packet with an optional comment. `packet` begins with the IP header. `at` is Unix time.
    ///
    /// # Errors
    /// If writing to `out` fails.
    pub fn packet(
        &mut self,
        interface: u32,
        at: Time,
        packet: &[u8],
        comment: Option<&str>,
    ) -> io::Result<()> {
        let length = packet.len() as u32;
        self.begin(PACKET);
        self.put_u32(interface);
        self.put_u32((at.as_nanos() >> 32) as u32);
        self.put_u32(at.as_nanos() as u32);
        self.put_u32(length);
        self.put_u32(length);
        self.block.extend_from_slice(packet);
        self.pad();
        if let Some(comment) = comment {
            self.option(COMMENT, comment.as_bytes());
        }
        self.end()
    }

    /// Flushes the destination. All blocks have been written to it already.
    ///
    /// # Errors
    /// If writing to `out` fails.
    pub fn finish(mut self) -> io::Result<()> {
        self.out.flush()
    }

    /// The destination of the blocks.
    pub fn get_mut(&mut self) -> &mut W {
        &mut self.out
    }

    fn begin(&mut self, kind: u32) {
        self.block.clear();
        self.put_u32(kind);
        self.put_u32(0);
    }

    fn option(&mut self, code: u16, value: &[u8]) {
        // The length field has 16 bits. Longer values are truncated; they are only names and comments.
        let value = &value[..value.len().min(usize::from(u16::MAX))];
        self.block.extend_from_slice(&code.to_le_bytes());
        self.block.extend_from_slice(&(value.len() as u16).to_le_bytes());
        self.block.extend_from_slice(value);
        self.pad();
    }

    /// Writes the current block. Options end at the end of their block, so there is no end-of-options marker.
    fn end(&mut self) -> io::Result<()> {
        let length = self.block.len() as u32 + 4;
        self.put_u32(length);
        self.block[4..8].copy_from_slice(&length.to_le_bytes());
        self.out.write_all(&self.block)
    }

    fn put_u32(&mut self, value: u32) {
        self.block.extend_from_slice(&value.to_le_bytes());
    }

    fn pad(&mut self) {
        self.block.resize(self.block.len().next_multiple_of(4), 0);
    }
}

/// Whether manypath wrote the capture that begins with `head`. The section header contains the name of the application.
/// \[PCAPNG\] §4.1
#[must_use]
pub fn is_ours(head: &[u8]) -> bool {
    let word = |at: usize| Some(u32::from_le_bytes(*head.get(at..)?.first_chunk()?));
    let half = |at: usize| Some(u16::from_le_bytes(*head.get(at..)?.first_chunk()?));
    if (word(0), word(8)) != (Some(SECTION), Some(BYTE_ORDER)) {
        return false;
    }
    let mut at = SECTION_OPTIONS;
    while let (Some(code), Some(length)) = (half(at), half(at + 2)) {
        let Some(value) = head.get(at + 4..at + 4 + usize::from(length)) else { return false };
        match code {
            APPLICATION => return value.starts_with(b"manypath "),
            COMMENT => at += 4 + usize::from(length).next_multiple_of(4),
            _ => return false,
        }
    }
    false
}

/// Block types.
const SECTION: u32 = 0x0a0d_0d0a;
const INTERFACE: u32 = 1;
const PACKET: u32 = 6;

/// The byte-order magic, by which a reader detects the byte order.
const BYTE_ORDER: u32 = 0x1a2b_3c4d;
/// Version 1.0: the major number, then the minor number.
const VERSION: u32 = 1;
/// Offset of the options in a section header.
const SECTION_OPTIONS: usize = 24;
/// The length of the section is unspecified, because the file grows.
const UNKNOWN_LENGTH: i64 = -1;

/// Link type of packets that begin with their IPv4 or IPv6 header.
const RAW_IP: u32 = 101;
/// The snapshot length; 0 means no limit.
const WHOLE_PACKETS: u32 = 0;
/// Time resolution of 10^-9 seconds.
const NANOSECONDS: u8 = 9;

/// Option codes; the meaning of all except the comment depends on the block.
const COMMENT: u16 = 1;
const NAME: u16 = 2;
const APPLICATION: u16 = 4;
const RESOLUTION: u16 = 9;

#[cfg(test)]
mod tests {
    use super::*;

    fn written(fill: impl FnOnce(&mut Writer<&mut Vec<u8>>)) -> Vec<u8> {
        let mut out = Vec::new();
        let mut writer = Writer::new(&mut out, "seed 7").expect("memory takes everything");
        fill(&mut writer);
        writer.finish().expect("memory takes everything");
        out
    }

    fn words(bytes: &[u8]) -> Vec<u32> {
        let words = bytes.chunks_exact(4);
        words.map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]])).collect()
    }

    #[test]
    fn a_file_begins_with_its_section() {
        let out = written(|_| {});
        let words = words(&out);
        assert_eq!(words[..6], [0x0a0d_0d0a, out.len() as u32, 0x1a2b_3c4d, 1, u32::MAX, u32::MAX]);
        assert_eq!((words[6], words.last()), (6 << 16 | 1, Some(&(out.len() as u32))));
        assert_eq!(out[28..36], *b"seed 7\0\0");
    }

    #[test]
    fn our_captures_are_recognised() {
        let ours = written(|_| {});
        assert!(is_ours(&ours));
        let name = ours.windows(8).position(|bytes| bytes == b"manypath").expect("a name");
        for cut in 0..name + 8 {
            assert!(!is_ours(&ours[..cut]), "{cut}");
        }
        let mut foreign = ours;
        foreign[name] = b'M';
        assert!(!is_ours(&foreign) && !is_ours(b"a letter") && !is_ours(b""));
    }

    #[test]
    fn an_interface_has_a_name_and_counts_nanoseconds() {
        let section = written(|_| {}).len();
        let out = written(|writer| {
            assert_eq!(writer.add_interface("south").expect("memory"), 0);
            assert_eq!(writer.add_interface("north").expect("memory"), 1);
        });
        let block = words(&out[section..section + 40]);
        let name = [u32::from_le_bytes(*b"sout"), u32::from_le_bytes(*b"h\0\0\0")];
        assert_eq!(block, [1, 40, 101, 0, 5 << 16 | 2, name[0], name[1], 1 << 16 | 9, 9, 40]);
        assert_eq!(out.len(), section + 80);
    }

    #[test]
    fn a_packet_has_its_time_in_two_halves_and_is_padded() {
        let section = written(|_| {}).len();
        let at = Time::from_nanos(0x0000_0002_0000_0001);
        let out = written(|writer| {
            writer.packet(3, at, &[0xaa; 5], None).expect("memory");
            writer.packet(3, at, &[0xaa; 4], Some("torn")).expect("memory");
        });
        let plain = words(&out[section..section + 40]);
        assert_eq!(plain, [6, 40, 3, 2, 1, 5, 5, 0xaaaa_aaaa, 0xaa, 40]);
        let commented = words(&out[section + 40..]);
        let torn = u32::from_le_bytes(*b"torn");
        assert_eq!(commented, [6, 44, 3, 2, 1, 4, 4, 0xaaaa_aaaa, 4 << 16 | 1, torn, 44]);
    }
}
