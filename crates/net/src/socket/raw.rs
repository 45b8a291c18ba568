//! Raw IP sockets: SCTP as protocol 132. RFC 9260 §3

use std::io::{self, ErrorKind};
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use manypath_core::{Address, Via};
use rustix::net::{RecvFlags, recvfrom};
use socket2::{Domain, Protocol, SockAddr, Type};
use tokio::io::unix::AsyncFd;

use super::batch::Run;
use super::error_watch::Source;
use super::errors::{Below, Trouble};
use super::fragments::forbid_fragments;
use super::kernel_sctp::refuse_beside_kernel;
use super::local::{Place, destination};
use super::{BUFFER, BUFFERS, Buffers, Carrier, Filled, SOCKET_BUFFER, Sent, errors, register};
use crate::Error;

/// A raw socket on one local address. It sees the SCTP packets of all ports.
#[derive(Debug)]
pub(crate) struct RawSocket {
    io: Arc<AsyncFd<socket2::Socket>>,
    local: SocketAddr,
}

/// A socket for each address.
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
        // The system takes as much of it as its limits allow
        let _ = socket.set_recv_buffer_size(SOCKET_BUFFER);
        let _ = socket.set_send_buffer_size(SOCKET_BUFFER);
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

    /// Fills the buffers with packets that have arrived, one in each.
    pub(crate) fn poll_receive(
        &self,
        cx: &mut Context<'_>,
        buffers: &mut Buffers,
    ) -> Poll<io::Result<()>> {
        let Buffers { bytes, filled } = buffers;
        filled.clear();
        loop {
            let mut guard = ready!(self.io.poll_read_ready(cx))?;
            while filled.len() < BUFFERS {
                let start = filled.len() * BUFFER;
                let buffer = &mut bytes[start..start + BUFFER];
                match guard.try_io(|io| self.receive(io.get_ref(), buffer)) {
                    Ok(Ok(packet)) => filled.push(packet),
                    Ok(Err(error)) => return Poll::Ready(Err(error)),
                    Err(_would_block) => break,
                }
            }
            if !filled.is_empty() {
                return Poll::Ready(Ok(()));
            }
        }
    }

    /// Takes one packet.
    fn receive(&self, socket: &socket2::Socket, buffer: &mut [u8]) -> io::Result<Filled> {
        let (length, _, from) = recvfrom(socket, &mut *buffer, RecvFlags::empty())?;
        let from = from.and_then(|from| SocketAddr::try_from(from).ok());
        let remote = from.ok_or(ErrorKind::InvalidData)?.ip();
        // IPv4 leaves its header in front
        let start = if self.local.is_ipv4() { header_length(&buffer[..length]) } else { 0 };
        let via = Via { local: self.local.ip().into(), remote: remote.into() };
        let length = length.saturating_sub(start);
        Ok(Filled { via, carrier: Carrier::Raw, start, length, stride: length })
    }

    /// Whose errors wake the driver.
    pub(super) fn source(&self) -> Source {
        Source::Raw(Arc::clone(&self.io))
    }

    /// The next entry of the error queue.
    pub(crate) fn trouble(&self) -> Option<Trouble> {
        errors::next(self.io.get_ref(), self.local.ip().into(), Below::Ip)
    }

    /// Sends one packet. One that the system refuses is lost as on a link.
    pub(crate) fn poll_send(&self, cx: &mut Context<'_>, run: Run<'_>) -> Poll<Sent> {
        let is_v4 = self.local.is_ipv4();
        if run.may_fragment && forbid_fragments(self.io.get_ref(), is_v4, false).is_err() {
            return Poll::Ready(Sent { lost: 1, had_errors: true });
        }
        let sent = self.poll_send_one(cx, run);
        if run.may_fragment && forbid_fragments(self.io.get_ref(), is_v4, true).is_err() {
            return Poll::Ready(Sent { lost: 1, had_errors: true });
        }
        sent
    }

    fn poll_send_one(&self, cx: &mut Context<'_>, run: Run<'_>) -> Poll<Sent> {
        let to = SockAddr::from(run.to);
        let mut had_errors = false;
        loop {
            // Most packets leave at once: readiness is asked for only where one did not
            match self.io.get_ref().send_to(run.bytes, &to) {
                Ok(_) => return Poll::Ready(Sent { lost: 0, had_errors }),
                Err(error) if error.kind() == ErrorKind::WouldBlock => {}
                // The first error may be one of an earlier packet, that the system reports now
                Err(_) if !had_errors => {
                    had_errors = true;
                    continue;
                }
                Err(_) => return Poll::Ready(Sent { lost: 1, had_errors }),
            }
            match ready!(self.io.poll_write_ready(cx)) {
                Ok(mut guard) => guard.clear_ready(),
                Err(_) => return Poll::Ready(Sent { lost: 1, had_errors }),
            }
        }
    }
}

/// Bytes of an IPv4 header with its options. RFC 791 §3.1
fn header_length(packet: &[u8]) -> usize {
    packet.first().map_or(0, |first| usize::from(first & 0x0f) * 4)
}

/// Why a socket could not be made.
fn refusal(address: IpAddr, error: io::Error) -> Error {
    match error.kind() {
        ErrorKind::AddrNotAvailable => Error::NotLocal(address),
        ErrorKind::PermissionDenied => {
            Error::NoRights("raw IP: run it as root, or with CAP_NET_RAW".to_owned())
        }
        _ => Error::system(format!("raw IP on {address}"))(error),
    }
}
