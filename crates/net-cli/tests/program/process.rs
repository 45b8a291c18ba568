//! Programs that tests start.

use std::ffi::OsStr;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use crate::peer::loopback;
use crate::ports;

/// The output of a program, and its exit code.
#[derive(Debug)]
pub(crate) struct Said {
    pub(crate) code: Option<i32>,
    pub(crate) out: String,
    pub(crate) err: String,
}

/// A running program. It is killed when the value is dropped, and when it exceeds the time limit of tests.
pub(crate) struct Process {
    child: Child,
    limit: Option<Limit>,
    out: BufReader<std::process::ChildStdout>,
    err: BufReader<std::process::ChildStderr>,
}

impl Process {
    pub(crate) fn start(words: impl IntoIterator<Item = impl AsRef<OsStr>>) -> Self {
        let mut command = Command::new(PROGRAM);
        command.args(words);
        Self::of(command)
    }

    /// Starts the program in its own network and mount namespaces, which the commands prepare; `None`, with a message,
    /// without root rights.
    pub(crate) fn apart(prepare: &[String], words: &str) -> Option<Self> {
        let unshare = |command: &str| {
            let mut unshare = Command::new("unshare");
            unshare.args(["--net", "--mount", "sh", "-c", command]);
            unshare
        };
        if !unshare("true").output().is_ok_and(|done| done.status.success()) {
            eprintln!("not run: it needs root, and the program `unshare`");
            return None;
        }
        let prepared: String = prepare.iter().map(|command| format!("{command} && ")).collect();
        let script = format!("ip link set lo up && {prepared}exec {PROGRAM} {words}");
        Some(Self::of(unshare(&script)))
    }

    /// Starts the program with a standard error that has no room.
    pub(crate) fn without_room(words: impl IntoIterator<Item = impl AsRef<OsStr>>) -> Self {
        let mut command = Command::new("sh");
        command.args(["-c", "exec \"$@\" 2>/dev/full", "sh", PROGRAM]).args(words);
        Self::of(command)
    }

    pub(crate) fn of(command: Command) -> Self {
        Self::reading(command, Stdio::null())
    }

    /// Starts the program with a standard input that stays open and empty.
    pub(crate) fn with_input(command: Command) -> Self {
        Self::reading(command, Stdio::piped())
    }

    fn reading(mut command: Command, input: Stdio) -> Self {
        let mut child = command
            .stdin(input)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program is built");
        let err = BufReader::new(child.stderr.take().expect("it is a pipe"));
        let out = BufReader::new(child.stdout.take().expect("it is a pipe"));
        let limit = Some(Limit::of(&child));
        Self { child, limit, out, err }
    }

    /// The next line on standard error.
    pub(crate) fn line(&mut self) -> String {
        let mut line = String::new();
        self.err.read_line(&mut line).expect("it is UTF-8");
        line
    }

    /// The next line on standard output.
    pub(crate) fn out_line(&mut self) -> String {
        let mut line = String::new();
        self.out.read_line(&mut line).expect("it is UTF-8");
        line
    }

    /// Waits for the end of the program.
    pub(crate) fn wait(mut self) -> Said {
        let (mut out, mut err) = (String::new(), String::new());
        self.err.read_to_string(&mut err).expect("it is UTF-8");
        self.out.read_to_string(&mut out).expect("it is UTF-8");
        self.limit = None;
        let code = self.child.wait().expect("it was started").code();
        Said { code, out, err }
    }

    /// The number of its threads.
    pub(crate) fn threads(&self) -> usize {
        let tasks = format!("/proc/{}/task", self.child.id());
        std::fs::read_dir(tasks).expect("it runs").count()
    }

    /// Kills the program with SIGKILL.
    pub(crate) fn kill(&mut self) {
        self.child.kill().expect("it runs");
    }

    /// Waits until the program has blocked SIGTERM, which it then reads. proc_pid_status(5)
    pub(crate) fn until_signals_are_blocked(&self) {
        let status = format!("/proc/{}/status", self.child.id());
        let blocks = || {
            let status = std::fs::read_to_string(&status).expect("it runs");
            let blocked = status.lines().find_map(|line| line.strip_prefix("SigBlk:\t"));
            let blocked = u64::from_str_radix(blocked.expect("Linux tells"), 16).expect("a mask");
            blocked & (1 << (SIGTERM - 1)) != 0
        };
        let begun = Instant::now();
        while !blocks() {
            assert!(begun.elapsed() < PATIENCE, "signals are not blocked within {PATIENCE:?}");
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// Sends SIGTERM to the program.
    pub(crate) fn terminate(&self) {
        self.signal("TERM");
    }

    /// Sends SIGTERM again and again until the program has ended. A signal that comes before the last one was handled is
    /// one with it.
    pub(crate) fn wait_with_signals(mut self) -> Said {
        while self.child.try_wait().expect("it was started").is_none() {
            self.terminate();
            std::thread::sleep(Duration::from_millis(100));
        }
        self.wait()
    }

    /// Sends a signal to the program.
    pub(crate) fn signal(&self, name: &str) {
        let done = Command::new("kill").args(["-s", name, &self.child.id().to_string()]).status();
        assert!(done.expect("kill is there").success());
    }

    /// The soft and the hard limit of open files. proc_pid_limits(5)
    pub(crate) fn limits_of_files(&self) -> [String; 2] {
        let limits = std::fs::read_to_string(format!("/proc/{}/limits", self.child.id()));
        let limits = limits.expect("it runs");
        let line = limits.lines().find_map(|line| line.strip_prefix("Max open files"));
        let mut words = line.expect("Linux tells").split_whitespace().map(str::to_owned);
        std::array::from_fn(|_| words.next().expect("a limit"))
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.limit = None;
        // The program may have ended
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Kills a program after the time limit, unless it is dropped before. It must be dropped before the program is reaped,
/// because its process number may be reused.
struct Limit {
    ends: Option<mpsc::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Limit {
    fn of(child: &Child) -> Self {
        let (ends, has_ended) = mpsc::channel::<()>();
        let id = child.id().to_string();
        let thread = thread::spawn(move || {
            if has_ended.recv_timeout(LONGEST) == Err(mpsc::RecvTimeoutError::Timeout) {
                let _ = Command::new("kill").args(["-KILL", &id]).status();
            }
        });
        Self { ends: Some(ends), thread: Some(thread) }
    }
}

impl Drop for Limit {
    fn drop(&mut self) {
        self.ends = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// Runs the program to its end.
pub(crate) fn run(words: impl IntoIterator<Item = impl AsRef<OsStr>>) -> Said {
    Process::start(words).wait()
}

/// A UDP port that is free on all addresses of a receiver.
pub(crate) fn free_port() -> u16 {
    ports::free_port(&[11, 12].map(loopback))
}

/// A waiting receiver on two addresses, and its UDP port.
pub(crate) fn receiver(into: &Path, more: &[&str]) -> (Process, String) {
    let port = free_port().to_string();
    let into = into.to_str().expect("it is UTF-8");
    let mut words = vec!["receive", "--bind", "127.0.0.11,127.0.0.12", "--udp", &port];
    words.extend(["--into", into]);
    words.extend(more);
    let mut receiver = Process::start(words);
    assert_eq!(
        receiver.line(),
        format!("waiting on 127.0.0.11,127.0.0.12, SCTP port 5001, UDP port {port}\n")
    );
    (receiver, port)
}

/// The arguments of a sender to this receiver.
pub(crate) fn sender<'a>(file: &'a Path, port: &'a str) -> Vec<&'a str> {
    let file = file.to_str().expect("it is UTF-8");
    let (bind, to) = ("127.0.0.1,127.0.0.2", "127.0.0.11,127.0.0.12");
    vec!["send", file, "--bind", bind, "--to", to, "--udp", port]
}

/// The names in a folder.
pub(crate) fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).unwrap();
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

const PROGRAM: &str = env!("CARGO_BIN_EXE_manypath-net");
/// The longest wait of a test. It bounds failures only.
pub(crate) const PATIENCE: Duration = Duration::from_secs(300);
/// Time limit of a program, longer than each wait for it. It bounds failures only.
const LONGEST: Duration = Duration::from_secs(600);
/// signal(7)
const SIGTERM: u32 = 15;
