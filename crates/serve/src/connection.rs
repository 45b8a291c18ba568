//! A connection with a program: a Unix socket whose messages are records.

use std::cell::RefCell;
use std::io::{self, ErrorKind, IoSlice, IoSliceMut};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, OwnedFd};
use std::sync::atomic::{AtomicBool, Ordering};

use bytes::Bytes;
use manypath_net::socket::register;
use manypath_posix::queue::is_read;
use manypath_posix::record::{Answer, HEAD, LARGEST_RECORD, Received};
use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, ReturnFlags, SendAncillaryBuffer,
    SendAncillaryMessage, SendFlags, Shutdown, recv, recvmsg, sendmsg, shutdown, sockopt,
};
use tokio::io::Interest;
use tokio::io::unix::AsyncFd;

use super::passed::{DaemonEnd, Passed};

/// The daemon's end of a connection. One task receives, any task sends.
#[derive(Debug)]
pub(super) struct Connection {
    socket: AsyncFd<DaemonEnd>,
    /// The program may have unread messages, not only notifications.
    has_messages: AtomicBool,
    /// A call has failed because the program closed its end with unread records. The kernel reports this error only
    /// once.
    was_reset: AtomicBool,
}

/// A received record and the descriptors that came with it.
#[derive(Debug)]
pub(super) struct Record {
    pub(super) bytes: Bytes,
    pub(super) passed: Passed,
}

impl Connection {
    pub(super) fn new(socket: OwnedFd) -> io::Result<Self> {
        let (has_messages, was_reset) = (AtomicBool::new(false), AtomicBool::new(false));
        let socket = register(DaemonEnd::new(socket))?;
        Ok(Self { socket, has_messages, was_reset })
    }

    /// The next record; `None` after the program has closed its end. Cancel-safe.
    ///
    /// The error is [`ErrorKind::ConnectionReset`] if the program closed its end with unread records, and
    /// [`ErrorKind::InvalidData`] for a record that is too long.
    pub(super) async fn receive(&self) -> io::Result<Option<Record>> {
        self.when_readable(receive_now).await
    }

    /// The head of the next record, which stays there; fewer bytes at the end of the connection. Cancel-safe.
    pub(super) async fn peek(&self) -> io::Result<Vec<u8>> {
        self.when_readable(|socket| {
            let mut head = [0; HEAD];
            let flags = RecvFlags::PEEK | RecvFlags::DONTWAIT;
            let (length, _) = recv(socket, &mut head[..], flags)?;
            Ok(head[..length].to_vec())
        })
        .await
    }

    /// Whether a program that closed its end with unread records has left messages unread. Notifications do not count.
    pub(super) fn has_unread_messages(&self) -> bool {
        self.has_messages.load(Ordering::Relaxed)
    }

    /// Remembers whether unread records are messages.
    fn note_sent(&self, answer: &Answer<'_>) {
        match answer {
            Answer::Data(Received { notification: false, .. }) => {
                self.has_messages.store(true, Ordering::Relaxed);
            }
            Answer::Data(_) if self.has_unread_messages() && is_read(self.socket.as_fd()) => {
                self.has_messages.store(false, Ordering::Relaxed);
            }
            _ => {}
        }
    }

    /// Waits until the program has closed its end, while records may wait to be read.
    pub(super) async fn hung_up(&self) {
        while let Ok(mut guard) = self.socket.ready(Interest::READABLE).await {
            if guard.ready().is_read_closed() {
                return;
            }
            guard.clear_ready();
        }
    }

    /// Whether the program closed its end with unread messages.
    pub(super) fn was_reset(&self) -> bool {
        if let Ok(Err(error)) = sockopt::socket_error(self.socket.get_ref()) {
            self.note(&error.into());
        }
        self.was_reset.load(Ordering::Relaxed) && self.has_unread_messages()
    }

    fn note(&self, error: &io::Error) {
        if error.kind() == ErrorKind::ConnectionReset {
            self.was_reset.store(true, Ordering::Relaxed);
        }
    }

    /// Sends a record, and a descriptor with it. Cancel-safe: a record is sent whole or not at all.
    pub(super) async fn send(
        &self,
        answer: &Answer<'_>,
        descriptor: Option<&OwnedFd>,
    ) -> io::Result<()> {
        self.note_sent(answer);
        let head = answer.head();
        let send = |socket: &DaemonEnd| {
            send_now(socket, &head, answer.payload(), descriptor)
                .inspect_err(|error| self.note(error))
        };
        match send(self.socket.get_ref()) {
            Err(error) if error.kind() == ErrorKind::WouldBlock => {}
            done => return done,
        }
        loop {
            let mut guard = self.socket.writable().await?;
            if let Ok(done) = guard.try_io(|socket| send(socket.get_ref())) {
                return done;
            }
        }
    }

    /// Ends the sending: the program reads the end of the file after the records that were sent. If the program does
    /// not read any more, its next message fails, because the kernel refuses it.
    pub(super) fn finish(&self, reads_no_more: bool) {
        let how = if reads_no_more { Shutdown::Both } else { Shutdown::Write };
        // Fails only if the program has closed its end
        let _ = shutdown(self.socket.get_ref(), how);
    }

    async fn when_readable<T>(&self, read: impl Fn(&DaemonEnd) -> io::Result<T>) -> io::Result<T> {
        match read(self.socket.get_ref()) {
            Err(error) if error.kind() == ErrorKind::WouldBlock => {}
            done => return done,
        }
        loop {
            let mut guard = self.socket.readable().await?;
            if let Ok(done) = guard.try_io(|socket| read(socket.get_ref())) {
                return done;
            }
        }
    }
}

thread_local! {
    /// Memory for one record. It is copied in its real length.
    static SCRATCH: RefCell<Vec<u8>> = RefCell::new(vec![0; LARGEST_RECORD]);
}

fn receive_now(socket: &DaemonEnd) -> io::Result<Option<Record>> {
    SCRATCH.with_borrow_mut(|scratch| {
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(MOST_PASSED))];
        let mut control = RecvAncillaryBuffer::new(&mut space);
        let flags = RecvFlags::DONTWAIT | RecvFlags::CMSG_CLOEXEC;
        let mut parts = [IoSliceMut::new(scratch)];
        let received = recvmsg(socket, &mut parts, &mut control, flags)?;
        let mut descriptors = Vec::new();
        for message in control.drain() {
            if let RecvAncillaryMessage::ScmRights(all) = message {
                descriptors.extend(all);
            }
        }
        let passed = Passed::new(descriptors);
        if received.flags.contains(ReturnFlags::TRUNC) {
            return Err(ErrorKind::InvalidData.into());
        }
        let bytes = Bytes::copy_from_slice(&scratch[..received.bytes]);
        Ok((!bytes.is_empty()).then_some(Record { bytes, passed }))
    })
}

/// Sends a record whose parts are in different places.
pub(super) fn send_now(
    socket: impl AsFd,
    head: &[u8; HEAD],
    payload: &[u8],
    descriptor: Option<&OwnedFd>,
) -> io::Result<()> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut control = SendAncillaryBuffer::new(&mut space);
    let descriptors = descriptor.map(|descriptor| [descriptor.as_fd()]);
    if let Some(descriptors) = &descriptors {
        control.push(SendAncillaryMessage::ScmRights(descriptors));
    }
    let parts = [IoSlice::new(head), IoSlice::new(payload)];
    sendmsg(socket, &parts, &mut control, SendFlags::DONTWAIT | SendFlags::NOSIGNAL)?;
    Ok(())
}

/// The largest number of descriptors of a record: `SCM_MAX_FD`. The kernel closes those without room here, which may block.
const MOST_PASSED: usize = 253;
