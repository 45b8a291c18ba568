//! One look at a running world: counters and state of every flow, path and core link.

use manypath_core::PathId;
use manypath_link::Counters;
use manypath_sctp::{Blocked, Endpoint, PathStats, ReorderStats, Stats, StreamStats};

use crate::app::{Application, Sink, Source};
use crate::build::{FlowHosts, Laboratory};

/// What a flow has done so far.
#[derive(Clone, Debug, Default)]
pub(crate) struct FlowReading {
    pub(crate) delivered_messages: u64,
    pub(crate) delivered_bytes: u64,
    pub(crate) source: Stats,
    pub(crate) sink: Stats,
    pub(crate) reorder: ReorderStats,
    /// Streams that were used, at the sink.
    pub(crate) streams: Vec<StreamStats>,
}

/// What a path has carried so far: at the source, and at the sink.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct PathReading {
    pub(crate) source: PathStats,
    pub(crate) sink: PathStats,
    /// What kept the source from sending new data on it.
    pub(crate) blocked: Blocked,
}

/// The counters of everything.
#[derive(Clone, Debug, Default)]
pub(crate) struct Reading {
    pub(crate) flows: Vec<FlowReading>,
    /// Paths of all flows, flow by flow.
    pub(crate) paths: Vec<PathReading>,
    pub(crate) links: Vec<Counters>,
}

impl Laboratory {
    /// Reads all counters; `path_counts` has the number of paths of each flow.
    pub(crate) fn read(&self, path_counts: &[usize]) -> Reading {
        let flows = self.flows.iter().map(|&flow| self.read_flow(flow)).collect();
        let paths = self.flows.iter().zip(path_counts);
        let paths = paths
            .flat_map(|(&flow, &count)| (0..count).map(move |path| self.read_path(flow, path)))
            .collect();
        let links = self.links.iter().map(|&link| *self.world.link(link).counters()).collect();
        Reading { flows, paths, links }
    }

    fn read_flow(&self, flow: FlowHosts) -> FlowReading {
        let (source, sink) = (self.source(flow), self.sink(flow));
        let stats = |host, association: Option<_>| {
            association.map(|id| *self.world.host(host).endpoint().stats(id)).unwrap_or_default()
        };
        FlowReading {
            delivered_messages: sink.ledger().delivered(),
            delivered_bytes: sink.ledger().delivered_bytes(),
            source: stats(flow.source, source.association()),
            sink: stats(flow.sink, sink.association()),
            reorder: self.read_reorder(flow),
            streams: self.read_streams(flow),
        }
    }

    /// What of the sink's receive buffer held bytes that could not be read yet.
    pub(crate) fn read_reorder(&self, flow: FlowHosts) -> ReorderStats {
        let endpoint = self.world.host(flow.sink).endpoint();
        let association = self.sink(flow).association();
        association.map(|id| endpoint.reorder_stats(self.world.now(), id)).unwrap_or_default()
    }

    fn read_streams(&self, flow: FlowHosts) -> Vec<StreamStats> {
        let Some(id) = self.sink(flow).association() else { return Vec::new() };
        let endpoint = self.world.host(flow.sink).endpoint();
        let streams = 0..endpoint.inbound_streams(id);
        streams.map(|stream| endpoint.stream_stats(self.world.now(), id, stream as u16)).collect()
    }

    /// What the path of that number has carried; nothing before the association knows it.
    pub(crate) fn read_path(&self, flow: FlowHosts, path: usize) -> PathReading {
        let number = PathId(path as u8);
        let known = |host, association: Option<_>| {
            let endpoint = self.world.host(host).endpoint();
            let id = association.filter(|&id| path < endpoint.path_count(id));
            id.map(|id| (endpoint, id))
        };
        let source = known(flow.source, self.source(flow).association());
        let sink = known(flow.sink, self.sink(flow).association());
        let stats = |(endpoint, id): (&Endpoint, _)| endpoint.path_stats(id, number);
        let blocked =
            |(endpoint, id): (&Endpoint, _)| endpoint.blocked(self.world.now(), id, number);
        PathReading {
            source: source.map(stats).unwrap_or_default(),
            sink: sink.map(stats).unwrap_or_default(),
            blocked: source.map(blocked).unwrap_or_default(),
        }
    }

    /// The application at the source of a flow.
    pub(crate) fn source(&self, flow: FlowHosts) -> &Source {
        match self.world.host(flow.source).application() {
            Application::Source(source) => source,
            Application::Sink(_) => unreachable!("the source of a flow is not a sink"),
        }
    }

    /// The application at the sink of a flow.
    pub(crate) fn sink(&self, flow: FlowHosts) -> &Sink {
        match self.world.host(flow.sink).application() {
            Application::Sink(sink) => sink,
            Application::Source(_) => unreachable!("the sink of a flow is not a source"),
        }
    }
}
