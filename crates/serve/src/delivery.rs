//! The task that delivers messages and notifications of an association to its program.

use std::io::{self, ErrorKind};
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use manypath_net::{Association, Error, Event, Events};
use manypath_posix::abi::constants::*;
use manypath_posix::abi::option::EventSubscribe;
use manypath_posix::record::{
    ANCILLARY_RCVINFO, ANCILLARY_SNDRCV, Answer, LARGEST_MESSAGE, Received,
};
use manypath_sctp as sctp;

use super::errors::errno;
use super::notification::Notifier;
use super::outlet::Outlet;

/// Delivers until the association has ended. While the program does not read, messages stay in the association, whose
/// receive window closes. What arrives after the program's last read is discarded.
pub(super) async fn run(outlet: Arc<Outlet>, association: Association) {
    let events = association.events();
    let notifier = Notifier::new(outlet.socket().domain(), outlet.number(), association);
    let mut delivery = Delivery { outlet, notifier, is_within: false };
    if let Err(error) = delivery.run(events).await {
        if !matches!(error.kind(), ErrorKind::BrokenPipe | ErrorKind::ConnectionReset) {
            // Without memory for a record, the program would miss a message
            delivery.notifier.association.abort("");
        }
        discard(&delivery.notifier.association).await;
    }
    delivery.outlet.end().await;
}

/// Reads and drops messages until the association has ended. The program has called `shutdown` for reading, or has closed
/// its end, while the socket's own task may still read what it sent before.
async fn discard(association: &Association) {
    while let Ok(Some(_)) = association.receive_numbered().await {}
    // The program cannot receive the result
    let _ = association.closed().await;
}

/// The state of the task.
#[derive(Debug)]
struct Delivery {
    outlet: Arc<Outlet>,
    notifier: Notifier,
    /// Parts of a message were delivered, and others follow.
    is_within: bool,
}

impl Delivery {
    async fn run(&mut self, mut events: Events) -> io::Result<()> {
        let association = self.notifier.association.clone();
        if let Err(error) = association.connected().await {
            return self.not_established(&error, events).await;
        }
        self.notifier.renew_source();
        self.outlet.socket().learns(self.notifier.number, &association);
        if self.wants(|events| events.association_event) {
            self.notify(self.notifier.change(SCTP_COMM_UP, 0)).await?;
        }
        let limit = self.outlet.options().autoclose();
        let mut idle = pin!(idle(&association, limit));
        let (mut have_events, mut may_idle) = (true, true);
        let end = loop {
            tokio::select! {
                biased;
                event = events.next(), if have_events => match event {
                    Some(event) => self.tell(&event).await?,
                    None => have_events = false,
                },
                received = association.receive_numbered() => match received {
                    Ok(Some(received)) => self.message(&received).await?,
                    Ok(None) => break None,
                    Err(error) => break Some(error),
                },
                () = &mut idle, if may_idle => {
                    may_idle = false;
                    self.outlet.will_close();
                    association.begin_shutdown();
                }
            }
        };
        match end {
            None => self.shut_down().await,
            Some(error) => self.lost(&error).await,
        }
    }

    /// The association could not be opened. Its messages were not sent.
    async fn not_established(&mut self, error: &Error, mut events: Events) -> io::Result<()> {
        if self.wants(|events| events.association_event) {
            let cause = if matches!(error, Error::Refused(_)) { USER_INITIATED_ABORT } else { 0 };
            self.notify(self.notifier.change(SCTP_CANT_STR_ASSOC, cause)).await?;
        }
        while let Some(event) = events.next().await {
            self.tell(&event).await?;
        }
        Ok(())
    }

    /// Delivers the notifications of an event.
    async fn tell(&mut self, event: &Event) -> io::Result<()> {
        self.notifier.renew_source();
        let wanted = self.outlet.options().events;
        for bytes in self.notifier.of(event, &wanted) {
            self.notify(bytes).await?;
        }
        Ok(())
    }

    /// The association is being shut down, and its data is delivered.
    async fn shut_down(&self) -> io::Result<()> {
        let association = &self.notifier.association;
        let by_peer = association.peer_is_done();
        if by_peer && self.wants(|events| events.shutdown_event) {
            self.notify(self.notifier.shutdown()).await?;
        }
        let follows = self.wants(|events| events.association_event);
        let socket = self.outlet.socket();
        if !follows && !socket.is_many() {
            // The program reads the end, while its own data may still be on its way
            socket.connection().finish(false);
        }
        drop(socket);
        match association.closed().await {
            Ok(()) if follows => self.notify(self.notifier.change(SCTP_SHUTDOWN_COMP, 0)).await,
            Ok(()) => Ok(()),
            Err(error) if follows => self.lost(&error).await,
            Err(_) => Ok(()),
        }
    }

    /// The association has ended without a shutdown.
    async fn lost(&self, error: &Error) -> io::Result<()> {
        let why = errno(error);
        if self.wants(|events| events.association_event) {
            let cause = if matches!(error, Error::Aborted(_)) { USER_INITIATED_ABORT } else { 0 };
            self.notify(self.notifier.change(SCTP_COMM_LOST, cause)).await?;
        }
        let socket = self.outlet.socket();
        if matches!(error, Error::AbortedHere) || socket.is_many() {
            // The program requested the abort, so it reads the end of the file. A one-to-many socket has other
            // associations
            return Ok(());
        }
        socket.set_error(why);
        drop(socket);
        self.outlet.send(&Answer::Error { errno: why as i32 }, false).await
    }

    fn wants(&self, which: impl Fn(&EventSubscribe) -> u8) -> bool {
        which(&self.outlet.options().events) != 0
    }

    async fn notify(&self, bytes: Vec<u8>) -> io::Result<()> {
        let received = Received {
            end_of_record: true,
            notification: true,
            association: self.notifier.number,
            source: self.notifier.source,
            bytes: &bytes,
            ..Received::default()
        };
        self.outlet.send(&Answer::Data(received), self.is_within).await
    }

    /// Delivers a message, in several records if it is larger than one.
    async fn message(&mut self, received: &sctp::Received) -> io::Result<()> {
        let sctp::Received { message, tsn, ssn } = received;
        let (ancillary, context) = {
            let options = self.outlet.options();
            let sndrcv = if options.events.data_io_event != 0 { ANCILLARY_SNDRCV } else { 0 };
            let rcvinfo = if options.receive_info { ANCILLARY_RCVINFO } else { 0 };
            (sndrcv | rcvinfo, options.context)
        };
        let parts = message.payload.chunks(LARGEST_MESSAGE);
        let last = parts.len().saturating_sub(1);
        let ends = message.part.is_none_or(|part| !part.more_follows);
        for (index, bytes) in parts.enumerate() {
            let end_of_record = ends && index == last;
            let received = Received {
                end_of_record,
                notification: false,
                ancillary,
                stream: message.stream,
                ssn: ssn.map_or(0, |ssn| ssn.0),
                flags: if message.unordered { SCTP_UNORDERED } else { 0 },
                ppid: message.ppid.to_be(),
                tsn: tsn.0,
                cumtsn: if message.unordered { tsn.0 } else { 0 },
                context,
                association: self.notifier.number,
                source: self.notifier.source,
                bytes,
            };
            self.is_within = !end_of_record;
            self.outlet.send(&Answer::Data(received), self.is_within).await?;
        }
        Ok(())
    }
}

/// Completes when no data has been sent or received for a time. RFC 6458 §8.1.8
async fn idle(association: &Association, limit: Option<Duration>) {
    let Some(limit) = limit else { return std::future::pending().await };
    let progress = |_: &[_]| {
        let stats = association.stats();
        // Received data are acknowledged
        stats.data_chunks_sent + stats.sacks_sent
    };
    association.stalled(limit, progress).await;
}

/// The cause in an ABORT of an application. RFC 9260 §3.3.10.12
const USER_INITIATED_ABORT: u16 = 12_u16.to_be();
