//! From a scenario to a world: two hosts per flow, access links of their own, the shared core.
//!
//! ```text
//!   source ══ access ══▶ core link(s) ══ access ══▶ sink       one such row per path
//!      ◀══ access ══ core link(s) of the way back ◀══ access ══
//! ```

use manypath_cc::Profile;
use manypath_core::{Address, RtoLimits, Streams, Time, Via};
use manypath_link::Pipe;
use manypath_sctp::{Config, Endpoint};
use manypath_sim::{HostId, LinkId, World};

use crate::app::{Application, Handovers, Ledger, Messages, Pace, Plan, Sink, Source};
use crate::host::Host;
use crate::scenario::{Flow, Scenario, SctpFlow};

/// A world ready to run, and where its parts are.
#[derive(Debug)]
pub(crate) struct Laboratory {
    pub(crate) world: World<Host>,
    /// In the order of the scenario.
    pub(crate) flows: Vec<FlowHosts>,
    /// Core links in the order of the scenario.
    pub(crate) links: Vec<LinkId>,
    /// Names of all links of the world.
    pub(crate) link_names: Vec<String>,
}

/// The two hosts of a flow.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FlowHosts {
    pub(crate) source: HostId,
    pub(crate) sink: HostId,
}

impl Laboratory {
    /// Builds the world of `scenario`, which is valid.
    pub(crate) fn new(scenario: &Scenario, streams: &Streams) -> Self {
        let mut world = World::new();
        let core = &scenario.network.links;
        let links = core
            .iter()
            .map(|(name, link)| world.add_link(Pipe::new(link, streams, name)))
            .collect();
        let link_names = core.keys().cloned().collect();
        let mut laboratory = Self { world, flows: Vec::new(), links, link_names };
        for (index, name) in scenario.flows.keys().enumerate() {
            let hosts = laboratory.add_hosts(index, name, scenario, streams);
            laboratory.connect(index, name, scenario, streams, hosts);
            laboratory.flows.push(hosts);
        }
        laboratory
    }

    fn add_hosts(
        &mut self,
        index: usize,
        name: &str,
        scenario: &Scenario,
        streams: &Streams,
    ) -> FlowHosts {
        let Flow::Sctp(flow) = &scenario.flows[index] else {
            unreachable!("a valid scenario has no flow without an engine")
        };
        let (size, ordered) = (flow.app.message(), flow.app.ordered());
        let messages = Messages::new(size, streams, name);
        let handovers = Handovers::default();
        let source = Source::new(Plan {
            start: start(name, flow, streams),
            paths: (0..flow.paths.len()).map(|path| via(index, path)).collect(),
            peer_port: PORT,
            messages: messages.clone(),
            pace: Pace::new(&flow.app, streams, name),
            ordered,
            streams: flow.streams,
            size: flow.app.size(),
            handovers: handovers.clone(),
        });
        let ledger = Ledger::new(messages, ordered, flow.streams);
        let sink = Sink::new(ledger, handovers, scenario.measure_from());
        let mut host = |side: Side, application| {
            let config = config(flow, index, side);
            let endpoint = Endpoint::new(config, streams, &format!("flow/{name}/{}", side.name()));
            self.world.add_host(Host::new(endpoint, application))
        };
        FlowHosts {
            source: host(Side::Source, Application::Source(source)),
            sink: host(Side::Sink, Application::Sink(sink)),
        }
    }

    fn connect(
        &mut self,
        index: usize,
        name: &str,
        scenario: &Scenario,
        streams: &Streams,
        hosts: FlowHosts,
    ) {
        let network = &scenario.network;
        for (path, path_name) in scenario.flows[index].paths().iter().enumerate() {
            let mut access = |side: Side, direction| {
                let name = format!("access/{name}/{}/{path_name}/{direction}", side.name());
                let link = network.access.as_ref()?;
                let id = self.world.add_link(Pipe::new(link, streams, &name));
                self.link_names.push(name);
                Some(id)
            };
            let ends = [(Side::Source, Side::Sink), (Side::Sink, Side::Source)];
            let [forward_ends, reverse_ends] =
                ends.map(|(from, to)| (access(from, "out"), access(to, "in")));
            let via = via(index, path);
            let ways = &network.paths[path_name];
            let forward = self.route(scenario, &ways.forward, forward_ends);
            self.world.add_route(hosts.source, via, &forward, hosts.sink);
            let reverse = self.route(scenario, &ways.reverse, reverse_ends);
            self.world.add_route(hosts.sink, via.reversed(), &reverse, hosts.source);
        }
    }

    fn route(
        &self,
        scenario: &Scenario,
        core: &[String],
        access: (Option<LinkId>, Option<LinkId>),
    ) -> Vec<LinkId> {
        let links = &scenario.network.links;
        let core =
            core.iter().filter_map(|name| links.get_index_of(name)).map(|index| self.links[index]);
        access.0.into_iter().chain(core).chain(access.1).collect()
    }
}

/// Which end of a flow.
#[derive(Clone, Copy, Debug)]
enum Side {
    Source,
    Sink,
}

impl Side {
    const fn name(self) -> &'static str {
        match self {
            Self::Source => "source",
            Self::Sink => "sink",
        }
    }
}

/// Address of an interface: 10.0.0.1 is the source of flow 0 on path 0, 10.0.0.2 its sink, 10.3.1.2 the sink of
/// flow 3 on path 1. From flow 256 on the first byte grows.
fn address(flow: usize, path: usize, side: Side) -> Address {
    let host = match side {
        Side::Source => 1,
        Side::Sink => 2,
    };
    Address::v4(10 + (flow / 256) as u8, (flow % 256) as u8, path as u8, host)
}

/// A path as its source sees it.
fn via(flow: usize, path: usize) -> Via {
    Via { local: address(flow, path, Side::Source), remote: address(flow, path, Side::Sink) }
}

/// When the flow starts in this run.
fn start(name: &str, flow: &SctpFlow, streams: &Streams) -> Time {
    let (earliest, latest) = (flow.start.earliest.as_nanos(), flow.start.latest.as_nanos());
    Time::from_nanos(streams.stream(&format!("flow/{name}/start")).between(earliest, latest))
}

/// The settings of both endpoints of a flow; a host is source or sink, so the other direction does not matter.
fn config(flow: &SctpFlow, index: usize, side: Side) -> Config {
    Config {
        port: PORT,
        local: (0..flow.paths.len()).map(|path| address(index, path, side)).collect(),
        mtu: flow.mtu,
        outbound_streams: flow.streams,
        inbound_streams: flow.streams,
        send_buffer: usize::try_from(flow.send_buffer).unwrap_or(usize::MAX),
        receive_buffer: usize::try_from(flow.receive_buffer).unwrap_or(usize::MAX),
        congestion: flow.cc.clone(),
        profile: Profile::by_name(&flow.profile).unwrap_or(Profile::RFC9260),
        concurrent: flow.concurrent && flow.paths.len() > 1,
        cumack: flow.cuc,
        split_fast_retransmit: flow.sfr,
        delayed_ack_for_cmt: flow.dac,
        path_fast_recovery: flow.path_fast_recovery,
        smart_fast_retransmit: flow.smart_fast_rtx,
        nr_sack: flow.nr_sack,
        never_renege: flow.never_renege,
        packet_drop_reports: flow.packet_drop_reports,
        buffer_split: flow.buffer_split,
        split_by: flow.split_by,
        rescheduling: flow.rescheduling,
        path_blocking: flow.path_blocking,
        sack_path: flow.sack_path,
        sack_immediately: flow.sack_immediately,
        sack_immediately_at: flow.sack_immediately_at,
        sack_every: flow.sack_every,
        sack_delay: flow.sack_delay,
        burst: flow.burst,
        max_burst: flow.max_burst,
        send_order: flow.send_order,
        t3_reset: flow.t3_reset,
        t3_path: flow.t3_path,
        nagle: flow.nagle,
        peer_window_threshold: flow.peer_window_threshold,
        window_probe: flow.window_probe,
        window_overrun: flow.window_overrun,
        rto: RtoLimits { initial: flow.rto.initial, min: flow.rto.min, max: flow.rto.max },
        heartbeat_interval: flow.heartbeat_interval,
        path_max_retransmissions: flow.path_max_retransmissions,
        potentially_failed_after: flow.potentially_failed_after,
        association_max_retransmissions: flow.association_max_retransmissions,
        ..Config::default()
    }
}

/// Port of every endpoint.
const PORT: u16 = 5001;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_can_be_read() {
        assert_eq!(address(0, 0, Side::Source).to_string(), "10.0.0.1");
        assert_eq!(address(3, 1, Side::Sink).to_string(), "10.3.1.2");
        assert_eq!(address(259, 0, Side::Source).to_string(), "11.3.0.1");
    }
}
