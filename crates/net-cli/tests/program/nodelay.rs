//! Small messages of the programs that are sent at once, and one that is acknowledged at once. The peers are endpoints
//! of the test, which delay acknowledgements by a minute: a message that waits for an acknowledgement is sent only after
//! a retransmission timeout, and the peer counts the duplicate.

use std::net::Ipv4Addr;
use std::time::{Duration, Instant};

use manypath_core::Span;
use manypath_net::{Builder, Config, Message, Peer};
use manypath_net_cli::perf;
use tempfile::tempdir;
use tokio::time::sleep;

use crate::peer::{Called, builder, call, soon};
use crate::process::{Process, free_port, receiver};

fn slow_to_acknowledge(builder: Builder) -> Builder {
    acknowledging_every(1000, builder)
}

/// Acknowledges every second packet at once, so that the sender never waits for its window.
fn slow_to_acknowledge_one(builder: Builder) -> Builder {
    acknowledging_every(2, builder)
}

fn acknowledging_every(packets: u32, builder: Builder) -> Builder {
    builder.configure(|config: &mut Config| {
        (config.sack_every, config.sack_delay) = (packets, Span::from_secs(60));
    })
}

/// Tries again for some minutes: on a busy machine a timeout can have another cause.
async fn at_once(mut try_once: impl AsyncFnMut() -> u64) {
    let (begin, mut duplicates) = (Instant::now(), Vec::new());
    while begin.elapsed() < Duration::from_secs(300) {
        duplicates.push(try_once().await);
        if duplicates.last() == Some(&0) {
            return;
        }
    }
    panic!("messages waited for acknowledgements: {duplicates:?} duplicates");
}

/// The messages are defined in `src/bin/manypath-net/protocol.rs`.
#[tokio::test(flavor = "multi_thread")]
async fn the_end_of_a_file_leaves_at_once() {
    let folder = tempdir().unwrap();
    let file = folder.path().join("file");
    // With each packet size that the sender probes (1280, 1500 and 9216 bytes) the message of 11,309 bytes is an odd
    // number of full packets (9, 7 or 1) and a small rest. The acknowledgement of the last full packet is delayed
    std::fs::write(&file, vec![7; 11_300]).unwrap();
    at_once(async || {
        let sender = Called::by(&["send", file.to_str().unwrap()], slow_to_acknowledge_one).await;
        sender.transfers_a_file().await;
        sender.tell_verified().await
    })
    .await;
}

/// The peer acknowledges on the path of the answer, and sends the file on the other one, so that no packet carries both.
#[tokio::test(flavor = "multi_thread")]
async fn the_verdict_about_a_file_does_not_wait_for_the_acknowledgement_of_an_earlier_answer() {
    let file = b"what was read";
    let hello = [&b"H\x02"[..], &(file.len() as u64).to_be_bytes(), b"file"].concat();
    let data = [&b"D"[..], &0_u64.to_be_bytes(), file].concat();
    let end = [&b"E"[..], blake3::hash(file).as_bytes()].concat();
    at_once(async || {
        let into = tempdir().unwrap();
        let (receiving, udp) = receiver(into.path(), &[]);
        let local = [21, 22].map(|last| Ipv4Addr::new(127, 0, 0, last));
        let client = slow_to_acknowledge(builder(0)).local(local).nodelay(true);
        let endpoint = client.bind(0).await.unwrap();
        let remote = [11, 12].map(|last| Ipv4Addr::new(127, 0, 0, last));
        let peer = Peer::new(remote, 5001).encapsulation(udp.parse().unwrap());
        let association = soon(endpoint.connect(peer)).await.unwrap();
        let say = async |word: &[u8]| association.send(Message::new(word.to_vec())).await.unwrap();
        let hear = async || soon(association.receive()).await.unwrap().expect("it goes on").payload;
        soon(async {
            while !association.paths().iter().all(|path| path.stats.confirmed) {
                sleep(Duration::from_millis(5)).await;
            }
        })
        .await;
        say(&hello).await;
        assert_eq!(hear().await, "R");
        say(&data).await;
        let received =
            || association.paths().iter().map(|path| path.stats.bytes_received).collect::<Vec<_>>();
        let before = received();
        // After ten seconds the receiver says that it is busy
        assert_eq!(hear().await, "B");
        let other = usize::from(received()[0] > before[0]);
        association.set_primary(other).unwrap();
        say(&end).await;
        assert_eq!(hear().await, "V");
        let duplicates = association.stats().duplicate_chunks;
        soon(association.shutdown()).await.unwrap();
        assert_eq!(receiving.wait().code, Some(0));
        duplicates
    })
    .await;
}

/// The receiver's answer may take another path than the acknowledgement, for which the shutdown would wait.
#[tokio::test(flavor = "multi_thread")]
async fn the_end_of_a_file_is_acknowledged_at_once() {
    let folder = tempdir().unwrap();
    let file = folder.path().join("file");
    std::fs::write(&file, vec![7; 2000]).unwrap();
    at_once(async || {
        let sender = Called::by(&["send", file.to_str().unwrap()], slow_to_acknowledge).await;
        sender.transfers_a_file().await;
        let sacks = || sender.association.stats().sacks_sent;
        // The first one acknowledges the greeting, together with the answer to it
        soon(async {
            while sacks() < 2 {
                sleep(Duration::from_millis(5)).await;
            }
        })
        .await;
        sender.tell_verified().await
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
        let client = slow_to_acknowledge(builder(0)).nodelay(true);
        let (_endpoint, association) = call(client, 12, udp).await;
        // No packet holds both echoes, and the client sends nothing that could carry an acknowledgement of the first
        // one
        for place in 0..2 {
            association.send(Message::new(vec![place; 1000])).await.unwrap();
        }
        for place in 0..2 {
            let echo = soon(association.receive()).await.unwrap().expect("it comes back");
            assert_eq!(echo.payload, vec![place; 1000]);
        }
        let duplicates = association.stats().duplicate_chunks;
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
        let client = Called::by(&words, slow_to_acknowledge).await;
        let congestion = "newreno".to_owned();
        let settings = perf::Settings { interval: Duration::from_secs(60), congestion };
        let serving = perf::serve(&client.association, &settings, |_| (), |_| ());
        let outcome = soon(serving).await.unwrap();
        assert_eq!(outcome.local.received.expect("it receives").bytes, 3000);
        let duplicates = client.association.stats().duplicate_chunks;
        soon(client.association.closed()).await.unwrap();
        assert_eq!(client.program.wait().code, Some(0));
        duplicates
    })
    .await;
}
