//! `perf`: a server and clients as processes.

use std::fs::File;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::process::Command;
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;
use tempfile::tempdir;

use crate::process::{PATIENCE, Process, free_port, run};
use crate::sockets;

/// A waiting server on two addresses, and its UDP port.
pub(crate) fn server(more: &[&str]) -> (Process, String) {
    let port = free_port().to_string();
    let mut words = vec!["perf", "--listen", "--bind", "127.0.0.11,127.0.0.12", "--udp", &port];
    words.extend(more);
    let mut server = Process::start(words);
    let line = server.line();
    assert!(line.starts_with("waiting on 127.0.0.11,127.0.0.12, SCTP port 5001"), "{line}");
    (server, port)
}

pub(crate) fn client<'a>(port: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    let (bind, to) = ("127.0.0.1,127.0.0.2", "127.0.0.11,127.0.0.12");
    let mut words = vec!["perf", "--bind", bind, "--to", to, "--udp", port];
    words.extend(more);
    words
}

fn bytes(document: &Value, key: &str) -> u64 {
    document["end"][key]["bytes"].as_u64().unwrap_or_else(|| panic!("{key} in {document:#}"))
}

fn has_what_plotters_of_iperf3_read(document: &Value, sends: bool) {
    let (start, end) = (&document["start"], &document["end"]);
    assert!(start["timestamp"]["time"].as_str().unwrap().ends_with(" GMT"), "{start}");
    assert!(start["system_info"].is_string(), "{start}");
    for name in ["sender_tcp_congestion", "receiver_tcp_congestion"] {
        assert_eq!(end[name], "cmt-rpv2");
    }
    for interval in document["intervals"].as_array().unwrap() {
        let paths = interval["paths"].as_array().unwrap();
        let window = paths.iter().map(|path| path["snd_cwnd"].as_u64().unwrap()).sum::<u64>();
        for stream in interval["streams"].as_array().unwrap() {
            assert_eq!(stream["snd_cwnd"].as_u64(), sends.then_some(window), "{stream}");
            assert_eq!((stream["rtt"].is_u64(), stream["retransmits"].is_u64()), (sends, sends));
        }
    }
    for stream in end["streams"].as_array().unwrap() {
        let sender = &stream["sender"];
        assert_eq!(sender["retransmits"], end["sum_sent"]["retransmits"]);
        let of = |name: &str| sender[name].as_u64();
        assert_eq!(of("max_snd_cwnd").is_some_and(|window| window > 0), sends, "{sender}");
        let (least, mean, most) = (of("min_rtt"), of("mean_rtt"), of("max_rtt"));
        assert!(least <= mean && mean <= most && least.is_some() == sends, "{sender}");
    }
}

#[test]
fn a_test_in_one_thread_transfers_its_data_and_has_fewer_threads() {
    let (usual, _) = server(&[]);
    let (server, port) = server(&["--once", "--one-thread"]);
    assert!(server.threads() < usual.threads(), "{} threads", server.threads());
    let said = run(client(&port, &["--json", "--bytes", "3000001", "--one-thread"]));
    assert_eq!(said.code, Some(0), "{said:?}");
    let document = serde_json::from_str::<Value>(&said.out).expect("one JSON document");
    assert_eq!(bytes(&document, "sum_received"), 3_000_001);
    assert_eq!(server.wait().code, Some(0));
}

#[test]
fn a_server_of_tests_serves_without_room_for_its_messages() {
    let port = free_port().to_string();
    let words = ["perf", "--listen", "--once", "--bind", "127.0.0.11,127.0.0.12", "--udp", &port];
    let server = Process::without_room(words);
    let limit = Instant::now() + PATIENCE;
    // Its line, which would tell that it waits, is missing
    while run(client(&port, &["--bytes", "1000"])).code != Some(0) {
        assert!(Instant::now() < limit, "no test is served");
        thread::sleep(Duration::from_millis(10));
    }
    assert_eq!(server.wait().code, Some(0));
}

#[test]
fn both_sides_print_the_same_sums_as_json() {
    for (more, sends) in [(None, true), (Some("--reverse"), false)] {
        let (server, port) = server(&["--once", "--json"]);
        let mut words = client(&port, &["--json", "--bytes", "3000001", "--streams", "2"]);
        words.extend(more);
        let said = run(words);
        assert_eq!((said.code, said.err.as_str()), (Some(0), ""), "{said:?}");
        let served = server.wait();
        assert_eq!(served.code, Some(0), "{served:?}");
        let [here, there] = [&said.out, &served.out]
            .map(|text| serde_json::from_str::<Value>(text).expect("one JSON document"));
        for document in [&here, &there] {
            assert_eq!(bytes(document, "sum_sent"), 3_000_001);
            assert_eq!(bytes(document, "sum_received"), 3_000_001);
        }
        assert_eq!(here["end"]["paths"], there["end"]["remote_paths"]);
        assert_eq!(here["end"]["sum_sent"]["sender"], sends);
        assert_eq!(here["end"]["sender_congestion"], "cmt-rpv2");
        has_what_plotters_of_iperf3_read(&here, sends);
        has_what_plotters_of_iperf3_read(&there, !sends);
        assert_eq!(here["start"]["connecting_to"]["host"], "127.0.0.11");
        assert_eq!(here["start"]["connecting_to"]["port"], 5001);
        assert_eq!(there["start"]["accepted_connection"]["host"], "127.0.0.1");
    }
}

#[test]
fn a_test_has_lines_for_every_path_while_metrics_are_served() {
    let metrics = sockets::free_port();
    let (server, port) = server(&["--metrics", &metrics.to_string()]);
    // Longer than the rest of this test, also on a busy machine
    let mut testing = Process::start(client(&port, &["--time", "1000", "--interval", "0.2"]));
    assert_eq!(testing.out_line(), "path 0: 127.0.0.1 -> 127.0.0.11\n");
    assert_eq!(testing.out_line(), "path 1: 127.0.0.2 -> 127.0.0.12\n");
    assert!(testing.out_line().starts_with("interval, s"));
    assert!(testing.out_line().contains("0.00-"), "the first interval");
    let is_up = "path=\"1\",local=\"127.0.0.12\",remote=\"127.0.0.2\"} 1\n";
    let begin = Instant::now();
    loop {
        let mut stream = TcpStream::connect(("127.0.0.1", metrics)).unwrap();
        stream.write_all(b"GET /metrics HTTP/1.1\r\nHost: here\r\n\r\n").unwrap();
        let mut text = String::new();
        stream.read_to_string(&mut text).unwrap();
        if text.contains("\nmanypath_endpoint_associations 1\n") && text.contains(is_up) {
            break;
        }
        assert!(begin.elapsed() < PATIENCE, "{text}");
        thread::sleep(Duration::from_millis(50));
    }
    // Another test would disturb the measurement
    let refused = run(client(&port, &["--time", "1"]));
    let line = "error: the server refused the test: another test is going on\n";
    assert_eq!((refused.code, refused.err.as_str()), (Some(1), line));
    testing.terminate();
    assert_eq!(testing.wait().code, Some(130));
    let begin = Instant::now();
    // The server learns soon that the first test has ended
    let said = loop {
        let said = run(client(&port, &["--time", "1", "--interval", "0.1"]));
        // A client that stands still leaves intervals out
        if said.code == Some(0) && said.out.lines().count() > 3 * 4 {
            break said;
        }
        assert!(begin.elapsed() < PATIENCE, "{said:?}");
    };
    assert_eq!(said.err, "");
    let lines: Vec<_> = said.out.lines().collect();
    assert!(!said.out.contains('\x1b'), "{said:?}");
    assert!(lines.last().unwrap().starts_with("client sent "), "{said:?}");
    server.terminate();
    assert_eq!(server.wait().code, Some(0));
}

#[test]
fn a_test_leaves_a_capture_that_tshark_or_decode_can_read() {
    let folder = tempdir().unwrap();
    let file = folder.path().join("client.pcapng");
    let (server, port) = server(&["--once"]);
    let words = ["--bytes", "100000", "--pcapng", file.to_str().unwrap()];
    assert_eq!(run(client(&port, &words)).code, Some(0));
    assert_eq!(server.wait().code, Some(0));
    let options = manypath_decode::Options {
        form: manypath_decode::Form::Nothing,
        port: port.parse().unwrap(),
        any_checksum: false,
        interface: None,
    };
    let file = File::open(file).unwrap();
    let mut decoder = manypath_decode::Decoder::new(file, options).unwrap();
    while decoder.read(&mut String::new()).unwrap() {}
    // 100,000 bytes are 11 packets of DATA at least, and the handshake has four
    assert!(decoder.summary().packets() > 15, "{}", decoder.summary().packets());
}

#[test]
fn a_capture_whose_disk_is_too_slow_reports_the_number_of_missing_packets() {
    let folder = tempdir().unwrap();
    let disk = folder.path().join("disk");
    assert!(Command::new("mkfifo").arg(&disk).status().unwrap().success());
    let path = disk.to_str().unwrap().to_owned();
    let (server, port) = server(&["--once"]);
    let testing = Process::start(client(&port, &["--bytes", "30000000", "--pcapng", &path]));
    // The disk accepts nothing before the end of the measurement, and the queue takes 16 MiB
    let (measured, is_measured) = mpsc::channel();
    thread::spawn(move || {
        let mut file = File::open(disk).unwrap();
        is_measured.recv().unwrap();
        std::io::copy(&mut file, &mut std::io::sink()).unwrap();
    });
    assert_eq!(server.wait().code, Some(0));
    measured.send(()).unwrap();
    let said = testing.wait();
    let missed = said.err.strip_prefix(&format!("warning: {path}: the disk was too slow for "));
    let missed = missed.and_then(|rest| rest.strip_suffix(" packets\n")?.parse::<u64>().ok());
    assert!(said.code == Some(0) && missed.is_some_and(|missed| missed > 0), "{said:?}");
}

#[test]
fn a_client_without_a_server_reports_it_in_a_line_and_in_json() {
    let port = free_port().to_string();
    let said = run(client(&port, &["--json"]));
    let line = "error: no SCTP endpoint listens at 127.0.0.11\n";
    assert_eq!((said.code, said.err.as_str()), (Some(1), line));
    let document: Value = serde_json::from_str(&said.out).expect("JSON");
    assert_eq!(document["error"], "no SCTP endpoint listens at 127.0.0.11");
}

#[test]
fn an_interrupted_client_ends_the_test_of_the_server() {
    let (server, port) = server(&["--once"]);
    let mut testing = Process::start(client(&port, &["--time", "1000", "--interval", "0.1"]));
    testing.out_line();
    testing.terminate();
    let said = testing.wait();
    assert_eq!((said.code, said.err.as_str()), (Some(130), "error: interrupted\n"));
    let served = server.wait();
    assert_eq!(served.code, Some(1));
    let line = "error: the peer aborted the association: \"the client gave up: interrupted\"\n";
    assert!(served.err.ends_with(line), "{served:?}");
}

#[test]
fn a_stream_of_json_has_a_line_for_the_start_each_interval_and_the_end() {
    let (server, port) = server(&["--once", "--json-stream"]);
    let said = run(client(&port, &["--json-stream", "--time", "0.5", "--interval", "0.1"]));
    assert_eq!((said.code, said.err.as_str()), (Some(0), ""), "{said:?}");
    let served = server.wait();
    assert_eq!(served.code, Some(0), "{served:?}");
    for text in [&said.out, &served.out] {
        let lines: Vec<Value> =
            text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
        let names: Vec<_> = lines.iter().map(|line| line["event"].as_str().unwrap()).collect();
        let (first, last) = (names.first().unwrap(), names.last().unwrap());
        assert_eq!((*first, *last), ("start", "end"));
        assert!(names.len() >= 3, "{names:?}");
        assert!(names[1..names.len() - 1].iter().all(|name| *name == "interval"), "{names:?}");
        assert_eq!(lines[0]["data"]["test_start"]["protocol"], "SCTP");
        assert_eq!(lines[1]["data"]["paths"].as_array().unwrap().len(), 2);
        let sums = lines[1..lines.len() - 1].iter().map(|line| &line["data"]["sum"]["bytes"]);
        let sum: u64 = sums.map(|bytes| bytes.as_u64().unwrap()).sum();
        let end = &lines.last().unwrap()["data"];
        assert_eq!(end["sum_received"]["bytes"], sum);
    }
}

#[test]
fn settings_come_from_a_flow_of_a_scenario() {
    let folder = tempdir().unwrap();
    let file = folder.path().join("flow.json");
    let settings = |text: &str| {
        std::fs::write(&file, text).unwrap();
        file.to_str().unwrap().to_owned()
    };
    let (server, port) = server(&["--once"]);
    let flow =
        r#"{"transport": "sctp", "udp_encapsulation": true, "cc": "newreno", "send_buffer": 9000}"#;
    let words = ["--json", "--bytes", "100000", "--settings", &settings(flow)];
    // A message must fit into the buffer of the settings file
    let refused = run(client(&port, &words));
    let line = "error: a message of 65536 bytes does not fit into a send buffer of 9000 bytes\n";
    assert_eq!((refused.code, refused.err.as_str()), (Some(2), line));
    assert_eq!(server.wait().code, Some(1));
    let (server, port) = self::server(&["--once"]);
    let words = [&words[..], &["--size", "1000"]].concat();
    let said = run(client(&port, &words));
    assert_eq!((said.code, said.err.as_str()), (Some(0), ""), "{said:?}");
    let document: Value = serde_json::from_str(&said.out).expect("JSON");
    assert_eq!(document["start"]["congestion"], "newreno");
    assert_eq!(server.wait().code, Some(0));
    let wrong = settings(r#"{"speed": 1}"#);
    let said = run(client(&port, &["--settings", &wrong]));
    let text = format!("error: `--settings` is {wrong}: `speed`: unknown field");
    assert!(said.code == Some(2) && said.err.starts_with(&text), "{said:?}");
}

/// The queue has no room for a window of packets, so that packets are lost.
#[test]
fn the_retransmissions_of_intervals_add_up_to_those_of_the_test() {
    const PROGRAM: &str = env!("CARGO_BIN_EXE_manypath-net");
    let folder = tempdir().unwrap();
    let log = folder.path().join("server");
    let log = log.display();
    let prepare = [
        "ip link set lo mtu 1500".to_owned(),
        "tc qdisc replace dev lo root tbf rate 20mbit burst 3000 limit 9000".to_owned(),
        format!(
            "{{ timeout 600 {PROGRAM} perf --listen --once --bind 127.0.0.11 2> {log} > {log}.json & }}"
        ),
        format!("until grep -q waiting {log}; do sleep 0.05; done"),
    ];
    let words = "perf --bind 127.0.0.1 --to 127.0.0.11 --bytes 2000000 --interval 0.1 --json";
    let Some(client) = Process::apart(&prepare, words) else { return };
    let said = client.wait();
    assert_eq!(said.code, Some(0), "{}", said.err);
    let document: Value = serde_json::from_str(&said.out).unwrap();
    let intervals = document["intervals"].as_array().unwrap();
    let of = |interval: &Value| interval["sum"]["retransmits"].as_u64().unwrap();
    let total = document["end"]["sum_sent"]["retransmits"].as_u64().unwrap();
    assert!(total > 0 && intervals.len() > 1, "{total} in {} intervals", intervals.len());
    assert_eq!(intervals.iter().map(of).sum::<u64>(), total);
}
