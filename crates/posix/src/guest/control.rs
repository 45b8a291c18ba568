//! Calls that the daemon executes, each on a separate connection.

#![expect(unsafe_code, reason = "system calls take pointers; all are of slices")]

use super::daemons::{self, Address};
use super::refusal;
use super::system::{self, Owned, Result, part, part_mut};
use crate::record::{Answer, Call, HEAD, Refused, Request};
use libc::{c_int, timeval};

/// The daemon's answer to a call that succeeded.
pub(super) struct Reply {
    /// What the call returns.
    pub(super) value: c_int,
    /// How many bytes of the buffer were written.
    pub(super) length: usize,
    /// A new descriptor.
    pub(super) descriptor: Option<Owned>,
}

/// Time limit of a call that does not wait for the network.
const PATIENCE: timeval = timeval { tv_sec: 10, tv_usec: 0 };
/// No time limit.
pub(super) const FOREVER: timeval = timeval { tv_sec: 0, tv_usec: 0 };

/// A connection to the daemon with this Unix address.
///
/// # Errors
/// That of `connect`.
pub(super) fn connection(daemon: &[u8], flags: c_int) -> Result<Owned> {
    let socket = system::unix_socket(flags)?;
    set_patience(socket.fd(), PATIENCE)?;
    loop {
        match system::connect(socket.fd(), daemon) {
            Err(libc::EINTR) => {}
            other => return other.map(|()| socket),
        }
    }
}

/// How long sending and receiving may block.
pub(super) fn set_patience(fd: c_int, limit: timeval) -> Result<()> {
    system::set_option(fd, libc::SO_SNDTIMEO, &limit)?;
    system::set_option(fd, libc::SO_RCVTIMEO, &limit)
}

/// Asks the daemon to carry out `call` for the socket `fd`. The answer's bytes are written to `buffer`.
///
/// # Errors
/// The call's `errno`. `ECONNRESET` if the daemon does not exist, `ETIMEDOUT` if it does not answer.
pub(super) fn call(fd: c_int, call: &Call<'_>, buffer: &mut [u8]) -> Result<Reply> {
    let control = ask(fd, call)?;
    loop {
        match answer(&control, call, buffer) {
            Err(Failure::Interrupted) => {}
            Err(Failure::Late) => return Err(libc::ETIMEDOUT),
            Err(Failure::Refused(errno)) => return Err(errno),
            Ok(reply) => return Ok(reply),
        }
    }
}

/// The same for a call that waits for the network, unless it is non-blocking. A signal and the send timeout of the
/// socket end the wait.
pub(super) fn waiting_call(
    fd: c_int,
    call: &Call<'_>,
    buffer: &mut [u8],
) -> std::result::Result<Reply, Failure> {
    let control = ask(fd, call).map_err(Failure::Refused)?;
    let limit = system::option(fd, libc::SO_SNDTIMEO, FOREVER).map_err(Failure::Refused)?;
    system::set_option(control.fd(), libc::SO_RCVTIMEO, &limit).map_err(Failure::Refused)?;
    answer(&control, call, buffer)
}

/// A `waiting_call` that opens an association. The time limit ends it with `EINPROGRESS`.
pub(super) fn opening_call(fd: c_int, call: &Call<'_>, buffer: &mut [u8]) -> Result<Reply> {
    let non_blocking = system::is_non_blocking(fd)?;
    let call = Call { non_blocking, ..call.clone() };
    waiting_call(fd, &call, buffer).map_err(|failure| match failure {
        Failure::Interrupted => libc::EINTR,
        Failure::Late => libc::EINPROGRESS,
        Failure::Refused(errno) => {
            if errno == libc::EINPROGRESS && non_blocking {
                fill(fd);
            }
            errno
        }
    })
}

/// Why there is no reply.
pub(super) enum Failure {
    /// A signal arrived before the answer.
    Interrupted,
    /// The time limit passed before the answer.
    Late,
    /// The call failed.
    Refused(c_int),
}

/// Sends a call to the daemon of `fd`, on a connection of its own. A process may have sockets of several daemons.
fn ask(fd: c_int, call: &Call<'_>) -> Result<Owned> {
    let lost = |errno| match errno {
        libc::EMFILE | libc::ENFILE | libc::ENOBUFS | libc::ENOMEM | libc::EBADF | libc::EFAULT => {
            errno
        }
        _ => libc::ECONNRESET,
    };
    let name = Address::of_peer(fd).map_err(lost)?;
    let daemon = daemons::named(&name).ok_or(libc::ECONNRESET)?;
    let control = connection(daemon.bytes(), libc::SOCK_CLOEXEC).map_err(lost)?;
    let request = Request::Call(call.clone());
    let head = request.head();
    let parts = [part(&head), part(request.payload())];
    loop {
        // SAFETY: the parts are slices
        match unsafe { system::send(control.fd(), &parts, Some(fd), libc::MSG_NOSIGNAL) } {
            Err(libc::EINTR) => {}
            other => return other.map(|_| control).map_err(lost),
        }
    }
}

/// Receives the answer.
fn answer(
    control: &Owned,
    call: &Call<'_>,
    buffer: &mut [u8],
) -> std::result::Result<Reply, Failure> {
    let mut head = [0; HEAD];
    let parts = [part_mut(&mut head), part_mut(buffer)];
    // SAFETY: the parts are slices that nothing else uses
    let received = unsafe { system::receive(control.fd(), &parts, 0) };
    let (length, descriptor) = received.map_err(|errno| match errno {
        libc::EINTR => Failure::Interrupted,
        libc::EAGAIN => Failure::Late,
        _ => Failure::Refused(libc::ECONNRESET),
    })?;
    if length < HEAD {
        return Err(Failure::Refused(libc::ECONNRESET));
    }
    let Ok((Answer::Reply { errno, value, refused, .. }, _)) = Answer::decode_head(&head) else {
        return Err(Failure::Refused(libc::EPROTO));
    };
    match refused {
        Refused::Nothing => {}
        Refused::Option => refusal::option(call.level, call.option),
        Refused::Value => refusal::value(call.level, call.option, value),
    }
    match errno {
        0 => Ok(Reply { value, length: length - HEAD, descriptor }),
        errno => Err(Failure::Refused(errno)),
    }
}

/// Makes the descriptor not writable until the daemon reads it. The kernel calls a Unix socket writable while a quarter
/// of its send buffer is used.
fn fill(fd: c_int) {
    let buffer = system::option(fd, libc::SO_SNDBUF, 0).unwrap_or(0);
    let length = usize::try_from(buffer / 4 + 1).unwrap_or(0).max(HEAD);
    let bytes = Request::Filler { length }.encode();
    // A full buffer has the same effect
    // SAFETY: the part is a slice
    let _ =
        unsafe { system::send(fd, &[part(&bytes)], None, libc::MSG_NOSIGNAL | libc::MSG_DONTWAIT) };
}
