//! Network namespaces: hosts that only share the kernel.

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::net::Ipv6Addr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use manypath_namespace::within;

use crate::error::EmulationError;

/// A network namespace by its name, as in `ip netns`.
#[derive(Debug)]
pub struct Namespace {
    name: String,
    /// Whether it is removed when this value is dropped.
    is_ours: bool,
}

/// Commands for `ip`, by IP version.
#[derive(Debug, Default)]
pub(crate) struct Lines {
    /// All commands without IPv6 addresses.
    pub(crate) ipv4: String,
    /// Omitted if the kernel has no IPv6.
    pub(crate) ipv6: String,
}

impl Lines {
    /// Adds a command for the IP version with the option `-4` or `-6`.
    pub(crate) fn add(&mut self, version: &str, line: &str) {
        let lines = if version == "-6" { &mut self.ipv6 } else { &mut self.ipv4 };
        lines.push_str(line);
        lines.push('\n');
    }
}

impl Namespace {
    /// Creates a namespace, which is removed when the value is dropped.
    ///
    /// # Errors
    /// If the system refuses to create it.
    pub fn create(name: &str) -> Result<Self, EmulationError> {
        ip(&["netns", "add", name], "")?;
        Ok(Self { name: name.to_owned(), is_ours: true })
    }

    /// An existing namespace, which is not removed.
    #[must_use]
    pub fn existing(name: &str) -> Self {
        Self { name: name.to_owned(), is_ours: false }
    }

    /// Whether a namespace with this name exists.
    #[must_use]
    pub fn exists(name: &str) -> bool {
        path(name).exists()
    }

    /// Removes a namespace, independently of its creator.
    ///
    /// # Errors
    /// If there is no such namespace, or if the system refuses to remove it.
    pub fn remove(name: &str) -> Result<(), EmulationError> {
        ip(&["netns", "delete", name], "")
    }

    /// Its name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Whether it is removed when the value is dropped.
    #[must_use]
    pub fn is_ours(&self) -> bool {
        self.is_ours
    }

    /// Runs `act` inside the namespace. Sockets that it opens stay in the namespace, even if they are used outside.
    ///
    /// # Errors
    /// If the namespace is gone, or if the caller lacks the rights.
    pub fn within<T: Send>(&self, act: impl FnOnce() -> T + Send) -> Result<T, EmulationError> {
        let entered = File::open(path(&self.name)).and_then(|file| within(&file, act));
        entered.map_err(EmulationError::system(format!("namespace {}", self.name)))
    }

    /// Runs `ip` commands inside.
    pub(crate) fn configure(&self, lines: &Lines) -> Result<(), EmulationError> {
        ip(&["-netns", &self.name, "-4", "-batch", "-"], &lines.ipv4)?;
        if has_ipv6() {
            ip(&["-netns", &self.name, "-6", "-batch", "-"], &lines.ipv6)?;
        }
        Ok(())
    }

    /// Waits until packets to these addresses are received, if the kernel has IPv6.
    pub(crate) fn await_addresses(&self, addresses: &[Ipv6Addr]) -> Result<(), EmulationError> {
        if !has_ipv6() {
            return Ok(());
        }
        let ready = self.within(|| manypath_namespace::await_addresses(addresses))?;
        ready.map_err(EmulationError::system(format!("namespace {}", self.name)))
    }

    /// Runs lines of `ip` inside that undo earlier changes. Errors are ignored: some of the changes may be undone
    /// already, and there is no caller to report to.
    pub(crate) fn take_back(&self, undo: &Lines) {
        for (version, lines) in [("-4", &undo.ipv4), ("-6", &undo.ipv6)] {
            let _ = ip(&["-netns", &self.name, version, "-force", "-batch", "-"], lines);
        }
    }

    /// Packets that an interface inside dropped instead of sending them; 0 if it is gone.
    pub(crate) fn dropped(&self, interface: &str) -> u64 {
        let table =
            self.within(|| fs::read_to_string("/proc/thread-self/net/dev").unwrap_or_default());
        let table = table.unwrap_or_default();
        let line = table
            .lines()
            .find_map(|line| line.trim_start().strip_prefix(interface)?.strip_prefix(':'));
        let dropped = line.and_then(|line| line.split_ascii_whitespace().nth(SENT_AND_DROPPED));
        dropped.and_then(|number| number.parse().ok()).unwrap_or(0)
    }

    /// A command that runs inside. A shell replaces itself by the command. If the command does not exist, the shell
    /// prints an error and the exit code is 127; if it is not executable, 126.
    #[must_use]
    pub fn command(&self, words: &[String]) -> Command {
        let mut command = Command::new("ip");
        command.args(["netns", "exec", &self.name, "sh", "-c", r#"exec "$@""#, "manypath-emu"]);
        command.args(words);
        command
    }
}

impl Drop for Namespace {
    fn drop(&mut self) {
        if self.is_ours {
            // The namespace may be gone already, and there is no caller to report to.
            let _ = Self::remove(&self.name);
        }
    }
}

fn has_ipv6() -> bool {
    Path::new("/proc/sys/net/ipv6").exists()
}

/// Runs `ip`, with `lines` as its input.
fn ip(arguments: &[&str], lines: &str) -> Result<(), EmulationError> {
    let command = || format!("ip {}", arguments.join(" "));
    let no_ip = |error: io::Error| EmulationError::Command {
        command: command(),
        said: match error.kind() {
            io::ErrorKind::NotFound => "not found; install iproute2".to_owned(),
            _ => error.to_string(),
        },
    };
    let mut child = Command::new("ip")
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(no_ip)?;
    if let Some(mut stdin) = child.stdin.take() {
        // Errors are reported by the exit code of `ip` and its output.
        let _ = stdin.write_all(lines.as_bytes());
    }
    let output = child.wait_with_output().map_err(no_ip)?;
    if output.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    Err(EmulationError::Command { command: command(), said: place_in(lines, said.trim()) })
}

/// The message of `ip`, with the command to which it refers.
fn place_in(lines: &str, said: &str) -> String {
    let number = said.rsplit_once("Command failed -:").and_then(|(_, number)| number.parse().ok());
    let line = number.and_then(|number: usize| lines.lines().nth(number.saturating_sub(1)));
    let said = said.lines().next().unwrap_or_default();
    match line {
        Some(line) => format!("{line}: {said}"),
        None => said.to_owned(),
    }
}

/// Column of `/proc/net/dev`.
const SENT_AND_DROPPED: usize = 11;

fn path(name: &str) -> PathBuf {
    Path::new("/run/netns").join(name)
}
