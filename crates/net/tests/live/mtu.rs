//! Probes find the largest packet of a path, also where routers drop larger packets without an ICMP message. RFC 8899

use std::net::IpAddr;
use std::time::{Duration, Instant};

use manypath_core::Span;
use manypath_net::{Association, Builder, Config, Endpoint, Error, Path, Peer};

use crate::namespace::{Namespace, cable};
use crate::stage::{PATIENCE, echo, ip, on, pair_on, soon, transfer, until};

/// A left host, a router and a right host; the MTUs of both links at all their ends.
struct Line {
    left: Namespace,
    router: Namespace,
    right: Namespace,
    addresses: [IpAddr; 2],
}

impl Line {
    fn new(v6: bool, near: u16, far: u16) -> Option<Self> {
        let (left, router, right) = (Namespace::new()?, Namespace::new()?, Namespace::new()?);
        let (net, prefix) = if v6 { ("fd00:79", 64) } else { ("10.79", 24) };
        let dot = if v6 { "::" } else { "." };
        let address = |link: u8, end: u8| match v6 {
            true => format!("{net}:{link}::{end}"),
            false => format!("{net}.{link}{dot}{end}"),
        };
        cable(&left, &address(1, 1), &router, &address(1, 2), prefix, "left");
        cable(&router, &address(2, 1), &right, &address(2, 2), prefix, "right");
        let family = if v6 { "-6 " } else { "" };
        left.ip(&format!("{family}route add default via {}", address(1, 2)));
        right.ip(&format!("{family}route add default via {}", address(2, 1)));
        router.forward();
        for (side, link, mtu) in [
            (&left, "left", near),
            (&router, "left", near),
            (&router, "right", far),
            (&right, "right", far),
        ] {
            side.ip(&format!("link set {link} mtu {mtu}"));
        }
        let addresses = [ip(&address(1, 1)), ip(&address(2, 2))];
        Some(Self { left, router, right, addresses })
    }

    /// From now on the router drops too large packets without an ICMP message.
    fn silence(&self) {
        self.router.ip("rule add ipproto icmp blackhole");
        self.router.ip("-6 rule add ipproto ipv6-icmp blackhole");
    }

    /// Runs `story` with an association from left to right, whose right end echoes all data; returns the numbers of its
    /// path at the end.
    fn run(
        &self,
        change: impl Fn(Builder) -> Builder + Send + Sync,
        story: impl AsyncFnOnce(Association) + Send,
    ) -> Path {
        let [local, remote] = self.addresses;
        std::thread::scope(|scope| {
            let (reached, reachable) = std::sync::mpsc::channel();
            let change = &change;
            scope.spawn(move || {
                self.right.run(async || echo(change(on(&[remote])), reached).await);
            });
            let peer = reachable.recv().unwrap();
            self.left.run(async || {
                let client = change(on(&[local])).bind(0).await.unwrap();
                let association = soon(connect(&client, &peer)).await;
                story(association.clone()).await;
                let path = association.paths()[0];
                soon(association.shutdown()).await.unwrap();
                path
            })
        })
    }

    /// Runs `story` until no timer expired, since those of a machine that stands still expire, too: no data was lost.
    /// Returns the size of packets at the end.
    fn run_without_timeouts(
        &self,
        change: impl Fn(Builder) -> Builder + Send + Sync,
        story: impl AsyncFn(Association) + Send + Sync,
    ) -> u16 {
        let begun = Instant::now();
        loop {
            let path = self.run(&change, &story);
            if path.stats.timeouts == 0 {
                return path.mtu;
            }
            assert!(begun.elapsed() < PATIENCE, "each time in {PATIENCE:?}: {path:?}");
        }
    }
}

/// Connects, as soon as the router has resolved its new neighbours.
async fn connect(client: &Endpoint, peer: &Peer) -> Association {
    loop {
        match client.connect(peer.clone()).await {
            Err(Error::HostUnreachable(_)) => tokio::time::sleep(Duration::from_millis(100)).await,
            outcome => return outcome.unwrap(),
        }
    }
}

fn mtu(association: &Association) -> u16 {
    association.paths()[0].mtu
}

async fn until_mtu(association: &Association, size: u16) {
    until(&format!("packets have {size} bytes"), || mtu(association) == size).await;
}

fn raw(builder: Builder) -> Builder {
    builder.without_encapsulation()
}

#[test]
fn packets_grow_to_the_mtu_of_the_links() {
    for (link, v6) in [(1280, true), (1400, false), (1500, true), (4000, false), (9000, true)] {
        for is_raw in [false, true] {
            let Some(line) = Line::new(v6, link, link) else { return };
            let change = |builder: Builder| if is_raw { raw(builder) } else { builder };
            let mtu = line.run_without_timeouts(change, async |association: Association| {
                until_mtu(&association, link).await;
                transfer(&association, &association, 300_000).await;
            });
            assert_eq!(mtu, link);
        }
    }
}

#[test]
fn an_icmp_message_of_a_router_takes_effect_at_once() {
    for v6 in [false, true] {
        let Some(line) = Line::new(v6, 9000, 1450) else { return };
        let mtu = line.run_without_timeouts(
            |builder| builder,
            async |association: Association| {
                until_mtu(&association, 1450).await;
                transfer(&association, &association, 300_000).await;
            },
        );
        assert_eq!(mtu, 1450);
    }
}

#[test]
fn a_router_that_drops_large_packets_silently_is_detected() {
    for v6 in [false, true] {
        let Some(line) = Line::new(v6, 1500, 1400) else { return };
        line.silence();
        line.run_without_timeouts(
            |builder| builder,
            async |association: Association| {
                transfer(&association, &association, 100_000).await;
                until_mtu(&association, 1400).await;
                transfer(&association, &association, 300_000).await;
            },
        );
    }
}

/// Timeouts are short, but longer than a delayed SACK.
fn hasty(builder: Builder) -> Builder {
    builder.configure(|config: &mut Config| {
        (config.rto.min, config.sack_delay) = (Span::from_millis(200), Span::from_millis(10));
    })
}

/// Chunks for large packets are retransmitted for the router to fragment. IPv6 routers do not fragment.
#[test]
fn a_path_that_becomes_a_black_hole_continues_with_small_packets() {
    let Some(line) = Line::new(false, 9000, 9000) else { return };
    line.run(hasty, async |association| {
        until_mtu(&association, 9000).await;
        transfer(&association, &association, 300_000).await;
        line.silence();
        line.router.ip("link set right mtu 1400");
        line.right.ip("link set right mtu 1400");
        transfer(&association, &association, 300_000).await;
        until("packets are small", || mtu(&association) <= 1400).await;
    });
}

#[test]
fn an_interface_whose_mtu_falls_is_noticed_at_the_next_packet() {
    let Some(line) = Line::new(false, 9000, 9000) else { return };
    line.run(
        |builder| builder,
        async |association| {
            until_mtu(&association, 9000).await;
            line.left.ip("link set left mtu 1300");
            line.router.ip("link set left mtu 1300");
            transfer(&association, &association, 300_000).await;
            until_mtu(&association, 1300).await;
        },
    );
}

#[test]
fn a_search_that_is_off_leaves_the_packets_as_they_are() {
    let Some(namespace) = Namespace::new() else { return };
    namespace.run(async || {
        let fixed = |builder: Builder| {
            builder.configure(|config| (config.mtu, config.mtu_discovery) = (1400, None))
        };
        let local = [crate::stage::loopback(1)];
        let pair = pair_on(&local, &local, fixed).await;
        transfer(&pair.client, &pair.server, 300_000).await;
        tokio::time::sleep(Duration::from_millis(200)).await;
        assert_eq!(mtu(&pair.client), 1400);
        assert_eq!(pair.client.paths()[0].stats.mtu_probes, 0);
    });
}
