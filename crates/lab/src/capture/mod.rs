//! Captures: packets that come out of links, in a file that Wireshark opens.

mod error;
#[cfg(test)]
mod tests;

use std::fs::File;
use std::io::{self, BufWriter};
use std::path::{Path, PathBuf};

use manypath_core::Encode;
use manypath_pcapng::{self as pcapng, ip};
use manypath_sim::{LinkId, PacketEvent, Sight};

pub use error::CaptureError;

use crate::build::Laboratory;
use crate::packet::Packet;
use crate::run::Job;

/// Where packets are written down, and of which links.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CaptureConfig {
    /// The file; what it held is lost.
    pub file: PathBuf,
    /// Names of links: core links as in the scenario, access links as in `access/<flow>/source/<path>/out`, where
    /// `sink` and `in` are the other ends. All core links if there is no name.
    pub links: Vec<String>,
}

/// A capture that is being written. Memory holds one packet and a buffer, however long the run is.
#[derive(Debug)]
pub(crate) struct Capture {
    file: PathBuf,
    writer: pcapng::Writer<BufWriter<File>>,
    /// The interface of each link of the world, if it is captured.
    interfaces: Vec<Option<u32>>,
    /// What packets on any link said that the bytes of later ones depend on.
    memory: Memory,
    /// The packet at hand, kept for its capacity.
    packet: Vec<u8>,
    /// Why writing stopped.
    failure: Option<io::Error>,
}

impl Capture {
    /// Begins the file, with one interface for each link.
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
            failure: None,
        })
    }

    /// Everything that was seen is in the file.
    pub(crate) fn finish(self) -> Result<(), CaptureError> {
        let finished = match self.failure {
            Some(error) => Err(error),
            None => self.writer.finish(),
        };
        finished.map_err(|error| CaptureError::write(&self.file, &error))
    }

    /// Writes a packet that came out of a link; after a failure nothing more is written, and [`finish`](Self::finish)
    /// says why.
    pub(crate) fn see_packet(&mut self, sight: &Sight<'_, Packet>) {
        let PacketEvent::Delivered { link, .. } = sight.event else { return };
        let Sight { via, packet, .. } = *sight;
        packet.note(via, &mut self.memory);
        let Some(interface) = self.interfaces[link.index()] else { return };
        if self.failure.is_some() {
            return;
        }
        self.packet.clear();
        let content = |out: &mut Vec<u8>| packet.encode(via, &self.memory, out);
        ip::write(&mut self.packet, via, packet.protocol_number(), content);
        let comment = sight.damaged_byte.map(|byte| {
            // All its bits, as in the bytes of a report that brings the packet back
            self.packet[byte as usize] = !self.packet[byte as usize];
            format!("damaged at byte {byte}")
        });
        let packet = self.writer.packet(interface, sight.now, &self.packet, comment.as_deref());
        self.failure = packet.err();
    }
}

/// What is remembered of packets.
type Memory = <Packet as Encode>::Memory;

/// The links of these names, each once.
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

/// Bytes that go to the system at once.
const BUFFER: usize = 256 * 1024;
