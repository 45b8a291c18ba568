//! Error causes as output. RFC 9260 §3.3.10

use std::fmt;

use manypath_sctp::Cause;
use serde::Serialize;

/// An error cause: code, name and content.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct CauseView {
    code: u16,
    name: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    detail: Option<String>,
}

impl CauseView {
    pub(crate) fn of(cause: &Cause) -> Self {
        let (code, name, detail) = match cause {
            Cause::InvalidStream(stream) => (1, "invalid stream", Some(stream.to_string())),
            Cause::MissingParameters(types) => (2, "missing parameters", Some(listed(types))),
            Cause::StaleCookie(by) => (3, "stale cookie", Some(format!("by {by} us"))),
            Cause::OutOfResource => (4, "out of resource", None),
            Cause::UnresolvableAddress(whole) => (5, "unresolvable address", Some(bytes(whole))),
            Cause::UnrecognizedChunk(whole) => {
                let kind = whole.first().map(|kind| format!("type {kind}"));
                (6, "unrecognized chunk", kind)
            }
            Cause::InvalidMandatoryParameter => (7, "invalid mandatory parameter", None),
            Cause::UnrecognizedParameters(whole) => {
                (8, "unrecognized parameters", Some(bytes(whole)))
            }
            Cause::NoUserData(tsn) => (9, "no user data", Some(format!("tsn {tsn}"))),
            Cause::CookieWhileShuttingDown => (10, "cookie while shutting down", None),
            Cause::RestartWithNewAddresses(addresses) => {
                (11, "restart with new addresses", Some(listed(addresses)))
            }
            Cause::UserInitiated(reason) => (12, "user-initiated abort", text(reason)),
            Cause::ProtocolViolation(more) => (13, "protocol violation", text(more)),
            Cause::Other { code, info } => (*code, "other", Some(bytes(info))),
        };
        Self { code, name, detail }
    }
}

impl fmt::Display for CauseView {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.name {
            "other" => write!(f, "cause {}", self.code)?,
            name => f.write_str(name)?,
        }
        self.detail.as_ref().map_or(Ok(()), |detail| write!(f, " {detail}"))
    }
}

/// Writes causes, each in brackets.
pub(crate) fn write_all(f: &mut fmt::Formatter<'_>, causes: &[CauseView]) -> fmt::Result {
    causes.iter().try_for_each(|cause| write!(f, " [{cause}]"))
}

fn listed(values: &[impl ToString]) -> String {
    values.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
}

fn bytes(content: &[u8]) -> String {
    format!("{} B", content.len())
}

/// A text of the peer; other bytes than printable ASCII are escaped, because it is printed on a terminal.
fn text(content: &[u8]) -> Option<String> {
    let shown = &content[..content.len().min(LONGEST_TEXT)];
    (!content.is_empty()).then(|| format!("\"{}\"", shown.escape_ascii()))
}

/// Longest displayed text in bytes.
const LONGEST_TEXT: usize = 80;
