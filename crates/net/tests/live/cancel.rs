//! Futures that are dropped before they complete lose no data and send nothing.

use std::time::Duration;

use manypath_net::Message;
use tokio::time::timeout;

use crate::stage::{loopback, on, pair, pattern, server, soon};

const SHORT: Duration = Duration::from_micros(200);

#[tokio::test]
async fn a_receive_that_is_dropped_loses_no_message() {
    let pair = pair(|builder| builder.nodelay(true)).await;
    for number in 0..200 {
        // One is dropped before there is a message, others while it is under way
        assert!(timeout(SHORT, pair.server.receive()).await.is_err());
        pair.client.send(Message::new(pattern(number, 3000))).await.unwrap();
        let received = soon(async {
            loop {
                if let Ok(message) = timeout(SHORT, pair.server.receive()).await {
                    return message.unwrap().unwrap();
                }
            }
        });
        assert!(received.await.payload == pattern(number, 3000));
    }
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
        // An attempt is refused as long as the one before is open
        soon(async {
            while let Ok(refused) =
                timeout(Duration::from_millis(20), client.connect(peer.clone())).await
            {
                let error = refused.unwrap_err().to_string();
                assert!(error.ends_with("is open already"), "{error}");
                // The driver ends it
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        })
        .await;
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
