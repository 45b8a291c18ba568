//! Events of real endpoints, compared with the counters.

use std::collections::BTreeSet;
use std::path::Path;

use manypath_net::{
    Association, Endpoint, EventLog, Message, Path as NetPath, PathState, Selection,
};
use serde_json::Value;

use crate::events_file::{chunks, data, number, read};
use crate::relay::relayed;
use crate::stage::{impatient, loopback, on, pair, pattern, server, soon, undisturbed, until};

/// The lines of an association from the side that wrote the file.
fn of<'a>(lines: &'a [Value], flow: &str, host: &str) -> Vec<&'a Value> {
    let lines = lines.iter().filter(|line| line["flow"] == flow);
    let lines: Vec<_> = lines.collect();
    assert!(lines.iter().all(|line| line["host"] == host), "{flow} is a {host}");
    lines
}

fn count(lines: &[&Value], name: &str) -> u64 {
    lines.iter().filter(|line| line["name"] == name).count() as u64
}

fn sum(lines: &[&Value], name: &str) -> u64 {
    let lines = lines.iter().filter(|line| line["name"] == name);
    lines.map(|line| number(&line["data"], "count")).sum()
}

/// The last value of a metric of a path.
fn metric(lines: &[&Value], name: &str) -> f64 {
    let mut values = lines.iter().rev().filter_map(|line| line["data"][name].as_f64());
    values.next().unwrap_or_else(|| panic!("{name} was never told"))
}

/// Compares the lines of a path with its counters.
fn compare_path(lines: &[&Value], path: &NetPath) {
    let name = format!("{} -> {}", path.local, path.remote);
    let lines: Vec<_> =
        lines.iter().filter(|line| line["path"] == name.as_str()).copied().collect();
    let stats = path.stats;
    let sent = lines.iter().filter(|line| line["name"] == "transport:packet_sent");
    let data: Vec<_> =
        sent.flat_map(|line| chunks(line)).filter(|chunk| chunk["type"] == "data").collect();
    assert_eq!(data.len() as u64, stats.data_chunks_sent, "{name}");
    assert_eq!(sum(&lines, "recovery:loss_timer_expired"), stats.timeouts, "{name}");
    assert_eq!(sum(&lines, "recovery:window_cut"), stats.window_cuts, "{name}");
    assert_eq!(metric(&lines, "cwnd"), stats.window as f64, "{name}");
    assert_eq!(metric(&lines, "ssthresh"), stats.ssthresh as f64, "{name}");
    assert_eq!(metric(&lines, "srtt"), stats.srtt.as_secs_f64(), "{name}");
    assert_eq!(metric(&lines, "rto"), stats.rto.as_secs_f64(), "{name}");
    assert_eq!(metric(&lines, "outstanding"), stats.outstanding as f64, "{name}");
}

/// Compares the lines of an association that has ended with its counters.
fn compare(lines: &[Value], flow: &str, host: &str, association: &Association) {
    let lines = of(lines, flow, host);
    let stats = association.stats();
    for path in association.paths() {
        compare_path(&lines, &path);
    }
    let marked = |trigger: &str| {
        let marked = lines.iter().filter(|line| line["data"]["trigger"] == trigger);
        marked.map(|line| number(&line["data"], "count")).sum::<u64>()
    };
    assert_eq!(marked("timeout"), stats.timer_retransmissions);
    assert_eq!(marked("fast_retransmission"), stats.fast_retransmissions);
    assert_eq!(sum(&lines, "recovery:loss_timer_expired"), stats.timeouts);
    assert_eq!(count(&lines, "connectivity:connection_established"), 1);
    let last = lines.last().expect("lines");
    assert_eq!(last["name"], "connectivity:connection_closed");
    assert_eq!(last["data"]["reason"], "shutdown");
}

/// Packets that an endpoint sent and received, inside and outside of associations.
fn packets(lines: &[Value]) -> [u64; 2] {
    let lines: Vec<_> = lines.iter().collect();
    ["transport:packet_sent", "transport:packet_received"].map(|name| count(&lines, name))
}

fn counted(endpoint: &Endpoint) -> [u64; 2] {
    let counters = endpoint.counters();
    [counters.packets_sent, counters.packets_received]
}

/// The states of a path in order.
fn states(lines: &[Value], path: &str) -> Vec<String> {
    let lines = lines.iter().filter(|line| line["path"] == path);
    let states = lines.filter_map(|line| line["data"]["new"].as_str());
    let of_path = ["connecting", "up", "potentially_failed", "down"];
    states.filter(|state| of_path.contains(state)).map(str::to_owned).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn events_of_a_path_that_fails_and_recovers_add_up_to_the_counters() {
    undisturbed(async || {
        let states = a_path_fails_and_recovers().await;
        // On a busy machine a timer may expire early, so that the path is potentially failed for a moment
        let mut without_doubts: Vec<_> =
            states.into_iter().filter(|state| state != "potentially_failed").collect();
        without_doubts.dedup();
        // A machine that stands still makes the path fail once more
        if without_doubts == ["up", "down", "up"] { Ok(()) } else { Err(without_doubts) }
    })
    .await;
}

/// Compares the events of both ends with their counters; returns the states of the path.
async fn a_path_fails_and_recovers() -> Vec<String> {
    let folder = tempfile::tempdir().unwrap();
    let files = ["server.jsonl", "client.jsonl"].map(|name| folder.path().join(name));
    let logs = files.each_ref().map(|file| EventLog::create(file, Selection::ALL).unwrap());
    let (of_server, of_client) = (logs[0].clone(), logs[1].clone());
    // The server is created first
    let mut next = [of_server, of_client].into_iter();
    let next = std::sync::Mutex::new(&mut next);
    let (pair, relays) = relayed(|builder| {
        let log = next.lock().unwrap().next().expect("two endpoints");
        builder.events(log).concurrent("cmt-rpv2").configure(impatient)
    })
    .await;
    let stops = |state: PathState| {
        let client = pair.client.clone();
        move || client.paths()[1].stats.state == state
    };
    let transfer = async |seed: usize| {
        let sending = pair.client.send(Message::new(pattern(seed, 300_000)));
        let (sent, received) = soon(async { tokio::join!(sending, pair.server.receive()) }).await;
        sent.unwrap();
        assert_eq!(received.unwrap().unwrap().payload, pattern(seed, 300_000));
    };
    transfer(1).await;
    relays[1].drop_all(true);
    transfer(2).await;
    until("the path fails", stops(PathState::Inactive)).await;
    relays[1].drop_all(false);
    until("the path works again", stops(PathState::Active)).await;
    transfer(3).await;
    let (left, right) =
        soon(async { tokio::join!(pair.client.shutdown(), pair.server.closed()) }).await;
    left.and(right).unwrap();
    let [client, server] = &pair.endpoints;
    let flows =
        [format!("127.0.0.11:{}#1", server.port()), format!("127.0.0.1:{}#1", client.port())];
    let (sent, received) = (pair.client.stats(), pair.server.stats());
    let counted = [counted(client), counted(server)];
    assert_eq!(logs.map(|log| log.finish().unwrap()), [0, 0]);
    let [on_server, on_client] = files.each_ref().map(|file| read(file));
    compare(&on_client, &flows[0], "source", &pair.client);
    compare(&on_server, &flows[1], "sink", &pair.server);
    assert_eq!([packets(&on_client), packets(&on_server)], counted);
    assert_eq!(count(&of(&on_client, &flows[0], "source"), "connectivity:connection_started"), 1);
    // Bytes that were sent, received and acknowledged
    let chunks = data(&on_client, "transport:packet_sent");
    let bytes = |chunks: &BTreeSet<(u64, u64, u64)>| chunks.iter().map(|it| it.2).sum::<u64>();
    assert_eq!((bytes(&chunks), sent.bytes_sent), (900_000, 900_000));
    assert_eq!(data(&on_server, "transport:packet_received"), chunks);
    assert_eq!(received.bytes_received, 900_000);
    assert_eq!(pair.client.paths().iter().map(|path| path.stats.bytes_acked).sum::<u64>(), 900_000);
    states(&on_client, "127.0.0.2 -> 127.0.0.12")
}

#[tokio::test(flavor = "multi_thread")]
async fn every_association_of_an_endpoint_has_a_name_of_its_own() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("server.jsonl");
    let log =
        EventLog::create(&file, Selection::only(&["connectivity".to_owned()]).unwrap()).unwrap();
    let (server, peer) = server(on(&[loopback(11)]).events(log.clone())).await;
    let client = on(&[loopback(1)]).bind(0).await.unwrap();
    for _ in 0..3 {
        let (connected, accepted) =
            soon(async { tokio::join!(client.connect(peer.clone()), server.accept()) }).await;
        let (connected, accepted) = (connected.unwrap(), accepted.unwrap());
        let ends = soon(async { tokio::join!(connected.shutdown(), accepted.closed()) }).await;
        ends.0.and(ends.1).unwrap();
    }
    assert_eq!(log.finish().unwrap(), 0);
    let lines = read(&file);
    let name = |number: u32| format!("127.0.0.1:{}#{number}", client.port());
    for number in 1..=3 {
        let names = of(&lines, &name(number), "sink").into_iter().map(|line| &line["name"]);
        let expected = ["established", "closed"].map(|it| format!("connectivity:connection_{it}"));
        let names: Vec<_> = names.filter(|name| *name != "connectivity:path_updated").collect();
        assert_eq!(names, expected.each_ref().map(String::as_str));
    }
    assert!(lines.iter().all(|line| line["flow"] != name(4).as_str()));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_full_disk_of_an_event_file_is_reported_and_the_transfer_continues() {
    let log = EventLog::create(Path::new("/dev/full"), Selection::ALL).expect("it can be opened");
    let pair = pair(|builder| builder.events(log.clone())).await;
    let sending = pair.client.send(Message::new(pattern(1, 2_000_000)));
    let (sent, received) = soon(async { tokio::join!(sending, pair.server.receive()) }).await;
    sent.unwrap();
    assert_eq!(received.unwrap().unwrap().payload, pattern(1, 2_000_000));
    let error = log.finish().expect_err("it takes nothing");
    assert_eq!(error.raw_os_error(), Some(28), "{error}");
}
