//! Ends of associations: by a shutdown, by an abort, or because the peer does not answer.

use std::time::Duration;

use manypath_net::{Error, Event, Message, Peer};
use tokio::time::timeout;

use crate::stage::{Pair, impatient, loopback, on, pair, pattern, server, soon};

#[tokio::test]
async fn a_shutdown_delivers_everything_that_was_sent() {
    let pair = pair(|builder| builder).await;
    for number in 0..50 {
        pair.client.send(Message::new(pattern(number, 20_000))).await.unwrap();
    }
    soon(pair.client.shutdown()).await.unwrap();
    assert!(matches!(pair.client.send(Message::new("x")).await, Err(Error::Closed)));
    // All of it is still unread
    for number in 0..50 {
        let message = soon(pair.server.receive()).await.unwrap().unwrap();
        assert!(message.payload == pattern(number, 20_000));
    }
    assert_eq!(soon(pair.server.receive()).await.unwrap(), None);
    soon(pair.server.closed()).await.unwrap();
}

#[tokio::test]
async fn a_peer_that_shuts_down_still_gets_what_was_sent_to_it() {
    let pair = pair(|builder| builder).await;
    for number in 0..20 {
        pair.server.send(Message::new(pattern(number, 20_000))).await.unwrap();
    }
    soon(pair.client.shutdown()).await.unwrap();
    for number in 0..20 {
        let message = soon(pair.client.receive()).await.unwrap().unwrap();
        assert!(message.payload == pattern(number, 20_000));
    }
    assert_eq!(pair.client.receive().await.unwrap(), None);
}

#[tokio::test]
async fn an_abort_sends_its_reason_to_the_peer() {
    let pair = pair(|builder| builder).await;
    let mut events = pair.server.events();
    let reading = tokio::spawn({
        let server = pair.server.clone();
        async move { server.receive().await }
    });
    tokio::task::yield_now().await;
    pair.client.abort("no more \u{1b}[31mcoffee");
    let error = soon(reading).await.unwrap().unwrap_err();
    let text = r#"the peer aborted the association: "no more \u{1b}[31mcoffee""#;
    assert_eq!(error.to_string(), text);
    assert_eq!(pair.server.send(Message::new("x")).await.unwrap_err().to_string(), text);
    assert!(matches!(pair.client.closed().await, Err(Error::AbortedHere)));
    assert!(matches!(soon(events.next()).await, Some(Event::Closed(Err(Error::Aborted(_))))));
    assert!(soon(events.next()).await.is_none());
    // A late subscriber still gets the end
    assert!(matches!(soon(pair.server.events().next()).await, Some(Event::Closed(Err(_)))));
}

#[tokio::test]
async fn a_message_right_after_an_abort_is_refused_because_of_the_abort() {
    let pair = pair(|builder| builder).await;
    pair.client.abort("");
    // The driver had no time yet
    assert!(matches!(pair.client.send(Message::new("x")).await, Err(Error::AbortedHere)));
    assert!(matches!(soon(pair.client.closed()).await, Err(Error::AbortedHere)));
    assert!(matches!(pair.client.send(Message::new("x")).await, Err(Error::AbortedHere)));
}

#[tokio::test]
async fn messages_that_came_before_an_abort_can_be_read() {
    let pair = pair(|builder| builder).await;
    pair.client.send(Message::new("last words")).await.unwrap();
    let arrived = || pair.server.paths()[0].stats.data_packets_received;
    crate::stage::until("the message", || arrived() > 0).await;
    pair.client.abort("");
    let _ = soon(pair.server.closed()).await;
    assert_eq!(pair.server.receive().await.unwrap().unwrap().payload, "last words");
    let error = pair.server.receive().await.unwrap_err();
    assert_eq!(error.to_string(), "the peer aborted the association: its application ended it");
}

/// An association whose peer has more data waiting than the receive buffer holds.
async fn unread() -> (Pair, usize) {
    let pair = pair(|builder| builder.buffers(200_000, 200_000)).await;
    let mut sent = 0;
    loop {
        let message = Message::new(pattern(sent, 20_000));
        match timeout(Duration::from_millis(500), pair.server.send(message)).await {
            Ok(_) => sent += 1,
            // Both buffers are full; before, the machine is busy
            Err(_) if sent * 20_000 > 300_000 => return (pair, sent),
            Err(_) => {}
        }
    }
}

#[tokio::test]
async fn a_shutdown_waits_for_a_reader_and_loses_nothing() {
    let (pair, sent) = unread().await;
    assert!(timeout(Duration::from_millis(500), pair.client.shutdown()).await.is_err());
    for number in 0..sent {
        let message = soon(pair.client.receive()).await.unwrap().unwrap();
        assert!(message.payload == pattern(number, 20_000));
    }
    assert_eq!(soon(pair.client.receive()).await.unwrap(), None);
    soon(pair.client.closed()).await.unwrap();
}

#[tokio::test]
async fn closing_an_association_discards_what_was_not_received() {
    let (pair, _) = unread().await;
    assert!(pair.client.receive().await.unwrap().unwrap().payload == pattern(0, 20_000));
    soon(pair.client.close()).await.unwrap();
    assert!(matches!(pair.client.receive().await, Err(Error::Closed)));
    soon(pair.server.closed()).await.unwrap();
    assert_eq!(soon(pair.server.receive()).await.unwrap(), None);
}

#[tokio::test]
async fn closing_an_association_after_a_shutdown_has_begun_ends_it() {
    let (pair, _) = unread().await;
    let client = pair.client.clone();
    let shutdown = tokio::spawn(async move { client.shutdown().await });
    tokio::task::yield_now().await;
    soon(pair.client.close()).await.unwrap();
    soon(shutdown).await.unwrap().unwrap();
}

#[tokio::test]
async fn closing_an_association_keeps_what_the_peer_gets_and_a_complete_end() {
    let pair = pair(|builder| builder).await;
    pair.client.send(Message::new(pattern(1, 100_000))).await.unwrap();
    soon(pair.client.close()).await.unwrap();
    assert!(soon(pair.server.receive()).await.unwrap().unwrap().payload == pattern(1, 100_000));
    assert_eq!(soon(pair.server.receive()).await.unwrap(), None);
    assert_eq!(pair.client.receive().await.unwrap(), None, "nothing was discarded");
}

#[tokio::test]
async fn closing_an_ended_association_discards_nothing() {
    let pair = pair(|builder| builder).await;
    pair.server.send(Message::new("unread")).await.unwrap();
    soon(pair.server.shutdown()).await.unwrap();
    soon(pair.client.closed()).await.unwrap();
    soon(pair.client.close()).await.unwrap();
    assert_eq!(pair.client.receive().await.unwrap().unwrap().payload, "unread");
    assert_eq!(pair.client.receive().await.unwrap(), None);
}

#[tokio::test]
async fn closing_an_endpoint_discards_what_was_not_received() {
    let (pair, _) = unread().await;
    soon(pair.endpoints[0].close()).await;
    assert!(matches!(pair.client.receive().await, Err(Error::Closed)));
    soon(pair.server.closed()).await.unwrap();
}

#[tokio::test]
async fn a_dropped_association_is_shut_down_in_the_background() {
    let pair = pair(|builder| builder.buffers(200_000, 200_000)).await;
    pair.client.send(Message::new(pattern(1, 100_000))).await.unwrap();
    drop(pair.client);
    assert!(soon(pair.server.receive()).await.unwrap().unwrap().payload == pattern(1, 100_000));
    // The client does not read, and the association still ends
    for number in 0..20 {
        if pair.server.send(Message::new(pattern(number, 50_000))).await.is_err() {
            break;
        }
    }
    soon(pair.server.closed()).await.unwrap();
    let [client, server] = pair.endpoints;
    soon(client.close()).await;
    soon(server.close()).await;
}

#[tokio::test]
async fn closing_an_endpoint_ends_all_associations_in_order() {
    let (server, peer) = server(on(&[loopback(11)])).await;
    let client = on(&[loopback(1)]).bind(0).await.unwrap();
    // The server does not accept the association
    let association = client.connect(peer.clone()).await.unwrap();
    soon(server.close()).await;
    soon(association.closed()).await.unwrap();
    assert!(matches!(server.accept().await, Err(Error::EndpointClosed)));
    assert!(matches!(server.connect(peer).await, Err(Error::EndpointClosed)));
}

#[tokio::test]
async fn the_driver_ends_with_the_last_handle() {
    let pair = pair(|builder| builder).await;
    let metrics = tokio::runtime::Handle::current().metrics();
    assert_eq!(metrics.num_alive_tasks(), 2);
    drop(pair);
    crate::stage::until("no task is left", || metrics.num_alive_tasks() == 0).await;
}

#[tokio::test]
async fn closing_an_endpoint_ends_a_wait_for_associations() {
    let (server, _) = server(on(&[loopback(11)])).await;
    let accepting = tokio::spawn({
        let server = server.clone();
        async move { server.accept().await.map(drop) }
    });
    tokio::task::yield_now().await;
    soon(server.close()).await;
    assert!(matches!(soon(accepting).await.unwrap(), Err(Error::EndpointClosed)));
}

#[tokio::test]
async fn a_peer_that_does_not_listen_refuses() {
    let silent = on(&[loopback(11)]).bind(0).await.unwrap();
    let peer = Peer::new(silent.local_addresses(), silent.port())
        .encapsulation(silent.encapsulation_port());
    let client = on(&[loopback(1)]).bind(0).await.unwrap();
    let error = soon(client.connect(peer)).await.unwrap_err();
    assert_eq!(error.to_string(), "the peer refused the association");
}

#[tokio::test]
async fn a_full_backlog_refuses() {
    let server = on(&[loopback(11)]).listen(1).bind(0).await.unwrap();
    let peer = Peer::new(server.local_addresses(), server.port())
        .encapsulation(server.encapsulation_port());
    let clients =
        [on(&[loopback(1)]).bind(0).await.unwrap(), on(&[loopback(2)]).bind(0).await.unwrap()];
    let _first = soon(clients[0].connect(peer.clone())).await.unwrap();
    let error = soon(clients[1].connect(peer)).await.unwrap_err();
    let text = "the peer refused the association: no room for another association";
    assert_eq!(error.to_string(), text);
}

#[tokio::test]
async fn an_address_without_an_answer_times_out() {
    let silent = tokio::net::UdpSocket::bind((loopback(11), 0)).await.unwrap();
    let peer = Peer::new([loopback(11)], 7).encapsulation(silent.local_addr().unwrap().port());
    let client = on(&[loopback(1)]).configure(impatient).bind(0).await.unwrap();
    let quick = |config: &mut manypath_net::Config| config.init_max_retransmissions = 2;
    let error = soon(client.connect_with(peer, quick)).await.unwrap_err();
    assert_eq!(error.to_string(), "the peer did not answer in time");
}

#[tokio::test]
async fn a_peer_that_vanishes_is_noticed() {
    let change = |builder: manypath_net::Builder| {
        builder.configure(|config| {
            impatient(config);
            // Several seconds, for which a busy machine does not delay the other side
            config.association_max_retransmissions = 20;
        })
    };
    let (server, peer) = server(change(on(&[loopback(11)]))).await;
    // Its runtime ends without sending a packet
    let (go, gone) = tokio::sync::oneshot::channel();
    let vanishing = tokio::task::spawn_blocking(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let client = change(on(&[loopback(1)])).bind(0).await.unwrap();
            let association = client.connect(peer).await.unwrap();
            association.send(Message::new("goodbye")).await.unwrap();
            soon(gone).await.unwrap();
            association
        })
    });
    let accepted = soon(server.accept()).await.unwrap();
    assert_eq!(soon(accepted.receive()).await.unwrap().unwrap().payload, "goodbye");
    go.send(()).unwrap();
    let gone = soon(vanishing).await.unwrap();
    assert!(matches!(gone.receive().await, Err(Error::EndpointClosed)));
    let error = soon(accepted.receive()).await.unwrap_err();
    assert_eq!(error.to_string(), "the peer no longer answers");
}
