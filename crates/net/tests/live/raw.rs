//! SCTP directly in IP. These tests need root, or CAP_NET_RAW.

use std::net::{IpAddr, Ipv6Addr};
use std::path::Path;

use manypath_net::{Builder, Endpoint, Error, Message, Peer};

use crate::stage::{Pair, connect, loopback, on, pattern, soon, until};

/// Whether this process may open raw sockets, and the kernel has no SCTP loaded. Otherwise the refusal is checked.
async fn is_possible() -> bool {
    let builder = Endpoint::builder().local([loopback(1)]).without_encapsulation();
    let Err(error) = builder.bind(0).await else { return true };
    eprintln!("not run: {error}");
    assert!(error.is_input(), "{error:?}");
    match error {
        Error::KernelSctp => assert!(Path::new("/proc/net/sctp").exists()),
        Error::NoRights(_) => assert!(!rustix::process::geteuid().is_root()),
        error => panic!("{error}"),
    }
    false
}

async fn raw_pair(change: impl Fn(Builder) -> Builder) -> Pair {
    let v6: IpAddr = Ipv6Addr::LOCALHOST.into();
    let client = change(on(&[loopback(1), v6])).without_encapsulation().bind(0).await.unwrap();
    let server = on(&[loopback(11), v6]).raw().listen(4).bind(0).await.unwrap();
    let peer = Peer::new(server.local_addresses(), server.port()).raw();
    connect(client, server, peer).await
}

async fn transfer(pair: &Pair) {
    let all = pattern(5, 3_000_000);
    let sending = pair.client.send(Message::new(all.clone()));
    let (sent, received) = soon(async { tokio::join!(sending, pair.server.receive()) }).await;
    sent.unwrap();
    assert!(received.unwrap().unwrap().payload == all);
}

#[tokio::test(flavor = "multi_thread")]
async fn ipv4_and_ipv6_carry_an_association_without_udp() {
    if !is_possible().await {
        return;
    }
    let pair = raw_pair(|builder| builder).await;
    assert_eq!(pair.endpoints[0].encapsulation_port(), 0);
    until("both paths are confirmed", || {
        pair.client.paths().iter().all(|path| path.stats.confirmed)
    })
    .await;
    for path in 0..2 {
        pair.client.set_primary(path).unwrap();
        transfer(&pair).await;
        let received = pair.server.paths()[path].stats.data_packets_received;
        // Packets have up to 9,216 bytes once probes have shown that they pass
        assert!(received > 3_000_000 / 9216, "{received} packets");
    }
    soon(pair.client.shutdown()).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn one_endpoint_has_peers_over_udp_and_over_ip_at_once() {
    if !is_possible().await {
        return;
    }
    let pair = raw_pair(|builder| builder).await;
    let server = pair.endpoints[1].clone();
    let over_udp =
        Peer::new([loopback(11)], server.port()).encapsulation(server.encapsulation_port());
    let client = on(&[loopback(2)]).bind(0).await.unwrap();
    let other = connect(client, server, over_udp).await;
    transfer(&pair).await;
    transfer(&other).await;
}

#[tokio::test]
async fn packets_for_other_ports_are_ignored() {
    if !is_possible().await {
        return;
    }
    let builder = on(&[loopback(1), loopback(11)]).without_encapsulation().listen(1);
    // Other tests run at the same time, on ports of the dynamic range
    let bystander = builder.bind(9).await.unwrap();
    let pair = raw_pair(|builder| builder).await;
    transfer(&pair).await;
    let counters = bystander.counters();
    // The smallest possible number of packets
    let foreign = bystander.foreign_packets();
    assert!(foreign > 3_000_000 / 9216, "{foreign}");
    assert_eq!((counters.packets_received, counters.packets_sent), (0, 0));
    soon(pair.client.shutdown()).await.unwrap();
}

#[tokio::test]
async fn a_peer_must_fit_the_endpoint() {
    let client = on(&[loopback(1)]).bind(0).await.unwrap();
    let error = client.connect(Peer::new([loopback(11)], 7).raw()).await.unwrap_err();
    let text = "`peer` is raw IP, expected UDP, or an endpoint with `Builder::raw`";
    assert_eq!(error.to_string(), text);
}
