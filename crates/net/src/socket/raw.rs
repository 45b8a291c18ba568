//! Raw IP sockets: SCTP as protocol 132. RFC 9260 §3

use std::io::{self, ErrorKind};
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use manypath_core::{Address, Via};
use socket2::{Domain, Protocol, SockAddr, Type};
use tokio::io::unix::AsyncFd;

use super::batch::{Run, is_full};
use super::datagrams::{BUFFER, Buffers, Carrier, Filled};
use super::error_watch::Source;
use super::errors::{Below, Trouble};
use super::fragments::forbid_fragments;
use super::kernel_sctp::refuse_beside_kernel;
use super::local::{Place, destination};
use super::registered::register;
use super::{Sent, buffers, errors, many};
use crate::Error;

/// A raw socket on one local address. It receives the SCTP packets of all ports.
#[derive(Debug)]
pub(crate) struct RawSocket {
    io: Arc<AsyncFd<socket2::Socket>>,
    local: SocketAddr,
}

/// Opens a socket for each address.
pub(crate) fn bind_all(places: &[Place]) -> Result<Vec<RawSocket>, Error> {
    refuse_beside_kernel()?;
    places.iter().map(RawSocket::bind).collect()
}

impl RawSocket {
    fn bind(place: &Place) -> Result<Self, Error> {
        let address = place.ip;
        if !Address::from(address).is_unicast() {
            return Err(Error::NotUnicast(address));
        }
        let local = place.with_scope(0)?;
        let refused = |error: io::Error| refusal(address, error);
        let domain = Domain::for_address(local);
        let socket =
            socket2::Socket::new(domain, Type::RAW, Some(Protocol::SCTP)).map_err(refused)?;
        place.keep_to_interface(&socket)?;
        socket.set_nonblocking(true).map_err(refused)?;
        buffers::enlarge(&socket);
        socket.bind(&SockAddr::from(local)).map_err(refused)?;
        forbid_fragments(&socket, local.is_ipv4(), true).map_err(refused)?;
        errors::enable(&socket, local.is_ipv4()).map_err(refused)?;
        let io = register(socket).map_err(refused)?;
        Ok(Self { io: Arc::new(io), local })
    }

    /// The local address.
    pub(crate) fn local(&self) -> SocketAddr {
        self.local
    }

    /// The socket address of a peer.
    pub(crate) fn destination(&self, remote: Address) -> SocketAddr {
        destination(self.local, remote, 0)
    }

    /// Fills the buffers with received packets, one per buffer.
    pub(crate) fn poll_receive(
        &self,
        cx: &mut Context<'_>,
        buffers: &mut Buffers,
    ) -> Poll<io::Result<()>> {
        loop {
            let mut guard = ready!(self.io.poll_read_ready(cx))?;
            match guard.try_io(|_| self.receive(buffers)) {
                Ok(Ok(())) if buffers.filled.is_empty() => {}
                Ok(received) => return Poll::Ready(received),
                // No packet is waiting
                Err(_) => {}
            }
        }
    }

    /// The same without a look at the runtime: whether the socket has packets.
    ///
    /// # Errors
    /// If no packet is waiting, or a sent packet had an error.
    pub(crate) fn receive(&self, buffers: &mut Buffers) -> io::Result<()> {
        let Buffers { bytes, filled } = buffers;
        filled.clear();
        let is_v4 = self.local.is_ipv4();
        let take = |from, length| filled.push(self.filled(from, length));
        many::receive(self.io.get_ref(), is_v4, bytes, take)?;
        // On IPv4 the packet begins with the IP header
        if is_v4 {
            for (packet, buffer) in filled.iter_mut().zip(bytes.chunks_exact(BUFFER)) {
                packet.start = header_length(buffer).min(packet.length);
                packet.length -= packet.start;
            }
        }
        Ok(())
    }

    fn filled(&self, from: IpAddr, length: usize) -> Filled {
        let via = Via { local: self.local.ip().into(), remote: from.into() };
        Filled { via, carrier: Carrier::Raw, start: 0, length, stride: length }
    }

    /// The socket whose errors wake the driver.
    pub(super) fn source(&self) -> Source {
        Source::Raw(Arc::clone(&self.io))
    }

    /// The next entry of the error queue.
    pub(crate) fn trouble(&self) -> Option<Trouble> {
        errors::next(self.io.get_ref(), self.local.ip().into(), Below::Ip)
    }

    /// Sends a run of packets. Packets that the system refuses count as lost.
    pub(crate) fn poll_send(&self, cx: &mut Context<'_>, run: Run<'_>) -> Poll<Sent> {
        if !run.may_fragment {
            return self.poll_send_all(cx, run);
        }
        let is_v4 = self.local.is_ipv4();
        let refused = Sent { lost: 1, had_errors: true, ..Sent::default() };
        if forbid_fragments(self.io.get_ref(), is_v4, false).is_err() {
            return Poll::Ready(refused);
        }
        let sent = self.poll_send_all(cx, run);
        if forbid_fragments(self.io.get_ref(), is_v4, true).is_err() {
            return Poll::Ready(refused);
        }
        sent
    }

    fn poll_send_all(&self, cx: &mut Context<'_>, run: Run<'_>) -> Poll<Sent> {
        let count = run.count();
        let mut sent = Sent::none_of(count);
        let mut was_refused = false;
        while sent.left > 0 {
            let rest = &run.bytes[(count - sent.left) * run.segment..];
            // Most packets are sent at once, so readiness is checked only after a failure
            match many::send(self.io.get_ref(), run.to, rest, run.segment) {
                Ok(taken) => {
                    sent.left -= taken;
                    was_refused = false;
                    continue;
                }
                Err(error) if error.kind() == ErrorKind::WouldBlock => {}
                // The first error may belong to an earlier packet
                Err(error) if !was_refused && !is_full(&error) => {
                    (was_refused, sent.had_errors) = (true, true);
                    continue;
                }
                Err(error) => {
                    sent.note(Err(error));
                    was_refused = false;
                    if sent.is_full {
                        break;
                    }
                    continue;
                }
            }
            match self.io.poll_write_ready(cx) {
                Poll::Ready(Ok(mut guard)) => guard.clear_ready(),
                Poll::Ready(Err(_)) => {
                    let lost = sent.lost + sent.left;
                    return Poll::Ready(Sent { lost, had_errors: true, ..Sent::default() });
                }
                Poll::Pending if sent.left == count => return Poll::Pending,
                Poll::Pending => break,
            }
        }
        Poll::Ready(sent)
    }
}

/// Bytes of an IPv4 header with its options. RFC 791 §3.1
fn header_length(packet: &[u8]) -> usize {
    packet.first().map_or(0, |first| usize::from(first & 0x0f) * 4)
}

/// The error of a failed socket.
fn refusal(address: IpAddr, error: io::Error) -> Error {
    match error.kind() {
        ErrorKind::AddrNotAvailable => Error::NotLocal(address),
        ErrorKind::PermissionDenied => {
            Error::NoRights("raw IP: run it as root, or with CAP_NET_RAW".to_owned())
        }
        _ => Error::system(format!("raw IP on {address}"))(error),
    }
}
