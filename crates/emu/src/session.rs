//! One emulation from its document to its last report, optionally with a command inside it.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Write};
use std::os::fd::AsFd;
use std::path::Path;
use std::process::{Child, ExitStatus};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread;
use std::time::{Duration, Instant};

use manypath_core::Span;
use manypath_emu::emulation::CaptureConfig;
use manypath_emu::report::Report;
use manypath_emu::{Document, Emulation, EmulationError, Options};
use manypath_pcapng::output_file::NewFile;
use manypath_program::{Failure, Kind, Outputs, code_of, find, name_of, refused, tell, text};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, Signal, kill_process};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

use crate::arguments::Run;

/// An event of the session.
enum Event {
    /// A signal to end.
    Signal(i32),
    /// The command has ended.
    Ended(io::Result<ExitStatus>),
    /// Time to write reports.
    Look,
    /// The router has ended.
    Broken,
}

/// Emulates until it is stopped or the command ends; returns the code to exit with.
pub(crate) fn run(run: Run) -> Result<u8, Failure> {
    let source = run.source.clone().unwrap_or_else(|| name_of(&run.document));
    let of_document = |message: String| Failure::input(format!("{source}: {message}"));
    let text = text(None, &run.document, MOST_MIB, "an emulation as JSON")?;
    let document = Document::parse(&text).map_err(|error| of_document(error.to_string()))?;
    // What the emulation needs is checked before the first file is opened
    if let Some(program) = run.command.first() {
        find(OsStr::new(program))?;
    }
    let mut outputs = Outputs::beside(vec![run.document]);
    for (option, file, kind) in [(REPORT, &run.report, LINES), (PCAPNG, &run.pcapng, CAPTURE)] {
        if let Some(file) = file {
            outputs.check(option, file, kind)?;
        }
    }
    let files = run.report.iter().chain(&run.pcapng);
    let new_files: Vec<NewFile> = files.map(|file| NewFile::at(file)).collect();
    let mut reports = Reports::open(run.report.as_deref(), run.command.is_empty())?;
    let options = Options {
        realtime: !run.no_realtime,
        capture: run.pcapng.map(|file| CaptureConfig { file, links: run.link }),
        interval: Span::from_secs_f64(run.interval.as_secs_f64()),
    };
    // Signals are handled before anything is created, so that no signal can leave leftovers
    let (sender, events) = mpsc::channel();
    let signals = Signals::new([SIGHUP, SIGINT, SIGTERM])
        .map_err(|error| Failure::broken(format!("signals: {error}")))?;
    forward_signals(signals, sender.clone());
    let started = Emulation::start(&document, &options);
    let emulation = started.map_err(|error| match error.is_of_document() {
        true => of_document(error.to_string()),
        false => failure(&error),
    })?;
    new_files.into_iter().for_each(NewFile::keep);
    reports.write(&Report::Ready(emulation.ready().clone()));
    let code = match run.command.as_slice() {
        [] => wait(&emulation, &mut reports, &events),
        words => accompany(&emulation, words, &mut reports, &events, sender)?,
    };
    let ending = emulation.stop().map_err(|error| failure(&error))?;
    if !run.command.is_empty() || reports.out.is_none() {
        for mark in &ending.marks {
            tell(&format!("marked: {mark}"));
        }
    }
    reports.write(&Report::End(ending));
    reports.finish().map(|()| code)
}

/// Waits until a signal arrives or the reader of the reports has closed its end.
fn wait(emulation: &Emulation, reports: &mut Reports, events: &Receiver<Event>) -> u8 {
    while let Event::Look = next(emulation, reports, events) {
        if reports.is_closed() {
            break;
        }
    }
    0
}

/// Runs a command in the emulation and returns its exit code; a signal ends the command.
fn accompany(
    emulation: &Emulation,
    words: &[String],
    reports: &mut Reports,
    events: &Receiver<Event>,
    sender: Sender<Event>,
) -> Result<u8, Failure> {
    let Some(left) = emulation.ready().interfaces.first() else { unreachable!("a pair has paths") };
    let mut command = emulation.host(&left.namespace).command(words);
    let child =
        command.spawn().map_err(|error| Failure::broken(format!("ip netns exec: {error}")))?;
    let id = Pid::from_child(&child);
    thread::spawn(move || tell_end(child, &sender));
    let mut deadline = None;
    loop {
        match next(emulation, reports, events) {
            Event::Ended(status) => return Ok(status.map_or(1, code_of)),
            // The terminal has also sent Ctrl-C to the command, which decides whether to end.
            Event::Signal(signal) if signal != SIGINT && deadline.is_none() => {
                let _ = kill_process(id, Signal::TERM);
                deadline = Some(Instant::now() + PATIENCE);
            }
            Event::Look if deadline.is_some_and(|deadline| deadline <= Instant::now()) => {
                let _ = kill_process(id, Signal::KILL);
            }
            Event::Broken => {
                let _ = kill_process(id, Signal::TERM);
                return Ok(1);
            }
            Event::Signal(_) | Event::Look => {}
        }
    }
}

/// The next event; writes reports while it waits.
fn next(emulation: &Emulation, reports: &mut Reports, events: &Receiver<Event>) -> Event {
    loop {
        match emulation.snapshots().try_recv() {
            Ok(snapshot) => reports.write(&Report::Counters(snapshot)),
            Err(mpsc::TryRecvError::Empty) => break,
            Err(mpsc::TryRecvError::Disconnected) => return Event::Broken,
        }
    }
    match events.recv_timeout(LOOK) {
        Ok(event) => event,
        Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => Event::Look,
    }
}

/// The destination of reports; without a reader they are dropped.
struct Reports {
    out: Option<File>,
    /// The destination in messages.
    name: String,
    /// The first error of writing.
    refused: Option<io::Error>,
}

impl Reports {
    fn open(file: Option<&Path>, may_print: bool) -> Result<Self, Failure> {
        let standard = "standard output";
        let (out, name) = match file {
            Some(path) => {
                let opened = File::options().append(true).create(true).open(path);
                let opened = opened.map_err(|error| refused(REPORT, path, error))?;
                (Some(opened), format!("`{REPORT}` is {}", path.display()))
            }
            None if may_print => {
                let out = io::stdout().as_fd().try_clone_to_owned();
                let out = out.map_err(|error| Failure::broken(format!("{standard}: {error}")))?;
                (Some(File::from(out)), standard.to_owned())
            }
            None => (None, standard.to_owned()),
        };
        Ok(Self { out, name, refused: None })
    }

    fn write(&mut self, report: &Report) {
        let Some(out) = self.out.as_mut().filter(|_| self.refused.is_none()) else { return };
        let Ok(mut line) = serde_json::to_vec(report) else { return };
        line.push(b'\n');
        self.refused = out.write_all(&line).err();
    }

    /// Whether the reader has closed its end, for example because it was killed. Without this check the program would
    /// detect it at the next report, which may be an hour later.
    fn is_closed(&self) -> bool {
        let Some(out) = &self.out else { return false };
        let mut ends = [PollFd::new(out, PollFlags::empty())];
        let _ = poll(&mut ends, Some(&Timespec::default()));
        self.refused.is_some() || ends[0].revents().contains(PollFlags::ERR)
    }

    /// Fails if a report was not written, unless its reader has closed the pipe.
    fn finish(self) -> Result<(), Failure> {
        match self.refused {
            Some(error) if error.kind() != io::ErrorKind::BrokenPipe => {
                Err(Failure::broken(format!("{}: it cannot be written: {error}", self.name)))
            }
            _ => Ok(()),
        }
    }
}

/// The failure of an emulation.
pub(crate) fn failure(error: &EmulationError) -> Failure {
    let message = error.to_string();
    if error.is_input() { Failure::input(message) } else { Failure::broken(message) }
}

fn forward_signals(mut signals: Signals, sender: Sender<Event>) {
    thread::spawn(move || {
        for signal in signals.forever() {
            if sender.send(Event::Signal(signal)).is_err() {
                return;
            }
        }
    });
}

fn tell_end(mut child: Child, sender: &Sender<Event>) {
    // Fails if the session has ended already.
    let _ = sender.send(Event::Ended(child.wait()));
}

/// Whether a file begins with the report that an emulation is ready.
fn is_report(head: &[u8]) -> bool {
    head.starts_with(br#"{"event":"ready","#)
}

const REPORT: &str = "--report";
const LINES: Kind = Kind { name: "reports of an emulation", is_ours: is_report };
const PCAPNG: &str = "--pcapng";
const CAPTURE: Kind = Kind { name: "a capture", is_ours: manypath_pcapng::is_ours };
/// Largest size of a document. Its largest parts are recorded rates.
const MOST_MIB: u64 = 256;
/// Time limit for the end of a command after a signal.
const PATIENCE: Duration = Duration::from_secs(5);
/// Interval of checks for reports.
const LOOK: Duration = Duration::from_millis(50);
