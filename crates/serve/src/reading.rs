//! The task that reads what a program sends on its socket.

use std::io::ErrorKind;
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;

use bytes::Bytes;
use manypath_net::Error;
use manypath_posix::abi::constants::{SCTP_ABORT, SCTP_EOF};
use manypath_posix::record::{HEAD, Request, Sent};
use nix::errno::Errno;
use nix::libc;

use super::associations::Associations;
use super::connection::Record;
use super::errors::errno;
use super::many;
use super::opening;
use super::ports::Ports;
use super::socket::{End, Phase, Socket};

/// Serves a socket until the program has closed it.
pub(super) async fn serve(socket: &Arc<Socket>, ports: &Ports, associations: &Arc<Associations>) {
    let reader = Reader { socket, ports, associations };
    let end = reader.read().await;
    reader.close(end);
}

/// Reads the records of a socket.
#[derive(Debug)]
struct Reader<'a> {
    socket: &'a Arc<Socket>,
    ports: &'a Ports,
    associations: &'a Arc<Associations>,
}

impl Reader<'_> {
    async fn read(&self) -> End {
        for records in 1_u64.. {
            if records % RECORDS_AT_ONCE == 0 {
                tokio::task::yield_now().await;
            }
            match self.next().await {
                Ok(()) => {}
                Err(end) => return end,
            }
        }
        End::Closed
    }

    /// Handles the next record or change of phase.
    async fn next(&self) -> Result<(), End> {
        let mut changed = pin!(self.socket.changed.notified());
        let (is_connecting, keeps_filler) = {
            let state = self.socket.state();
            let is_closed = matches!(state.phase, Phase::Closed);
            let keeps_filler = is_closed && state.fillers == 0 && !self.socket.is_many();
            (matches!(state.phase, Phase::Connecting(_)), keeps_filler)
        };
        if is_connecting {
            return self.until(changed).await;
        }
        if keeps_filler {
            let head = tokio::select! {
                head = self.socket.connection.peek() => head,
                () = &mut changed => return Ok(()),
            };
            let head = head.map_err(|_| End::Abort)?;
            if head.get(KIND) == Some(&Request::Filler { length: HEAD }.head()[KIND]) {
                // The call that begins the connection follows
                return self.until(changed).await;
            }
        }
        let record = match self.socket.connection.receive().await {
            Ok(Some(record)) => record,
            Ok(None) => return Err(End::Closed),
            Err(error) if error.kind() == ErrorKind::ConnectionReset => {
                // The kernel reports this error once, before the records that the program sent
                let unread = self.socket.connection.has_unread_messages();
                return if unread { Err(End::Abort) } else { Ok(()) };
            }
            Err(_) => return Err(End::Abort),
        };
        self.handle(record).await
    }

    /// Waits for a change of phase, or the end of the program's descriptor.
    async fn until(&self, changed: impl Future<Output = ()>) -> Result<(), End> {
        tokio::select! {
            () = changed => Ok(()),
            () = self.socket.connection.hung_up() => Err(End::Closed),
        }
    }

    async fn handle(&self, record: Record) -> Result<(), End> {
        let Record { bytes, passed } = record;
        if !passed.is_empty() {
            // Only the first record of a connection has one
            passed.close().await;
            return Err(End::Abort);
        }
        match Request::decode(&bytes).map_err(|_| End::Abort)? {
            Request::Data(sent) => self.send(&sent, bytes.slice(HEAD..)).await,
            Request::Shutdown { how } => {
                self.socket.state().reads_no_more |= how != libc::SHUT_WR;
                if how != libc::SHUT_RD
                    && let Some(connected) = self.socket.connected()
                {
                    connected.association.begin_shutdown();
                }
                Ok(())
            }
            Request::Filler { .. } => {
                let mut state = self.socket.state();
                state.fillers = state.fillers.saturating_sub(1);
                Ok(())
            }
            Request::Open { .. } | Request::Call(_) => Err(End::Abort),
        }
    }

    /// Sends a message of the program. While the send buffer is full, no further record is read.
    async fn send(&self, sent: &Sent<'_>, payload: Bytes) -> Result<(), End> {
        if self.socket.is_many() {
            return many::send(self.socket, sent, &payload).await;
        }
        if let Some(destination) = sent.destination
            && matches!(self.socket.state().phase, Phase::Closed)
        {
            if let Some(init) = sent.init {
                self.socket.state().options.set_init(init);
            }
            self.connect_for_message(destination).await?;
        }
        let Some(connected) = self.socket.connected() else {
            if matches!(self.socket.state().phase, Phase::Ended) {
                return Err(End::Closed);
            }
            return self.socket.refuse(Errno::EPIPE).await;
        };
        let association = &connected.association;
        let info = connected.send_info(sent);
        if info.flags & SCTP_ABORT != 0 {
            association.abort(payload);
            return Ok(());
        }
        if !payload.is_empty() {
            let message = connected.message(sent, info, payload);
            let mut sending = pin!(association.send(message));
            let done = tokio::select! {
                biased;
                done = &mut sending => done,
                () = self.socket.connection.hung_up() => {
                    if self.socket.state().options.aborts_on_close() || self.socket.connection.was_reset() {
                        return Err(End::Abort);
                    }
                    sending.await
                }
            };
            match done {
                Ok(()) => {}
                // The delivery also ends, and reports the error to the program
                Err(
                    Error::Closed | Error::Aborted(_) | Error::Unreachable | Error::AbortedHere,
                ) => {
                    return self.until_ended().await;
                }
                Err(error) => self.socket.refuse(errno(&error)).await?,
            }
        }
        if info.flags & SCTP_EOF != 0 {
            association.begin_shutdown();
        }
        Ok(())
    }

    /// A message to an address opens the association. RFC 6458 §4.1.9
    async fn connect_for_message(&self, destination: SocketAddr) -> Result<(), End> {
        let Self { socket, ports, associations } = self;
        match opening::begin(ports, associations, socket, &[destination], false) {
            Ok(attempt) => match attempt.await {
                Ok(Ok(())) => Ok(()),
                Ok(Err(why)) => self.socket.refuse(why).await,
                Err(_) => Ok(()),
            },
            Err(why) => self.socket.refuse(why).await,
        }
    }

    /// Waits until the end of the association is delivered. The descriptor is closed then, so that the program's next
    /// message fails with `EPIPE`.
    async fn until_ended(&self) -> Result<(), End> {
        loop {
            let changed = self.socket.changed.notified();
            if !matches!(self.socket.state().phase, Phase::Connected(_)) {
                return Err(End::Closed);
            }
            self.until(changed).await?;
        }
    }

    /// Ends the socket as the kernel does when the last descriptor is closed.
    fn close(&self, end: End) {
        let mut state = self.socket.state();
        let aborts = end == End::Abort
            || self.socket.connection.was_reset()
            || state.options.aborts_on_close();
        let phase = std::mem::replace(&mut state.phase, Phase::Ended);
        drop(state);
        match phase {
            Phase::Closed | Phase::Ended => {}
            Phase::Listening(endpoint, accepting) => {
                accepting.abort();
                endpoint.admit(None);
            }
            Phase::Connecting(attempt) => attempt.abort(),
            Phase::Connected(connected) => connected.close(self.associations, aborts, Vec::new()),
            Phase::Many(many) => many.close(self.associations, aborts),
        }
        self.ports.release(self.socket.cookie);
    }
}

/// Offset of the kind in the head of a record.
const KIND: usize = 4;
/// Records that are read before other tasks run.
const RECORDS_AT_ONCE: u64 = 32;
