//! Paths that fail, recover, change, and are preferred.

use manypath_net::{Association, Builder, Event, Message, Path, PathState, Peer};

use crate::namespace::Namespace;
use crate::relay::relayed;
use crate::stage::{Pair, impatient, ip, loopback, on, pattern, server, soon, undisturbed, until};

fn states(association: &Association) -> Vec<PathState> {
    association.paths().iter().map(|path| path.stats.state).collect()
}

/// Whether a path carried only retransmissions, which a timer may cause on a busy machine.
fn only_repeats(path: &Path) -> bool {
    path.stats.data_chunks_sent == path.stats.retransmitted_chunks
}

/// Sends numbered messages, and checks them at the other end.
async fn transfer(pair: &Pair, messages: usize) {
    let send = async {
        for number in 0..messages {
            pair.client.send(Message::new(pattern(number, 20_000))).await.unwrap();
        }
    };
    let receive = async {
        for number in 0..messages {
            let message = pair.server.receive().await.unwrap().unwrap();
            assert!(message.payload == pattern(number, 20_000), "message {number}");
        }
    };
    soon(async { tokio::join!(send, receive) }).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_path_that_stops_fails_and_recovers() {
    let change = |builder: Builder| builder.concurrent("cmt-rpv2").configure(impatient);
    let (pair, relays) = relayed(change).await;
    let mut events = pair.client.events();
    transfer(&pair, 100).await;
    relays[1].drop_all(true);
    transfer(&pair, 100).await;
    until("the path is down", || states(&pair.client)[1] == PathState::Inactive).await;
    until("the other path works", || states(&pair.client)[0] == PathState::Active).await;
    relays[1].drop_all(false);
    until("the path is up", || states(&pair.client)[1] == PathState::Active).await;
    let received = || pair.server.paths()[1].stats.data_packets_received;
    let before = received();
    transfer(&pair, 100).await;
    assert!(received() > before);
    let path = (loopback(2), loopback(12));
    let mut seen = Vec::new();
    while seen.len() < 2 {
        match soon(events.next()).await.unwrap() {
            Event::PathDown { local, remote } if (local, remote) == path => seen.push("down"),
            // On a busy machine a timer may expire early, so that a path becomes potentially failed and recovers before
            // it stops
            Event::PathUp { local, remote } if (local, remote) == path && !seen.is_empty() => {
                seen.push("up");
            }
            _ => {}
        }
    }
    assert_eq!(seen, ["down", "up"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn without_concurrency_the_second_path_takes_over_when_the_first_one_fails() {
    // If the machine stands still, the second path takes over for a moment
    let (pair, relays) = undisturbed(async || {
        let (pair, relays) = relayed(|builder| builder.configure(impatient)).await;
        transfer(&pair, 50).await;
        let other = pair.client.paths()[1];
        if only_repeats(&other) { Ok((pair, relays)) } else { Err(other) }
    })
    .await;
    relays[0].drop_all(true);
    transfer(&pair, 50).await;
    assert!(pair.client.paths()[1].stats.data_packets > 100);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_changed_udp_port_of_a_peer_is_followed() {
    let (pair, relays) = relayed(|builder| builder.configure(impatient)).await;
    transfer(&pair, 20).await;
    relays[0].change_port();
    relays[1].change_port();
    transfer(&pair, 20).await;
    // The server can send first, too
    pair.server.send(Message::new("found you")).await.unwrap();
    assert_eq!(soon(pair.client.receive()).await.unwrap().unwrap().payload, "found you");
    until("both paths work", || states(&pair.server) == [PathState::Active; 2]).await;
}

#[tokio::test]
async fn data_uses_the_primary_path_that_the_application_sets() {
    undisturbed(async || {
        let (pair, relays) = relayed(|builder| builder).await;
        until("both paths are confirmed", || {
            pair.client.paths().iter().all(|path| path.stats.confirmed)
        })
        .await;
        pair.client.set_primary(1).unwrap();
        assert!(pair.client.paths()[1].is_primary && !pair.client.paths()[0].is_primary);
        transfer(&pair, 30).await;
        assert!(relays[1].forwarded() >= 30 * 20_000 / 9216);
        let other = pair.client.paths()[0];
        if only_repeats(&other) { Ok(()) } else { Err(other) }
    })
    .await;
}

/// Omitted paths must not be remembered as open either.
#[test]
fn paths_beyond_those_that_an_association_has_are_left_out_each_time() {
    let Some(namespace) = Namespace::new() else { return };
    let local: Vec<_> = (1..=12).map(|last| ip(&format!("fd00::{last}"))).collect();
    for address in &local {
        namespace.add_address(*address, 128, "lo");
    }
    namespace.run(async || {
        // Eight paths over IPv4, and twelve over IPv6
        let remote = (11..=18).map(loopback).chain([local[0]]).collect::<Vec<_>>();
        let (_server, peer) = server(on(&remote)).await;
        let client = on(&[&[loopback(1)], &local[..]].concat()).bind(0).await.unwrap();
        for _ in 0..2 {
            let association = soon(client.connect(peer.clone())).await.expect("it has ended");
            assert_eq!(association.paths().len(), 16);
            soon(association.shutdown()).await.unwrap();
        }
    });
}

#[tokio::test]
async fn more_addresses_than_paths_are_refused() {
    let addresses: Vec<_> = (11..=27).map(loopback).collect();
    let error = on(&addresses).bind(0).await.unwrap_err();
    assert_eq!(error.to_string(), "`local` is 17 addresses, expected at most 16");
    let client = on(&[loopback(1)]).bind(0).await.unwrap();
    let error = client.connect(Peer::new(addresses, 7)).await.unwrap_err();
    assert_eq!(error.to_string(), "`addresses` is 17 addresses, expected at most 16");
}
