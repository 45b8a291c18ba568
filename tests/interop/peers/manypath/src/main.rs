//! A peer over our own stack: one association, whose messages and events one task reads while another one sends.

use bytes::Bytes;
use manypath_net::{Association, Endpoint, Error, Event, Events, Message, PathState};
use manypath_peer::settings;
use peer_contract::{Ledger, Options, Outgoing, fail, report, wait_for_end_of_input};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::net::IpAddr;
use tokio::sync::oneshot;

/// An association and what is known of its progress.
struct Peer {
    options: Options,
    association: Association,
    events: Events,
    ledger: Ledger,
    /// Whether each address of the peer works, as far as that was told.
    paths: HashMap<IpAddr, bool>,
    /// Incomplete large messages, by the TSN of their first chunk.
    parts: HashMap<u32, Vec<u8>>,
    sent: bool,
    received_reported: bool,
    ending: bool,
}

#[tokio::main]
async fn main() {
    let options = Options::read();
    let timeout = options.timeout;
    let Ok(endpoint) = tokio::time::timeout(timeout, run(options)).await else {
        fail("the time is over");
    };
    tokio::task::spawn_blocking(wait_for_end_of_input).await.expect("it does not panic");
    // The last packet leaves.
    endpoint.close().await;
}

/// The endpoint, when its association has ended.
async fn run(options: Options) -> Endpoint {
    let endpoint = match settings::builder(&options).bind(options.port).await {
        Ok(endpoint) => endpoint,
        Err(error) => fail(&error.to_string()),
    };
    let opened = if options.listen {
        report("listening", Value::Null);
        endpoint.accept().await
    } else {
        endpoint.connect(settings::peer(&options)).await
    };
    let association = opened.unwrap_or_else(|error| fail(&error.to_string()));
    let streams = association.streams();
    report("connected", json!({ "outgoing": streams.outbound, "incoming": streams.inbound }));
    let peer = Peer {
        events: association.events(),
        options,
        association,
        ledger: Ledger::default(),
        paths: HashMap::new(),
        parts: HashMap::new(),
        sent: false,
        received_reported: false,
        ending: false,
    };
    peer.run().await;
    endpoint
}

impl Peer {
    async fn run(mut self) {
        // What was confirmed or failed before the first event could be heard.
        for path in self.association.paths() {
            if path.stats.confirmed && path.stats.state == PathState::Inactive {
                self.tell_path(path.remote, false);
            } else if path.stats.confirmed && !path.is_primary {
                self.tell_path(path.remote, true);
            }
        }
        let (done, mut sent) = oneshot::channel();
        let outgoing = Outgoing::new(self.options.send, self.options.size, self.options.streams);
        tokio::spawn(send_all(self.association.clone(), outgoing, self.options.unordered, done));
        let end = loop {
            // Events first: a restart comes before the messages of the new association.
            tokio::select! {
                biased;
                Some(event) = self.events.next() => self.handle_event(&event),
                Ok(()) = &mut sent, if !self.sent => {
                    self.sent = true;
                    report("sent", json!({ "bytes": self.options.send }));
                    self.end_if_done();
                }
                message = self.association.receive() => match message {
                    Ok(Some(message)) => self.take(message).await,
                    Ok(None) => break self.association.closed().await,
                    Err(error) => break Err(error),
                },
            }
        };
        if !self.received_reported {
            self.ledger.report();
        }
        self.tell_statistics();
        match end {
            Ok(()) => report("closed", Value::Null),
            Err(Error::AbortedHere) => report("aborted", json!({ "by": "local", "reason": "" })),
            Err(Error::Aborted(reason)) => {
                let reason = reason.unwrap_or_default();
                report("aborted", json!({ "by": "peer", "reason": reason.trim_matches('"') }));
            }
            Err(error) => fail(&error.to_string()),
        }
    }

    /// What a test wants to know of the repair of losses.
    fn tell_statistics(&self) {
        let stats = self.association.stats();
        report(
            "statistics",
            json!({
                "fast_retransmitted": stats.fast_retransmissions,
                "timeouts": stats.timeouts,
                "drop_reports": stats.drop_reports,
                "drop_reports_marked": stats.reported_chunks,
            }),
        );
    }

    async fn take(&mut self, message: Message) {
        let Some(payload) = self.whole(&message) else { return };
        if let Err(error) = self.ledger.take(message.stream, &payload) {
            fail(error);
        }
        if self.options.echo {
            let echo = Message::new(payload).stream(message.stream);
            let echo = if message.unordered { echo.unordered() } else { echo };
            if let Err(error) = self.association.send(echo).await {
                fail(&format!("echo: {error}"));
            }
        }
        self.end_if_done();
    }

    /// The message if it is complete now.
    fn whole(&mut self, message: &Message) -> Option<Bytes> {
        let Some(part) = message.part else { return Some(message.payload.clone()) };
        self.parts.entry(part.message.0).or_default().extend_from_slice(&message.payload);
        if part.more_follows {
            return None;
        }
        self.parts.remove(&part.message.0).map(Bytes::from)
    }

    fn handle_event(&mut self, event: &Event) {
        match event {
            Event::PathUp { remote, .. } => self.tell_path(*remote, true),
            Event::PathDown { remote, .. } => self.tell_path(*remote, false),
            Event::Restarted => {
                self.ledger = Ledger::default();
                self.parts.clear();
                report("restarted", Value::Null);
            }
            Event::RemoteError { cause } => fail(&format!("the peer reports an error: {cause}")),
            _ => {}
        }
    }

    fn tell_path(&mut self, address: IpAddr, works: bool) {
        if self.paths.insert(address, works) != Some(works) {
            let state = if works { "up" } else { "down" };
            report("path", json!({ "address": address.to_string(), "state": state }));
        }
    }

    /// Ends the association as the arguments say, once everything is sent and what was expected is here.
    fn end_if_done(&mut self) {
        if !self.sent || self.ending || self.ledger.bytes() < self.options.expect {
            return;
        }
        if self.options.expect > 0 && !self.received_reported {
            self.ledger.report();
            self.received_reported = true;
        }
        if let Some(reason) = &self.options.abort {
            self.ending = true;
            self.association.abort(reason.clone());
        } else if self.options.shutdown {
            self.ending = true;
            let association = self.association.clone();
            // How it ends is seen by whom reads.
            tokio::spawn(async move { drop(association.shutdown().await) });
        }
    }
}

async fn send_all(
    association: Association,
    outgoing: Outgoing,
    unordered: bool,
    done: oneshot::Sender<()>,
) {
    for piece in outgoing {
        let message = Message::new(piece.message).stream(piece.stream);
        let message = if unordered { message.unordered() } else { message };
        match association.send(message).await {
            Ok(()) => {}
            // The reader says how it ended.
            Err(Error::Closed | Error::Aborted(_) | Error::AbortedHere) => return,
            Err(error) => fail(&format!("send: {error}")),
        }
    }
    // The reader may have ended.
    done.send(()).ok();
}
