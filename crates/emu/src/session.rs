//! One emulation from its document to its last report, optionally with a command inside it.

use std::fs::{self, File};
use std::io::{self, Read as _, Write};
use std::os::fd::AsFd;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Child, ExitStatus};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread;
use std::time::{Duration, Instant};

use manypath_core::Span;
use manypath_emu::emulation::CaptureConfig;
use manypath_emu::report::Report;
use manypath_emu::{Document, DocumentError, Emulation, EmulationError, Options};
use manypath_program::tell;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, Signal, kill_process};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

use crate::arguments::Run;

/// A failure, with a message and an exit code.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) message: String,
    pub(crate) code: u8,
}

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
    if !(run.interval.is_finite() && run.interval >= SHORTEST_INTERVAL) {
        let text =
            format!("`interval` is {}, expected {SHORTEST_INTERVAL} s or more", run.interval);
        return Err(Failure::input(text));
    }
    let document = Document::parse(&read(&run.document)?)?;
    let mut reports = Reports::open(run.report.as_deref(), run.command.is_empty())?;
    let options = Options {
        realtime: !run.no_realtime,
        capture: run.pcapng.map(|file| CaptureConfig { file, links: run.link }),
        interval: Span::from_secs_f64(run.interval),
    };
    // Signals are handled before anything is created, so that no signal can leave leftovers
    let (sender, events) = mpsc::channel();
    let signals = Signals::new([SIGHUP, SIGINT, SIGTERM])
        .map_err(|error| Failure::broken(format!("signals: {error}")))?;
    forward_signals(signals, sender.clone());
    let emulation = Emulation::start(&document, &options)?;
    reports.write(&Report::Ready(emulation.ready().clone()));
    let code = match run.command.as_slice() {
        [] => wait(&emulation, &mut reports, &events),
        words => accompany(&emulation, words, &mut reports, &events, sender)?,
    };
    let ending = emulation.stop()?;
    if !run.command.is_empty() || reports.out.is_none() {
        for mark in &ending.marks {
            tell(&format!("marked: {mark}"));
        }
    }
    reports.write(&Report::End(ending));
    Ok(code)
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
            Event::Ended(status) => return Ok(code_of(&status)),
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
    /// Whether the last line could not be written.
    is_broken: bool,
}

impl Reports {
    fn open(file: Option<&Path>, may_print: bool) -> Result<Self, Failure> {
        let out = match file {
            Some(path) => {
                Some(File::options().append(true).create(true).open(path).map_err(|error| {
                    Failure::input(format!("`report` is {}: {error}", path.display()))
                })?)
            }
            None if may_print => {
                let standard = io::stdout().as_fd().try_clone_to_owned();
                Some(File::from(
                    standard
                        .map_err(|error| Failure::broken(format!("standard output: {error}")))?,
                ))
            }
            None => None,
        };
        Ok(Self { out, is_broken: false })
    }

    fn write(&mut self, report: &Report) {
        let Some(out) = &mut self.out else { return };
        let Ok(mut line) = serde_json::to_vec(report) else { return };
        line.push(b'\n');
        self.is_broken |= out.write_all(&line).is_err();
    }

    /// Whether the reader has closed its end, for example because it was killed. Without this check the program would
    /// detect it at the next report, which may be an hour later.
    fn is_closed(&self) -> bool {
        let Some(out) = &self.out else { return false };
        let mut ends = [PollFd::new(out, PollFlags::empty())];
        let _ = poll(&mut ends, Some(&Timespec::default()));
        self.is_broken || ends[0].revents().contains(PollFlags::ERR)
    }
}

impl Failure {
    fn input(message: String) -> Self {
        Self { message, code: 2 }
    }

    pub(crate) fn broken(message: String) -> Self {
        Self { message, code: 1 }
    }
}

impl From<DocumentError> for Failure {
    fn from(error: DocumentError) -> Self {
        Self::input(error.to_string())
    }
}

impl From<EmulationError> for Failure {
    fn from(error: EmulationError) -> Self {
        Self { message: error.to_string(), code: if error.is_input() { 2 } else { 1 } }
    }
}

fn read(path: &Path) -> Result<String, Failure> {
    let mut text = String::new();
    let read = if path == Path::new("-") {
        io::stdin().read_to_string(&mut text).map(|_| ())
    } else {
        fs::read_to_string(path).map(|found| text = found)
    };
    read.map_err(|error| Failure::input(format!("`document` is {}: {error}", path.display())))?;
    Ok(text)
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

/// The exit code as in shells: 128 plus the signal, if there was one.
fn code_of(status: &io::Result<ExitStatus>) -> u8 {
    let Ok(status) = status else { return 1 };
    let code = status.code().unwrap_or_else(|| 128 + status.signal().unwrap_or(0));
    u8::try_from(code).unwrap_or(1)
}

/// In seconds.
const SHORTEST_INTERVAL: f64 = 0.01;
/// Time limit for the end of a command after a signal.
const PATIENCE: Duration = Duration::from_secs(5);
/// Interval of checks for reports.
const LOOK: Duration = Duration::from_millis(50);
