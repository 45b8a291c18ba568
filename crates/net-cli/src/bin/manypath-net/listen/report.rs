//! Reports of a listener about its associations, as text or JSON.

use manypath_net::Path;
use manypath_program::tell;
use serde_json::{Value, json};

use super::conversation::Conversation;
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

impl Report {
    pub(crate) fn new(json: bool, on_stderr: bool) -> Self {
        Self { json, on_stderr }
    }

    /// Reports that an association was established.
    pub(crate) fn begins(self, conversation: &Conversation) {
        let Conversation { number, peer, association, .. } = conversation;
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
    pub(crate) fn ends(self, conversation: &Conversation, failure: Option<&Failure>) {
        let Conversation { number, peer, association, messages, bytes, .. } = conversation;
        let seconds = conversation.elapsed().as_secs_f64();
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
