//! A snapshot of a running world: counters and state of every flow, path and core link.

use manypath_core::{BlockedTime, PathId, PathWindow, Span, Time, Via};
use manypath_events::{Marks, PathView};
use manypath_link::Counters;
use manypath_sctp::{self as sctp, StreamStats};
use manypath_tcp as tcp;

use crate::app::{Application, Sink, Source};
use crate::build::{FlowHosts, Laboratory, via};
use crate::counters::{EndStats, HostStats, PathEndStats, TcpEnd};
use crate::course::PathCourse;
use crate::endpoint::{ConnectionId, Ending, Endpoint};

/// Counters of a flow so far.
#[derive(Clone, Debug)]
pub(crate) struct FlowReading {
    pub(crate) delivered_messages: u64,
    pub(crate) delivered_bytes: u64,
    pub(crate) source: EndStats,
    pub(crate) sink: EndStats,
    pub(crate) reorder: ReorderReading,
    /// Streams in use, at the sink; empty for TCP.
    pub(crate) streams: Vec<StreamStats>,
}

/// Occupancy of the sink's reorder buffer: bytes that cannot be read yet.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ReorderReading {
    pub(crate) bytes: u64,
    /// Integral over time, in bytes times nanoseconds.
    pub(crate) byte_nanos: u128,
}

/// Counters of a path so far, and its state.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PathReading {
    pub(crate) source: PathEndReading,
    pub(crate) sink: PathEndReading,
    /// Why the source could not send new data on it.
    pub(crate) blocked: BlockedTime,
    /// Packets of the source that were dropped, lost or damaged.
    pub(crate) lost: u64,
    /// The states of the path at the source so far.
    pub(crate) course: PathCourse,
}

/// Counters of a link so far.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LinkReading {
    pub(crate) counters: Counters,
    /// The integral over time of the packets in the queue, in packets times nanoseconds.
    pub(crate) queue: u128,
    /// The time for which the transmitter was busy.
    pub(crate) busy: Span,
}

/// Counters of one end of a path so far, and the state of the path as seen from there.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PathEndReading {
    pub(crate) stats: PathEndStats,
    /// How many standard TCP flows the path corresponds to, if the congestion control has weights.
    pub(crate) weight: Option<f64>,
}

/// All counters of a world.
#[derive(Clone, Debug)]
pub(crate) struct Reading {
    pub(crate) flows: Vec<FlowReading>,
    /// Paths of all flows, flow by flow.
    pub(crate) paths: Vec<PathReading>,
    pub(crate) links: Vec<LinkReading>,
}

impl Laboratory {
    /// Reads all counters; `path_counts` has the number of paths of each flow.
    pub(crate) fn read(&mut self, path_counts: &[usize]) -> Reading {
        let flows = self.flows.iter().map(|&flow| self.read_flow(flow)).collect();
        let paths = self.flows.iter().zip(path_counts);
        let this = &*self;
        let paths = paths
            .flat_map(|(&flow, &count)| (0..count).map(move |path| this.read_path(flow, path)))
            .collect();
        let world = &mut self.world;
        let links = self.links.iter().map(|&link| LinkReading {
            counters: world.link_counters(link),
            queue: world.queue_integral(link),
            busy: world.busy(link),
        });
        Reading { flows, paths, links: links.collect() }
    }

    fn read_flow(&self, flow: FlowHosts) -> FlowReading {
        let (source, sink) = (self.source(flow), self.sink(flow));
        let read = |host, connection| {
            let damaged = self.world.host_counters(host).damaged;
            self.world.host(host).endpoint().read(connection, damaged)
        };
        FlowReading {
            delivered_messages: sink.ledger().delivered(),
            delivered_bytes: sink.ledger().delivered_bytes(),
            source: read(flow.source, source.connection()),
            sink: read(flow.sink, sink.connection()),
            reorder: self.read_reorder(flow),
            streams: self.read_streams(flow),
        }
    }

    /// Reads the occupancy of the sink's reorder buffer.
    pub(crate) fn read_reorder(&self, flow: FlowHosts) -> ReorderReading {
        let (now, sink) = (self.world.now(), self.sink(flow));
        let Some(id) = sink.connection() else { return ReorderReading::default() };
        match self.world.host(flow.sink).endpoint() {
            Endpoint::Sctp(sctp) => {
                let stats = sctp.reorder_stats(self.now_or(sink.closed()), id.sctp());
                ReorderReading { bytes: stats.bytes, byte_nanos: stats.byte_nanos }
            }
            Endpoint::Tcp(_) => {
                let bytes = sink.reordered().bytes;
                ReorderReading { bytes: bytes.value(), byte_nanos: bytes.until(now) }
            }
        }
    }

    /// Waiting times of ordered messages on each inbound stream in use; empty for TCP.
    pub(crate) fn read_streams(&self, flow: FlowHosts) -> Vec<StreamStats> {
        let (Some(id), Endpoint::Sctp(endpoint)) =
            (self.sink(flow).connection(), self.world.host(flow.sink).endpoint())
        else {
            return Vec::new();
        };
        let (now, id) = (self.now_or(self.sink(flow).closed()), id.sctp());
        let streams = 0..endpoint.inbound_streams(id);
        streams.map(|stream| endpoint.stream_stats(now, id, stream as u16)).collect()
    }

    /// Reads the path with this index; zeros before the flow knows the path.
    pub(crate) fn read_path(&self, flow: FlowHosts, path: usize) -> PathReading {
        let via = via(flow.index, path);
        let read = |host, connection: Option<_>, via| {
            let endpoint = self.world.host(host).endpoint();
            let reading = connection.and_then(|id| endpoint.read_path(id, path, via));
            reading.unwrap_or_else(|| endpoint.unknown_path())
        };
        PathReading {
            source: read(flow.source, self.source(flow).connection(), via),
            sink: read(flow.sink, self.sink(flow).connection(), via.reversed()),
            blocked: self.read_blocked(flow, path, via),
            lost: self.world.lost(flow.source, via),
            course: self.world.host(flow.source).path_course(self.world.now(), path),
        }
    }

    /// Why the source could not send new data on a path so far; zeros before the flow knows the path.
    fn read_blocked(&self, flow: FlowHosts, path: usize, via: Via) -> BlockedTime {
        let source = self.source(flow);
        let (endpoint, now) =
            (self.world.host(flow.source).endpoint(), self.now_or(source.closed()));
        let connection = source.connection();
        connection.map_or_else(BlockedTime::default, |id| endpoint.read_blocked(now, id, path, via))
    }

    /// The current time, or the end of the association: blocked times end there.
    fn now_or(&self, closed: Option<(Time, Ending)>) -> Time {
        closed.map_or(self.world.now(), |(at, _)| at)
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

    /// Lets the sinks of all flows record latencies for samples.
    pub(crate) fn keep_steps(&mut self) {
        for flow in &self.flows {
            if let Application::Sink(sink) = self.world.host_mut(flow.sink).application_mut() {
                sink.keep_steps();
            }
        }
    }
}

impl Endpoint {
    /// Reads the counters of the association or connection, zeros before it exists; `damaged` packets reached the host.
    pub(crate) fn read(&self, id: Option<ConnectionId>, damaged: u64) -> EndStats {
        match self {
            Self::Sctp(sctp) => {
                let known = id.map(|id| *sctp.stats(id.sctp())).unwrap_or_default();
                // The host also counts packets that reach no association, such as a damaged COOKIE ECHO
                EndStats::Sctp(sctp::Stats { damaged_packets: damaged, ..known })
            }
            Self::Tcp(tcp) => {
                let connection = id.map(|id| *tcp.stats(id.tcp())).unwrap_or_default();
                EndStats::Tcp(TcpEnd { connection, host: HostStats { damaged_packets: damaged } })
            }
        }
    }

    /// Reads the counters of a path, if the association or connection knows it.
    ///
    /// An association numbers its paths as the scenario does. A connection numbers its subflows as they joined, and a
    /// path that failed and recovered has had several: their counters are added, and the state is that of the last.
    pub(crate) fn read_path(
        &self,
        id: ConnectionId,
        path: usize,
        via: Via,
    ) -> Option<PathEndReading> {
        match self {
            Self::Sctp(sctp) => {
                let (id, number) = (id.sctp(), PathId(path as u8));
                (path < sctp.path_count(id)).then(|| {
                    let stats = PathEndStats::Sctp(sctp.path_stats(id, number));
                    PathEndReading { stats, weight: sctp.weight(id, number) }
                })
            }
            Self::Tcp(tcp) => {
                let id = id.tcp();
                let subflows = subflows(tcp, id, via);
                let read = subflows.map(|it| (tcp.path_stats(id, it), tcp.weight(id, it)));
                let sum = read.reduce(|(earlier, _), (later, weight)| (earlier + later, weight));
                sum.map(|(stats, weight)| PathEndReading {
                    stats: PathEndStats::Tcp(stats),
                    weight,
                })
            }
        }
    }

    /// The state of a path, and the counters that events report, if the association or connection knows it.
    // Events look at each path of a host after each of its changes, so the other counters of SCTP are not copied. With
    // TCP the counters of the path's subflows must be added.
    pub(crate) fn view_path(&self, id: ConnectionId, path: usize, via: Via) -> Option<PathView> {
        match self {
            Self::Sctp(sctp) => {
                let (id, number) = (id.sctp(), PathId(path as u8));
                (path < sctp.path_count(id)).then(|| (&sctp.path_stats(id, number)).into())
            }
            Self::Tcp(_) => self.read_path(id, path, via).map(|reading| reading.stats.view()),
        }
    }

    /// How much a path may carry, and how much it carries, if the association or connection knows it.
    #[inline]
    pub(crate) fn path_window(
        &self,
        id: ConnectionId,
        path: usize,
        via: Via,
    ) -> Option<PathWindow> {
        match self {
            Self::Sctp(sctp) => {
                let (id, number) = (id.sctp(), PathId(path as u8));
                (path < sctp.path_count(id)).then(|| sctp.path_window(id, number))
            }
            Self::Tcp(tcp) => {
                let last = subflows(tcp, id.tcp(), via).last();
                last.map(|subflow| tcp.path_window(id.tcp(), subflow))
            }
        }
    }

    /// Retransmissions of an association or connection by cause.
    pub(crate) fn marks(&self, id: ConnectionId) -> Marks {
        match self {
            Self::Sctp(sctp) => sctp.stats(id.sctp()).into(),
            Self::Tcp(tcp) => tcp.stats(id.tcp()).into(),
        }
    }

    /// The reading of a path that the association or connection does not know yet.
    fn unknown_path(&self) -> PathEndReading {
        let stats = match self {
            Self::Sctp(_) => PathEndStats::Sctp(sctp::PathStats::default()),
            Self::Tcp(_) => PathEndStats::Tcp(tcp::PathStats::default()),
        };
        PathEndReading { stats, weight: None }
    }

    /// Reads why the association or connection could not send new data on a path up to `now`.
    fn read_blocked(&self, now: Time, id: ConnectionId, path: usize, via: Via) -> BlockedTime {
        match self {
            Self::Sctp(sctp) => {
                let id = id.sctp();
                let known = (path < sctp.path_count(id)).then_some(PathId(path as u8));
                known.map_or_else(BlockedTime::default, |path| sctp.blocked(now, id, path))
            }
            Self::Tcp(tcp) => {
                let id = id.tcp();
                let times = subflows(tcp, id, via).map(|subflow| tcp.blocked(now, id, subflow));
                times.fold(BlockedTime::default(), std::ops::Add::add)
            }
        }
    }
}

/// The subflows of a connection that had this pair of addresses, in the order in which they joined.
fn subflows(
    tcp: &tcp::Endpoint,
    id: tcp::ConnectionId,
    via: Via,
) -> impl Iterator<Item = PathId> + '_ {
    let all = (0..tcp.path_count(id)).map(|number| PathId(number as u8));
    all.filter(move |&subflow| tcp.path_via(id, subflow) == via)
}
