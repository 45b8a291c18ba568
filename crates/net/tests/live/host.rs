//! Several endpoints on the sockets of one host.

use std::fs::File;
use std::net::IpAddr;
use std::path::Path;
use std::time::Duration;

use manypath_decode::{Decoder, Form, Options};
use manypath_net::metrics::Source;
use manypath_net::{
    Association, Capture, Endpoint, Error, EventLog, Host, Message, Peer, Selection,
};
use serde_json::Value;
use tokio::net::UdpSocket;

use crate::namespace::{Namespace, cable};
use crate::ports::free_port;
use crate::stage::{ip, loopback, on, soon, transfer, until};

/// A host on loopback addresses with a free UDP port.
async fn host(addresses: &[IpAddr]) -> Host {
    Host::bind(on(addresses)).await.expect("the addresses are free")
}

/// An endpoint of the host that listens on a port.
async fn listening(host: &Host, port: u16) -> Endpoint {
    host.endpoint().listen(16).bind(port).await.expect("the port is free")
}

/// The addresses of an endpoint.
fn peer_at(endpoint: &Endpoint) -> Peer {
    let peer = Peer::new(endpoint.local_addresses(), endpoint.port());
    match endpoint.encapsulation_port() {
        0 => peer.raw(),
        udp => peer.encapsulation(udp),
    }
}

/// Opens an association between two endpoints.
async fn connect(from: &Endpoint, to: &Endpoint) -> [Association; 2] {
    let (opened, accepted) =
        soon(async { tokio::join!(from.connect(peer_at(to)), to.accept()) }).await;
    [opened.expect("it listens"), accepted.expect("it is connected")]
}

/// Sends a word and checks that it arrives.
async fn say(from: &Association, to: &Association, word: &'static str) {
    from.send(Message::new(word)).await.expect("it stands");
    let received = soon(to.receive()).await.expect("it stands").expect("a message");
    assert_eq!(received.payload, word);
}

#[tokio::test(flavor = "multi_thread")]
async fn two_ports_of_one_udp_port_have_their_own_associations() {
    let server = host(&[loopback(11)]).await;
    let client = host(&[loopback(1)]).await;
    let (first, second) = (listening(&server, 5001).await, listening(&server, 5002).await);
    assert_eq!(first.encapsulation_port(), second.encapsulation_port());
    let (one, two) = (client.endpoint(), client.endpoint());
    let (one, two) = (one.bind(0).await.unwrap(), two.bind(0).await.unwrap());
    assert_eq!(one.port(), client.encapsulation_port(), "the number of the UDP port");
    assert_ne!(one.port(), two.port());
    let [opened, accepted] = connect(&one, &first).await;
    let [other_opened, other_accepted] = connect(&two, &second).await;
    // Each endpoint of the client can reach each one of the server
    let [crossing, crossed] = connect(&one, &second).await;
    assert_eq!((accepted.peer_port(), other_accepted.peer_port()), (one.port(), two.port()));
    assert_eq!(crossed.peer_port(), one.port());
    let bulk = async {
        tokio::join!(
            transfer(&opened, &accepted, 2_000_000),
            transfer(&other_accepted, &other_opened, 2_000_000)
        )
    };
    soon(bulk).await;
    say(&crossing, &crossed, "crossing").await;
    for endpoint in [&first, &second, &one, &two] {
        let counters = endpoint.counters();
        assert!(counters.packets_received > 100, "{counters:?}");
        assert_eq!(
            (endpoint.foreign_packets(), counters.malformed_packets, counters.dropped_packets),
            (0, 0, 0)
        );
    }
}

#[tokio::test]
async fn endpoints_on_different_addresses_may_have_the_same_port() {
    let server = host(&[loopback(11), loopback(12)]).await;
    let client = on(&[loopback(1)]).bind(0).await.unwrap();
    let on_one = |address| server.endpoint().local([address]).listen(4).bind(5001);
    let first = on_one(loopback(11)).await.expect("it is free");
    let second = on_one(loopback(12)).await.expect("it is free there");
    let error = on_one(loopback(12)).await.expect_err("it is in use");
    assert_eq!(error.to_string(), "SCTP port 5001 is in use by another endpoint of the host");
    let everywhere = server.endpoint().listen(4).bind(5001).await;
    assert!(matches!(everywhere, Err(Error::PortInUse(5001))), "{everywhere:?}");
    let [opened, accepted] = connect(&client, &first).await;
    let [other, accepted_there] = connect(&client, &second).await;
    say(&opened, &accepted, "first").await;
    say(&other, &accepted_there, "second").await;
    assert_eq!(accepted.paths()[0].local, loopback(11));
    assert_eq!(accepted_there.paths()[0].local, loopback(12));
    // An endpoint on one address has no peers on the other one
    drop(accepted_there);
    soon(second.close()).await;
    soon(other.closed()).await.expect("it was shut down");
    let refused = soon(
        client.connect(Peer::new([loopback(12)], 5001).encapsulation(server.encapsulation_port())),
    )
    .await;
    assert!(matches!(refused, Err(Error::Refused(None))), "{refused:?}");
}

#[tokio::test]
async fn a_closed_endpoint_leaves_the_others_undisturbed_and_its_port_free() {
    let server = host(&[loopback(11)]).await;
    let client = on(&[loopback(1)]).bind(0).await.unwrap();
    let (closed, other) = (listening(&server, 5001).await, listening(&server, 5002).await);
    let [ending, accepted] = connect(&client, &closed).await;
    let [lasting, lasting_there] = connect(&client, &other).await;
    let taken = server.endpoint().bind(5001).await;
    assert!(matches!(taken, Err(Error::PortInUse(5001))), "{taken:?}");
    drop(accepted);
    soon(closed.close()).await;
    soon(ending.closed()).await.expect("it was shut down");
    assert!(matches!(closed.accept().await, Err(Error::EndpointClosed)));
    let refused = soon(client.connect(peer_at(&closed))).await;
    assert!(matches!(refused, Err(Error::Refused(None))), "{refused:?}");
    say(&lasting, &lasting_there, "still here").await;
    let again = listening(&server, 5001).await;
    let [opened, accepted] = connect(&client, &again).await;
    say(&opened, &accepted, "again").await;
    say(&lasting_there, &lasting, "and here").await;
}

#[tokio::test]
async fn a_dropped_endpoint_without_associations_frees_its_port_at_once() {
    let server = host(&[loopback(11)]).await;
    for _ in 0..100 {
        // The driver does not run in between
        drop(listening(&server, 5001).await);
    }
    let client = on(&[loopback(1)]).bind(0).await.unwrap();
    let last = listening(&server, 5001).await;
    let [opened, accepted] = connect(&client, &last).await;
    say(&opened, &accepted, "the last one has the port").await;
}

#[tokio::test]
async fn endpoints_of_one_host_can_talk_with_each_other() {
    let host = host(&[loopback(1), loopback(2)]).await;
    let server = listening(&host, 5001).await;
    let client = host.endpoint().bind(0).await.unwrap();
    let [opened, accepted] = connect(&client, &server).await;
    assert_eq!(opened.paths().len(), 2);
    transfer(&opened, &accepted, 1_000_000).await;
    transfer(&accepted, &opened, 1_000_000).await;
    soon(opened.shutdown()).await.expect("it stands");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_flood_to_a_port_without_endpoint_is_refused_and_disturbs_no_other_endpoint() {
    const FLOOD: u64 = 5000;
    let server = host(&[loopback(11)]).await;
    let client = on(&[loopback(1)]).bind(0).await.unwrap();
    let (busy, idle) = (listening(&server, 5001).await, listening(&server, 5002).await);
    let [opened, accepted] = connect(&client, &busy).await;
    let outsider = UdpSocket::bind((loopback(3), 0)).await.unwrap();
    outsider.connect((loopback(11), server.encapsulation_port())).await.unwrap();
    let flooding = async {
        for number in 0..FLOOD {
            outsider.send(&shutdown_ack(7, 5003)).await.unwrap();
            if number % 64 == 0 {
                tokio::task::yield_now().await;
            }
        }
    };
    soon(async { tokio::join!(flooding, transfer(&opened, &accepted, 3_000_000)) }).await;
    // The system drops packets if the buffer of the socket is full, for example while the host stands still
    // Packets still arrive, so the counters may differ until the last one
    until("the flood has arrived, and the host counts it", || {
        let foreign = busy.foreign_packets();
        if foreign <= FLOOD / 2 {
            (0..100).for_each(|_| drop(outsider.try_send(&shutdown_ack(7, 5003))));
        }
        foreign > FLOOD / 2 && foreign == idle.foreign_packets()
    })
    .await;
    assert_eq!((idle.counters().packets_received, idle.counters().packets_sent), (0, 0));
    // RFC 9260 §8.4 5: SHUTDOWN COMPLETE with the tag of the packet and the T bit, from the port that has no endpoint
    let mut answer = [0; 100];
    let length = soon(outsider.recv(&mut answer)).await.unwrap();
    assert_eq!(length, 16);
    assert_eq!(answer[..8], [0x13, 0x8b, 0, 7, 1, 2, 3, 4]);
    assert_eq!(answer[12..16], [14, 1, 0, 4]);
    say(&accepted, &opened, "undisturbed").await;
}

/// A packet out of the blue: SHUTDOWN ACK with the tag 01020304.
fn shutdown_ack(from: u16, to: u16) -> Vec<u8> {
    let [from, to] = [from, to].map(u16::to_be_bytes);
    let head = [from[0], from[1], to[0], to[1], 1, 2, 3, 4];
    let chunk = [8, 0, 0, 4];
    let unchecked = [&head[..], &[0; 4], &chunk].concat();
    let checksum = crc32c(&unchecked).to_le_bytes();
    [&head[..], &checksum, &chunk].concat()
}

/// The checksum of SCTP, bit by bit. RFC 9260 appendix A
fn crc32c(bytes: &[u8]) -> u32 {
    let shifted = |crc: u32| (crc >> 1) ^ (0x82f6_3b78 & (crc & 1).wrapping_neg());
    !bytes
        .iter()
        .fold(u32::MAX, |crc, &byte| (0..8).fold(crc ^ u32::from(byte), |crc, _| shifted(crc)))
}

#[tokio::test]
async fn the_host_ends_with_its_last_handle_and_association() {
    let udp = free_port(&[loopback(11)]);
    let host = Host::bind(on(&[loopback(11)]).encapsulation(udp)).await.expect("it is free");
    let client = on(&[loopback(1)]).bind(0).await.unwrap();
    let server = listening(&host, 5001).await;
    let rebound = move || std::net::UdpSocket::bind((loopback(11), udp));
    let [opened, accepted] = connect(&client, &server).await;
    drop((host, server));
    tokio::time::sleep(Duration::from_millis(20)).await;
    rebound().expect_err("the association lasts");
    say(&opened, &accepted, "still here").await;
    drop(accepted);
    soon(opened.closed()).await.expect("it is shut down");
    until("the UDP port is free", || rebound().is_ok()).await;
}

#[tokio::test]
async fn a_closed_host_has_closed_its_sockets_and_opens_no_endpoint() {
    let udp = free_port(&[loopback(11)]);
    let host = Host::bind(on(&[loopback(11)]).encapsulation(udp)).await.expect("it is free");
    let client = on(&[loopback(1)]).bind(0).await.unwrap();
    let server = listening(&host, 5001).await;
    let [opened, accepted] = connect(&client, &server).await;
    soon(host.close()).await;
    std::net::UdpSocket::bind((loopback(11), udp)).expect("it is free");
    soon(accepted.closed()).await.expect("it was shut down");
    soon(opened.closed()).await.expect("it was shut down");
    let later = host.endpoint().bind(0).await;
    assert!(matches!(later, Err(Error::EndpointClosed)), "{later:?}");
    soon(host.close()).await;
}

#[tokio::test]
async fn settings_of_an_endpoint_that_its_host_does_not_have_are_refused() {
    let host = host(&[loopback(1)]).await;
    let builder = || host.endpoint();
    let cases = [
        (builder().local([loopback(2)]), "`local` is 127.0.0.2, expected an address of the host"),
        (
            builder().encapsulation(9899),
            "`encapsulation` is 9899, expected the setting of the host, which `Host::bind` gets",
        ),
        (
            builder().raw(),
            "`raw` is true, expected the setting of the host, which `Host::bind` gets",
        ),
        (
            builder().interface(loopback(1), "lo"),
            "`interface` is lo for 127.0.0.1, expected the setting of the host, which `Host::bind` gets",
        ),
        (builder().congestion("none"), "`congestion` is \"none\", expected "),
    ];
    for (builder, text) in cases {
        let error = builder.bind(0).await.expect_err(text);
        assert!(error.to_string().starts_with(text), "{error}");
        assert!(error.is_input());
    }
    assert_eq!(builder().bind(5001).await.unwrap().local_addresses(), [loopback(1)]);
}

#[tokio::test]
async fn a_host_without_named_addresses_takes_further_ones_of_the_machine() {
    let host = Host::bind(Endpoint::builder().encapsulation(0)).await.unwrap();
    assert!(host.local_addresses().contains(&loopback(1)));
    // It belongs to the loopback interface, which does not list it
    let further = host.endpoint().local([loopback(77)]).listen(1).bind(5001).await.unwrap();
    assert!(host.local_addresses().contains(&loopback(77)));
    let client = on(&[loopback(1)]).bind(0).await.unwrap();
    let [opened, accepted] = connect(&client, &further).await;
    say(&opened, &accepted, "there").await;
    let missing = host.endpoint().local([ip("192.0.2.1")]).bind(5002).await;
    assert!(matches!(missing, Err(Error::NotLocal(_))), "{missing:?}");
}

/// The packets of a capture.
fn packets(file: &Path, udp: u16) -> Vec<Value> {
    let options = Options { form: Form::Json, port: udp, any_checksum: false, interface: None };
    let mut decoder = Decoder::new(File::open(file).unwrap(), options).expect("a capture");
    let mut out = String::new();
    while decoder.read(&mut out).expect("a whole capture") {}
    out.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

#[tokio::test]
async fn captures_events_and_metrics_distinguish_the_endpoints_of_a_host() {
    let folder = tempfile::tempdir().unwrap();
    let [all, one, events] =
        ["all.pcapng", "one.pcapng", "events"].map(|name| folder.path().join(name));
    let (capture, only) = (Capture::create(&all).unwrap(), Capture::create(&one).unwrap());
    let log = EventLog::create(&events, Selection::ALL).unwrap();
    let host =
        Host::bind(on(&[loopback(11)]).capture(capture.clone()).events(log.clone())).await.unwrap();
    let first = listening(&host, 5001).await;
    let second = host.endpoint().capture(only.clone()).listen(4).bind(5002).await.unwrap();
    let client = on(&[loopback(1)]).bind(0).await.unwrap();
    let [opened, accepted] = connect(&client, &first).await;
    let [other, accepted_there] = connect(&client, &second).await;
    transfer(&opened, &accepted, 300_000).await;
    transfer(&accepted_there, &other, 100_000).await;
    let metrics = host.metrics();
    let value = |sample: &str| {
        let line = metrics.lines().find_map(|line| line.strip_prefix(sample));
        line.unwrap_or_else(|| panic!("{sample}: {metrics}")).trim().parse::<u64>().unwrap()
    };
    // It belongs to the host, so there is one sample for both endpoints
    assert_eq!(value("manypath_host_foreign_packets_total"), 0);
    assert_eq!(metrics.matches("foreign_packets_total").count(), 1);
    for (port, received, sent) in [(5001, 300_000, 0), (5002, 0, 100_000)] {
        let name = format!("endpoint=\"127.0.0.11:{port}\"");
        assert_eq!(value(&format!("manypath_endpoint_associations{{{name}}}")), 1);
        let labels = format!("{{{name},association=\"127.0.0.1:{}\"}}", client.port());
        let of = |what: &str| value(&format!("manypath_association_{what}_total{labels}"));
        assert_eq!((of("bytes_received"), of("bytes_sent")), (received, sent));
    }
    soon(host.close()).await;
    assert_eq!(
        (capture.finish().unwrap(), only.finish().unwrap(), log.finish().unwrap()),
        (0, 0, 0)
    );
    let counted = |endpoint: &Endpoint| {
        let counters = endpoint.counters();
        (counters.packets_sent + counters.packets_received) as usize
    };
    for (file, endpoint, port) in [(&all, &first, 5001), (&one, &second, 5002)] {
        let packets = packets(file, host.encapsulation_port());
        assert_eq!(packets.len(), counted(endpoint), "{port}");
        let is_own =
            |packet: &Value| packet["source_port"] == port || packet["destination_port"] == port;
        assert!(packets.iter().all(is_own), "{port}");
    }
    let text = std::fs::read_to_string(&events).unwrap();
    let ended = text.lines().filter(|line| line.contains("connection_closed")).count();
    assert_eq!(ended, 2, "one association of each endpoint");
}

/// Hosts on two namespaces that a cable connects.
fn in_two_namespaces(server: impl AsyncFnOnce(Host) + Send, client: impl AsyncFnOnce(Host) + Send) {
    let (Some(left), Some(right)) = (Namespace::new(), Namespace::new()) else { return };
    cable(&left, "10.0.0.1", &right, "10.0.0.2", 24, "one");
    let raw = |address: &str| Endpoint::builder().local([ip(address)]).without_encapsulation();
    let [here, there] = ["10.0.0.1", "10.0.0.2"].map(raw);
    let (ready, is_ready) = std::sync::mpsc::channel();
    std::thread::scope(|scope| {
        let right = &right;
        scope.spawn(move || {
            right.run(async move || {
                let host = Host::bind(there).await.expect("root may do so");
                ready.send(()).expect("the test waits");
                server(host).await;
            });
        });
        is_ready.recv().expect("the server runs");
        left.run(async move || client(Host::bind(here).await.expect("root may do so")).await);
    });
}

#[test]
fn raw_sockets_carry_several_ports_and_ignore_packets_to_others() {
    if std::path::Path::new("/proc/net/sctp").exists() {
        eprintln!("not run: the kernel's SCTP is loaded");
        return;
    }
    let server = async |host: Host| {
        let (first, second) = (listening(&host, 5001).await, listening(&host, 5002).await);
        for endpoint in [&first, &second] {
            let association = soon(endpoint.accept()).await.unwrap();
            while let Some(message) = soon(association.receive()).await.unwrap() {
                association.send(message).await.unwrap();
            }
        }
        assert!(first.foreign_packets() > 0);
    };
    let client = async |host: Host| {
        let endpoint = host.endpoint().bind(0).await.unwrap();
        let at = |port| Peer::new([ip("10.0.0.2")], port).raw();
        // Other programs may have the port: there is no answer
        let unanswered =
            tokio::time::timeout(Duration::from_millis(100), endpoint.connect(at(5003)));
        unanswered.await.expect_err("it does not end");
        let other = host.endpoint().bind(0).await.unwrap();
        for (from, port) in [(&endpoint, 5001), (&other, 5002)] {
            // The server listens soon
            let association = soon(async {
                loop {
                    match from.connect(at(port)).await {
                        Ok(association) => break association,
                        Err(error) => eprintln!("{error}"),
                    }
                }
            });
            let association = association.await;
            association.send(Message::new(vec![7; 100_000])).await.unwrap();
            let echo = soon(association.receive()).await.unwrap().expect("an echo");
            assert_eq!(echo.payload, vec![7; 100_000]);
            soon(association.shutdown()).await.unwrap();
        }
    };
    in_two_namespaces(server, client);
}
