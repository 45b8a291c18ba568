//! Reports of a listener about its associations, as text or JSON.

use std::net::SocketAddr;
use std::time::Instant;

use manypath_net::{Association, Path};
use manypath_program::tell;
use serde_json::{Value, json};

use crate::failure::Failure;
use crate::output::say;
use crate::progress::size;

/// The form and destination of reports.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Report {
    json: bool,
    /// Whether reports go to standard error, because standard output has the messages.
    on_stderr: bool,
}

/// An association, and the data that was received on it.
#[derive(Debug)]
pub(crate) struct Subject {
    pub(crate) association: Association,
    /// Its number in this program.
    pub(crate) number: u64,
    /// First address and SCTP port of the peer.
    pub(crate) peer: String,
    pub(crate) messages: u64,
    pub(crate) bytes: u64,
    begun: Instant,
}

impl Subject {
    pub(crate) fn new(association: Association, number: u64) -> Self {
        let peer = peer(&association);
        Self { association, number, peer, messages: 0, bytes: 0, begun: Instant::now() }
    }
}

impl Report {
    pub(crate) fn new(json: bool, on_stderr: bool) -> Self {
        Self { json, on_stderr }
    }

    /// Reports that an association was established.
    pub(crate) fn begins(self, subject: &Subject) {
        let Subject { number, peer, association, .. } = subject;
        let paths = association.paths();
        if self.json {
            let addresses = |path: &Path| json!({"local": path.local, "remote": path.remote});
            let paths: Vec<_> = paths.iter().map(addresses).collect();
            return self.say(&document(&json!({
                "event": "begin", "association": number, "peer": peer, "paths": paths,
                "streams": association.streams().inbound,
            })));
        }
        let count = paths.len();
        let paths = if count == 1 { "1 path".to_owned() } else { format!("{count} paths") };
        self.say(&format!("#{number} {peer}: begins, {paths}"));
    }

    /// Reports the end of an association.
    pub(crate) fn ends(self, subject: &Subject, failure: Option<&Failure>) {
        let Subject { number, peer, association, messages, bytes, .. } = subject;
        let seconds = subject.begun.elapsed().as_secs_f64();
        if self.json {
            let carried = |path: &Path| {
                json!({
                    "local": path.local, "remote": path.remote,
                    "bytes_received": path.stats.bytes_received, "bytes_acked": path.stats.bytes_acked,
                })
            };
            let paths: Vec<_> = association.paths().iter().map(carried).collect();
            return self.say(&document(&json!({
                "event": "end", "association": number, "peer": peer, "messages": messages,
                "bytes": bytes, "seconds": seconds, "paths": paths,
                "error": failure.map(|failure| &failure.message),
            })));
        }
        let how = failure.map_or_else(|| "ends".to_owned(), |it| format!("fails: {}", it.message));
        let many =
            if *messages == 1 { "1 message".to_owned() } else { format!("{messages} messages") };
        self.say(&format!("#{number} {peer}: {how}; {many}, {} in {seconds:.2} s", size(*bytes)));
    }

    fn say(self, line: &str) {
        if self.on_stderr {
            tell(line);
        } else {
            say(line);
        }
    }
}

/// A JSON document in one line.
fn document(value: &Value) -> String {
    value.to_string()
}

fn peer(association: &Association) -> String {
    let remote = association.paths().first().map(|path| path.remote);
    remote.map_or_else(
        || "an unknown address".to_owned(),
        |ip| SocketAddr::new(ip, association.peer_port()).to_string(),
    )
}
