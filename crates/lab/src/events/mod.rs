//! Events of a run: what happens to packets, hosts and paths, one JSON document a line. \[QLOG]

mod content;
mod error;
mod event;
mod watch;

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::PathBuf;

use manypath_core::Time;
use manypath_link::{self as link, LossCause};
use manypath_sim::{HostId, LinkId, PacketEvent, Sight};
use schemars::generate::SchemaSettings;
use serde::Serialize;

pub use error::EventsError;

use self::content::Content;
use self::event::{
    Damaged, Discarded, DropReason, Dropped, Event, Generator, Header, Line, LossReason, Lost,
    NAMES, Record, VantagePoint,
};
use self::watch::HostWatch;
use crate::build::{Laboratory, Side, place};
use crate::host::Host;
use crate::packet::Packet;
use crate::run::Job;
use crate::scenario::{Flow, Scenario};

/// Where events are written down, and which.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EventsConfig {
    /// The file; what it held is lost.
    pub file: PathBuf,
    /// Names of events, as `transport:packet_sent`, or of all events of a category, as `transport`. All events if
    /// there is no name.
    pub only: Vec<String>,
}

/// Events that are being written. Memory holds one line and a buffer, however long the run is.
#[derive(Debug)]
pub(crate) struct EventLog {
    writer: Writer,
    names: Names,
    /// By their numbers in the world.
    hosts: Vec<HostWatch>,
}

impl EventLog {
    /// Says whether the chosen events exist; no file is touched.
    pub(crate) fn check(config: &EventsConfig) -> Result<(), EventsError> {
        wanted(&config.only).map(drop)
    }

    /// Begins the file with its header.
    pub(crate) fn create(
        config: &EventsConfig,
        scenario: &Scenario,
        laboratory: &Laboratory,
        job: Job,
    ) -> Result<Self, EventsError> {
        let wanted = wanted(&config.only)?;
        let file = File::create(&config.file);
        let file = file.map_err(|error| EventsError::write(&config.file, &error))?;
        let mut writer = Writer {
            file: config.file.clone(),
            out: BufWriter::with_capacity(BUFFER, file),
            wanted,
            line: Vec::new(),
            failure: None,
        };
        writer.write(&header(scenario, laboratory, job));
        let flows = scenario.flows.values().enumerate();
        let hosts = flows.flat_map(|(flow, config)| {
            let watch = move |side| HostWatch::new(flow, side, config.paths().len());
            [watch(Side::Source), watch(Side::Sink)]
        });
        Ok(Self { writer, names: Names::new(scenario, laboratory), hosts: hosts.collect() })
    }

    /// Writes what happened to a packet, if it has a name.
    pub(crate) fn see_packet(&mut self, sight: &Sight<'_, Packet>) {
        let packet = Content { packet: sight.packet, length: sight.size };
        let link_name = |link: LinkId| self.names.links[link.index()].as_str();
        let (flow, path, sender) = place(sight.via.local);
        let mut host = sender;
        let event = match sight.event {
            PacketEvent::Queued { .. } | PacketEvent::Delivered { damage: None, .. } => return,
            PacketEvent::Sent { .. } => Event::PacketSent(packet),
            PacketEvent::Received { .. } => {
                host = place(sight.via.remote).2;
                match sight.damaged_byte {
                    None => Event::PacketReceived(packet),
                    Some(damaged_byte) => {
                        Event::PacketDiscarded(Discarded { damaged_byte, packet })
                    }
                }
            }
            PacketEvent::Dropped { link, reason, waiting: queue } => {
                let (link, reason) = (link_name(link), reason.into());
                Event::PacketDropped(Dropped { link, reason, queue, packet })
            }
            PacketEvent::Lost { link, cause: LossCause::Queue, waiting: queue } => {
                let (link, reason) = (link_name(link), DropReason::Late);
                Event::PacketDropped(Dropped { link, reason, queue, packet })
            }
            PacketEvent::Lost { link, cause, .. } => {
                let is_chance = cause == LossCause::Chance;
                let reason = if is_chance { LossReason::Chance } else { LossReason::Down };
                Event::PacketLost(Lost { link: link_name(link), reason, packet })
            }
            PacketEvent::Delivered { link, damage: Some(damaged_byte), .. } => {
                let link = link_name(link);
                Event::PacketDamaged(Damaged { link, damaged_byte, packet })
            }
        };
        let (flow, paths) = &self.names.flows[flow];
        let line = Line {
            time: sight.now.as_secs_f64(),
            flow,
            host,
            path: Some(&paths[path]),
            event: &event,
        };
        self.writer.write_event(&line);
    }

    /// Writes what has changed at a host.
    pub(crate) fn see_host(&mut self, now: Time, id: HostId, host: &Host) {
        let Self { writer, names, hosts } = self;
        let watch = &mut hosts[id.index()];
        let (side, (flow, paths)) = (watch.side, &names.flows[watch.flow]);
        watch.look(host, |path, event| {
            let path = path.map(|path| paths[path].as_str());
            writer.write_event(&Line { time: now.as_secs_f64(), flow, host: side, path, event });
        });
    }

    /// Everything that was seen is in the file.
    pub(crate) fn finish(self) -> Result<(), EventsError> {
        let Writer { file, mut out, failure, .. } = self.writer;
        let finished = match failure {
            Some(error) => Err(error),
            None => out.flush(),
        };
        finished.map_err(|error| EventsError::write(&file, &error))
    }
}

/// The JSON schema of a line.
#[must_use]
pub fn events_schema() -> serde_json::Value {
    let settings = SchemaSettings::default().for_serialize();
    settings.into_generator().into_root_schema_for::<Record<'_>>().to_value()
}

/// Writes lines whole: the buffer is emptied before one that has no room in it.
#[derive(Debug)]
struct Writer {
    file: PathBuf,
    out: BufWriter<File>,
    /// For each of [`NAMES`].
    wanted: [bool; NAMES.len()],
    /// The line at hand, kept for its capacity.
    line: Vec<u8>,
    /// Why writing stopped.
    failure: Option<io::Error>,
}

impl Writer {
    fn write_event(&mut self, line: &Line<'_>) {
        if self.wanted[line.event.index()] {
            self.write(line);
        }
    }

    /// After a failure nothing more is written, and [`EventLog::finish`] says why.
    fn write(&mut self, record: &impl Serialize) {
        if self.failure.is_some() {
            return;
        }
        self.line.clear();
        let written = serde_json::to_writer(&mut self.line, record).map_err(io::Error::from);
        self.line.push(b'\n');
        self.failure = written.and_then(|()| self.out.write_all(&self.line)).err();
    }
}

/// What things are called.
#[derive(Debug)]
struct Names {
    /// Flows, each with its paths.
    flows: Vec<(String, Vec<String>)>,
    links: Vec<String>,
}

impl Names {
    fn new(scenario: &Scenario, laboratory: &Laboratory) -> Self {
        let flows = scenario.flows.iter();
        Self {
            flows: flows.map(|(name, flow)| (name.clone(), flow.paths().to_vec())).collect(),
            links: laboratory.link_names.clone(),
        }
    }
}

fn header<'a>(scenario: &'a Scenario, laboratory: &'a Laboratory, job: Job) -> Header<'a> {
    let flows: Vec<_> = scenario.flows.keys().map(String::as_str).collect();
    let hosts = scenario.flows.iter().flat_map(|(name, flow)| {
        [Side::Source, Side::Sink].map(|host| VantagePoint {
            flow: name,
            host,
            protocol: match flow {
                Flow::Sctp(_) => "sctp",
                Flow::Tcp(_) => "tcp",
                Flow::Mptcp(_) => "mptcp",
            },
            paths: flow.paths(),
        })
    });
    Header {
        file_schema: "urn:manypath:events:1",
        serialization_format: "application/jsonl",
        title: flows.join(", "),
        generator: Generator {
            name: "manypath",
            version: env!("CARGO_PKG_VERSION"),
            engine: crate::engine_version(),
        },
        time_unit: "s",
        seed: job.seed,
        replication: job.replication,
        vantage_points: hosts.collect(),
        links: &laboratory.link_names,
        scenario,
    }
}

/// Which of [`NAMES`] are meant.
fn wanted(only: &[String]) -> Result<[bool; NAMES.len()], EventsError> {
    let is_meant = |given: &str, name: &str| {
        name == given || name.split_once(':').is_some_and(|(category, _)| category == given)
    };
    let unknown = only.iter().find(|given| !NAMES.iter().any(|name| is_meant(given, name)));
    match unknown {
        Some(name) => Err(EventsError::unknown_name(name)),
        None => {
            Ok(NAMES.map(|name| only.is_empty() || only.iter().any(|given| is_meant(given, name))))
        }
    }
}

impl From<link::DropReason> for DropReason {
    fn from(reason: link::DropReason) -> Self {
        match reason {
            link::DropReason::Full => Self::Full,
            link::DropReason::Early => Self::Early,
            link::DropReason::Down => Self::Down,
        }
    }
}

/// Bytes that go to the system at once.
const BUFFER: usize = 256 * 1024;
