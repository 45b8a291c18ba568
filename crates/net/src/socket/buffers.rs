//! The memory that the system keeps for a socket's packets.

use nix::sys::socket::setsockopt;
use nix::sys::socket::sockopt::{RcvBufForce, SndBufForce};
use socket2::Socket;

/// Lets the system keep more packets than by default: those of a burst, and what arrives while the driver's thread waits for
/// a core. Beyond it packets are lost.
///
/// With `CAP_NET_ADMIN` the limits `net.core.rmem_max` and `net.core.wmem_max` do not hold; else the system takes as much as
/// these allow.
pub(super) fn enlarge(socket: &Socket) {
    if setsockopt(socket, RcvBufForce, &SOCKET_BUFFER).is_err() {
        let _ = socket.set_recv_buffer_size(SOCKET_BUFFER);
    }
    if setsockopt(socket, SndBufForce, &SOCKET_BUFFER).is_err() {
        let _ = socket.set_send_buffer_size(SOCKET_BUFFER);
    }
}

/// Bytes in each direction: as many as the receive buffer of an association has by default.
const SOCKET_BUFFER: usize = 4 << 20;
