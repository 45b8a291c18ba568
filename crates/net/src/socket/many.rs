//! Several packets per system call on raw sockets, which have no segmentation offload (GSO, GRO).

use std::array;
use std::cell::RefCell;
use std::io::{self, IoSlice, IoSliceMut};
use std::net::{IpAddr, SocketAddr};
use std::os::fd::AsRawFd;

use nix::sys::socket::{MsgFlags, MultiHeaders, SockaddrIn, SockaddrIn6, SockaddrLike, recvmmsg};
use rustix::net::addr::SocketAddrArg;
use rustix::net::{MMsgHdr, SendAncillaryBuffer, SendFlags, sendmmsg};
use socket2::Socket;

use super::datagrams::{BUFFER, BUFFERS};

/// Sends up to [`MOST`] packets, and returns how many the kernel accepted. `packets` contains the packets one after the
/// other. Each has `segment` bytes; only the last one may be shorter.
///
/// # Errors
/// If the kernel refused the first packet.
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

/// Receives up to [`BUFFERS`] packets, each into its own part of `buffers`. Calls `take` with the source address and
/// the length of each packet, in order.
///
/// # Errors
/// If no packet is waiting, or the socket reports an error.
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

/// Memory for the source addresses of packets. Before a call, `msg_namelen` is the capacity for an address; the kernel
/// overwrites it with the length of the address. Lengths differ between address families, so each has its own memory.
struct Headers {
    v4: MultiHeaders<SockaddrIn>,
    v6: MultiHeaders<SockaddrIn6>,
}

thread_local! {
    /// One for each thread: the headers contain raw pointers, so threads cannot share them.
    static HEADERS: RefCell<Headers> = RefCell::new(Headers {
        v4: MultiHeaders::preallocate(BUFFERS, None),
        v6: MultiHeaders::preallocate(BUFFERS, None),
    });
}

/// Largest number of packets per call of [`send`].
pub(super) const MOST: usize = 32;
