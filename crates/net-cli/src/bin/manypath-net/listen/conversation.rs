//! One association of a listener.

use std::time::{Duration, Instant};

use manypath_net::{Association, Message};

use super::report::Report;
use super::sink::Target;
use crate::failure::Failure;
use crate::stop::Stop;

/// An association with its received data.
#[derive(Debug)]
pub(crate) struct Conversation {
    pub(crate) association: Association,
    /// Its number in this program.
    pub(crate) number: u64,
    /// First address and SCTP port of the peer.
    pub(crate) peer: String,
    pub(crate) messages: u64,
    pub(crate) bytes: u64,
    pub(crate) begun: Instant,
    report: Report,
    target: Target,
    echoes: bool,
}

impl Conversation {
    pub(crate) fn new(
        association: Association,
        number: u64,
        report: Report,
        target: Target,
        echoes: bool,
    ) -> Self {
        let peer = peer(&association);
        let begun = Instant::now();
        Self { association, number, peer, messages: 0, bytes: 0, begun, report, target, echoes }
    }

    /// The time since the association began.
    pub(crate) fn elapsed(&self) -> Duration {
        self.begun.elapsed()
    }

    /// Receives messages until the peer sends no more.
    async fn listen(&mut self, stop: &Stop) -> Result<(), Failure> {
        let mut sink = self.target.open(&self.peer, self.number)?;
        while let Some(message) = self.association.receive().await? {
            let ends = message.part.is_none_or(|part| !part.more_follows);
            self.messages += u64::from(ends);
            self.bytes += message.payload.len() as u64;
            sink.write(&message.payload)?;
            // No data can be sent once the program ends the association
            if self.echoes && !stop.is_requested() {
                let sent = self.association.send(back(message)).await;
                sent.or_else(|error| if stop.is_requested() { Ok(()) } else { Err(error) })?;
            }
        }
        sink.finish()
    }
}

/// Serves an association until either side ends it, and reports its start and its end.
pub(crate) async fn converse(
    mut conversation: Conversation,
    mut stop: Stop,
) -> Result<(), Failure> {
    let report = conversation.report;
    report.begins(&conversation);
    let association = conversation.association.clone();
    let stopped = stop.clone();
    let done = {
        let listening = async {
            let heard = conversation.listen(&stopped).await;
            if let Err(failure) = &heard {
                association.abort(format!("the listener gave up: {}", failure.for_peer()));
            }
            // Echoed data still has to arrive
            heard.and(association.closed().await.map_err(Failure::from))
        };
        tokio::pin!(listening);
        tokio::select! {
            done = &mut listening => done,
            () = stop.requested() => {
                // The peer's shutdown completes only while its data is read
                let ending = async { tokio::join!(association.shutdown(), &mut listening).1 };
                stop.in_time(ending).await.unwrap_or_else(|| {
                    association.abort("the listener was stopped");
                    Err(Failure::interrupted())
                })
            }
        }
    };
    report.ends(&conversation, done.as_ref().err());
    done
}

/// The message as an echo.
fn back(message: Message) -> Message {
    let Message { payload, stream, ppid, unordered, .. } = message;
    let back = Message::new(payload).stream(stream).ppid(ppid);
    if unordered { back.unordered() } else { back }
}

fn peer(association: &Association) -> String {
    let remote = association.paths().first().map(|path| path.remote);
    remote.map_or_else(
        || "an unknown address".to_owned(),
        |ip| std::net::SocketAddr::new(ip, association.peer_port()).to_string(),
    )
}
