//! One association of a listener.

use manypath_net::{Association, Message};

use super::report::{Report, Subject};
use super::sink::Target;
use crate::failure::Failure;
use crate::stop::Stop;

/// An association of a listener.
#[derive(Debug)]
pub(crate) struct Conversation {
    subject: Subject,
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
        Self { subject: Subject::new(association, number), report, target, echoes }
    }

    /// Receives messages until the peer sends no more.
    async fn listen(&mut self, stop: &Stop) -> Result<(), Failure> {
        let Self { subject, target, .. } = self;
        let mut sink = target.open(&subject.peer, subject.number)?;
        while let Some(message) = subject.association.receive().await? {
            let ends = message.part.is_none_or(|part| !part.more_follows);
            subject.messages += u64::from(ends);
            subject.bytes += message.payload.len() as u64;
            sink.write(&message.payload)?;
            // No data can be sent once the program ends the association
            if self.echoes && !stop.is_requested() {
                let sent = subject.association.send(back(message)).await;
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
    report.begins(&conversation.subject);
    let association = conversation.subject.association.clone();
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
    report.ends(&conversation.subject, done.as_ref().err());
    done
}

/// The message as an echo.
fn back(message: Message) -> Message {
    let Message { payload, stream, ppid, unordered, .. } = message;
    let back = Message::new(payload).stream(stream).ppid(ppid);
    if unordered { back.unordered() } else { back }
}
