//! Checks after every run that no packet and no message was lost, duplicated or altered.

use manypath_core::{Rate, Span, Time};
use manypath_link::{Change, LinkConfig};

use crate::app::{self, Application};
use crate::build::{FlowHosts, Laboratory};
use crate::error::Cause;
use crate::scenario::{Flow, Scenario};
use crate::slices::{Slices, Stopped};

/// Stops the sources, lets data in flight arrive, and checks the totals.
pub(crate) fn check(
    scenario: &Scenario,
    laboratory: &mut Laboratory,
    slices: &mut Slices<'_>,
) -> Result<(), Cause> {
    laboratory.world.check_conservation().map_err(Cause::Packets)?;
    let ends = drain(scenario, laboratory, slices)?;
    laboratory.world.check_conservation().map_err(Cause::Packets)?;
    for (index, ((name, flow), &hosts)) in scenario.flows.iter().zip(&laboratory.flows).enumerate()
    {
        settle(scenario, laboratory, flow, hosts, ends[index])
            .map_err(|violation| Cause::Messages { flow: name.clone(), violation })?;
    }
    Ok(())
}

/// How far the buffers of a flow have emptied after the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Drained {
    /// All that was handed over has arrived, or the association or connection has ended.
    Done,
    /// Messages still arrive, the oldest ones included.
    Moving,
    /// No progress for longer than any timeout explains.
    Stuck,
}

/// Continues the run until every flow is done or stuck, or until more packets were needed for this than for the run.
///
/// A flow may need hours for a large buffer, so the criterion is progress, not time.
fn drain(
    scenario: &Scenario,
    laboratory: &mut Laboratory,
    slices: &mut Slices<'_>,
) -> Result<Vec<Drained>, Stopped> {
    for flow in laboratory.flows.clone() {
        if let Application::Source(source) =
            laboratory.world.host_mut(flow.source).application_mut()
        {
            source.stop();
        }
    }
    let patience = patience(scenario);
    let run_hops = laboratory.world.totals().hops;
    let last_hop = run_hops + run_hops.max(FEWEST_HOPS);
    let mut progress: Vec<_> =
        laboratory.flows.iter().map(|&flow| Progress::new(scenario, laboratory, flow)).collect();
    loop {
        let is_open =
            progress.iter().any(|flow| flow.drained(laboratory, patience, false).is_none());
        let is_over = laboratory.world.totals().hops >= last_hop;
        if !is_open || is_over {
            let drained = progress.iter().map(|flow| flow.drained(laboratory, patience, true));
            return Ok(drained.flatten().collect());
        }
        let world = &mut laboratory.world;
        let step = FIRST_STEP.max((world.now() - scenario.end()) / STEPS);
        slices.run(world.now(), world.now() + step, |at| world.run_until(at))?;
        for flow in &mut progress {
            flow.look(laboratory);
        }
    }
}

/// Progress of a flow while its buffers empty.
#[derive(Clone, Copy, Debug)]
struct Progress {
    hosts: FlowHosts,
    paths: usize,
    /// Payload that had arrived on all paths, and the time of its last change.
    arrived: (u64, Time),
    /// The oldest message that had not arrived, and the time since when it was the oldest.
    oldest: (u64, Time),
}

impl Progress {
    fn new(scenario: &Scenario, laboratory: &Laboratory, hosts: FlowHosts) -> Self {
        let paths = scenario.flows[hosts.index].paths().len();
        let now = laboratory.world.now();
        let mut progress = Self { hosts, paths, arrived: (0, now), oldest: (0, now) };
        progress.look(laboratory);
        progress
    }

    fn look(&mut self, laboratory: &Laboratory) {
        let paths = 0..self.paths;
        let reading = |path| laboratory.read_path(self.hosts, path).sink.stats.bytes_received();
        let (arrived, now) = (paths.map(reading).sum(), laboratory.world.now());
        if arrived > self.arrived.0 {
            self.arrived = (arrived, now);
        }
        let oldest = laboratory.sink(self.hosts).ledger().first_open();
        if oldest > self.oldest.0 {
            self.oldest = (oldest, now);
        }
    }

    /// The result for the flow; `None` while it is open. If `at_last` is set, time is over and the oldest message
    /// decides: it may be lost although others arrive.
    fn drained(&self, laboratory: &Laboratory, patience: Span, at_last: bool) -> Option<Drained> {
        let (source, sink) = (laboratory.source(self.hosts), laboratory.sink(self.hosts));
        if source.sent() == sink.ledger().delivered() || source.closed().is_some() {
            return Some(Drained::Done);
        }
        let since = if at_last { self.oldest.1.min(self.arrived.1) } else { self.arrived.1 };
        match laboratory.world.now() - since {
            waited if waited >= patience => Some(Drained::Stuck),
            _ => at_last.then_some(Drained::Moving),
        }
    }
}

/// The time for which a flow may make no progress: many timeouts, each after the longest possible queueing of a packet.
fn patience(scenario: &Scenario) -> Span {
    let flows = scenario.flows.values();
    let timeout = flows.clone().map(Flow::longest_timeout).max().unwrap_or_default();
    let buffers = flows.clone().map(Flow::send_buffer).fold(0, u64::saturating_add);
    // On a shared link, each flow may wait for a message of every other flow.
    let turns = flows.map(|flow| u64::from(flow.app().message().max)).fold(0, u64::saturating_add);
    let links = scenario.network.links.values().chain(&scenario.network.access);
    let wait = |link| longest_wait(link, buffers, turns);
    (timeout + links.map(wait).max().unwrap_or_default()).saturating_mul(MANY)
}

/// The time until `buffers` bytes in the queue and `turns` more have crossed the link.
fn longest_wait(link: &LinkConfig, buffers: u64, turns: u64) -> Span {
    let limit = link.queue.limit();
    let queue = limit.bytes.min(limit.packets.saturating_mul(LARGEST_PACKET)).min(buffers);
    let (mut rate, mut delay) = (link.rate, link.delay);
    for event in &link.events {
        match event.change {
            Change::Rate(changed) => rate = Rate::min(rate, changed),
            Change::Delay(changed) => delay = Span::max(delay, changed),
            Change::Down | Change::Up | Change::Loss(_) => {}
        }
    }
    let pause = link.trace.as_ref().map_or(Span::ZERO, manypath_link::Trace::period);
    let transfer = rate.time_for(queue.saturating_add(turns)).0;
    transfer + delay + link.jitter + pause
}

/// Whether every link can transmit at the end of its events.
fn every_link_works(scenario: &Scenario) -> bool {
    scenario.network.links.values().chain(&scenario.network.access).all(|link| {
        let mut works = link.loss.harm(LARGE_PACKET) <= MOST_LOSS;
        let mut is_up = true;
        for event in &link.events {
            match event.change {
                Change::Down => is_up = false,
                Change::Up => is_up = true,
                Change::Loss(loss) => works = loss.harm(LARGE_PACKET) <= MOST_LOSS,
                Change::Rate(_) | Change::Delay(_) => {}
            }
        }
        works && is_up
    })
}

fn settle(
    scenario: &Scenario,
    laboratory: &Laboratory,
    flow: &Flow,
    hosts: FlowHosts,
    drained: Drained,
) -> Result<(), app::Violation> {
    let (source, sink) = (laboratory.source(hosts), laboratory.sink(hosts));
    if let Some(violation) = sink.violation() {
        return Err(violation.clone());
    }
    let (sent, delivered) = (source.sent(), sink.ledger().delivered());
    let inside = match source.connection() {
        _ if source.closed().is_some_and(|(_, ending)| ending.in_order) => 0,
        // A broken association takes the content of its buffers with it.
        _ if source.closed().is_some() => u64::MAX,
        Some(id) if sent != delivered => {
            if drained == Drained::Stuck && every_link_works(scenario) {
                return Err(app::Violation::Stuck { undelivered: sent.saturating_sub(delivered) });
            }
            let space = laboratory.world.host(hosts.source).endpoint().space(id) as u64;
            flow.send_buffer().saturating_sub(space) + flow.receive_buffer()
        }
        _ => 0,
    };
    sink.ledger().settle(sent, source.sent_bytes(), inside)
}

/// How often the flows are checked: first after this time, later after the elapsed time divided by `STEPS`.
const FIRST_STEP: Span = Span::from_millis(500);
const STEPS: u64 = 64;
/// After this number of longest waits without progress, coincidence is excluded.
const MANY: u64 = 20;
/// Packets that may cross links for this check in even the shortest run: a second or two of processor time.
const FEWEST_HOPS: u64 = 2_000_000;
/// With a higher loss rate, a flow may end without its data or take very long.
const MOST_LOSS: f64 = 0.2;
/// Bytes of the packet for which the loss of a link is evaluated.
const LARGE_PACKET: u32 = 1500;
/// Bytes of the largest IP packet.
const LARGEST_PACKET: u64 = 65_535;
