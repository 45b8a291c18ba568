//! Network namespaces: hosts that only share the kernel.

use std::fs::{self, File};
use std::io;
use std::net::{IpAddr, Ipv6Addr};
use std::os::fd::AsRawFd;
use std::path::PathBuf;
use std::process::Command;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use nix::sched::{CloneFlags, setns, unshare};

/// A network namespace with its interfaces, addresses, routes and settings. The namespace disappears when this value is
/// dropped or the process ends for any reason.
#[derive(Debug)]
pub struct Namespace(File);

impl Namespace {
    /// A new namespace with its loopback interface up.
    ///
    /// # Errors
    /// If the kernel refuses; it needs root.
    pub fn new() -> io::Result<Self> {
        let made = on_a_thread(|| {
            unshare(CloneFlags::CLONE_NEWNET)?;
            File::open("/proc/thread-self/ns/net")
        });
        let failed = |error| failed(&error, "a network namespace cannot be made");
        let namespace = Self(made.map_err(failed)?);
        namespace.run("ip link set lo up")?;
        Ok(namespace)
    }

    /// Its file, for `ip link set … netns`.
    #[must_use]
    pub fn path(&self) -> PathBuf {
        format!("/proc/{}/fd/{}", std::process::id(), self.0.as_raw_fd()).into()
    }

    /// Runs `job` inside and returns its result.
    ///
    /// # Panics
    /// If `job` panics, or if the caller has lost the right to enter.
    pub fn inside<T: Send>(&self, job: impl FnOnce() -> T + Send) -> T {
        within(&self.0, job).expect("its maker may enter it")
    }

    /// Starts a thread inside.
    pub fn spawn<T: Send + 'static, E: From<io::Error> + Send + 'static>(
        &self,
        job: impl FnOnce() -> Result<T, E> + Send + 'static,
    ) -> JoinHandle<Result<T, E>> {
        let file = self.0.try_clone();
        thread::spawn(move || {
            enter(&file?)?;
            job()
        })
    }

    /// Runs a command line inside and returns its output.
    ///
    /// # Errors
    /// If it fails; the error contains the command line and its message.
    pub fn run(&self, line: &str) -> io::Result<String> {
        self.inside(|| command(line))
    }

    /// Adds an address to an interface, without duplicate address detection. Packets to it are received from then on.
    ///
    /// # Errors
    /// If the kernel refuses it.
    pub fn add_address(&self, address: IpAddr, prefix: u8, interface: &str) -> io::Result<()> {
        let detection = if address.is_ipv6() { " nodad" } else { "" };
        self.run(&format!("ip address add {address}/{prefix} dev {interface}{detection}"))?;
        match address {
            IpAddr::V4(_) => Ok(()),
            IpAddr::V6(address) => self.inside(|| await_addresses(&[address])),
        }
    }

    /// Writes a network setting, such as `net.ipv4.ip_forward`.
    ///
    /// # Errors
    /// If the kernel refuses it.
    pub fn set(&self, key: &str, value: &str) -> io::Result<()> {
        let path = format!("/proc/sys/{}", key.replace('.', "/"));
        let failed = |error| failed(&error, &format!("the setting {key} cannot be {value:?}"));
        self.inside(|| fs::write(path, value)).map_err(failed)
    }
}

/// Runs `job` inside the namespace of this file and returns its result. Sockets that it opens stay in the namespace,
/// even if they are used outside.
///
/// # Errors
/// If the file is no network namespace, or if the caller lacks the rights.
///
/// # Panics
/// If `job` panics.
pub fn within<T: Send>(namespace: &File, job: impl FnOnce() -> T + Send) -> io::Result<T> {
    on_a_thread(|| enter(namespace).map(|()| job()))
}

/// Waits until packets to these addresses of the thread's namespace are received. The kernel adds the local route of a
/// new IPv6 address later, from a work queue, and drops packets that arrive before.
///
/// # Errors
/// If an address has no local route after ten seconds: it does not exist, or duplicate address detection refused it.
pub fn await_addresses(addresses: &[Ipv6Addr]) -> io::Result<()> {
    let begin = Instant::now();
    loop {
        let table = fs::read_to_string("/proc/thread-self/net/ipv6_route")?;
        let Some(missing) = addresses.iter().find(|address| !has_local_route(&table, **address))
        else {
            return Ok(());
        };
        if begin.elapsed() > PATIENCE {
            let what = format!("the address {missing} has no local route after {PATIENCE:?}");
            return Err(io::Error::new(io::ErrorKind::TimedOut, what));
        }
        thread::sleep(POLL);
    }
}

/// Whether the table `ipv6_route` has a local route of this address. Its columns are the destination, its prefix length,
/// the source, its prefix length, the next hop, the metric, two counters, the flags and the interface.
fn has_local_route(table: &str, address: Ipv6Addr) -> bool {
    let destination = format!("{:032x} 80 ", u128::from(address));
    table.lines().filter(|line| line.starts_with(&destination)).any(|line| {
        let flags = line.split_ascii_whitespace().nth(FLAGS);
        flags
            .and_then(|flags| u32::from_str_radix(flags, 16).ok())
            .is_some_and(|flags| flags & RTF_LOCAL != 0)
    })
}

/// A namespace belongs to a thread, so a temporary thread enters it and never has to return.
fn on_a_thread<T: Send>(job: impl FnOnce() -> T + Send) -> T {
    thread::scope(|scope| scope.spawn(job).join())
        .unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}

/// Moves this thread into the namespace.
fn enter(namespace: &File) -> io::Result<()> {
    Ok(setns(namespace, CloneFlags::CLONE_NEWNET)?)
}

fn command(line: &str) -> io::Result<String> {
    let mut words = line.split_whitespace();
    let program = words.next().unwrap_or_default();
    let output = Command::new(program)
        .args(words)
        .output()
        .map_err(|error| failed(&error, &format!("{program} cannot be started")))?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr).trim().to_owned();
        return Err(io::Error::other(format!("{line}: {said}")));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// The error with the action that failed.
fn failed(error: &io::Error, what: &str) -> io::Error {
    io::Error::new(error.kind(), format!("{what}: {error}"))
}

/// Column of the flags in `ipv6_route`.
const FLAGS: usize = 8;
/// Flag of a route to an address of this host.
const RTF_LOCAL: u32 = 0x8000_0000;
/// The work queue needs microseconds. This bounds failures only.
const PATIENCE: Duration = Duration::from_secs(10);
const POLL: Duration = Duration::from_millis(1);
