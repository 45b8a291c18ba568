//! The metrics of a daemon and of the endpoints of its sockets.

use std::net::UdpSocket;

use manypath_net::metrics::Source;
use manypath_net::{EventLog, Selection};
use nix::libc;
use serde_json::Value;

use crate::guest::{Guest, Host, Pair, free_port};
use crate::many_guest::{SERVER, Trio};

/// The value of a sample.
fn value(text: &str, sample: &str) -> f64 {
    let found = text.lines().find_map(|line| line.strip_prefix(sample)?.strip_prefix(' '));
    found.unwrap_or_else(|| panic!("{sample}: {text}")).parse().expect("a number")
}

#[test]
fn metrics_have_the_sockets_and_all_their_associations() {
    let pair = Pair::new();
    pair.opened.send(0, 0, &[7; 1000]).expect("it is connected");
    pair.accepted.receive();
    let text = pair.server.daemon.metrics();
    assert_eq!(value(&text, "manypath_daemon_sockets{phase=\"listening\"}"), 1.0);
    assert_eq!(value(&text, "manypath_daemon_sockets{phase=\"connected\"}"), 1.0);
    assert_eq!(value(&text, "manypath_daemon_sockets{phase=\"closed\"}"), 0.0);
    assert_eq!(value(&text, "manypath_daemon_opened_sockets_total"), 2.0);
    assert_eq!(value(&text, "manypath_daemon_draining_associations"), 0.0);
    let endpoint = "endpoint=\"127.0.0.1:5001\"";
    assert_eq!(value(&text, &format!("manypath_endpoint_associations{{{endpoint}}}")), 1.0);
    let received = format!("manypath_association_bytes_received_total{{{endpoint},association=");
    let line = text.lines().find(|line| line.starts_with(&received)).expect("a sample");
    assert!(line.ends_with(" 1000"), "{line}");
    assert!(text.ends_with("# EOF\n"));
    // The type of a family precedes all of its samples, once
    let types =
        text.lines().filter(|line| line.starts_with("# TYPE manypath_endpoint_packets_sent"));
    assert_eq!(types.count(), 1);
}

#[test]
fn metrics_have_one_to_many_sockets_and_associations_that_were_peeled_off() {
    let (trio, [first, second], _) = Trio::connected();
    let metrics = || trio.server_host.daemon.metrics();
    let sockets =
        |phase| value(&metrics(), &format!("manypath_daemon_sockets{{phase=\"{phase}\"}}"));
    let endpoint = format!("manypath_endpoint_associations{{endpoint=\"{SERVER}\"}}");
    assert_eq!((sockets("many"), sockets("connected")), (1.0, 0.0));
    assert_eq!(value(&metrics(), "manypath_daemon_associations"), 2.0);
    assert_eq!(value(&metrics(), &endpoint), 2.0);
    let peeled = trio.server.peel_off(first, 0).expect("it is there");
    assert_eq!((sockets("many"), sockets("connected")), (1.0, 1.0));
    assert_eq!(value(&metrics(), "manypath_daemon_associations"), 2.0);
    assert_eq!(value(&metrics(), &endpoint), 2.0);
    assert_eq!(value(&metrics(), "manypath_daemon_opened_sockets_total"), 2.0);
    drop(peeled);
    trio.server_host.until(|daemon| value(&daemon.metrics(), &endpoint) == 1.0);
    assert_eq!(value(&metrics(), "manypath_daemon_associations"), 1.0);
    assert_eq!(trio.server.numbers(), [second]);
}

#[test]
fn metrics_count_refusals_by_reason() {
    let host = Host::with(&["127.0.0.1"], free_port(), |settings| settings.most_sockets = 1);
    let _kept = host.socket();
    for _ in 0..3 {
        assert_eq!(Guest::open(&host.path, libc::AF_INET).expect_err("full"), libc::ENFILE);
    }
    let text = host.daemon.metrics();
    assert_eq!(value(&text, "manypath_daemon_refusals_total{reason=\"sockets\"}"), 3.0);
    assert_eq!(value(&text, "manypath_daemon_refusals_total{reason=\"calls\"}"), 0.0);
}

#[test]
fn packets_for_no_socket_count_once_however_many_listen() {
    let udp = free_port();
    let host = Host::new(&["127.0.0.1"], udp);
    let _listeners = ["127.0.0.1:5001", "127.0.0.1:5002"].map(|address| host.listening(address));
    let outsider = UdpSocket::bind("127.0.0.1:0").expect("a port");
    // Ports 7 and 9, and a tag
    let packet = [0, 7, 0, 9, 1, 1, 1, 1, 0, 0, 0, 0];
    for _ in 0..3 {
        outsider.send_to(&packet, ("127.0.0.1", udp)).expect("it is sent");
    }
    let sample = format!("manypath_host_foreign_packets_total{{udp_port=\"{udp}\"}}");
    host.until(|daemon| value(&daemon.metrics(), &sample) == 3.0);
    let text = host.daemon.metrics();
    assert_eq!(text.matches("foreign_packets_total").count(), 1, "{text}");
    assert_eq!(
        value(&text, "manypath_endpoint_packets_received_total{endpoint=\"127.0.0.1:5001\"}"),
        0.0
    );
}

#[test]
fn an_endpoint_that_has_ended_has_no_metrics() {
    let Pair { opened, accepted, client, listener, server } = Pair::new();
    let count =
        |host: &Host| host.daemon.metrics().matches("manypath_endpoint_packets_sent").count();
    let with_one = count(&client);
    drop((opened, accepted));
    client.until(|daemon| !daemon.metrics().contains("endpoint=\""));
    assert_eq!(count(&client), with_one - 1);
    drop((listener, server));
}

#[test]
fn events_of_all_sockets_have_one_order_of_time() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("events.jsonl");
    let log = EventLog::create(&file, Selection::ALL).expect("it can be written");
    let pause = std::time::Duration::from_millis(50);
    std::thread::sleep(pause);
    let udp = free_port();
    let server = Host::new(&["127.0.0.1"], udp);
    let client = Host::with(&["127.0.0.2"], udp, |settings| {
        settings.builder = settings.builder.clone().events(log.clone());
    });
    let listener = server.listening("127.0.0.1:5001");
    for _ in 0..2 {
        let opened = client.socket();
        opened.connect("127.0.0.1:5001").expect("it listens");
        let (accepted, _) = listener.accept().expect("it is connected");
        drop(opened);
        accepted.receive();
        std::thread::sleep(pause);
    }
    drop((listener, client, server));
    assert_eq!(log.finish().expect("it was written"), 0);
    let text = std::fs::read_to_string(&file).expect("it is there");
    let lines = text.lines().skip(1).map(|line| serde_json::from_str(line).expect("JSON"));
    let lines: Vec<Value> = lines.collect();
    let times = lines.iter().map(|line| line["time"].as_f64().expect("a number"));
    assert!(times.is_sorted(), "{text}");
    let first = |association: &str| {
        let of =
            |line: &&Value| line["flow"].as_str().is_some_and(|flow| flow.ends_with(association));
        lines.iter().find(of).and_then(|line| line["time"].as_f64()).expect("an event")
    };
    // The first host was created 50 ms later than the file, the second endpoint at least 50 ms later than the first one
    assert!(
        first("#1") > 0.05 && first("#2") - first("#1") > 0.05,
        "{} {}",
        first("#1"),
        first("#2")
    );
}
