//! `accept` and `accept4`.

#![expect(unsafe_code, reason = "the caller's addresses are behind pointers")]

use super::control::call;
use super::mark::{self, Mark};
use super::name::put;
use super::receive;
use super::system::{self, Owned, Result, part_mut};
use crate::abi::address;
use crate::record::{Answer, Call, HEAD, Operation};
use libc::{c_int, sockaddr, socklen_t};
use std::net::SocketAddr;

/// `accept4`. The daemon puts the descriptor of each association into the queue of the listening one.
///
/// # Errors
/// Its `errno`.
///
/// # Safety
/// As for `accept4`.
pub unsafe fn accept(
    fd: c_int,
    address: *mut sockaddr,
    length: *mut socklen_t,
    flags: c_int,
) -> Result<c_int> {
    if flags & !(libc::SOCK_CLOEXEC | libc::SOCK_NONBLOCK) != 0 {
        return Err(libc::EINVAL);
    }
    if receive::has_data(fd)? {
        // Only a socket that does not listen, or a one-to-many one, has data
        call(fd, &Call::new(Operation::Accept), &mut [])?;
        return Err(libc::EINVAL);
    }
    let (socket, peer, streams) = match next(fd, libc::MSG_DONTWAIT) {
        Err(libc::EAGAIN) => {
            // Only a listening socket may wait
            call(fd, &Call::new(Operation::Accept), &mut [])?;
            next(fd, 0)?
        }
        other => other?,
    };
    if flags & libc::SOCK_CLOEXEC == 0 {
        system::control(socket.fd(), libc::F_SETFD, 0)?;
    }
    system::set_non_blocking(socket.fd(), flags & libc::SOCK_NONBLOCK != 0)?;
    receive::let_wait(socket.fd())?;
    mark::set(socket.fd(), Mark::Open(streams))?;
    if !address.is_null() {
        // SAFETY: the caller's promise
        unsafe { put(&address::encode(peer), address, length) }?;
    }
    Ok(socket.release())
}

/// Takes the first association of the queue.
fn next(fd: c_int, flags: c_int) -> Result<(Owned, SocketAddr, u16)> {
    let mut head = [0; HEAD];
    // SAFETY: the part is an array that nothing else uses
    let (length, socket) = unsafe { system::receive(fd, &[part_mut(&mut head)], flags) }?;
    match (Answer::decode(&head[..length]), socket) {
        (Ok(Answer::Accept { peer, streams }), Some(socket)) => Ok((socket, peer, streams)),
        (Ok(Answer::Accept { .. }), None) => Err(libc::EMFILE),
        (Ok(Answer::Error { errno }), _) => Err(errno),
        _ => Err(libc::EINVAL),
    }
}
