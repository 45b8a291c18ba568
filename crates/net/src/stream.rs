//! One stream of an association as a byte stream.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use bytes::{Buf, Bytes};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use crate::association::{Association, Streams, poll_receive_on, poll_send, poll_shutdown};
use crate::driver::{State, Ticket};
use crate::{Error, Message};

impl Association {
    /// One stream as a byte stream. Until it is dropped, [`receive`](Self::receive) does not return messages of this
    /// stream. Once 256 KiB of unread data wait on it, the other streams are not read either, until the peer sends no
    /// more.
    ///
    /// # Errors
    /// If the stream does not exist in both directions, or has a reader already.
    pub fn stream(&self, number: u16) -> Result<Stream, Error> {
        let Streams { outbound, inbound } = self.streams();
        let count = outbound.min(inbound);
        if number >= count {
            return Err(Error::NoSuchStream { stream: number, count });
        }
        if !self.with_state(|state, id| state.entry(id).claim(number)) {
            return Err(Error::StreamTaken(number));
        }
        Ok(Stream::new(self.clone(), number))
    }
}

/// One stream of an association as a byte stream, for code that uses [`AsyncRead`] and [`AsyncWrite`]: see
/// [`Association::stream`]. Message boundaries are not preserved.
///
/// SCTP has no half-close: `poll_shutdown` shuts down the whole association, after the peer has acknowledged all data.
/// `poll_shutdown` is ready when the association has ended. Data that the peer sends until then can be read.
#[derive(Debug)]
pub struct Stream {
    association: Association,
    number: u16,
    /// Received data that was not read yet.
    unread: Bytes,
    has_shut_down: bool,
    /// The registered wakers of a pending read, write and shutdown.
    reading: Ticket,
    writing: Ticket,
    ending: Ticket,
}

impl Stream {
    pub(crate) fn new(association: Association, number: u16) -> Self {
        Self {
            association,
            number,
            unread: Bytes::new(),
            has_shut_down: false,
            reading: Ticket::default(),
            writing: Ticket::default(),
            ending: Ticket::default(),
        }
    }

    /// The number of the stream.
    #[must_use]
    pub fn number(&self) -> u16 {
        self.number
    }

    /// The association that it belongs to.
    #[must_use]
    pub fn association(&self) -> &Association {
        &self.association
    }
}

impl AsyncRead for Stream {
    fn poll_read(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        if this.unread.is_empty() {
            let Self { association, number, reading, .. } = this;
            let look = |state: &mut State, id| {
                let result = poll_receive_on(state, id, Some(*number));
                state.entry(id).readable.settle(reading, cx, result)
            };
            match ready!(association.with_state(look))? {
                Some(message) => this.unread = message.payload,
                None => return Poll::Ready(Ok(())),
            }
        }
        let length = this.unread.len().min(buffer.remaining());
        buffer.put_slice(&this.unread[..length]);
        this.unread.advance(length);
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for Stream {
    fn poll_write(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        if bytes.is_empty() {
            return Poll::Ready(Ok(0));
        }
        let Self { association, number, writing, .. } = this;
        association.with_state(|state, id| {
            // At most the free space of the send buffer: a longer message has to wait, or is refused. Without free
            // space the message has one byte, and waits.
            let space = state.core.send_space(id).max(1);
            let length = bytes.len().min(space).min(LONGEST_MESSAGE);
            let payload = Bytes::copy_from_slice(&bytes[..length]);
            let message = Message::new(payload).stream(*number);
            let result = poll_send(state, id, &message);
            ready!(state.entry(id).writable.settle(writing, cx, result))?;
            Poll::Ready(Ok(length))
        })
    }

    /// Does nothing: written data is sent without a flush.
    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let Self { association, has_shut_down, ending, .. } = self.get_mut();
        let look = |state: &mut State, id| {
            let result = poll_shutdown(state, id, has_shut_down);
            state.entry(id).changed.settle(ending, cx, result)
        };
        Poll::Ready(Ok(ready!(association.with_state(look))?))
    }
}

/// After the drop, [`Association::receive`] returns the messages of this stream again.
impl Drop for Stream {
    fn drop(&mut self) {
        let Self { association, number, reading, writing, ending, .. } = self;
        let wakers = association.with_state(|state, id| {
            let entry = state.entry(id);
            let wakers = [
                entry.readable.remove(reading),
                entry.writable.remove(writing),
                entry.changed.remove(ending),
            ];
            entry.release(*number);
            wakers
        });
        drop(wakers);
    }
}

/// Largest message of a write in bytes. It fills several packets, but only a small part of a usual send buffer.
const LONGEST_MESSAGE: usize = 1 << 16;
