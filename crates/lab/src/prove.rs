//! After every run: proves that no packet and no message was lost, doubled or altered.

use manypath_core::{Rate, Span};
use manypath_link::{Change, LinkConfig};

use crate::app::{self, Application};
use crate::build::{FlowHosts, Laboratory};
use crate::run::Cause;
use crate::scenario::{Flow, Scenario};
use crate::slices::{Slices, Stopped};

/// Stops the sources, lets what is under way arrive, and settles the books.
pub(crate) fn nothing_lost(
    scenario: &Scenario,
    laboratory: &mut Laboratory,
    slices: &mut Slices<'_>,
) -> Result<(), Cause> {
    laboratory.world.check_conservation().map_err(Cause::Packets)?;
    drain(scenario, laboratory, slices)?;
    laboratory.world.check_conservation().map_err(Cause::Packets)?;
    for ((name, flow), &hosts) in scenario.flows.iter().zip(&laboratory.flows) {
        settle(scenario, laboratory, flow, hosts)
            .map_err(|violation| Cause::Messages { flow: name.clone(), violation })?;
    }
    Ok(())
}

/// What the buffers hold is little, so this takes a moment; a flow whose paths are all gone never gets there.
fn drain(
    scenario: &Scenario,
    laboratory: &mut Laboratory,
    slices: &mut Slices<'_>,
) -> Result<(), Stopped> {
    for flow in laboratory.flows.clone() {
        if let Application::Source(source) =
            laboratory.world.host_mut(flow.source).application_mut()
        {
            source.stop();
        }
    }
    let latest = scenario.end() + patience(scenario);
    while laboratory.world.now() < latest && !is_drained(laboratory) {
        let world = &mut laboratory.world;
        slices.run(world.now(), world.now() + DRAIN_STEP, |at| world.run_until(at))?;
    }
    Ok(())
}

/// Long enough for the buffers over the slowest link, and for many timeouts.
fn patience(scenario: &Scenario) -> Span {
    let flows = scenario.flows.values();
    let timeout = flows.clone().map(Flow::longest_timeout).max().unwrap_or_default();
    let bytes = flows.map(Flow::send_buffer).fold(0, u64::saturating_add);
    let links = scenario.network.links.values().chain(&scenario.network.access);
    let transfer = links.map(|link| slowest(link).time_for(bytes).0).max().unwrap_or_default();
    (timeout + transfer).saturating_mul(20)
}

fn slowest(link: &LinkConfig) -> Rate {
    let changes = link.events.iter().filter_map(|event| match event.change {
        Change::Rate(rate) => Some(rate),
        _ => None,
    });
    changes.fold(link.rate, Rate::min)
}

/// Whether every link lets something through at the end of its events.
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

fn is_drained(laboratory: &Laboratory) -> bool {
    laboratory.flows.iter().all(|&flow| {
        let (source, sink) = (laboratory.source(flow), laboratory.sink(flow));
        source.sent() == sink.ledger().delivered() || source.closed().is_some()
    })
}

fn settle(
    scenario: &Scenario,
    laboratory: &Laboratory,
    flow: &Flow,
    hosts: FlowHosts,
) -> Result<(), app::Violation> {
    let (source, sink) = (laboratory.source(hosts), laboratory.sink(hosts));
    if let Some(violation) = sink.violation() {
        return Err(violation.clone());
    }
    let (sent, delivered) = (source.sent(), sink.ledger().delivered());
    let inside = match source.connection() {
        _ if source.closed().is_some_and(|(_, ending)| ending.in_order) => 0,
        // What broke takes its buffers with it.
        _ if source.closed().is_some() => u64::MAX,
        Some(id) if sent != delivered => {
            if every_link_works(scenario) {
                return Err(app::Violation::Stuck { undelivered: sent.saturating_sub(delivered) });
            }
            let space = laboratory.world.host(hosts.source).endpoint().space(id) as u64;
            flow.send_buffer().saturating_sub(space) + flow.receive_buffer()
        }
        _ => 0,
    };
    sink.ledger().settle(sent, source.sent_bytes(), inside)
}

const DRAIN_STEP: Span = Span::from_millis(500);
/// Beyond this a flow may rightly give up or take ages.
const MOST_LOSS: f64 = 0.2;
/// Bytes of a packet that links harm most.
const LARGE_PACKET: u32 = 1500;
