//! Associations over IPv4 and IPv6, one and many.

use std::collections::BTreeSet;
use std::net::{IpAddr, Ipv6Addr, UdpSocket};

use manypath_core::Span;
use manypath_net::{Endpoint, Message, Path, PathState, Peer};

use crate::namespace::Namespace;
use crate::ports::free_port;
use crate::stage::{
    connect, ip, loopback, on, pair, pair_on, patient, pattern, server, soon, transfer, undisturbed,
};

#[tokio::test]
async fn both_sides_agree_on_streams_and_talk() {
    let pair = pair(|builder| builder.streams(10)).await;
    assert_eq!(pair.client.streams().outbound, 10);
    assert_eq!(pair.server.streams().inbound, 10);
    let message = Message::new("hello").stream(9).ppid(46).unordered();
    pair.client.send(message.clone()).await.unwrap();
    assert_eq!(soon(pair.server.receive()).await.unwrap(), Some(message));
    pair.server.send(Message::new("welcome")).await.unwrap();
    assert_eq!(soon(pair.client.receive()).await.unwrap(), Some(Message::new("welcome")));
}

#[tokio::test]
async fn ipv6_and_ipv4_are_paths_of_one_association() {
    let v6: IpAddr = Ipv6Addr::LOCALHOST.into();
    // No timer repeats the message
    let change = |builder: manypath_net::Builder| builder.configure(patient);
    let pair = pair_on(&[v6, loopback(1)], &[v6, loopback(11)], change).await;
    let mut paths: Vec<_> = pair.client.paths().iter().map(|it| (it.local, it.remote)).collect();
    assert_eq!(paths, [(v6, v6), (loopback(1), loopback(11))]);
    assert!(pair.client.paths()[0].is_primary);
    paths = pair.server.paths().iter().map(|it| (it.remote, it.local)).collect();
    assert_eq!(paths, [(v6, v6), (loopback(1), loopback(11))]);
    pair.client.send(Message::new("over IPv6")).await.unwrap();
    assert_eq!(soon(pair.server.receive()).await.unwrap().unwrap().payload, "over IPv6");
    assert_eq!(pair.client.paths()[0].stats.data_packets, 1);
}

/// The other addresses belong to sockets that do not answer. The setting allows nine attempts.
#[tokio::test]
async fn a_peer_that_answers_at_its_last_address_is_found() {
    let mute: Vec<IpAddr> = (61..=75).map(loopback).collect();
    let udp = free_port(&[&mute[..], &[loopback(77)]].concat());
    let (server, _) = server(on(&[loopback(77)]).encapsulation(udp)).await;
    let bind = |&address: &IpAddr| UdpSocket::bind((address, udp)).expect("the port is free there");
    let _sockets: Vec<_> = mute.iter().map(bind).collect();
    let addresses: Vec<IpAddr> = mute.into_iter().chain(server.local_addresses()).collect();
    assert_eq!(addresses.len(), Endpoint::MOST_ADDRESSES);
    let client = on(&[loopback(1)]).configure(|config| {
        assert!(config.init_max_retransmissions < 15);
        config.rto.initial = Span::from_millis(50);
    });
    let client = client.bind(0).await.unwrap();
    let peer = Peer::new(addresses, server.port()).encapsulation(udp);
    soon(client.connect(peer)).await.unwrap();
}

#[test]
fn each_side_receives_the_addresses_of_the_other_one_of_both_families() {
    let Some(namespace) = Namespace::new() else { return };
    let left = ["10.82.0.1", "fd82::1:1", "fd82::1:2"].map(ip);
    let right = ["10.82.0.2", "fd82::2:1", "fd82::2:2"].map(ip);
    for address in left.iter().chain(&right) {
        namespace.add_address(*address, if address.is_ipv4() { 32 } else { 128 }, "lo");
    }
    namespace.run(async || {
        let (server, _) = server(on(&right)).await;
        // The client knows one address of each family
        let peer = Peer::new([right[0], right[1]], server.port());
        let peer = peer.encapsulation(server.encapsulation_port());
        let client = on(&left).bind(0).await.unwrap();
        let pair = connect(client, server, peer).await;
        for (association, addresses) in [(&pair.client, right), (&pair.server, left)] {
            let known: BTreeSet<_> = association.paths().iter().map(|path| path.remote).collect();
            assert_eq!(known, BTreeSet::from(addresses));
        }
    });
}

#[tokio::test]
async fn a_client_with_two_addresses_has_two_paths_to_a_server_with_one() {
    let concurrent = |builder: manypath_net::Builder| builder.concurrent("newreno");
    let pair = pair_on(&[loopback(1), loopback(2)], &[loopback(11)], concurrent).await;
    let paths: Vec<_> = pair.client.paths().iter().map(|it| (it.local, it.remote)).collect();
    assert_eq!(paths, [(loopback(1), loopback(11)), (loopback(2), loopback(11))]);
    // A path whose timer expires while the machine stands still has a small share for a while
    undisturbed(async || {
        transfer(&pair.client, &pair.server, 2_000_000).await;
        let carries = |path: &Path| {
            path.stats.state == PathState::Active
                && path.stats.data_packets.max(path.stats.data_packets_received) > 50
        };
        let paths = [pair.client.paths(), pair.server.paths()].concat();
        if paths.iter().all(carries) { Ok(()) } else { Err(paths) }
    })
    .await;
    // Each of them has its own source address
    let remotes: Vec<_> = pair.server.paths().iter().map(|path| path.remote).collect();
    assert_eq!(remotes, [loopback(1), loopback(2)]);
}

#[tokio::test]
async fn an_address_that_is_named_twice_counts_once() {
    let pair = pair_on(&[loopback(1), loopback(1)], &[loopback(11), loopback(11)], |it| it).await;
    assert_eq!(pair.endpoints[0].local_addresses(), [loopback(1)]);
    assert_eq!((pair.client.paths().len(), pair.server.paths().len()), (1, 1));
}

#[tokio::test]
async fn one_endpoint_has_many_associations() {
    const CLIENTS: usize = 50;
    let (server, peer) = server(on(&[loopback(11)])).await;
    let echo = tokio::spawn({
        let server = server.clone();
        async move {
            for _ in 0..CLIENTS {
                let association = server.accept().await.unwrap();
                tokio::spawn(async move {
                    while let Some(message) = association.receive().await.unwrap() {
                        association.send(Message::new(message.payload)).await.unwrap();
                    }
                });
            }
        }
    });
    let mut clients = Vec::new();
    for number in 0..CLIENTS {
        let peer = peer.clone();
        clients.push(tokio::spawn(async move {
            let endpoint = on(&[loopback(1)]).bind(0).await.unwrap();
            let association = endpoint.connect(peer).await.unwrap();
            let message = Message::new(pattern(number, 5000));
            association.send(message.clone()).await.unwrap();
            assert_eq!(association.receive().await.unwrap(), Some(message));
            association.shutdown().await.unwrap();
        }));
    }
    for client in clients {
        soon(client).await.unwrap();
    }
    soon(echo).await.unwrap();
    soon(server.close()).await;
}

#[tokio::test]
async fn a_client_can_have_associations_with_several_servers_and_one_with_each() {
    let (first, first_peer) = server(on(&[loopback(11)])).await;
    let (_second, second_peer) = server(on(&[loopback(12)])).await;
    let client = on(&[loopback(1)]).bind(0).await.unwrap();
    let pair = connect(client.clone(), first, first_peer.clone()).await;
    let _other = client.connect(second_peer).await.unwrap();
    let again = client.connect(first_peer.clone()).await.unwrap_err();
    let port = pair.endpoints[1].port();
    assert_eq!(again.to_string(), format!("an association with 127.0.0.11:{port} is open already"));
    pair.client.shutdown().await.unwrap();
    // After the end of one association, the client may open another one
    client.connect(first_peer).await.unwrap();
}

#[tokio::test]
async fn an_endpoint_without_addresses_of_its_own_takes_those_of_the_machine() {
    let (server, _) = server(on(&[])).await;
    assert!(server.local_addresses().contains(&loopback(1)));
    let client = on(&[]).bind(0).await.unwrap();
    let peer = Peer::new([loopback(1)], server.port()).encapsulation(server.encapsulation_port());
    let association = soon(client.connect(peer)).await.unwrap();
    assert_eq!(association.paths()[0].local, loopback(1));
}

#[tokio::test]
async fn endpoints_without_a_chosen_port_differ_for_a_peer() {
    let mut endpoints = Vec::new();
    for _ in 0..3 {
        let endpoint = on(&[loopback(1)]).encapsulation(0).bind(0).await.unwrap();
        assert_eq!(endpoint.port(), endpoint.encapsulation_port());
        endpoints.push(endpoint);
    }
}
