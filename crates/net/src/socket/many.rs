//! Several packets per system call, on sockets without segmentation offload.

use std::array;
use std::cell::RefCell;
use std::io::{self, IoSlice, IoSliceMut};
use std::net::{IpAddr, SocketAddr};
use std::os::fd::AsRawFd;

use nix::sys::socket::{MsgFlags, MultiHeaders, SockaddrIn, SockaddrIn6, SockaddrLike, recvmmsg};
use rustix::net::addr::SocketAddrArg;
use rustix::net::{MMsgHdr, SendAncillaryBuffer, SendFlags, sendmmsg};
use socket2::Socket;

use super::{BUFFER, BUFFERS};

/// Sends up to [`MOST`] packets, each except the last of `segment` bytes; returns how many the system accepted.
///
/// # Errors
/// If the system refused the first one.
pub(super) fn send(
    socket: &Socket,
    to: SocketAddr,
    packets: &[u8],
    segment: usize,
) -> io::Result<usize> {
    if packets.len() <= segment {
        return socket.send_to(packets, &to.into()).map(|_| 1);
    }
    let mut packets = packets.chunks(segment.max(1));
    let count = packets.len().min(MOST);
    let to = to.as_any();
    let slices: [_; MOST] = array::from_fn(|_| [IoSlice::new(packets.next().unwrap_or_default())]);
    let mut controls: [_; MOST] = array::from_fn(|_| SendAncillaryBuffer::default());
    let mut controls = controls.each_mut().into_iter();
    let mut headers = slices.each_ref().map(|slice| {
        let control = controls.next().expect("one for each");
        MMsgHdr::new_with_addr(&to, slice, control)
    });
    Ok(sendmmsg(socket, &mut headers[..count], SendFlags::DONTWAIT)?)
}

/// Receives packets, one per buffer; passes the source and the length of each to the callback, in order.
///
/// # Errors
/// If there is none, or the socket reports an error.
pub(super) fn receive(
    socket: &Socket,
    is_v4: bool,
    buffers: &mut [u8],
    take: impl FnMut(IpAddr, usize),
) -> io::Result<()> {
    HEADERS.with_borrow_mut(|headers| {
        if is_v4 {
            receive_from(socket, &mut headers.v4, buffers, |from| from.ip().into(), take)
        } else {
            receive_from(socket, &mut headers.v6, buffers, |from| from.ip().into(), take)
        }
    })
}

fn receive_from<S: SockaddrLike + Copy>(
    socket: &Socket,
    headers: &mut MultiHeaders<S>,
    buffers: &mut [u8],
    ip: impl Fn(S) -> IpAddr,
    mut take: impl FnMut(IpAddr, usize),
) -> io::Result<()> {
    let mut free = buffers.chunks_exact_mut(BUFFER);
    let mut slices: [_; BUFFERS] =
        array::from_fn(|_| [IoSliceMut::new(free.next().unwrap_or_default())]);
    let flags = MsgFlags::MSG_DONTWAIT;
    for packet in recvmmsg(socket.as_raw_fd(), headers, &mut slices, flags, None)? {
        if let Some(from) = packet.address {
            take(ip(from), packet.bytes);
        }
    }
    Ok(())
}

/// Memory for the sources of packets. The system overwrites the capacity of an address with its length, so each address
/// family has its own memory.
struct Headers {
    v4: MultiHeaders<SockaddrIn>,
    v6: MultiHeaders<SockaddrIn6>,
}

thread_local! {
    /// Thread-local, because they contain pointers.
    static HEADERS: RefCell<Headers> = RefCell::new(Headers {
        v4: MultiHeaders::preallocate(BUFFERS, None),
        v6: MultiHeaders::preallocate(BUFFERS, None),
    });
}

/// Packets per call.
pub(super) const MOST: usize = 32;
