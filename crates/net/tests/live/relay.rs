//! Relays between two addresses that forward UDP datagrams, or lose them.
//!
//! A relay on a path between client C and server S listens on S with its own port and forwards from C with another one.
//! Both sides see the expected addresses with other UDP ports, as with a NAT that translates ports. A relay can be a
//! bottleneck: then its receive buffer is the queue.

use std::collections::VecDeque;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use manypath_net::{Builder, Peer};
use tokio::net::UdpSocket;
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep_until};

use crate::ports::free_port;
use crate::stage::{Pair, connect, loopback, on, server};

/// A relay, which forwards until the value is dropped.
pub(crate) struct Relay {
    switches: Arc<Switches>,
    rebind: watch::Sender<u32>,
    task: JoinHandle<()>,
}

#[derive(Default)]
struct Switches {
    drops: AtomicBool,
    is_slow: AtomicBool,
    /// Delay of a datagram in milliseconds.
    delay: AtomicU64,
    forwarded: AtomicU64,
}

impl Relay {
    /// A relay to the server's UDP port; clients send to `port` of the server's address.
    pub(crate) async fn new(client: IpAddr, server: SocketAddr, port: u16) -> Self {
        let front = UdpSocket::bind((server.ip(), port)).await.expect("the port is free");
        let switches = Arc::new(Switches::default());
        let (rebind, rebinds) = watch::channel(0);
        let task = tokio::spawn(forward(front, client, server, Arc::clone(&switches), rebinds));
        Self { switches, rebind, task }
    }

    /// Sets whether the relay drops all datagrams.
    pub(crate) fn drop_all(&self, drops: bool) {
        self.switches.drops.store(drops, Ordering::Relaxed);
    }

    /// From now on the relay pauses for a tick of the timer, 1 to 2 ms, after every fourth datagram.
    pub(crate) fn slow_down(&self) {
        self.switches.is_slow.store(true, Ordering::Relaxed);
    }

    /// Sets the delay of datagrams in milliseconds.
    pub(crate) fn delay(&self, milliseconds: u64) {
        self.switches.delay.store(milliseconds, Ordering::Relaxed);
    }

    /// Changes the UDP port of the client that the server sees.
    pub(crate) fn change_port(&self) {
        self.rebind.send_modify(|count| *count += 1);
    }

    /// Number of datagrams forwarded in both directions.
    pub(crate) fn forwarded(&self) -> u64 {
        self.switches.forwarded.load(Ordering::Relaxed)
    }
}

impl Drop for Relay {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn forward(
    front: UdpSocket,
    client_ip: IpAddr,
    server: SocketAddr,
    switches: Arc<Switches>,
    mut rebinds: watch::Receiver<u32>,
) {
    let mut back = UdpSocket::bind((client_ip, 0)).await.expect("a free port");
    // Former ports stay open, so that datagrams to them are lost without an ICMP message
    let mut former = Vec::new();
    let mut client = None;
    let (mut up, mut down) = (vec![0; 65_536], vec![0; 65_536]);
    let mut waiting: VecDeque<(Instant, Vec<u8>, bool)> = VecDeque::new();
    loop {
        let next = waiting.front().map_or_else(Instant::now, |(at, ..)| *at);
        // A closed socket causes an error, which the relay ignores
        let (is_up, bytes) = tokio::select! {
            received = front.recv_from(&mut up) => {
                let Ok((length, from)) = received else { continue };
                client = Some(from);
                (true, &up[..length])
            }
            received = back.recv_from(&mut down) => {
                let Ok((length, _)) = received else { continue };
                (false, &down[..length])
            }
            () = sleep_until(next), if !waiting.is_empty() => {
                let Some((_, bytes, is_up)) = waiting.pop_front() else { continue };
                pass_on([&front, &back], [client, Some(server)], is_up, &bytes).await;
                continue;
            }
            Ok(()) = rebinds.changed() => {
                let next = UdpSocket::bind((client_ip, 0)).await.expect("a free port");
                former.push(std::mem::replace(&mut back, next));
                continue;
            }
        };
        if switches.drops.load(Ordering::Relaxed) {
            continue;
        }
        let forwarded = switches.forwarded.fetch_add(1, Ordering::Relaxed);
        match switches.delay.load(Ordering::Relaxed) {
            0 => pass_on([&front, &back], [client, Some(server)], is_up, bytes).await,
            delay => {
                let at = Instant::now() + Duration::from_millis(delay);
                waiting.push_back((at, bytes.to_vec(), is_up));
            }
        }
        if switches.is_slow.load(Ordering::Relaxed) && forwarded.is_multiple_of(4) {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    }
}

/// Forwards a datagram to the client or to the server.
async fn pass_on(
    sockets: [&UdpSocket; 2],
    peers: [Option<SocketAddr>; 2],
    is_up: bool,
    bytes: &[u8],
) {
    if let Some(to) = peers[usize::from(is_up)] {
        let _ = sockets[usize::from(is_up)].send_to(bytes, to).await;
    }
}

/// An association over two paths, each with a relay.
pub(crate) async fn relayed(change: impl Fn(Builder) -> Builder) -> (Pair, Vec<Relay>) {
    let (left, right) = ([loopback(1), loopback(2)], [loopback(11), loopback(12)]);
    let paths: Vec<(IpAddr, IpAddr)> = left.into_iter().zip(right).collect();
    let (server, _) = server(change(on(&right))).await;
    let (relays, port) = relays(&paths, server.encapsulation_port()).await;
    let peer = Peer::new(right, server.port()).encapsulation(port);
    let client = change(on(&left)).bind(0).await.unwrap();
    (connect(client, server, peer).await, relays)
}

/// A relay on each of several paths, all with the same UDP port on their server addresses.
async fn relays(paths: &[(IpAddr, IpAddr)], server_port: u16) -> (Vec<Relay>, u16) {
    let port = free_port(&paths.iter().map(|(_, server)| *server).collect::<Vec<_>>());
    let mut relays = Vec::new();
    for &(client, server) in paths {
        relays.push(Relay::new(client, (server, server_port).into(), port).await);
    }
    (relays, port)
}
