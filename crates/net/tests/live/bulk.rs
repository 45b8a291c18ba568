//! Large transfers in both directions with verified contents.

use std::time::Duration;

use manypath_net::{Association, Message};

use crate::relay::{Relay, relayed};
use crate::stage::{pair, patient, pattern, soon, until};

/// Sends numbered messages of many sizes on several streams.
async fn send_all(association: Association, count: usize) {
    for number in 0..count {
        let message = Message::new(pattern(number, length(number))).stream((number % 4) as u16);
        association.send(message.ppid(number as u32)).await.unwrap();
    }
}

/// Receives the messages: complete, unchanged, and in order within each stream.
async fn receive_all(association: Association, count: usize) {
    let mut next = [0, 1, 2, 3];
    for _ in 0..count {
        let message = association.receive().await.unwrap().expect("the sender has not finished");
        let number = message.ppid as usize;
        assert_eq!(next[usize::from(message.stream)], number);
        next[usize::from(message.stream)] += 4;
        assert!(message.payload == pattern(number, length(number)), "message {number}");
    }
}

fn length(number: usize) -> usize {
    1 + number * 7919 % 60_000
}

#[tokio::test(flavor = "multi_thread")]
async fn data_arrives_in_both_directions_at_once() {
    const MESSAGES: usize = 600;
    let pair = pair(|builder| builder).await;
    let tasks = [
        tokio::spawn(send_all(pair.client.clone(), MESSAGES)),
        tokio::spawn(receive_all(pair.client.clone(), MESSAGES)),
        tokio::spawn(send_all(pair.server.clone(), MESSAGES)),
        tokio::spawn(receive_all(pair.server.clone(), MESSAGES)),
    ];
    for task in tasks {
        soon(task).await.unwrap();
    }
    assert_eq!(pair.client.stats().messages_received, MESSAGES as u64);
}

/// Number of packets with data that arrived on each of two paths with equal bottlenecks.
async fn packets_on_two_paths(congestion: &str) -> Vec<u64> {
    let (pair, relays) = relayed(|builder| builder.concurrent(congestion)).await;
    relays.iter().for_each(Relay::slow_down);
    let tasks = [
        tokio::spawn(send_all(pair.client.clone(), 400)),
        tokio::spawn(receive_all(pair.server.clone(), 400)),
    ];
    for task in tasks {
        soon(task).await.unwrap();
    }
    let sent = pair.client.paths();
    let received = pair.server.paths();
    // Each path has its own source and destination address
    for (sent, received) in sent.iter().zip(&received) {
        assert_eq!((sent.local, sent.remote), (received.remote, received.local));
        assert!(received.stats.data_packets_received <= sent.stats.data_packets);
    }
    received.iter().map(|path| path.stats.data_packets_received).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn two_paths_share_the_data() {
    let packets = packets_on_two_paths("newreno").await;
    assert!(packets.iter().all(|&packets| packets > 100), "{packets:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_coupled_congestion_control_uses_both_paths() {
    let packets = packets_on_two_paths("cmt-rpv2").await;
    assert!(packets.iter().all(|&packets| packets > 100), "{packets:?}");
}

#[tokio::test]
async fn a_sender_waits_while_the_receiver_does_not_read() {
    let small = |builder: manypath_net::Builder| builder.buffers(100_000, 100_000);
    let pair = pair(small).await;
    let sending = tokio::spawn({
        let client = pair.client.clone();
        async move {
            for number in 0..100 {
                client.send(Message::new(pattern(number, 10_000))).await.unwrap();
            }
        }
    });
    // At first the receiver's buffer fills; in the end at most both buffers and the window probes are sent
    until("the window is full", || pair.client.stats().bytes_sent >= 100_000).await;
    tokio::time::sleep(Duration::from_millis(500)).await;
    let before = pair.client.stats().bytes_sent;
    assert!(before <= 210_000, "{before} bytes");
    assert!(!sending.is_finished());
    for number in 0..100 {
        let message = soon(pair.server.receive()).await.unwrap().unwrap();
        assert!(message.payload == pattern(number, 10_000));
    }
    soon(sending).await.unwrap();
}

#[tokio::test]
async fn a_receiver_that_reads_again_reports_its_window_at_once() {
    // A window probe would be sent after the end of the test
    let pair = pair(|builder| builder.buffers(100_000, 100_000).configure(patient)).await;
    let sending = tokio::spawn({
        let client = pair.client.clone();
        async move {
            for number in 0..30 {
                client.send(Message::new(pattern(number, 10_000))).await.unwrap();
            }
        }
    });
    // A pending SACK would report the window anyway
    let is_blocked = || {
        let path = pair.client.paths()[0];
        path.stats.outstanding == 0 && path.blocked.receive_window.as_nanos() > 50_000_000
    };
    until("everything is acknowledged, and the window is full for a while", is_blocked).await;
    for number in 0..30 {
        let message = soon(pair.server.receive()).await.unwrap().unwrap();
        assert!(message.payload == pattern(number, 10_000));
    }
    soon(sending).await.unwrap();
}

#[tokio::test]
async fn a_message_larger_than_the_receive_buffer_is_delivered_in_parts() {
    let pair = pair(|builder| builder.buffers(1_000_000, 100_000)).await;
    let all = pattern(3, 900_000);
    pair.client.send(Message::new(all.clone())).await.unwrap();
    let mut received = Vec::new();
    loop {
        let message = soon(pair.server.receive()).await.unwrap().unwrap();
        received.extend_from_slice(&message.payload);
        if !message.part.expect("it does not fit").more_follows {
            break;
        }
    }
    assert!(all == received);
}

#[tokio::test]
async fn messages_expire_that_were_not_sent_in_time() {
    let pair = pair(|builder| builder.buffers(200_000, 20_000)).await;
    let mut events = pair.client.events();
    // The messages fill the receiver's window, and the rest waits
    for number in 0..15 {
        pair.client.send(Message::new(pattern(number, 10_000))).await.unwrap();
    }
    let lifetime = Duration::from_millis(50);
    pair.client.send(Message::new("too late").lifetime(lifetime)).await.unwrap();
    tokio::time::sleep(Duration::from_millis(100)).await;
    for number in 0..15 {
        let message = soon(pair.server.receive()).await.unwrap().unwrap();
        assert!(message.payload == pattern(number, 10_000), "message {number}");
    }
    let failed = soon(async {
        loop {
            if let manypath_net::Event::SendFailed { message, sent } =
                events.next().await.expect("the association is open")
            {
                return (message.payload, sent);
            }
        }
    })
    .await;
    assert_eq!(failed, ("too late".into(), false));
    until("the counter", || pair.client.stats().messages_expired == 1).await;
}
