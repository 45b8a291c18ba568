//! UDP sockets that carry SCTP. RFC 6951

use std::io::{self, ErrorKind, IoSliceMut};
use std::net::SocketAddr;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use manypath_core::{Address, Via};
use quinn_udp::{RecvMeta, Transmit, UdpSocketState};
use socket2::{Domain, Protocol, SockAddr, Type};
use tokio::io::Interest;

use super::batch::{Run, is_full};
use super::datagrams::{BUFFER, BUFFERS, Buffers, Carrier, Filled};
use super::error_watch::Source;
use super::errors::{Below, Trouble};
use super::fragments::forbid_fragments;
use super::local::{Place, destination};
use super::{Sent, buffers, errors};
use crate::Error;

/// A UDP socket on one local address.
#[derive(Debug)]
pub(crate) struct UdpSocket {
    io: Arc<tokio::net::UdpSocket>,
    state: UdpSocketState,
    local: SocketAddr,
}

/// Binds a socket for each address, all to the same UDP port; 0 selects a port that is free on all of them.
pub(crate) fn bind_all(places: &[Place], port: u16) -> Result<Vec<UdpSocket>, Error> {
    if port != 0 {
        return places.iter().map(|place| UdpSocket::bind(place, port)).collect();
    }
    let mut attempts = 0;
    loop {
        let Some((first, others)) = places.split_first() else { return Ok(Vec::new()) };
        let first = UdpSocket::bind(first, 0)?;
        let port = first.local.port();
        let others: Result<Vec<_>, _> =
            others.iter().map(|place| UdpSocket::bind(place, port)).collect();
        match others {
            Ok(others) => return Ok(std::iter::once(first).chain(others).collect()),
            Err(Error::AddressInUse(_)) if attempts < MOST_ATTEMPTS => attempts += 1,
            Err(error) => return Err(error),
        }
    }
}

impl UdpSocket {
    fn bind(place: &Place, port: u16) -> Result<Self, Error> {
        if !Address::from(place.ip).is_unicast() {
            return Err(Error::NotUnicast(place.ip));
        }
        let local = place.with_scope(port)?;
        let refused = |error: io::Error| refusal(local, error);
        let socket =
            socket2::Socket::new(Domain::for_address(local), Type::DGRAM, Some(Protocol::UDP))
                .map_err(refused)?;
        place.keep_to_interface(&socket)?;
        if local.is_ipv6() {
            socket.set_only_v6(true).map_err(refused)?;
        }
        buffers::enlarge(&socket);
        socket.bind(&SockAddr::from(local)).map_err(refused)?;
        let state = UdpSocketState::new((&socket).into()).map_err(refused)?;
        errors::enable(&socket, local.is_ipv4()).map_err(refused)?;
        let io = tokio::net::UdpSocket::from_std(socket.into()).map_err(refused)?;
        let local = io.local_addr().map_err(refused)?;
        Ok(Self { io: Arc::new(io), state, local })
    }

    /// The local address and UDP port.
    pub(crate) fn local(&self) -> SocketAddr {
        self.local
    }

    /// Largest number of packets per call: one, after the system has refused segmentation.
    pub(crate) fn most_segments(&self) -> usize {
        self.state.max_gso_segments()
    }

    /// The socket address of a peer.
    pub(crate) fn destination(&self, remote: Address, port: u16) -> SocketAddr {
        destination(self.local, remote, port)
    }

    /// Fills the buffers with received packets.
    pub(crate) fn poll_receive(
        &self,
        cx: &mut Context<'_>,
        buffers: &mut Buffers,
    ) -> Poll<io::Result<()>> {
        loop {
            ready!(self.io.poll_recv_ready(cx))?;
            match self.io.try_io(Interest::READABLE, || self.receive(buffers)) {
                Err(error) if error.kind() == ErrorKind::WouldBlock => {}
                received => return Poll::Ready(received),
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
        let mut metas = [RecvMeta::default(); BUFFERS];
        let mut free = bytes.chunks_exact_mut(BUFFER);
        let mut slices: [IoSliceMut<'_>; BUFFERS] =
            std::array::from_fn(|_| IoSliceMut::new(free.next().unwrap_or_default()));
        let count = self.state.recv((&*self.io).into(), &mut slices, &mut metas)?;
        filled.extend(metas[..count].iter().map(|meta| self.filled(meta)));
        Ok(())
    }

    fn filled(&self, meta: &RecvMeta) -> Filled {
        let via = Via { local: self.local.ip().into(), remote: meta.addr.ip().into() };
        let carrier = Carrier::Udp(meta.addr.port());
        Filled { via, carrier, start: 0, length: meta.len, stride: meta.stride }
    }

    /// The socket whose errors wake the driver.
    pub(super) fn source(&self) -> Source {
        Source::Udp(Arc::clone(&self.io))
    }

    /// The next entry of the error queue.
    pub(crate) fn trouble(&self) -> Option<Trouble> {
        errors::next(&*self.io, self.local.ip().into(), Below::Udp)
    }

    /// Sends a run of packets, one by one if `singly` is set. Packets that the system refuses count as lost.
    pub(crate) fn poll_send(&self, cx: &mut Context<'_>, run: Run<'_>, singly: bool) -> Poll<Sent> {
        let mut sent = Sent::none_of(run.count());
        if run.may_fragment {
            sent.note(self.send_in_fragments(run));
            return Poll::Ready(sent);
        }
        if !singly && sent.left <= self.most_segments() {
            match ready!(self.poll_try(cx, run, &mut sent)) {
                Ok(()) => return Poll::Ready(Sent { left: 0, ..sent }),
                // There may be room for a few of them
                Err(error) if is_full(&error) && sent.left > 1 => {
                    return Poll::Ready(Sent { is_full: true, ..sent });
                }
                Err(error) if sent.left == 1 => {
                    sent.note(Err(error));
                    return Poll::Ready(sent);
                }
                // No segmentation offload, or an error of one packet
                Err(_) => {}
            }
        }
        self.send_singly(cx, run, &mut sent);
        Poll::Ready(sent)
    }

    #[cold]
    fn send_singly(&self, cx: &mut Context<'_>, run: Run<'_>, sent: &mut Sent) {
        for bytes in run.bytes.chunks(run.segment.max(1)) {
            let Poll::Ready(tried) = self.poll_try(cx, Run { bytes, ..run }, sent) else { return };
            sent.note(tried);
            if sent.is_full {
                return;
            }
        }
    }

    /// Passes packets to the system. The first error may belong to an earlier packet and is only reported now.
    fn poll_try(
        &self,
        cx: &mut Context<'_>,
        run: Run<'_>,
        sent: &mut Sent,
    ) -> Poll<io::Result<()>> {
        let mut was_refused = false;
        loop {
            match self.try_send(run) {
                Err(error) if error.kind() == ErrorKind::WouldBlock => {
                    ready!(self.io.poll_send_ready(cx))?;
                }
                Err(error) if !was_refused && !is_full(&error) => {
                    (was_refused, sent.had_errors) = (true, true);
                }
                tried => return Poll::Ready(tried),
            }
        }
    }

    fn try_send(&self, run: Run<'_>) -> io::Result<()> {
        let segment = (run.segment < run.bytes.len()).then_some(run.segment);
        let transmit = Transmit {
            destination: run.to,
            ecn: None,
            contents: run.bytes,
            segment_size: segment,
            src_ip: None,
        };
        self.io.try_io(Interest::WRITABLE, || self.state.try_send((&*self.io).into(), &transmit))
    }

    /// Sends a packet that IP may fragment, which the socket otherwise forbids.
    #[cold]
    fn send_in_fragments(&self, run: Run<'_>) -> io::Result<()> {
        forbid_fragments(&*self.io, self.local.is_ipv4(), false)?;
        let result = self.try_send(run);
        forbid_fragments(&*self.io, self.local.is_ipv4(), true)?;
        result
    }
}

/// The error of a failed bind.
fn refusal(local: SocketAddr, error: io::Error) -> Error {
    match error.kind() {
        ErrorKind::AddrInUse => Error::AddressInUse(local),
        ErrorKind::AddrNotAvailable => Error::NotLocal(local.ip()),
        ErrorKind::PermissionDenied => {
            Error::NoRights(format!("UDP port {} of {}", local.port(), local.ip()))
        }
        _ => Error::system(format!("UDP port {} of {}", local.port(), local.ip()))(error),
    }
}

/// Attempts to find a UDP port that is free on all addresses.
const MOST_ATTEMPTS: usize = 32;
