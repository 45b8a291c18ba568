//! Builds the world of a scenario: two hosts per flow with access links, and the shared core.
//!
//! ```text
//!   source ══ access ══▶ core link(s) ══ access ══▶ sink       one such row per path
//!      ◀══ access ══ core link(s) of the way back ◀══ access ══
//! ```

mod sctp;
mod tcp;

pub use sctp::config as sctp_config;

use manypath_core::{Address, Streams, Time, Via};
use manypath_events::Side;
use manypath_sim::{HostId, LinkId, World};

use crate::app::{Application, Handovers, Ledger, Messages, Pace, Plan, Sink, Source};
use crate::endpoint::Endpoint;
use crate::host::Host;
use crate::run::Watch;
use crate::scenario::{Flow, Scenario};

/// A world that is ready to run, and the indexes of its parts.
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
    /// Index of the flow in the scenario.
    pub(crate) index: usize,
    pub(crate) source: HostId,
    pub(crate) sink: HostId,
}

impl Laboratory {
    /// Builds the world of a valid `scenario`, from which what `watch` requests can be recorded.
    pub(crate) fn new(scenario: &Scenario, streams: &Streams, watch: &Watch) -> Self {
        let mut world = if watch.needs_events() { World::event_by_event() } else { World::new() };
        let core = &scenario.network.links;
        let links = core.iter().map(|(name, link)| world.add_link(link, streams, name)).collect();
        let link_names = core.keys().cloned().collect();
        let mut laboratory = Self { world, flows: Vec::new(), links, link_names };
        for (index, name) in scenario.flows.keys().enumerate() {
            let hosts = laboratory.add_hosts(index, name, scenario, streams, watch.by_bytes);
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
        by_bytes: bool,
    ) -> FlowHosts {
        let flow = &scenario.flows[index];
        let app = flow.app();
        let messages = Messages::new(app.message(), streams, name);
        let handovers = Handovers::default();
        let ledger = match flow {
            Flow::Sctp(flow) => Ledger::of_messages(messages.clone(), app.ordered(), flow.streams),
            Flow::Tcp(_) | Flow::Mptcp(_) => Ledger::of_stream(messages.clone()),
        };
        let paths: Vec<_> = (0..flow.paths().len()).map(|path| via(index, path)).collect();
        let source = Source::new(Plan {
            start: start(name, flow, streams),
            paths: paths.clone(),
            peer_port: PORT,
            messages,
            pace: Pace::new(app, streams, name),
            ordered: app.ordered(),
            streams: if let Flow::Sctp(flow) = flow { flow.streams } else { 1 },
            size: app.size(),
            handovers: handovers.clone(),
        });
        let sink = Sink::new(ledger, handovers, scenario.measure_from());
        let mut host = |side: Side, application, paths| {
            let endpoint = endpoint(flow, index, side, streams, name);
            self.world.add_host(Host::new(endpoint, application, paths, by_bytes))
        };
        FlowHosts {
            index,
            source: host(Side::Source, Application::Source(source), paths),
            sink: host(Side::Sink, Application::Sink(sink), Vec::new()),
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
                let id = self.world.add_link(link, streams, &name);
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

/// Address of an interface: 10.0.0.1 is the source of flow 0 on path 0, 10.0.0.2 its sink, and 10.3.1.2 the sink of
/// flow 3 on path 1. From flow 256 on the first byte is higher.
fn address(flow: usize, path: usize, side: Side) -> Address {
    let host = match side {
        Side::Source => 1,
        Side::Sink => 2,
    };
    Address::v4(10 + (flow / 256) as u8, (flow % 256) as u8, path as u8, host)
}

/// Flow, path and side of an address.
pub(crate) fn place(address: Address) -> (usize, usize, Side) {
    let [.., a, b, path, host] = address.bits().to_be_bytes();
    let side = if host == 1 { Side::Source } else { Side::Sink };
    (usize::from(a - 10) * 256 + usize::from(b), usize::from(path), side)
}

/// The addresses of a path as its source sees them.
pub(crate) fn via(flow: usize, path: usize) -> Via {
    Via { local: address(flow, path, Side::Source), remote: address(flow, path, Side::Sink) }
}

/// One end of the flow called `name`.
fn endpoint(flow: &Flow, index: usize, side: Side, streams: &Streams, name: &str) -> Endpoint {
    let local = (0..flow.paths().len()).map(|path| address(index, path, side)).collect();
    let name = format!("flow/{name}/{}", side.name());
    let over_tcp = |config| Endpoint::Tcp(manypath_tcp::Endpoint::new(config, streams, &name));
    match flow {
        Flow::Sctp(flow) => {
            let config = sctp::config(flow, local);
            Endpoint::Sctp(manypath_sctp::Endpoint::new(config, streams, &name))
        }
        Flow::Tcp(flow) => over_tcp(tcp::config(flow, local)),
        Flow::Mptcp(flow) => over_tcp(tcp::multipath_config(flow, local)),
    }
}

/// When the flow starts in this run.
fn start(name: &str, flow: &Flow, streams: &Streams) -> Time {
    let (earliest, latest) = (flow.start().earliest.as_nanos(), flow.start().latest.as_nanos());
    Time::from_nanos(streams.stream(&format!("flow/{name}/start")).between(earliest, latest))
}

/// SCTP or TCP port of every endpoint.
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

    #[test]
    fn an_address_identifies_its_host() {
        for owner in [(0, 0, Side::Source), (3, 1, Side::Sink), (700, 5, Side::Source)] {
            assert_eq!(place(address(owner.0, owner.1, owner.2)), owner);
        }
    }
}
