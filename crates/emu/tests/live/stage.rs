//! Common parts of the live tests: a document, its emulation, and the check whether this machine supports emulations.

use std::fmt::Debug;
use std::net::IpAddr;
use std::time::{Duration, Instant};

use manypath_core::Span;
use manypath_emu::traffic::{Arrivals, Stream};
use manypath_emu::{Document, Emulation, Namespace, Options};
use serde_json::{Value, json};

/// A running emulation.
pub(crate) struct Stage {
    pub(crate) emulation: Emulation,
    name: String,
}

impl Stage {
    /// Starts the emulation of a document; if this machine does not support it, prints the reason and returns `None`.
    pub(crate) fn set(document: &Value) -> Option<Self> {
        if let Some(lack) = lack() {
            println!("skipped: {lack}");
            return None;
        }
        let document = Document::parse(&document.to_string()).expect("a document");
        // Ordinary priority, because the test machine has other load.
        let options = Options { realtime: false, ..Options::default() };
        let emulation = Emulation::start(&document, &options).expect("an emulation");
        Some(Self { emulation, name: document.name })
    }

    /// A host of the pair without a name.
    pub(crate) fn host(&self, side: &str) -> &Namespace {
        self.emulation.host(&format!("{}-{side}", self.name))
    }

    /// Sends a stream of small packets from left to right.
    pub(crate) fn send(&self, packets: u64, gap: Span) -> Arrivals {
        self.send_between([10, 0, 0, 1].into(), [10, 0, 0, 2].into(), packets, gap)
    }

    /// Like `send`, between other addresses of these hosts.
    pub(crate) fn send_between(
        &self,
        from: IpAddr,
        to: IpAddr,
        packets: u64,
        gap: Span,
    ) -> Arrivals {
        let stream = Stream { from, to, packets, size: 100, gap, silence: SILENCE };
        stream.measure(self.host("left"), self.host("right")).expect("a stream")
    }
}

/// Repeats a measurement until it succeeds, because other load on the machine may delay senders and receivers.
pub(crate) fn found<T, S: Debug>(what: &str, mut measure: impl FnMut() -> Result<T, S>) -> T {
    let begin = Instant::now();
    loop {
        match measure() {
            Ok(sought) => return sought,
            Err(seen) => assert!(begin.elapsed() < PATIENCE, "in {PATIENCE:?}: {what}: {seen:?}"),
        }
    }
}

/// Many times the duration of one measurement on a busy machine. It bounds failures only.
pub(crate) const PATIENCE: Duration = Duration::from_secs(300);

/// Time without a packet after which the rest of a stream is lost: longer than a busy machine lets an emulator wait.
pub(crate) const SILENCE: Span = Span::from_secs(10);

/// The requirement for emulations that this machine does not meet, if any.
pub(crate) fn lack() -> Option<String> {
    if !rustix::process::geteuid().is_root() {
        return Some("live emulations need the rights of root".to_owned());
    }
    if !std::path::Path::new("/dev/net/tun").exists() {
        return Some("live emulations need /dev/net/tun".to_owned());
    }
    let probe = own(&format!("manypath-probe-{:?}", std::thread::current().id()));
    let probe = probe.replace(['(', ')'], "");
    Namespace::create(&probe).err().map(|error| format!("live emulations need namespaces: {error}"))
}

/// A name that is unique to this process, because the same test may run elsewhere on this machine.
pub(crate) fn own(name: &str) -> String {
    format!("{name}-{}", std::process::id())
}

/// A document with the name [`own`] `name` and one path over `link` in both directions.
pub(crate) fn document(name: &str, link: &Value) -> Value {
    json!({
        "name": own(name),
        "network": {
            "links": {"there": link, "back": link},
            "paths": {"path": {"forward": ["there"], "reverse": ["back"]}},
        },
    })
}

/// The routing rules of a host for both IP versions.
pub(crate) fn rules(host: &Namespace) -> String {
    let words = ["sh", "-c", "ip -4 rule; ip -6 rule"].map(str::to_owned);
    let output = host.command(&words).output().expect("ip rule");
    String::from_utf8(output.stdout).expect("text")
}

/// A link of 100 Mbit/s without delay, with some fields changed.
pub(crate) fn link(changes: &Value) -> Value {
    let queue = json!({"kind": "drop-tail", "packets": 1000});
    let mut link = json!({"rate": 100_000_000, "delay": 0, "queue": queue});
    for (field, value) in changes.as_object().expect("fields") {
        link[field] = value.clone();
    }
    link
}
