//! `socket`, `listen`, `connect`, `shutdown` and `ioctl(FIONREAD)`.

#![expect(unsafe_code, reason = "the caller's addresses are behind pointers")]

use super::control::{self, FOREVER, call, opening_call};
use super::daemons;
use super::descriptor;
use super::held::Held;
use super::mark::{self, Mark};
use super::name::given;
use super::receive;
use super::refusal::Once;
use super::system::{self, Owned, Result, part, part_mut};
use crate::abi::Layout as _;
use crate::abi::constants::IPPROTO_SCTP;
use crate::record::{Answer, Call, HEAD, Operation, Request};
use libc::{c_int, sockaddr, socklen_t};

/// `socket`: none if the arguments select another protocol than SCTP, or if the environment names no daemon.
#[must_use]
pub fn socket(domain: c_int, kind: c_int, protocol: c_int) -> Option<Result<c_int>> {
    let flags = kind & (libc::SOCK_CLOEXEC | libc::SOCK_NONBLOCK);
    let kind = kind & !flags;
    let is_sctp = matches!(domain, libc::AF_INET | libc::AF_INET6)
        && match kind {
            libc::SOCK_STREAM => protocol == IPPROTO_SCTP,
            // It is the default of this type
            libc::SOCK_SEQPACKET => protocol == IPPROTO_SCTP || protocol == 0,
            _ => false,
        };
    (is_sctp && daemons::current().is_some()).then(|| open(domain, kind, flags).map(Owned::release))
}

static NO_DAEMON: Once = Once::new("the daemon of SCTP sockets cannot be reached");

fn open(domain: c_int, kind: c_int, flags: c_int) -> Result<Owned> {
    let daemon = daemons::current().ok_or(libc::EPROTONOSUPPORT)?;
    let cloexec = flags & libc::SOCK_CLOEXEC;
    let socket = control::connection(daemon.bytes(), cloexec).map_err(|errno| match errno {
        libc::EMFILE | libc::ENFILE | libc::ENOBUFS | libc::ENOMEM | libc::EACCES => errno,
        _ => {
            NO_DAEMON.name();
            libc::EPROTONOSUPPORT
        }
    })?;
    let fd = socket.fd();
    daemons::learn(daemon, fd)?;
    let head = Request::Open { domain, kind, protocol: IPPROTO_SCTP }.head();
    // SAFETY: the part is an array
    uninterrupted(|| unsafe { system::send(fd, &[part(&head)], Some(fd), libc::MSG_NOSIGNAL) })?;
    let mut head = [0; HEAD];
    // SAFETY: the part is an array that nothing else uses
    let (length, _) = uninterrupted(|| unsafe { system::receive(fd, &[part_mut(&mut head)], 0) })?;
    match Answer::decode(&head[..length]) {
        Ok(Answer::Opened { errno: 0 }) => {}
        Ok(Answer::Opened { errno } | Answer::Reply { errno, .. }) if errno != 0 => {
            return Err(errno);
        }
        // The daemon closes connections beyond its limit
        _ => return Err(libc::ENOBUFS),
    }
    control::set_patience(fd, FOREVER)?;
    if kind == libc::SOCK_SEQPACKET {
        mark::set(fd, Mark::Many)?;
    }
    if flags & libc::SOCK_NONBLOCK != 0 {
        system::set_non_blocking(fd, true)?;
    }
    descriptor::set_may_have();
    Ok(socket)
}

/// Repeats a call that a signal interrupts. Other failures of the connection to the daemon give `ENOBUFS`.
fn uninterrupted<T>(mut action: impl FnMut() -> Result<T>) -> Result<T> {
    loop {
        match action() {
            Err(libc::EINTR) => {}
            Err(_) => return Err(libc::ENOBUFS),
            done => return done,
        }
    }
}

/// `listen`.
///
/// # Errors
/// Its `errno`.
pub fn listen(fd: c_int, backlog: c_int) -> Result<()> {
    call(fd, &Call { option: backlog, ..Call::new(Operation::Listen) }, &mut []).map(drop)
}

/// `connect`.
///
/// # Errors
/// Its `errno`.
///
/// # Safety
/// As for `connect`.
pub unsafe fn connect(fd: c_int, address: *const sockaddr, length: socklen_t) -> Result<()> {
    // SAFETY: the caller's promise
    let bytes = unsafe { given(address, length) }?;
    if u16::decode(bytes) == Some(libc::AF_UNSPEC as u16) {
        // An association cannot be dissolved
        return Err(libc::EOPNOTSUPP);
    }
    let held = Held::of(fd);
    let fd = held.fd();
    let reply = opening_call(fd, &Call { bytes, ..Call::new(Operation::Connect) }, &mut [])?;
    // A one-to-many socket has 0
    if let Ok(streams @ 1..) = u16::try_from(reply.value) {
        mark::set(fd, Mark::Open(streams))?;
    }
    receive::let_wait(fd)
}

/// `shutdown`.
///
/// # Errors
/// Its `errno`.
pub fn shutdown(fd: c_int, how: c_int) -> Result<()> {
    if !(0..=2).contains(&how) {
        return Err(libc::EINVAL);
    }
    let streams = match call(fd, &Call::new(Operation::PeerName), &mut []) {
        Err(libc::ENOTCONN) if listens(fd) => return stop_listening(fd, how),
        other => u16::try_from(other?.value).unwrap_or(0),
    };
    if how != libc::SHUT_WR {
        system::stop_reading(fd)?;
    }
    let head = Request::Shutdown { how }.head();
    // SAFETY: the part is an array
    match unsafe { system::send(fd, &[part(&head)], None, libc::MSG_NOSIGNAL) } {
        // The association has ended already
        Err(libc::EPIPE | libc::ECONNRESET) => Err(libc::ENOTCONN),
        Err(errno) => Err(errno),
        // Without streams, the association ends
        Ok(_) if how == libc::SHUT_RD && (streams == 0 || mark::get(fd)? == Mark::Shut) => Ok(()),
        Ok(_) if how == libc::SHUT_RD => mark::set(fd, Mark::SendOnly(streams)),
        Ok(_) => mark::set(fd, Mark::Shut),
    }
}

/// Whether a one-to-one socket listens.
pub(super) fn listens(fd: c_int) -> bool {
    call(fd, &Call::new(Operation::Accept), &mut []).is_ok()
}

/// `shutdown` of a listening socket: `accept` fails with `EINVAL`, also where it waits. `net/ipv4/af_inet.c`
fn stop_listening(fd: c_int, how: c_int) -> Result<()> {
    if how == libc::SHUT_WR { Ok(()) } else { system::stop_reading(fd) }
}

/// `ioctl(FIONREAD)`: the unread bytes of the first message.
///
/// # Errors
/// Its `errno`.
pub fn readable_bytes(fd: c_int) -> Result<c_int> {
    receive::unread(fd).map(|bytes| bytes as c_int)
}
