//! Sockets: one for each local address, so that every path leaves from an address of its own.

pub(crate) mod batch;
mod local;
pub(crate) mod routes;
mod udp;

use std::io;
use std::task::{Context, Poll};

use manypath_core::{Address, Via};
use manypath_sctp::Packet;

use batch::Batch;
pub(crate) use local::local_addresses;
use udp::UdpSocket;
pub(crate) use udp::bind_all;

/// What carries SCTP packets between two addresses.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Carrier {
    /// UDP, to this port of the peer. RFC 6951
    Udp(u16),
}

/// A datagram that arrived, without its network and UDP headers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Arrival<'a> {
    /// Between which addresses it travelled.
    pub(crate) via: Via,
    /// What carried it.
    pub(crate) carrier: Carrier,
    /// The SCTP packet.
    pub(crate) bytes: &'a [u8],
}

/// A socket on one local address with the packets that wait for it.
#[derive(Debug)]
pub(crate) struct Socket {
    local: Address,
    udp: UdpSocket,
    batch: Batch,
}

/// All sockets of an endpoint.
#[derive(Debug)]
pub(crate) struct Sockets {
    sockets: Vec<Socket>,
    /// Packets that could not be sent: the interface's queue was full, or the system refused them.
    pub(crate) dropped: u64,
}

impl Sockets {
    pub(crate) fn new(sockets: Vec<UdpSocket>) -> Self {
        let with_batch = |udp: UdpSocket| Socket {
            local: udp.local().ip().into(),
            batch: Batch::new(udp.most_segments()),
            udp,
        };
        Self { sockets: sockets.into_iter().map(with_batch).collect(), dropped: 0 }
    }

    /// How many sockets there are.
    pub(crate) fn len(&self) -> usize {
        self.sockets.len()
    }

    /// Writes a packet into the batch of the socket that it leaves from, and returns its bytes; none if it is dropped.
    pub(crate) fn push(&mut self, via: Via, carrier: Carrier, packet: &Packet) -> Option<&[u8]> {
        let of_path = |socket: &&mut Socket| socket.local == via.local;
        let Some(socket) = self.sockets.iter_mut().find(of_path) else {
            self.dropped += 1;
            return None;
        };
        let Carrier::Udp(port) = carrier;
        let to = socket.udp.destination(via.remote, port);
        let pushed = socket.batch.push(to, via, packet);
        self.dropped += u64::from(pushed.is_none());
        pushed
    }

    /// Fills the buffers with what a socket has received; pending if that is nothing.
    pub(crate) fn poll_receive(
        &self,
        index: usize,
        cx: &mut Context<'_>,
        buffers: &mut Buffers,
    ) -> Poll<io::Result<()>> {
        self.sockets[index].udp.poll_receive(cx, buffers)
    }

    /// Sends what waits, as far as the sockets take it. The task is woken when one takes more.
    pub(crate) fn flush(&mut self, cx: &mut Context<'_>) {
        for Socket { udp, batch, .. } in &mut self.sockets {
            self.dropped += batch.flush(|run| udp.poll_send(cx, run));
        }
    }

    /// Whether nothing waits to be sent.
    pub(crate) fn is_flushed(&self) -> bool {
        self.sockets.iter().all(|socket| socket.batch.is_empty())
    }
}

/// Memory that a socket fills with datagrams: some buffers, each with one or several of equal size.
#[derive(Debug)]
pub(crate) struct Buffers {
    bytes: Vec<u8>,
    filled: Vec<Filled>,
}

/// What one buffer holds.
#[derive(Clone, Copy, Debug)]
struct Filled {
    via: Via,
    carrier: Carrier,
    length: usize,
    /// Bytes of each datagram but the last.
    stride: usize,
}

impl Buffers {
    pub(crate) fn new() -> Self {
        Self { bytes: vec![0; BUFFERS * BUFFER], filled: Vec::with_capacity(BUFFERS) }
    }

    /// The datagrams of the last reception.
    pub(crate) fn arrivals(&self) -> impl Iterator<Item = Arrival<'_>> {
        let buffers = self.bytes.chunks_exact(BUFFER);
        self.filled.iter().zip(buffers).flat_map(|(&filled, buffer)| {
            let Filled { via, carrier, length, stride } = filled;
            let datagrams = buffer[..length].chunks(stride.max(1));
            datagrams.map(move |bytes| Arrival { via, carrier, bytes })
        })
    }
}

/// Buffers that are filled by one call at most.
const BUFFERS: usize = 8;
/// Bytes of a buffer: the largest datagram, or as many as GRO puts together.
const BUFFER: usize = 1 << 16;
