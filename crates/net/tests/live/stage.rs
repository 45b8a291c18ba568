//! Endpoints and associations for tests.

use std::fmt::Debug;
use std::net::{IpAddr, Ipv4Addr};
use std::time::{Duration, Instant};

use bytes::Bytes;
use manypath_core::{RtoLimits, Span};
use manypath_net::{Association, Builder, Config, Endpoint, Message, Peer};

/// The loopback address 127.0.0.`last`.
pub(crate) fn loopback(last: u8) -> IpAddr {
    Ipv4Addr::new(127, 0, 0, last).into()
}

/// An address in its usual form.
pub(crate) fn ip(text: &str) -> IpAddr {
    text.parse().unwrap()
}

/// An endpoint's settings on loopback addresses with free ports.
pub(crate) fn on(addresses: &[IpAddr]) -> Builder {
    Endpoint::builder().local(addresses.to_vec()).encapsulation(0)
}

/// A listening endpoint, and its addresses.
pub(crate) async fn server(builder: Builder) -> (Endpoint, Peer) {
    let server = builder.listen(64).bind(0).await.expect("the addresses are free");
    let peer = Peer::new(server.local_addresses(), server.port());
    let peer = match server.encapsulation_port() {
        0 => peer.raw(),
        port => peer.encapsulation(port),
    };
    (server, peer)
}

/// Both ends of an association, which the client opened.
pub(crate) struct Pair {
    pub(crate) client: Association,
    pub(crate) server: Association,
    /// Kept so that the endpoints stay open.
    pub(crate) endpoints: [Endpoint; 2],
}

/// An association between 127.0.0.1 and 127.0.0.11; `change` modifies the settings of both sides.
pub(crate) async fn pair(change: impl Fn(Builder) -> Builder) -> Pair {
    pair_on(&[loopback(1)], &[loopback(11)], change).await
}

/// An association between these addresses.
pub(crate) async fn pair_on(
    client: &[IpAddr],
    server: &[IpAddr],
    change: impl Fn(Builder) -> Builder,
) -> Pair {
    let (server, peer) = self::server(change(on(server))).await;
    let client = change(on(client)).bind(0).await.expect("the addresses are free");
    connect(client, server, peer).await
}

/// Connects two endpoints.
pub(crate) async fn connect(client: Endpoint, server: Endpoint, peer: Peer) -> Pair {
    let (connected, accepted) = tokio::join!(client.connect(peer), server.accept());
    Pair {
        client: connected.expect("the server listens"),
        server: accepted.expect("the client connects"),
        endpoints: [client, server],
    }
}

/// Sends this number of bytes and checks that they arrive unchanged.
pub(crate) async fn transfer(from: &Association, to: &Association, bytes: usize) {
    let all = pattern(7, bytes);
    let sending = from.send(Message::new(all.clone()));
    let (sent, received) = soon(async { tokio::join!(sending, to.receive()) }).await;
    sent.unwrap();
    assert!(received.unwrap().unwrap().payload == all);
}

/// Echoes the messages of one peer.
pub(crate) async fn echo(builder: Builder, reached: std::sync::mpsc::Sender<Peer>) {
    let (server, peer) = server(builder).await;
    reached.send(peer).unwrap();
    let association = soon(server.accept()).await.unwrap();
    while let Some(message) = soon(association.receive()).await.unwrap() {
        association.send(message).await.unwrap();
    }
}

/// Settings under which a path fails within a second. No association ends because a busy machine delays answers.
pub(crate) fn impatient(config: &mut Config) {
    config.rto = RtoLimits {
        initial: Span::from_millis(100),
        min: Span::from_millis(50),
        max: Span::from_millis(200),
        ..config.rto
    };
    config.sack_delay = Span::from_millis(10);
    config.heartbeat_interval = Span::from_millis(100);
    config.path_max_retransmissions = 2;
    (config.association_max_retransmissions, config.init_max_retransmissions) = (1000, 1000);
}

/// Settings with timers that are longer than [`soon`] waits: events within that time have other causes.
pub(crate) fn patient(config: &mut Config) {
    config.rto = RtoLimits { initial: NEVER, min: NEVER, max: NEVER, ..config.rto };
    config.heartbeat_interval = NEVER;
}

/// The longest wait of a test. It bounds failures only.
pub(crate) const PATIENCE: Duration = Duration::from_secs(300);
/// Longer than any test.
pub(crate) const NEVER: Span = Span::from_secs(600);

/// `length` bytes that depend on position and seed.
pub(crate) fn pattern(seed: usize, length: usize) -> Bytes {
    (0..length).map(|i| ((i * 31) ^ (i >> 8) ^ (seed * 7)) as u8).collect()
}

/// Repeats a story until its outcome is not that of a machine which stood still; such an outcome is an error.
pub(crate) async fn undisturbed<T, E: Debug>(mut story: impl AsyncFnMut() -> Result<T, E>) -> T {
    let begun = Instant::now();
    loop {
        match story().await {
            Ok(outcome) => return outcome,
            Err(seen) => assert!(begun.elapsed() < PATIENCE, "each time in {PATIENCE:?}: {seen:?}"),
        }
    }
}

/// Limits the time of a future.
pub(crate) async fn soon<T>(future: impl Future<Output = T>) -> T {
    tokio::time::timeout(PATIENCE, future).await.expect("done in time")
}

/// Waits until `holds` returns true, checking every few milliseconds.
pub(crate) async fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !holds() {
        assert!(begun.elapsed() < PATIENCE, "{what}: not within {PATIENCE:?}");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}
