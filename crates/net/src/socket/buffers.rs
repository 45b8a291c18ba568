//! The system's buffers of a socket.

use nix::sys::socket::setsockopt;
use nix::sys::socket::sockopt::{RcvBufForce, SndBufForce};
use socket2::Socket;

/// Enlarges the buffers for bursts, and for packets that arrive while the driver's thread waits for a core. Without
/// room, packets are lost.
///
/// With `CAP_NET_ADMIN` the limits `net.core.rmem_max` and `net.core.wmem_max` do not apply; otherwise the size is at
/// most these limits.
pub(super) fn enlarge(socket: &Socket) {
    if setsockopt(socket, RcvBufForce, &SOCKET_BUFFER).is_err() {
        let _ = socket.set_recv_buffer_size(SOCKET_BUFFER);
    }
    if setsockopt(socket, SndBufForce, &SOCKET_BUFFER).is_err() {
        let _ = socket.set_send_buffer_size(SOCKET_BUFFER);
    }
}

/// Size per direction in bytes, like the default receive buffer of an association.
const SOCKET_BUFFER: usize = 4 << 20;
