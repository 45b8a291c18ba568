//! Sockets: one per local address, so that every path has its own source address.

pub(crate) mod batch;
mod buffers;
mod datagrams;
pub(crate) mod error_watch;
pub(crate) mod errors;
mod fragments;
mod kernel_sctp;
mod local;
mod many;
pub(crate) mod raw;
mod registered;
pub(crate) mod routes;
pub(crate) mod udp;

use std::io::{self, ErrorKind};
use std::net::SocketAddr;
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use manypath_core::{Address, Via};
use manypath_sctp::Packet;

use batch::{Batch, Sent};
pub(crate) use datagrams::{Arrival, Buffers, Carrier};
use error_watch::ErrorWatch;
use errors::Trouble;
pub(crate) use local::Place;
pub use local::{LocalAddress, interface_addresses, local_addresses};
use raw::RawSocket;
pub use registered::register;
pub use routes::source_to;
use udp::UdpSocket;

/// A socket on one local address with its waiting packets.
#[derive(Debug)]
pub(crate) struct Socket {
    local: Address,
    kind: Kind,
    batch: Batch,
    /// No packet is sent before this instant, because the queue of the interface was full.
    pause: Option<Instant>,
}

/// The kind of a socket: UDP or raw IP.
#[derive(Debug)]
enum Kind {
    Udp(UdpSocket),
    Raw(RawSocket),
}

/// Packets that the system refused.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Refused {
    /// Source address.
    pub(crate) local: Address,
    /// SCTP port of the sender.
    pub(crate) port: u16,
    pub(crate) packets: u64,
}

/// All sockets of a host.
#[derive(Debug)]
pub(crate) struct Sockets {
    sockets: Vec<Socket>,
    /// Packets that the system refused, since the caller has read them.
    pub(crate) refused: Vec<Refused>,
    /// The system has reported an error, and the error queues have not been read since.
    has_trouble: bool,
    /// Destinations without a local route, since the error queues were read.
    unreachable: Vec<Trouble>,
}

impl Sockets {
    pub(crate) fn new(udp: Vec<UdpSocket>, raw: Vec<RawSocket>) -> Self {
        let udp = udp.into_iter().map(|socket| Socket::new(socket.local(), Kind::Udp(socket)));
        let raw = raw.into_iter().map(|socket| Socket::new(socket.local(), Kind::Raw(socket)));
        let sockets = udp.chain(raw).collect();
        Self { sockets, refused: Vec::new(), has_trouble: false, unreachable: Vec::new() }
    }

    /// Adds sockets, whose errors are watched too; returns their addresses.
    pub(crate) fn add(
        &mut self,
        udp: Vec<UdpSocket>,
        raw: Vec<RawSocket>,
        errors: &mut ErrorWatch,
    ) -> Vec<Address> {
        let added = Self::new(udp, raw);
        errors.extend(added.watch_errors());
        let addresses = added.local_addresses();
        self.sockets.extend(added.sockets);
        addresses
    }

    /// Closes all sockets. Waiting packets are lost.
    pub(crate) fn close(&mut self) {
        self.sockets.clear();
    }

    /// Number of sockets.
    pub(crate) fn len(&self) -> usize {
        self.sockets.len()
    }

    /// The addresses of all sockets, without duplicates.
    pub(crate) fn local_addresses(&self) -> Vec<Address> {
        let mut addresses: Vec<Address> = self.sockets.iter().map(|socket| socket.local).collect();
        addresses.sort_unstable();
        addresses.dedup();
        addresses
    }

    /// Encodes a packet into the batch of its socket, and returns its bytes; `None` if it is dropped.
    pub(crate) fn push(&mut self, via: Via, carrier: Carrier, packet: &Packet) -> Option<&[u8]> {
        let found = self.sockets.iter_mut().find_map(|socket| {
            let to = socket.destination(via, carrier)?;
            Some((socket, to))
        });
        found.and_then(|(socket, to)| {
            let most = socket.most_segments();
            socket.batch.push(to, via, packet, most)
        })
    }

    /// Fills the buffers with packets that a socket has received; pending if there are none.
    pub(crate) fn poll_receive(
        &mut self,
        index: usize,
        cx: &mut Context<'_>,
        buffers: &mut Buffers,
    ) -> Poll<io::Result<()>> {
        let received = match &self.sockets[index].kind {
            Kind::Udp(socket) => socket.poll_receive(cx, buffers),
            Kind::Raw(socket) => socket.poll_receive(cx, buffers),
        };
        self.has_trouble |= matches!(received, Poll::Ready(Err(_)));
        received
    }

    /// The same without a look at the runtime, which learns later that packets have arrived.
    ///
    /// # Errors
    /// If no packet is waiting, or a sent packet had an error.
    pub(crate) fn receive(&mut self, index: usize, buffers: &mut Buffers) -> io::Result<()> {
        let received = match &self.sockets[index].kind {
            Kind::Udp(socket) => socket.receive(buffers),
            Kind::Raw(socket) => socket.receive(buffers),
        };
        let is_empty = |error: &io::Error| error.kind() == ErrorKind::WouldBlock;
        self.has_trouble |= received.as_ref().is_err_and(|error| !is_empty(error));
        received
    }

    /// The entries of the error queues, if an error was reported or `anyway` is set.
    pub(crate) fn troubles(&mut self, anyway: bool) -> Vec<Trouble> {
        if !std::mem::take(&mut self.has_trouble) && !anyway {
            return Vec::new();
        }
        let of_socket = |socket: &Socket| -> Vec<Trouble> {
            let next = || match &socket.kind {
                Kind::Udp(socket) => socket.trouble(),
                Kind::Raw(socket) => socket.trouble(),
            };
            std::iter::from_fn(next).take(MOST_TROUBLES).collect()
        };
        let queued = self.sockets.iter().flat_map(of_socket);
        queued.chain(std::mem::take(&mut self.unreachable)).collect()
    }

    /// Waits for errors of all sockets.
    pub(crate) fn watch_errors(&self) -> ErrorWatch {
        ErrorWatch::new(self.sockets.iter().map(|socket| match &socket.kind {
            Kind::Udp(socket) => socket.source(),
            Kind::Raw(socket) => socket.source(),
        }))
    }

    /// Whether the system has reported an error since the error queues were read.
    pub(crate) fn has_trouble(&self) -> bool {
        self.has_trouble
    }

    /// Sends waiting packets as far as the sockets accept them. The task is woken when a socket accepts more, except
    /// after a pause: see [`due`](Self::due).
    pub(crate) fn flush(&mut self, cx: &mut Context<'_>) {
        for Socket { local, kind, batch, pause } in &mut self.sockets {
            if batch.is_empty() || pause.is_some_and(|until| Instant::now() < until) {
                continue;
            }
            // A queue that was full may have room for a few packets
            let singly = pause.take().is_some();
            let sent = batch.flush(|run| {
                let sent = match kind {
                    Kind::Udp(socket) => socket.poll_send(cx, run, singly),
                    Kind::Raw(socket) => socket.poll_send(cx, run),
                };
                if matches!(sent, Poll::Ready(Sent { has_no_way: true, .. }))
                    && self.unreachable.len() < MOST_TROUBLES
                {
                    self.unreachable.push(Trouble::here(*local, run.to.ip().into(), run.port));
                }
                if let Poll::Ready(Sent { lost, .. }) = sent
                    && lost > 0
                {
                    let (port, packets) = (run.port, lost as u64);
                    self.refused.push(Refused { local: *local, port, packets });
                }
                sent
            });
            self.has_trouble |= sent.had_errors;
            *pause = sent.is_full.then(|| Instant::now() + PAUSE);
        }
    }

    /// When the waiting packets of a socket must be tried again.
    pub(crate) fn due(&self) -> Option<Instant> {
        let waiting = self.sockets.iter().filter(|socket| !socket.batch.is_empty());
        waiting.filter_map(|socket| socket.pause).min()
    }

    /// The largest number of waiting bytes of a socket.
    pub(crate) fn waiting(&self) -> usize {
        self.sockets.iter().map(|socket| socket.batch.waiting()).max().unwrap_or(0)
    }

    /// Whether no packets wait.
    pub(crate) fn is_flushed(&self) -> bool {
        self.sockets.iter().all(|socket| socket.batch.is_empty())
    }
}

impl Socket {
    fn new(local: SocketAddr, kind: Kind) -> Self {
        Self { local: local.ip().into(), kind, batch: Batch::default(), pause: None }
    }

    /// Largest number of packets per call.
    #[inline]
    fn most_segments(&self) -> usize {
        match &self.kind {
            Kind::Udp(socket) => socket.most_segments(),
            Kind::Raw(_) => many::MOST,
        }
    }

    /// The destination of a packet on this socket; `None` if the packet belongs to another socket.
    #[inline]
    fn destination(&self, via: Via, carrier: Carrier) -> Option<SocketAddr> {
        if self.local != via.local {
            return None;
        }
        match (&self.kind, carrier) {
            (Kind::Udp(socket), Carrier::Udp(port)) => Some(socket.destination(via.remote, port)),
            (Kind::Raw(socket), Carrier::Raw) => Some(socket.destination(via.remote)),
            _ => None,
        }
    }
}

/// Pause after the queue of an interface was full. At 100 Mbit/s the queue sends about eight full packets in this time.
const PAUSE: Duration = Duration::from_millis(1);
/// Largest number of error queue entries that are read at once.
const MOST_TROUBLES: usize = 64;
