//! The task that delivers messages and notifications of an association to its program.

use std::io::{self, ErrorKind};
use std::sync::Arc;

use manypath_posix::abi::constants::*;
use manypath_posix::abi::option::EventSubscribe;
use manypath_posix::record::{
    ANCILLARY_RCVINFO, ANCILLARY_SNDRCV, Answer, LARGEST_MESSAGE, Received,
};
use manypath_sctp as sctp;

use super::errors::errno;
use super::notification::Notifier;
use super::socket::Socket;
use crate::{Association, Error, Events};

/// Delivers until the association has ended. While the program does not read, messages stay in the association, whose
/// receive window closes. What arrives behind the program's last read is discarded.
pub(super) async fn run(socket: Arc<Socket>, association: Association, number: i32) {
    let events = association.events();
    let mut notifier = Notifier::new(socket.domain, number, association);
    if let Err(error) = deliver(&socket, &mut notifier, events).await {
        if !matches!(error.kind(), ErrorKind::BrokenPipe | ErrorKind::ConnectionReset) {
            // Without memory for a record, the program would miss a message
            notifier.association.abort("");
        }
        discard(&notifier.association).await;
    }
    socket.connection.finish();
    socket.has_ended();
}

/// Reads and drops messages until the association has ended. The program has called `shutdown` for reading, or has closed
/// its end, while the socket's own task may still read what it sent before.
async fn discard(association: &Association) {
    while let Ok(Some(_)) = association.receive_numbered().await {}
    // The program cannot be told how
    let _ = association.closed().await;
}

async fn deliver(socket: &Socket, notifier: &mut Notifier, mut events: Events) -> io::Result<()> {
    if wants(socket, |events| events.association_event) {
        notify(socket, notifier, notifier.change(SCTP_COMM_UP, 0)).await?;
    }
    let association = notifier.association.clone();
    let mut have_events = true;
    let end = loop {
        tokio::select! {
            biased;
            event = events.next(), if have_events => match event {
                Some(event) => {
                    notifier.renew_source();
                    let wanted = socket.state().options.events;
                    for bytes in notifier.of(&event, &wanted) {
                        notify(socket, notifier, bytes).await?;
                    }
                }
                None => have_events = false,
            },
            received = association.receive_numbered() => match received {
                Ok(Some(received)) => message(socket, notifier, &received).await?,
                Ok(None) => break None,
                Err(error) => break Some(error),
            },
        }
    };
    match end {
        None => shut_down(socket, notifier).await,
        Some(error) => lost(socket, notifier, &error).await,
    }
}

/// The peer has shut the association down.
async fn shut_down(socket: &Socket, notifier: &Notifier) -> io::Result<()> {
    if wants(socket, |events| events.shutdown_event) {
        notify(socket, notifier, notifier.shutdown()).await?;
    }
    let follows = wants(socket, |events| events.association_event);
    if !follows {
        // The program reads the end, while its own data may still be on its way
        socket.connection.finish();
    }
    match notifier.association.closed().await {
        Ok(()) if follows => notify(socket, notifier, notifier.change(SCTP_SHUTDOWN_COMP, 0)).await,
        Ok(()) => Ok(()),
        Err(error) if follows => lost(socket, notifier, &error).await,
        Err(_) => Ok(()),
    }
}

/// The association has ended without a shutdown.
async fn lost(socket: &Socket, notifier: &Notifier, error: &Error) -> io::Result<()> {
    let why = errno(error);
    if wants(socket, |events| events.association_event) {
        let cause = if matches!(error, Error::Aborted(_)) { USER_INITIATED_ABORT } else { 0 };
        notify(socket, notifier, notifier.change(SCTP_COMM_LOST, cause)).await?;
    }
    if matches!(error, Error::AbortedHere) {
        // The program asked for it: it reads the end
        return Ok(());
    }
    socket.state().error = Some(why);
    socket.connection.send(&Answer::Error { errno: why as i32 }, None).await
}

fn wants(socket: &Socket, which: impl Fn(&EventSubscribe) -> u8) -> bool {
    which(&socket.state().options.events) != 0
}

async fn notify(socket: &Socket, notifier: &Notifier, bytes: Vec<u8>) -> io::Result<()> {
    let received = Received {
        end_of_record: true,
        notification: true,
        association: notifier.number,
        source: notifier.source,
        bytes: &bytes,
        ..Received::default()
    };
    socket.connection.send(&Answer::Data(received), None).await
}

/// Delivers a message, in several records if it is larger than one.
async fn message(
    socket: &Socket,
    notifier: &Notifier,
    received: &sctp::Received,
) -> io::Result<()> {
    let sctp::Received { message, tsn, ssn } = received;
    let ancillary = {
        let state = socket.state();
        let sndrcv = if state.options.events.data_io_event != 0 { ANCILLARY_SNDRCV } else { 0 };
        sndrcv | if state.options.receive_info { ANCILLARY_RCVINFO } else { 0 }
    };
    let parts = message.payload.chunks(LARGEST_MESSAGE);
    let last = parts.len().saturating_sub(1);
    let ends = message.part.is_none_or(|part| !part.more_follows);
    for (index, bytes) in parts.enumerate() {
        let received = Received {
            end_of_record: ends && index == last,
            notification: false,
            ancillary,
            stream: message.stream,
            ssn: ssn.map_or(0, |ssn| ssn.0),
            flags: if message.unordered { SCTP_UNORDERED } else { 0 },
            ppid: message.ppid.to_be(),
            tsn: tsn.0,
            cumtsn: if message.unordered { tsn.0 } else { 0 },
            context: 0,
            association: notifier.number,
            source: notifier.source,
            bytes,
        };
        socket.connection.send(&Answer::Data(received), None).await?;
    }
    Ok(())
}

/// The cause in an ABORT of an application. RFC 9260 §3.3.10.12
const USER_INITIATED_ABORT: u16 = 12_u16.to_be();
