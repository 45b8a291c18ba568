//! Events of a run: changes of packets, hosts and paths, as JSON lines. \[QLOG]

mod error;
mod watch;

use std::fs::File;
use std::io::BufWriter;
use std::path::PathBuf;

use manypath_core::Time;
use manypath_events::{
    Content, Damaged, Discarded, DropReason, Dropped, Event, FILE_SCHEMA, Generator, Header, Line,
    LossReason, Lost, Selection, Side, VantagePoint, Writer,
};
use manypath_link::{self as link, LossCause};
use manypath_sim::{HostId, LinkId, PacketEvent, Sight};
use serde::Deserialize;
use serde_json::value::{RawValue, to_raw_value};

pub use error::EventsError;
pub use manypath_events::schema as events_schema;

use self::watch::HostWatch;
use crate::build::{Laboratory, place};
use crate::host::Host;
use crate::job::Job;
use crate::packet::Packet;
use crate::scenario::{Flow, Scenario};

/// The file of events, and the selected events.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EventsConfig {
    /// The file; existing content is replaced.
    pub file: PathBuf,
    /// Names of events, such as `transport:packet_sent`, or of categories, such as `transport`. All events if the list
    /// is empty.
    pub only: Vec<String>,
}

/// A running event log. It keeps one line and a buffer in memory, for any length of the run.
#[derive(Debug)]
pub(crate) struct EventLog {
    file: PathBuf,
    writer: Writer<BufWriter<File>>,
    names: Names,
    /// By their numbers in the world.
    hosts: Vec<HostWatch>,
}

impl EventLog {
    /// Checks that the selected events exist, without accessing files.
    pub(crate) fn check(config: &EventsConfig) -> Result<(), EventsError> {
        selection(config).map(drop)
    }

    /// Begins the file with its header.
    pub(crate) fn create(
        config: &EventsConfig,
        scenario: &Scenario,
        laboratory: &Laboratory,
        job: Job,
    ) -> Result<Self, EventsError> {
        let selection = selection(config)?;
        let file = File::create(&config.file);
        let file = file.map_err(|error| EventsError::write(&config.file, &error))?;
        // The buffer is flushed before a line that does not fit, so that the file only has complete lines.
        let out = BufWriter::with_capacity(BUFFER, file);
        let document = to_raw_value(scenario);
        let document = document.map_err(|error| EventsError::write(&config.file, &error.into()))?;
        let header = header(scenario, &document, laboratory, job);
        let writer = Writer::new(out, selection, &header);
        let flows = scenario.flows.values().enumerate();
        let hosts = flows.flat_map(|(flow, config)| {
            let watch = move |side| HostWatch::new(flow, side, config.paths().len());
            [watch(Side::Source), watch(Side::Sink)]
        });
        let names = Names::new(scenario, laboratory);
        Ok(Self { file: config.file.clone(), writer, names, hosts: hosts.collect() })
    }

    /// Writes the event of a packet, if it has one.
    pub(crate) fn see_packet(&mut self, sight: &Sight<'_, Packet>) {
        let packet = Content { form: sight.packet.form(), length: sight.size };
        let link_name = |link: LinkId| self.names.links[link.index()].as_str();
        let mut address = sight.via.local;
        let event = match sight.event {
            PacketEvent::Queued { .. } | PacketEvent::Delivered { damage: None, .. } => return,
            PacketEvent::Sent { .. } => Event::PacketSent(packet),
            PacketEvent::Received { .. } => {
                address = sight.via.remote;
                match sight.damaged_byte {
                    None => Event::PacketReceived(packet),
                    Some(damaged_byte) => {
                        Event::PacketDiscarded(Discarded { damaged_byte, packet })
                    }
                }
            }
            PacketEvent::Dropped { link, reason, waiting: queue } => {
                let (link, reason) = (link_name(link), drop_reason(reason));
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
        if !self.writer.wants(&event) {
            return;
        }
        let (flow, path, host) = place(address);
        let (flow, paths) = &self.names.flows[flow];
        let line = Line {
            time: sight.now.as_secs_f64(),
            flow,
            host,
            path: Some(&paths[path]),
            event: &event,
        };
        self.writer.write(&line);
    }

    /// Writes the changes of a host.
    pub(crate) fn see_host(&mut self, now: Time, id: HostId, host: &Host) {
        let Self { writer, names, hosts, .. } = self;
        let watch = &mut hosts[id.index()];
        let (side, (flow, paths)) = (watch.side, &names.flows[watch.flow]);
        watch.look(host, |path, event| {
            let path = path.map(|path| paths[path].as_str());
            writer.write(&Line { time: now.as_secs_f64(), flow, host: side, path, event });
        });
    }

    /// Writes the remaining events to the file.
    pub(crate) fn finish(self) -> Result<(), EventsError> {
        self.writer.finish().map_err(|error| EventsError::write(&self.file, &error))
    }
}

/// Names of flows, paths and links.
#[derive(Debug)]
struct Names {
    /// Names of the flows, each with those of its paths.
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

fn header<'a>(
    scenario: &'a Scenario,
    document: &'a RawValue,
    laboratory: &'a Laboratory,
    job: Job,
) -> Header<'a> {
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
        file_schema: FILE_SCHEMA,
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
        scenario: document,
    }
}

fn selection(config: &EventsConfig) -> Result<Selection, EventsError> {
    Selection::only(&config.only).map_err(|unknown| EventsError::unknown_name(&unknown.0))
}

fn drop_reason(reason: link::DropReason) -> DropReason {
    match reason {
        link::DropReason::Full => DropReason::Full,
        link::DropReason::Early => DropReason::Early,
        link::DropReason::Down => DropReason::Down,
    }
}

/// Size of the write buffer in bytes.
const BUFFER: usize = 256 * 1024;
