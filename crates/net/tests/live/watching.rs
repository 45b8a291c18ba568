//! Captures and metrics, compared with the counters.

use std::collections::BTreeSet;
use std::fs::File;
use std::net::{IpAddr, Ipv6Addr};
use std::path::Path;
use std::time::{Duration, Instant};

use manypath_decode::{Decoder, Form, Options};
use manypath_net::{Capture, Config, Message, metrics};
use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream, UdpSocket};

use crate::stage::{Pair, loopback, on, pair, pair_on, patient, pattern, soon, until};

/// The SCTP packets in a file.
fn decode(file: &Path, udp: u16) -> Vec<Value> {
    let options = Options { form: Form::Json, port: udp, any_checksum: false, interface: None };
    let mut decoder = Decoder::new(File::open(file).unwrap(), options).expect("a capture");
    let mut out = String::new();
    while decoder.read(&mut out).expect("a whole capture") {}
    out.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

async fn transfer(pair: &Pair) {
    let sending = pair.client.send(Message::new(pattern(1, 2_000_000)));
    let (sent, received) = soon(async { tokio::join!(sending, pair.server.receive()) }).await;
    sent.unwrap();
    assert_eq!(received.unwrap().unwrap().payload.len(), 2_000_000);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_capture_has_every_packet_that_was_counted() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("all.pcapng");
    let capture = Capture::create(&file).unwrap();
    let v6: IpAddr = Ipv6Addr::LOCALHOST.into();
    let pair = pair_on(&[loopback(1), v6], &[loopback(11), v6], |builder| {
        builder.capture(capture.clone()).concurrent("newreno")
    })
    .await;
    transfer(&pair).await;
    let [client, server] = &pair.endpoints;
    soon(client.close()).await;
    soon(server.close()).await;
    let counted = [client, server].map(|endpoint| {
        let counters = endpoint.counters();
        counters.packets_sent + counters.packets_received
    });
    assert_eq!(client.counters().dropped_packets + server.counters().dropped_packets, 0);
    assert_eq!(capture.finish().unwrap(), 0);
    let packets = decode(&file, server.encapsulation_port());
    assert_eq!(packets.len() as u64, counted.iter().sum::<u64>());
    let names = packets.iter().map(|packet| packet["interface"].as_str().expect("a name"));
    let names: BTreeSet<_> = names.collect();
    assert_eq!(names, BTreeSet::from(["127.0.0.1", "127.0.0.11", "::1"]));
    // Later packets are ignored, and a second `finish` has no effect
    assert_eq!(capture.finish().unwrap(), 0);
}

#[tokio::test]
async fn a_full_disk_of_a_capture_is_reported() {
    let full = Path::new("/dev/full");
    let capture = Capture::create(full).expect("it can be opened");
    let _endpoint = on(&[loopback(1)]).capture(capture.clone()).bind(0).await.unwrap();
    let error = capture.finish().expect_err("it takes nothing");
    assert_eq!(error.raw_os_error(), Some(28), "{error}");
}

/// The response to an HTTP request.
async fn ask(address: std::net::SocketAddr, request: &str) -> String {
    let mut stream = TcpStream::connect(address).await.unwrap();
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    answer
}

#[tokio::test(flavor = "multi_thread")]
async fn a_scrape_does_not_wait_for_idle_connections() {
    let endpoint = on(&[loopback(1)]).bind(0).await.unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let _serving = tokio::spawn(metrics::serve(listener, endpoint));
    let (all, mut durations) = (Instant::now(), Vec::new());
    // An idle connection may take five seconds. A busy machine may be as slow, but hardly for minutes
    while durations.last().is_none_or(|duration| *duration >= Duration::from_secs(4)) {
        assert!(all.elapsed() < Duration::from_secs(300), "{durations:?}");
        let mut silent = Vec::new();
        for _ in 0..300 {
            silent.push(TcpStream::connect(address).await.unwrap());
        }
        let begun = Instant::now();
        let answer = soon(ask(address, "GET /metrics HTTP/1.1\r\n\r\n")).await;
        assert!(answer.starts_with("HTTP/1.1 200 OK\r\n"), "{answer}");
        durations.push(begun.elapsed());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn scraped_metrics_equal_the_counters() {
    // No timer repeats data meanwhile
    let pair = pair(|builder| builder.configure(patient)).await;
    transfer(&pair).await;
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let serving = tokio::spawn(metrics::serve(listener, pair.endpoints[1].clone()));
    let before = pair.endpoints[1].counters();
    let answer = soon(ask(address, "GET /metrics HTTP/1.1\r\nHost: here\r\n\r\n")).await;
    let after = pair.endpoints[1].counters();
    let (head, body) = answer.split_once("\r\n\r\n").expect("a head and a body");
    assert!(head.starts_with("HTTP/1.1 200 OK\r\n"), "{head}");
    assert!(head.contains(&format!("Content-Length: {}\r\n", body.len())), "{head}");
    let peer = format!("127.0.0.1:{}", pair.endpoints[0].port());
    let value = |sample: &str| {
        let line = body.lines().find_map(|line| line.strip_prefix(sample));
        line.unwrap_or_else(|| panic!("{sample}: {body}")).trim().parse::<f64>().unwrap()
    };
    assert_eq!(value("manypath_endpoint_associations "), 1.0);
    let packets = |name: &str| value(&format!("manypath_endpoint_packets_{name}_total ")) as u64;
    assert!((before.packets_sent..=after.packets_sent).contains(&packets("sent")));
    assert!((before.packets_received..=after.packets_received).contains(&packets("received")));
    let of_peer = format!("manypath_association_bytes_received_total{{association=\"{peer}\"}}");
    assert_eq!(value(&of_peer), 2_000_000.0);
    let path = format!("{{association=\"{peer}\",path=\"0\"}}");
    assert_eq!(value(&format!("manypath_path_bytes_received_total{path}")), 2_000_000.0);
    let stats = pair.server.paths()[0].stats;
    let packets = value(&format!("manypath_path_data_packets_received_total{path}"));
    assert_eq!(packets, stats.data_packets_received as f64);
    let up = format!("{{association=\"{peer}\",path=\"0\",manypath_path_state=\"up\"}}");
    assert_eq!(value(&format!("manypath_path_state{up}")), 1.0);
    assert!(soon(ask(address, "\0\r\n\r\n")).await.starts_with("HTTP/1.1 400 "));
    serving.abort();
}

/// The sum of the samples with this name.
fn total(text: &str, name: &str) -> u64 {
    let samples = text.lines().filter_map(|line| line.strip_prefix(name));
    let values = samples.filter(|rest| rest.starts_with(['{', ' '])).map(|rest| {
        rest.rsplit(' ').next().and_then(|value| value.parse::<u64>().ok()).expect("a number")
    });
    let values: Vec<_> = values.collect();
    assert!(!values.is_empty(), "{name}: {text}");
    values.iter().sum()
}

#[tokio::test(flavor = "multi_thread")]
async fn metrics_count_the_packets_of_a_capture() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("all.pcapng");
    let capture = Capture::create(&file).unwrap();
    // Only the transfer sends packets
    let pair = pair(|builder| {
        let quiet = |config: &mut Config| config.mtu_discovery = None;
        builder.capture(capture.clone()).configure(patient).configure(quiet)
    })
    .await;
    transfer(&pair).await;
    let [client, server] = &pair.endpoints;
    until("nothing is under way", || {
        let (here, there) = (client.counters(), server.counters());
        let are_equal = (here.packets_sent, there.packets_sent)
            == (there.packets_received, here.packets_received);
        are_equal && pair.client.paths()[0].stats.outstanding == 0
    })
    .await;
    assert_eq!(capture.finish().unwrap(), 0);
    let packets = decode(&file, server.encapsulation_port());
    let count = |at: &str, place: &str, kind: Option<&str>| {
        let has_kind = |packet: &&Value| {
            let mut chunks = packet["chunks"].as_array().unwrap().iter();
            kind.is_none_or(|kind| chunks.any(|chunk| chunk["type"] == kind))
        };
        let here = packets.iter().filter(|it| it["interface"] == at && it[place] == at);
        here.filter(has_kind).count() as u64
    };
    for (endpoint, ip, outside) in [(client, "127.0.0.1", 0), (server, "127.0.0.11", 1)] {
        let text = metrics::text(endpoint);
        let with_data = ["data_packets", "data_packets_received"];
        let directions = [("sent", "source"), ("received", "destination")];
        for ((name, place), with_data) in directions.into_iter().zip(with_data) {
            let told = |name: &str| total(&text, &format!("manypath_{name}_total"));
            let [all, data] = [None, Some("DATA")].map(|kind| count(ip, place, kind));
            assert_eq!(told(&format!("endpoint_packets_{name}")), all, "{ip} {name}");
            assert_eq!(told(&format!("path_{with_data}")), data, "{ip} {name} with data");
            // INIT and INIT ACK belong to no association at the listening side
            let told = told(&format!("association_packets_{name}"));
            assert_eq!(told + outside, all, "{ip} {name}");
        }
    }
}

#[tokio::test]
async fn metrics_count_packets_that_an_endpoint_cannot_use() {
    let server = on(&[loopback(11)]).listen(1).bind(0).await.unwrap();
    let outsider = UdpSocket::bind((loopback(1), 0)).await.unwrap();
    // Ports, a tag, and a wrong checksum
    let packet = |port: u16| [&[0, 7][..], &port.to_be_bytes(), &[1; 8]].concat();
    let (own, other) = (packet(server.port()), packet(server.port() ^ 1));
    for datagram in [&own, &own, &other, &other, &other] {
        outsider.send_to(datagram, (loopback(11), server.encapsulation_port())).await.unwrap();
    }
    let text = || metrics::text(&server);
    let count = |name: &str| total(&text(), &format!("manypath_{name}_total"));
    let arrived = || count("endpoint_packets_received") + count("host_foreign_packets");
    until("all have arrived", || arrived() >= 5).await;
    let names = ["packets_received", "malformed_packets", "packets_sent"];
    assert_eq!(names.map(|name| count(&format!("endpoint_{name}"))), [2, 2, 0]);
    assert_eq!(count("host_foreign_packets"), 3);
    assert!(!text().contains("endpoint_foreign"), "{}", text());
}

/// Rules of OpenMetrics on which a scraper insists.
#[tokio::test(flavor = "multi_thread")]
async fn metrics_keep_the_rules_of_open_metrics() {
    let pair = pair(|builder| builder).await;
    let text = metrics::text(&pair.endpoints[0]);
    assert!(text.ends_with("\n# EOF\n") && !text.contains("\n\n"));
    let (mut family, mut kind) = (String::new(), String::new());
    let mut families = Vec::new();
    for line in text.lines().filter(|line| *line != "# EOF") {
        let words: Vec<_> = line.split(' ').collect();
        match words[..] {
            ["#", "TYPE", name, is] => {
                assert!(!families.contains(&name.to_owned()), "{name} appears twice");
                families.push(name.to_owned());
                (family, kind) = (name.to_owned(), is.to_owned());
            }
            ["#", "UNIT", name, unit] => {
                assert!(name == family && name.ends_with(&format!("_{unit}")), "{line}");
            }
            ["#", "HELP", name, ..] => assert_eq!(name, family),
            [sample, value] => {
                let name = sample.split('{').next().unwrap();
                let suffix = match kind.as_str() {
                    "counter" => "_total",
                    "info" => "_info",
                    _ => "",
                };
                assert_eq!(name, format!("{family}{suffix}"));
                assert!(value.parse::<f64>().is_ok_and(|value| value >= 0.0), "{line}");
            }
            _ => panic!("{line}"),
        }
    }
    assert!(families.len() > 30, "{}", families.len());
}
