//! Reports of the system and the network: addresses that vanish, packets that are too large, unreachable ports.

use std::net::IpAddr;
use std::time::{Duration, Instant};

use manypath_core::Span;
use manypath_net::{Endpoint, Event, Events, Host, Message, PathState, Peer, metrics};
use manypath_sctp::Burst;

use crate::namespace::{Namespace, cable};
use crate::ports::free_port;
use crate::stage::{
    echo, impatient, ip, loopback, on, pair_on, patient, server, soon, transfer, until,
};

/// Whether the path from this address is up after its next event.
async fn next_of(events: &mut Events, address: IpAddr) -> bool {
    loop {
        match soon(events.next()).await.expect("the association is open") {
            Event::PathUp { local, .. } if local == address => return true,
            Event::PathDown { local, .. } if local == address => return false,
            _ => {}
        }
    }
}

#[test]
fn an_address_that_vanishes_and_comes_back_is_noticed_at_once() {
    let Some(namespace) = Namespace::new() else { return };
    let (left, right) = ([ip("10.77.1.1"), ip("10.77.2.1")], [ip("10.77.1.2"), ip("10.77.2.2")]);
    for address in left.iter().chain(&right) {
        namespace.add_address(*address, 32, "lo");
    }
    namespace.run(async || {
        let pair = pair_on(&left, &right, |builder| builder.configure(patient)).await;
        let mut events = pair.client.events();
        transfer(&pair.client, &pair.server, 100_000).await;
        // The primary path loses its address
        namespace.ip("address delete 10.77.1.1/32 dev lo");
        assert!(!next_of(&mut events, left[0]).await);
        transfer(&pair.client, &pair.server, 1_000_000).await;
        namespace.add_address(ip("10.77.1.1"), 32, "lo");
        assert!(next_of(&mut events, left[0]).await);
        transfer(&pair.client, &pair.server, 100_000).await;
    });
}

#[test]
fn an_endpoint_that_is_opened_after_the_return_of_its_address_uses_the_address() {
    let Some(namespace) = Namespace::new() else { return };
    let (left, right) = ([ip("10.77.1.1"), ip("10.77.2.1")], [ip("10.77.1.2"), ip("10.77.2.2")]);
    for address in left.iter().chain(&right) {
        namespace.add_address(*address, 32, "lo");
    }
    namespace.run(async || {
        let (server, peer) = server(on(&right)).await;
        let host = Host::bind(on(&left)).await.unwrap();
        let first = host.endpoint().bind(0).await.unwrap();
        let association = soon(first.connect_with(peer.clone(), patient)).await.unwrap();
        let mut events = association.events();
        namespace.ip("address delete 10.77.1.1/32 dev lo");
        assert!(!next_of(&mut events, left[0]).await);
        namespace.add_address(ip("10.77.1.1"), 32, "lo");
        assert!(next_of(&mut events, left[0]).await);
        let second = host.endpoint().bind(0).await.unwrap();
        let association = soon(second.connect_with(peer, patient)).await.unwrap();
        let paths = association.paths();
        let mut from_it = paths.iter().filter(|path| path.local == left[0]);
        assert!(from_it.all(|path| path.stats.state == PathState::Active), "{paths:?}");
        drop(server);
    });
}

#[test]
fn an_interface_that_goes_down_and_up_is_noticed_at_once() {
    let (Some(left), Some(right)) = (Namespace::new(), Namespace::new()) else { return };
    cable(&left, "10.78.1.1", &right, "10.78.1.2", 24, "one");
    cable(&left, "10.78.2.1", &right, "10.78.2.2", 24, "two");
    let addresses = [ip("10.78.1.2"), ip("10.78.2.2")];
    std::thread::scope(|scope| {
        let (reached, reachable) = std::sync::mpsc::channel();
        let right = &right;
        scope.spawn(move || right.run(async || echo(on(&addresses), reached).await));
        let peer = reachable.recv().unwrap();
        left.run(async || {
            let local = [ip("10.78.1.1"), ip("10.78.2.1")];
            let client = on(&local).bind(0).await.unwrap();
            let association = soon(client.connect_with(peer.clone(), patient)).await.unwrap();
            let mut events = association.events();
            // The other end of the link goes down, and with it this end
            right.ip("link set one down");
            assert!(!next_of(&mut events, local[0]).await);
            association.send(Message::new("by the other path")).await.unwrap();
            assert!(soon(association.receive()).await.unwrap().is_some());
            right.ip("link set one up");
            assert!(next_of(&mut events, local[0]).await);
            soon(association.shutdown()).await.unwrap();
        });
    });
}

#[test]
fn a_path_whose_interface_takes_only_small_packets_gets_small_packets() {
    let Some(namespace) = Namespace::new() else { return };
    namespace.ip("link set lo mtu 1300");
    namespace.run(async || {
        for address in [loopback(1), ip("::1")] {
            let pair = pair_on(&[address], &[address], |builder| builder).await;
            transfer(&pair.client, &pair.server, 200_000).await;
            until("the MTU is known", || pair.client.paths()[0].mtu == 1300).await;
            // The system refused the larger probe
            assert!(pair.endpoints[0].counters().dropped_packets > 0);
        }
    });
}

/// The system returns ENOBUFS if the queue of an interface has no room for a packet.
#[test]
fn a_full_queue_loses_packets_and_ends_nothing() {
    for is_raw in [false, true] {
        let Some(namespace) = Namespace::new() else { return };
        namespace.ip("link set lo mtu 1500");
        namespace.tc("qdisc replace dev lo root tbf rate 20mbit burst 3000 limit 4500");
        namespace.run(async || {
            let pair = pair_on(&[loopback(1)], &[loopback(11)], |builder| {
                let builder = if is_raw { builder.without_encapsulation() } else { builder };
                builder.configure(|config| {
                    (config.rto.min, config.sack_delay) =
                        (Span::from_millis(100), Span::from_millis(10));
                })
            })
            .await;
            let begun = Instant::now();
            transfer(&pair.client, &pair.server, 300_000).await;
            soon(pair.client.shutdown()).await.unwrap();
            let most = begun.elapsed().as_millis() as u64 + 10;
            let dropped = pair.endpoints[0].counters().dropped_packets;
            assert!(dropped > 0, "the queue had room for everything");
            // Apart from a few MTU probes, one packet is lost per pause of a millisecond
            assert!(dropped < most, "{dropped} of {most}");
            let line = format!("\nmanypath_endpoint_dropped_packets_total {dropped}\n");
            assert!(metrics::text(&pair.endpoints[0]).contains(&line), "{line}");
        });
    }
}

/// Without a pause all waiting packets would be refused within a millisecond.
#[test]
fn packets_for_a_full_queue_are_tried_again_after_a_pause() {
    for is_raw in [false, true] {
        let Some(namespace) = Namespace::new() else { return };
        namespace.ip("link set lo mtu 1500");
        namespace.run(async || {
            let pair = pair_on(&[loopback(1)], &[loopback(11)], |builder| {
                let builder = if is_raw { builder.without_encapsulation() } else { builder };
                builder.configure(|config| {
                    patient(config);
                    // The whole window is sent at once
                    config.burst = Burst::None;
                })
            })
            .await;
            let window = || pair.client.paths()[0].stats.window;
            while window() < 600_000 {
                transfer(&pair.client, &pair.server, 1_000_000).await;
            }
            // One packet takes a second
            namespace.tc("qdisc replace dev lo root tbf rate 12kbit burst 1600 limit 4500");
            let (begun, endpoint) = (Instant::now(), &pair.endpoints[0]);
            let before = endpoint.counters();
            pair.client.send(Message::new(vec![0; 1_000_000])).await.unwrap();
            until("the window has left", || {
                endpoint.counters().packets_sent > before.packets_sent + 300
            })
            .await;
            until("the queue is full", || {
                endpoint.counters().dropped_packets > before.dropped_packets
            })
            .await;
            tokio::time::sleep(Duration::from_millis(20)).await;
            let dropped = endpoint.counters().dropped_packets - before.dropped_packets;
            let most = begun.elapsed().as_millis() as u64 + 10;
            assert!(dropped < most, "{dropped} of {most}");
            // Nothing but the end of each pause wakes the driver
            let dropped = || endpoint.counters().dropped_packets - before.dropped_packets;
            until("packets are offered after each pause", || dropped() > 20).await;
        });
    }
}

#[test]
fn an_icmp_message_about_a_small_mtu_is_handled() {
    let (Some(left), Some(router), Some(right)) =
        (Namespace::new(), Namespace::new(), Namespace::new())
    else {
        return;
    };
    cable(&left, "10.79.1.1", &router, "10.79.1.2", 24, "left");
    cable(&router, "10.79.2.1", &right, "10.79.2.2", 24, "right");
    left.ip("route add 10.79.2.0/24 via 10.79.1.2");
    right.ip("route add 10.79.1.0/24 via 10.79.2.1");
    router.forward();
    router.ip("link set right mtu 1200");
    right.ip("link set right mtu 1200");
    std::thread::scope(|scope| {
        let (reached, reachable) = std::sync::mpsc::channel();
        let right = &right;
        scope.spawn(move || right.run(async || echo(on(&[ip("10.79.2.2")]), reached).await));
        let peer = reachable.recv().unwrap();
        left.run(async || {
            let client = on(&[ip("10.79.1.1")]).bind(0).await.unwrap();
            let association = soon(client.connect(peer.clone())).await.unwrap();
            transfer(&association, &association, 100_000).await;
            until("the MTU is known", || association.paths()[0].mtu == 1200).await;
            soon(association.shutdown()).await.unwrap();
        });
    });
}

#[tokio::test]
async fn a_closed_port_is_reported() {
    let client = on(&[loopback(1), ip("::1")]).bind(0).await.unwrap();
    let port = free_port(&[loopback(11), ip("::1")]);
    let peer = Peer::new([loopback(11)], 7).encapsulation(port);
    let error = soon(client.connect_with(peer, patient)).await.unwrap_err();
    assert_eq!(error.to_string(), "no SCTP endpoint listens at 127.0.0.11");
    let peer = Peer::new([ip("::1")], 7).encapsulation(port);
    let error = soon(client.connect_with(peer, patient)).await.unwrap_err();
    assert_eq!(error.to_string(), "no SCTP endpoint listens at ::1");
}

#[tokio::test]
async fn one_unreachable_address_does_not_end_the_attempt() {
    let (server, _) = server(on(&[loopback(12)])).await;
    let client = on(&[loopback(1)]).bind(0).await.unwrap();
    let peer = Peer::new([loopback(11), loopback(12)], server.port())
        .encapsulation(server.encapsulation_port());
    soon(client.connect_with(peer, impatient)).await.unwrap();
}

/// RFC 6951 §5.6, RFC 9260 §10 ICMP8
#[tokio::test]
async fn a_peer_whose_socket_is_closed_is_noticed_with_the_first_packet() {
    let (server, peer) = server(on(&[loopback(13)])).await;
    let (go, gone) = tokio::sync::oneshot::channel();
    let vanishing = tokio::task::spawn_blocking(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let client = on(&[loopback(1)]).bind(0).await.unwrap();
            let association = soon(client.connect(peer)).await.unwrap();
            // An association that ends before it is accepted could not be accepted
            soon(gone).await.unwrap();
            association
        })
    });
    let accepted = soon(server.accept()).await.unwrap();
    go.send(()).unwrap();
    drop(vanishing.await.unwrap());
    let _ = accepted.send(Message::new("anyone?")).await;
    // Retransmissions would fail after minutes
    let error = soon(accepted.receive()).await.unwrap_err();
    assert_eq!(error.to_string(), "the peer no longer answers");
}

#[test]
fn a_host_without_a_route_ends_the_attempt_at_once() {
    let (Some(left), Some(router)) = (Namespace::new(), Namespace::new()) else { return };
    cable(&left, "10.81.1.1", &router, "10.81.1.2", 24, "left");
    router.forward();
    router.ip("route add unreachable 10.81.9.0/24");
    left.ip("route add default via 10.81.1.2");
    left.run(async || {
        let client = on(&[ip("10.81.1.1")]).bind(0).await.unwrap();
        fails_without_a_route(&client, "10.81.9.9", |peer| peer.encapsulation(9899)).await;
    });
}

/// Checks that the attempt fails soon, with the address of the peer in the message.
async fn fails_without_a_route(client: &Endpoint, address: &str, with: impl FnOnce(Peer) -> Peer) {
    let peer = with(Peer::new([ip(address)], 7));
    let error = soon(client.connect_with(peer, patient)).await.unwrap_err();
    let text = format!(
        "{address} cannot be reached: a router or this machine says that no way leads there"
    );
    assert_eq!(error.to_string(), text);
}

/// The system refuses the packet itself; the error queue is empty.
#[test]
fn a_missing_local_route_ends_the_attempt_at_once() {
    for is_raw in [false, true] {
        let Some(namespace) = Namespace::new() else { return };
        namespace.add_address(ip("10.85.0.1"), 32, "lo");
        namespace.run(async || {
            let builder = on(&[ip("10.85.0.1")]);
            let builder = if is_raw { builder.without_encapsulation() } else { builder };
            let client = builder.bind(0).await.unwrap();
            fails_without_a_route(
                &client,
                "10.85.9.9",
                |peer| if is_raw { peer.raw() } else { peer },
            )
            .await;
        });
    }
}

#[test]
fn a_path_whose_interface_is_down_at_the_start_is_used_once_that_comes_up() {
    let (Some(left), Some(right)) = (Namespace::new(), Namespace::new()) else { return };
    // No later reports of addresses
    left.without_ipv6();
    cable(&left, "10.86.1.1", &right, "10.86.1.2", 24, "one");
    cable(&left, "10.86.2.1", &right, "10.86.2.2", 24, "two");
    left.ip("link set two down");
    let addresses = [ip("10.86.1.2"), ip("10.86.2.2")];
    std::thread::scope(|scope| {
        let (reached, reachable) = std::sync::mpsc::channel();
        let right = &right;
        scope.spawn(move || right.run(async || echo(on(&addresses), reached).await));
        let peer = reachable.recv().unwrap();
        left.run(async || {
            let local = [ip("10.86.1.1"), ip("10.86.2.1")];
            let client = on(&local).bind(0).await.unwrap();
            let association = soon(client.connect_with(peer.clone(), patient)).await.unwrap();
            let state = || association.paths()[1].stats.state;
            until("the second path is down", || state() == PathState::Inactive).await;
            let mut events = association.events();
            left.ip("link set two up");
            assert!(next_of(&mut events, local[1]).await);
            association.set_primary(1).unwrap();
            transfer(&association, &association, 100_000).await;
            assert!(association.paths()[1].stats.data_packets > 0);
            soon(association.shutdown()).await.unwrap();
        });
    });
}
