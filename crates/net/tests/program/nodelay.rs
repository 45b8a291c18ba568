//! Small messages of the programs that leave at once. The peers are endpoints of the test, which delay acknowledgements by
//! a minute: a message that waits for one leaves only after a retransmission timeout, and the peer counts the duplicate.

use std::net::{IpAddr, Ipv4Addr};
use std::time::Duration;

use manypath_core::Span;
use manypath_net::{Association, Builder, Config, Endpoint, Message, Peer, perf};
use tempfile::tempdir;

use crate::process::{Process, free_port};

/// An endpoint on 127.0.0.11 with a free UDP port.
fn slow_to_acknowledge(udp: u16) -> Builder {
    let address = IpAddr::from(Ipv4Addr::new(127, 0, 0, 11));
    let change = |config: &mut Config| {
        (config.sack_every, config.sack_delay) = (1000, Span::from_secs(60));
    };
    Endpoint::builder().local([address]).encapsulation(udp).configure(change)
}

/// Fails a test that hangs.
async fn soon<T>(future: impl Future<Output = T>) -> T {
    tokio::time::timeout(Duration::from_secs(30), future).await.expect("done within 30 seconds")
}

/// Tries up to five times: on a busy machine a timeout can have another cause.
async fn at_once(mut try_once: impl AsyncFnMut() -> u64) {
    let mut duplicates = Vec::new();
    for _ in 0..5 {
        duplicates.push(try_once().await);
        if duplicates.last() == Some(&0) {
            return;
        }
    }
    panic!("messages waited for acknowledgements: {duplicates:?} duplicates");
}

async fn accepted(udp: u16, words: &[&str]) -> (Endpoint, Association, Process) {
    let server = slow_to_acknowledge(udp).listen(1).bind(5001).await.expect("the port is free");
    let udp = udp.to_string();
    let to = ["--bind", "127.0.0.1", "--to", "127.0.0.11", "--udp", &udp];
    let client = Process::start(words.iter().chain(&to));
    let association = soon(server.accept()).await.expect("the client connects");
    (server, association, client)
}

/// The words are those of `src/bin/manypath-net/protocol.rs`.
#[tokio::test(flavor = "multi_thread")]
async fn the_end_of_a_file_leaves_at_once() {
    let folder = tempdir().unwrap();
    let file = folder.path().join("file");
    // A full packet and a small one, which the first window admits
    std::fs::write(&file, vec![7; 2000]).unwrap();
    at_once(async || {
        let words = ["send", file.to_str().unwrap()];
        let (_server, association, sender) = accepted(free_port(), &words).await;
        let receive = async || soon(association.receive()).await.unwrap().expect("it goes on");
        assert!(receive().await.payload.starts_with(b"H"));
        association.send(Message::new("R")).await.unwrap();
        assert!(receive().await.payload.starts_with(b"D"));
        assert!(receive().await.payload.starts_with(b"E"));
        let duplicates = association.stats().duplicates_received;
        association.send(Message::new("V")).await.unwrap();
        soon(association.closed()).await.unwrap();
        assert_eq!(sender.wait().code, Some(0));
        duplicates
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_echo_of_small_messages_does_not_wait_with_nodelay() {
    at_once(async || {
        let udp = free_port();
        let port = udp.to_string();
        let words = ["listen", "--echo", "--once", "--nodelay", "--bind", "127.0.0.12", "--udp"];
        let mut listener = Process::start(words.into_iter().chain([port.as_str()]));
        assert!(listener.line().starts_with("waiting on 127.0.0.12"));
        let client = slow_to_acknowledge(0).nodelay(true).bind(0).await.unwrap();
        let peer = Peer::new([Ipv4Addr::new(127, 0, 0, 12)], 5001).encapsulation(udp);
        let association = soon(client.connect(peer)).await.expect("it listens");
        // No packet holds both echoes, and the client sends nothing that could carry an acknowledgement of the first one
        for place in 0..2 {
            association.send(Message::new(vec![place; 1000])).await.unwrap();
        }
        for place in 0..2 {
            let echo = soon(association.receive()).await.unwrap().expect("it comes back");
            assert_eq!(echo.payload, vec![place; 1000]);
        }
        let duplicates = association.stats().duplicates_received;
        soon(association.shutdown()).await.unwrap();
        assert_eq!(listener.wait().code, Some(0));
        duplicates
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_last_messages_of_a_test_do_not_wait_with_nodelay() {
    at_once(async || {
        // Each message needs a packet, and the last one does not fill it
        let words = ["perf", "--nodelay", "--bytes", "3000", "--size", "1000"];
        let (_server, association, client) = accepted(free_port(), &words).await;
        let congestion = "newreno".to_owned();
        let settings = perf::Settings { interval: Duration::from_secs(60), congestion };
        let outcome = soon(perf::serve(&association, &settings, |_| (), |_| ())).await.unwrap();
        assert_eq!(outcome.local.received.expect("it receives").bytes, 3000);
        let duplicates = association.stats().duplicates_received;
        soon(association.closed()).await.unwrap();
        assert_eq!(client.wait().code, Some(0));
        duplicates
    })
    .await;
}
