//! One run: build the world, warm up, measure, and check conservation.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

use cpu_time::ThreadTime;
use manypath_core::{Span, Streams, Time};
use manypath_link::DocumentError;
use manypath_link::document::read;
use serde::Deserialize;

use crate::build::Laboratory;
use crate::capture::{Capture, CaptureConfig};
use crate::changes::{ChangeRecorder, Changes};
use crate::conservation;
use crate::error::{Cause, RunError};
use crate::events::{EventLog, EventsConfig};
use crate::job::Job;
use crate::measure::{complete, measure};
use crate::observe::Observers;
use crate::outcome::Outcome;
use crate::recorders::Recorders;
use crate::scenario::{Scenario, available_memory};
use crate::series::{Recorder, Series};
use crate::slices::Slices;

/// What a run records besides its outcome; nothing by default. As a document, an interval is in nanoseconds.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Watch {
    /// A series with this sampling interval.
    pub series: Option<Span>,
    /// A series with a row for each change, instead of a series with an interval.
    pub changes: bool,
    /// Packets.
    pub capture: Option<CaptureConfig>,
    /// Events.
    pub events: Option<EventsConfig>,
    /// Memory in bytes that a series may take, copies included; by default, what the system has.
    pub memory: Option<u64>,
    /// SCTP packets are encoded when they are sent and decoded when they arrive. This tests the encoding; the run is
    /// slower, with the same digest.
    pub by_bytes: bool,
    /// Every step of a packet is an event, as for a capture, events or changes. This tests links that compute
    /// departures; the run is slower, with the same outcome.
    pub event_by_event: bool,
}

impl Watch {
    /// Whether every step of a packet has to be an event.
    pub(crate) fn needs_events(&self) -> bool {
        self.event_by_event || self.changes || self.capture.is_some() || self.events.is_some()
    }

    /// Reads the document of a request.
    ///
    /// # Errors
    /// The first mistake, in one line.
    pub fn parse(json: &str) -> Result<Self, DocumentError> {
        let watch: Self = read(json)?;
        match watch.series {
            Some(Span::ZERO) => Err(DocumentError::value("series", "0 ns", "more than 0 ns")),
            _ => Ok(watch),
        }
    }
}

/// What a run recorded besides its outcome, as far as it was requested.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Recorded {
    /// Samples.
    pub series: Option<Series>,
    /// Changes.
    pub changes: Option<Changes>,
}

/// Runs a valid scenario once, with the records that `watch` requests.
///
/// # Errors
/// If a packet or a message was lost, duplicated or altered by the simulator itself, if the run panicked, or if a
/// capture or events cannot be written.
pub fn run(scenario: &Scenario, job: Job, watch: &Watch) -> Result<(Outcome, Recorded), RunError> {
    run_unless(scenario, job, watch, &|_| false)
}

/// As [`run()`], but ends soon with [`Cause::Stopped`] when `is_stopped` returns true. It is called several times a
/// second of real time with the simulated time reached. Packets in flight are delivered after the end of the scenario,
/// so that time may exceed its end.
///
/// # Errors
/// As [`run()`], or if the run was stopped.
pub fn run_unless(
    scenario: &Scenario,
    job: Job,
    watch: &Watch,
    is_stopped: &dyn Fn(Time) -> bool,
) -> Result<(Outcome, Recorded), RunError> {
    let slices = Slices::new(is_stopped);
    let result = catch_unwind(AssertUnwindSafe(|| run_unguarded(scenario, job, watch, slices)));
    result
        .unwrap_or_else(|panic| Err(Cause::Panic(message_of(panic.as_ref()))))
        .map_err(|cause| RunError { job, cause })
}

fn run_unguarded(
    scenario: &Scenario,
    job: Job,
    watch: &Watch,
    slices: Slices<'_>,
) -> Result<(Outcome, Recorded), Cause> {
    let started = ThreadTime::now();
    let memory = watch.memory.or_else(available_memory).unwrap_or(u64::MAX);
    if let Some(every) = watch.series {
        scenario.check_series(every, memory)?;
    }
    if watch.changes {
        scenario.check_changes(memory)?;
    }
    let streams = Streams::new(job.seed, job.replication);
    let mut laboratory = Laboratory::new(scenario, &streams, watch);
    let recorders = recorders(watch, scenario, &laboratory, job, memory)?;
    let path_counts: Vec<_> = scenario.flows.values().map(|flow| flow.paths().len()).collect();
    let mut observers = Observers {
        slices,
        recorder: watch.series.map(|every| Recorder::new(scenario, every, &mut laboratory)),
        recorders,
    };
    observers.run_until(&mut laboratory, scenario.measure_from())?;
    let before = laboratory.read(&path_counts);
    observers.run_until(&mut laboratory, scenario.end())?;
    let Recorders { capture, events, changes } = observers.recorders;
    capture.map_or(Ok(()), Capture::finish)?;
    events.map_or(Ok(()), EventLog::finish)?;
    let after = laboratory.read(&path_counts);
    let mut outcome = measure(scenario, &before, &after);
    let totals = laboratory.world.totals();
    outcome.digest = format!("{:016x}", laboratory.world.digest());
    outcome.packet_hops = totals.hops;
    outcome.simulated_seconds = scenario.end().as_secs_f64();
    outcome.measured_seconds = scenario.measure.as_secs_f64();
    outcome.cpu_seconds = started.elapsed().as_secs_f64();
    for (flow, &hosts) in outcome.flows.values_mut().zip(&laboratory.flows) {
        let closed = laboratory.source(hosts).closed();
        flow.closed = closed.map(|(_, ending)| ending.name.to_owned());
        flow.closed_at = closed.map(|(at, _)| at.as_secs_f64());
        complete(flow, laboratory.sink(hosts));
    }
    conservation::check(scenario, &mut laboratory, &mut observers.slices)?;
    let series = observers.recorder.map(Recorder::finish);
    Ok((outcome, Recorded { series, changes: changes.map(ChangeRecorder::finish) }))
}

fn recorders(
    watch: &Watch,
    scenario: &Scenario,
    laboratory: &Laboratory,
    job: Job,
    memory: u64,
) -> Result<Recorders, Cause> {
    let events = watch.events.as_ref();
    // Report invalid requests before the first file is truncated.
    events.map(EventLog::check).transpose()?;
    let capture = watch.capture.as_ref();
    let capture = capture.map(|config| Capture::create(config, laboratory, job)).transpose()?;
    let events =
        events.map(|config| EventLog::create(config, scenario, laboratory, job)).transpose()?;
    let changes = watch.changes.then(|| ChangeRecorder::new(scenario, memory));
    Ok(Recorders { capture, events, changes })
}

fn message_of(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("no message")
        .to_owned()
}
