//! Futures that are dropped before they complete lose no data and send nothing.

use std::time::Duration;

use manypath_net::Message;
use tokio::time::timeout;

use crate::stage::{loopback, on, pair, pattern, server, soon};

const SHORT: Duration = Duration::from_micros(200);

#[tokio::test]
async fn a_receive_that_is_dropped_loses_no_message() {
    let pair = pair(|builder| builder).await;
    let sending = tokio::spawn({
        let client = pair.client.clone();
        async move {
            for number in 0..200 {
                client.send(Message::new(pattern(number, 3000))).await.unwrap();
                tokio::time::sleep(SHORT).await;
            }
        }
    });
    let (mut next, mut dropped) = (0, 0);
    while next < 200 {
        match timeout(SHORT, pair.server.receive()).await {
            Ok(message) => {
                assert!(message.unwrap().unwrap().payload == pattern(next, 3000));
                next += 1;
            }
            Err(_) => dropped += 1,
        }
    }
    assert!(dropped > 0);
    soon(sending).await.unwrap();
}

#[tokio::test]
async fn a_dropped_send_sends_nothing() {
    let pair = pair(|builder| builder.buffers(20_000, 20_000)).await;
    let mut sent = Vec::new();
    for number in 0..40 {
        let message = Message::new(pattern(number, 9000)).ppid(number as u32);
        if timeout(SHORT, pair.client.send(message)).await.is_ok() {
            sent.push(number);
        }
    }
    assert!(sent.len() < 10, "{sent:?}");
    for number in sent {
        let message = soon(pair.server.receive()).await.unwrap().unwrap();
        assert_eq!(message.ppid as usize, number);
    }
    assert!(timeout(Duration::from_millis(300), pair.server.receive()).await.is_err());
}

#[tokio::test]
async fn a_connect_that_is_dropped_ends_the_attempt() {
    let client = on(&[loopback(1)]).bind(0).await.unwrap();
    let silent = tokio::net::UdpSocket::bind((loopback(11), 0)).await.unwrap();
    let port = silent.local_addr().unwrap().port();
    let peer = manypath_net::Peer::new([loopback(11)], 7).encapsulation(port);
    for _ in 0..3 {
        // A second attempt would be refused if the first one were still open
        assert!(timeout(Duration::from_millis(20), client.connect(peer.clone())).await.is_err());
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    soon(client.close()).await;
}

#[tokio::test]
async fn an_accept_that_is_dropped_loses_no_association() {
    let (server, peer) = server(on(&[loopback(11)])).await;
    assert!(timeout(SHORT, server.accept()).await.is_err());
    let client = on(&[loopback(1)]).bind(0).await.unwrap();
    let association = client.connect(peer).await.unwrap();
    let accepted = soon(server.accept()).await.unwrap();
    accepted.send(Message::new("still here")).await.unwrap();
    assert_eq!(soon(association.receive()).await.unwrap().unwrap().payload, "still here");
}

#[tokio::test]
async fn a_shutdown_continues_when_its_future_is_dropped() {
    let pair = pair(|builder| builder).await;
    tokio::select! {
        biased;
        _ = pair.client.shutdown() => panic!("the driver had no time yet"),
        () = std::future::ready(()) => {}
    }
    soon(pair.server.closed()).await.unwrap();
    soon(pair.client.closed()).await.unwrap();
}
