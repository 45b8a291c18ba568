//! After every run: proves that no packet and no message was lost, doubled or altered.

use manypath_core::Span;

use crate::app::{self, Application};
use crate::build::{FlowHosts, Laboratory};
use crate::run::Cause;
use crate::scenario::{Flow, Scenario};

/// Stops the sources, lets what is under way arrive, and settles the books.
pub(crate) fn nothing_lost(scenario: &Scenario, laboratory: &mut Laboratory) -> Result<(), Cause> {
    laboratory.world.check_conservation().map_err(Cause::Packets)?;
    drain(scenario, laboratory);
    laboratory.world.check_conservation().map_err(Cause::Packets)?;
    for ((name, flow), &hosts) in scenario.flows.iter().zip(&laboratory.flows) {
        settle(laboratory, flow, hosts)
            .map_err(|violation| Cause::Messages { flow: name.clone(), violation })?;
    }
    Ok(())
}

/// What the buffers hold is little, so this takes a moment; a flow whose paths are all gone never gets there.
fn drain(scenario: &Scenario, laboratory: &mut Laboratory) {
    for flow in laboratory.flows.clone() {
        if let Application::Saturated(source) =
            laboratory.world.host_mut(flow.source).application_mut()
        {
            source.stop();
        }
    }
    let latest = scenario.end() + DRAIN_AT_MOST;
    while laboratory.world.now() < latest && !is_drained(laboratory) {
        let step = laboratory.world.now() + DRAIN_STEP;
        laboratory.world.run_until(step);
    }
}

fn is_drained(laboratory: &Laboratory) -> bool {
    laboratory.flows.iter().all(|&flow| {
        let (source, sink) = (laboratory.source(flow), laboratory.sink(flow));
        source.sent() == sink.ledger().delivered() || source.closed().is_some()
    })
}

fn settle(laboratory: &Laboratory, flow: &Flow, hosts: FlowHosts) -> Result<(), app::Violation> {
    let (source, sink) = (laboratory.source(hosts), laboratory.sink(hosts));
    if let Some(violation) = sink.violation() {
        return Err(violation.clone());
    }
    let inside = match source.association() {
        // An association that is gone takes its buffers with it.
        _ if source.closed().is_some() => u64::MAX,
        _ if source.sent() == sink.ledger().delivered() => 0,
        Some(id) => {
            let space = laboratory.world.host(hosts.source).endpoint().send_space(id) as u64;
            flow.send_buffer.saturating_sub(space) + flow.receive_buffer
        }
        None => 0,
    };
    sink.ledger().settle(source.sent(), source.sent_bytes(), inside)
}

const DRAIN_STEP: Span = Span::from_millis(500);
/// Longer than RTO.max and many retransmissions.
const DRAIN_AT_MOST: Span = Span::from_secs(1_000);
