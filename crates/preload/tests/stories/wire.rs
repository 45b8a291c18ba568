//! Unix sockets with descriptors that are passed, and their cookies.

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::net::{
    AddressFamily, RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer,
    SendAncillaryMessage, SendFlags, SocketAddrUnix, SocketFlags, SocketType, accept_with, bind,
    listen, recvmsg, sendmsg, socket_with, sockopt,
};
use std::io::{IoSlice, IoSliceMut};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, OwnedFd};
use std::path::Path;
use std::time::Duration;

fn socket() -> OwnedFd {
    socket_with(AddressFamily::UNIX, SocketType::SEQPACKET, SocketFlags::CLOEXEC, None)
        .expect("a socket")
}

/// A socket that listens at `path`.
pub(crate) fn listener(path: &Path) -> OwnedFd {
    let listener = socket();
    bind(&listener, &SocketAddrUnix::new(path).expect("a path")).expect("bind");
    listen(&listener, 64).expect("listen");
    listener
}

pub(crate) fn accept(listener: &OwnedFd) -> OwnedFd {
    accept_with(listener, SocketFlags::CLOEXEC).expect("accept")
}

pub(crate) fn connect(path: &Path) -> OwnedFd {
    let end = socket();
    rustix::net::connect(&end, &SocketAddrUnix::new(path).expect("a path")).expect("connect");
    end
}

/// The cookie of a socket: the same for all its descriptors.
pub(crate) fn cookie(socket: &OwnedFd) -> u64 {
    sockopt::socket_cookie(socket).expect("a cookie")
}

/// Whether a record comes within `limit`.
pub(crate) fn readable(end: &OwnedFd, limit: Duration) -> bool {
    let limit = Timespec { tv_sec: 0, tv_nsec: i64::from(limit.subsec_nanos()) };
    poll(&mut [PollFd::new(end, PollFlags::IN)], Some(&limit)).expect("poll") > 0
}

/// Sends a record, with a descriptor. A closed end is no error.
pub(crate) fn send(end: &OwnedFd, record: &[u8], passed: Option<&OwnedFd>) {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut ancillary = SendAncillaryBuffer::new(&mut space);
    let passed = passed.map(|passed| [passed.as_fd()]);
    if let Some(passed) = &passed {
        assert!(ancillary.push(SendAncillaryMessage::ScmRights(passed)));
    }
    let _ = sendmsg(end, &[IoSlice::new(record)], &mut ancillary, SendFlags::NOSIGNAL);
}

/// Receives a record and a descriptor; none if the other end is closed.
pub(crate) fn receive(end: &OwnedFd, buffer: &mut [u8]) -> Option<(usize, Option<OwnedFd>)> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut ancillary = RecvAncillaryBuffer::new(&mut space);
    let received =
        recvmsg(end, &mut [IoSliceMut::new(buffer)], &mut ancillary, RecvFlags::CMSG_CLOEXEC)
            .ok()?;
    let mut passed = None;
    for message in ancillary.drain() {
        if let RecvAncillaryMessage::ScmRights(descriptors) = message {
            passed = descriptors.last();
        }
    }
    Some((received.bytes, passed))
}
