//! A test as a JSON document with the structure of iperf3's `--json`, and an additional `paths`.

use std::env;
use std::time::{SystemTime, UNIX_EPOCH};

use manypath_net::Association;
use manypath_net::metrics::STATES;
use serde_json::{Map, Value, json};

use super::sender::{Sample, Samples};
use super::{Flow, Interval, Outcome, PathInterval, PathTotal, Request, Results, Total};

/// The document of a running test.
#[derive(Clone, Debug)]
pub struct TestDocument {
    start: Value,
    intervals: Vec<Value>,
    samples: Samples,
    is_client: bool,
}

impl TestDocument {
    /// Begins the document of a test. `ports` are the SCTP ports of this side and of the peer.
    #[must_use]
    pub fn new(
        association: &Association,
        ports: [u16; 2],
        request: &Request,
        congestion: &str,
        is_client: bool,
    ) -> Self {
        let connected = association.paths().into_iter().enumerate().map(|(number, path)| {
            json!({
                "socket": number,
                "local_host": path.local,
                "local_port": ports[0],
                "remote_host": path.remote,
                "remote_port": ports[1],
            })
        });
        let begin = SystemTime::now();
        let now = begin.duration_since(UNIX_EPOCH).unwrap_or_default();
        let direction = request.direction;
        let mut start = json!({
            "connected": connected.collect::<Vec<_>>(),
            "version": concat!("manypath-net ", env!("CARGO_PKG_VERSION")),
            "system_info": format!("{} {}", env::consts::OS, env::consts::ARCH),
            "timestamp": {
                "time": httpdate::fmt_http_date(begin),
                "timesecs": now.as_secs(),
                "timenanosecs": now.subsec_nanos(),
            },
            "test_start": {
                "protocol": "SCTP",
                "num_streams": request.streams,
                "blksize": request.size,
                "omit": 0,
                "duration": request.duration.unwrap_or(0.0),
                "bytes": request.bytes.unwrap_or(0),
                "blocks": 0,
                "unordered": u8::from(request.unordered),
                "reverse": u8::from(!direction.client_sends()),
                "bidir": u8::from(direction.client_sends() && direction.server_sends()),
            },
            "congestion": congestion,
        });
        if let Some(least) = request.size_min {
            start["test_start"]["blksize_min"] = json!(least);
        }
        if let Some(path) = association.paths().first() {
            let key = if is_client { "connecting_to" } else { "accepted_connection" };
            start[key] = json!({ "host": path.remote, "port": ports[1] });
        }
        Self { start, intervals: Vec::new(), samples: Samples::default(), is_client }
    }

    /// The part that is known when the test begins.
    #[must_use]
    pub fn start(&self) -> &Value {
        &self.start
    }

    /// Adds an interval.
    pub fn add(&mut self, interval: &Interval) {
        let interval = self.interval(interval);
        self.intervals.push(interval);
    }

    /// The JSON of the next interval.
    #[must_use]
    pub fn interval(&mut self, interval: &Interval) -> Value {
        let Interval { start, end, retransmits, .. } = *interval;
        let seconds = interval.seconds();
        let sample = Sample::new(interval);
        self.samples.add(sample);
        let times = json!({ "start": start, "end": end, "seconds": seconds });
        let both = [(&interval.sent, true), (&interval.received, false)];
        let flows =
            both.into_iter().filter_map(|(flow, is_sender)| Some((flow.as_ref()?, is_sender)));
        let mut streams = Vec::new();
        let mut entry = Map::new();
        for (flow, is_sender) in flows {
            let own = |bytes| measured(&times, bytes, seconds, is_sender);
            streams.extend(flow.streams.iter().zip(1..).map(|(&bytes, stream): (_, u16)| {
                let mut value = own(bytes);
                value["socket"] = json!(stream);
                value["omitted"] = json!(false);
                if is_sender {
                    sample.describe(&mut value);
                }
                value
            }));
            let mut sum = own(Flow::bytes(flow));
            sum["omitted"] = json!(false);
            if is_sender {
                sum["retransmits"] = json!(retransmits);
            }
            entry.insert(format!("sum{}", self.suffix(is_sender, interval)), sum);
        }
        let paths = interval.paths.iter().enumerate();
        let paths = paths.map(|(number, path)| path_interval(number, path, seconds));
        entry.insert("streams".to_owned(), json!(streams));
        entry.insert("paths".to_owned(), paths.collect());
        Value::Object(entry)
    }

    /// In a bidirectional test, iperf3 has separate names for the server's data.
    fn suffix(&self, is_sender: bool, interval: &Interval) -> &'static str {
        let is_bidirectional = interval.sent.is_some() && interval.received.is_some();
        if is_bidirectional && is_sender != self.is_client { REVERSE } else { "" }
    }

    /// The document of a completed test.
    #[must_use]
    pub fn finish(self, outcome: &Outcome) -> Value {
        let (client, server) = match outcome.is_client {
            true => (&outcome.local, &outcome.remote),
            false => (&outcome.remote, &outcome.local),
        };
        let mut end = Map::new();
        let mut streams = Vec::new();
        let directions = [(client, server), (server, client)];
        let present = directions.into_iter().filter_map(|(sender, receiver)| {
            Some((sender, receiver, sender.sent.as_ref()?, receiver.received.as_ref()?))
        });
        for (number, (sender, into, sent, received)) in present.enumerate() {
            let suffix = if number == 0 { "" } else { REVERSE };
            let is_sender = std::ptr::eq(sender, &raw const outcome.local);
            let mut sum_sent = total(sent, is_sender);
            sum_sent["retransmits"] = json!(sender.retransmits);
            end.insert(format!("sum_sent{suffix}"), sum_sent);
            end.insert(format!("sum_received{suffix}"), total(received, is_sender));
            let of_streams = sent.streams.iter().zip(&received.streams).zip(1..);
            streams.extend(of_streams.map(|((&out, &arrived), stream): (_, u16)| {
                let stream = |bytes, of: &Total| {
                    let mut value = total(&Total { bytes, ..of.clone() }, is_sender);
                    value["socket"] = json!(stream);
                    value
                };
                let mut of_sender = stream(out, sent);
                of_sender["retransmits"] = json!(sender.retransmits);
                if is_sender {
                    self.samples.describe(&mut of_sender);
                }
                json!({ "sender": of_sender, "receiver": stream(arrived, received) })
            }));
            end.insert(format!("sender_congestion{suffix}"), json!(sender.congestion));
            end.entry("sender_tcp_congestion").or_insert_with(|| json!(sender.congestion));
            end.entry("receiver_tcp_congestion").or_insert_with(|| json!(into.congestion));
        }
        end.insert("streams".to_owned(), json!(streams));
        end.insert("cpu_utilization_percent".to_owned(), cpu(outcome));
        end.insert("paths".to_owned(), path_totals(&outcome.local));
        end.insert("remote_paths".to_owned(), path_totals(&outcome.remote));
        json!({ "start": self.start, "intervals": self.intervals, "end": end })
    }

    /// The document of a test that failed while it was running.
    #[must_use]
    pub fn fail(self, error: &str) -> Value {
        json!({ "start": self.start, "intervals": self.intervals, "end": {}, "error": error })
    }
}

/// The document of a test that did not begin.
#[must_use]
pub fn failed(error: &str) -> Value {
    json!({ "start": {}, "intervals": [], "end": {}, "error": error })
}

/// Bytes within a time, and their rate.
fn measured(times: &Value, bytes: u64, seconds: f64, is_sender: bool) -> Value {
    let mut value = times.clone();
    value["bytes"] = json!(bytes);
    value["bits_per_second"] = json!(rate(bytes, seconds));
    value["sender"] = json!(is_sender);
    value
}

fn total(total: &Total, is_sender: bool) -> Value {
    let times = json!({ "start": 0, "end": total.seconds, "seconds": total.seconds });
    measured(&times, total.bytes, total.seconds, is_sender)
}

fn rate(bytes: u64, seconds: f64) -> f64 {
    if seconds > 0.0 { bytes as f64 * 8.0 / seconds } else { 0.0 }
}

fn path_interval(number: usize, path: &PathInterval, seconds: f64) -> Value {
    let mut value = path_total(number, &path.carried);
    value["bits_per_second"] = json!(rate(path.carried.carried(), seconds));
    value["share"] = json!(path.share);
    value["snd_cwnd"] = json!(path.window);
    value["rtt"] = json!((path.rtt * 1e6).round());
    let state = STATES.iter().find(|(state, _)| *state == path.state);
    value["state"] = json!(state.map(|(_, name)| name));
    value
}

fn path_totals(results: &Results) -> Value {
    let paths = results.paths.iter().enumerate();
    paths.map(|(number, path)| path_total(number, path)).collect()
}

fn path_total(number: usize, path: &PathTotal) -> Value {
    let blocked: Map<_, _> =
        path.blocked.iter().map(|(limit, seconds)| (limit.clone(), json!(seconds))).collect();
    let mut value = json!({ "path": number, "local": path.local, "remote": path.remote });
    for (name, count) in path.counters.rows() {
        value[name] = json!(count);
    }
    value["blocked_seconds"] = json!(blocked);
    value
}

fn cpu(outcome: &Outcome) -> Value {
    let [host, remote] = [&outcome.local, &outcome.remote].map(|results| results.cpu);
    json!({
        "host_total": host.user + host.system,
        "host_user": host.user,
        "host_system": host.system,
        "remote_total": remote.user + remote.system,
        "remote_user": remote.user,
        "remote_system": remote.system,
    })
}

const REVERSE: &str = "_bidir_reverse";
