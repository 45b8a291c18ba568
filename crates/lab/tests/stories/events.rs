//! Events agree with the counters of a run, and do not change the run.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use crate::networks::{disjoint, flow, link, outcome, scenario, tcp};
use manypath_core::{Span, Time};
use manypath_lab::scenario::{Application, Flow, MessageSize, MptcpFlow, TcpFlow};
use manypath_lab::{
    CaptureConfig, Cause, EventsConfig, Job, Outcome, Recorded, RunError, Scenario, Watch,
    events_schema, run, run_unless,
};
use manypath_link::loss::{BernoulliConfig, BitErrorConfig};
use manypath_link::{Change, LinkConfig, LinkEvent, LossConfig};
use serde_json::Value;

const JOB: Job = Job { seed: 1, replication: 0 };

/// SCTP, TCP and Multipath TCP over a link that damages packets, one that loses them, and one with a short queue.
fn rough() -> Scenario {
    let rough = |loss| LinkConfig { loss, ..link(10.0, Span::from_millis(5), 30) };
    let network = disjoint([
        ("damaging", rough(LossConfig::BitError(BitErrorConfig { rate: 1e-6, spared: 0 }))),
        ("losing", rough(LossConfig::Bernoulli(BernoulliConfig { p: 0.02 }))),
        ("short", link(4.0, Span::from_millis(20), 8)),
    ]);
    let paths = ["damaging", "losing", "short"];
    let mptcp = MptcpFlow { paths: paths.map(str::to_owned).to_vec(), ..MptcpFlow::default() };
    let flows: [(&str, Flow); 4] = [
        ("cmt", flow(&paths, "cmt-rpv2").into()),
        ("newreno", TcpFlow { sack: false, ..tcp("losing") }.into()),
        ("sack", tcp("short").into()),
        ("mptcp", mptcp.into()),
    ];
    scenario(network, flows, 0, 10)
}

/// One path that fails permanently after five seconds, and another one that is down for twenty seconds.
fn failing() -> Scenario {
    let failing = |changes: &[(u64, Change)]| LinkConfig {
        events: changes
            .iter()
            .map(|&(at, change)| LinkEvent { at: Time::ZERO + Span::from_secs(at), change })
            .collect(),
        ..link(10.0, Span::from_millis(5), 50)
    };
    let network = disjoint([
        ("gone", failing(&[(5, Change::Down)])),
        ("away", failing(&[(10, Change::Down), (30, Change::Up)])),
    ]);
    let mut quick = flow(&["gone", "away"], "newreno");
    (quick.path_max_retransmissions, quick.potentially_failed_after) = (2, Some(0));
    scenario(network, [("cmt", quick)], 0, 90)
}

fn temporary(name: &str) -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join(name)
}

fn events_in(file: &Path, only: &[&str]) -> Watch {
    let only = only.iter().map(|&name| name.to_owned()).collect();
    let events = Some(EventsConfig { file: file.to_owned(), only });
    Watch { events, ..Watch::default() }
}

/// The outcome and the lines of a run.
fn observed(scenario: &Scenario, name: &str, only: &[&str]) -> (Outcome, Vec<Value>) {
    let file = temporary(name);
    let (outcome, _) = run(scenario, JOB, &events_in(&file, only)).unwrap();
    (outcome, lines(&file))
}

fn lines(file: &Path) -> Vec<Value> {
    let text = fs::read_to_string(file).unwrap();
    assert!(text.ends_with('\n'));
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Lines with this name, of this flow and host, and of this path if there is one.
fn select<'a>(
    lines: &'a [Value],
    name: &'a str,
    flow: &'a str,
    host: &'a str,
    path: Option<&'a str>,
) -> impl Iterator<Item = &'a Value> {
    lines.iter().filter(move |line| {
        line["name"] == name
            && line["flow"] == flow
            && line["host"] == host
            && path.is_none_or(|path| line["path"] == path)
    })
}

fn sum<'a>(lines: impl Iterator<Item = &'a Value>) -> u64 {
    lines.map(|line| line["data"]["count"].as_u64().unwrap()).sum()
}

/// Whether a packet has payload, or ends a stream.
fn has_data(packet: &Value) -> bool {
    match packet["chunks"].as_array() {
        Some(chunks) => chunks.iter().any(|chunk| chunk["type"] == "data"),
        None => {
            let flags = packet["flags"].as_array().unwrap();
            packet["payload"].as_u64() > Some(0) || flags.iter().any(|flag| flag == "fin")
        }
    }
}

#[test]
fn events_of_flows_and_paths_add_up_to_the_counters_of_the_outcome() {
    let (outcome, lines) = observed(&rough(), "counters.jsonl", &[]);
    let mut cuts = 0;
    for (name, counted) in &outcome.flows {
        let count = |event, host, path| select(&lines, event, name, host, path).count() as u64;
        for (path, counted) in &counted.paths {
            let path = Some(path.as_str());
            let at_source = |event| select(&lines, event, name, "source", path);
            let sent = at_source("transport:packet_sent").filter(|line| has_data(&line["data"]));
            assert_eq!(sent.count() as u64, counted.data_packets, "{name} {path:?}");
            let dropped = count("link:packet_dropped", "source", path);
            let lost = count("link:packet_lost", "source", path);
            let damaged = count("transport:packet_dropped", "sink", path);
            assert_eq!(dropped + lost + damaged, counted.lost_packets, "{name} {path:?}");
            let cut = sum(at_source("recovery:window_cut"));
            assert_eq!(cut, counted.counters["window_cuts"], "{name} {path:?}");
            let expired = sum(at_source("recovery:loss_timer_expired"));
            assert_eq!(expired, counted.counters["timeouts"], "{name} {path:?}");
            cuts += cut;
        }
        let marked = sum(select(&lines, "recovery:marked_for_retransmit", name, "source", None));
        if name == "cmt" {
            // Some marked chunks of SCTP are acknowledged before they are sent again
            let unsent = marked.checked_sub(counted.counters["retransmitted_chunks"]);
            assert!(
                unsent.is_some_and(|unsent| unsent * 10 <= marked),
                "{name}: {unsent:?} of {marked}"
            );
        } else {
            assert_eq!(marked, counted.counters["retransmitted_chunks"], "{name}");
        }
        assert!(marked > 0, "{name}");
        let damaged = ["source", "sink"].map(|host| count("transport:packet_dropped", host, None));
        assert_eq!(damaged.iter().sum::<u64>(), counted.counters["damaged_packets"], "{name}");
    }
    assert!(cuts > 50, "{cuts} cuts");
    assert!(outcome.flows.values().any(|flow| flow.counters["timeouts"] > 0));
}

#[test]
fn events_at_links_add_up_to_the_counters_of_the_outcome() {
    let (outcome, lines) = observed(&rough(), "links.jsonl", &["link"]);
    let count = |name: &str, link: &str| {
        let here = |line: &&Value| line["name"] == name && line["data"]["link"] == link;
        lines.iter().filter(here).count() as u64
    };
    for (name, link) in &outcome.links {
        assert_eq!(count("link:packet_dropped", name), link.dropped, "{name}");
        assert_eq!(count("link:packet_lost", name), link.lost, "{name}");
        assert_eq!(count("link:packet_damaged", name), link.damaged, "{name}");
    }
    let [damaging, losing, short] =
        ["damaging", "losing", "short"].map(|name| &outcome.links[name]);
    assert!(damaging.damaged > 50 && losing.lost > 50 && short.dropped > 50);
    let full = lines.iter().filter(|line| line["data"]["link"] == "short");
    assert!(
        full.map(|line| &line["data"]).all(|data| data["reason"] == "full" && data["queue"] == 8)
    );
}

/// Everything that is acknowledged at the end was sent before.
#[test]
fn packet_events_have_the_content_of_the_packet() {
    let (_, lines) = observed(&rough(), "content.jsonl", &["transport"]);
    let mut sent = BTreeMap::new();
    for line in select(&lines, "transport:packet_sent", "cmt", "source", None) {
        let chunks = line["data"]["chunks"].as_array().unwrap();
        for chunk in chunks.iter().filter(|chunk| chunk["type"] == "data") {
            sent.insert(chunk["tsn"].as_u64().unwrap(), chunk["payload"].as_u64().unwrap());
        }
    }
    assert!(sent.len() > 1000 && sent.values().all(|&payload| payload == 1452));
    let (mut cumulative, mut kept) = (0, 0);
    for line in select(&lines, "transport:packet_received", "cmt", "source", None) {
        let chunks = line["data"]["chunks"].as_array().unwrap();
        for sack in chunks.iter().filter(|chunk| chunk["type"] == "nr_sack") {
            cumulative = cumulative.max(sack["cumulative"].as_u64().unwrap());
            kept += sack["kept_gaps"].as_array().map_or(0, Vec::len);
        }
    }
    assert!(sent.contains_key(&cumulative) && kept > 100);

    let segments = select(&lines, "transport:packet_sent", "mptcp", "source", None);
    let mapped: Vec<_> = segments
        .map(|line| &line["data"])
        .filter(|data| data["payload"].as_u64() > Some(0))
        .map(|data| data["mptcp"]["data"].as_u64().unwrap())
        .collect();
    assert_eq!(mapped.iter().min(), Some(&0));
    let acknowledged = select(&lines, "transport:packet_received", "mptcp", "source", None)
        .filter_map(|line| line["data"]["mptcp"]["data_ack"].as_u64())
        .max();
    assert!(
        acknowledged > Some(1_000_000) && acknowledged <= mapped.iter().max().map(|it| it + 1500)
    );
    let acks = select(&lines, "transport:packet_received", "sack", "source", None);
    assert!(acks.filter(|line| line["data"]["sack"].is_array()).count() > 10);
}

#[test]
fn sent_packets_are_received_dropped_lost_or_in_flight() {
    let (_, lines) = observed(&rough(), "balance.jsonl", &["transport", "link"]);
    for flow in ["cmt", "newreno", "sack", "mptcp"] {
        for (from, to) in [("source", "sink"), ("sink", "source")] {
            let count = |name, host| select(&lines, name, flow, host, None).count();
            let sent = count("transport:packet_sent", from);
            let arrived =
                count("transport:packet_received", to) + count("transport:packet_dropped", to);
            let gone = count("link:packet_dropped", from) + count("link:packet_lost", from);
            assert!(sent >= arrived + gone, "{flow} from its {from}");
            assert!(sent - arrived - gone < 100, "{flow} from its {from}");
        }
    }
}

/// The state of each path at an instant: the latest value of each metric.
#[test]
fn metrics_that_are_put_together_again_are_those_of_the_samples() {
    let file = temporary("metrics.jsonl");
    let watch = Watch {
        series: Some(Span::from_millis(100)),
        ..events_in(&file, &["recovery:metrics_updated"])
    };
    let scenario = rough();
    let (_, Recorded { series, .. }) = run(&scenario, JOB, &watch).unwrap();
    let samples = series.unwrap().paths.states;
    let lines = lines(&file);
    let mut compared = 0;
    for (flow, config) in scenario.flows.iter() {
        for (number, path) in config.paths().iter().enumerate() {
            let updates = select(&lines, "recovery:metrics_updated", flow, "source", Some(path));
            let mut updates = updates.peekable();
            let mut known = BTreeMap::new();
            for row in 0..samples.time.len() {
                let is_here = samples.path[row] == number
                    && scenario.flows.get_index_of(flow) == Some(samples.flow[row]);
                if !is_here {
                    continue;
                }
                while let Some(update) =
                    updates.next_if(|update| update["time"].as_f64() <= Some(samples.time[row]))
                {
                    for (metric, value) in update["data"].as_object().unwrap() {
                        known.insert(metric.as_str(), value.as_f64().unwrap());
                    }
                }
                for (metric, sampled) in [
                    ("cwnd", &samples.cwnd),
                    ("ssthresh", &samples.ssthresh),
                    ("srtt", &samples.srtt),
                    ("outstanding", &samples.outstanding),
                ] {
                    let told = known.get(metric).copied().unwrap_or_default();
                    let sampled = sampled[row];
                    // A series has no number for an RTT or a threshold that an event has not told.
                    let unset = if metric == "ssthresh" { f64::from(u32::MAX) + 1.0 } else { 0.0 };
                    let is_unset = sampled.is_nan() && (told == 0.0 || told == unset);
                    assert!(
                        is_unset || told == sampled,
                        "{metric} of {flow} on {path}, row {row}: {told} and {sampled}"
                    );
                    compared += usize::from(told > 0.0);
                }
            }
        }
    }
    assert!(compared > 2000, "{compared} values");
}

#[test]
fn congestion_states_follow_one_another_and_recovery_begins_with_a_cut() {
    let (_, lines) = observed(&rough(), "states.jsonl", &["recovery"]);
    for (flow, path) in [("cmt", "losing"), ("newreno", "losing"), ("mptcp", "damaging")] {
        let name = "recovery:congestion_state_updated";
        let updates: Vec<_> = select(&lines, name, flow, "source", Some(path)).collect();
        assert!(updates[0]["data"]["old"].is_null());
        assert_eq!(updates[0]["data"]["new"], "slow_start");
        for pair in updates.windows(2) {
            assert_eq!(pair[0]["data"]["new"], pair[1]["data"]["old"]);
        }
        let is_recovery = |line: &&&Value| line["data"]["new"] == "recovery";
        let began: Vec<_> = updates.iter().filter(is_recovery).map(|line| &line["time"]).collect();
        let cut: Vec<_> = select(&lines, "recovery:window_cut", flow, "source", Some(path))
            .map(|line| &line["time"])
            .collect();
        assert!(began.len() > 5, "{flow} on {path}: {} recoveries", began.len());
        assert!(began.iter().all(|time| cut.contains(time)), "{flow} on {path}");
    }
}

#[test]
fn failures_and_recoveries_of_paths_and_the_end_are_reported() {
    let (outcome, lines) = observed(&failing(), "paths.jsonl", &["connectivity"]);
    let states = |host, path| -> Vec<(f64, String)> {
        let updates = select(&lines, "connectivity:path_updated", "cmt", host, Some(path));
        let state = |line: &Value| line["data"]["new"].as_str().unwrap().to_owned();
        updates.map(|line| (line["time"].as_f64().unwrap(), state(line))).collect()
    };
    let gone = states("source", "gone");
    let names: Vec<_> = gone.iter().map(|(_, state)| state.as_str()).collect();
    // Addresses from the application need no confirmation, those that the peer listed do. RFC 9260 §5.4
    assert_eq!(names, ["up", "potentially_failed", "down"]);
    assert!(gone[0].0 < 2.0 && gone[1].0 > 5.0 && gone[2].0 < 20.0, "{gone:?}");
    let seen_by_sink = states("sink", "away");
    assert_eq!((&*seen_by_sink[0].1, &*seen_by_sink[1].1), ("connecting", "up"));
    let away = states("source", "away");
    assert_eq!((&*away[0].1, &*away.last().unwrap().1), ("up", "up"));
    assert!(away.iter().any(|(at, state)| state == "potentially_failed" && *at > 10.0));
    let stands =
        |host| select(&lines, "connectivity:connection_established", "cmt", host, None).count();
    assert_eq!((stands("source"), stands("sink")), (1, 1));
    assert_eq!(outcome.flows["cmt"].closed, None);
}

#[test]
fn the_end_of_a_connection_is_reported_with_reason_and_time() {
    let network = disjoint([("only", link(10.0, Span::from_millis(5), 50))]);
    let mut transfer = tcp("only");
    transfer.app = Application::Transfer {
        size: 100_000,
        message: MessageSize { min: 1000, max: 1000 },
        ordered: true,
    };
    let (outcome, lines) =
        observed(&scenario(network, [("file", transfer)], 0, 10), "closed.jsonl", &[]);
    let closed: Vec<_> =
        select(&lines, "connectivity:connection_closed", "file", "source", None).collect();
    let counted = &outcome.flows["file"];
    assert_eq!(closed.len(), 1);
    assert_eq!(closed[0]["data"]["reason"].as_str(), counted.closed.as_deref());
    assert_eq!(closed[0]["time"].as_f64(), counted.closed_at);
    assert_eq!(lines[0]["vantage_points"][1]["protocol"], "tcp");
}

#[test]
fn observers_do_not_change_the_run() {
    let scenario = rough();
    let (events, capture) = (temporary("all.jsonl"), temporary("all.pcapng"));
    let watch = Watch {
        series: Some(Span::from_millis(10)),
        changes: true,
        capture: Some(CaptureConfig { file: capture.clone(), links: Vec::new() }),
        ..events_in(&events, &[])
    };
    let (mut watched, record) = run(&scenario, JOB, &watch).unwrap();
    let mut alone = outcome(&scenario, 0);
    (watched.cpu_seconds, alone.cpu_seconds) = (0.0, 0.0);
    assert_eq!(watched, alone);
    assert!(record.series.is_some() && record.changes.is_some());
    let alone = observed(&scenario, "alone.jsonl", &[]).1;
    assert_eq!(lines(&events), alone);
    assert!(fs::metadata(capture).unwrap().len() > 1_000_000);
}

#[test]
fn lines_are_in_order_of_time_after_a_header() {
    let (_, lines) = observed(&rough(), "order.jsonl", &[]);
    let header = &lines[0];
    assert_eq!(header["file_schema"], "urn:manypath:events:1");
    assert_eq!((&header["seed"], &header["replication"]), (&1.into(), &0.into()));
    assert_eq!(header["vantage_points"].as_array().unwrap().len(), 8);
    assert_eq!(Scenario::parse(&header["scenario"].to_string()), Ok(rough()));
    let times: Vec<_> = lines[1..].iter().map(|line| line["time"].as_f64().unwrap()).collect();
    assert!(times.is_sorted() && times.len() > 10_000);
    assert!(*times.last().unwrap() <= 10.0);
}

#[test]
fn only_the_events_that_were_named_are_written() {
    let (_, lines) = observed(&rough(), "some.jsonl", &["connectivity", "recovery:window_cut"]);
    let names: Vec<_> = lines[1..].iter().map(|line| line["name"].as_str().unwrap()).collect();
    assert!(
        names
            .iter()
            .all(|name| name.starts_with("connectivity:") || *name == "recovery:window_cut")
    );
    assert!(names.contains(&"connectivity:path_updated") && names.contains(&"recovery:window_cut"));
}

/// The one-line error for events that cannot be written.
fn refusal(watch: &Watch) -> String {
    let error: RunError = run(&rough(), JOB, watch).unwrap_err();
    assert!(matches!(error.cause, Cause::Events(_)));
    error.cause.to_string()
}

#[test]
fn an_unknown_event_is_answered_with_the_nearest_one_before_anything_is_written() {
    let file = temporary("nothing.jsonl");
    let said = refusal(&events_in(&file, &["recovery:metrics"]));
    assert_eq!(
        said,
        "only: \"recovery:metrics\" is no event: did you mean \"recovery:metrics_updated\"?"
    );
    let said = refusal(&events_in(&file, &["transprot"]));
    assert_eq!(said, "only: \"transprot\" is no event: did you mean \"transport\"?");
    assert!(!file.exists());
}

#[test]
fn an_unknown_event_leaves_an_earlier_capture_unchanged() {
    let capture = temporary("earlier.pcapng");
    fs::write(&capture, "packets of an earlier run").unwrap();
    let config = CaptureConfig { file: capture.clone(), links: Vec::new() };
    let events = events_in(&temporary("never.jsonl"), &["typo"]);
    refusal(&Watch { capture: Some(config), ..events });
    assert_eq!(fs::read_to_string(&capture).unwrap(), "packets of an earlier run");
    fs::remove_file(capture).unwrap();
}

#[test]
fn a_file_of_events_that_cannot_be_written_is_named() {
    let said = refusal(&events_in(&temporary("no such folder").join("run.jsonl"), &[]));
    assert!(
        said.starts_with("events: \"") && said.contains("run.jsonl\" cannot be written: "),
        "{said}"
    );
}

#[cfg(target_os = "linux")]
#[test]
fn a_disk_that_is_too_full_for_events_is_noticed() {
    let said = refusal(&events_in(Path::new("/dev/full"), &[]));
    assert!(said.starts_with("events: \"/dev/full\" cannot be written: No space left"), "{said}");
}

#[test]
fn a_stopped_run_leaves_complete_lines() {
    let file = temporary("stopped.jsonl");
    let mut endless = rough();
    endless.measure = Span::from_secs(100_000);
    let error = run_unless(&endless, JOB, &events_in(&file, &[]), &|_| true).unwrap_err();
    assert_eq!(error.cause, Cause::Stopped);
    assert!(lines(&file).len() > 1000);
}

/// `UPDATE_SCHEMA=1 cargo test -p manypath-lab --test stories the_published_schema` rewrites the file.
#[test]
fn the_published_schema_of_events_is_current() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../spec/events.schema.json");
    let current = format!("{:#}\n", events_schema());
    if std::env::var_os("UPDATE_SCHEMA").is_some() {
        fs::write(path, &current).unwrap();
    }
    let published = fs::read_to_string(path).unwrap_or_default();
    assert!(
        published == current,
        "spec/events.schema.json is not current: run with UPDATE_SCHEMA=1"
    );
}
