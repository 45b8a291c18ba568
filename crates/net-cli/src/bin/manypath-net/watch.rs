//! Metrics, captures and events of the program's endpoint, as requested on the command line.

use std::io;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use clap::Args;
use clap::builder::PossibleValuesParser;
use manypath_events::{NAMES, categories};
use manypath_net::metrics::{self, Source};
use manypath_net::output_file::NewFile;
use manypath_net::{Builder, Capture, Endpoint, EventLog, Selection};
use manypath_program::{Kind, Outputs, refused, tell};
use tokio::net::TcpListener;

use crate::failure::Failure;

/// The requested outputs.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct Watched {
    /// Serve counters as OpenMetrics text at http://ADDRESS:PORT/metrics, by default on 127.0.0.1. Port 0 selects a
    /// free one, which is printed.
    #[arg(long, value_name = "[ADDRESS:]PORT", allow_hyphen_values = true, value_parser = listen_address)]
    metrics: Option<SocketAddr>,
    /// Write all packets to a file that Wireshark and `manypath decode` open.
    #[arg(long, value_name = "FILE")]
    pcapng: Option<PathBuf>,
    /// Write the events of associations to a file as JSON lines, like `manypath run`.
    #[arg(long, value_name = "FILE")]
    events: Option<PathBuf>,
    /// Write only events of this name or category; may be repeated.
    #[arg(long, value_name = "NAME", requires = "events", hide_possible_values = true,
        value_parser = PossibleValuesParser::new(names()))]
    only: Vec<String>,
}

/// The outputs of endpoints.
#[derive(Debug)]
pub(crate) struct Watch {
    metrics: Option<std::net::TcpListener>,
    capture: Option<(PathBuf, Capture)>,
    events: Option<(PathBuf, EventLog)>,
    /// New files, which are removed if there is no endpoint, so that a mistake leaves no empty files.
    new_files: Mutex<Vec<NewFile>>,
}

impl Watch {
    /// Opens the outputs. They must differ from the files that the task reads.
    pub(crate) fn begin(watched: Watched, inputs: Vec<PathBuf>) -> Result<Self, Failure> {
        let mut outputs = Outputs::beside(inputs);
        for (option, file, kind) in
            [(PCAPNG, &watched.pcapng, CAPTURE), (EVENTS, &watched.events, LINES)]
        {
            if let Some(file) = file {
                outputs.check(option, file, kind)?;
            }
        }
        let metrics = watched.metrics.map(|address| {
            let refused = |error| Failure::input(format!("`--metrics` is {address}: {error}"));
            let listener = std::net::TcpListener::bind(address).map_err(refused)?;
            listener.set_nonblocking(true)?;
            if address.port() == 0 {
                tell(&format!("metrics at http://{}/metrics", listener.local_addr()?));
            }
            Ok::<_, Failure>(listener)
        });
        let files = watched.pcapng.iter().chain(&watched.events);
        let new_files: Vec<NewFile> = files.map(|file| NewFile::at(file)).collect();
        let capture = watched.pcapng.map(|file| {
            let capture = Capture::create(&file).map_err(|error| refused(PCAPNG, &file, error))?;
            Ok::<_, Failure>((file, capture))
        });
        let events = watched.events.map(|file| {
            let selection = Selection::only(&watched.only).map_err(|name| {
                Failure::input(format!("`--only` is {}: no event has this name", name.0))
            })?;
            let log = EventLog::create(&file, selection);
            let log = log.map_err(|error| refused(EVENTS, &file, error))?;
            Ok::<_, Failure>((file, log))
        });
        Ok(Self {
            metrics: metrics.transpose()?,
            capture: capture.transpose()?,
            events: events.transpose()?,
            new_files: Mutex::new(new_files),
        })
    }

    /// Creates the endpoint with its outputs.
    pub(crate) async fn bind(&self, builder: Builder, port: u16) -> Result<Endpoint, Failure> {
        let endpoint = self.attach(builder).bind(port).await?;
        self.begins(&endpoint)?;
        Ok(endpoint)
    }

    /// Keeps the files and serves metrics, because what writes them has begun.
    pub(crate) fn begins(&self, source: &(impl Source + Clone)) -> Result<(), Failure> {
        self.keep_files();
        self.serve_metrics(source)
    }

    /// Serves metrics.
    pub(crate) fn serve_metrics(&self, source: &(impl Source + Clone)) -> Result<(), Failure> {
        if let Some(listener) = &self.metrics {
            let listener = TcpListener::from_std(listener.try_clone()?)?;
            tokio::spawn(metrics::serve(listener, source.clone()));
        }
        Ok(())
    }

    /// Attaches the outputs to endpoints that are created later.
    pub(crate) fn attach(&self, builder: Builder) -> Builder {
        let builder = match &self.capture {
            Some((_, capture)) => builder.capture(capture.clone()),
            None => builder,
        };
        match &self.events {
            Some((_, log)) => builder.events(log.clone()),
            None => builder,
        }
    }

    /// Keeps the files.
    pub(crate) fn keep_files(&self) {
        let mut new_files = self.new_files.lock().unwrap_or_else(PoisonError::into_inner);
        new_files.drain(..).for_each(NewFile::keep);
    }

    /// Completes the files.
    pub(crate) fn finish(&self) -> Result<(), Failure> {
        let capture = self.capture.as_ref();
        let capture =
            capture.map_or(Ok(()), |(file, it)| complete(PCAPNG, file, "packets", it.finish()));
        let events = self.events.as_ref();
        let events =
            events.map_or(Ok(()), |(file, it)| complete(EVENTS, file, "events", it.finish()));
        capture.and(events)
    }
}

/// Reports how many packets or events are missing in a file.
fn complete(
    option: &str,
    file: &Path,
    what: &str,
    finished: io::Result<u64>,
) -> Result<(), Failure> {
    let missed = finished.map_err(|error| {
        let named = format!("`{option}` is {}", file.display());
        Failure::broken(format!("{named}: it cannot be written: {error}"))
    })?;
    if missed > 0 {
        tell(&format!("warning: {}: the disk was too slow for {missed} {what}", file.display()));
    }
    Ok(())
}

/// The values of `--only`.
fn names() -> Vec<&'static str> {
    categories().into_iter().chain(NAMES).collect()
}

const PCAPNG: &str = "--pcapng";
const CAPTURE: Kind = Kind { name: "a capture", is_ours: manypath_pcapng::is_ours };
const EVENTS: &str = "--events";
const LINES: Kind = Kind { name: "events", is_ours: manypath_events::is_ours };

/// An address and a port, or a port on the loopback address.
fn listen_address(text: &str) -> Result<SocketAddr, String> {
    let port = |text: &str| text.parse().ok().map(|port: u16| ([127, 0, 0, 1], port).into());
    let address = text.parse().ok().or_else(|| port(text));
    address.ok_or_else(|| "expected a port, or an address and a port as 192.0.2.1:9100".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn metrics_are_on_the_loopback_address_unless_another_one_is_given() {
        let table =
            [("9100", "127.0.0.1:9100"), ("0.0.0.0:1", "0.0.0.0:1"), ("[::1]:2", "[::1]:2")];
        for (text, address) in table {
            assert_eq!(listen_address(text).map(|it| it.to_string()).as_deref(), Ok(address));
        }
        for text in ["", "65536", "localhost", "::1", "1.2.3.4", "-1"] {
            assert!(listen_address(text).is_err(), "{text}");
        }
    }
}
