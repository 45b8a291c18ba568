//! Columns with a row for each change, on request: windows and arrivals per path, queues per link.

use manypath_core::Time;
use manypath_link::DocumentError;
use manypath_sim::{HostId, Sight};

use crate::build::via;
use crate::host::Host;
use crate::packet::Packet;
use crate::scenario::{Bytes, COPIES, Scenario};
use crate::series::LinkColumns;
use crate::states::{State, StateColumns};

/// Changes over time as columns.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Changes {
    /// One row for each instant at which a path changed at the source of its flow, with its state after all events of
    /// that instant.
    pub paths: StateColumns,
    /// One row for each arrival of new payload at the sink of a flow.
    pub arrivals: ArrivalColumns,
    /// One row for each packet that arrives at a core link or leaves it, lost ones included.
    pub links: LinkColumns,
}

/// Payload that had arrived.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ArrivalColumns {
    /// Seconds since the run began.
    pub time: Vec<f64>,
    /// Index of the flow in the scenario.
    pub flow: Vec<usize>,
    /// Index of the path in the flow.
    pub path: Vec<usize>,
    /// New payload that had arrived over the path since the run began, in bytes.
    pub received_bytes: Vec<f64>,
}

/// Collects changes while the world runs.
#[derive(Debug)]
pub(crate) struct ChangeRecorder {
    /// Paths of each flow as they were when last read.
    flows: Vec<Vec<Known>>,
    /// Number of core links; they are the first links of the world.
    links: usize,
    changes: Changes,
    /// Memory in bytes that the columns and all their copies may take, and the end of the run, for the error message.
    memory: u64,
    end: Time,
}

/// A path as it was when last read.
#[derive(Clone, Copy, Debug, Default)]
struct Known {
    /// The state in its row, if it has one.
    state: Option<State>,
    /// The time and the index of that row.
    row: Option<(Time, usize)>,
    received_bytes: u64,
}

impl ChangeRecorder {
    /// Records from the start of the run on.
    ///
    /// The columns and their copies may take `memory` bytes.
    pub(crate) fn new(scenario: &Scenario, memory: u64) -> Self {
        let flows = scenario.flows.values();
        Self {
            flows: flows.map(|flow| vec![Known::default(); flow.paths().len()]).collect(),
            links: scenario.network.links.len(),
            changes: Changes::default(),
            memory,
            end: scenario.end(),
        }
    }

    /// Whether the columns still have room at `now`.
    ///
    /// # Errors
    /// If they have filled the memory that they may take.
    pub(crate) fn check_memory(&self, now: Time) -> Result<(), DocumentError> {
        let Changes { paths, arrivals, links } = &self.changes;
        let numbers = 8 * paths.rows() + 4 * arrivals.time.len() + 3 * links.time.len();
        let bytes = COPIES * 8 * numbers as u64;
        if bytes <= self.memory {
            return Ok(());
        }
        let expected = format!(
            "an interval such as \"100 ms\", or a shorter run: after {} of {} the changes fill {} of memory, and there are {}",
            now - Time::ZERO,
            self.end - Time::ZERO,
            Bytes(bytes),
            Bytes(self.memory),
        );
        Err(DocumentError::value("series", "\"event\"", expected))
    }

    /// The recorded columns.
    pub(crate) fn finish(self) -> Changes {
        self.changes
    }

    /// Records the queue when a packet arrived at a core link or left it.
    pub(crate) fn see_packet(&mut self, sight: &Sight<'_, Packet>) {
        let Some((link, waiting)) = sight.event.link() else { return };
        if link.index() < self.links {
            let columns = &mut self.changes.links;
            columns.time.push(sight.now.as_secs_f64());
            columns.link.push(link.index());
            columns.queue.push(waiting as f64);
        }
    }

    /// Records what changed at a host. The hosts of a world are alternately sources and sinks.
    pub(crate) fn see_host(&mut self, now: Time, id: HostId, host: &Host) {
        let (flow, is_source) = (id.index() / 2, id.index().is_multiple_of(2));
        let Some(connection) = host.application().connection() else { return };
        for path in 0..self.flows[flow].len() {
            let via = via(flow, path);
            let via = if is_source { via } else { via.reversed() };
            let Some(reading) = host.endpoint().read_path(connection, path, via) else { continue };
            if is_source {
                self.note_state(now, (flow, path), State::from(&reading));
            } else {
                self.note_arrival(now, (flow, path), reading.stats.bytes_received());
            }
        }
    }

    fn note_state(&mut self, now: Time, (flow, path): (usize, usize), state: State) {
        let known = &mut self.flows[flow][path];
        if known.state.replace(state) == Some(state) {
            return;
        }
        let columns = &mut self.changes.paths;
        match known.row {
            Some((at, row)) if at == now => columns.set(row, &state),
            _ => {
                known.row = Some((now, columns.rows()));
                columns.push(now, (flow, path), &state);
            }
        }
    }

    fn note_arrival(&mut self, now: Time, (flow, path): (usize, usize), received_bytes: u64) {
        let known = &mut self.flows[flow][path];
        if received_bytes > known.received_bytes {
            known.received_bytes = received_bytes;
            let columns = &mut self.changes.arrivals;
            columns.time.push(now.as_secs_f64());
            columns.flow.push(flow);
            columns.path.push(path);
            columns.received_bytes.push(received_bytes as f64);
        }
    }
}
