//! `listen`: many associations at once, opened by endpoints of the test.

use std::net::{IpAddr, Ipv4Addr};

use manypath_net::{Association, Endpoint, Message, Peer};
use serde_json::Value;
use tempfile::tempdir;

use crate::peer::soon;
use crate::process::{Process, free_port, names};

/// A waiting listener on two addresses, and its UDP port.
fn listener(more: &[&str]) -> (Process, u16) {
    let port = free_port();
    let udp = port.to_string();
    let mut words = vec!["listen", "--bind", "127.0.0.11,127.0.0.12", "--udp", &udp];
    words.extend(more);
    let mut listener = Process::start(words);
    let line = listener.line();
    assert!(line.starts_with("waiting on 127.0.0.11,127.0.0.12, SCTP port 5001"), "{line}");
    (listener, port)
}

/// An association with the listener over two paths.
async fn connect(udp: u16) -> (Endpoint, Association) {
    let on = |last: u8| IpAddr::from(Ipv4Addr::new(127, 0, 0, last));
    let builder = Endpoint::builder().local([on(1), on(2)]).encapsulation(0);
    let endpoint = builder.bind(0).await.expect("the addresses are free");
    let peer = Peer::new([on(11), on(12)], 5001).encapsulation(udp);
    let association = endpoint.connect(peer).await.expect("the listener listens");
    (endpoint, association)
}

fn document(line: &str) -> Value {
    serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line:?}"))
}

#[tokio::test(flavor = "multi_thread")]
async fn messages_of_several_associations_at_once_are_counted_and_written() {
    let folder = tempdir().unwrap();
    let (mut listener, port) = listener(&["--json", "--output", folder.path().to_str().unwrap()]);
    let mut clients = Vec::new();
    for number in 1..=3_u64 {
        let (endpoint, association) = soon(connect(port)).await;
        let begin = document(&listener.out_line());
        assert_eq!(begin["event"], "begin");
        assert_eq!(begin["association"], number);
        assert_eq!(begin["peer"], format!("127.0.0.1:{}", endpoint.port()));
        assert_eq!(begin["paths"][1]["remote"], "127.0.0.2");
        clients.push((endpoint, association));
    }
    // All are open; each sends messages of its own length, the last one sends none
    for (place, (endpoint, association)) in clients.iter().enumerate().rev() {
        let (length, count) = (100_000 * (2 - place), 2 - place);
        for _ in 0..count {
            let message = Message::new(vec![b'a' + place as u8; length]).stream(place as u16);
            soon(association.send(message)).await.unwrap();
        }
        soon(association.shutdown()).await.unwrap();
        let end = document(&listener.out_line());
        assert_eq!((&end["event"], &end["error"]), (&"end".into(), &Value::Null));
        assert_eq!(end["association"], place as u64 + 1);
        assert_eq!((&end["messages"], &end["bytes"]), (&count.into(), &(count * length).into()));
        let carried = end["paths"].as_array().unwrap().iter();
        let carried: u64 = carried.map(|path| path["bytes_received"].as_u64().unwrap()).sum();
        assert_eq!(carried, (count * length) as u64);
        let name = format!("{:05}_127.0.0.1-{}", place + 1, endpoint.port());
        let content = std::fs::read(folder.path().join(name)).unwrap();
        assert_eq!(content, vec![b'a' + place as u8; count * length]);
    }
    assert_eq!(names(folder.path()).len(), 3);
    listener.terminate();
    let said = listener.wait();
    assert_eq!((said.code, said.err.as_str(), said.out.as_str()), (Some(0), "", ""));
}

#[tokio::test(flavor = "multi_thread")]
async fn messages_come_back_on_their_streams() {
    let (listener, port) = listener(&["--echo", "--once"]);
    let (endpoint, association) = soon(connect(port)).await;
    let messages = [
        Message::new("first").stream(5).ppid(7),
        Message::new(vec![9; 300_000]).stream(2),
        Message::new("last").stream(5).unordered(),
    ];
    for message in messages {
        soon(association.send(message.clone())).await.unwrap();
        let back = soon(association.receive()).await.unwrap();
        assert_eq!(back, Some(message));
    }
    soon(association.shutdown()).await.unwrap();
    let said = listener.wait();
    assert_eq!((said.code, said.err.as_str()), (Some(0), ""), "{said:?}");
    let lines: Vec<_> = said.out.lines().collect();
    let name = format!("#1 127.0.0.1:{}", endpoint.port());
    assert_eq!(lines[0], format!("{name}: begins, 2 paths"));
    assert!(lines[1].starts_with(&format!("{name}: ends; 3 messages, 300.0 kB in ")), "{said:?}");
    assert_eq!(lines.len(), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_association_beyond_the_limit_waits_for_a_place() {
    let (mut listener, port) = listener(&["--echo", "--limit", "1", "--json"]);
    let (_first, served) = soon(connect(port)).await;
    assert_eq!(document(&listener.out_line())["event"], "begin");
    let (_second, waiting) = soon(connect(port)).await;
    soon(waiting.send(Message::new("hello"))).await.unwrap();
    soon(served.shutdown()).await.unwrap();
    // Its end is reported before the next one begins
    let told = [document(&listener.out_line()), document(&listener.out_line())];
    assert_eq!(told.each_ref().map(|it| &it["event"]), ["end", "begin"]);
    assert_eq!(told.each_ref().map(|it| it["association"].as_u64()), [Some(1), Some(2)]);
    assert_eq!(soon(waiting.receive()).await.unwrap().unwrap().payload, "hello");
}

#[tokio::test(flavor = "multi_thread")]
async fn data_of_an_association_that_ends_before_it_is_served_is_not_lost() {
    let (mut listener, port) = listener(&["--limit", "1", "--json"]);
    let (_first, served) = soon(connect(port)).await;
    assert_eq!(document(&listener.out_line())["event"], "begin");
    let (second, waiting) = soon(connect(port)).await;
    soon(waiting.send(Message::new("hello"))).await.unwrap();
    soon(waiting.shutdown()).await.unwrap();
    soon(served.shutdown()).await.unwrap();
    let told = [(); 3].map(|()| document(&listener.out_line()));
    assert_eq!(told.each_ref().map(|it| &it["event"]), ["end", "begin", "end"]);
    assert_eq!(told[2]["peer"], format!("127.0.0.1:{}", second.port()));
    assert_eq!((&told[2]["messages"], &told[2]["bytes"]), (&1.into(), &5.into()));
    assert_eq!(told[2]["error"], Value::Null);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_signal_shuts_all_associations_down() {
    let (mut listener, port) = listener(&["--echo"]);
    let mut clients = Vec::new();
    for _ in 0..3 {
        let (endpoint, association) = soon(connect(port)).await;
        soon(association.send(Message::new("hello"))).await.unwrap();
        assert!(soon(association.receive()).await.unwrap().is_some());
        listener.out_line();
        clients.push((endpoint, association));
    }
    listener.terminate();
    for (_, association) in &clients {
        soon(association.closed()).await.expect("it is shut down, not aborted");
    }
    let said = listener.wait();
    assert_eq!((said.code, said.err.as_str()), (Some(0), ""), "{said:?}");
    assert_eq!(said.out.matches(": ends; 1 message, 5 B in ").count(), 3, "{said:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn standard_output_has_only_the_payload() {
    let (listener, port) = listener(&["--once", "--output", "-"]);
    let (_endpoint, association) = soon(connect(port)).await;
    for line in ["one\n", "two\n"] {
        soon(association.send(Message::new(line))).await.unwrap();
    }
    soon(association.shutdown()).await.unwrap();
    let said = listener.wait();
    assert_eq!((said.code, said.out.as_str()), (Some(0), "one\ntwo\n"), "{said:?}");
    assert!(said.err.contains(": ends; 2 messages, 8 B in "), "{said:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_abort_of_the_peer_is_reported_and_ends_the_program_with_1() {
    let (mut listener, port) = listener(&["--once"]);
    let (_endpoint, association) = soon(connect(port)).await;
    // An association that ends before it is accepted would not be reported
    assert!(listener.out_line().ends_with(": begins, 2 paths\n"));
    association.abort("no more");
    let said = listener.wait();
    assert_eq!(said.code, Some(1), "{said:?}");
    let reason = "fails: the peer aborted the association: \"no more\"; 0 messages, 0 B in ";
    assert!(said.out.contains(reason), "{said:?}");
}
