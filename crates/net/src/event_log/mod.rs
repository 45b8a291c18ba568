//! The events of an endpoint's associations as JSON lines, in the format of the simulator.

mod recorder;

use std::fs::File;
use std::io;
use std::path::Path;

use manypath_events::{FILE_SCHEMA, Generator, Header, Line, Selection, Writer};
use manypath_pcapng::background::{self, Background, WriterThread};
use serde_json::value::RawValue;

pub(crate) use recorder::Recorder;

use crate::driver::Clock;
use crate::shared_file::SharedFile;

/// A file of events. A thread writes it, so that no packet waits for the disk. Clones write into the same file.
///
/// The lines have the format of the simulator's events. Their flow is an association: the first address of the peer,
/// its SCTP port, and the number of the association in the file, as in `192.0.2.7:5001#1`. The side that opened it is
/// its source. A path has the name of its addresses, as in `192.0.2.9 -> 192.0.2.7`. Times count from
/// [`create`](Self::create), or from the creation of the host if the host itself does not write into the file.
#[derive(Clone, Debug)]
pub struct EventLog {
    file: SharedFile<(File, Selection), Open>,
    /// That of all hosts that write.
    clock: Clock,
}

/// An open file.
#[derive(Debug)]
struct Open {
    writer: Writer<Background>,
    thread: WriterThread,
    /// Number of named associations.
    associations: u64,
    /// Events that were dropped because the disk was too slow.
    missed: u64,
}

impl EventLog {
    /// Opens or creates a file for the selected events. It is truncated when the first endpoint that writes to it is
    /// created.
    ///
    /// # Errors
    /// If the file cannot be opened for writing.
    pub fn create(file: &Path, selection: Selection) -> io::Result<Self> {
        let file = SharedFile::new((background::open(file)?, selection));
        Ok(Self { file, clock: Clock::new() })
    }

    /// The clock of all hosts that write into the file.
    pub(crate) fn clock(&self) -> Clock {
        self.clock
    }

    /// Waits until all events are written, and returns the number of events that are missing because the disk was too
    /// slow. Later events are ignored.
    ///
    /// # Errors
    /// If writing failed.
    pub fn finish(&self) -> io::Result<u64> {
        let Some(open) = self.file.finish() else { return Ok(0) };
        let written = open.writer.finish();
        open.thread.finish().and(written).map(|()| open.missed)
    }
}

/// The header has no seed, links or scenario, unlike that of a simulation, and no list of associations.
fn header(scenario: &RawValue) -> Header<'_> {
    Header {
        file_schema: FILE_SCHEMA,
        serialization_format: "application/jsonl",
        title: "SCTP on real sockets".to_owned(),
        generator: Generator {
            name: "manypath",
            version: env!("CARGO_PKG_VERSION"),
            engine: "manypath-net",
        },
        time_unit: "s",
        seed: 0,
        replication: 0,
        vantage_points: Vec::new(),
        links: &[],
        scenario,
    }
}

impl Open {
    fn new((file, selection): (File, Selection)) -> Option<Self> {
        // An empty object is valid JSON
        let document = RawValue::from_string("{}".to_owned()).ok()?;
        let (background, thread) = background::start(file);
        let writer = Writer::new(background, selection, &header(&document));
        Some(Self { writer, thread, associations: 0, missed: 0 })
    }

    fn write(&mut self, line: &Line<'_>) {
        if !self.writer.wants(line.event) {
            return;
        }
        if self.writer.get_mut().has_room() {
            self.writer.write(line);
        } else {
            self.missed += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read;
    use std::os::fd::OwnedFd;
    use std::thread;

    use manypath_events::{Event, Nothing, Side};

    use super::*;

    /// A pipe accepts nothing before it is read.
    #[test]
    fn every_line_is_in_the_file_or_counted_as_missing() {
        const LINES: usize = 20_000;
        let (mut disk, file) = io::pipe().unwrap();
        let file = File::from(OwnedFd::from(file));
        let file = SharedFile::new((file, Selection::ALL));
        let log = EventLog { file, clock: Clock::new() };
        log.file.begin(Open::new);
        // A thousand bytes each, more in total than the queue to the disk takes
        let (flow, event) = ("x".repeat(1000), Event::ConnectionStarted(Nothing {}));
        let line = Line { time: 0.0, flow: &flow, host: Side::Source, path: None, event: &event };
        for _ in 0..LINES {
            log.file.while_open(|open| open.write(&line));
        }
        let reading = thread::spawn(move || {
            let mut text = String::new();
            disk.read_to_string(&mut text).map(|_| text)
        });
        let missed = log.finish().unwrap();
        let text = reading.join().unwrap().unwrap();
        let length = serde_json::to_string(&line).unwrap().len();
        let (header, lines) = text.split_once('\n').unwrap();
        assert!(manypath_events::is_ours(header.as_bytes()));
        assert!(lines.lines().all(|line| line.len() == length), "a line is incomplete");
        assert!(missed > 0, "the queue to the disk was never full");
        assert_eq!(lines.lines().count() as u64 + missed, LINES as u64);
    }
}
