//! Captures and metrics, compared with the counters.

use std::fs::File;
use std::net::{IpAddr, Ipv6Addr};
use std::path::Path;

use manypath_decode::{Decoder, Form, Options};
use manypath_net::{Capture, Message, metrics};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

use crate::stage::{Pair, loopback, on, pair, pair_on, pattern, soon};

/// The packets of SCTP in a file, and the interfaces' names.
fn decode(file: &Path, udp: u16) -> (u64, Vec<String>) {
    let options = Options { form: Form::Json, port: udp, any_checksum: false, interface: None };
    let mut decoder = Decoder::new(File::open(file).unwrap(), options).expect("a capture");
    let mut out = String::new();
    while decoder.read(&mut out).expect("a whole capture") {}
    let interface = |line: &str| {
        let packet: serde_json::Value = serde_json::from_str(line).expect("JSON");
        packet["interface"].as_str().expect("a name").to_owned()
    };
    let mut names: Vec<_> = out.lines().map(interface).collect();
    names.sort();
    names.dedup();
    (decoder.summary().packets(), names)
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
        counters.sent + counters.received
    });
    assert_eq!(client.counters().dropped + server.counters().dropped, 0);
    assert_eq!(capture.finish().unwrap(), 0);
    let (packets, names) = decode(&file, server.encapsulation_port());
    assert_eq!(packets, counted.iter().sum::<u64>());
    assert_eq!(names, ["127.0.0.1", "127.0.0.11", "::1"]);
    // What comes later is ignored, and finishing twice does no harm
    assert_eq!(capture.finish().unwrap(), 0);
}

#[tokio::test]
async fn a_capture_whose_disk_is_full_says_so() {
    let full = Path::new("/dev/full");
    let capture = Capture::create(full).expect("it can be opened");
    let _endpoint = on(&[loopback(1)]).capture(capture.clone()).bind(0).await.unwrap();
    let error = capture.finish().expect_err("it takes nothing");
    assert_eq!(error.raw_os_error(), Some(28), "{error}");
}

/// The answer to an HTTP request.
async fn ask(address: std::net::SocketAddr, request: &str) -> String {
    let mut stream = TcpStream::connect(address).await.unwrap();
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    answer
}

#[tokio::test(flavor = "multi_thread")]
async fn metrics_that_are_scraped_are_the_counters() {
    let pair = pair(|builder| builder).await;
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
    let packets = |name: &str| value(&format!("manypath_endpoint_{name}_packets_total ")) as u64;
    assert!((before.sent..=after.sent).contains(&packets("sent")));
    assert!((before.received..=after.received).contains(&packets("received")));
    let of_peer = format!("manypath_association_received_bytes_total{{association=\"{peer}\"}}");
    assert_eq!(value(&of_peer), 2_000_000.0);
    let path = format!("{{association=\"{peer}\",path=\"0\"}}");
    assert_eq!(value(&format!("manypath_path_received_bytes_total{path}")), 2_000_000.0);
    let stats = pair.server.paths()[0].stats;
    let packets = value(&format!("manypath_path_received_packets_total{path}"));
    assert_eq!(packets, stats.data_packets_received as f64);
    let up = format!("{{association=\"{peer}\",path=\"0\",manypath_path_state=\"up\"}}");
    assert_eq!(value(&format!("manypath_path_state{up}")), 1.0);
    assert!(soon(ask(address, "\0\r\n\r\n")).await.starts_with("HTTP/1.1 400 "));
    serving.abort();
}

#[tokio::test(flavor = "multi_thread")]
async fn connections_that_stay_silent_do_not_keep_scrapers_waiting() {
    let pair = pair(|builder| builder).await;
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let serving = tokio::spawn(metrics::serve(listener, pair.endpoints[1].clone()));
    let mut silent = Vec::new();
    for _ in 0..128 {
        silent.push(TcpStream::connect(address).await.unwrap());
    }
    let answer = soon(ask(address, "GET /metrics HTTP/1.1\r\nHost: here\r\n\r\n")).await;
    assert!(answer.starts_with("HTTP/1.1 200 OK\r\n"), "{answer}");
    serving.abort();
}

/// The rules of OpenMetrics that a scraper insists on.
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
