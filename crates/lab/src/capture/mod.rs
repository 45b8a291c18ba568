//! Captures: the packets that links deliver, in a file for Wireshark.

mod error;
#[cfg(test)]
mod tests;

use std::fs::File;
use std::io::{self, BufWriter};
use std::path::{Path, PathBuf};

use manypath_core::Encode;
use manypath_pcapng::{self as pcapng, ip, udp};
use manypath_sim::{LinkId, PacketEvent, Sight};
use serde::Deserialize;

pub use error::CaptureError;

use crate::build::Laboratory;
use crate::job::Job;
use crate::packet::Packet;

/// The file of a capture, and the captured links.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CaptureConfig {
    /// The file; existing content is replaced.
    pub file: PathBuf,
    /// Names of links: core links as in the scenario, access links as in `access/<flow>/source/<path>/out`, where
    /// `sink` and `in` are the alternatives. All core links if the list is empty.
    pub links: Vec<String>,
}

/// A running capture. It keeps one packet and a buffer in memory, for any length of the run.
#[derive(Debug)]
pub(crate) struct Capture {
    file: PathBuf,
    writer: pcapng::Writer<BufWriter<File>>,
    /// The interface of each link of the world; `None` if it is not captured.
    interfaces: Vec<Option<u32>>,
    /// The state of earlier packets on all links that the encoding of later ones depends on.
    memory: Memory,
    /// The current packet, and its contents beyond a UDP header; kept to reuse their memory.
    packet: Vec<u8>,
    contents: Vec<u8>,
    /// The first error of the file.
    failure: Option<io::Error>,
}

impl Capture {
    /// Begins the file, with one interface per link.
    pub(crate) fn create(
        config: &CaptureConfig,
        laboratory: &Laboratory,
        job: Job,
    ) -> Result<Self, CaptureError> {
        let links = chosen(&config.links, laboratory)?;
        let begun = Self::begin(&config.file, &links, laboratory, job);
        begun.map_err(|error| CaptureError::write(&config.file, &error))
    }

    fn begin(file: &Path, links: &[LinkId], laboratory: &Laboratory, job: Job) -> io::Result<Self> {
        let buffer = BufWriter::with_capacity(BUFFER, File::create(file)?);
        let comment = format!("seed {}, replication {}", job.seed, job.replication);
        let mut writer = pcapng::Writer::new(buffer, &comment)?;
        let mut interfaces = vec![None; laboratory.link_names.len()];
        for link in links {
            let number = writer.add_interface(&laboratory.link_names[link.index()])?;
            interfaces[link.index()] = Some(number);
        }
        Ok(Self {
            file: file.to_owned(),
            writer,
            interfaces,
            memory: Memory::default(),
            packet: Vec::new(),
            contents: Vec::new(),
            failure: None,
        })
    }

    /// Writes the remaining packets to the file.
    pub(crate) fn finish(self) -> Result<(), CaptureError> {
        let finished = match self.failure {
            Some(error) => Err(error),
            None => self.writer.finish(),
        };
        finished.map_err(|error| CaptureError::write(&self.file, &error))
    }

    /// Writes a packet that a link has delivered. After an error nothing more is written, and [`finish`](Self::finish)
    /// returns the error.
    pub(crate) fn see_packet(&mut self, sight: &Sight<'_, Packet>) {
        let PacketEvent::Delivered { link, .. } = sight.event else { return };
        let Sight { via, packet, .. } = *sight;
        packet.note(via, &mut self.memory);
        let Some(interface) = self.interfaces[link.index()] else { return };
        if self.failure.is_some() {
            return;
        }
        self.packet.clear();
        if packet.is_in_udp(via) {
            self.contents.clear();
            packet.encode(via, &self.memory, &mut self.contents);
            udp::write(&mut self.packet, via, [ENCAPSULATION; 2], &self.contents);
        } else {
            let content = |out: &mut Vec<u8>| packet.encode(via, &self.memory, out);
            ip::write(&mut self.packet, via, packet.protocol_number(), content);
        }
        debug_assert_eq!(self.packet.len(), sight.size as usize, "a capture has what links count");
        let comment = sight.damaged_byte.map(|byte| {
            // Inverts all bits of the byte, as in the packet drop report about the packet
            self.packet[byte as usize] = !self.packet[byte as usize];
            format!("damaged at byte {byte}")
        });
        let packet = self.writer.packet(interface, sight.now, &self.packet, comment.as_deref());
        self.failure = packet.err();
    }
}

/// The state of earlier packets.
type Memory = <Packet as Encode>::Memory;

/// The links with these names, without duplicates.
fn chosen(names: &[String], laboratory: &Laboratory) -> Result<Vec<LinkId>, CaptureError> {
    if names.is_empty() {
        return Ok(laboratory.links.clone());
    }
    let known = &laboratory.link_names;
    let found = names.iter().map(|name| {
        let position = known.iter().position(|known| known == name);
        position.ok_or_else(|| CaptureError::unknown_link(name, known))
    });
    let mut wanted = found.collect::<Result<Vec<_>, _>>()?;
    wanted.sort_unstable();
    wanted.dedup();
    let all: Vec<_> = laboratory.world.links().collect();
    Ok(wanted.into_iter().map(|index| all[index]).collect())
}

/// The UDP port of SCTP. RFC 6951 §5.1
const ENCAPSULATION: u16 = 9899;

/// Size of the write buffer in bytes.
const BUFFER: usize = 256 * 1024;
