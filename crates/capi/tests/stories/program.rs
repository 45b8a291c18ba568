//! Runs C programs, each with addresses of the loopback network of its own.

use std::fmt::Write as _;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use tempfile::TempDir;

use crate::installed::prefix;

/// Three octets and a point of addresses that nothing else uses: each test binds the same ports.
pub(crate) fn network() -> String {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let number = std::process::id().wrapping_mul(64) + NEXT.fetch_add(1, Ordering::Relaxed);
    let mut text = String::new();
    // 127.0 belongs to others
    write!(text, "127.{}.{}.", 1 + number / 256 % 250, number % 256).expect("a string");
    text
}

/// The command that runs a program, which is killed after the time limit of tests.
pub(crate) fn command(program: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new("timeout");
    command.arg(LIMIT).arg(program).args(arguments);
    command.env("LD_LIBRARY_PATH", prefix().join("lib"));
    command
}

/// Time limit of a program in seconds, longer than each wait in it. It bounds failures only.
const LIMIT: &str = "600";

/// Runs a story of a test program. It must leave no file.
pub(crate) fn tell(program: &Path, story: &str, change: impl FnOnce(&mut Command)) {
    let temporary = tempfile::tempdir().expect("a folder");
    let mut command = command(program, &[story]);
    command.env("TEST_NETWORK", network()).env("TMPDIR", temporary.path());
    change(&mut command);
    let output = command.output().expect("it runs");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{story}: {}\n{said}", output.status);
    let left: Vec<_> = temporary.path().read_dir().expect("it is there").collect();
    assert!(left.is_empty(), "{left:?}");
}

/// A program that runs until it is dropped.
pub(crate) struct Running {
    child: Child,
    output: BufReader<ChildStdout>,
    _temporary: TempDir,
}

impl Running {
    /// Starts a program, and waits until it has printed `listening`.
    pub(crate) fn listening(program: &Path, arguments: &[&str]) -> Self {
        let temporary = tempfile::tempdir().expect("a folder");
        let child = command(program, arguments)
            .env("TMPDIR", temporary.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn();
        let mut child = child.expect("it runs");
        let output = BufReader::new(child.stdout.take().expect("a pipe"));
        let mut running = Self { child, output, _temporary: temporary };
        let mut line = String::new();
        running.output.read_line(&mut line).expect("text");
        assert_eq!(line, "listening\n");
        running
    }

    /// Ends its standard input, and returns whether it succeeded.
    pub(crate) fn ends_well(mut self) -> bool {
        drop(self.child.stdin.take());
        let mut rest = String::new();
        self.output.read_to_string(&mut rest).expect("text");
        self.child.wait().expect("it ends").success()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // `timeout` passes this signal on
        let ended = Command::new("kill").arg(self.child.id().to_string()).output();
        drop(ended.and_then(|_| self.child.wait()));
    }
}
