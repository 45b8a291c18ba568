//! Captures: the packets that links deliver, in a file for Wireshark, written without blocking the router.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use manypath_core::{Span, Time, remedy};
use manypath_pcapng::Writer;
use manypath_pcapng::background::{self, Background, WriterThread};

use crate::error::EmulationError;
use crate::plan::Plan;
use crate::router::Watch;

/// The file of a capture, and the links whose packets it contains.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CaptureConfig {
    /// The file; existing content is replaced.
    pub file: PathBuf,
    /// Names of links; all core links if the list is empty.
    pub links: Vec<String>,
}

/// The part that writes the file; it ends when the [`Capture`] is dropped.
#[derive(Debug)]
pub(crate) struct CaptureFile {
    file: PathBuf,
    thread: WriterThread,
    missed: Arc<AtomicU64>,
}

/// The part in the router's thread.
pub(crate) struct Capture {
    writer: Writer<Background>,
    /// The interface of each link; `None` if it is not captured.
    interfaces: Vec<Option<u32>>,
    since_1970: Span,
    missed: Arc<AtomicU64>,
}

/// Begins a capture of links of `plan`; `since_1970` is the Unix time at its time 0.
pub(crate) fn begin(
    config: &CaptureConfig,
    plan: &Plan,
    since_1970: Span,
) -> Result<(Capture, CaptureFile), EmulationError> {
    let links = chosen(&config.links, plan)?;
    let system = || EmulationError::system::<io::Error>(config.file.display().to_string());
    let file = background::open(&config.file)
        .map_err(|error| EmulationError::Capture { file: config.file.clone(), error })?;
    let (background, thread) = background::start(file);
    let mut writer = Writer::new(background, "emulation").map_err(system())?;
    let mut interfaces = vec![None; plan.links.len()];
    for link in links {
        let name = plan.links.get_index(link).map_or("", |(name, _)| name);
        interfaces[link] = Some(writer.add_interface(name).map_err(system())?);
    }
    let missed = Arc::new(AtomicU64::new(0));
    let capture = Capture { writer, interfaces, since_1970, missed: Arc::clone(&missed) };
    Ok((capture, CaptureFile { file: config.file.clone(), thread, missed }))
}

impl CaptureFile {
    /// Waits until all packets are written; returns the number of missing packets.
    pub(crate) fn finish(self) -> Result<u64, EmulationError> {
        let what = format!("`--pcapng` is {}: it cannot be written", self.file.display());
        let system = EmulationError::system(what);
        self.thread.finish().map_err(system)?;
        Ok(self.missed.load(Ordering::Relaxed))
    }
}

impl Watch for Capture {
    fn see(&mut self, link: usize, at: Time, packet: &[u8], damaged: Option<u32>) {
        let Some(interface) = self.interfaces[link] else { return };
        if !self.writer.get_mut().has_room() {
            self.missed.fetch_add(1, Ordering::Relaxed);
            return;
        }
        let comment = damaged.map(|byte| format!("damaged at byte {byte}"));
        // Writing to memory cannot fail.
        let _ = self.writer.packet(interface, at + self.since_1970, packet, comment.as_deref());
    }
}

/// The links with these names, without duplicates.
pub(crate) fn chosen(names: &[String], plan: &Plan) -> Result<Vec<usize>, EmulationError> {
    if names.is_empty() {
        return Ok((0..plan.core).collect());
    }
    let find = |name: &String| {
        plan.links.get_index_of(name).ok_or_else(|| EmulationError::UnknownLink {
            name: name.clone(),
            remedy: remedy(name, plan.links.keys().map(String::as_str)),
        })
    };
    let mut wanted = names.iter().map(find).collect::<Result<Vec<_>, _>>()?;
    wanted.sort_unstable();
    wanted.dedup();
    Ok(wanted)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::config::Document;

    /// The error message for an invalid capture of `links` to `file`.
    fn said(file: &str, links: &[&str]) -> String {
        let link = json!({
            "rate": 1_000_000, "delay": 0, "queue": {"kind": "drop-tail", "packets": 9},
        });
        let there: serde_json::Map<_, _> =
            (0..40).map(|number| (format!("south-{number:02}"), link.clone())).collect();
        let path = json!({"forward": ["south-00"], "reverse": ["south-01"]});
        let document = json!({
            "name": "lab", "network": {"links": there, "paths": {"one": path}},
        });
        let document = Document::parse(&document.to_string()).expect("a document");
        let config = CaptureConfig {
            file: PathBuf::from(file),
            links: links.iter().map(|&link| link.to_owned()).collect(),
        };
        let begun = begin(&config, &Plan::new(&document), Span::ZERO);
        let error = begun.err().expect("it cannot be");
        assert!(error.is_input());
        error.to_string()
    }

    #[test]
    fn an_invalid_capture_file_is_reported_with_its_field() {
        let said = said("/nowhere/at/all.pcapng", &[]);
        assert!(
            said.starts_with("`--pcapng` is /nowhere/at/all.pcapng, which cannot be"),
            "{said}"
        );
    }

    #[test]
    fn an_unknown_link_to_capture_is_answered_with_the_most_similar_name() {
        assert_eq!(
            said("/dev/null", &["south-7"]),
            "`--link` is \"south-7\", expected an existing link; did you mean \"south-07\"?"
        );
        let said = said("/dev/null", &["xyz"]);
        assert!(said.contains("; known: south-00, south-01, "), "{said}");
    }
}
